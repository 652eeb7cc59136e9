//! Results as JUnit XML, which every CI reads.

use std::fmt::Write;
use std::time::Duration;

use super::case::Case;
use super::execute::Verdict;
use super::show;

/// The whole document. `broken` are files that could not be read, each with why.
pub fn document(results: &[(&Case, &Verdict)], broken: &[(String, String)]) -> String {
    let failures = results.iter().filter(|(_, verdict)| !verdict.passed()).count();
    let time: Duration = results.iter().map(|(_, verdict)| verdict.took).sum();
    let counts = format!(
        r#"tests="{}" failures="{failures}" errors="{}" time="{:.3}""#,
        results.len() + broken.len(),
        broken.len(),
        time.as_secs_f64(),
    );
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<testsuites {counts}>\n  <testsuite name=\"boathook test\" {counts}>");
    for (case, verdict) in results {
        let _ = write!(
            xml,
            r#"    <testcase classname="{}" name="{}" time="{:.3}""#,
            escaped(&case.file.display().to_string()),
            escaped(&case.name),
            verdict.took.as_secs_f64()
        );
        if verdict.passed() {
            xml.push_str("/>\n");
            continue;
        }
        let _ = writeln!(
            xml,
            ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
            escaped(&show::headline(verdict)),
            escaped(&show::detail(verdict).join("\n"))
        );
    }
    for (file, problem) in broken {
        let (file, problem) = (escaped(file), escaped(problem));
        let _ = writeln!(
            xml,
            "    <testcase classname=\"{file}\" name=\"the file can be read\" time=\"0.000\">\n      <error message=\"{problem}\"/>\n    </testcase>"
        );
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// Fit for text and attributes. XML 1.0 has no way to write most control
/// characters, so they become the replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            control if control.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

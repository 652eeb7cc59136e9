//! What Gemini says of a command that ran: a text in which the output, the
//! exit code and more stand below each other.

/// What a command printed, and how it ended.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct Ran {
    /// Without what Gemini adds.
    pub text: String,
    /// 0 when it says nothing of one; 128 and the signal when it was killed.
    pub exit_code: Option<i32>,
}

/// Reads `Output: …` and the lines below it. `shown` is what the user was
/// shown: where it is the output itself, a command cannot print an exit code
/// that is not its own.
pub(super) fn ran(content: &str, shown: Option<&str>) -> Ran {
    let plain = content.strip_prefix("<untrusted_context>\n").unwrap_or(content);
    let plain = plain.strip_suffix("\n</untrusted_context>").unwrap_or(plain);
    let Some(rest) = plain.strip_prefix("Output: ") else {
        return Ran { text: plain.to_owned(), exit_code: None };
    };
    let shown = shown.filter(|shown| !shown.is_empty());
    let known = shown.and_then(|shown| Some((shown, rest.strip_prefix(shown)?)));
    let (text, below) = match known.filter(|(_, below)| below.is_empty() || below.starts_with('\n')) {
        Some(parts) => parts,
        None => split(rest),
    };
    let number = |label: &str| {
        let line = below.lines().find_map(|line| line.strip_prefix(label));
        line.and_then(|number| number.trim().parse::<i32>().ok())
    };
    let killed = number("Signal: ").map(|signal| signal.saturating_add(128));
    let exit_code = number("Exit Code: ").or(killed).unwrap_or(0);
    let text = if text == "(empty)" { "" } else { text };
    Ran { text: text.to_owned(), exit_code: Some(exit_code) }
}

/// The output, and the lines that Gemini put below it.
fn split(text: &str) -> (&str, &str) {
    const LABELS: [&str; 5] =
        ["Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "];
    let mut end = text.len();
    while let Some((before, line)) = text[..end].rsplit_once('\n') {
        if !LABELS.iter().any(|label| line.starts_with(label)) {
            break;
        }
        end = before.len();
    }
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_exit_code_are_told_apart() {
        let cases = [
            ("Output: a\nb\nExit Code: 3\nProcess Group PGID: 7", Some("a\nb"), ("a\nb", Some(3))),
            ("Output: a\nExit Code: 3\nProcess Group PGID: 7", None, ("a", Some(3))),
            ("Output: a\nProcess Group PGID: 7", Some("a"), ("a", Some(0))),
            ("Output: (empty)\nProcess Group PGID: 7", Some(""), ("", Some(0))),
            ("Output: (empty)\nExit Code: 1", Some("Command exited with code: 1"), ("", Some(1))),
            ("Output: a\nSignal: 9\nProcess Group PGID: 7", Some("a"), ("a", Some(137))),
            // The command printed it.
            (
                "Output: a\nExit Code: 7\nProcess Group PGID: 7",
                Some("a\nExit Code: 7"),
                ("a\nExit Code: 7", Some(0)),
            ),
            (
                "Command moved to background (PID: 5).",
                Some("x"),
                ("Command moved to background (PID: 5).", None),
            ),
            ("Output: ", None, ("", Some(0))),
            ("", None, ("", None)),
        ];
        for (content, shown, (text, exit_code)) in cases {
            let expected = Ran { text: text.to_owned(), exit_code };
            assert_eq!(ran(content, shown), expected, "{content}");
            let wrapped = format!("<untrusted_context>\n{content}\n</untrusted_context>");
            assert_eq!(ran(&wrapped, shown), expected, "{wrapped}");
        }
    }
}

//! What rules mean; `crates/cli/tests` holds the large tables.

mod heads;

use std::path::Path;

use super::*;
use crate::answer::Answer;
use crate::fill::Event;
use crate::outcome::Outcome;
use crate::payload::Payload;
use crate::problem::Severity;

const FIXED: Options = Options { mode: Mode::Fixed, warn_as: WarnAs::Message };
const FAITHFUL: Options = Options { mode: Mode::Faithful, warn_as: WarnAs::Message };

fn file(text: &str, options: Options) -> RuleFile {
    read_rule(text.as_bytes(), Path::new(".claude/hookify.a.local.md"), options)
}

fn answer(text: &str, options: Options, event: EventKind, payload: &str) -> Option<Answer> {
    let found = file(text, options);
    let rule = found.rule.filter(|_| found.enabled)?;
    let event = Event::new(event, Payload::parse(payload.as_bytes()).expect(payload));
    let transcript = |_: &str| Some("ran cargo test".to_owned());
    match rule.apply(&Look::new(&event, &transcript))?.outcome {
        Outcome::Answer(answer) => Some(*answer),
        other => panic!("{other:?}"),
    }
}

fn patterns(text: &str, options: Options) -> Vec<String> {
    let rule = file(text, options).rule.expect(text);
    rule.conditions.iter().map(|condition| condition.pattern.text().to_owned()).collect()
}

#[test]
fn each_reading_takes_values_as_it_does() {
    let head = |line: &str| format!("---\nevent: bash\n{line}\n---\nbody\n");
    let one = "conditions:\n  - field: command\n    operator: contains\n    pattern: ";
    let cases: &[(&str, String, &[&str], &[&str])] = &[
        ("plain", head(r"pattern: rm\s+-rf"), &[r"rm\s+-rf"], &[r"rm\s+-rf"]),
        ("double quotes unescape", head(r#"pattern: "x\\b""#), &[r"x\b"], &[r"x\\b"]),
        ("unless they hold what YAML does not know", head(r#"pattern: "rm\s""#), &[r"rm\s"], &[r"rm\s"]),
        ("single quotes", head("pattern: 'it''s'"), &["it's"], &["it''s"]),
        ("a comment", head("pattern: foo # bar"), &["foo"], &["foo # bar"]),
        ("a hash without a space", head("pattern: foo#bar"), &["foo#bar"], &["foo#bar"]),
        ("brackets", head("pattern: [a-z]+"), &["[a-z]+"], &["[a-z]+"]),
        ("a colon", head("pattern: a: b"), &["a: b"], &["a: b"]),
        ("three dashes", head("pattern: a---b"), &["a---b"], &["a"]),
        ("a list item", head(&format!("{one}\"a\"")), &["a"], &["a"]),
        ("a list without indent", head("conditions:\n- field: command\n  pattern: a"), &["a"], &[""]),
        (
            "one line",
            head("conditions:\n  - field: command, operator: contains, pattern: a,b"),
            &["a,b"],
            &["a"],
        ),
        ("braces", head("conditions:\n  - {field: command, pattern: \"a,b\"}"), &["a,b"], &["a"]),
        ("a list on one line", head("conditions: [{field: command, pattern: a}]"), &["a"], &[]),
        ("several lines", head("pattern: |\n  a\n  b"), &["a\nb"], &["|"]),
        ("no value", head("pattern:"), &[], &[]),
        ("windows lines", "---\r\nevent: bash\r\npattern: a\r\n---\r\nbody\r\n".to_owned(), &["a"], &["a"]),
    ];
    for (name, text, fixed, faithful) in cases {
        assert_eq!(patterns(text, FIXED), *fixed, "{name}, fixed");
        assert_eq!(patterns(text, FAITHFUL), *faithful, "{name}, faithful");
    }
}

#[test]
fn a_rule_is_switched_off_by_false_alone() {
    let cases = [
        ("false", false, false),
        ("False", false, false),
        ("true", true, true),
        ("false  # later", false, true),
        ("no", false, true),
        ("off", false, true),
        ("0", true, true),
        ("\"false\"", false, false),
    ];
    for (word, fixed, faithful) in cases {
        let text = format!("---\nenabled: {word}\nevent: bash\npattern: a\n---\n");
        assert_eq!(file(&text, FIXED).enabled, fixed, "{word}, fixed");
        assert_eq!(file(&text, FAITHFUL).enabled, faithful, "{word}, faithful");
    }
}

#[test]
fn a_body_is_kept_byte_for_byte() {
    let body = "# 危险 ⚠️\n\n| a | b |\n|---|---|\n```sh\r\n\techo \"$HOME\" \\\n```";
    let text = format!("---\nname: x\nevent: bash\npattern: a\n---\n\n{body}\n\n");
    for options in [FIXED, FAITHFUL] {
        assert_eq!(file(&text, options).rule.expect("a rule").message, body);
    }
}

#[test]
fn what_a_rule_cannot_mean_is_said_with_its_place() {
    use Severity::{Error, Hint, Warning};
    let bash = |rest: &str| format!("---\nname: x\nevent: bash\n{rest}\n---\nno\n");
    let condition = |field: &str, operator: &str, pattern: &str| {
        bash(&format!("conditions:\n  - field: {field}\n    operator: {operator}\n    pattern: {pattern}"))
    };
    let cases: &[(&str, String, Options, &str, Severity, (usize, usize))] = &[
        ("no head", "name: x\n".to_owned(), FIXED, "hookify-no-head", Error, (1, 1)),
        ("an open head", "---\nname: x\n".to_owned(), FIXED, "hookify-open-head", Error, (1, 1)),
        ("no condition", bash("action: block"), FIXED, "hookify-no-condition", Warning, (3, 8)),
        ("an invalid pattern", bash("pattern: (a"), FIXED, "hookify-regex", Error, (4, 10)),
        (
            "an unknown operator",
            condition("command", "matches", "a"),
            FIXED,
            "hookify-operator",
            Error,
            (6, 15),
        ),
        ("an unknown field", condition("comand", "contains", "a"), FIXED, "hookify-field", Warning, (5, 12)),
        (
            "alternatives",
            condition("command", "not_contains", "a|b"),
            FIXED,
            "hookify-alternatives",
            Warning,
            (7, 14),
        ),
        ("an unknown action", bash("pattern: a\naction: stop"), FIXED, "hookify-action", Warning, (5, 9)),
        (
            "a comment behind enabled",
            bash("enabled: false # x\npattern: a"),
            FIXED,
            "hookify-enabled",
            Warning,
            (4, 10),
        ),
        ("quotes", bash("pattern: \"a\\\\b\""), FIXED, "hookify-quotes", Warning, (4, 10)),
        ("a key", bash("pattern: a\npatern: b"), FIXED, "hookify-key", Hint, (5, 1)),
        (
            "a plain condition",
            bash("conditions:\n  - command"),
            FIXED,
            "hookify-plain-condition",
            Error,
            (5, 5),
        ),
        ("a line", bash("pattern: a\n  what"), FIXED, "hookify-line", Warning, (5, 3)),
        (
            "an event",
            "---\nevent: shell\npattern: a\n---\nno\n".to_owned(),
            FIXED,
            "hookify-event",
            Error,
            (2, 8),
        ),
        (
            "a stop",
            "---\nevent: stop\npattern: .*\n---\nno\n".to_owned(),
            FAITHFUL,
            "hookify-plain-pattern",
            Warning,
            (3, 10),
        ),
        (
            "the same, fixed",
            "---\nevent: stop\npattern: .*\n---\nno\n".to_owned(),
            FIXED,
            "hookify-plain-pattern",
            Hint,
            (3, 10),
        ),
        ("tools", bash("pattern: a\ntool_matcher: Ba.*"), FIXED, "hookify-tools", Warning, (5, 15)),
        ("dashes", bash("pattern: a---b"), FIXED, "hookify-quotes", Warning, (4, 10)),
        (
            "tools in small letters",
            bash("pattern: a\ntool_matcher: bash"),
            FIXED,
            "hookify-tools",
            Warning,
            (5, 15),
        ),
        (
            "tools of another event",
            bash("pattern: a\ntool_matcher: Write"),
            FIXED,
            "hookify-tools",
            Warning,
            (5, 15),
        ),
        (
            "the same, faithful",
            bash("pattern: a\ntool_matcher: Write"),
            FAITHFUL,
            "hookify-tools",
            Warning,
            (5, 15),
        ),
        (
            "an event in capitals",
            "---\nevent: Bash\npattern: a\n---\nno\n".to_owned(),
            FIXED,
            "hookify-event",
            Warning,
            (2, 8),
        ),
        (
            "the same, faithful",
            "---\nevent: Bash\npattern: a\n---\nno\n".to_owned(),
            FAITHFUL,
            "hookify-event",
            Error,
            (2, 8),
        ),
        ("no event", "---\nevent:\npattern: a\n---\nno\n".to_owned(), FIXED, "hookify-event", Error, (2, 1)),
        (
            "a key twice",
            bash("action: block\npattern: a\naction: warn"),
            FIXED,
            "hookify-repeated-key",
            Warning,
            (6, 1),
        ),
        (
            "the same, faithful",
            bash("pattern: a\npattern: b"),
            FAITHFUL,
            "hookify-repeated-key",
            Warning,
            (5, 1),
        ),
        (
            "twice in a condition",
            bash("conditions:\n  - field: command\n    pattern: a\n    pattern: b"),
            FIXED,
            "hookify-repeated-key",
            Warning,
            (7, 5),
        ),
        (
            "a second rule",
            bash("pattern: a") + "\n---\n\nname: y\nevent: bash\n---\n",
            FIXED,
            "hookify-second-rule",
            Warning,
            (8, 1),
        ),
        ("not UTF-8", String::new(), FIXED, "hookify-no-head", Error, (1, 1)),
    ];
    for (name, text, options, code, severity, place) in cases {
        let problems = file(text, *options).problems;
        let found = problems.iter().find(|problem| problem.code == *code);
        let found = found.unwrap_or_else(|| panic!("{name}: {problems:#?}"));
        let at = found.place.as_ref().map(|place| (place.line, place.column));
        assert_eq!((found.severity, at), (*severity, Some(*place)), "{name}");
    }
}

#[test]
fn every_text_that_an_edit_brings_is_looked_at() {
    let secret = "---\nevent: file\naction: block\npattern: SECRET\n---\nno\n";
    let all = secret.replace("file", "all");
    let path = "---\nevent: file\naction: block\nconditions:\n  - field: file_path\n    operator: ends_with\n    pattern: .ipynb\n---\nno\n";
    let tool = |name: &str, input: &str| format!(r#"{{"tool_name":"{name}","tool_input":{input}}}"#);
    let cases = [
        (secret, tool("Write", r#"{"file_path":"a","content":"SECRET"}"#)),
        (secret, tool("Edit", r#"{"file_path":"a","new_string":"SECRET"}"#)),
        (secret, tool("Edit", r#"{"new_string":"","content":"SECRET"}"#)),
        (secret, tool("Write", r#"{"new_string":"x","content":"SECRET"}"#)),
        (secret, tool("Write", r#"{"content":"x","new_string":"SECRET"}"#)),
        (secret, tool("Write", r#"{"content":"x","edits":[{"new_string":"SECRET"}]}"#)),
        (secret, tool("NotebookEdit", r#"{"notebook_path":"a","new_source":"SECRET"}"#)),
        (secret, tool("Write", r#"{"notebook_path":"a","new_source":"SECRET"}"#)),
        (secret, tool("Write", r#"{"patch":"+SECRET"}"#)),
        (secret, tool("Write", r#""{\"content\":\"SECRET\"}""#)),
        (secret, tool("Write", r#""+SECRET""#)),
        (&all, tool("Write", r#"{"content":"x","new_string":"SECRET"}"#)),
        (&all, tool("NotebookEdit", r#"{"new_source":"SECRET"}"#)),
        (path, tool("NotebookEdit", r#"{"notebook_path":"a.ipynb","new_source":"x"}"#)),
        (path, tool("Write", r#"{"notebook_path":"a.ipynb","new_source":"x"}"#)),
    ];
    for (rule, payload) in cases {
        assert!(answer(rule, FIXED, EventKind::PreToolUse, &payload).is_some(), "{payload}");
        let harmless = payload.replace("SECRET", "fine").replace("ipynb", "py");
        assert!(answer(rule, FIXED, EventKind::PreToolUse, &harmless).is_none(), "{harmless}");
    }
}

#[test]
fn a_rule_answers_once_for_each_call() {
    let rule = |event: &str, action: &str| {
        format!("---\nname: x\nevent: {event}\naction: {action}\npattern: .\n---\nno\n")
    };
    let shell = (EventKind::BeforeShellExecution, r#"{"command":"ls"}"#);
    let tool = (EventKind::PreToolUse, r#"{"tool_name":"Shell","tool_input":{"command":"ls"}}"#);
    for (event, action) in [("bash", "block"), ("bash", "warn"), ("all", "block"), ("all", "warn")] {
        let text = rule(event, action);
        let found = file(&text, FIXED).rule.expect("a rule");
        let asked = [shell, tool].into_iter().filter(|(event, _)| found.events().contains(event));
        let answered =
            asked.filter(|(event, payload)| answer(&text, FIXED, *event, payload).is_some()).count();
        assert_eq!(answered, 1, "{event}, {action}");
    }
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let pieces = [
        "---",
        "\n",
        "- ",
        ":",
        "a",
        "\"",
        "'",
        "\\",
        "{",
        "[",
        ",",
        "|",
        "#",
        " ",
        "\t",
        "é",
        "\r",
        "enabled",
        "conditions:\n",
        "\u{feff}",
    ];
    for first in pieces {
        for second in pieces {
            for third in pieces {
                for frame in ["", "---\n", "---\nconditions:\n  - "] {
                    let text = format!("{frame}{first}{second}{third}\n---\n{third}");
                    for options in [FIXED, FAITHFUL] {
                        let _ = file(&text, options);
                    }
                }
            }
        }
    }
    for bytes in [&b"---\n\xff\n---"[..], b"\xef\xbb\xbf---\nname: \xf0\x9f", b"\0", b"---"] {
        let _ = read_rule(bytes, Path::new("x"), FIXED);
        let _ = read_rule(bytes, Path::new("x"), FAITHFUL);
    }
}

#[test]
fn a_stop_without_a_transcript_has_nothing_to_show() {
    let rule = |operator: &str| {
        format!(
            "---\nname: a\nevent: stop\naction: block\nconditions:\n  - field: transcript\n    operator: {operator}\n    pattern: pytest\n---\nRun it.\n"
        )
    };
    let named = r#"{"transcript_path":"/gone"}"#;
    let cases = [
        ("no path, faithful", FAITHFUL, "not_contains", "{}", false),
        ("an empty path, faithful", FAITHFUL, "not_contains", r#"{"transcript_path":""}"#, false),
        ("no file, faithful", FAITHFUL, "not_contains", named, true),
        ("no file, faithful", FAITHFUL, "contains", named, false),
        ("no path, fixed", FIXED, "not_contains", "{}", true),
        ("no path, fixed", FIXED, "contains", "{}", false),
        ("no file, fixed", FIXED, "not_contains", named, true),
    ];
    for (name, options, operator, payload, applies) in cases {
        let read = file(&rule(operator), options).rule.expect(name);
        let event = Event::new(EventKind::Stop, Payload::parse(payload.as_bytes()).expect(payload));
        let said = read.apply(&Look::new(&event, &|_| None));
        assert_eq!(said.is_some(), applies, "{name}: {operator}");
    }
}

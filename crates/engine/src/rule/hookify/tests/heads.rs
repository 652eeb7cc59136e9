//! What heads may say, how long they may be, and what is said of them.

use super::*;

#[test]
fn a_head_has_a_limit() {
    let block = |rest: String| format!("---\nevent: bash\naction: block\npattern: rm\n{rest}\n---\nno\n");
    let keys = |count: usize| block((0..count).map(|n| format!("k{n}: v\n")).collect());
    let conditions = "{a: b},".repeat(2_000);
    let cases = [
        ("as many lines as there may be", keys(990), false),
        ("many keys", keys(80_000), true),
        ("many lines that are none", block("  what\n".repeat(80_000)), true),
        ("a long line", block(format!("k: {}", "v".repeat(70_000))), true),
        ("many items", block("x:\n".to_owned() + &"- a: b\n".repeat(2_000)), true),
        ("a head that is never closed", keys(80_000).replace("---\nno", ""), true),
        ("many conditions on one line", block(format!("conditions: [{conditions}]")), true),
    ];
    for (name, text, is_long) in cases {
        for options in [FIXED, FAITHFUL] {
            let found = file(&text, options);
            // To the plugin brackets are plain text, and an open head is no head.
            if options == FAITHFUL && (name.ends_with("one line") || name.ends_with("closed")) {
                continue;
            }
            let codes: Vec<&str> = found.problems.iter().map(|problem| problem.code).collect();
            assert_eq!(codes == ["hookify-long-head"], is_long, "{name}: {:?}", codes.first());
            assert_eq!(found.rule.is_none(), is_long, "{name}");
        }
    }
}

#[test]
fn an_event_is_known_in_any_case_and_an_unknown_one_is_broken() {
    let text = |event: &str| format!("---\nevent: {event}\naction: Block\npattern: rm\n---\nno\n");
    let shell = |text: &str, options| {
        answer(text, options, EventKind::BeforeShellExecution, r#"{"command":"rm x"}"#).is_some()
    };
    for event in ["Bash", "BASH", "All", "'bash '"] {
        assert!(shell(&text(event), FIXED), "{event}");
        assert!(!shell(&text(event), FAITHFUL), "{event}, faithful");
    }
    for event in ["", "\"\"", "shell", "[bash]", "\n  - bash"] {
        let found = read(text(event).as_bytes(), Path::new("x"), FIXED);
        let asked: Vec<EventKind> = found.definitions.iter().map(|hook| hook.event).collect();
        assert!(asked.contains(&EventKind::BeforeShellExecution), "{event:?}: {asked:?}");
        assert!(
            found.definitions.iter().all(|hook| matches!(hook.action, Action::Broken { .. })),
            "{event:?}"
        );
    }
}

#[test]
fn an_unknown_operator_is_named() {
    let cases = [
        ("regex", "did you mean `regex_match`? "),
        ("Contains", "did you mean `contains`? "),
        ("start_with", "did you mean `starts_with`? "),
        ("!", ""),
    ];
    for (word, help) in cases {
        let text = format!(
            "---\nevent: bash\nconditions:\n  - field: command\n    operator: {word}\n    pattern: a\n---\nno\n"
        );
        let problems = file(&text, FIXED).problems;
        assert_eq!(problems[0].message, format!("unknown operator `{word}`, so the rule never applies"));
        let expected =
            format!("{help}write one of regex_match, contains, equals, not_contains, starts_with, ends_with");
        assert_eq!(problems[0].help.as_deref(), Some(expected.as_str()));
    }
}

#[test]
fn what_is_fine_is_not_warned_of() {
    let cases = [
        ("a rule in a block of code", "pattern: a\n---\n```\n---\nname: y\n---\n```"),
        ("a line across the message", "pattern: a\n---\nsay\n---\nname it"),
        ("a tool of the event", "pattern: a\ntool_matcher: Bash\n---\nno"),
        ("every tool", "pattern: a\ntool_matcher: *\n---\nno"),
        (
            "keys of two conditions",
            "conditions:\n  - field: command\n    pattern: a\n  - field: command\n    pattern: b\n---\nno",
        ),
    ];
    for (name, rest) in cases {
        let found = file(&format!("---\nname: x\nevent: bash\n{rest}\n"), FIXED);
        assert!(found.problems.is_empty(), "{name}: {:#?}", found.problems);
    }
}

#[test]
fn bytes_that_are_no_text_have_their_place_behind_a_byte_order_mark() {
    let cases = [
        (&b"---\n\xff"[..], (2, 1), 4..4),
        (b"\xef\xbb\xbf---\nname\xff", (2, 5), 11..11),
        (b"---\nname: r\n\xef\xbb\xbf\xff", (3, 2), 15..15),
    ];
    for (bytes, expected, range) in cases {
        let found = read_rule(bytes, Path::new("hookify.r.local.md"), FIXED);
        let place = found.problems[0].place.clone().expect("a place");
        assert_eq!((place.line, place.column), expected, "{bytes:?}");
        assert_eq!(place.bytes, range, "{bytes:?}");
    }
}

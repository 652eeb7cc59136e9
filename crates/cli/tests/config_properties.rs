//! What holds for any text that is given to the configuration reader.

use boathook_engine::config::{self, Config, apply_fixes};
use boathook_engine::definition::{Action, Definition};
use boathook_engine::edition::Edition;
use boathook_engine::problem::Severity;
use proptest::prelude::*;

fn read(text: &str) -> Config {
    config::read(text.as_bytes(), Edition::Docs)
}

fn runnable(definition: &Definition) -> bool {
    !matches!(definition.action, Action::Broken { .. })
}

/// Reads and repairs until nothing is left to repair.
fn repaired(text: &str) -> Option<String> {
    let mut text = text.to_owned();
    for _ in 0..8 {
        let problems = read(&text).problems;
        if problems.iter().all(|problem| problem.fix.is_none()) {
            return Some(text);
        }
        text = apply_fixes(&text, &problems);
    }
    None
}

const FAULTY: &str = r#"{ // é
  "hooks": {
    "PreToolUse": [{"matcher": "Write", "timeout": 9000, "hooks": [{"type": "command", "command": "a ${file_path}"},]}],
    "stop": {"command": "b '${status}'", "fail_closed": true}, "beforeShellExec": ["c"],
  }
}"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for edition in Edition::ALL {
            let config = config::read(&bytes, edition);
            prop_assert!(config.readable || (config.definitions.is_empty() && !config.problems.is_empty()));
        }
    }

    #[test]
    fn a_damaged_file_is_read_or_refused_with_places_inside_it(
        cuts in proptest::collection::vec((0..FAULTY.len(), 0..12usize, "[\\[\\]{}\",:'/*\\\\ \n0-9a-zé$-]{0,4}"), 0..5),
    ) {
        let mut text = FAULTY.to_owned();
        for (at, length, new) in cuts {
            let start = text.floor_char_boundary(at.min(text.len()));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, &new);
        }
        for edition in Edition::ALL {
            let config = config::read(text.as_bytes(), edition);
            for problem in &config.problems {
                let place = problem.place.as_ref().expect("a place");
                prop_assert!(text.get(place.bytes.clone()).is_some(), "{problem:?}");
            }
            for definition in &config.definitions {
                let named = config.problems.iter().any(|problem| problem.severity == Severity::Error);
                prop_assert!(runnable(definition) || named);
            }
        }
        prop_assert!(repaired(&text).is_some(), "repairs come to an end: {text}");
    }
}

#[test]
fn repairs_come_to_an_end_and_the_result_runs_the_same() {
    let fixed = repaired(FAULTY).expect("an end");
    assert!(fixed.starts_with("{ // é\n  \"version\": 1,"), "{fixed}");
    let config = read(&fixed);
    let hooks: Vec<_> =
        config.definitions.iter().map(|hook| (hook.event.name(), hook.label(), runnable(hook))).collect();
    let expected = [
        ("preToolUse", "a \"${file_path}\"", true),
        ("stop", "b '${status}'", true),
        ("beforeShellExecution", "c", true),
    ];
    assert_eq!(hooks, expected, "{fixed}");
    assert_eq!(apply_fixes(&fixed, &config.problems), fixed, "nothing more to do");
}

//! What holds for any text that is given to the configuration reader.

use boathook_engine::config::{self, Config, apply_fixes};
use boathook_engine::definition::{Action, Definition};
use boathook_engine::dialect::claude::Shape;
use boathook_engine::edition::Edition;
use boathook_engine::event::EventKind;
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

const SETTINGS: &str = r#"{"model": "é", "hooks": {
  "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "a", "args": ["b"], "async": true}, "c"]}],
  "Stop": [{"hooks": [{"type": "prompt", "prompt": "ok?", "timeout": 9000, "if": "Bash(git *)"}, {"type": "http"}]}],
  "Notification": [], "disableAllHooks": true
}}"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for edition in Edition::ALL {
            let config = config::read(&bytes, edition);
            prop_assert!(config.readable || (config.definitions.is_empty() && !config.problems.is_empty()));
            let settings = config::read_settings(&bytes, edition, Shape::Claude);
            prop_assert!(settings.readable || !settings.problems.is_empty());
            for in_manifest in [false, true] {
                config::read_plugin(&bytes, edition, Shape::Claude, in_manifest);
            }
        }
    }

    #[test]
    fn damaged_settings_are_read_or_refused_with_places_inside_them(
        cuts in proptest::collection::vec((0..SETTINGS.len(), 0..12usize, "[\\[\\]{}\",:'/*\\\\ \n0-9a-zé$-]{0,4}"), 0..5),
    ) {
        let mut text = SETTINGS.to_owned();
        for (at, length, new) in cuts {
            let start = text.floor_char_boundary(at.min(text.len()));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, &new);
        }
        let config = config::read_settings(text.as_bytes(), Edition::Docs, Shape::Claude);
        for problem in &config.problems {
            let place = problem.place.as_ref().expect("a place");
            prop_assert!(text.get(place.bytes.clone()).is_some(), "{problem:?}");
        }
        prop_assert!(config.definitions.iter().all(runnable));
        if let Some(part) = &config.part {
            let again = config::read_settings(part, Edition::Docs, Shape::Claude);
            prop_assert_eq!(again.definitions.len(), config.definitions.len());
        }
        let entry = |event| config::NewEntry { event, fields: Default::default() };
        let _ = config::add_entries(&text, &[entry(EventKind::Stop)]);
    }

    #[test]
    fn an_added_entry_stands_there_and_nothing_is_lost(
        cuts in proptest::collection::vec((0..FAULTY.len(), 0..12usize, "[\\[\\]{}\",:'/*\\\\ \n0-9a-zé$-]{0,4}"), 0..3),
    ) {
        let mut text = FAULTY.to_owned();
        for (at, length, new) in cuts {
            let start = text.floor_char_boundary(at.min(text.len()));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, &new);
        }
        let fields = [("command".to_owned(), "added".into())].into_iter().collect();
        if let Ok(added) = config::add_entries(&text, &[config::NewEntry { event: EventKind::SessionEnd, fields }]) {
            let (before, after) = (read(&text), read(&added));
            prop_assert!(after.readable || !before.readable, "{}", added);
            if before.readable {
                prop_assert_eq!(before.definitions.len() + 1, after.definitions.len(), "{}", added);
            }
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

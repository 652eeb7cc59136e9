//! With the real reader: what `check` finds, and what a run leaves out.

use super::*;

const FILE: &str = r#"{
  "version": 1,
  "hooks": {
    "beforeShellExecution": [{ "command": "./none.sh", "matcher": "(" }, { "command": "true" }]
  }
}"#;

fn load(files: &Files, thorough: bool) -> Arc<HookSet> {
    let options = LoadOptions { thorough, ..LoadOptions::default() };
    Loader::new(files.roots(), options).hooks(&[files.path("ws")])
}

#[test]
fn only_a_closer_look_compiles_matchers_and_looks_for_scripts() {
    let files = Files::new();
    let file = files.write("home/.cursor/hooks.json", FILE);
    assert_eq!(codes(&load(&files, false)), [""; 0]);
    let set = load(&files, true);
    assert_eq!(codes(&set), ["matcher-invalid", "script-not-found"]);
    assert!(
        set.problems.iter().all(|problem| problem.file.as_ref() == Some(&file) && problem.place.is_some())
    );
    assert_eq!(set.hooks.len(), 2);
}

#[test]
fn the_real_reader_knows_a_broken_file_from_one_without_hooks() {
    let cases = [
        ("", false),
        (" \n", false),
        ("{\"version\": 1, \"hooks\": {", false),
        ("[]", false),
        ("{\"version\": 1, \"hooks\": {}}", true),
        ("{\"version\": 1, \"hooks\": {} // none yet\n}", true),
    ];
    for (text, readable) in cases {
        let files = Files::new();
        files.write("home/.cursor/hooks.json", text);
        let set = load(&files, false);
        let state = source_state(&set, Level::User);
        assert_eq!(*state == SourceState::Read, readable, "{text:?}: {state:?}");
        assert_eq!(
            set.problems.iter().any(|problem| problem.severity == Severity::Error),
            !readable,
            "{text:?}"
        );
    }
}

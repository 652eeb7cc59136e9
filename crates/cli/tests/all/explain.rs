//! `boathook explain` as a person sees it.

use insta::assert_snapshot;
use serde_json::json;

use crate::context::TestContext;

#[test]
fn what_would_run_and_why_the_rest_would_not() {
    let cx = TestContext::new();
    cx.script("home/.cursor/hooks/a.sh", "#!/bin/sh\n");
    let hooks = json!({ "version": 1, "hooks": { "beforeShellExecution": [
        { "command": "./hooks/a.sh", "matcher": "git", "failClosed": true, "timeout": 2.5 },
        { "command": "echo hi | cat" },
        { "command": "true", "matcher": "^npm" },
        { "type": "prompt", "prompt": "Is it safe?" },
    ]}});
    cx.write("home/.cursor/hooks.json", hooks.to_string());
    assert_snapshot!(cx.run(["explain", "beforeShellExecution", "--field", "command=git push"]), @r#"
    exit code: 0
    ----- stdout -----
    beforeShellExecution: 3 hooks would run together, and 1 would fail

    1. ./hooks/a.sh
       source     user ([HOME]/.cursor/hooks.json:1)
       directory  [HOME]/.cursor
       starts as  ./hooks/a.sh (no shell is needed)
       timeout    2.5 s
       matcher    git
       a failure  blocks (failClosed)

    2. echo hi | cat
       source     user ([HOME]/.cursor/hooks.json:1)
       directory  [HOME]/.cursor
       starts as  /bin/sh -c …
       timeout    60 s
       a failure  lets the action through

    3. Is it safe?
       source     user ([HOME]/.cursor/hooks.json:1)
       fails      it needs a model, and none is configured
       timeout    30 s
       a failure  lets the action through

    Would not run:
    -  true
       source     user ([HOME]/.cursor/hooks.json:1)
       because    its matcher `^npm` does not match `git push`
    "#);
    let json = cx.output(["explain", "--json", "beforeShellExecution", "--field", "command=git push"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["does_not_run"][0]["because"], "its matcher `^npm` does not match `git push`");
}

#[test]
fn what_cannot_start_is_said_before_it_fails() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks/plain.sh", "#!/bin/sh\n");
    let hooks = json!({ "version": 1, "hooks": { "stop": [
        { "command": "./hooks/gone.sh" },
        { "command": "./hooks/plain.sh" },
        { "command": "nobody-has-this-program ." },
        { "command": "nobody-has-this-program .." },
    ]}});
    cx.write("home/.cursor/hooks.json", hooks.to_string());
    assert_snapshot!(cx.run(["explain", "stop"]), @r#"
    exit code: 0
    ----- stdout -----
    stop: 4 hooks would run together, and 4 would fail

    1. ./hooks/gone.sh
       source     user ([HOME]/.cursor/hooks.json:1)
       directory  [HOME]/.cursor
       starts as  ./hooks/gone.sh (no shell is needed)
       fails      the script `./hooks/gone.sh` does not exist: the hook fails
       timeout    60 s
       loop limit 5

    2. ./hooks/plain.sh
       source     user ([HOME]/.cursor/hooks.json:1)
       directory  [HOME]/.cursor
       starts as  ./hooks/plain.sh (no shell is needed)
       fails      the script `./hooks/plain.sh` is not executable: the hook fails
       timeout    60 s
       loop limit 5

    3. nobody-has-this-program .
       source     user ([HOME]/.cursor/hooks.json:1)
       directory  [HOME]/.cursor
       starts as  /bin/sh -c …
       fails      `nobody-has-this-program` is not on PATH: the hook fails
       timeout    60 s
       loop limit 5

    4. nobody-has-this-program ..
       source     user ([HOME]/.cursor/hooks.json:1)
       directory  [HOME]/.cursor
       starts as  /bin/sh -c …
       fails      `nobody-has-this-program` is not on PATH: the hook fails
       timeout    60 s
       loop limit 5
    "#);
    let json = cx.output(["explain", "--json", "stop"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["runs"][0]["fails"], "the script `./hooks/gone.sh` does not exist: the hook fails");
}

#[test]
fn a_guard_of_claude_code_is_named_where_somebody_looks_for_it() {
    let cx = TestContext::new();
    std::fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    let group = |matcher: &str, command: &str| json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": command }] });
    let settings = json!({ "hooks": {
        "PreToolUse": [group("Bash", "guard"), group("Edit|Write", "format"), group("", "audit")],
        "PostToolUse": [group("Bash", "after")],
    }});
    cx.write("project/.claude/settings.json", settings.to_string());
    cx.trust();
    let cases: [(&str, &str, &[&str]); 4] = [
        ("beforeShellExecution", r#"{"command":"ls"}"#, &["guard", "audit"]),
        ("beforeReadFile", r#"{"file_path":"/a","content":""}"#, &["audit"]),
        ("preToolUse", r#"{"tool_name":"Shell","tool_input":{"command":"ls"}}"#, &[]),
        ("stop", "{}", &[]),
    ];
    for (event, payload, expected) in cases {
        let seen = cx.run_with(["explain", event], payload);
        let hints: Vec<&str> = seen.lines().filter(|line| line.contains("runs on preToolUse")).collect();
        let named: Vec<bool> = hints
            .iter()
            .zip(expected)
            .map(|(hint, name)| hint.starts_with(&format!("hint: `{name}` (")))
            .collect();
        assert_eq!(named, vec![true; expected.len()], "{event}: {seen}");
        assert_eq!(hints.len(), expected.len(), "{event}: {seen}");
    }
}

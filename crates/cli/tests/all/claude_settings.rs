//! Hooks of Claude Code's settings, from the file to the answer.

use crate::context::TestContext;

/// Settings of the user with one group for PreToolUse.
fn settings(cx: &TestContext, group: serde_json::Value) {
    let settings = serde_json::json!({ "hooks": { "PreToolUse": [group] } });
    cx.write("home/.claude/settings.json", settings.to_string());
}

/// The answer for a command line, and what was said.
fn asked(cx: &TestContext, command: &str) -> (String, String) {
    let field = format!("tool_input.command={command}");
    let output = cx.output(["run", "preToolUse", "--field", "tool_name=Shell", "--field", &field]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_program_of_the_exec_form_may_name_the_workspace() {
    let cx = TestContext::new();
    cx.script("project/my hooks/no.sh", "#!/bin/sh\ncat > /dev/null\necho \"no $1\" >&2\nexit 2\n");
    for name in ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"] {
        let command = format!("${{{name}}}/my hooks/no.sh");
        let hook = serde_json::json!({ "type": "command", "command": command, "args": ["way"] });
        settings(&cx, serde_json::json!({ "hooks": [hook] }));
        let (answer, said) = asked(&cx, "ls");
        assert!(answer.contains("no way"), "{name}: {answer}{said}");
    }
}

#[test]
fn a_hook_with_an_error_refuses_and_says_why() {
    let cx = TestContext::new();
    let hook = serde_json::json!({ "type": "command", "command": 5, "onFailure": "block" });
    settings(&cx, serde_json::json!({ "matcher": "Bash", "hooks": [hook] }));
    let (answer, said) = asked(&cx, "ls");
    assert!(answer.contains("\"deny\"") && answer.contains("`command` is a number"), "{answer}{said}");
}

#[test]
fn who_switches_hooks_off_is_named() {
    let cx = TestContext::new();
    let hook = serde_json::json!({ "type": "command", "command": "exit 2" });
    settings(&cx, serde_json::json!({ "hooks": [hook] }));
    cx.write("project/.claude/settings.json", r#"{"disableAllHooks": true}"#);
    let (answer, _) = asked(&cx, "ls");
    assert!(answer.contains("\"deny\""), "nobody trusts it: {answer}");
    let shown = cx.run(["trust", "--yes"]);
    assert!(shown.contains("switches off every hook that was written for Claude Code, yours too"), "{shown}");
    assert!(!shown.contains("wants to run"), "{shown}");
    let (answer, said) = asked(&cx, "ls");
    assert!(!answer.contains("\"deny\""), "{answer}");
    assert!(said.contains("switched off by `disableAllHooks` in"), "{said}");
    assert!(said.contains("project/.claude/settings.json"), "{said}");
}

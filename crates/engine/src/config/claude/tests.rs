//! What a settings file holds, and what is said about it.

use super::*;
use crate::definition::{Action, Definition};
use crate::problem::Severity;

fn settings(text: &str) -> Config {
    read_settings(text.as_bytes(), Edition::Docs, Shape::Claude)
}

fn one(hook: &str) -> Config {
    settings(&format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{hook}]}}]}}}}"#))
}

#[test]
fn what_does_not_run_is_named_with_its_place() {
    let cases = [
        (r#"{"type": "command", "command": "a"}"#, 1, None),
        (r#"{"command": "a"}"#, 1, Some("type-missing")),
        (r#"{"type": "prompt", "prompt": "ok?"}"#, 1, None),
        (r#"{"type": "prompt"}"#, 0, Some("prompt-missing")),
        (r#"{"type": "command"}"#, 0, Some("command-missing")),
        (r#"{"type": "command", "command": 1}"#, 0, Some("command-missing")),
        (r#"{"type": "http", "url": "x"}"#, 0, Some("claude-handler")),
        (r#"{"type": "http", "url": "http://127.0.0.1:4711/agents/claude", "onFailure": "block"}"#, 0, None),
        (r#"{"type": "mcp_tool", "tool": "x"}"#, 0, Some("claude-handler")),
        (r#"{"type": "agent", "prompt": "x"}"#, 0, Some("claude-handler")),
        (r#"{"type": "shell"}"#, 0, Some("type-unknown")),
        (r#""./a.sh""#, 0, Some("hook-is-a-string")),
        ("7", 0, Some("hook-not-an-object")),
        (r#"{"type": "command", "command": "a", "async": true}"#, 1, Some("claude-async")),
        (r#"{"type": "command", "command": "a", "once": true}"#, 1, Some("key-without-effect")),
        (r#"{"type": "command", "command": "a", "args": ["b"]}"#, 1, None),
        (r#"{"type": "command", "command": "a", "args": "b"}"#, 0, Some("args-not-strings")),
        (r#"{"type": "command", "command": "a", "if": "Bash(git *)"}"#, 1, None),
        (r#"{"type": "command", "command": "a", "if": "when it rains"}"#, 1, Some("if-not-understood")),
        (r#"{"type": "command", "command": "a", "timeout": 60000}"#, 1, Some("timeout-in-milliseconds")),
        (r#"{"type": "command", "command": "boathook run stop"}"#, 0, Some("calls-boathook")),
        (r#"{"type": "command", "command": "/opt/boathook agent hook claude", "timeout": 3600}"#, 0, None),
        (r#"{"type": "command", "command": "a", "statusMessage": "x", "continueOnError": true}"#, 1, None),
    ];
    for (hook, definitions, code) in cases {
        let config = one(hook);
        assert!(config.readable, "{hook}");
        assert_eq!(config.definitions.len(), definitions, "{hook}");
        let found = config.problems.first();
        assert_eq!(found.map(|problem| problem.code), code, "{hook}");
        if let Some(problem) = found {
            assert!(
                problem.place.is_some() && problem.help.is_some() && problem.product.is_none(),
                "{problem:?}"
            );
        }
    }
}

#[test]
fn the_form_of_the_file_is_held_to() {
    let cases = [
        (r#"{"permissions": {}, "model": "x"}"#, true, None),
        (r#"{"hooks": {}}"#, true, None),
        (r#"{"hooks": []}"#, false, Some("hooks-not-an-object")),
        ("[]", false, Some("not-an-object")),
        (r#"{"hooks": {"PreToolUse": {}}}"#, true, Some("event-not-a-list")),
        (r#"{"hooks": {"PreToolUse": ["a"]}}"#, true, Some("hook-is-a-string")),
        (r#"{"hooks": {"PreToolUse": [{"command": "a"}]}}"#, true, Some("group-without-hooks")),
        (r#"{"hooks": {"PreToolUse": [{"matcher": 1, "hooks": []}]}}"#, true, Some("matcher-not-a-string")),
        (r#"{"hooks": {"Notification": [{"hooks": [{}]}]}}"#, true, Some("claude-event")),
        (r#"{"hooks": {"preToolUse": []}}"#, true, Some("unknown-event")),
        (r#"{"disableAllHooks": true}"#, true, Some("claude-disabled")),
    ];
    for (text, readable, code) in cases {
        let config = settings(text);
        assert_eq!(config.readable, readable, "{text}");
        assert_eq!(config.problems.first().map(|problem| problem.code), code, "{text}");
        assert!(config.definitions.is_empty(), "{text}");
    }
    assert!(settings(r#"{"disableAllHooks": true}"#).switches_off);
    assert!(!settings(r#"{"disableAllHooks": "yes"}"#).switches_off);
}

#[test]
fn a_part_is_read_as_the_whole_was() {
    let text = "{\"model\": \"x\", \"disableAllHooks\": true, \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}]}}";
    let whole = settings(text);
    let part = whole.part.expect("hooks stand in it");
    let again = settings(&String::from_utf8(part.clone()).expect("text"));
    assert_eq!(again.part, Some(part));
    assert!(again.switches_off && again.definitions.len() == 1);
}

#[test]
fn a_plugin_is_read_in_either_form() {
    let native = r#"{"version": 1, "hooks": {"stop": [{"command": "a"}]}}"#;
    let claude = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let bare = r#"{"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}"#;
    let cases = [
        (native.to_owned(), false, false),
        (claude.to_owned(), false, true),
        (format!(r#"{{"name": "p", "hooks": {native}}}"#), true, false),
        (format!(r#"{{"name": "p", "hooks": {claude}}}"#), true, true),
        (format!(r#"{{"name": "p", "hooks": {bare}}}"#), true, true),
        (r#"{"name": "p", "hooks": {"stop": [{"command": "a"}]}}"#.to_owned(), true, false),
    ];
    for (text, in_manifest, is_claude) in cases {
        let config = read_plugin(text.as_bytes(), Edition::Docs, Shape::Claude, in_manifest);
        let found: Vec<bool> =
            config.definitions.iter().map(|hook| hook.dialect.claude().is_some()).collect();
        assert_eq!(found, [is_claude], "{text}: {:?}", config.problems);
        assert!(
            config.problems.iter().all(|problem| problem.severity == Severity::Hint),
            "{text}: {:?}",
            config.problems
        );
    }
}

#[test]
fn a_hook_with_an_error_still_blocks_when_it_says_so() {
    let hooks = [
        r#"{"type": "command", "command": 5, "onFailure": "block"}"#,
        r#"{"type": "command", "command": "a", "args": null, "onFailure": "block"}"#,
        r#"{"type": "comand", "command": "a", "onFailure": "block"}"#,
        r#"{"type": "http", "url": "https://example.com", "onFailure": "block"}"#,
        r#"[{"type": "command", "command": "a", "onFailure": "block"}]"#,
    ];
    for hook in hooks {
        let config = one(hook);
        let [definition] = &config.definitions[..] else { panic!("{hook}: {:?}", config.definitions) };
        assert!(definition.fail_closed && matches!(definition.action, Action::Broken { .. }), "{hook}");
        assert_eq!(definition.matcher.pattern(), "Bash", "{hook}");
        let loud = config.problems.iter().any(|problem| problem.message.contains("is blocked until"));
        assert!(loud, "{hook}: {:?}", config.problems);
    }
    let hook = r#"{"type": "command", "command": "a", "onFailure": "block"}"#;
    let groups = [
        format!(r#"[{{"matcher": ["Bash"], "hooks": [{hook}]}}]"#),
        format!(r#"[{{"matcher": "Bash", "hooks": {hook}}}]"#),
        format!(r#"[[{hook}]]"#),
        format!(r#"{{"hooks": [{hook}]}}"#),
        format!("[{hook}]"),
    ];
    for group in groups {
        let config = settings(&format!(r#"{{"hooks": {{"PreToolUse": {group}}}}}"#));
        let broken = |definition: &Definition| matches!(definition.action, Action::Broken { .. });
        assert!(config.definitions.len() == 1 && config.definitions.iter().all(broken), "{group}");
        assert_eq!(config.definitions[0].label(), "a", "{group}");
    }
}

#[test]
fn a_policy_that_is_nearly_one_is_warned_about() {
    for (policy, blocks) in [("Block", true), (" block", true), ("stop", false)] {
        let config = one(&format!(r#"{{"type": "command", "command": "a", "onFailure": "{policy}"}}"#));
        assert_eq!(config.definitions[0].fail_closed, blocks, "{policy}");
        assert_eq!(config.problems[0].code, "on-failure-unknown", "{policy}");
    }
    assert_eq!(one(r#"{"type": "command", "command": "a", "onFailure": "continue"}"#).problems, []);
}

#[test]
fn hooks_that_stand_twice_are_named() {
    let twice = r#"{"model": 1, "model": 2, "hooks": {"Stop": []}, "hooks": {}}"#;
    let codes: Vec<_> = settings(twice).problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["duplicate-key"]);
}

#[test]
fn an_event_that_only_wires_claude_code_to_us_is_no_problem() {
    let wired = r#"{"hooks": [{"type": "command", "command": "'/a b/boathook' agent hook claude"}]}"#;
    let other = r#"{"hooks": [{"type": "command", "command": "echo"}]}"#;
    let cases = [
        (format!("[{wired}]"), 0),
        (r#"[{"hooks": [{"type": "http", "url": "http://127.0.0.1:1/agents/claude"}]}]"#.to_owned(), 0),
        (format!("[{wired}, {other}]"), 1),
        (format!("[{other}]"), 1),
        (r#"[{"hooks": []}]"#.to_owned(), 1),
        ("[]".to_owned(), 1),
    ];
    for (groups, problems) in cases {
        let text = format!("{{\"hooks\": {{\"PermissionDenied\": {groups}}}}}");
        let config = read_settings(text.as_bytes(), Edition::Docs, Shape::Claude);
        assert_eq!(config.problems.len(), problems, "{groups}");
    }
}

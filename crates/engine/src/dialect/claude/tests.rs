//! Tables of what is understood; the conformance cases show the effects.

use std::sync::Arc;

use super::*;
use crate::definition::Definition;
use crate::dialect::Dialect;
use crate::event::EventKind;
use crate::fill::Event;
use crate::payload::Payload;

fn event(kind: EventKind, payload: &str) -> Event {
    Event::new(kind, Payload::parse(payload.as_bytes()).expect(payload))
}

#[test]
fn every_event_has_one_row_and_one_name() {
    for row in CLAUDE_EVENTS {
        assert_eq!(CLAUDE_EVENTS.iter().filter(|other| other.kind == row.kind).count(), 1, "{}", row.name);
        assert!(!without_counterpart(row.name), "{}", row.name);
        assert_eq!(of_kind(row.kind).map(|found| found.name), Some(row.name));
    }
    assert!(of_kind(EventKind::BeforeShellExecution).is_none());
}

#[test]
fn a_rule_that_cannot_be_decided_holds() {
    let bash = |command: &str| {
        serde_json::json!({"tool_name": "Shell", "tool_input": {"command": command}}).to_string()
    };
    let tool = |name: &str, input: serde_json::Value| {
        serde_json::json!({"tool_name": name, "tool_input": input, "workspace_roots": ["/ws"]}).to_string()
    };
    let file = |path: &str| tool("Write", serde_json::json!({ "file_path": path }));
    let cases = [
        ("Bash", bash("ls"), true),
        ("Bash(*)", bash("ls"), true),
        ("Bash(git *)", bash("git status"), true),
        ("Bash(git *)", bash("gitk"), false),
        ("Bash(git push:*)", bash("git push"), true),
        ("Bash(rm *)", bash("ls; rm -r x"), true),
        ("Bash(rm *)", bash("echo `which rm`"), true),
        ("Bash(npm run *:ci)", bash("npm run test:ci"), true),
        ("Read", bash("ls"), false),
        ("Edit(src/**)", file("/ws/src/deep/a.rs"), true),
        ("Edit(src/**)", file("/ws/docs/a.md"), false),
        ("Edit(/src/*.rs)", file("/ws/src/a.rs"), true),
        ("Edit(//etc/**)", file("/etc/passwd"), true),
        ("Edit(~/.ssh/**)", file("/home/me/.ssh/id"), true),
        (
            "WebFetch(domain:example.com)",
            tool("WebFetch", serde_json::json!({"url": "https://api.example.com/x"})),
            true,
        ),
        (
            "WebFetch(domain:example.com)",
            tool("WebFetch", serde_json::json!({"url": "https://example.com.evil.org"})),
            false,
        ),
        ("mcp__github", tool("MCP:create", serde_json::json!({})), true),
        ("mcp__github__create", tool("MCP:create", serde_json::json!({})), true),
        ("mcp__github__delete", tool("MCP:create", serde_json::json!({})), false),
    ];
    for (rule, payload, expected) in cases {
        let condition = Condition::parse(rule).expect(rule);
        assert_eq!(condition.holds(&event(EventKind::PreToolUse, &payload)), expected, "{rule} on {payload}");
    }
    let none = [
        "",
        "Bash(",
        "git push",
        "Bash(x) y",
        "Bash(rm *)|Bash(git push *)",
        "bash(git *)",
        "Shell(git *)",
        "Bash( git push *)",
        "Bash(git push * )",
        "Bash(a))",
        "Bash((a)",
    ];
    for rule in none {
        assert_eq!(Condition::parse(rule), None, "{rule}");
    }
}

#[test]
fn a_rewritten_input_comes_back_by_the_names_it_had() {
    let cases = [
        (r#"{"command":"a"}"#, "", r#"{"command":"b"}"#, r#"{"command":"b"}"#),
        (
            r#"{"path":"/a","contents":"x"}"#,
            "",
            r#"{"file_path":"/a","content":"y"}"#,
            r#"{"path":"/a","contents":"y"}"#,
        ),
        (
            r#"{"file_path":"/a","content":"x"}"#,
            "Edit",
            r#"{"file_path":"/a","content":"x","old_string":"","new_string":"y"}"#,
            r#"{"file_path":"/a","content":"y"}"#,
        ),
        (
            r#"{"file_path":"/a","content":"x"}"#,
            "Edit",
            r#"{"file_path":"/b","content":"x","old_string":"","new_string":"x"}"#,
            r#"{"file_path":"/b","content":"x"}"#,
        ),
        (
            r#"{"file_path":"/a","new_string":"x"}"#,
            "Write",
            r#"{"file_path":"/a","new_string":"x","content":"y"}"#,
            r#"{"file_path":"/a","new_string":"y"}"#,
        ),
    ];
    for (given, matcher, updated, expected) in cases {
        let payload = format!(r#"{{"tool_name":"Write","tool_input":{given}}}"#);
        let event = event(EventKind::PreToolUse, &payload);
        let name = tools::name(&event, Some(&ClaudeMatcher::new(matcher)));
        let updated = serde_json::value::RawValue::from_string(updated.to_owned()).expect("JSON");
        let back = tools::input_back(&event, &name, &updated).map(|back| back.get().to_owned());
        assert_eq!(back.as_deref(), Some(expected), "{given} as {name}");
    }
}

#[test]
fn a_hook_becomes_an_entry_or_says_why_not() {
    use EventKind::*;
    let cases = [
        (PreToolUse, "Bash", Ok(Some("^Shell$"))),
        (PreToolUse, "Edit|Write|MultiEdit", Ok(Some("^Write$"))),
        (PreToolUse, "Bash|Glob", Ok(Some("^Shell$"))),
        (PreToolUse, "", Ok(None)),
        (PreToolUse, ".*", Ok(None)),
        (PreToolUse, "^(Bash|Read)$", Ok(Some("^Shell$|^Read$"))),
        (PreToolUse, "mcp__github__create_issue", Ok(Some("^MCP:create_issue$"))),
        (PreToolUse, "mcp__memory__.*", Ok(Some("^MCP:"))),
        (PreToolUse, "Glob", Err(())),
        (PreToolUse, "^[^B]", Err(())),
        (PreToolUse, "^(?!Bash$)", Err(())),
        (PreToolUse, "(Bash|mcp__github__push)", Err(())),
        (PreToolUse, "^mcp__github__(create|delete)_issue$", Err(())),
        (PreToolUse, "Edit.*", Ok(Some("^Write$|^MCP:.*(?:Edit.*)"))),
        (PreToolUse, "^Edit.*", Ok(Some("^Write$"))),
        (PostToolUse, "Task|Agent", Ok(Some("^Task$"))),
        (SubagentStop, "general-purpose", Ok(Some("^general-purpose$|^generalPurpose$"))),
        (SessionStart, "startup|resume|clear|compact", Ok(None)),
        (SessionStart, "startup", Err(())),
        (SessionStart, "resume", Err(())),
        (PreCompact, "manual", Err(())),
        (PreCompact, "manual|auto", Ok(None)),
        (Stop, "anything", Ok(None)),
    ];
    for (event, pattern, expected) in cases {
        let mut definition = Definition::command(event, "./a.sh");
        let options = Options { matcher: Some(ClaudeMatcher::new(pattern)), ..Options::default() };
        definition.dialect = Dialect::Claude(Arc::new(options));
        let native = to_native(&definition, false);
        let matcher =
            native.as_ref().map(|native| native.fields.get("matcher").and_then(|value| value.as_str()));
        assert_eq!(matcher.map_err(|_| ()), expected, "{} {pattern}", event.name());
        if let Ok(native) = &native {
            assert_eq!(native.fields.get("dialect").and_then(|value| value.as_str()), Some("claude"));
            assert_eq!(native.fields.contains_key("loop_limit"), event.loops());
        }
    }
}

#[test]
fn blanks_around_a_name_are_no_part_of_it() {
    let cases = [
        ("Edit|Bash ", "Bash", true),
        (" Edit | Bash", "Edit", true),
        ("Edit|Bash ", "BashOutput", false),
        (" ", "Bash", true),
        (" * ", "Bash", true),
        ("Bash x", "Bash", false),
    ];
    for (pattern, tool, expected) in cases {
        assert_eq!(ClaudeMatcher::new(pattern).fits(tool), expected, "`{pattern}` and {tool}");
    }
}

#[test]
fn no_spelling_of_a_command_gets_round_a_rule() {
    let lines = [
        "git push x",
        "git  push x",
        "git\tpush x",
        "{ git push x; }",
        "if true; then git push x; fi",
        "for i in 1; do git push x; done",
        "while true; do git push x; done",
        "! git push x",
        "time git push x",
        "timeout 5 git push x",
        "nice git push x",
        "nohup git push x",
        "env A=1 git push x",
        "sudo git push x",
        "command git push x",
        "/usr/bin/git push x",
        ">out git push x",
        "\"git\" push x",
        "g'i't pu\"sh\" x",
        "\\git push x",
        "git \\\npush x",
        "f() { git push x; }; f",
        "bash -c \"git push x\"",
        "sh -c 'sh -c \"git push x\"'",
        "eval git push x",
        "eval 'git push x'",
        "echo git push x | sh",
        "{git,push,x}",
        "gi? push x",
        "git push 'x",
        "if then (",
    ];
    let condition = Condition::parse("Bash(git push *)").expect("a rule");
    let holds = |line: &str| {
        let payload = serde_json::json!({"tool_name": "Shell", "tool_input": {"command": line}}).to_string();
        condition.holds(&event(EventKind::PreToolUse, &payload))
    };
    for line in lines {
        assert!(holds(line), "{line}");
    }
    for line in ["git status", "echo 'git pull'", "ls *.txt && cat a", "sudo git fetch", "git pushx", ""] {
        assert!(!holds(line), "{line}");
    }
}

#[test]
fn no_spelling_of_a_path_gets_round_a_rule() {
    let condition = Condition::parse("Edit(src/**)").expect("a rule");
    let cases = [
        ("/ws/./src/a.ts", true),
        ("./src/a.ts", true),
        ("x/../src/a.ts", true),
        ("src//a.ts", true),
        ("/ws//src/a.ts", true),
        ("/ws/docs/../src/a.ts", true),
        ("a.ts", true),
        // From where it leads out, nobody knows for certain.
        ("../docs/a.ts", true),
        ("docs/a.ts", true),
        ("/ws/docs/a.ts", false),
        ("/ws/src/../docs/a.ts", true),
        ("/elsewhere/../ws/docs/a.ts", false),
    ];
    for (path, expected) in cases {
        let payload = serde_json::json!({
            "tool_name": "Write", "tool_input": {"file_path": path}, "workspace_roots": ["/ws/"], "cwd": "/ws/src",
        });
        let event = event(EventKind::PreToolUse, &payload.to_string());
        assert_eq!(condition.holds(&event), expected, "{path}");
    }
}

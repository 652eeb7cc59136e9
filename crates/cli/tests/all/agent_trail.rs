//! What agents did leaves a trail, and what a person must know reaches one:
//! refusals that no hook was asked about, changed and withheld hooks, and which
//! agent it was.

use std::fs;

use serde_json::{Value, json};

use crate::context::TestContext;

fn with_hooks(hooks: Value) -> TestContext {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", json!({ "version": 1, "hooks": hooks }).to_string());
    fs::create_dir_all(cx.path("project/.git")).expect("a folder");
    cx
}

/// What an agent is answered on stdout and on stderr.
fn answer(cx: &TestContext, agent: &[&str], payload: &[u8]) -> (String, String) {
    let output = cx.output_with(["agent", "hook"].into_iter().chain(agent.iter().copied()), payload);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn records(cx: &TestContext, args: &[&str]) -> Vec<Value> {
    let output = cx.output(["log", "--json"].into_iter().chain(args.iter().copied()));
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

fn claude(cx: &TestContext, event: &str) -> Vec<u8> {
    json!({
        "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": cx.project(), "permission_mode": "default",
        "hook_event_name": event, "prompt": "hello", "source": "startup",
        "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "t1",
    })
    .to_string()
    .into_bytes()
}

#[test]
fn what_could_not_be_understood_stands_in_the_log_refused_or_not() {
    // What cannot be read cannot be judged: it is refused wherever a hook guards.
    for (event, outcome, refused) in [("preToolUse", "failed_closed", true), ("stop", "failed_open", false)] {
        let cx = with_hooks(json!({ event: [{ "command": "true" }] }));
        answer(&cx, &["claude"], b"{ \"broken");
        answer(&cx, &["claude"], br#"{"hook_event_name": "PreToolUse", "tool_input": {}}"#);
        let records = records(&cx, &["--agent", "claude", "--outcome", "failed"]);
        let [broken, nameless] = &records[..] else { panic!("{records:?}") };
        assert_eq!((&broken["step"], &nameless["step"]), (&json!("unknown"), &json!("PreToolUse")));
        for record in [broken, nameless] {
            assert_eq!((&record["outcome"], &record["blocked"]), (&json!(outcome), &json!(refused)));
            assert!(record["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{record}");
        }
        assert_eq!(broken["request"], "{ \"broken", "what was told is kept as it was");
        let id = broken["id"].as_str().expect("an id");
        let full = cx.run(["log", id]);
        assert!(full.contains("unknown, no hook could be asked"), "{full}");
    }
}

#[test]
fn a_refusal_without_an_engine_stands_in_the_log() {
    let cx = with_hooks(json!({}));
    let payload = claude(&cx, "PreToolUse");
    let output = cx.output_with(["--workspace", "/there/is/none", "agent", "hook", "claude"], &payload);
    assert!(String::from_utf8_lossy(&output.stdout).contains("block"), "{output:?}");
    let records = records(&cx, &[]);
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!((&record["agent"], &record["blocked"]), (&json!("claude"), &json!(true)));
    assert!(record["reason"].as_str().is_some_and(|reason| reason.contains("/there/is/none")), "{record}");
}

#[test]
fn a_change_of_hooks_is_news_until_a_person_was_told() {
    let cx = with_hooks(json!({ "preToolUse": [{ "command": "true" }] }));
    let changed = "changed since they were last used";
    let prompt = |cx: &TestContext| answer(cx, &["claude"], &claude(cx, "UserPromptSubmit")).0;
    let count = |cx: &TestContext| records(cx, &[]).iter().filter(|it| it["outcome"] == "changed").count();
    assert!(!prompt(&cx).contains(changed), "the first time there is nothing to compare with");
    cx.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"preToolUse": [{"command": "exit 0"}]}}"#,
    );
    for _ in 0..2 {
        answer(&cx, &["claude"], &claude(&cx, "PreToolUse"));
    }
    assert_eq!(count(&cx), 1, "it is in the log, once");
    let told: Value = serde_json::from_str(&prompt(&cx)).expect("an answer");
    assert!(told["systemMessage"].as_str().is_some_and(|text| text.contains(changed)), "{told}");
    assert!(!prompt(&cx).contains(changed), "the agent has shown it");
    assert!(!cx.run(["list"]).contains(changed));
    assert_eq!(count(&cx), 1);
}

#[test]
fn an_agent_that_shows_nothing_leaves_the_news_to_commands() {
    for command in [&["list"][..], &["list", "--json"], &["check"], &["doctor"], &["run", "stop"]] {
        let cx = with_hooks(json!({ "preToolUse": [{ "command": "true" }] }));
        let changed = "changed since they were last used";
        let start = json!({ "sessionId": "s1", "cwd": cx.project(), "source": "new", "timestamp": 1 });
        let start = || answer(&cx, &["copilot", "sessionStart"], start.to_string().as_bytes());
        start();
        cx.write("home/.cursor/hooks.json", r#"{"version": 1, "hooks": {"stop": [{"command": "exit 0"}]}}"#);
        start();
        start();
        let seen = |command: &[&str]| {
            let output = cx.output_with(command.iter().copied(), b"{}");
            String::from_utf8_lossy(&output.stderr).into_owned()
        };
        let (first, second) = (seen(command), seen(command));
        assert!(first.contains(changed), "{command:?}: {first}");
        assert!(!second.contains(changed), "{command:?}: {second}");
    }
}

#[test]
fn withheld_hooks_and_broken_files_are_told_when_a_turn_begins() {
    let cx = with_hooks(json!({ "preToolUse": [{ "command": "true" }] }));
    cx.write(
        "project/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"preToolUse": [{"command": "true"}]}}"#,
    );
    answer(&cx, &["claude"], &claude(&cx, "PreToolUse"));
    cx.write("home/.cursor/hooks.json", "{ broken");
    for event in ["SessionStart", "UserPromptSubmit"] {
        let (stdout, _) = answer(&cx, &["claude"], &claude(&cx, event));
        let told: Value = serde_json::from_str(&stdout).expect("an answer");
        let text = told["systemMessage"].as_str().unwrap_or_default();
        assert!(text.contains("1 hook is withheld: the workspace is not trusted"), "{event}: {text}");
        assert!(text.contains("its last good copy stays in force"), "{event}: {text}");
    }
}

#[test]
fn the_log_says_which_agent_it_was() {
    let cx = with_hooks(json!({ "beforeShellExecution": [{ "command": "true" }] }));
    cx.run(["run", "stop"]);
    assert!(!cx.run(["log"]).contains("AGENT"), "nobody to tell of");
    answer(&cx, &["claude"], &claude(&cx, "PreToolUse"));
    let gemini = json!({
        "session_id": "g", "cwd": cx.project(), "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command", "tool_input": { "command": "ls" },
    });
    answer(&cx, &["gemini"], gemini.to_string().as_bytes());
    let table = String::from_utf8_lossy(&cx.output(["log"]).stdout).into_owned();
    assert!(table.lines().next().is_some_and(|heading| heading.contains("AGENT")), "{table}");
    assert!(table.contains(" claude ") && table.contains(" gemini "), "{table}");
    assert_eq!(records(&cx, &["--agent", "gemini"]).len(), 1);
    assert_eq!(records(&cx, &["--agent", "gemini", "--agent", "claude"]).len(), 2);
    let verbose = cx.run(["log", "-v", "--agent", "claude"]);
    assert!(verbose.contains("beforeShellExecution requested by claude, 1 hook found"), "{verbose}");
    assert!(cx.run(["log", "--agent", "clod"]).contains("invalid value"));
}

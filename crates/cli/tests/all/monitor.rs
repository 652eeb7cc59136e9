//! `"monitor": true`: a hook that is only watched.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::context::TestContext;

fn with(cx: &TestContext, event: &str, entry: Value) {
    let hooks = json!({ "version": 1, "hooks": { event: [entry] } });
    cx.write("home/.cursor/hooks.json", hooks.to_string());
}

fn traced(cx: &TestContext, event: &str, field: &str) -> (Option<i32>, Value) {
    let output = cx.output(["run", event, "--field", field, "--trace"]);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let trace = text.lines().find_map(|line| {
        serde_json::from_str::<Value>(line).ok().filter(|value| value.get("hooks").is_some())
    });
    (output.status.code(), trace.unwrap_or_else(|| panic!("no trace in {text}")))
}

#[test]
fn nothing_of_its_answer_takes_effect_and_what_it_would_have_done_is_told() {
    let says = |answer: &str| format!("echo '{answer}'");
    let cases = [
        ("a refusal", "preToolUse", says(r#"{"permission":"deny"}"#), "deny"),
        ("exit code 2", "preToolUse", "exit 2".to_owned(), "deny"),
        ("an ask", "preToolUse", says(r#"{"permission":"ask"}"#), "ask"),
        ("a rewrite", "preToolUse", says(r#"{"updated_input":{"command":"ls"}}"#), "rewrite"),
        ("an approval", "preToolUse", says(r#"{"permission":"allow"}"#), "allow"),
        ("a crash under failClosed", "preToolUse", "exit 7".to_owned(), "deny"),
        ("silence under failClosed", "preToolUse", "true".to_owned(), "deny"),
        ("a prompt held back", "beforeSubmitPrompt", says(r#"{"continue":false}"#), "deny"),
        ("a follow-up", "stop", says(r#"{"followup_message":"go on"}"#), "follow up"),
    ];
    for (name, event, command, would) in cases {
        let cx = TestContext::new();
        let closed = event != "stop";
        with(&cx, event, json!({ "command": command, "monitor": true, "failClosed": closed }));
        let (code, trace) = traced(&cx, event, "tool_name=Shell");
        assert_eq!(code, Some(0), "{name}: {trace}");
        assert_eq!(trace["blocked"], false, "{name}: {trace}");
        assert_eq!(trace["answer"], json!({}), "{name}");
        assert_eq!(trace["hooks"][0]["would"], would, "{name}: {trace}");
        let log = cx.run(["log", "--json"]);
        assert!(log.contains(&format!("\"would\":\"{would}\"")), "{name}: {log}");
        let list = cx.run(["log"]);
        assert!(list.contains(&format!("would {would}")), "{name}: {list}");
    }
}

#[test]
fn one_that_is_watched_keeps_no_other_from_refusing() {
    let cx = TestContext::new();
    let hooks = json!({ "version": 1, "hooks": { "beforeShellExecution": [
        { "command": "echo '{\"permission\":\"allow\"}'", "monitor": true },
        { "command": "echo '{\"permission\":\"deny\"}'" },
    ] } });
    cx.write("home/.cursor/hooks.json", hooks.to_string());
    let (code, trace) = traced(&cx, "beforeShellExecution", "command=ls");
    assert_eq!(code, Some(2), "{trace}");
    let list = cx.run(["list"]);
    assert!(list.contains("monitor: its answer is recorded and changes nothing"), "{list}");
}

#[test]
fn what_is_no_boolean_is_an_error() {
    let cx = TestContext::new();
    with(&cx, "stop", json!({ "command": "true", "monitor": "yes" }));
    let seen = cx.run(["check"]);
    assert!(
        seen.contains("`monitor` is a string, not a boolean") || seen.contains("`monitor` is text"),
        "{seen}"
    );
}

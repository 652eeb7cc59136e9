//! Every verdict has its exact answer.

use serde_json::{Value, json};

use super::{AGENT, calls, recorded, told};
use crate::agent::recorded::rewriting;
use crate::agent::{Reply, Verdict, Words};

fn answered(name: &str, verdict: Verdict) -> Value {
    let Reply { stdout, stderr, code } = (AGENT.encode_decision)(&recorded(name), &verdict);
    assert_eq!((stderr.as_str(), code), ("", 0));
    if stdout.is_empty() { Value::Null } else { serde_json::from_str(&stdout).expect("JSON") }
}

#[test]
fn every_verdict_has_its_exact_answer() {
    let refused = || Verdict::refusal("for the model", "for the person");
    let words = Words { model: "for the model".to_owned(), user: "for the person".to_owned() };
    let ask = Verdict { ask: Some(words), ..Verdict::default() };
    let approved = Verdict { approved: true, ..Verdict::default() };
    let context = || Verdict { context: Some("know this".to_owned()), ..Verdict::default() };
    let follow_up = Verdict { follow_up: Some("go on".to_owned()), ..Verdict::default() };
    let notice = || Verdict { notice: Some("look".to_owned()), ..Verdict::default() };
    let output = |value: Value| Verdict { output: Some(value), ..Verdict::default() };
    let input = json!({"command": "echo safe", "description": "Say hello"});
    let rewritten = rewriting(&AGENT, &recorded("pre-tool-use-bash"), &[input.as_object().cloned()]);
    let own = |event: &str, name: &str, value: Value| json!({"hookSpecificOutput": {"hookEventName": event, name: value}});
    let cases = [
        ("nothing to say", "pre-tool-use-bash", Verdict::default(), Value::Null),
        (
            "a call is refused",
            "pre-tool-use-bash",
            refused(),
            json!({"systemMessage": "for the person", "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "for the model"}}),
        ),
        (
            "the person is asked",
            "pre-tool-use-bash",
            ask,
            json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "for the person"}}),
        ),
        (
            "the prompt is skipped",
            "pre-tool-use-bash",
            approved,
            own("PreToolUse", "permissionDecision", json!("allow")),
        ),
        ("another input", "pre-tool-use-bash", rewritten, own("PreToolUse", "updatedInput", input)),
        (
            "context before a tool",
            "pre-tool-use-bash",
            context(),
            own("PreToolUse", "additionalContext", json!("know this")),
        ),
        ("a notice", "pre-tool-use-bash", notice(), json!({"systemMessage": "look"})),
        (
            "a refusal and a notice",
            "pre-tool-use-bash",
            Verdict { notice: Some("look".to_owned()), ..refused() },
            json!({"systemMessage": "for the person\nlook", "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "for the model"}}),
        ),
        (
            "a prompt is refused",
            "user-prompt-submit",
            refused(),
            json!({"decision": "block", "reason": "for the person"}),
        ),
        (
            "context with a prompt",
            "user-prompt-submit",
            context(),
            own("UserPromptSubmit", "additionalContext", json!("know this")),
        ),
        (
            "context at the start",
            "session-start-startup",
            context(),
            own("SessionStart", "additionalContext", json!("know this")),
        ),
        (
            "context after a tool",
            "post-tool-use-bash",
            context(),
            own("PostToolUse", "additionalContext", json!("know this")),
        ),
        (
            "context after a failure",
            "post-tool-use-failure-bash",
            context(),
            own("PostToolUseFailure", "additionalContext", json!("know this")),
        ),
        (
            "another output",
            "post-tool-use-mcp-mini-echo",
            output(json!("text")),
            own("PostToolUse", "updatedMCPToolOutput", json!("text")),
        ),
        (
            "a whole MCP result",
            "post-tool-use-mcp-mini-echo",
            output(json!({"content": [{"type": "text", "text": "x"}], "isError": false})),
            own("PostToolUse", "updatedMCPToolOutput", json!([{"type": "text", "text": "x"}])),
        ),
        ("a follow-up", "stop", follow_up.clone(), json!({"decision": "block", "reason": "go on"})),
        (
            "a follow-up of a subagent",
            "subagent-stop-in-subagent",
            follow_up,
            json!({"decision": "block", "reason": "go on"}),
        ),
        ("a message cannot be withheld", "stop", refused(), json!({"systemMessage": "for the person"})),
        ("before a compaction", "pre-compact-manual", notice(), json!({"systemMessage": "look"})),
        ("no context before a compaction", "pre-compact-manual", context(), Value::Null),
        ("the end", "session-end-other", notice(), json!({"systemMessage": "look"})),
    ];
    for (name, payload, verdict, expected) in cases {
        assert_eq!(answered(payload, verdict), expected, "{name}");
    }
}

#[test]
fn a_subagent_reads_context_at_its_end_once() {
    let context = Verdict { context: Some("know this".to_owned()), ..Verdict::default() };
    let expected =
        json!({"hookSpecificOutput": {"hookEventName": "SubagentStop", "additionalContext": "know this"}});
    assert_eq!(answered("subagent-stop-in-subagent", context.clone()), expected);
    let again = told(json!({"hook_event_name": "SubagentStop", "agent_id": "a", "stop_hook_active": true}));
    assert_eq!((AGENT.encode_decision)(&again, &context), Reply::silence());
}

#[test]
fn a_rewritten_notebook_keeps_its_names() {
    let input = json!({"notebook_path": "/n.ipynb", "new_source": "a"});
    let happening =
        told(json!({"hook_event_name": "PreToolUse", "tool_name": "NotebookEdit", "tool_input": input}));
    let mut wanted = calls(&happening)[0].input.clone();
    wanted.insert("new_string".to_owned(), json!("b"));
    let reply = (AGENT.encode_decision)(&happening, &rewriting(&AGENT, &happening, &[Some(wanted)]));
    let answer: Value = serde_json::from_str(&reply.stdout).expect("JSON");
    let expected = json!({"notebook_path": "/n.ipynb", "new_source": "b"});
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"], expected);
}

#[test]
fn what_is_not_understood_is_refused_where_that_holds_something_back() {
    let answer = json!({"decision": "block", "reason": "why", "systemMessage": "why"}).to_string();
    for event in [None, Some("PreToolUse"), Some("UserPromptSubmit"), Some("Later")] {
        let expected = Reply { stdout: answer.clone(), stderr: "why".to_owned(), code: 2 };
        assert_eq!((AGENT.refuse_blindly)(event, "why"), expected, "{event:?}");
    }
    for event in ["Stop", "SubagentStop", "PostToolUse", "SessionStart", "SessionEnd"] {
        let expected = Reply { stdout: json!({"systemMessage": "why"}).to_string(), ..Reply::default() };
        assert_eq!((AGENT.refuse_blindly)(Some(event), "why"), expected, "{event}");
    }
}

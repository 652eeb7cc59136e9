//! Payloads as Cursor's documentation shows them, and the answers it is given.

use serde_json::{Value, json};

use super::AGENT;
use crate::agent::recorded::decoded;
use crate::agent::{Happening, Moment, Reply, Told, ToolCall, ToolClass, Verdict, Words};
use crate::event::EVENTS;
use crate::input::Edit;
use crate::payload::Payload;

/// With the facts of every event, and stable when it is written again.
fn told(event: &str, own: Value) -> Happening {
    let mut payload = json!({"conversation_id": "c", "generation_id": "g", "model": "m", "hook_event_name": event,
        "cursor_version": "2.5.0", "workspace_roots": ["/p", "/q"], "transcript_path": "/t"});
    for (name, value) in own.as_object().expect("fields") {
        payload[name] = value.clone();
    }
    let happening = decoded(&AGENT, &Payload::of(&payload));
    assert_eq!(decoded(&AGENT, &(AGENT.encode_event)(&happening)), happening, "{event}");
    happening
}

fn call(tool: &str, input: Value) -> ToolCall {
    let Moment::BeforeTool { mut calls } =
        told("preToolUse", json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t"})).moment
    else {
        panic!("{tool}")
    };
    calls.remove(0)
}

#[test]
fn every_event_is_known() {
    let own = json!({"tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "{}", "prompt": "p",
        "text": "t", "status": "completed", "loop_count": 0, "reason": "completed", "trigger": "auto"});
    for spec in EVENTS {
        let happening = told(spec.name, own.clone());
        let heard = !matches!(happening.moment, Moment::Nothing(_));
        assert_eq!(heard, AGENT.listens.contains(&spec.name), "{}", spec.name);
    }
}

#[test]
fn the_facts_of_every_event_are_read() {
    let happening = told("preToolUse", json!({"tool_name": "Shell", "tool_input": {}, "cwd": "/p"}));
    assert_eq!((happening.session.as_deref(), happening.generation.as_deref()), (Some("c"), Some("g")));
    assert_eq!(happening.roots, ["/p", "/q"]);
}

#[test]
fn a_call_is_the_one_that_was_told() {
    let cases = [
        ("Shell", ToolClass::Shell),
        ("Read", ToolClass::Read),
        ("Write", ToolClass::Write),
        ("StrReplace", ToolClass::Write),
        ("Delete", ToolClass::Write),
        ("Task", ToolClass::Task),
        ("MCP:echo", ToolClass::Mcp),
        ("Grep", ToolClass::Other),
    ];
    for (tool, class) in cases {
        let input = json!({"path": "/a", "contents": "x"});
        let call = call(tool, input.clone());
        assert_eq!((call.name.as_str(), call.class, Value::Object(call.input)), (tool, class, input));
    }
    let edit = Edit { old_string: String::new(), new_string: "x".to_owned() };
    assert_eq!(call("Write", json!({"path": "/a", "contents": "x"})).edits, [("/a".to_owned(), vec![edit])]);
}

#[test]
fn what_is_its_own_is_read() {
    let after = told(
        "postToolUse",
        json!({"tool_name": "Shell", "tool_input": {"command": "ls"},
        "tool_output": "{\"output\":\"a\",\"exitCode\":0}", "duration": 12.5}),
    );
    let Moment::AfterTool { output, .. } = after.moment else { panic!("after") };
    assert_eq!(
        (output.text.as_deref(), output.exit_code, output.duration_ms),
        (Some("a"), Some(0), Some(12.5))
    );
    let failed = told(
        "postToolUseFailure",
        json!({"tool_name": "Shell", "tool_input": {}, "error_message": "no",
        "failure_type": "permission_denied", "is_interrupt": true, "duration": 1}),
    );
    let Moment::ToolFailed { failing, .. } = failed.moment else { panic!("failed") };
    assert_eq!(
        (failing.kind, failing.interrupted, failing.message.as_str()),
        ("permission_denied", true, "no")
    );
    let stop =
        told("stop", json!({"status": "aborted", "loop_count": 2, "input_tokens": 3, "output_tokens": 4}));
    let Moment::Stop(ending) = stop.moment else { panic!("stop") };
    assert_eq!((ending.status, ending.looping, ending.tokens), ("aborted", true, Some((3, 4))));
    let subagent = told(
        "subagentStop",
        json!({"subagent_id": "s", "subagent_type": "explore", "status": "completed",
        "summary": "done"}),
    );
    assert_eq!(subagent.subagent.and_then(|subagent| subagent.kind).as_deref(), Some("explore"));
}

#[test]
fn answers_carry_the_fields_of_their_event() {
    let words = || Words { model: "model".to_owned(), user: "person".to_owned() };
    let everything = Verdict {
        refused: None,
        ask: None,
        approved: true,
        input: json!({"command": "safe"}).as_object().cloned(),
        context: Some("know".to_owned()),
        output: Some(json!("other")),
        follow_up: Some("go on".to_owned()),
        env: vec![("A".to_owned(), "b".to_owned())],
        notice: Some("look".to_owned()),
        cancel_refused: false,
    };
    let refused = Verdict { refused: Some(words()), approved: false, input: None, ..everything.clone() };
    let call = json!({"tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "{}"});
    let cases = [
        (
            "preToolUse",
            &everything,
            json!({"permission": "allow", "user_message": "look", "updated_input": {"command": "safe"}, "additional_context": "know"}),
            0,
        ),
        (
            "preToolUse",
            &refused,
            json!({"permission": "deny", "user_message": "person\nlook", "agent_message": "model", "additional_context": "know"}),
            0,
        ),
        (
            "beforeSubmitPrompt",
            &refused,
            json!({"continue": false, "user_message": "person\nlook", "additional_context": "know"}),
            0,
        ),
        (
            "postToolUse",
            &everything,
            json!({"additional_context": "know", "updated_mcp_tool_output": "other"}),
            0,
        ),
        ("stop", &everything, json!({"followup_message": "go on"}), 0),
        ("sessionStart", &everything, json!({"env": {"A": "b"}, "additional_context": "know"}), 0),
        ("preCompact", &everything, json!({"user_message": "look"}), 0),
        ("afterAgentResponse", &refused, json!({"permission": "deny", "user_message": "person\nlook"}), 2),
    ];
    for (event, verdict, expected, code) in cases {
        let mut own = call.clone();
        own["prompt"] = json!("p");
        own["text"] = json!("t");
        let reply = (AGENT.encode_decision)(&told(event, own), verdict);
        assert_eq!(serde_json::from_str::<Value>(&reply.stdout).expect("JSON"), expected, "{event}");
        assert_eq!(reply.code, code, "{event}");
        assert_eq!(reply.stderr == "look", !expected.to_string().contains("look"), "{event}");
    }
    let nothing = (AGENT.encode_decision)(&told("beforeShellExecution", json!({"command": "ls"})), &refused);
    assert_eq!(nothing, Reply::silence());
}

#[test]
fn what_is_not_understood_is_refused_at_gates() {
    for (event, code) in
        [(None, 2), (Some("preToolUse"), 2), (Some("beforeSubmitPrompt"), 2), (Some("stop"), 0)]
    {
        let reply = (AGENT.refuse_blindly)(event, "why");
        assert_eq!((reply.code, reply.stderr.as_str(), reply.stdout.is_empty()), (code, "why", code == 0));
    }
    let payload = Payload::of(&json!({"hook_event_name": "preToolUse"}));
    let error = (AGENT.decode_event)(&Told { event: None, payload }).expect_err("no tool");
    assert_eq!(error.to_string(), "preToolUse came without a text in `tool_name`");
}

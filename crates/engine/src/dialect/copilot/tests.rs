//! Copilot CLI, held to what it really sent.

use serde_json::{Map, Value, json};

use super::AGENT;
use crate::agent::recorded::{payloads, rewriting};
use crate::agent::{Happening, Moment, Reply, Told, ToolClass, Verdict, Words};
use crate::payload::Payload;

/// The event is in the file's name: `04-preToolUse-shell`. Payloads in
/// Copilot's other form, which names events as Claude Code does, are left out.
fn told(name: &str, payload: &Payload) -> Option<Told> {
    let known = |word: &&str| super::events::ROWS.iter().any(|row| row.name == *word);
    let event = name.split('-').find(known)?;
    Some(Told { event: Some(event.to_owned()), payload: payload.clone() })
}

fn recorded(wanted: &str) -> Happening {
    let (name, payload) =
        payloads("copilot").into_iter().find(|(name, _)| name.starts_with(wanted)).expect(wanted);
    (AGENT.decode_event)(&told(&name, &payload).expect("an event's name")).expect(wanted)
}

fn decoded(event: &str, payload: Value) -> Happening {
    let told = Told { event: Some(event.to_owned()), payload: Payload::of(&payload) };
    (AGENT.decode_event)(&told).expect(event)
}

#[test]
fn every_recorded_payload_is_understood_and_means_the_same_when_written_again() {
    let mut count = 0;
    for (name, payload) in payloads("copilot") {
        let Some(first) = told(&name, &payload) else { continue };
        let happening = (AGENT.decode_event)(&first).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = Told { payload: (AGENT.encode_event)(&happening), ..first };
        assert_eq!((AGENT.decode_event)(&again), Ok(happening), "{name}");
        count += 1;
    }
    assert!(count > 30, "{count} payloads");
}

#[test]
fn tools_become_calls_of_ours() {
    let cases: [(&str, &str, ToolClass, Value); 7] = [
        ("04-", "Shell", ToolClass::Shell, json!("echo hello")),
        ("10-", "Read", ToolClass::Read, json!("/home/me/project/notes.txt")),
        ("12-", "Write", ToolClass::Write, json!("/home/me/project/new.txt")),
        ("15-", "Write", ToolClass::Write, json!("/home/me/project/notes.txt")),
        ("17-", "MCP:echo", ToolClass::Mcp, json!("hi mcp")),
        ("23-", "Task", ToolClass::Task, json!("general-purpose")),
        ("27-", "Shell", ToolClass::Shell, json!("echo in-sub")),
    ];
    for (name, tool, class, says) in cases {
        let happening = recorded(name);
        let Moment::BeforeTool { calls } = &happening.moment else { panic!("{name}: {happening:?}") };
        assert_eq!((calls[0].name.as_str(), calls[0].class, calls.len()), (tool, class, 1), "{name}");
        let field = match class {
            ToolClass::Shell => "command",
            ToolClass::Mcp => "text",
            ToolClass::Task => "subagent_type",
            _ => "file_path",
        };
        assert_eq!(calls[0].input[field], says, "{name}");
    }
    let Moment::BeforeTool { calls } = recorded("15-").moment else { panic!("an edit") };
    assert_eq!(calls[0].edits[0].1[0].new_string, "gamma");
    assert_eq!(recorded("17-").call.expect("a call").name, "mini-echo");
}

#[test]
fn a_subagent_belongs_to_the_conversation_and_its_prompt_is_not_the_users() {
    let session = recorded("04-").session;
    for name in ["25-", "27-", "29-", "30-", "31-"] {
        let happening = recorded(name);
        assert_eq!(happening.session, session, "{name}");
        assert!(happening.subagent.is_some(), "{name}");
    }
    assert!(matches!(recorded("25-").moment, Moment::Nothing(_)));
    assert!(matches!(recorded("30-").moment, Moment::Nothing(_)));
    let Moment::SubagentStop(ending) = recorded("31-").moment else { panic!("a subagent's end") };
    assert_eq!(ending.message.as_deref(), Some("two files"));
    assert!(matches!(recorded("33-").moment, Moment::Stop(_)));
    assert_eq!(recorded("02-").moment, Moment::Prompt { text: "MAINTASK please do it".to_owned() });
}

#[test]
fn the_exit_code_stands_in_the_last_line() {
    let cases = [
        ("a\n<shellId: 0 completed with exit code 0>", Some("a"), Some(0)),
        ("err\nout\n<shellId: 1 completed with exit code 3>", Some("err\nout"), Some(3)),
        ("<shellId: x completed with exit code -1>\n", Some(""), Some(-1)),
        (
            "<shellId: 0 completed with exit code 0>\nmore",
            Some("<shellId: 0 completed with exit code 0>\nmore"),
            None,
        ),
        ("started in the background", Some("started in the background"), None),
    ];
    for (text, printed, code) in cases {
        let result = json!({"resultType": "success", "textResultForLlm": text});
        let payload = json!({"toolName": "bash", "toolArgs": {"command": "x"}, "toolResult": result});
        let Moment::AfterTool { output, .. } = decoded("postToolUse", payload).moment else {
            panic!("{text}")
        };
        assert_eq!((output.text.as_deref(), output.exit_code), (printed, code), "{text}");
    }
}

#[test]
fn input_that_is_text_is_read_too() {
    let of = |tool: &str, args: Value| decoded("preToolUse", json!({"toolName": tool, "toolArgs": args}));
    let Moment::BeforeTool { calls } = of("bash", json!(r#"{"command":"ls"}"#)).moment else {
        panic!("shell")
    };
    assert_eq!(calls[0].input["command"], "ls");
    let patch = "*** Begin Patch\n*** Add File: .env\n+x\n*** Delete File: b\n*** End Patch";
    let happening = of("apply_patch", json!(patch));
    let Moment::BeforeTool { calls } = &happening.moment else { panic!("a patch") };
    let paths: Vec<_> =
        calls.iter().map(|call| (call.name.as_str(), call.input["file_path"].as_str())).collect();
    assert_eq!(paths, [("Write", Some(".env")), ("Delete", Some("b"))]);
    assert_eq!((AGENT.encode_event)(&happening).text("toolArgs").as_deref(), Some(patch));
    let typed = of("write_bash", json!({"shellId": "0", "input": "rm x"}));
    let Moment::BeforeTool { calls } = typed.moment else { panic!("typed") };
    assert_eq!((calls[0].class, &calls[0].input["command"]), (ToolClass::Shell, &json!("rm x")));
}

#[test]
fn what_is_not_understood_says_what_to_write_instead() {
    let told = |event: Option<&str>, payload: Value| {
        let told = Told { event: event.map(str::to_owned), payload: Payload::of(&payload) };
        (AGENT.decode_event)(&told).expect_err("not understood").to_string()
    };
    assert!(told(None, json!({})).contains("boathook agent hook copilot preToolUse"));
    assert!(told(Some("preToolUse"), json!({})).contains("toolName"));
    assert!(told(Some("PreToolUse"), json!({})).contains("preToolUse"));
    assert!(told(Some("preToolUse"), json!({"toolName": "bash", "toolArgs": [1]})).contains("toolArgs"));
}

#[test]
fn answers_are_flat_and_whole() {
    let words = Words { model: "no\n\"x\"".to_owned(), user: "you may not".to_owned() };
    let refused = Verdict { refused: Some(words.clone()), ..Verdict::default() };
    let rewrite = |from: &str, input: Value| {
        let input: Map<String, Value> = serde_json::from_value(input).expect("an object");
        rewriting(&AGENT, &recorded(from), &[Some(input)])
    };
    let context = Verdict { context: Some("know this".to_owned()), ..Verdict::default() };
    let follow = Verdict { follow_up: Some("go on".to_owned()), ..Verdict::default() };
    let output = Verdict {
        output: Some(json!({"content": [{"type": "text", "text": "less"}]})),
        ..Verdict::default()
    };
    let cases = [
        ("nothing", "04-", Verdict::default(), json!(null)),
        (
            "deny",
            "04-",
            refused.clone(),
            json!({"permissionDecision": "deny", "permissionDecisionReason": "no\n\"x\""}),
        ),
        (
            "ask",
            "04-",
            Verdict { ask: Some(words), ..Verdict::default() },
            json!({"permissionDecision": "ask", "permissionDecisionReason": "you may not"}),
        ),
        (
            "allow",
            "04-",
            Verdict { approved: true, ..Verdict::default() },
            json!({"permissionDecision": "allow"}),
        ),
        (
            "rewrite",
            "15-",
            rewrite("15-", json!({"file_path": "/x", "old_string": "a", "new_string": "b"})),
            json!({"modifiedArgs": {"path": "/x", "old_str": "a", "new_str": "b"}}),
        ),
        ("context", "04-", context.clone(), json!({"additionalContext": "know this"})),
        ("context after", "06-", context.clone(), json!({"additionalContext": "know this"})),
        ("context at the start", "01-", context, json!({"additionalContext": "know this"})),
        (
            "output",
            "20-",
            output,
            json!({"modifiedResult": {"resultType": "success", "textResultForLlm": "less"}}),
        ),
        ("prompt", "02-", refused.clone(), json!({"decision": "block", "reason": "you may not"})),
        ("a subagent's prompt", "25-", refused, json!(null)),
        ("follow-up", "33-", follow.clone(), json!({"decision": "block", "reason": "go on"})),
        ("a subagent's follow-up", "31-", follow.clone(), json!({"decision": "block", "reason": "go on"})),
        ("no follow-up elsewhere", "30-", follow, json!(null)),
    ];
    for (name, from, verdict, expected) in cases {
        let reply = (AGENT.encode_decision)(&recorded(from), &verdict);
        let stdout = if reply.stdout.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&reply.stdout).expect(name)
        };
        assert_eq!((stdout, reply.code, reply.stderr.as_str()), (expected, 0, ""), "{name}");
    }
}

#[test]
fn a_patch_that_a_hook_wants_otherwise_does_not_run() {
    let payload =
        json!({"toolName": "apply_patch", "toolArgs": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"});
    let happening = decoded("preToolUse", payload);
    let verdict = rewriting(&AGENT, &happening, &[Some(Map::new())]);
    let reply = (AGENT.encode_decision)(&happening, &verdict);
    assert!(reply.stdout.starts_with(r#"{"permissionDecision":"deny""#), "{}", reply.stdout);
}

#[test]
fn a_blind_refusal_never_sends_the_agent_on() {
    let said = |event: Option<&str>| (AGENT.refuse_blindly)(event, "why");
    let deny = r#"{"permissionDecision":"deny","permissionDecisionReason":"why"}"#;
    let cases = [
        (None, deny),
        (Some("preToolUse"), deny),
        (Some("agentStop"), deny),
        (Some("userPromptSubmitted"), r#"{"decision":"block","reason":"why"}"#),
    ];
    for (event, expected) in cases {
        assert_eq!(said(event), Reply { stdout: expected.to_owned(), ..Reply::default() }, "{event:?}");
    }
}

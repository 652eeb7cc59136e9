//! OpenCode, held to what it really gave its plugins.

use serde_json::{Map, Value, json};

use super::AGENT;
use crate::agent::recorded::{assert_stable, decoded, payloads, rewriting};
use crate::agent::{Happening, Moment, Told, ToolClass, Verdict, Words};
use crate::payload::Payload;

fn recorded(wanted: &str) -> Happening {
    let (_, payload) =
        payloads("opencode").into_iter().find(|(name, _)| name.starts_with(wanted)).expect(wanted);
    decoded(&AGENT, &payload)
}

/// What was recorded, with what the plugin adds.
fn with(wanted: &str, more: Value) -> Happening {
    let (_, mut payload) =
        payloads("opencode").into_iter().find(|(name, _)| name.starts_with(wanted)).expect(wanted);
    for (name, value) in more.as_object().expect("an object") {
        payload.set(name, value);
    }
    let happening = decoded(&AGENT, &payload);
    assert_eq!(decoded(&AGENT, &(AGENT.encode_event)(&happening)), happening, "{wanted}");
    happening
}

#[test]
fn every_recorded_payload_is_understood_and_means_the_same_when_written_again() {
    assert_stable(&AGENT);
}

#[test]
fn tools_become_calls_of_ours() {
    let cases: [(&str, &str, ToolClass, &str, &str); 6] = [
        ("10-", "Shell", ToolClass::Shell, "command", "echo hello"),
        ("21-", "Read", ToolClass::Read, "file_path", "/home/me/project/notes.txt"),
        ("26-", "Write", ToolClass::Write, "content", "one\n"),
        ("33-", "Write", ToolClass::Write, "new_string", "gamma"),
        ("38-", "MCP:echo", ToolClass::Mcp, "text", "hi mcp"),
        ("46-", "Task", ToolClass::Task, "subagent_type", "general"),
    ];
    for (name, tool, class, field, says) in cases {
        let happening = recorded(name);
        let Moment::BeforeTool { calls } = &happening.moment else { panic!("{name}: {happening:?}") };
        assert_eq!((calls[0].name.as_str(), calls[0].class, calls.len()), (tool, class, 1), "{name}");
        assert_eq!(calls[0].input[field], says, "{name}");
    }
    let Moment::AfterTool { output, .. } = recorded("18-").moment else { panic!("a command that failed") };
    assert_eq!((output.text.as_deref(), output.exit_code), (Some("out\nerr\n"), Some(3)));
    let Moment::ToolFailed { failing, .. } = recorded("44-").moment else { panic!("a read that failed") };
    assert_eq!(failing.message, "File not found: /home/me/project/missing.txt");
    assert_eq!((failing.kind, failing.duration_ms), ("error", Some(40.0)));
}

#[test]
fn every_tool_that_is_not_its_own_counts_as_a_servers() {
    let class = |tool: &str| {
        let payload = json!({"hook": "tool.execute.before", "input": {"tool": tool}, "output": {"args": {"patchText": "x"}}});
        match decoded(&AGENT, &Payload::of(&payload)).moment {
            Moment::BeforeTool { calls } => (calls[0].name.clone(), calls[0].class),
            other => panic!("{tool}: {other:?}"),
        }
    };
    let cases = [
        ("my_server_do_it", "MCP:server_do_it", ToolClass::Mcp),
        ("apply_patch", "Write", ToolClass::Write),
        ("plan_exit", "plan_exit", ToolClass::Other),
        ("todowrite", "todowrite", ToolClass::Other),
    ];
    for (tool, name, is) in cases {
        assert_eq!(class(tool), (name.to_owned(), is), "{tool}");
    }
}

#[test]
fn the_plugin_says_whose_session_and_whose_prompt_it_is() {
    let main = json!({"session": {"id": "a", "root": "a", "model": "p/m", "turn": "t"}, "directory": "/p", "worktree": "/p"});
    let happening = with("03-", main);
    assert_eq!(happening.moment, Moment::Prompt { text: "\"MAINTASK please do it\"".to_owned() });
    assert_eq!((happening.session.as_deref(), happening.subagent), (Some("a"), None));
    assert_eq!((happening.model.as_deref(), happening.generation.as_deref()), (Some("p/m"), Some("t")));
    let sub = json!({"session": {"id": "b", "root": "a", "agent": "general"}});
    for name in ["03-", "47-", "50-", "52-"] {
        let happening = with(name, sub.clone());
        assert_eq!(happening.session.as_deref(), Some("a"), "{name}");
        let subagent = happening.subagent.expect(name);
        assert_eq!((subagent.id.as_str(), subagent.kind.as_deref()), ("b", Some("general")), "{name}");
    }
    assert!(matches!(with("03-", sub.clone()).moment, Moment::Nothing(_)));
    assert!(matches!(with("47-", json!({})).moment, Moment::Nothing(_)));
    assert!(matches!(with("03-", json!({"automatic": true})).moment, Moment::Nothing(_)));
    let Moment::SubagentStop(ending) =
        with("57-", json!({"session": {"id": "b", "root": "a"}, "text": "two"})).moment
    else {
        panic!("a subagent's end")
    };
    assert_eq!(ending.message.as_deref(), Some("two"));
    let Moment::Stop(ending) = with("57-", json!({"error": "MessageAbortedError", "looping": true})).moment
    else {
        panic!("an end")
    };
    assert_eq!((ending.status, ending.looping, ending.message), ("aborted", true, None));
    let Moment::ToolFailed { failing, .. } = with("44-", json!({"refused": true})).moment else {
        panic!("refused")
    };
    assert_eq!(failing.kind, "permission_denied");
}

#[test]
fn synthetic_text_is_not_what_the_user_typed() {
    let parts = json!([
        {"type": "text", "text": "look at @x"},
        {"type": "text", "text": "content of x", "synthetic": true},
        {"type": "file", "url": "file:///x"},
    ]);
    let payload = json!({"hook": "chat.message", "input": {"sessionID": "a"}, "output": {"parts": parts}});
    assert_eq!(
        decoded(&AGENT, &Payload::of(&payload)).moment,
        Moment::Prompt { text: "look at @x".to_owned() }
    );
}

#[test]
fn thinking_is_told_when_it_is_over() {
    let part = |time: Value| {
        let part = json!({"type": "reasoning", "text": "hm", "time": time});
        let payload =
            json!({"hook": "event.message.part.updated", "input": {"event": {"properties": {"part": part}}}});
        decoded(&AGENT, &Payload::of(&payload)).moment
    };
    assert!(matches!(part(json!({"start": 5})), Moment::Nothing(_)));
    let thought = Moment::Thought { text: "hm".to_owned(), duration_ms: Some(4.0) };
    assert_eq!(part(json!({"start": 5, "end": 9})), thought);
}

#[test]
fn what_is_not_understood_says_why() {
    let error = |payload: Value| {
        let told = Told { event: None, payload: Payload::of(&payload) };
        (AGENT.decode_event)(&told).expect_err("not understood").to_string()
    };
    assert!(error(json!({})).contains("`hook`"));
    assert!(error(json!({"hook": "tool.execute.before"})).contains("`tool`"));
    let text = json!({"hook": "tool.execute.before", "input": {"tool": "bash"}, "output": {"args": "ls"}});
    assert_eq!(error(text), "the input of bash is not a JSON object");
    assert!(error(json!({"hook": "chat.message"})).contains("`output.parts`"));
}

#[test]
fn the_plugin_is_told_in_its_own_words() {
    let words = Words { model: "no".to_owned(), user: "you may not".to_owned() };
    let refused = Verdict { refused: Some(words.clone()), ..Verdict::default() };
    let rewrite = |from: &str, input: Value| {
        let input: Map<String, Value> = serde_json::from_value(input).expect("an object");
        rewriting(&AGENT, &recorded(from), &[Some(input)])
    };
    let start = Verdict {
        context: Some("know".to_owned()),
        env: vec![("A".to_owned(), "b c".to_owned())],
        notice: Some("look".to_owned()),
        ..Verdict::default()
    };
    let cases = [
        ("nothing", "10-", Verdict::default(), json!(null)),
        ("deny", "10-", refused.clone(), json!({"refuse": "no"})),
        ("ask", "10-", Verdict { ask: Some(words), ..Verdict::default() }, json!({"refuse": "no"})),
        ("prompt", "03-", refused, json!({"refuse": "you may not"})),
        (
            "rewrite",
            "33-",
            rewrite("33-", json!({"file_path": "/x", "old_string": "a", "new_string": "b"})),
            json!({"args": {"filePath": "/x", "oldString": "a", "newString": "b"}}),
        ),
        ("start", "02-", start, json!({"context": "know", "env": {"A": "b c"}, "notice": "look"})),
        (
            "follow-up",
            "57-",
            Verdict { follow_up: Some("go on".to_owned()), ..Verdict::default() },
            json!({"follow_up": "go on"}),
        ),
        (
            "output",
            "40-",
            Verdict { output: Some(json!({"content": []})), ..Verdict::default() },
            json!({"output": {"content": []}}),
        ),
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
    assert_eq!((AGENT.refuse_blindly)(None, "why").stdout, r#"{"refuse":"why"}"#);
}

#[test]
fn a_patch_is_rewritten_or_refused() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n";
    let payload = json!({"hook": "tool.execute.before", "input": {"tool": "apply_patch"}, "output": {"args": {"patchText": patch}}});
    let happening = decoded(&AGENT, &Payload::of(&payload));
    let said = |input: Value| {
        let input: Map<String, Value> = serde_json::from_value(input).expect("an object");
        let verdict = rewriting(&AGENT, &happening, &[Some(input)]);
        (AGENT.encode_decision)(&happening, &verdict).stdout
    };
    let other = said(json!({"file_path": "a", "content": "y\n"}));
    assert!(other.starts_with(r#"{"args":{"patchText":"#) && other.contains("+y"), "{other}");
    assert!(said(json!({"strange": 1})).starts_with(r#"{"refuse":"#));
}

#[test]
fn several_calls_in_one_are_asked_about_one_by_one() {
    let told = |args: Value| {
        let payload =
            json!({"hook": "tool.execute.before", "input": {"tool": "batch"}, "output": {"args": args}});
        (AGENT.decode_event)(&Told { event: None, payload: Payload::of(&payload) })
    };
    let list = json!([
        {"tool": "bash", "parameters": {"command": "ls"}},
        {"tool": "read", "parameters": {"filePath": "/p/.env"}},
        {"tool": "mini_echo", "parameters": {}},
    ]);
    let Moment::BeforeTool { calls } = told(json!({"tool_calls": list})).expect("a batch").moment else {
        panic!("a call")
    };
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["Shell", "Read", "MCP:echo"]);
    assert_eq!(calls[1].input["file_path"], "/p/.env");
    let unclear = [
        json!({}),
        json!({"tool_calls": "x"}),
        json!({"tool_calls": [{"parameters": {}}]}),
        json!({"tool_calls": [{"tool": "bash", "parameters": "ls"}]}),
        json!({"tool_calls": [{"tool": "batch", "parameters": {}}]}),
    ];
    for args in unclear {
        assert!(told(args.clone()).is_err(), "{args}");
    }
}

#[test]
fn a_prompt_is_what_the_user_gave_in_whatever_part() {
    let text = |parts: Value| {
        let payload = json!({"hook": "chat.message", "output": {"parts": parts}});
        match decoded(&AGENT, &Payload::of(&payload)).moment {
            Moment::Prompt { text } => text,
            other => panic!("{other:?}"),
        }
    };
    let read = json!({"type": "text", "text": "a file", "synthetic": true});
    let typed = json!({"type": "text", "text": "look"});
    let command = json!({"type": "subtask", "prompt": "review it", "description": "x", "agent": "general"});
    assert_eq!(text(json!([typed, read])), "look");
    assert_eq!(text(json!([command])), "review it");
    assert_eq!(text(json!([read])), "a file", "in doubt it is asked about");
}

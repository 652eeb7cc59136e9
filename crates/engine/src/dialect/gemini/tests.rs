//! What Gemini CLI really sent, and what it is answered.

use serde_json::{Map, Value, json};

use super::AGENT;
use crate::agent::recorded;
use crate::agent::{Happening, Moment, Reply, Told, ToolCall, ToolClass, Verdict, Words};
use crate::payload::Payload;

fn decode(payload: &str) -> Happening {
    let payload = Payload::parse(payload.as_bytes()).expect(payload);
    (AGENT.decode_event)(&Told { event: None, payload }).expect("understood")
}

fn before(name: &str, input: Value) -> Happening {
    let payload =
        json!({"session_id": "s", "hook_event_name": "BeforeTool", "tool_name": name, "tool_input": input});
    decode(&payload.to_string())
}

fn after(name: &str, response: Value) -> Happening {
    let payload = json!({"hook_event_name": "AfterTool", "tool_name": name, "tool_input": {}, "tool_response": response});
    decode(&payload.to_string())
}

fn calls(happening: &Happening) -> &[ToolCall] {
    match &happening.moment {
        Moment::BeforeTool { calls } | Moment::AfterTool { calls, .. } => calls,
        other => panic!("{other:?}"),
    }
}

fn answer(happening: &Happening, verdict: &Verdict) -> String {
    let Reply { stdout, stderr, code } = (AGENT.encode_decision)(happening, verdict);
    assert_eq!((stderr.as_str(), code), ("", 0));
    stdout
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

#[test]
fn everything_gemini_sent_is_understood_and_can_be_told_again() {
    let payloads = recorded::payloads(AGENT.name);
    assert!(payloads.len() >= 30, "{} payloads", payloads.len());
    for (name, payload) in payloads {
        let happening = recorded::decoded(&AGENT, &payload);
        let slug = name.split_once('-').map_or("", |(_, slug)| slug);
        let expected = match &happening.moment {
            Moment::SessionStart { .. } => "session-start",
            Moment::SessionEnd { .. } => "session-end",
            Moment::Prompt { .. } => "before-agent",
            Moment::BeforeTool { calls } => {
                assert!(!calls.is_empty(), "{name}");
                "before-tool"
            }
            Moment::AfterTool { .. } => "after-tool",
            Moment::ToolFailed { .. } => {
                assert!(payload.to_json().contains("\"error\""), "{name}");
                "after-tool"
            }
            Moment::Stop(_) => "after-agent",
            Moment::Compact { .. } => "pre-compress-manual",
            Moment::Nothing(_) if slug.starts_with("pre-compress") => "pre-compress-auto",
            Moment::Nothing(_) if slug.starts_with("after-model") => "after-model",
            Moment::Nothing(_) if slug.starts_with("notification") => "notification",
            Moment::Nothing(_) if slug.starts_with("before-model") => "before-model",
            Moment::Nothing(_) => "before-tool-selection",
            Moment::SubagentStop(_) | Moment::Response { .. } | Moment::Thought { .. } => {
                "nothing Gemini tells"
            }
        };
        assert!(slug.starts_with(expected), "{name}: {:?}", happening.moment);
        assert!(happening.session.is_some() && happening.cwd.is_some(), "{name}");
    }
    recorded::assert_stable(&AGENT);
}

#[test]
fn a_pattern_of_files_is_not_understood() {
    for input in [
        json!({"include": ["a", "*.e*"]}),
        json!({"paths": ["?"]}),
        json!({"include": "a"}),
        json!({"include": [1]}),
    ] {
        let payload =
            json!({"hook_event_name": "BeforeTool", "tool_name": "read_many_files", "tool_input": input});
        let told = Told { event: None, payload: Payload::of(&payload) };
        assert!((AGENT.decode_event)(&told).is_err(), "{input}");
    }
}

#[test]
fn a_call_is_what_it_does() {
    let cases = [
        (
            "run_shell_command",
            json!({"command": "ls", "dir_path": "sub"}),
            vec![("Shell", json!({"command": "ls", "working_directory": "sub"}))],
        ),
        ("read_file", json!({"file_path": "a"}), vec![("Read", json!({"file_path": "a"}))]),
        ("read_file", json!({"absolute_path": "/a"}), vec![("Read", json!({"file_path": "/a"}))]),
        (
            "read_many_files",
            json!({"include": ["a", "b/c"]}),
            vec![
                ("Read", json!({"include": ["a", "b/c"], "file_path": "a"})),
                ("Read", json!({"include": ["a", "b/c"], "file_path": "b/c"})),
            ],
        ),
        ("read_many_files", json!({}), vec![("Read", json!({}))]),
        (
            "grep_search",
            json!({"pattern": "x", "dir_path": "s"}),
            vec![("Grep", json!({"pattern": "x", "path": "s"}))],
        ),
        ("search_file_content", json!({"pattern": "x"}), vec![("Grep", json!({"pattern": "x"}))]),
        (
            "invoke_agent",
            json!({"agent_name": "generalist", "prompt": "count"}),
            vec![("Task", json!({"subagent_type": "generalist", "prompt": "count"}))],
        ),
        (
            "codebase_investigator",
            json!({"objective": "look"}),
            vec![("Task", json!({"prompt": "look", "subagent_type": "codebase_investigator"}))],
        ),
        ("mcp_mini_echo", json!({"text": "hi"}), vec![("MCP:echo", json!({"text": "hi"}))]),
        ("write_todos", json!({"todos": []}), vec![("write_todos", json!({"todos": []}))]),
    ];
    for (name, input, expected) in cases {
        let happening = before(name, input.clone());
        let found = calls(&happening).iter();
        let found: Vec<_> = found.map(|call| (&*call.name, Value::Object(call.input.clone()))).collect();
        assert_eq!(found, expected, "{name} {input}");
    }
}

#[test]
fn edits_and_servers_are_told() {
    let written = before("write_file", json!({"file_path": "/a", "content": "x\n"}));
    let replaced = before(
        "replace",
        json!({"file_path": "/a", "instruction": "i", "old_string": "b", "new_string": "c"}),
    );
    for (happening, old, new) in [(written, "", "x\n"), (replaced, "b", "c")] {
        let call = &calls(&happening)[0];
        assert_eq!((call.name.as_str(), call.class), ("Write", ToolClass::Write));
        let [(path, edits)] = call.edits.as_slice() else { panic!("{:?}", call.edits) };
        assert_eq!((path.as_str(), &*edits[0].old_string, &*edits[0].new_string), ("/a", old, new));
    }
    let payload = json!({"hook_event_name": "BeforeTool", "tool_name": "mcp_my_server_do_it", "tool_input": {},
        "mcp_context": {"server_name": "my_server", "tool_name": "do_it", "command": "npx", "args": ["-y", "it"]}});
    let happening = decode(&payload.to_string());
    let call = &calls(&happening)[0];
    let server = call.server.clone().expect("a server");
    assert_eq!((&*call.name, call.class), ("MCP:do_it", ToolClass::Mcp));
    assert_eq!(
        (&*server.name, server.command.as_deref(), server.url),
        ("my_server", Some("npx -y it"), None)
    );
}

#[test]
fn how_a_tool_ended_is_read_from_what_gemini_says() {
    let code = |content: &str| match after("run_shell_command", json!({"llmContent": content})).moment {
        Moment::AfterTool { output, .. } => (output.text, output.exit_code),
        other => panic!("{other:?}"),
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        code(
            "<untrusted_context>\nOutput: out\nerr\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>"
        ),
        (text("out\nerr"), Some(3))
    );
    assert_eq!(code("Output: (empty)\nProcess Group PGID: 1"), (text(""), Some(0)));
    let failing = |response: Value| match after("run_shell_command", response).moment {
        Moment::ToolFailed { failing, .. } => (failing.message, failing.kind, failing.interrupted),
        other => panic!("{other:?}"),
    };
    let cut =
        "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.";
    let cases = [
        (
            json!({"llmContent": "x", "error": {"message": "gone", "type": "file_not_found"}}),
            ("gone", "error", false),
        ),
        (
            json!({"llmContent": "x", "error": {"type": "policy_violation"}}),
            ("x", "permission_denied", false),
        ),
        (json!({"llmContent": cut}), (cut, "timeout", false)),
        (
            json!({"llmContent": "Command was cancelled by user before"}),
            ("Command was cancelled by user before", "error", true),
        ),
    ];
    for (response, (message, kind, interrupted)) in cases {
        assert_eq!(failing(response.clone()), (message.to_owned(), kind, interrupted), "{response}");
        let happening = after("run_shell_command", response);
        assert_eq!(decode(&(AGENT.encode_event)(&happening).to_json()), happening);
    }
}

#[test]
fn an_answer_is_flat() {
    let words = Words { model: "no".to_owned(), user: "why".to_owned() };
    let refused = Verdict { refused: Some(words.clone()), ..Verdict::default() };
    let told = |context: &str| Verdict { context: Some(context.to_owned()), ..Verdict::default() };
    let noticed = Verdict { notice: Some("look".to_owned()), ..Verdict::default() };
    let onward = Verdict { follow_up: Some("go on".to_owned()), ..Verdict::default() };
    let output = Verdict { output: Some(json!("x")), ..told("c") };
    let event = |name: &str| decode(&format!(r#"{{"hook_event_name":"{name}","prompt":"p"}}"#));
    let tool = before("run_shell_command", json!({"command": "ls"}));
    let ran = after("run_shell_command", json!({"llmContent": "Output: x"}));
    let failed = after("read_file", json!({"error": {"message": "gone"}}));
    let cases = [
        ("nothing", &tool, Verdict::default(), ""),
        ("an approval is not read", &tool, Verdict { approved: true, ..Verdict::default() }, ""),
        ("deny", &tool, refused.clone(), r#"{"decision":"deny","reason":"no","systemMessage":"why"}"#),
        (
            "deny without words",
            &tool,
            Verdict::refusal("", ""),
            r#"{"decision":"deny","reason":"A hook held this back and gave no reason."}"#,
        ),
        (
            "ask",
            &tool,
            Verdict { ask: Some(words), ..Verdict::default() },
            r#"{"decision":"ask","reason":"no","systemMessage":"why"}"#,
        ),
        ("context is not read before a tool", &tool, told("c"), ""),
        ("notice", &tool, noticed.clone(), r#"{"systemMessage":"look"}"#),
        ("a prompt", &event("BeforeAgent"), refused.clone(), r#"{"decision":"deny","reason":"why"}"#),
        (
            "a prompt, and a notice",
            &event("BeforeAgent"),
            Verdict { notice: Some("look".to_owned()), ..refused.clone() },
            r#"{"decision":"deny","reason":"why","systemMessage":"why\nlook"}"#,
        ),
        (
            "context to a prompt",
            &event("BeforeAgent"),
            told("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"c"}}"#,
        ),
        (
            "context to a session",
            &event("SessionStart"),
            told("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}"#,
        ),
        (
            "context after",
            &ran,
            told("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"c"}}"#,
        ),
        ("context to a failure", &failed, told("c"), r#"{"decision":"deny","reason":"gone\n\nc"}"#),
        ("a failure", &failed, Verdict::default(), ""),
        ("output and context", &ran, output, r#"{"decision":"deny","reason":"x\n\nc"}"#),
        ("follow-up", &event("AfterAgent"), onward, r#"{"decision":"deny","reason":"go on"}"#),
        (
            "a response cannot be held back",
            &event("AfterAgent"),
            refused.clone(),
            r#"{"systemMessage":"why"}"#,
        ),
        ("the end", &event("SessionEnd"), noticed, ""),
        ("nothing of ours", &event("BeforeModel"), refused, ""),
    ];
    for (name, happening, verdict, expected) in cases {
        assert_eq!(answer(happening, &verdict), expected, "{name}");
    }
}

#[test]
fn another_input_is_given_whole_or_the_call_is_refused() {
    let cases = [
        (
            "run_shell_command",
            json!({"command": "ls", "dir_path": "s"}),
            vec![json!({"command": "ls -l"})],
            Some(json!({"command": "ls -l"})),
        ),
        (
            "run_shell_command",
            json!({"command": "ls", "dir_path": "s"}),
            vec![json!({"command": "ls", "working_directory": "t"})],
            Some(json!({"command": "ls", "dir_path": "t"})),
        ),
        (
            "invoke_agent",
            json!({"agent_name": "a"}),
            vec![json!({"subagent_type": "b"})],
            Some(json!({"agent_name": "b"})),
        ),
        (
            "cli_help",
            json!({"question": "a"}),
            vec![json!({"prompt": "b", "subagent_type": "cli_help"})],
            Some(json!({"question": "b"})),
        ),
        ("cli_help", json!({"question": "a"}), vec![json!({"prompt": "b", "subagent_type": "x"})], None),
        (
            "read_many_files",
            json!({"include": ["a", "b"]}),
            vec![Value::Null, json!({"file_path": "c"})],
            None,
        ),
    ];
    for (name, input, wanted, expected) in cases {
        let rewrites: Vec<_> =
            wanted.iter().map(|input| (!input.is_null()).then(|| object(input.clone()))).collect();
        let happening = before(name, input.clone());
        let said = answer(&happening, &recorded::rewriting(&AGENT, &happening, &rewrites));
        let said: Value = serde_json::from_str(&said).expect("an answer");
        match expected {
            Some(expected) => assert_eq!(said["hookSpecificOutput"]["tool_input"], expected, "{input}"),
            None => {
                assert_eq!(said["decision"], "deny", "{input}");
                assert!(said.get("hookSpecificOutput").is_none(), "{input}");
            }
        }
    }
}

#[test]
fn what_is_not_understood_is_held_back_where_that_is_possible() {
    let loud = |event| (AGENT.refuse_blindly)(event, "broken");
    for event in [None, Some("BeforeTool"), Some("BeforeAgent"), Some("New")] {
        assert_eq!(
            loud(event),
            Reply { stdout: String::new(), stderr: "broken".to_owned(), code: 2 },
            "{event:?}"
        );
    }
    // Exit code 2 would send the agent on for ever, or hide what a tool said.
    for event in ["AfterAgent", "AfterTool", "SessionStart", "SessionEnd"] {
        let reply = loud(Some(event));
        assert_eq!((reply.stdout.as_str(), reply.code), (r#"{"systemMessage":"broken"}"#, 0), "{event}");
    }
    assert!(!(AGENT.refuse_blindly)(None, "").stderr.is_empty());
}

#[test]
fn a_gate_is_not_passed_by_what_is_missing() {
    let cases = [
        r#"{"hook_event_name":"BeforeTool"}"#,
        r#"{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":["ls"]}"#,
        r#"{"hook_event_name":"BeforeAgent"}"#,
        r#"{"hook_event_name":"Unheard"}"#,
        "{}",
    ];
    for payload in cases {
        let payload = Payload::parse(payload.as_bytes()).expect(payload);
        assert!(
            (AGENT.decode_event)(&Told { event: None, payload: payload.clone() }).is_err(),
            "{payload:?}"
        );
    }
}

#[test]
fn a_field_without_a_name_is_none_of_the_facts_that_gemini_does_not_tell() {
    let payload = json!({"": "x", "hook_event_name": "BeforeTool", "tool_name": "glob", "tool_input": {}});
    let happening = decode(&payload.to_string());
    assert_eq!((happening.generation, happening.model, happening.subagent), (None, None, None));
    assert_eq!(happening.call.and_then(|call| call.id), None);
}

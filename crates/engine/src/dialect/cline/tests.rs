//! Cline CLI, held to what it really sent.

use serde_json::{Map, Value, json};

use super::AGENT;
use super::harmless::NOWHERE;
use crate::agent::recorded::{decoded, payloads, rewriting};
use crate::agent::{Happening, Moment, NativeCall, Told, ToolCall, ToolClass, Verdict};
use crate::payload::Payload;

fn recorded(wanted: &str) -> Happening {
    let (_, payload) =
        payloads("cline").into_iter().find(|(name, _)| name.starts_with(wanted)).expect(wanted);
    decoded(&AGENT, &payload)
}

fn before(name: &str, input: Value) -> Happening {
    let payload = json!({"hookName": "tool_call", "tool_call": {"name": name, "input": input}});
    decoded(&AGENT, &Payload::of(&payload))
}

fn calls(happening: &Happening) -> &[ToolCall] {
    match &happening.moment {
        Moment::BeforeTool { calls } => calls,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_recorded_payload_is_understood_and_means_the_same_when_written_again() {
    for (name, payload) in payloads("cline") {
        let happening = decoded(&AGENT, &payload);
        assert_eq!(decoded(&AGENT, &(AGENT.encode_event)(&happening)), happening, "{name}");
    }
    assert!(payloads("cline").len() >= 20);
}

#[test]
fn tools_become_calls_of_ours() {
    let cases: [(&str, &str, ToolClass, &str, &str); 6] = [
        ("02-", "Shell", ToolClass::Shell, "command", "echo hello"),
        ("06-", "Read", ToolClass::Read, "file_path", "/home/me/project/notes.txt"),
        ("08-", "Write", ToolClass::Write, "file_path", "/home/me/project/new.txt"),
        ("10-", "Write", ToolClass::Write, "new_string", "gamma"),
        ("12-", "MCP:echo", ToolClass::Mcp, "text", "hi mcp"),
        ("14-", "Task", ToolClass::Task, "prompt", "SUBTASK count"),
    ];
    for (name, tool, class, field, says) in cases {
        let happening = recorded(name);
        let calls = calls(&happening);
        assert_eq!((calls[0].name.as_str(), calls[0].class, calls.len()), (tool, class, 1), "{name}");
        assert_eq!(calls[0].input[field], says, "{name}");
    }
    assert_eq!(calls(&recorded("08-"))[0].edits[0].1[0].new_string, "one\n");
    let Moment::AfterTool { output, .. } = recorded("05-").moment else { panic!("a command that failed") };
    assert_eq!((output.text.as_deref(), output.exit_code), (Some("out\n\n[stderr]\nerr\n"), Some(3)));
    assert_eq!(output.duration_ms, Some(32.0));
}

#[test]
fn no_shape_of_an_input_hides_a_command_or_a_file() {
    let cases: [(&str, Value, &[&str]); 14] = [
        ("run_commands", json!({"commands": ["a", "b"]}), &["a", "b"]),
        ("run_commands", json!({"commands": "a; b"}), &["a; b"]),
        ("run_commands", json!({"commands": {"command": "rm", "args": ["-r", "x y"]}}), &["rm -r 'x y'"]),
        ("run_commands", json!({"command": "a"}), &["a"]),
        ("run_commands", json!({"command": "rm", "args": ["x"]}), &["rm x"]),
        ("run_commands", json!({"cmd": "a"}), &["a"]),
        ("run_commands", json!(["a", {"command": "b", "args": []}]), &["a", "b"]),
        ("run_commands", json!("a"), &["a"]),
        ("read_files", json!({"files": [{"path": "a"}, "b"]}), &["a", "b"]),
        ("read_files", json!({"files": ["a", {"start_line": 1}]}), &["a"]),
        ("read_files", json!({"file_paths": "a"}), &["a"]),
        ("read_files", json!({"paths": [{"filePath": "a"}]}), &["a"]),
        ("read_files", json!({"file_path": "a"}), &["a"]),
        ("read_files", json!("a"), &["a"]),
    ];
    for (tool, input, expected) in cases {
        let happening = before(tool, input.clone());
        let found: Vec<_> = calls(&happening)
            .iter()
            .map(|call| call.input.get("command").or(call.input.get("file_path")).and_then(Value::as_str))
            .collect();
        assert_eq!(found, expected.iter().map(|one| Some(*one)).collect::<Vec<_>>(), "{input}");
        let again = decoded(&AGENT, &(AGENT.encode_event)(&happening));
        assert_eq!(again, happening, "{input}");
    }
}

#[test]
fn what_cannot_be_read_is_not_understood() {
    let cases = [
        ("run_commands", json!({"commands": [1]})),
        ("run_commands", json!({"commands": {"command": "x", "args": [1]}})),
        ("read_files", json!({"files": [{"start_line": 1}]})),
        ("read_files", json!({"files": [{}]})),
        ("read_files", json!({})),
        ("editor", json!("text")),
        ("apply_patch", json!({"input": 1})),
    ];
    for (tool, input) in cases {
        let payload = json!({"hookName": "tool_call", "tool_call": {"name": tool, "input": input}});
        let told = Told { event: None, payload: Payload::of(&payload) };
        assert!((AGENT.decode_event)(&told).is_err(), "{tool} {payload}");
    }
    // A call without a command is no call of ours; the adapter refuses it.
    assert!(calls(&before("run_commands", json!({}))).is_empty());
}

#[test]
fn a_subagent_belongs_to_the_conversation() {
    let session = recorded("02-").session;
    assert_eq!(session.as_deref(), Some("1794804598984_3l55e"));
    for name in ["15-", "16-", "17-", "18-"] {
        let happening = recorded(name);
        assert_eq!(
            (happening.session.as_ref(), happening.subagent.is_some()),
            (session.as_ref(), true),
            "{name}"
        );
    }
    assert!(matches!(recorded("15-").moment, Moment::Nothing(_)));
    let Moment::SubagentStop(ending) = recorded("18-").moment else { panic!("a subagent's end") };
    assert_eq!(ending.message.as_deref(), Some("two files"));
    let Moment::Stop(ending) = recorded("20-").moment else { panic!("an end") };
    assert_eq!((ending.status, ending.message.as_deref()), ("completed", Some("all done")));
}

#[test]
fn a_failure_is_known_with_and_without_an_exit_code() {
    let after = |tool: &str, input: Value, result: Value| {
        let mut all = json!({"hookName": "tool_result", "tool_result": {"name": tool, "input": input}});
        for (name, value) in result.as_object().expect("an object") {
            all["tool_result"][name] = value.clone();
        }
        decoded(&AGENT, &Payload::of(&all)).moment
    };
    let commands = json!({"commands": ["a", "b"]});
    let items = json!([{"result": "x", "success": true}, {"result": "y", "error": "Command exited with code 7", "success": false}]);
    let Moment::AfterTool { output, calls } =
        after("run_commands", commands.clone(), json!({"output": items}))
    else {
        panic!("two commands")
    };
    assert_eq!((calls.len(), output.exit_code, output.text.as_deref()), (2, Some(7), Some("x\ny")));
    let cases = [
        (
            "run_commands",
            commands.clone(),
            json!({"output": [{"error": "Command timed out", "success": false}]}),
            "timeout",
        ),
        ("run_commands", commands, json!({"error": "not approved"}), "error"),
        ("read_files", json!("a"), json!({"output": [{"error": "ENOENT", "success": false}]}), "error"),
        (
            "editor",
            json!({"path": "a", "new_text": ""}),
            json!({"output": {"error": "no match", "success": false}}),
            "error",
        ),
    ];
    for (tool, input, result, kind) in cases {
        let Moment::ToolFailed { failing, .. } = after(tool, input, result.clone()) else {
            panic!("{result}")
        };
        assert_eq!(failing.kind, kind, "{result}");
        assert!(!failing.message.is_empty(), "{result}");
    }
}

#[test]
fn answers_are_in_clines_words() {
    let rewrites = |happening: Happening, inputs: Value| {
        let wanted: Vec<Option<Map<String, Value>>> = serde_json::from_value(inputs).expect("a list");
        rewriting(&AGENT, &happening, &wanted)
    };
    let refused = Verdict::refusal("it's $(no)", "you may not");
    let cancel = Verdict { cancel_refused: true, ..refused.clone() };
    let plain = Verdict::refusal("not here: use make", "no");
    let context = Verdict { context: Some("know".to_owned()), ..Verdict::default() };
    let cancelled = json!({"cancel": true, "errorMessage": "it's $(no)"});
    let two = || before("run_commands", json!({"commands": ["a", "b"]}));
    let cases = [
        ("nothing", recorded("02-"), Verdict::default(), json!(null)),
        (
            "deny",
            two(),
            plain.clone(),
            json!({"overrideInput": {"commands": ["echo 'Not run: not here: use make'; exit 1"]}}),
        ),
        (
            "what does not fit",
            two(),
            refused.clone(),
            json!({"overrideInput": {"commands": ["echo 'Not run: it s  (no)'; exit 1"]}, "context": "it's $(no)"}),
        ),
        (
            "and context",
            two(),
            Verdict { context: context.context.clone(), ..refused.clone() },
            json!({"overrideInput": {"commands": ["echo 'Not run: it s  (no)'; exit 1"]}, "context": "it's $(no)\nknow"}),
        ),
        (
            "no read",
            recorded("06-"),
            plain.clone(),
            json!({"overrideInput": {"files": [{"path": format!("{NOWHERE}Not read: not here: use make")}]}}),
        ),
        (
            "no edit",
            recorded("10-"),
            plain.clone(),
            json!({"overrideInput": {"path": format!("{NOWHERE}Not written: not here: use make"), "new_text": ""}}),
        ),
        (
            "no subagent",
            recorded("14-"),
            plain,
            json!({"overrideInput": {"refused": true}, "context": "not here: use make"}),
        ),
        ("no harmless MCP call", recorded("12-"), refused, cancelled.clone()),
        ("the run ends where that is wanted", recorded("02-"), cancel, cancelled),
        (
            "one of two",
            two(),
            rewrites(two(), json!([null, {"command": "c"}])),
            json!({"overrideInput": {"commands": ["a", "c"]}}),
        ),
        (
            "a file",
            recorded("06-"),
            rewrites(recorded("06-"), json!([{"file_path": "/x", "start_line": 2}])),
            json!({"overrideInput": {"files": [{"path": "/x", "start_line": 2}]}}),
        ),
        (
            "an edit",
            recorded("10-"),
            rewrites(recorded("10-"), json!([{"file_path": "/x", "old_string": "a", "new_string": "b"}])),
            json!({"overrideInput": {"path": "/x", "old_text": "a", "new_text": "b"}}),
        ),
        ("context", recorded("02-"), context.clone(), json!({"context": "know"})),
        ("context after", recorded("03-"), context, json!({"context": "know"})),
        (
            "no follow-up",
            recorded("20-"),
            Verdict { follow_up: Some("go".to_owned()), ..Verdict::default() },
            json!(null),
        ),
    ];
    for (name, happening, verdict, expected) in cases {
        let reply = (AGENT.encode_decision)(&happening, &verdict);
        let stdout = if reply.stdout.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&reply.stdout).expect(name)
        };
        assert_eq!((stdout, reply.code), (expected, 0), "{name}");
    }
    let strange = rewrites(two(), json!([{}, null]));
    let reply = (AGENT.encode_decision)(&two(), &strange);
    assert!(reply.stdout.contains(r#""overrideInput":{"commands":["echo 'Not run: "#), "{}", reply.stdout);
    assert_eq!((AGENT.refuse_blindly)(None, "why").stdout, r#"{"cancel":true,"errorMessage":"why"}"#);
}

/// What a hostile or clumsy hook may give as its reason.
const REASONS: [&str; 14] = [
    "'; rm -rf x; '",
    "$(rm x)",
    "`rm x`",
    "a\nrm x",
    "\u{2019}; rm x",
    "%PATH% & del x",
    "\\' ; x",
    "!x",
    "#",
    "../../etc/passwd",
    "..",
    "..\\..\\x",
    "~/x",
    "\0",
];

fn refused(tool: &str, reason: &str) -> Value {
    let call = NativeCall { id: None, name: tool.to_owned(), input: Map::new() };
    let happening = Happening { call: Some(call), ..recorded("02-") };
    let reply = (AGENT.encode_decision)(&happening, &Verdict::refusal(reason, "no"));
    serde_json::from_str(&reply.stdout).expect("JSON")
}

#[test]
fn no_reason_becomes_a_command() {
    for reason in REASONS {
        let answer = refused("run_commands", reason);
        let command = answer["overrideInput"]["commands"][0].as_str().expect("a command");
        let inside = command.strip_prefix("echo '").and_then(|rest| rest.strip_suffix("'; exit 1"));
        let harmless = |letter: char| letter.is_alphanumeric() || " .,:;/_-@+=?#()[]".contains(letter);
        assert!(inside.expect(command).chars().all(harmless), "{command}");
    }
}

#[test]
fn no_reason_becomes_a_file() {
    for reason in REASONS {
        for (tool, place) in [("read_files", "/files/0/path"), ("editor", "/path")] {
            let answer = refused(tool, reason);
            let path = answer["overrideInput"].pointer(place).and_then(Value::as_str).expect("a path");
            let name = path.strip_prefix(NOWHERE).expect(path);
            assert!(name.starts_with("Not ") && !name.contains(['/', '\\', '\0', '\n']), "{path}");
        }
    }
}

#[test]
fn a_long_reason_is_cut_in_the_call_and_whole_beside_it() {
    let reason = "\u{e9}".repeat(70_000);
    for tool in ["run_commands", "read_files", "editor"] {
        let answer = refused(tool, &reason);
        assert!(answer["overrideInput"].to_string().len() < 2200, "{tool}");
        assert_eq!(answer["context"], reason.as_str(), "{tool}");
    }
}

#[test]
fn what_replaced_a_call_is_nothing_that_happened() {
    let after = |tool: &str, input: &Value| {
        let result = json!({"name": tool, "input": input, "output": [], "error": "it failed"});
        decoded(&AGENT, &Payload::of(&json!({"hookName": "tool_result", "tool_result": result}))).moment
    };
    for tool in ["run_commands", "read_files", "editor", "spawn_agent", "apply_patch", "search_codebase"] {
        for reason in REASONS {
            let input = &refused(tool, reason)["overrideInput"];
            assert!(matches!(after(tool, input), Moment::Nothing(_)), "{tool} {input}");
        }
    }
    let others = [
        ("run_commands", json!({"commands": ["echo 'Not run: a'; rm x; 'b'; exit 1"]})),
        ("run_commands", json!({"commands": ["echo 'Not run: a'; exit 1", "rm x"]})),
        ("read_files", json!({"files": [{"path": format!("{NOWHERE}Not read: a/../../x")}]})),
        ("editor", json!({"path": format!("{NOWHERE}../x"), "new_text": ""})),
        ("mini__echo", json!({"refused": true})),
    ];
    for (tool, input) in others {
        assert!(matches!(after(tool, &input), Moment::ToolFailed { .. }), "{tool} {input}");
    }
}

#[test]
fn the_name_of_the_file_will_do_where_the_payload_names_nothing() {
    let told = |event: Option<&str>| Told { event: event.map(str::to_owned), payload: Payload::default() };
    let happening = (AGENT.decode_event)(&told(Some("TaskComplete"))).expect("an end");
    assert!(matches!(happening.moment, Moment::Stop(_)));
    assert!((AGENT.decode_event)(&told(None)).is_err());
    let unknown = (AGENT.decode_event)(&told(Some("TaskDream"))).expect("told, and nothing to us");
    assert!(matches!(unknown.moment, Moment::Nothing(_)));
}

#[test]
fn the_form_of_old_versions_is_understood_with_its_tools() {
    let server = json!({"server_name": "mini", "tool_name": "echo", "arguments": "{\"text\":\"hi\"}"});
    let cases = [
        ("execute_command", json!({"command": "ls", "requires_approval": "false"}), "Shell", "command", "ls"),
        ("write_to_file", json!({"path": "a", "content": "x"}), "Write", "file_path", "a"),
        ("replace_in_file", json!({"path": "a", "diff": "x"}), "Write", "file_path", "a"),
        ("read_file", json!({"path": "a"}), "Read", "file_path", "a"),
        ("use_mcp_tool", server, "MCP:echo", "text", "hi"),
        ("run_commands", json!({"commands": "[\"ls\"]"}), "Shell", "command", "ls"),
    ];
    for (tool, parameters, name, field, says) in cases {
        for hook in ["PreToolUse", "tool_call"] {
            let payload =
                json!({"hookName": hook, "preToolUse": {"toolName": tool, "parameters": parameters}});
            let happening = decoded(&AGENT, &Payload::of(&payload));
            let call = &calls(&happening)[0];
            assert_eq!((call.name.as_str(), &call.input[field]), (name, &json!(says)), "{tool}");
            assert_eq!(decoded(&AGENT, &(AGENT.encode_event)(&happening)), happening, "{tool}");
        }
    }
    let unclear = [
        json!({"hookName": "PreToolUse", "preToolUse": {"parameters": {}}}),
        json!({"hookName": "PreToolUse", "preToolUse": {"toolName": "use_mcp_tool", "parameters": {"arguments": "x"}}}),
        json!({"hookName": "PreToolUse"}),
        json!({"hookName": "prompt_submit", "userPromptSubmit": {"prompt": ["x"]}}),
    ];
    for payload in unclear {
        let told = Told { event: None, payload: Payload::of(&payload) };
        assert!((AGENT.decode_event)(&told).is_err(), "{payload}");
    }
}

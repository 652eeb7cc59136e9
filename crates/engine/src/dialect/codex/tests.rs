//! What Codex really sent, and what it is answered.

use serde_json::{Map, Value, json};

use super::AGENT;
use crate::agent::recorded;
use crate::agent::{Happening, Moment, Reply, Told, ToolCall, Verdict, Words};
use crate::payload::Payload;

fn decode(payload: &str) -> Happening {
    let payload = Payload::parse(payload.as_bytes()).expect(payload);
    (AGENT.decode_event)(&Told { event: None, payload }).expect("understood")
}

fn tool(event: &str, name: &str, input: Value) -> Happening {
    let payload = json!({"session_id": "s", "cwd": "/p", "hook_event_name": event, "tool_name": name,
        "tool_input": input, "tool_use_id": "c", "tool_response": "Success. Updated the following files:\n"});
    decode(&payload.to_string())
}

fn calls(happening: &Happening) -> &[ToolCall] {
    match &happening.moment {
        Moment::BeforeTool { calls } | Moment::AfterTool { calls, .. } => calls,
        other => panic!("{other:?}"),
    }
}

fn shown(happening: &Happening) -> Vec<(String, Value)> {
    calls(happening).iter().map(|call| (call.name.clone(), Value::Object(call.input.clone()))).collect()
}

fn answer(happening: &Happening, verdict: &Verdict) -> String {
    let Reply { stdout, stderr, code } = (AGENT.encode_decision)(happening, verdict);
    assert_eq!((stderr.as_str(), code), ("", 0));
    stdout
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}\n*** End Patch\n")
}

#[test]
fn everything_codex_sent_is_understood_and_can_be_told_again() {
    let payloads = recorded::payloads(AGENT.name);
    assert!(payloads.len() >= 30, "{} payloads", payloads.len());
    for (name, payload) in payloads {
        let happening = recorded::decoded(&AGENT, &payload);
        let slug = name.split_once('-').map_or("", |(_, slug)| slug);
        let expected = match &happening.moment {
            Moment::SessionStart { .. } => "session-start",
            Moment::SessionEnd { .. } => "session-end",
            Moment::Prompt { .. } => "user-prompt-submit",
            Moment::BeforeTool { calls } => {
                assert!(!calls.is_empty(), "{name}");
                "pre-tool-use"
            }
            Moment::AfterTool { .. } => "post-tool-use",
            Moment::Compact { .. } => "pre-compact",
            Moment::SubagentStop(_) => "subagent-stop",
            Moment::Stop(_) => "stop",
            Moment::Nothing(_) if slug.starts_with("user-prompt-submit") => "user-prompt-submit-in-subagent",
            Moment::Nothing(_) if slug.starts_with("subagent") => "subagent-start",
            Moment::Nothing(_) if slug.starts_with("permission") => "permission-request",
            Moment::Nothing(_) => "post-compact",
            Moment::ToolFailed { .. } | Moment::Response { .. } | Moment::Thought { .. } => {
                "nothing Codex tells"
            }
        };
        assert!(slug.starts_with(expected), "{name}: {:?}", happening.moment);
        assert_eq!(happening.subagent.is_some(), slug.ends_with("in-subagent"), "{name}");
        assert!(happening.session.is_some() && happening.cwd.is_some(), "{name}");
    }
    recorded::assert_stable(&AGENT);
}

#[test]
fn a_call_is_what_it_does() {
    let two = "*** Update File: notes.txt\n@@\n alpha\n-beta\n+gamma\n*** Add File: new.txt\n+one\n+two";
    let moved = "*** Update File: notes.txt\n*** Move to: sub/moved.txt\n@@\n-a\n+b\n@@\n+c\n*** Delete File: new.txt";
    let heredoc = format!("cd sub && apply_patch <<'EOF'\n{}EOF", patch("*** Add File: h\n+x"));
    let cases = [
        ("Bash", json!({"command": "ls"}), vec![("Shell", json!({"command": "ls"}))]),
        (
            "apply_patch",
            json!({"command": patch(two)}),
            vec![
                (
                    "Write",
                    json!({"file_path": "/p/notes.txt", "old_string": "alpha\nbeta", "new_string": "alpha\ngamma"}),
                ),
                ("Write", json!({"file_path": "/p/new.txt", "content": "one\ntwo\n"})),
            ],
        ),
        (
            "apply_patch",
            json!({"command": patch(moved)}),
            vec![
                ("Delete", json!({"file_path": "/p/notes.txt"})),
                (
                    "Write",
                    json!({"file_path": "/p/sub/moved.txt", "edits": [
                        {"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "c\n"}]}),
                ),
                ("Delete", json!({"file_path": "/p/new.txt"})),
            ],
        ),
        (
            "Bash",
            json!({"command": heredoc}),
            vec![
                ("Shell", json!({"command": heredoc})),
                ("Write", json!({"file_path": "/p/sub/h", "content": "x\n"})),
            ],
        ),
        ("apply_patch", json!({"command": "rm -rf"}), vec![("Write", json!({"content": "rm -rf"}))]),
        ("apply_patch", json!({"input": 1}), vec![("Write", json!({"input": 1}))]),
        (
            "apply_patch",
            json!({"command": "*** Update File: a\n *** Add File: b"}),
            vec![
                (
                    "Write",
                    json!({"file_path": "/p/a", "old_string": "*** Add File: b", "new_string": "*** Add File: b"}),
                ),
                ("Write", json!({"file_path": "/p/b", "content": "*** Update File: a\n *** Add File: b"})),
            ],
        ),
        (
            "spawn_agent",
            json!({"message": "count", "agent_type": "default"}),
            vec![("Task", json!({"prompt": "count", "subagent_type": "default"}))],
        ),
        ("view_image", json!({"path": "/p/a.png"}), vec![("Read", json!({"file_path": "/p/a.png"}))]),
        ("mcp__mini__echo", json!({"text": "hi"}), vec![("MCP:echo", json!({"text": "hi"}))]),
        ("update_plan", json!({"plan": []}), vec![("update_plan", json!({"plan": []}))]),
    ];
    for (name, input, expected) in cases {
        let expected: Vec<_> = expected.into_iter().map(|(name, input)| (name.to_owned(), input)).collect();
        assert_eq!(shown(&tool("PreToolUse", name, input.clone())), expected, "{input}");
        assert_eq!(shown(&tool("PostToolUse", name, input.clone())), expected, "{input}");
    }
}

#[test]
fn an_answer_says_nothing_that_codex_does_not_take() {
    let words = Words { model: "no".to_owned(), user: "why".to_owned() };
    let refused = Verdict { refused: Some(words.clone()), ..Verdict::default() };
    let told = |context: &str| Verdict { context: Some(context.to_owned()), ..Verdict::default() };
    let noticed = Verdict { notice: Some("look".to_owned()), ..Verdict::default() };
    let onward = Verdict { follow_up: Some("go on".to_owned()), ..Verdict::default() };
    let event = |name: &str| decode(&format!(r#"{{"hook_event_name":"{name}","prompt":"p"}}"#));
    let before = tool("PreToolUse", "Bash", json!({"command": "ls"}));
    let after = tool("PostToolUse", "mcp__a__b", json!({}));
    let cases = [
        ("nothing", &before, Verdict::default(), ""),
        ("an approval is not taken", &before, Verdict { approved: true, ..Verdict::default() }, ""),
        (
            "deny",
            &before,
            refused.clone(),
            r#"{"systemMessage":"why","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
        ),
        (
            "deny in the same words",
            &before,
            Verdict::refusal("no", "no"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
        ),
        (
            "deny without words",
            &before,
            Verdict::refusal(" ", ""),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"A hook held this back and gave no reason."}}"#,
        ),
        (
            "ask is deny",
            &before,
            Verdict { ask: Some(words), ..Verdict::default() },
            r#"{"systemMessage":"why","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
        ),
        (
            "context",
            &before,
            told("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}"#,
        ),
        ("notice", &before, noticed.clone(), r#"{"systemMessage":"look"}"#),
        ("a prompt", &event("UserPromptSubmit"), refused.clone(), r#"{"decision":"block","reason":"why"}"#),
        (
            "context to a prompt",
            &event("UserPromptSubmit"),
            told("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}"#,
        ),
        (
            "context to a session",
            &event("SessionStart"),
            told("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}"#,
        ),
        (
            "context after",
            &after,
            told("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}"#,
        ),
        (
            "output",
            &after,
            Verdict {
                output: Some(json!({"content": [{"type": "text", "text": "x"}]})),
                ..Verdict::default()
            },
            r#"{"decision":"block","reason":"x"}"#,
        ),
        ("follow-up", &event("Stop"), onward.clone(), r#"{"decision":"block","reason":"go on"}"#),
        ("a subagent's", &event("SubagentStop"), onward, r#"{"decision":"block","reason":"go on"}"#),
        ("a response cannot be held back", &event("Stop"), refused.clone(), r#"{"systemMessage":"why"}"#),
        ("before compaction", &event("PreCompact"), noticed.clone(), r#"{"systemMessage":"look"}"#),
        ("the end", &event("SessionEnd"), noticed, ""),
        ("nothing of ours", &event("PostCompact"), refused, ""),
    ];
    for (name, happening, verdict, expected) in cases {
        assert_eq!(answer(happening, &verdict), expected, "{name}");
    }
}

#[test]
fn another_input_is_given_whole_or_the_call_is_refused() {
    let heredoc = format!("apply_patch <<'EOF'\n{}EOF", patch("*** Add File: h\n+x"));
    let add = json!({"command": patch("*** Add File: a\n+x")});
    let two = json!({"command": patch("*** Delete File: d\n*** Update File: a\n@@ f\n x\n-y\n+z")});
    let moved = json!({"command": patch("*** Update File: a\n*** Move to: b\n@@\n-x\n+y")});
    let cases = [
        (
            "Bash",
            json!({"command": "ls"}),
            vec![json!({"command": "ls -l"})],
            Some(json!({"command": "ls -l"})),
        ),
        (
            "Bash",
            json!({"command": "ls"}),
            vec![json!({"command": "ls -l", "description": "d"})],
            Some(json!({"command": "ls -l"})),
        ),
        ("Bash", json!({"command": "ls"}), vec![json!({"command": "ls", "working_directory": "/"})], None),
        ("Bash", json!({"command": "ls"}), vec![json!({"cmd": "ls"})], None),
        ("Bash", json!({"command": "ls"}), vec![json!({"command": 1})], None),
        ("Bash", json!({"command": "ls"}), vec![json!({"command": heredoc})], None),
        (
            "Bash",
            json!({"command": heredoc}),
            vec![json!({"command": format!("true\n{heredoc}")}), Value::Null],
            Some(json!({"command": format!("true\n{heredoc}")})),
        ),
        (
            "Bash",
            json!({"command": heredoc}),
            vec![json!({"command": format!("cd x\n{heredoc}")}), Value::Null],
            None,
        ),
        (
            "Bash",
            json!({"command": heredoc}),
            vec![Value::Null, json!({"file_path": "/p/h", "content": "y"})],
            None,
        ),
        (
            "apply_patch",
            add.clone(),
            vec![json!({"file_path": "/p/a", "content": "y\nz"})],
            Some(json!({"command": patch("*** Add File: a\n+y\n+z")})),
        ),
        (
            "apply_patch",
            add.clone(),
            vec![json!({"file_path": "/p/c", "content": "x\n"})],
            Some(json!({"command": patch("*** Add File: /p/c\n+x")})),
        ),
        ("apply_patch", add.clone(), vec![json!({"file_path": "/p/a", "content": "y\r\n"})], None),
        ("apply_patch", add.clone(), vec![json!({"file_path": "/p/a\n+", "content": "y"})], None),
        ("apply_patch", add.clone(), vec![json!({"file_path": "/p/a", "content": "x\n", "mode": 1})], None),
        ("apply_patch", add, vec![json!({"content": "x\n"})], None),
        (
            "apply_patch",
            two.clone(),
            vec![Value::Null, json!({"file_path": "/p/a", "old_string": "x\ny", "new_string": "x\nq"})],
            Some(json!({"command": patch("*** Delete File: d\n*** Update File: a\n@@ f\n-x\n-y\n+x\n+q")})),
        ),
        (
            "apply_patch",
            two,
            vec![json!({"file_path": "/p/e"}), Value::Null],
            Some(
                json!({"command": patch("*** Delete File: /p/e\n*** Update File: a\n@@ f\n-x\n-y\n+x\n+z")}),
            ),
        ),
        (
            "apply_patch",
            moved.clone(),
            vec![Value::Null, json!({"file_path": "/p/c", "old_string": "x", "new_string": "y"})],
            Some(json!({"command": patch("*** Update File: a\n*** Move to: /p/c\n@@\n-x\n+y")})),
        ),
        ("apply_patch", moved, vec![json!({"file_path": "/p/c"}), Value::Null], None),
        ("apply_patch", json!({"command": "junk"}), vec![json!({"content": "other"})], None),
        ("spawn_agent", json!({"message": "a"}), vec![json!({"prompt": "b"})], Some(json!({"message": "b"}))),
        ("mcp__a__b", json!({"x": 1}), vec![json!({"y": 2})], Some(json!({"y": 2}))),
    ];
    for (name, input, wanted, expected) in cases {
        let happening = tool("PreToolUse", name, input.clone());
        assert_eq!(calls(&happening).len(), wanted.len(), "{input}");
        let rewrites: Vec<_> =
            wanted.iter().map(|input| (!input.is_null()).then(|| object(input.clone()))).collect();
        let said = answer(&happening, &recorded::rewriting(&AGENT, &happening, &rewrites));
        let said: Value = serde_json::from_str(&said).expect("an answer");
        let inner = &said["hookSpecificOutput"];
        match expected {
            Some(expected) => {
                assert_eq!(inner["permissionDecision"], "allow", "{input} {wanted:?}");
                assert_eq!(inner["updatedInput"], expected, "{input} {wanted:?}");
            }
            None => {
                assert_eq!(inner["permissionDecision"], "deny", "{input} {wanted:?}: {said}");
                assert!(inner.get("updatedInput").is_none());
                assert!(
                    inner["permissionDecisionReason"].as_str().is_some_and(|it| it.contains("another input"))
                );
            }
        }
    }
}

#[test]
fn what_is_not_understood_is_held_back_where_that_is_possible() {
    let loud = |event| (AGENT.refuse_blindly)(event, "broken");
    for event in [None, Some("PreToolUse"), Some("UserPromptSubmit"), Some("PermissionRequest"), Some("New")]
    {
        assert_eq!(
            loud(event),
            Reply { stdout: String::new(), stderr: "broken".to_owned(), code: 2 },
            "{event:?}"
        );
    }
    // Exit code 2 would send the agent on for ever, or hide what a tool said.
    for event in ["Stop", "SubagentStop", "PostToolUse", "SessionStart", "PreCompact"] {
        let reply = loud(Some(event));
        assert_eq!((reply.stdout.as_str(), reply.code), (r#"{"systemMessage":"broken"}"#, 0), "{event}");
    }
    assert_eq!(loud(Some("SessionEnd")).stdout, "");
    assert!(!(AGENT.refuse_blindly)(None, "").stderr.is_empty());
}

#[test]
fn a_gate_is_not_passed_by_what_is_missing() {
    let cases = [
        r#"{"hook_event_name":"PreToolUse"}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":7,"tool_input":{}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":["ls"]}"#,
        r#"{"hook_event_name":"UserPromptSubmit"}"#,
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

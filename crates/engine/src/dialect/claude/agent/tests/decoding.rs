//! Every recorded payload becomes its moment.

use serde_json::{Value, json};

use super::{AGENT, calls, recorded, told, what};
use crate::agent::recorded::{assert_gate_stays_one, assert_stable, decoded, payloads};
use crate::agent::{Ending, Happening, Moment, Subagent, Told, ToolClass};
use crate::input::Edit;
use crate::payload::Payload;

fn edit(old: &str, new: &str) -> Edit {
    Edit { old_string: old.to_owned(), new_string: new.to_owned() }
}

#[test]
fn every_payload_is_understood_and_stable() {
    assert_stable(&AGENT);
}

#[test]
fn a_call_in_odd_words_is_still_a_call() {
    assert_gate_stays_one(&AGENT, "PreToolUse");
}

/// One word for each kind of moment.
fn word(happening: &Happening) -> String {
    match &happening.moment {
        Moment::SessionStart { source, .. } => format!("start {}", source.clone().unwrap_or_default()),
        Moment::SessionEnd { reason } => format!("end {reason}"),
        Moment::Prompt { .. } => "prompt".to_owned(),
        Moment::BeforeTool { calls } => format!("before {}", calls[0].name),
        Moment::AfterTool { calls, .. } => format!("after {}", calls[0].name),
        Moment::ToolFailed { calls, failing } => format!("{} {}", failing.kind, calls[0].name),
        Moment::SubagentStop(ending) => format!("subagent {}", ending.status),
        Moment::Stop(ending) => format!("stop {}", ending.status),
        Moment::Compact { trigger } => format!("compact {trigger}"),
        Moment::Response { .. } => "response".to_owned(),
        Moment::Thought { .. } => "thought".to_owned(),
        Moment::Nothing(_) => "nothing".to_owned(),
    }
}

#[test]
fn every_payload_becomes_its_moment() {
    let cases = [
        ("instructions-loaded", "nothing"),
        ("message-display", "nothing"),
        ("permission-request-bash", "nothing"),
        ("post-compact-manual", "nothing"),
        ("post-tool-batch", "nothing"),
        ("post-tool-batch-in-subagent", "nothing"),
        ("post-tool-use-agent", "after Task"),
        ("post-tool-use-bash", "after Shell"),
        ("post-tool-use-bash-in-subagent", "after Shell"),
        ("post-tool-use-edit", "after Write"),
        ("post-tool-use-failure-agent", "error Task"),
        ("post-tool-use-failure-bash", "error Shell"),
        ("post-tool-use-failure-mcp-mini-echo", "error MCP:echo"),
        ("post-tool-use-failure-read", "error Read"),
        ("post-tool-use-failure-web-fetch", "error WebFetch"),
        ("post-tool-use-glob", "after Grep"),
        ("post-tool-use-grep", "after Grep"),
        ("post-tool-use-mcp-mini-echo", "after MCP:echo"),
        ("post-tool-use-read", "after Read"),
        ("post-tool-use-write", "after Write"),
        ("pre-compact-manual", "compact manual"),
        ("pre-tool-use-agent", "before Task"),
        ("pre-tool-use-bash", "before Shell"),
        ("pre-tool-use-bash-in-subagent", "before Shell"),
        ("pre-tool-use-edit", "before Write"),
        ("pre-tool-use-glob", "before Grep"),
        ("pre-tool-use-grep", "before Grep"),
        ("pre-tool-use-mcp-mini-echo", "before MCP:echo"),
        ("pre-tool-use-read", "before Read"),
        ("pre-tool-use-web-fetch", "before WebFetch"),
        ("pre-tool-use-write", "before Write"),
        ("session-end-other", "end completed"),
        ("session-start-compact", "start compact"),
        ("session-start-resume", "start resume"),
        ("session-start-startup", "start startup"),
        ("stop", "stop completed"),
        ("stop-again", "stop completed"),
        ("subagent-start-in-subagent", "nothing"),
        ("subagent-stop-in-subagent", "subagent completed"),
        ("user-prompt-expansion-slash-command", "nothing"),
        ("user-prompt-submit", "prompt"),
        ("user-prompt-submit-machine-made", "prompt"),
    ];
    for (name, payload) in payloads("claude") {
        let case = cases.iter().find(|(file, _)| *file == what(&name));
        let (_, expected) = case.unwrap_or_else(|| panic!("what is {name} to us?"));
        assert_eq!(word(&decoded(&AGENT, &payload)), *expected, "{name}");
    }
}

#[test]
fn the_facts_of_every_event_are_read() {
    let happening = recorded("pre-tool-use-bash-in-subagent");
    assert_eq!(happening.session.as_deref(), Some("bd0b53c9-a3f8-49a5-aaff-8ee36bd0ec3c"));
    assert_eq!(happening.generation.as_deref(), Some("5b7d5495-4aca-4e5a-a737-968bb895d3e2"));
    assert_eq!(happening.cwd.as_deref(), Some("/home/me/project"));
    assert_eq!(happening.mode.as_deref(), Some("default"));
    let kind = Some("general-purpose".to_owned());
    assert_eq!(happening.subagent, Some(Subagent { id: "aef474ecb5bdbdd17".to_owned(), kind }));
    assert_eq!(recorded("session-start-compact").model.as_deref(), Some("claude-opus-5-5"));
}

#[test]
fn a_shell_prints_and_ends_as_it_is_told() {
    let Moment::AfterTool { output, calls } = recorded("post-tool-use-bash").moment else { panic!("after") };
    assert_eq!((output.text.as_deref(), output.exit_code), (Some("hello"), Some(0)));
    assert_eq!((output.duration_ms, calls[0].class), (Some(53.0), ToolClass::Shell));
    let background = told(
        json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "sleep 9"},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "bl4aggacz"}}),
    );
    let Moment::AfterTool { output, .. } = background.moment else { panic!("after") };
    assert_eq!(output.exit_code, None, "in the background");
    let Moment::ToolFailed { failing, .. } = recorded("post-tool-use-failure-bash").moment else {
        panic!("failed")
    };
    assert_eq!((failing.exit_code, failing.kind), (Some(3), "error"));
    let timeout = told(json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": "sleep 5"}, "error": "Exit code 143\nCommand timed out after 1s"}));
    let Moment::ToolFailed { failing, .. } = timeout.moment else { panic!("failed") };
    assert_eq!((failing.exit_code, failing.kind), (Some(143), "timeout"));
    let explained = told(
        json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "grep x y"},
        "tool_response": {"stdout": "a", "stderr": "b", "interrupted": false, "returnCodeInterpretation": "No matches found"}}),
    );
    let Moment::AfterTool { output, .. } = explained.moment else { panic!("after") };
    assert_eq!((output.text.as_deref(), output.exit_code), (Some("a\nb"), None));
}

#[test]
fn a_change_says_what_was_there_and_what_is() {
    let project = |file: &str| format!("/home/me/project/{file}");
    let cases = [
        ("pre-tool-use-write", project("new.txt"), vec![edit("", "one\ntwo\n")]),
        ("post-tool-use-write", project("new.txt"), vec![edit("", "one\ntwo\n")]),
        ("post-tool-use-edit", project("notes.txt"), vec![edit("beta", "gamma")]),
    ];
    for (name, path, edits) in cases {
        assert_eq!(calls(&recorded(name))[0].edits, [(path, edits)], "{name}");
    }
    let tool = |name: &str, input: Value, response: Value| {
        told(
            json!({"hook_event_name": "PostToolUse", "tool_name": name, "tool_input": input, "tool_response": response}),
        )
    };
    let over = tool(
        "Write",
        json!({"file_path": "/a", "content": "new"}),
        json!({"type": "update", "originalFile": "old"}),
    );
    assert_eq!(calls(&over)[0].edits, [("/a".to_owned(), vec![edit("old", "new")])]);
    let cell = tool(
        "NotebookEdit",
        json!({"notebook_path": "/n.ipynb", "cell_id": "c1", "new_source": "print(2)"}),
        json!({"new_source": "print(2)", "old_source": "print(1)", "original_file": "{}"}),
    );
    assert_eq!(calls(&cell)[0].edits, [("/n.ipynb".to_owned(), vec![edit("print(1)", "print(2)")])]);
    assert_eq!(
        Value::Object(calls(&cell)[0].input.clone()),
        json!({"file_path": "/n.ipynb", "cell_id": "c1", "new_string": "print(2)"})
    );
    let several = json!([{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]);
    let several = tool("MultiEdit", json!({"file_path": "/a", "edits": several}), json!({}));
    assert_eq!(calls(&several)[0].edits, [("/a".to_owned(), vec![edit("a", "b"), edit("c", "d")])]);
}

#[test]
fn an_mcp_call_knows_its_server() {
    let cases = [
        ("mcp__mini__echo", Some("mini"), "MCP:echo", "mini"),
        ("mcp__mini__echo", None, "MCP:echo", "mini"),
        ("mcp__a__b__c", Some("a__b"), "MCP:c", "a__b"),
        ("mcp__plugin_x_y__do_it", Some("plugin:x:y"), "MCP:do_it", "plugin:x:y"),
        ("mcp__other__echo", Some("mini"), "MCP:echo", "other"),
    ];
    for (tool, server, name, from) in cases {
        let mut payload = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {}});
        if let Some(server) = server {
            payload["mcp_server"] = json!({"name": server, "source": "dynamic"});
        }
        let happening = told(payload);
        let call = &calls(&happening)[0];
        let found = call.server.as_ref().map(|server| server.name.as_str());
        assert_eq!((call.name.as_str(), call.class, found), (name, ToolClass::Mcp, Some(from)), "{tool}");
    }
}

#[test]
fn whatever_runs_a_command_is_a_shell() {
    for tool in ["Bash", "PowerShell", "Monitor"] {
        let input = json!({"command": "ls"});
        let happening =
            told(json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input}));
        assert_eq!(calls(&happening)[0].class, ToolClass::Shell, "{tool}");
    }
}

#[test]
fn only_a_prompt_of_the_users_is_one() {
    let prompt = |more: Value| {
        let mut payload = json!({"hook_event_name": "UserPromptSubmit", "prompt": "hello"});
        for (name, value) in more.as_object().expect("fields") {
            payload[name] = value.clone();
        }
        matches!(told(payload).moment, Moment::Prompt { .. })
    };
    let notification = "<task-notification>\n<task-id>a</task-id>\n</task-notification>";
    let cases = [
        ("typed", json!({}), true),
        ("told to be typed", json!({"source": "user"}), true),
        ("headless", json!({"source": "sdk"}), true),
        ("a word of a later version", json!({"source": "voice"}), true),
        ("typed, whatever it looks like", json!({"source": "user", "prompt": notification}), true),
        ("a notification, which anybody can type", json!({"prompt": notification}), true),
        ("a quoted notification", json!({"prompt": format!("what is {notification}?")}), true),
        ("a wakeup", json!({"source": "loop_wakeup"}), false),
        ("a schedule", json!({"source": "schedule_wakeup"}), false),
        ("an event", json!({"source": "poll_event"}), false),
        ("the program", json!({"source": "system"}), false),
        ("a subagent's", json!({"agent_id": "a"}), false),
        ("empty", json!({"prompt": ""}), true),
    ];
    for (name, more, expected) in cases {
        assert_eq!(prompt(more), expected, "{name}");
    }
}

#[test]
fn endings_and_refusals_are_told_apart() {
    assert_eq!(
        recorded("subagent-stop-in-subagent").moment,
        Moment::SubagentStop(Ending {
            status: "completed",
            message: Some("two files".to_owned()),
            looping: false,
            transcript: Some("/home/me/.claude/projects/-home-me-project/bd0b53c9-a3f8-49a5-aaff-8ee36bd0ec3c/subagents/agent-aef474ecb5bdbdd17.jsonl".to_owned()),
            tokens: None,
        })
    );
    let Moment::Stop(ending) = recorded("stop-again").moment else { panic!("stop") };
    assert!(ending.looping);
    let cases = [
        (json!({"hook_event_name": "StopFailure", "error": "overloaded"}), "stop error"),
        (
            json!({"hook_event_name": "PermissionDenied", "tool_name": "Bash", "tool_input": {}, "reason": "no"}),
            "permission_denied Shell",
        ),
        (json!({"hook_event_name": "SessionEnd", "reason": "prompt_input_exit"}), "end user_close"),
        (json!({"hook_event_name": "SessionEnd", "reason": "clear"}), "end user_close"),
    ];
    for (payload, expected) in cases {
        assert_eq!(word(&told(payload)), expected);
    }
}

#[test]
fn what_cannot_be_understood_is_said() {
    let cases = [
        (json!({}), "the payload has no `hook_event_name`, so it is not known what happened"),
        (json!({"hook_event_name": "PreToolUse"}), "PreToolUse came without a text in `tool_name`"),
        (json!({"hook_event_name": "PreToolUse", "tool_name": 1}), "`tool_name` is not the name of a tool"),
        (
            json!({"hook_event_name": "UserPromptSubmit", "prompt": ["a"]}),
            "UserPromptSubmit came without a text in `prompt`",
        ),
    ];
    for (payload, expected) in cases {
        let told = Told { event: None, payload: Payload::of(&payload) };
        let error = (AGENT.decode_event)(&told).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }
}

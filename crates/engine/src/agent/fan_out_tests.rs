use serde_json::json;

use super::super::happening::{NativeCall, Subagent};
use super::super::tiny::{call, happening};
use super::*;

fn common(happening: &Happening) -> Common<'_> {
    Common {
        happening,
        session: "s".to_owned(),
        generation: "g".to_owned(),
        model: Some("m".to_owned()),
        home: PathBuf::from("/home"),
        types_unseen: false,
    }
}

fn shell() -> ToolCall {
    call(ToolClass::Shell, "Shell", json!({"command": "ls"}))
}

fn names(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind.name()).collect()
}

fn keys(event: &Event) -> String {
    event.payload.fields().map(|(key, _)| key).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_call_that_ended_is_told_as_what_it_was() {
    let happening = happening(Moment::Nothing("these events are made by hand"));
    let common = common(&happening);
    let output = |exit_code| Output { value: json!("text"), exit_code, ..Output::default() };
    let failing =
        |exit_code| Failing { message: "m".to_owned(), kind: "error", exit_code, ..Failing::default() };
    let took = Took(1.0);
    let of = |class, name| call(class, name, json!({"file_path": "a", "command": "ls"}));
    let cases = [
        (common.after(&shell(), &output(None), took), vec!["postToolUse", "afterShellExecution"]),
        (common.after(&shell(), &output(Some(0)), took), vec!["postToolUse", "afterShellExecution"]),
        (common.after(&shell(), &output(Some(3)), took), vec!["postToolUseFailure", "afterShellExecution"]),
        (common.failed(&shell(), &failing(Some(3)), took), vec!["postToolUseFailure", "afterShellExecution"]),
        (common.failed(&shell(), &failing(None), took), vec!["postToolUseFailure"]),
        (
            common.after(&of(ToolClass::Mcp, "MCP:echo"), &output(None), took),
            vec!["postToolUse", "afterMCPExecution"],
        ),
        (common.failed(&of(ToolClass::Mcp, "MCP:echo"), &failing(None), took), vec!["postToolUseFailure"]),
        (
            common.after(&of(ToolClass::Write, "Write"), &output(None), took),
            vec!["postToolUse", "afterFileEdit"],
        ),
        (common.after(&of(ToolClass::Read, "Read"), &output(None), took), vec!["postToolUse"]),
        (common.after(&of(ToolClass::Task, "Task"), &output(None), took), vec!["postToolUse"]),
    ];
    for (number, (events, expected)) in cases.iter().enumerate() {
        assert_eq!(names(events), *expected, "case {number}");
    }
    let mut several = of(ToolClass::Write, "Write");
    several.edits.push(("/b".to_owned(), Vec::new()));
    let events = common.after(&several, &output(None), took);
    let paths: Vec<_> =
        events[1..].iter().map(|event| event.payload.text("file_path").unwrap_or_default()).collect();
    assert_eq!(paths, ["/project/a", "/b"]);
}

#[test]
fn fields_stand_in_the_products_order() {
    let mut happening = happening(Moment::Nothing("these events are made by hand"));
    happening.transcript = Some("/t".to_owned());
    happening.subagent = Some(Subagent { id: "a".to_owned(), kind: None });
    let id = Some("t1".to_owned());
    happening.call = Some(NativeCall { name: "bash".to_owned(), id, input: Map::new() });
    let common = common(&happening);
    let ending = Ending { tokens: Some((1, 2)), ..Ending::default() };
    let content = Content { text: "x".to_owned(), cut_from: Some(9) };
    let cases = [
        (common.pre_tool_use(&shell()), "tool_name tool_input tool_use_id cwd"),
        (common.before_shell(&shell().input), "command cwd"),
        (
            common.before_read(
                &FilePath { path: "/f".to_owned(), resolved: Vec::new() },
                content,
                Vec::new(),
            ),
            "file_path content content_truncated content_bytes attachments",
        ),
        (common.after(&shell(), &Output::default(), Took(1.0)).remove(1), "command output duration cwd"),
        (common.stop(&ending), "status input_tokens output_tokens"),
        (
            common.subagent_stop(&ending, None, Took(0.0)),
            "subagent_type status task description summary duration_ms message_count tool_call_count modified_files agent_transcript_path subagent_id parent_conversation_id",
        ),
        (common.session_start(false), "session_id is_background_agent"),
    ];
    for (event, own) in cases {
        let expected = format!("conversation_id generation_id model {own} transcript_path");
        assert_eq!(keys(&event), expected, "{}", event.kind.name());
    }
}

#[test]
fn a_command_is_seen_in_whatever_form_it_is_written() {
    let cases = [
        (json!({"command": "rm -rf /"}), "rm -rf /"),
        (json!({"command": ["rm", "-rf", "/"]}), "rm -rf /"),
        (json!({"command": {"line": "rm"}}), r#"{"line":"rm"}"#),
        (json!({"command": ["rm", 1]}), r#"["rm",1]"#),
        (json!({"command": null}), ""),
        (json!({}), ""),
    ];
    for (input, expected) in cases {
        assert_eq!(command_of(&super::super::tiny::object(input.clone())), expected, "{input}");
    }
}

#[test]
fn a_command_runs_where_its_input_says() {
    let happening = happening(Moment::Nothing("these events are made by hand"));
    let common = common(&happening);
    let cases = [
        (json!({"command": "ls"}), "/project"),
        (json!({"command": "ls", "working_directory": "sub"}), "/project/sub"),
        (json!({"command": "ls", "working_directory": "/etc"}), "/etc"),
        (json!({"command": "ls", "working_directory": ""}), "/project"),
        (json!({"command": "ls", "working_directory": 7}), "/project"),
    ];
    for (input, expected) in cases {
        let call = call(ToolClass::Shell, "Shell", input.clone());
        let after = common.after(&call, &Output::default(), Took(1.0)).into_iter();
        let events = [common.pre_tool_use(&call), common.before_shell(&call.input)].into_iter().chain(after);
        for event in events {
            let name = event.kind.name();
            assert_eq!(event.payload.text("cwd").as_deref(), Some(expected), "{name} of {input}");
        }
    }
}

#[test]
fn a_directory_that_the_model_made_up_is_none() {
    let made_up =
        call(ToolClass::Shell, "Shell", json!({"command": "ls", "working_directory": "/elsewhere"}));
    let mut happening = happening(Moment::Nothing("these events are made by hand"));
    happening.call = Some(NativeCall { name: "run".to_owned(), id: None, input: made_up.input.clone() });
    let event = common(&happening).before_shell(&made_up.input);
    assert_eq!(event.payload.text("cwd").as_deref(), Some("/project"));
}

#[test]
fn what_a_tool_returned_is_json_text() {
    let happening = happening(Moment::Nothing("these events are made by hand"));
    let common = common(&happening);
    for (value, expected) in
        [(json!("a\"b"), r#""a\"b""#), (json!({"x": 1}), r#"{"x":1}"#), (json!(null), "null")]
    {
        let output = Output { value, ..Output::default() };
        let events = common.after(&call(ToolClass::Mcp, "MCP:echo", json!({"q": 1})), &output, Took(2.5));
        assert_eq!(events[0].payload.text("tool_output").as_deref(), Some(expected));
        assert_eq!(events[1].payload.text("result_json").as_deref(), Some(expected));
        assert_eq!(events[1].payload.text("tool_input").as_deref(), Some(r#"{"q":1}"#));
        assert_eq!(events[1].payload.get("duration").map(|it| it.get()), Some("2.5"));
    }
}

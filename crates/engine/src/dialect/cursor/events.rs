//! Cursor's events as moments. An event that tells of a call a second time is
//! nothing.

use serde_json::Value;

use crate::agent::{
    Ending, EventRow, Failing, Happening, McpServer, Moment, NativeCall, NativeTool, NotUnderstood, Output,
    ToolCall, ToolClass, cursor_call,
};
use crate::dialect::rows::{compact, is_true, number, set, write_compact};
use crate::payload::{Payload, rename_key};

const TOLD: &str = "the tool's first event told of it";
const ITS_OWN: &str = "no call of an agent: Cursor asks the hooks of its own files about it";

/// Every event.
#[rustfmt::skip]
pub(super) const ROWS: &[EventRow] = &[
    EventRow { name: "sessionStart", read: read_start, write: write_start },
    EventRow { name: "sessionEnd", read: read_end, write: write_end },
    EventRow { name: "preToolUse", read: read_before, write: |_, _| {} },
    EventRow { name: "postToolUse", read: read_after, write: write_after },
    EventRow { name: "postToolUseFailure", read: read_failure, write: write_failure },
    EventRow { name: "subagentStart", read: |_, _| Ok(Moment::Nothing(TOLD)), write: |_, _| {} },
    EventRow { name: "subagentStop", read: |_, payload| Ok(Moment::SubagentStop(ending(payload))), write: write_ending },
    EventRow { name: "beforeShellExecution", read: |_, _| Ok(Moment::Nothing(TOLD)), write: |_, _| {} },
    EventRow { name: "afterShellExecution", read: |_, _| Ok(Moment::Nothing(TOLD)), write: |_, _| {} },
    EventRow { name: "beforeMCPExecution", read: |_, _| Ok(Moment::Nothing(TOLD)), write: |_, _| {} },
    EventRow { name: "afterMCPExecution", read: |_, _| Ok(Moment::Nothing(TOLD)), write: |_, _| {} },
    EventRow { name: "beforeReadFile", read: |_, _| Ok(Moment::Nothing(TOLD)), write: |_, _| {} },
    EventRow { name: "afterFileEdit", read: |_, _| Ok(Moment::Nothing(TOLD)), write: |_, _| {} },
    EventRow { name: "beforeSubmitPrompt", read: read_prompt, write: write_prompt },
    EventRow { name: "preCompact", read: compact, write: write_compact },
    EventRow { name: "stop", read: |_, payload| Ok(Moment::Stop(ending(payload))), write: write_ending },
    EventRow { name: "afterAgentResponse", read: read_response, write: write_response },
    EventRow { name: "afterAgentThought", read: read_thought, write: write_thought },
    EventRow { name: "beforeTabFileRead", read: |_, _| Ok(Moment::Nothing(ITS_OWN)), write: |_, _| {} },
    EventRow { name: "afterTabFileEdit", read: |_, _| Ok(Moment::Nothing(ITS_OWN)), write: |_, _| {} },
    EventRow { name: "workspaceOpen", read: |_, _| Ok(Moment::Nothing(ITS_OWN)), write: |_, _| {} },
];

/// Tools keep their names; the class is what we do not know.
#[rustfmt::skip]
const TOOLS: &[NativeTool] = &[
    NativeTool { names: &["Shell"], cursor: "Shell", class: ToolClass::Shell, fields: &[] },
    NativeTool { names: &["Read"], cursor: "Read", class: ToolClass::Read, fields: &[] },
    NativeTool { names: &["Write"], cursor: "Write", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["StrReplace"], cursor: "StrReplace", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["ApplyPatch"], cursor: "ApplyPatch", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["EditNotebook"], cursor: "EditNotebook", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["Delete"], cursor: "Delete", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["Task"], cursor: "Task", class: ToolClass::Task, fields: &[] },
];

/// The call of ours, which is the one that was told.
pub(super) fn add_call(happening: &mut Happening, payload: &Payload) {
    let Some(native) = &happening.call else { return };
    let call = call(native, payload.text("mcp_server_name"));
    let (Moment::BeforeTool { calls } | Moment::AfterTool { calls, .. } | Moment::ToolFailed { calls, .. }) =
        &mut happening.moment
    else {
        return;
    };
    calls.push(call);
}

fn call(native: &NativeCall, server: Option<String>) -> ToolCall {
    let mut call = cursor_call(TOOLS, native);
    if let Some(tool) = native.name.strip_prefix("MCP:") {
        call = call.of_server(McpServer::named(&server.unwrap_or_default(), tool));
    }
    if call.class == ToolClass::Write {
        call.edits = cursor_call(TOOLS, &with_long_names(native)).edits;
    }
    call
}

/// Its tools say `path` and `contents` where its events say it otherwise.
fn with_long_names(native: &NativeCall) -> NativeCall {
    let mut native = native.clone();
    for (tool, event) in [("path", "file_path"), ("contents", "content")] {
        rename_key(&mut native.input, tool, event);
    }
    native
}

/// Says whose tool a call was.
pub(super) fn write_server(happening: &Happening, payload: &mut Payload) {
    let (Moment::BeforeTool { calls } | Moment::AfterTool { calls, .. } | Moment::ToolFailed { calls, .. }) =
        &happening.moment
    else {
        return;
    };
    if let Some(server) = calls.iter().find_map(|call| call.server.as_ref()) {
        payload.set("mcp_server_name", &server.name);
    }
}

fn read_start(_: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    let background = is_true(payload, "is_background_agent");
    Ok(Moment::SessionStart { source: payload.text("source"), background })
}

fn write_start(happening: &Happening, payload: &mut Payload) {
    let Moment::SessionStart { source, background } = &happening.moment else { return };
    set(payload, "source", source.as_ref());
    payload.set("is_background_agent", background);
}

fn read_end(_: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    Ok(Moment::SessionEnd { reason: payload.text("reason").unwrap_or_else(|| "completed".to_owned()) })
}

fn write_end(happening: &Happening, payload: &mut Payload) {
    let Moment::SessionEnd { reason } = &happening.moment else { return };
    payload.set("reason", reason);
}

fn read_prompt(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    Ok(Moment::Prompt { text: needed(happening, payload, "prompt")? })
}

fn write_prompt(happening: &Happening, payload: &mut Payload) {
    let Moment::Prompt { text } = &happening.moment else { return };
    payload.set("prompt", text);
}

fn read_before(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    needed(happening, payload, "tool_name")?;
    Ok(Moment::BeforeTool { calls: Vec::new() })
}

/// The output is JSON in a text.
fn read_after(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    needed(happening, payload, "tool_name")?;
    let written = payload.text("tool_output").unwrap_or_default();
    let value: Value = serde_json::from_str(&written).unwrap_or(Value::String(written));
    let text = ["output", "stdout"].iter().find_map(|name| value.get(name)?.as_str()).map(str::to_owned);
    let exit_code = value.get("exitCode").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
    let output = Output { text, exit_code, value, duration_ms: number(payload, "duration") };
    Ok(Moment::AfterTool { calls: Vec::new(), output })
}

fn write_after(happening: &Happening, payload: &mut Payload) {
    let Moment::AfterTool { output, .. } = &happening.moment else { return };
    payload.set("tool_output", output.value.to_string());
    set(payload, "duration", output.duration_ms);
}

fn read_failure(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    needed(happening, payload, "tool_name")?;
    let failing = Failing {
        message: payload.text("error_message").unwrap_or_default(),
        kind: one_of(payload, "failure_type", &["error", "timeout", "permission_denied"]),
        interrupted: is_true(payload, "is_interrupt"),
        exit_code: None,
        duration_ms: number(payload, "duration"),
    };
    Ok(Moment::ToolFailed { calls: Vec::new(), failing })
}

fn write_failure(happening: &Happening, payload: &mut Payload) {
    let Moment::ToolFailed { failing, .. } = &happening.moment else { return };
    payload.set("error_message", &failing.message);
    payload.set("failure_type", failing.kind);
    payload.set("is_interrupt", failing.interrupted);
    set(payload, "duration", failing.duration_ms);
}

/// Its responses are events of their own, so that a turn's end tells none.
fn ending(payload: &Payload) -> Ending {
    let number = |name: &str| number(payload, name).map(|number| number as u64);
    Ending {
        status: one_of(payload, "status", &["completed", "aborted", "error"]),
        message: payload.text("summary"),
        looping: payload.count("loop_count").is_some_and(|count| count > 0),
        transcript: payload.text("agent_transcript_path"),
        tokens: number("input_tokens").zip(number("output_tokens")),
    }
}

fn write_ending(happening: &Happening, payload: &mut Payload) {
    let (Moment::Stop(ending) | Moment::SubagentStop(ending)) = &happening.moment else { return };
    payload.set("status", ending.status);
    payload.set("loop_count", u8::from(ending.looping));
    set(payload, "summary", ending.message.as_ref());
    set(payload, "agent_transcript_path", ending.transcript.as_ref());
    set(payload, "input_tokens", ending.tokens.map(|(read, _)| read));
    set(payload, "output_tokens", ending.tokens.map(|(_, written)| written));
}

fn read_response(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    Ok(Moment::Response { text: needed(happening, payload, "text")? })
}

fn write_response(happening: &Happening, payload: &mut Payload) {
    let Moment::Response { text } = &happening.moment else { return };
    payload.set("text", text);
}

fn read_thought(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    let text = needed(happening, payload, "text")?;
    Ok(Moment::Thought { text, duration_ms: number(payload, "duration_ms") })
}

fn write_thought(happening: &Happening, payload: &mut Payload) {
    let Moment::Thought { text, duration_ms } = &happening.moment else { return };
    payload.set("text", text);
    set(payload, "duration_ms", *duration_ms);
}

fn needed(happening: &Happening, payload: &Payload, field: &str) -> Result<String, NotUnderstood> {
    let missing = || NotUnderstood(format!("{} came without a text in `{field}`", happening.event));
    payload.text(field).ok_or_else(missing)
}

/// A word that is one of these, and else the first.
fn one_of(payload: &Payload, name: &str, words: &[&'static str]) -> &'static str {
    let written = payload.text(name);
    let known = words.iter().find(|word| Some(**word) == written.as_deref());
    known.or(words.first()).copied().unwrap_or_default()
}

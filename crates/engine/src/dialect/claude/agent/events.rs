//! Claude Code's events as moments: one row each, read and written.

use serde_json::Value;

use crate::agent::{Ending, EventRow, Failing, Happening, Moment, NotUnderstood, Output};
use crate::dialect::claude::matcher::end_reason;
use crate::dialect::rows::{compact, is_true, number, set, write_compact};
use crate::payload::Payload;

/// Why a prompt is nothing to us.
pub(super) const MACHINE_MADE: &str = "the program made this prompt, not the user";

/// Who makes prompts that are nobody's, by the word in `source`.
const MACHINES: &[&str] = &["system", "loop_wakeup", "schedule_wakeup", "poll_event"];

/// Every event that is something to us, and the ones we look away from on purpose.
#[rustfmt::skip]
pub(super) const ROWS: &[EventRow] = &[
    EventRow { name: "SessionStart", read: read_start, write: write_start },
    EventRow { name: "UserPromptSubmit", read: read_prompt, write: write_prompt },
    EventRow { name: "PreToolUse", read: read_before, write: |_, _| {} },
    EventRow { name: "PostToolUse", read: read_after, write: write_after },
    EventRow { name: "PostToolUseFailure", read: read_failure, write: write_failure },
    EventRow { name: "PermissionDenied", read: read_denial, write: write_denial },
    EventRow { name: "SubagentStart", read: |_, _| Ok(Moment::Nothing("the call that starts a subagent is the gate")), write: |_, _| {} },
    EventRow { name: "SubagentStop", read: |_, payload| Ok(Moment::SubagentStop(ending(payload))), write: write_ending },
    EventRow { name: "Stop", read: |_, payload| Ok(Moment::Stop(ending(payload))), write: write_ending },
    EventRow { name: "StopFailure", read: |_, _| Ok(Moment::Stop(Ending { status: "error", ..Ending::default() })), write: |_, _| {} },
    EventRow { name: "PreCompact", read: compact, write: write_compact },
    EventRow { name: "SessionEnd", read: read_end, write: write_end },
];

fn read_start(_: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    // The entrypoint is a variable of Claude Code's, told by who calls us.
    let entrypoint = payload.text("entrypoint").unwrap_or_default();
    let background = entrypoint.starts_with("sdk") || entrypoint == "remote";
    Ok(Moment::SessionStart { source: payload.text("source"), background })
}

fn write_start(happening: &Happening, payload: &mut Payload) {
    let Moment::SessionStart { source, background } = &happening.moment else { return };
    set(payload, "source", source.as_ref());
    set(payload, "entrypoint", background.then_some("sdk-cli"));
}

fn read_prompt(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    let text = payload.text("prompt").ok_or_else(|| missing(happening, "prompt"))?;
    if happening.subagent.is_some() {
        return Ok(Moment::Nothing("a subagent was given this prompt, and not by the user"));
    }
    // The end of a task looks like a prompt, too; whether it is one is known to
    // who remembers what was launched.
    let machine_made = payload.text("source").is_some_and(|source| MACHINES.contains(&source.as_str()));
    Ok(if machine_made { Moment::Nothing(MACHINE_MADE) } else { Moment::Prompt { text } })
}

fn write_prompt(happening: &Happening, payload: &mut Payload) {
    match &happening.moment {
        Moment::Prompt { text } => payload.set("prompt", text),
        _ => {
            payload.set("prompt", "");
            payload.set("source", MACHINES[0]);
        }
    }
}

fn read_before(happening: &Happening, _: &Payload) -> Result<Moment, NotUnderstood> {
    needs_call(happening)?;
    Ok(Moment::BeforeTool { calls: Vec::new() })
}

fn read_after(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    needs_call(happening)?;
    let value = payload.get("tool_response").and_then(|value| serde_json::from_str(value.get()).ok());
    let output = Output {
        value: value.unwrap_or(Value::Null),
        duration_ms: number(payload, "duration_ms"),
        ..Output::default()
    };
    Ok(Moment::AfterTool { calls: Vec::new(), output })
}

fn write_after(happening: &Happening, payload: &mut Payload) {
    let Moment::AfterTool { output, .. } = &happening.moment else { return };
    payload.set("tool_response", &output.value);
    set(payload, "duration_ms", output.duration_ms);
}

fn read_failure(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    needs_call(happening)?;
    let message = payload.text("error").unwrap_or_default();
    let kind = if message.contains("timed out") { "timeout" } else { "error" };
    let interrupted = is_true(payload, "is_interrupt");
    let failing =
        Failing { message, kind, interrupted, exit_code: None, duration_ms: number(payload, "duration_ms") };
    Ok(Moment::ToolFailed { calls: Vec::new(), failing })
}

fn write_failure(happening: &Happening, payload: &mut Payload) {
    let Moment::ToolFailed { failing, .. } = &happening.moment else { return };
    payload.set("error", &failing.message);
    payload.set("is_interrupt", failing.interrupted);
    set(payload, "duration_ms", failing.duration_ms);
}

fn read_denial(happening: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    needs_call(happening)?;
    let message = payload.text("reason").unwrap_or_default();
    let failing = Failing { message, kind: "permission_denied", ..Failing::default() };
    Ok(Moment::ToolFailed { calls: Vec::new(), failing })
}

fn write_denial(happening: &Happening, payload: &mut Payload) {
    let Moment::ToolFailed { failing, .. } = &happening.moment else { return };
    payload.set("reason", &failing.message);
}

fn ending(payload: &Payload) -> Ending {
    Ending {
        status: "completed",
        message: payload.text("last_assistant_message"),
        looping: is_true(payload, "stop_hook_active"),
        transcript: payload.text("agent_transcript_path"),
        tokens: None,
    }
}

fn write_ending(happening: &Happening, payload: &mut Payload) {
    let (Moment::Stop(ending) | Moment::SubagentStop(ending)) = &happening.moment else { return };
    payload.set("stop_hook_active", ending.looping);
    set(payload, "agent_transcript_path", ending.transcript.as_ref());
    set(payload, "last_assistant_message", ending.message.as_ref());
}

/// Who leaves, clears, switches or logs out closes the session.
fn read_end(_: &Happening, payload: &Payload) -> Result<Moment, NotUnderstood> {
    let reason = match payload.text("reason").as_deref() {
        Some("prompt_input_exit" | "clear" | "resume" | "logout") => "user_close",
        Some("bypass_permissions_disabled") => "aborted",
        Some(_) | None => "completed",
    };
    Ok(Moment::SessionEnd { reason: reason.to_owned() })
}

fn write_end(happening: &Happening, payload: &mut Payload) {
    let Moment::SessionEnd { reason } = &happening.moment else { return };
    let aborted = reason == "aborted";
    payload.set("reason", if aborted { "bypass_permissions_disabled" } else { end_reason(reason) });
}

fn needs_call(happening: &Happening) -> Result<(), NotUnderstood> {
    if happening.call.is_some() { Ok(()) } else { Err(missing(happening, "tool_name")) }
}

fn missing(happening: &Happening, field: &str) -> NotUnderstood {
    NotUnderstood(format!("{} came without a text in `{field}`", happening.event))
}

//! Gemini's events, one row each.

use serde_json::{Value, json};

use super::{shell, tools};
use crate::agent::{
    Ending, EventRow, Failing, Happening, Moment, NativeCall, NotUnderstood, Output, ToolCall, ToolClass,
};
use crate::dialect::rows::{Read, is_true, nothing_more, session_start, write_session_start};
use crate::payload::Payload;

/// All it has.
pub(super) const EVENTS: &[EventRow] = &[
    EventRow { name: "SessionStart", read: session_start, write: write_session_start },
    EventRow { name: "SessionEnd", read: session_end, write: write_session_end },
    EventRow { name: "BeforeAgent", read: prompt, write: write_prompt },
    EventRow { name: "AfterAgent", read: stop, write: write_stop },
    EventRow { name: "BeforeTool", read: before_tool, write: write_before_tool },
    EventRow { name: "AfterTool", read: after_tool, write: write_after_tool },
    EventRow { name: "PreCompress", read: compact, write: write_compact },
    EventRow { name: "BeforeModel", read: of_model, write: nothing_more },
    EventRow { name: "AfterModel", read: of_model, write: nothing_more },
    EventRow { name: "BeforeToolSelection", read: of_model, write: nothing_more },
    EventRow { name: "Notification", read: notification, write: nothing_more },
];

/// Why a session ends: its word, ours. The first row of a word of ours is
/// the one that is written.
const REASONS: &[(&str, &str)] = &[
    ("exit", "completed"),
    ("other", "completed"),
    ("clear", "completed"),
    ("prompt_input_exit", "user_close"),
    ("logout", "user_close"),
];

/// What a command's text begins with when it was cut off, and how that failed.
const CANCELLED: &[(&str, &str, bool)] = &[
    ("Command was automatically cancelled because it exceeded the timeout", "timeout", false),
    ("Command was cancelled by user", "error", true),
];

/// The kinds of failure that are not just errors.
const KINDS: &[(&str, &str)] = &[("policy_violation", "permission_denied"), ("timeout", "timeout")];

fn session_end(_: &Happening, payload: &Payload) -> Read {
    let told = payload.text("reason").unwrap_or_default();
    let reason = REASONS.iter().find(|(theirs, _)| *theirs == told).map_or("completed", |(_, ours)| ours);
    Ok(Moment::SessionEnd { reason: reason.to_owned() })
}

fn write_session_end(happening: &Happening, payload: &mut Payload) {
    if let Moment::SessionEnd { reason } = &happening.moment {
        let theirs = REASONS.iter().find(|(_, ours)| ours == reason).map_or("other", |(theirs, _)| theirs);
        payload.set("reason", theirs);
    }
}

/// With the text of the files it mentions, which Gemini puts behind it.
fn prompt(_: &Happening, payload: &Payload) -> Read {
    let text = payload.text("prompt");
    let text = text.ok_or_else(|| NotUnderstood("the payload of BeforeAgent has no `prompt`".to_owned()))?;
    Ok(Moment::Prompt { text })
}

fn write_prompt(happening: &Happening, payload: &mut Payload) {
    if let Moment::Prompt { text } = &happening.moment {
        payload.set("prompt", text);
    }
}

fn stop(_: &Happening, payload: &Payload) -> Read {
    Ok(Moment::Stop(Ending {
        status: "completed",
        message: payload.text("prompt_response"),
        looping: is_true(payload, "stop_hook_active"),
        ..Ending::default()
    }))
}

fn write_stop(happening: &Happening, payload: &mut Payload) {
    if let Moment::Stop(ending) = &happening.moment {
        if let Some(message) = &ending.message {
            payload.set("prompt_response", message);
        }
        payload.set("stop_hook_active", ending.looping);
    }
}

fn before_tool(happening: &Happening, payload: &Payload) -> Read {
    Ok(Moment::BeforeTool { calls: tools::calls(call(happening)?, payload)? })
}

fn write_before_tool(happening: &Happening, payload: &mut Payload) {
    if let Moment::BeforeTool { calls } = &happening.moment {
        tools::write_server(calls, payload);
    }
}

fn after_tool(happening: &Happening, payload: &Payload) -> Read {
    let calls = tools::calls(call(happening)?, payload)?;
    let value: Value = payload
        .get("tool_response")
        .and_then(|value| serde_json::from_str(value.get()).ok())
        .unwrap_or_default();
    match failing(&value, &calls) {
        Some(failing) => Ok(Moment::ToolFailed { calls, failing }),
        None => Ok(Moment::AfterTool { output: output(value, &calls), calls }),
    }
}

fn failing(response: &Value, calls: &[ToolCall]) -> Option<Failing> {
    let content = response.get("llmContent").and_then(Value::as_str).unwrap_or_default();
    if let Some(error) = response.get("error").and_then(Value::as_object) {
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = KINDS.iter().find(|(theirs, _)| *theirs == text("type")).map_or("error", |(_, ours)| ours);
        let message = if text("message").is_empty() { content } else { text("message") };
        return Some(Failing { message: message.to_owned(), kind, ..Failing::default() });
    }
    let cancelled = |row: &&(&str, &str, bool)| is_shell(calls) && content.starts_with(row.0);
    let (_, kind, interrupted) = *CANCELLED.iter().find(cancelled)?;
    Some(Failing { message: content.to_owned(), kind, interrupted, ..Failing::default() })
}

fn output(value: Value, calls: &[ToolCall]) -> Output {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    match text("llmContent").filter(|_| is_shell(calls)) {
        Some(content) => {
            let ran = shell::ran(content, text("returnDisplay"));
            Output { text: Some(ran.text), exit_code: ran.exit_code, value, duration_ms: None }
        }
        None => Output { value, ..Output::default() },
    }
}

fn is_shell(calls: &[ToolCall]) -> bool {
    calls.first().is_some_and(|call| call.class == ToolClass::Shell)
}

fn write_after_tool(happening: &Happening, payload: &mut Payload) {
    match &happening.moment {
        Moment::AfterTool { calls, output } => {
            payload.set("tool_response", &output.value);
            tools::write_server(calls, payload);
        }
        Moment::ToolFailed { calls, failing } => {
            let cancelled = CANCELLED.iter().any(|(start, ..)| failing.message.starts_with(start));
            let kind = KINDS.iter().find(|(_, ours)| *ours == failing.kind);
            let kind = kind.map_or("execution_failed", |(theirs, _)| theirs);
            payload.set(
                "tool_response",
                match cancelled && is_shell(calls) {
                    true => json!({ "llmContent": failing.message }),
                    false => {
                        let error = json!({ "message": failing.message, "type": kind });
                        json!({ "llmContent": failing.message, "error": error })
                    }
                },
            );
            tools::write_server(calls, payload);
        }
        _ => {}
    }
}

/// It fires before every call of the model; that something is compacted is
/// sure only where the user asked for it.
fn compact(_: &Happening, payload: &Payload) -> Read {
    Ok(match payload.text("trigger").as_deref() {
        Some("manual") => Moment::Compact { trigger: "manual".to_owned() },
        _ => Moment::Nothing("nothing is compacted, as far as anybody knows"),
    })
}

fn write_compact(happening: &Happening, payload: &mut Payload) {
    let manual = matches!(happening.moment, Moment::Compact { .. });
    payload.set("trigger", if manual { "manual" } else { "auto" });
}

fn of_model(_: &Happening, _: &Payload) -> Read {
    Ok(Moment::Nothing("no hook is about single calls of the model"))
}

fn notification(_: &Happening, _: &Payload) -> Read {
    Ok(Moment::Nothing("no hook is about notifications"))
}

fn call(happening: &Happening) -> Result<&NativeCall, NotUnderstood> {
    let missing = || NotUnderstood(format!("the payload of {} has no `tool_name`", happening.event));
    happening.call.as_ref().ok_or_else(missing)
}

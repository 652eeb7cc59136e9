//! Copilot's events, one row each.

use serde_json::{Value, json};

use super::tools;
use crate::agent::{Ending, EventRow, Failing, Happening, Moment, NotUnderstood};
use crate::dialect::rows::{
    Read, compact, is_true, nothing_more, session_start, write_compact, write_session_start,
};
use crate::payload::Payload;

/// What is told of a subagent in its parent's session.
pub(super) const TOLD_BY_PARENT: &[&str] = &["subagentStart", "subagentStop"];

/// Every event we know.
pub(super) const ROWS: &[EventRow] = &[
    EventRow { name: "sessionStart", read: session_start, write: write_session_start },
    EventRow { name: "sessionEnd", read: session_end, write: write_session_end },
    EventRow { name: "userPromptSubmitted", read: prompt, write: write_prompt },
    EventRow { name: "preToolUse", read: before_tool, write: nothing_more },
    EventRow { name: "postToolUse", read: after_tool, write: write_after_tool },
    EventRow { name: "postToolUseFailure", read: tool_failed, write: write_tool_failed },
    EventRow { name: "agentStop", read: agent_stop, write: write_stop },
    EventRow { name: "subagentStop", read: subagent_stop, write: write_stop },
    EventRow { name: "preCompact", read: compact, write: write_compact },
    EventRow { name: "subagentStart", read: asked_already, write: nothing_more },
    EventRow { name: "permissionRequest", read: asked_already, write: nothing_more },
    EventRow { name: "preMcpToolCall", read: asked_already, write: nothing_more },
    EventRow { name: "userPromptTransformed", read: asked_already, write: nothing_more },
    EventRow { name: "errorOccurred", read: no_like, write: nothing_more },
    EventRow { name: "notification", read: no_like, write: nothing_more },
];

/// Why a session ends: Copilot's word and ours.
const REASONS: &[(&str, &str)] = &[
    ("complete", "completed"),
    ("user_exit", "user_close"),
    ("abort", "aborted"),
    ("error", "error"),
    ("timeout", "error"),
];

fn session_end(_: &Happening, payload: &Payload) -> Read {
    let given = payload.text("reason").unwrap_or_default();
    let known = REASONS.iter().find(|(theirs, _)| *theirs == given);
    Ok(Moment::SessionEnd { reason: known.map_or("completed", |(_, ours)| ours).to_owned() })
}

fn write_session_end(happening: &Happening, payload: &mut Payload) {
    if let Moment::SessionEnd { reason } = &happening.moment {
        let known = REASONS.iter().find(|(_, ours)| ours == reason);
        payload.set("reason", known.map_or("complete", |(theirs, _)| theirs));
    }
}

fn prompt(happening: &Happening, payload: &Payload) -> Read {
    if happening.subagent.is_some() {
        return Ok(Moment::Nothing("a subagent's prompt is not the user's"));
    }
    let missing = || NotUnderstood("`prompt` is not a text".to_owned());
    Ok(Moment::Prompt { text: payload.text("prompt").ok_or_else(missing)? })
}

fn write_prompt(happening: &Happening, payload: &mut Payload) {
    if let Moment::Prompt { text } = &happening.moment {
        payload.set("prompt", text);
    }
}

fn before_tool(happening: &Happening, _: &Payload) -> Read {
    Ok(Moment::BeforeTool { calls: tools::calls(happening)? })
}

fn after_tool(happening: &Happening, payload: &Payload) -> Read {
    let calls = tools::calls(happening)?;
    let result = value(payload, "toolResult");
    let kind = match result.get("resultType").and_then(Value::as_str) {
        Some("failure" | "error") => "error",
        Some("timeout") => "timeout",
        Some("denied" | "rejected") => "permission_denied",
        _ => return Ok(Moment::AfterTool { output: tools::output(result, &calls), calls }),
    };
    let message = result.get("textResultForLlm").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Moment::ToolFailed { calls, failing: Failing { message, kind, ..Failing::default() } })
}

fn write_after_tool(happening: &Happening, payload: &mut Payload) {
    match &happening.moment {
        Moment::AfterTool { output, .. } => payload.set("toolResult", &output.value),
        Moment::ToolFailed { failing, .. } => {
            let kind = match failing.kind {
                "timeout" => "timeout",
                "permission_denied" => "denied",
                _ => "failure",
            };
            payload.set("toolResult", json!({"resultType": kind, "textResultForLlm": failing.message}));
        }
        _ => {}
    }
}

fn tool_failed(happening: &Happening, payload: &Payload) -> Read {
    let message = match value(payload, "error") {
        Value::String(text) => text,
        Value::Object(error) => error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    let failing = Failing { message, kind: "error", ..Failing::default() };
    Ok(Moment::ToolFailed { calls: tools::calls(happening)?, failing })
}

fn write_tool_failed(happening: &Happening, payload: &mut Payload) {
    if let Moment::ToolFailed { failing, .. } = &happening.moment {
        payload.set("error", &failing.message);
    }
}

/// `subagentStop` tells the same of a subagent, and what it answered.
fn agent_stop(happening: &Happening, payload: &Payload) -> Read {
    match &happening.subagent {
        Some(_) => Ok(Moment::Nothing("`subagentStop` tells of a subagent's end")),
        None => Ok(Moment::Stop(ending(payload))),
    }
}

fn subagent_stop(_: &Happening, payload: &Payload) -> Read {
    Ok(Moment::SubagentStop(ending(payload)))
}

fn ending(payload: &Payload) -> Ending {
    let status = match payload.text("stopReason").as_deref() {
        Some("error") => "error",
        Some("abort" | "aborted" | "cancelled") => "aborted",
        _ => "completed",
    };
    let looping = is_true(payload, "stop_hook_active");
    Ending { status, message: payload.text("response"), looping, ..Ending::default() }
}

fn write_stop(happening: &Happening, payload: &mut Payload) {
    let (Moment::Stop(ending) | Moment::SubagentStop(ending)) = &happening.moment else { return };
    let reason = if ending.status == "completed" { "end_turn" } else { ending.status };
    payload.set("stopReason", reason);
    payload.set("stop_hook_active", ending.looping);
    if let Some(message) = &ending.message {
        payload.set("response", message);
    }
}

fn asked_already(_: &Happening, _: &Payload) -> Read {
    Ok(Moment::Nothing("an event before it was asked about the same"))
}

fn no_like(_: &Happening, _: &Payload) -> Read {
    Ok(Moment::Nothing("no event of ours is like it"))
}

fn value(payload: &Payload, name: &str) -> Value {
    payload.get(name).and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

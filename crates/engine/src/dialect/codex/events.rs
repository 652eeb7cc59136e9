//! Codex's events, one row each.

use serde_json::Value;

use super::patches::APPLIED;
use super::tools::{self, SHELL};
use crate::agent::{
    Ending, EventRow, Happening, Moment, NativeCall, NotUnderstood, Output, ToolCall, ToolClass,
};
use crate::dialect::rows::{Read, compact, nothing_more, session_start, write_compact, write_session_start};
use crate::payload::Payload;

/// All it has.
pub(super) const EVENTS: &[EventRow] = &[
    EventRow { name: "SessionStart", read: session_start, write: write_session_start },
    EventRow { name: "SessionEnd", read: session_end, write: write_session_end },
    EventRow { name: "UserPromptSubmit", read: prompt, write: write_prompt },
    EventRow { name: "PreToolUse", read: before_tool, write: nothing_more },
    EventRow { name: "PermissionRequest", read: permission_request, write: nothing_more },
    EventRow { name: "PostToolUse", read: after_tool, write: write_after_tool },
    EventRow { name: "PreCompact", read: compact, write: write_compact },
    EventRow { name: "PostCompact", read: after_compact, write: nothing_more },
    EventRow { name: "SubagentStart", read: subagent_start, write: nothing_more },
    EventRow { name: "SubagentStop", read: subagent_stop, write: write_ending },
    EventRow { name: "Stop", read: stop, write: write_ending },
];

/// The only reason it gives is `other`.
fn session_end(_: &Happening, _: &Payload) -> Read {
    Ok(Moment::SessionEnd { reason: "completed".to_owned() })
}

fn write_session_end(_: &Happening, payload: &mut Payload) {
    payload.set("reason", "other");
}

/// What a subagent is told comes as a prompt too.
fn prompt(happening: &Happening, payload: &Payload) -> Read {
    if happening.subagent.is_some() {
        return Ok(Moment::Nothing("the prompt is the agent's own, for a subagent"));
    }
    let text = payload.text("prompt");
    let text =
        text.ok_or_else(|| NotUnderstood("the payload of UserPromptSubmit has no `prompt`".to_owned()))?;
    Ok(Moment::Prompt { text })
}

fn write_prompt(happening: &Happening, payload: &mut Payload) {
    if let Moment::Prompt { text } = &happening.moment {
        payload.set("prompt", text);
    }
}

fn before_tool(happening: &Happening, _: &Payload) -> Read {
    Ok(Moment::BeforeTool { calls: tools::calls(call(happening)?, happening.cwd.as_deref())? })
}

fn permission_request(_: &Happening, _: &Payload) -> Read {
    Ok(Moment::Nothing("hooks were asked about the call before Codex asks its user"))
}

fn after_tool(happening: &Happening, payload: &Payload) -> Read {
    let call = call(happening)?;
    let value: Value = payload
        .get("tool_response")
        .and_then(|value| serde_json::from_str(value.get()).ok())
        .unwrap_or_default();
    let mut calls = tools::calls(call, happening.cwd.as_deref())?;
    // A command line that holds a patch may have done anything with it.
    if call.name == SHELL && !value.as_str().is_some_and(|text| text.contains(APPLIED)) {
        calls.retain(|call| call.class == ToolClass::Shell);
    }
    Ok(Moment::AfterTool { output: output(value, &calls, call), calls })
}

fn output(value: Value, calls: &[ToolCall], call: &NativeCall) -> Output {
    let text = value.as_str().map(str::to_owned);
    let told = text.as_deref().filter(|_| call.name == tools::PATCH).and_then(told_exit);
    let shell = calls.first().is_some_and(|call| call.class == ToolClass::Shell);
    match told {
        Some((code, text)) => {
            let text = Some(text.to_owned());
            Output { text, exit_code: Some(code), value, duration_ms: None }
        }
        // Of a command it tells what it printed, and not how it ended.
        None => Output { text: text.filter(|_| shell), value, ..Output::default() },
    }
}

/// The exit code and the text of `Exit code: 0`, `Wall time: 0 seconds`, `Output:`.
fn told_exit(text: &str) -> Option<(i32, &str)> {
    let rest = text.strip_prefix("Exit code: ")?;
    let (code, rest) = rest.split_once('\n')?;
    let (_, text) = rest.split_once("Output:\n")?;
    Some((code.trim().parse().ok()?, text))
}

fn write_after_tool(happening: &Happening, payload: &mut Payload) {
    if let Moment::AfterTool { output, .. } = &happening.moment {
        payload.set("tool_response", &output.value);
    }
}

fn after_compact(_: &Happening, _: &Payload) -> Read {
    Ok(Moment::Nothing("the context was compacted; hooks were told before"))
}

fn subagent_start(_: &Happening, _: &Payload) -> Read {
    Ok(Moment::Nothing("hooks were asked about the subagent before it was started"))
}

fn subagent_stop(_: &Happening, payload: &Payload) -> Read {
    Ok(Moment::SubagentStop(ending(payload)))
}

fn stop(_: &Happening, payload: &Payload) -> Read {
    Ok(Moment::Stop(ending(payload)))
}

fn ending(payload: &Payload) -> Ending {
    Ending {
        status: "completed",
        message: payload.text("last_assistant_message"),
        looping: payload.get("stop_hook_active").is_some_and(|value| value.get() == "true"),
        transcript: payload.text("agent_transcript_path"),
        tokens: None,
    }
}

fn write_ending(happening: &Happening, payload: &mut Payload) {
    let (Moment::Stop(ending) | Moment::SubagentStop(ending)) = &happening.moment else { return };
    payload.set("stop_hook_active", ending.looping);
    if let Some(message) = &ending.message {
        payload.set("last_assistant_message", message);
    }
    if let Some(transcript) = &ending.transcript {
        payload.set("agent_transcript_path", transcript);
    }
}

fn call(happening: &Happening) -> Result<&NativeCall, NotUnderstood> {
    let missing = || NotUnderstood(format!("the payload of {} has no `tool_name`", happening.event));
    happening.call.as_ref().ok_or_else(missing)
}

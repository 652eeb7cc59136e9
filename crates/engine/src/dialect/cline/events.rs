//! What Cline tells: its events, one row each.

use serde_json::{Map, Value, json};

use super::{harmless, tools};
use crate::agent::{
    Ending, Failing, Happening, Moment, NativeCall, NotUnderstood, Output, Subagent, Told, ToolCall,
    ToolClass,
};
use crate::payload::Payload;

/// One event: the file it is installed as, its name in the payload, what it is
/// to us, and back.
struct Row {
    file: &'static str,
    name: &'static str,
    read: fn(&mut Happening, &Value) -> Result<Moment, NotUnderstood>,
    write: fn(&Happening, &mut Value),
}

const ROWS: &[Row] = &[
    Row { file: "TaskStart", name: "agent_start", read: start, write: nothing },
    Row { file: "TaskResume", name: "agent_resume", read: resume, write: nothing },
    Row { file: "UserPromptSubmit", name: "prompt_submit", read: prompt, write: write_prompt },
    Row { file: "PreToolUse", name: "tool_call", read: before_tool, write: write_before_tool },
    Row { file: "PostToolUse", name: "tool_result", read: after_tool, write: write_after_tool },
    Row {
        file: "TaskComplete",
        name: "agent_end",
        read: |of, all| end(of, all, "completed"),
        write: write_end,
    },
    Row {
        file: "TaskCancel",
        name: "agent_abort",
        read: |of, all| end(of, all, "aborted"),
        write: write_end,
    },
    Row { file: "TaskError", name: "agent_error", read: |of, all| end(of, all, "error"), write: write_end },
    Row { file: "SessionShutdown", name: "session_shutdown", read: shutdown, write: nothing },
];

/// What Cline told, in our words.
pub(super) fn decode(told: &Told) -> Result<Happening, NotUnderstood> {
    let unread = |error| NotUnderstood(format!("the payload cannot be read: {error}"));
    let all: Value = serde_json::from_str(&told.payload.to_json()).map_err(unread)?;
    let named = text(&all, "/hookName").or_else(|| told.event.clone());
    let missing =
        || NotUnderstood("the payload has no `hookName`, so it is not known what happened".to_owned());
    let event = named.ok_or_else(missing)?;
    let row = ROWS.iter().find(|row| row.name == event || row.file == event);
    let mut happening = Happening::of(row.map_or(event.as_str(), |row| row.name), Moment::Nothing(NO_LIKE));
    facts(&mut happening, &all);
    if let Some(row) = row {
        happening.moment = (row.read)(&mut happening, &all)?;
    }
    Ok(happening)
}

/// What Cline would have told.
pub(super) fn encode(happening: &Happening) -> Payload {
    let mut all = json!({
        "taskId": happening.session,
        "sessionContext": { "rootSessionId": happening.session },
        "workspaceRoots": happening.roots,
        "parent_agent_id": null,
        "hookName": happening.event,
    });
    if let Some(subagent) = &happening.subagent {
        all["agent_id"] = json!(subagent.id);
        all["parent_agent_id"] = json!(happening.session);
    }
    if let Some(row) = ROWS.iter().find(|row| row.name == happening.event) {
        (row.write)(happening, &mut all);
    }
    Payload::of(&all)
}

const NO_LIKE: &str = "no event of ours is like it";
const NOT_A_CONVERSATION: &str = "a subagent is no conversation";

/// What goes with every event. A subagent has a parent.
fn facts(happening: &mut Happening, all: &Value) {
    happening.session = text(all, "/sessionContext/rootSessionId").or_else(|| text(all, "/taskId"));
    let roots = all["workspaceRoots"].as_array().into_iter().flatten();
    happening.roots = roots.filter_map(|root| root.as_str().map(str::to_owned)).collect();
    happening.cwd = happening.roots.first().cloned();
    if text(all, "/parent_agent_id").is_some() {
        happening.subagent = text(all, "/agent_id").map(|id| Subagent { id, kind: None });
    }
}

type Read = Result<Moment, NotUnderstood>;

fn start(happening: &mut Happening, _: &Value) -> Read {
    starting(happening, "startup")
}

fn resume(happening: &mut Happening, _: &Value) -> Read {
    starting(happening, "resume")
}

fn starting(happening: &Happening, source: &str) -> Read {
    if happening.subagent.is_some() {
        return Ok(Moment::Nothing(NOT_A_CONVERSATION));
    }
    Ok(Moment::SessionStart { source: Some(source.to_owned()), background: false })
}

fn shutdown(happening: &mut Happening, _: &Value) -> Read {
    if happening.subagent.is_some() {
        return Ok(Moment::Nothing(NOT_A_CONVERSATION));
    }
    // It comes when a run was aborted, and not else.
    Ok(Moment::SessionEnd { reason: "aborted".to_owned() })
}

fn prompt(happening: &mut Happening, all: &Value) -> Read {
    if happening.subagent.is_some() {
        return Ok(Moment::Nothing("a subagent's prompt is not the user's"));
    }
    let prompt = all.pointer("/userPromptSubmit/prompt").and_then(Value::as_str);
    let missing = || NotUnderstood("`userPromptSubmit.prompt` is not a text".to_owned());
    Ok(Moment::Prompt { text: prompt.ok_or_else(missing)?.to_owned() })
}

fn write_prompt(happening: &Happening, all: &mut Value) {
    if let Moment::Prompt { text } = &happening.moment {
        all["userPromptSubmit"] = json!({ "prompt": text, "attachments": [] });
    }
}

fn before_tool(happening: &mut Happening, all: &Value) -> Read {
    let native = match (&all["tool_call"], &all["preToolUse"]) {
        (Value::Null, Value::Object(old)) => tools::legacy(old)?,
        (call, _) => native(call)?,
    };
    let calls = tools::calls(&native, happening.cwd.as_deref())?;
    happening.call = Some(native);
    Ok(Moment::BeforeTool { calls })
}

fn write_before_tool(happening: &Happening, all: &mut Value) {
    if let Some(call) = &happening.call {
        all["tool_call"] = json!({ "id": call.id, "name": call.name, "input": call.input });
    }
}

fn after_tool(happening: &mut Happening, all: &Value) -> Read {
    let (result, native) = match (&all["tool_result"], &all["postToolUse"]) {
        (Value::Null, Value::Object(old)) => (&all["postToolUse"], tools::legacy(old)?),
        (result, _) => (result, native(result)?),
    };
    if harmless::is_replacement(&native) {
        happening.call = Some(native);
        return Ok(Moment::Nothing("it stood in the place of a refused call"));
    }
    let calls = tools::calls(&native, happening.cwd.as_deref())?;
    happening.call = Some(native);
    let duration_ms = result["durationMs"].as_f64();
    let output = output(&result["output"], &calls, duration_ms);
    match text(result, "/error").or_else(|| failed(&output)) {
        None => Ok(Moment::AfterTool { calls, output }),
        Some(message) => {
            let kind = if message.contains("timed out") { "timeout" } else { "error" };
            let failing = Failing { message, kind, duration_ms, ..Failing::default() };
            Ok(Moment::ToolFailed { calls, failing })
        }
    }
}

fn write_after_tool(happening: &Happening, all: &mut Value) {
    let Some(call) = &happening.call else { return };
    let mut result = json!({ "id": call.id, "name": call.name, "input": call.input });
    let took = match &happening.moment {
        Moment::AfterTool { output, .. } => {
            result["output"] = output.value.clone();
            output.duration_ms
        }
        Moment::ToolFailed { failing, .. } => {
            result["error"] = json!(failing.message);
            failing.duration_ms
        }
        _ => None,
    };
    if let Some(took) = took {
        result["durationMs"] = json!(took);
    }
    all["tool_result"] = result;
}

/// What a call returned. Commands of one call come back together: their texts
/// are joined, and the first code that is not 0 is the call's.
fn output(value: &Value, calls: &[ToolCall], duration_ms: Option<f64>) -> Output {
    let mut output = Output { value: value.clone(), duration_ms, ..Output::default() };
    if !calls.iter().all(|call| call.class == ToolClass::Shell) {
        return output;
    }
    let results: Vec<&Value> = value.as_array().into_iter().flatten().collect();
    let codes: Vec<Option<i32>> = results.iter().map(|one| exit_code(one)).collect();
    output.text = Some(results.iter().map(|one| printed(one)).collect::<Vec<_>>().join("\n"));
    output.exit_code = match codes.iter().flatten().find(|code| **code != 0) {
        Some(code) => Some(*code),
        None if !codes.is_empty() && codes.iter().all(Option::is_some) => Some(0),
        None => None,
    };
    output
}

fn exit_code(one: &Value) -> Option<i32> {
    if one["success"] == true {
        return Some(0);
    }
    one["error"].as_str()?.strip_prefix("Command exited with code ")?.trim().parse().ok()
}

fn printed(one: &Value) -> &str {
    let text = one["result"].as_str().unwrap_or_default();
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("[Command exited with code ") => rest,
        _ => text,
    }
}

/// What went wrong in a call that has no exit code to say so.
fn failed(output: &Output) -> Option<String> {
    let results = match &output.value {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    };
    let all_failed = !results.is_empty() && results.iter().all(|one| one["success"] == false);
    if !all_failed || output.exit_code.is_some() {
        return None;
    }
    let errors: Vec<&str> = results.iter().filter_map(|one| one["error"].as_str()).collect();
    Some(errors.join("\n"))
}

fn end(happening: &mut Happening, all: &Value, status: &'static str) -> Read {
    let message = text(all, "/turn/outputText");
    let ending = Ending { status, message, ..Ending::default() };
    Ok(match happening.subagent {
        Some(_) => Moment::SubagentStop(ending),
        None => Moment::Stop(ending),
    })
}

fn write_end(happening: &Happening, all: &mut Value) {
    let (Moment::Stop(ending) | Moment::SubagentStop(ending)) = &happening.moment else { return };
    if let Some(message) = &ending.message {
        all["turn"] = json!({ "outputText": message, "status": ending.status });
    }
}

fn nothing(_: &Happening, _: &mut Value) {}

fn native(of: &Value) -> Result<NativeCall, NotUnderstood> {
    let name = text(of, "/name");
    let name = name.ok_or_else(|| NotUnderstood("`name` is not the name of a tool".to_owned()))?;
    let input: Map<String, Value> = tools::as_object(&name, of.get("input").cloned())?;
    Ok(NativeCall { id: text(of, "/id"), name, input })
}

/// A text that says something.
fn text(all: &Value, place: &str) -> Option<String> {
    let text = all.pointer(place)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

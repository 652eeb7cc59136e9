//! What the plugin tells: OpenCode's hooks, one row each.

use serde_json::{Map, Value, json};

use super::tools;
use crate::agent::{Ending, Failing, Happening, Moment, NativeCall, NotUnderstood, Subagent, Told};
use crate::payload::Payload;

/// One hook of OpenCode's: what it is to us, and back.
struct Row {
    name: &'static str,
    read: fn(&mut Happening, &Value) -> Result<Moment, NotUnderstood>,
    write: fn(&Happening, &mut Value),
}

const ROWS: &[Row] = &[
    Row { name: "event.session.created", read: session_start, write: write_session_start },
    Row { name: "event.session.deleted", read: |_, _| ended("user_close"), write: nothing },
    Row { name: "dispose", read: |_, _| ended("completed"), write: nothing },
    Row { name: "chat.message", read: prompt, write: write_prompt },
    Row { name: "tool.execute.before", read: before_tool, write: write_before_tool },
    Row { name: "tool.execute.after", read: after_tool, write: write_after_tool },
    Row { name: "event.message.part.updated", read: part, write: write_part },
    Row { name: "event.session.idle", read: stop, write: write_stop },
    Row { name: "experimental.session.compacting", read: compact, write: write_compact },
    Row { name: "experimental.text.complete", read: response, write: write_response },
];

/// What the plugin told, in our words.
pub(super) fn decode(told: &Told) -> Result<Happening, NotUnderstood> {
    let unread = |error| NotUnderstood(format!("the payload cannot be read: {error}"));
    let all: Value = serde_json::from_str(&told.payload.to_json()).map_err(unread)?;
    let named = told.payload.text("hook").or_else(|| told.event.clone());
    let missing = || NotUnderstood("the payload has no `hook`, so it is not known what happened".to_owned());
    let event = named.filter(|name| !name.is_empty()).ok_or_else(missing)?;
    let mut happening = Happening::of(&event, Moment::Nothing("no event of ours is like it"));
    facts(&mut happening, &all);
    if let Some(row) = ROWS.iter().find(|row| row.name == event) {
        happening.moment = (row.read)(&mut happening, &all)?;
    }
    Ok(happening)
}

/// What the plugin would have told.
pub(super) fn encode(happening: &Happening) -> Payload {
    let mut all = json!({ "hook": happening.event });
    let mut session = Map::new();
    let own = happening.subagent.as_ref().map(|subagent| subagent.id.clone());
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            session.insert(name.to_owned(), Value::String(value));
        }
    };
    set("id", own.or_else(|| happening.session.clone()));
    set("root", happening.session.clone());
    set("turn", happening.generation.clone());
    set("model", happening.model.clone());
    set("agent", happening.subagent.as_ref().and_then(|subagent| subagent.kind.clone()));
    all["session"] = Value::Object(session);
    if let Some(cwd) = &happening.cwd {
        all["directory"] = json!(cwd);
    }
    if let Some(root) = happening.roots.first() {
        all["worktree"] = json!(root);
    }
    if let Some(row) = ROWS.iter().find(|row| row.name == happening.event) {
        (row.write)(happening, &mut all);
    }
    Payload::of(&all)
}

/// What goes with every hook. The plugin says whose session it is; without its
/// word, OpenCode's own id stands alone.
fn facts(happening: &mut Happening, all: &Value) {
    let own = ["/session/id", "/input/sessionID", "/input/event/properties/sessionID"];
    let own = own.iter().find_map(|place| text(all, place));
    let root = text(all, "/session/root");
    if root.is_some() && root != own {
        let kind = text(all, "/session/agent");
        happening.subagent = own.clone().map(|id| Subagent { id, kind });
    }
    happening.session = root.or(own);
    happening.generation = text(all, "/session/turn");
    happening.model = text(all, "/session/model");
    happening.cwd = text(all, "/directory");
    happening.roots = text(all, "/worktree").filter(|root| root != "/").into_iter().collect();
}

type Read = Result<Moment, NotUnderstood>;

fn session_start(happening: &mut Happening, all: &Value) -> Read {
    if happening.subagent.is_some() || text(all, "/input/event/properties/info/parentID").is_some() {
        return Ok(Moment::Nothing("a subagent's session is no conversation"));
    }
    Ok(Moment::SessionStart { source: None, background: false })
}

fn write_session_start(happening: &Happening, all: &mut Value) {
    if let (Moment::Nothing(_), Some(session)) = (&happening.moment, &happening.session) {
        all["input"]["event"]["properties"]["info"]["parentID"] = json!(session);
    }
}

fn ended(reason: &str) -> Read {
    Ok(Moment::SessionEnd { reason: reason.to_owned() })
}

fn prompt(happening: &mut Happening, all: &Value) -> Read {
    if happening.subagent.is_some() {
        return Ok(Moment::Nothing("a subagent's prompt is not the user's"));
    }
    if all["automatic"] == true {
        return Ok(Moment::Nothing("a hook's follow-up is not the user's prompt"));
    }
    let parts = all.pointer("/output/parts").and_then(Value::as_array);
    let parts = parts.ok_or_else(|| NotUnderstood("`output.parts` is not a list".to_owned()))?;
    let texts = |synthetic: bool| -> Vec<&str> {
        let of = |part: &&Value| (part["synthetic"] == true) == synthetic;
        parts.iter().filter(of).filter_map(said).collect()
    };
    // Synthetic parts hold what was read for the prompt, not what was typed. A
    // prompt that has no others is asked about all the same.
    let typed = texts(false);
    let all = if typed.is_empty() { texts(true) } else { typed };
    Ok(Moment::Prompt { text: all.join("\n") })
}

/// What a part of a prompt says: a text, or a command that a subagent is given
/// with the words behind it.
fn said(part: &Value) -> Option<&str> {
    match part["type"].as_str()? {
        "text" => part["text"].as_str(),
        "subtask" => part["prompt"].as_str(),
        _ => None,
    }
}

fn write_prompt(happening: &Happening, all: &mut Value) {
    match &happening.moment {
        Moment::Prompt { text } => all["output"]["parts"] = json!([{"type": "text", "text": text}]),
        Moment::Nothing(_) if happening.subagent.is_none() => all["automatic"] = json!(true),
        _ => {}
    }
}

fn before_tool(happening: &mut Happening, all: &Value) -> Read {
    let native = native(all, "/input", "/output/args")?;
    let calls = tools::calls(&native, happening.cwd.as_deref())?;
    happening.call = Some(native);
    Ok(Moment::BeforeTool { calls })
}

fn write_before_tool(happening: &Happening, all: &mut Value) {
    if let Some(call) = &happening.call {
        all["input"] = json!({ "tool": call.name, "callID": call.id });
        all["output"] = json!({ "args": call.input });
    }
}

fn after_tool(happening: &mut Happening, all: &Value) -> Read {
    let native = native(all, "/input", "/input/args")?;
    let calls = tools::calls(&native, happening.cwd.as_deref())?;
    happening.call = Some(native);
    Ok(Moment::AfterTool { output: tools::output(all["output"].clone(), &calls), calls })
}

fn write_after_tool(happening: &Happening, all: &mut Value) {
    if let (Some(call), Moment::AfterTool { output, .. }) = (&happening.call, &happening.moment) {
        all["input"] = json!({ "tool": call.name, "callID": call.id, "args": call.input });
        all["output"] = output.value.clone();
    }
}

const PART: &str = "/input/event/properties/part";

/// A part of a message: a tool call that failed, or thinking that is over.
fn part(happening: &mut Happening, all: &Value) -> Read {
    let part = all.pointer(PART).unwrap_or(&Value::Null);
    let time = |name: &str| part["time"][name].as_f64();
    if part["type"] == "reasoning"
        && let (Some(text), Some(end)) = (part["text"].as_str(), time("end"))
    {
        let duration_ms = time("start").map(|start| (end - start).max(0.0));
        return Ok(Moment::Thought { text: text.to_owned(), duration_ms });
    }
    if part["type"] == "tool" && part["state"]["status"] == "error" {
        return tool_failed(happening, all, part);
    }
    Ok(Moment::Nothing("a part of a message is told in other hooks, or not over yet"))
}

fn tool_failed(happening: &mut Happening, all: &Value, part: &Value) -> Read {
    let native = native(all, PART, &format!("{PART}/state/input"))?;
    let calls = tools::calls(&native, happening.cwd.as_deref())?;
    happening.call = Some(native);
    let message = part["state"]["error"].as_str().unwrap_or_default().to_owned();
    let refused = all["refused"] == true || message.contains("rejected permission");
    let time = |name: &str| part["state"]["time"][name].as_f64();
    let failing = Failing {
        kind: if refused { "permission_denied" } else { "error" },
        interrupted: message == "Tool execution aborted",
        duration_ms: time("end").zip(time("start")).map(|(end, start)| (end - start).max(0.0)),
        exit_code: None,
        message,
    };
    Ok(Moment::ToolFailed { calls, failing })
}

fn write_part(happening: &Happening, all: &mut Value) {
    let mut part = json!({});
    match &happening.moment {
        Moment::Thought { text, duration_ms } => {
            part = json!({"type": "reasoning", "text": text, "time": {"end": duration_ms.unwrap_or(0.0)}});
            if duration_ms.is_some() {
                part["time"]["start"] = json!(0);
            }
        }
        Moment::ToolFailed { failing, .. } => {
            let call = happening.call.as_ref();
            part = json!({"type": "tool", "tool": call.map(|call| &call.name), "callID": call.map(|call| &call.id)});
            part["state"] =
                json!({"status": "error", "input": call.map(|call| &call.input), "error": failing.message});
            if let Some(took) = failing.duration_ms {
                part["state"]["time"] = json!({"start": 0, "end": took});
            }
            if failing.kind == "permission_denied" {
                all["refused"] = json!(true);
            }
        }
        _ => {}
    }
    all["input"]["event"]["properties"]["part"] = part;
}

/// A session is idle: a turn is over. Its last message was told as it came.
fn stop(happening: &mut Happening, all: &Value) -> Read {
    let status = match text(all, "/error").as_deref() {
        None => "completed",
        Some("MessageAbortedError") => "aborted",
        Some(_) => "error",
    };
    let looping = all["looping"] == true;
    let ending = Ending { status, looping, ..Ending::default() };
    Ok(match happening.subagent {
        Some(_) => Moment::SubagentStop(Ending { message: text(all, "/text"), ..ending }),
        None => Moment::Stop(ending),
    })
}

fn write_stop(happening: &Happening, all: &mut Value) {
    let (Moment::Stop(ending) | Moment::SubagentStop(ending)) = &happening.moment else { return };
    all["looping"] = json!(ending.looping);
    if let Some(message) = &ending.message {
        all["text"] = json!(message);
    }
    match ending.status {
        "completed" => {}
        "aborted" => all["error"] = json!("MessageAbortedError"),
        _ => all["error"] = json!("UnknownError"),
    }
}

fn compact(_: &mut Happening, all: &Value) -> Read {
    let trigger = if all["auto"] == false { "manual" } else { "auto" };
    Ok(Moment::Compact { trigger: trigger.to_owned() })
}

fn write_compact(happening: &Happening, all: &mut Value) {
    if let Moment::Compact { trigger } = &happening.moment {
        all["auto"] = json!(trigger != "manual");
    }
}

fn response(_: &mut Happening, all: &Value) -> Read {
    Ok(Moment::Response { text: text(all, "/output/text").unwrap_or_default() })
}

fn write_response(happening: &Happening, all: &mut Value) {
    if let Moment::Response { text } = &happening.moment {
        all["output"]["text"] = json!(text);
    }
}

fn nothing(_: &Happening, _: &mut Value) {}

fn native(all: &Value, of: &str, input: &str) -> Result<NativeCall, NotUnderstood> {
    let name = text(all, &format!("{of}/tool"));
    let name = name.ok_or_else(|| NotUnderstood("`tool` is not the name of a tool".to_owned()))?;
    let input = match all.pointer(input) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(input)) => input.clone(),
        Some(_) => return Err(NotUnderstood(format!("the input of {name} is not a JSON object"))),
    };
    Ok(NativeCall { name, id: text(all, &format!("{of}/callID")), input })
}

/// A text that says something.
fn text(all: &Value, place: &str) -> Option<String> {
    let text = all.pointer(place)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

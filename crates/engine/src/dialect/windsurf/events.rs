//! What Windsurf tells: its events, one row each.

use serde_json::{Map, Value, json};

use crate::agent::{
    Happening, McpServer, Moment, NativeCall, NotUnderstood, Output, Told, ToolCall, ToolClass,
};
use crate::input::Edit;
use crate::payload::Payload;

/// One event: its name, and when it is told.
struct Row {
    name: &'static str,
    read: fn(&mut Happening, &Map<String, Value>) -> Result<Moment, NotUnderstood>,
}

const ROWS: &[Row] = &[
    Row { name: "pre_user_prompt", read: prompt },
    Row { name: "pre_read_code", read: |of, info| before(of, info, ToolClass::Read) },
    Row { name: "post_read_code", read: |of, info| after(of, info, ToolClass::Read) },
    Row { name: "pre_write_code", read: |of, info| before(of, info, ToolClass::Write) },
    Row { name: "post_write_code", read: |of, info| after(of, info, ToolClass::Write) },
    Row { name: "pre_run_command", read: |of, info| before(of, info, ToolClass::Shell) },
    Row { name: "post_run_command", read: |of, info| after(of, info, ToolClass::Shell) },
    Row { name: "pre_mcp_tool_use", read: |of, info| before(of, info, ToolClass::Mcp) },
    Row { name: "post_mcp_tool_use", read: |of, info| after(of, info, ToolClass::Mcp) },
    Row { name: "post_cascade_response", read: response },
    Row { name: "post_cascade_response_with_transcript", read: told_already },
    Row { name: "post_setup_worktree", read: told_already },
];

/// What Windsurf told, in our words.
pub(super) fn decode(told: &Told) -> Result<Happening, NotUnderstood> {
    let all: Value = serde_json::from_str(&told.payload.to_json()).unwrap_or_default();
    let named = told.event.clone().or_else(|| told.payload.text("agent_action_name"));
    let missing = "the payload has no `agent_action_name`, so it is not known what happened";
    let event = named.filter(|name| !name.is_empty()).ok_or_else(|| NotUnderstood(missing.to_owned()))?;
    let row = ROWS.iter().find(|row| row.name == event);
    let row = row.ok_or_else(|| NotUnderstood(format!("there is no event `{}`", event.escape_default())))?;
    let info = all["tool_info"].as_object().cloned().unwrap_or_default();
    let mut happening = Happening {
        session: told.payload.text("trajectory_id"),
        generation: told.payload.text("execution_id"),
        model: told.payload.text("model_name"),
        cwd: text(&info, "cwd"),
        ..Happening::of(&event, Moment::Nothing("nothing was read of it"))
    };
    happening.moment = (row.read)(&mut happening, &info)?;
    Ok(happening)
}

/// What Windsurf would have told.
pub(super) fn encode(happening: &Happening) -> Payload {
    let mut payload = Payload::default();
    payload.set("agent_action_name", &happening.event);
    let facts = [
        ("trajectory_id", &happening.session),
        ("execution_id", &happening.generation),
        ("model_name", &happening.model),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            payload.set(name, value);
        }
    }
    let mut info = happening.call.as_ref().map(|call| call.input.clone()).unwrap_or_default();
    match &happening.moment {
        Moment::Prompt { text } => drop(info.insert("user_prompt".to_owned(), json!(text))),
        Moment::Response { text } => drop(info.insert("response".to_owned(), json!(text))),
        _ => {}
    }
    payload.set("tool_info", info);
    payload
}

type Read = Result<Moment, NotUnderstood>;

fn prompt(_: &mut Happening, info: &Map<String, Value>) -> Read {
    Ok(Moment::Prompt { text: text(info, "user_prompt").unwrap_or_default() })
}

fn response(_: &mut Happening, info: &Map<String, Value>) -> Read {
    Ok(Moment::Response { text: text(info, "response").unwrap_or_default() })
}

fn told_already(_: &mut Happening, _: &Map<String, Value>) -> Read {
    Ok(Moment::Nothing("no event of ours is like it, or another told it"))
}

fn before(happening: &mut Happening, info: &Map<String, Value>, class: ToolClass) -> Read {
    Ok(Moment::BeforeTool { calls: vec![call(happening, info, class)?] })
}

fn after(happening: &mut Happening, info: &Map<String, Value>, class: ToolClass) -> Read {
    let calls = vec![call(happening, info, class)?];
    let value = info.get("mcp_result").cloned().unwrap_or_default();
    Ok(Moment::AfterTool { calls, output: Output { value, ..Output::default() } })
}

/// The one thing the event is about, as a call of ours.
fn call(
    happening: &mut Happening,
    info: &Map<String, Value>,
    class: ToolClass,
) -> Result<ToolCall, NotUnderstood> {
    let needed =
        |name: &str| text(info, name).ok_or_else(|| NotUnderstood(format!("`tool_info` has no `{name}`")));
    let mut call =
        ToolCall { name: String::new(), class, input: Map::new(), edits: Vec::new(), server: None };
    let mut put = |name: &str, value: Value| drop(call.input.insert(name.to_owned(), value));
    match class {
        ToolClass::Shell => {
            put("command", json!(needed("command_line")?));
            call.name = "Shell".to_owned();
        }
        ToolClass::Read => {
            put("file_path", json!(needed("file_path")?));
            call.name = "Read".to_owned();
        }
        ToolClass::Write => {
            let path = needed("file_path")?;
            let edits = edits(info);
            put("file_path", json!(path));
            put("edits", json!(edits));
            call.name = "Write".to_owned();
            call.edits = vec![(path, edits)];
        }
        ToolClass::Mcp => {
            let tool = needed("mcp_tool_name")?;
            call.input =
                info.get("mcp_tool_arguments").and_then(Value::as_object).cloned().unwrap_or_default();
            let name = text(info, "mcp_server_name").unwrap_or_default();
            call = call.of_server(McpServer::named(&name, &tool));
        }
        ToolClass::Task | ToolClass::Other => {}
    }
    happening.call = Some(NativeCall { name: call.name.clone(), id: None, input: info.clone() });
    Ok(call)
}

fn edits(info: &Map<String, Value>) -> Vec<Edit> {
    let edit = |one: &Value| {
        let text = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Edit { old_string: text("old_string"), new_string: text("new_string") }
    };
    info.get("edits").and_then(Value::as_array).into_iter().flatten().map(edit).collect()
}

/// A text that says something.
fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

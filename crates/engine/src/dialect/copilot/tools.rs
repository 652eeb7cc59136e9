//! Copilot's tools, and what they return.

use serde_json::{Map, Value, json};

use crate::agent::{
    Happening, McpServer, NativeTool, NotUnderstood, Output, ToolCall, ToolClass, cursor_call, native_input,
};
use crate::dialect::patch;
use crate::payload::Payload;

/// By Copilot's names and by Cursor's.
const TOOLS: &[NativeTool] = &[
    NativeTool { names: &["bash", "powershell"], cursor: "Shell", class: ToolClass::Shell, fields: &[] },
    // What is typed into a shell that runs is a command as well.
    NativeTool {
        names: &["write_bash", "write_powershell"],
        cursor: "Shell",
        class: ToolClass::Shell,
        fields: &[("input", "command")],
    },
    NativeTool {
        names: &["view", "show_file"],
        cursor: "Read",
        class: ToolClass::Read,
        fields: &[("path", "file_path")],
    },
    NativeTool {
        names: &["create"],
        cursor: "Write",
        class: ToolClass::Write,
        fields: &[("path", "file_path"), ("file_text", "content")],
    },
    NativeTool {
        names: &["edit", "str_replace_editor"],
        cursor: "Write",
        class: ToolClass::Write,
        fields: &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")],
    },
    NativeTool { names: &[PATCH], cursor: "Write", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["grep", "glob", "rg"], cursor: "Grep", class: ToolClass::Other, fields: &[] },
    NativeTool {
        names: &["task", "write_agent"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("agent_type", "subagent_type")],
    },
    NativeTool { names: &["web_fetch"], cursor: "WebFetch", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["web_search"], cursor: "WebSearch", class: ToolClass::Other, fields: &[] },
];

/// The tool whose input is a text and no object.
const PATCH: &str = "apply_patch";
/// Where that text stands in ours.
const PATCH_TEXT: &str = "input";

/// The native call as calls of ours: one, or one for each file of a patch.
pub(super) fn calls(happening: &Happening) -> Result<Vec<ToolCall>, NotUnderstood> {
    let missing = || NotUnderstood("the payload has no `toolName`, so no tool is known".to_owned());
    let native = happening.call.as_ref().ok_or_else(missing)?;
    if native.name == PATCH {
        return patch::calls(native, PATCH_TEXT, happening.cwd.as_deref());
    }
    let call = cursor_call(TOOLS, native);
    // Copilot's own tools have no hyphen in their names.
    if let Some((server, tool)) = native.name.split_once('-')
        && !TOOLS.iter().any(|row| row.names.contains(&native.name.as_str()))
    {
        return Ok(vec![call.of_server(McpServer::named(server, tool))]);
    }
    Ok(vec![call])
}

/// What a tool returned.
pub(super) fn output(result: Value, calls: &[ToolCall]) -> Output {
    let text = result.get("textResultForLlm").and_then(Value::as_str);
    let shell = calls.iter().all(|call| call.class == ToolClass::Shell);
    let (text, exit_code) = match text.filter(|_| shell) {
        None => (None, None),
        Some(text) => match ended(text) {
            Some((printed, code)) => (Some(printed.to_owned()), Some(code)),
            None => (Some(text.to_owned()), None),
        },
    };
    Output { value: result, text, exit_code, duration_ms: None }
}

/// What a shell printed, and the code in Copilot's last line behind it:
/// `<shellId: 0 completed with exit code 3>`.
fn ended(text: &str) -> Option<(&str, i32)> {
    let text = text.trim_end();
    let (printed, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let inside = last.strip_prefix("<shellId: ")?.strip_suffix('>')?;
    let (_, code) = inside.split_once(" completed with exit code ")?;
    Some((printed, code.trim().parse().ok()?))
}

/// The payload with an object as the tool's input. A text that is no JSON is
/// the input of a tool that takes nothing else.
pub(super) fn with_object(payload: &Payload) -> Payload {
    let mut payload = payload.clone();
    let name = payload.text("toolName").unwrap_or_default();
    // The tools we know take an object: a bare text would be hidden in a field
    // that no hook looks at.
    let takes_object = name != PATCH && TOOLS.iter().any(|row| row.names.contains(&name.as_str()));
    if let Some(text) = payload.text("toolArgs").filter(|_| !takes_object)
        && serde_json::from_str::<Map<String, Value>>(&text).is_err()
    {
        payload.set("toolArgs", json!({ PATCH_TEXT: text }));
    }
    payload
}

/// The reverse.
pub(super) fn as_sent(payload: &mut Payload) {
    let only_text = |input: &Map<String, Value>| input.len() == 1 && input[PATCH_TEXT].is_string();
    let input = payload.get("toolArgs").and_then(|input| serde_json::from_str(input.get()).ok());
    if payload.text("toolName").as_deref() == Some(PATCH)
        && let Some(input) = input.filter(|input: &Map<String, Value>| input.contains_key(PATCH_TEXT))
        && only_text(&input)
    {
        payload.set("toolArgs", &input[PATCH_TEXT]);
    }
}

/// The whole native input with what hooks want: what is left out would be
/// gone. A patch, which is a text and no object, cannot be given.
pub(super) fn fold(
    happening: &Happening,
    wanted: &[Option<Map<String, Value>>],
) -> Option<Map<String, Value>> {
    let call = happening.call.as_ref().filter(|call| call.name != PATCH)?;
    let [Some(input)] = wanted else { return None };
    Some(native_input(TOOLS, call, input.clone()))
}

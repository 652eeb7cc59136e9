//! OpenCode's tools, and what they return.

use serde_json::{Map, Value};

use crate::agent::{
    Happening, McpServer, NativeCall, NativeTool, NotUnderstood, Output, ToolCall, ToolClass, cursor_call,
    native_input,
};
use crate::dialect::patch;

/// By OpenCode's names and by Cursor's.
const TOOLS: &[NativeTool] = &[
    NativeTool {
        names: &["bash"],
        cursor: "Shell",
        class: ToolClass::Shell,
        fields: &[("workdir", "working_directory")],
    },
    NativeTool {
        names: &["read"],
        cursor: "Read",
        class: ToolClass::Read,
        fields: &[("filePath", "file_path")],
    },
    NativeTool {
        names: &["write"],
        cursor: "Write",
        class: ToolClass::Write,
        fields: &[("filePath", "file_path")],
    },
    NativeTool {
        names: &["edit", "multiedit"],
        cursor: "Write",
        class: ToolClass::Write,
        fields: &[("filePath", "file_path"), ("oldString", "old_string"), ("newString", "new_string")],
    },
    NativeTool { names: PATCHES, cursor: "Write", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["grep", "glob", "list"], cursor: "Grep", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["task"], cursor: "Task", class: ToolClass::Task, fields: &[] },
    NativeTool { names: &["webfetch"], cursor: "WebFetch", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["websearch"], cursor: "WebSearch", class: ToolClass::Other, fields: &[] },
];

/// Several calls in one.
const BATCH: &str = "batch";
const PATCHES: &[&str] = &["apply_patch", "patch"];
const PATCH_TEXT: &str = "patchText";

/// Tools of its own that have the sign in their names which stands between a
/// server's name and a tool's.
const NOT_MCP: &[&str] = &[
    "apply_patch",
    "plan_enter",
    "plan_exit",
    "list_mcp_resources",
    "list_mcp_resource_templates",
    "read_mcp_resource",
];

/// The native call as calls of ours: one, or one for each file of a patch.
pub(super) fn calls(native: &NativeCall, cwd: Option<&str>) -> Result<Vec<ToolCall>, NotUnderstood> {
    if is_patch(native) {
        return patch::calls(native, PATCH_TEXT, cwd);
    }
    if native.name == BATCH {
        let inner = batch(native)?;
        return Ok(inner.iter().map(|one| calls(one, cwd)).collect::<Result<Vec<_>, _>>()?.concat());
    }
    let call = cursor_call(TOOLS, native);
    // A tool that another plugin brings may look like one of a server's too. It
    // is better asked about once too often.
    if let Some((server, tool)) = native.name.split_once('_')
        && !NOT_MCP.contains(&native.name.as_str())
    {
        return Ok(vec![call.of_server(McpServer::named(server, tool))]);
    }
    Ok(vec![call])
}

/// The whole native input in which these calls have others; none where that
/// cannot be said.
pub(super) fn fold(
    happening: &Happening,
    wanted: &[Option<Map<String, Value>>],
) -> Option<Map<String, Value>> {
    let native = happening.call.as_ref()?;
    if native.name == BATCH {
        return None;
    }
    if is_patch(native) {
        return patch::rewritten(native, PATCH_TEXT, happening.cwd.as_deref(), wanted);
    }
    wanted.first()?.clone().map(|input| native_input(TOOLS, native, input))
}

/// The calls inside of one. OpenCode runs them without telling of each.
fn batch(native: &NativeCall) -> Result<Vec<NativeCall>, NotUnderstood> {
    let unclear =
        || NotUnderstood(format!("`tool_calls` of {BATCH} is not a list of tools and their inputs"));
    let one = |call: &Value| {
        let name = call.get("tool")?.as_str().filter(|name| !name.is_empty() && *name != BATCH)?.to_owned();
        let input = match call.get("parameters") {
            None | Some(Value::Null) => Map::new(),
            Some(input) => input.as_object()?.clone(),
        };
        Some(NativeCall { name, id: None, input })
    };
    let list = native.input.get("tool_calls").and_then(Value::as_array).ok_or_else(unclear)?;
    list.iter().map(one).collect::<Option<Vec<_>>>().ok_or_else(unclear)
}

fn is_patch(call: &NativeCall) -> bool {
    PATCHES.contains(&call.name.as_str())
}

/// What a tool returned: for most a text beside facts about it, for MCP the
/// server's own object.
pub(super) fn output(returned: Value, calls: &[ToolCall]) -> Output {
    let shell = calls.iter().all(|call| call.class == ToolClass::Shell);
    let text = returned.get("output").and_then(Value::as_str).filter(|_| shell);
    let code = returned.pointer("/metadata/exit").and_then(Value::as_i64).filter(|_| shell);
    Output {
        text: text.map(str::to_owned),
        exit_code: code.and_then(|code| i32::try_from(code).ok()),
        duration_ms: None,
        value: returned,
    }
}

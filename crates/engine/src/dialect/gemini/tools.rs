//! Gemini's tools by our names.

use serde_json::{Map, Value, json};

use crate::agent::{
    Happening, McpServer, NativeCall, NativeTool, NotUnderstood, ToolCall, ToolClass, cursor_call,
    native_input,
};
use crate::payload::Payload;

const MANY: &str = "read_many_files";
/// Subagents that are tools themselves.
const AGENTS: &[&str] = &["codebase_investigator", "cli_help", "generalist"];

const TOOLS: &[NativeTool] = &[
    NativeTool {
        names: &["run_shell_command"],
        cursor: "Shell",
        class: ToolClass::Shell,
        fields: &[("dir_path", "working_directory")],
    },
    NativeTool {
        names: &["read_file", MANY],
        cursor: "Read",
        class: ToolClass::Read,
        fields: &[("absolute_path", "file_path")],
    },
    NativeTool { names: &["write_file", "replace"], cursor: "Write", class: ToolClass::Write, fields: &[] },
    NativeTool {
        names: &["grep_search", "search_file_content"],
        cursor: "Grep",
        class: ToolClass::Other,
        fields: &[("dir_path", "path")],
    },
    NativeTool { names: &["glob"], cursor: "Glob", class: ToolClass::Other, fields: &[("dir_path", "path")] },
    NativeTool {
        names: &["list_directory"],
        cursor: "LS",
        class: ToolClass::Other,
        fields: &[("dir_path", "path")],
    },
    NativeTool {
        names: &["invoke_agent"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("agent_name", "subagent_type")],
    },
    NativeTool {
        names: &["codebase_investigator"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("objective", "prompt")],
    },
    NativeTool {
        names: &["cli_help"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("question", "prompt")],
    },
    NativeTool {
        names: &["generalist"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("request", "prompt")],
    },
    NativeTool { names: &["web_fetch"], cursor: "WebFetch", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["google_web_search"], cursor: "WebSearch", class: ToolClass::Other, fields: &[] },
];

/// What a call is to us.
pub(super) fn calls(call: &NativeCall, payload: &Payload) -> Result<Vec<ToolCall>, NotUnderstood> {
    let mut one = cursor_call(TOOLS, call);
    if let Some(server) = mcp_server(call, payload) {
        return Ok(vec![one.of_server(server)]);
    }
    if AGENTS.contains(&call.name.as_str()) {
        one.input.entry("subagent_type").or_insert_with(|| call.name.clone().into());
    }
    let several = files(call)?;
    if several.is_empty() {
        return Ok(vec![one]);
    }
    let read = |path: String| {
        let mut input = one.input.clone();
        input.insert("file_path".to_owned(), path.into());
        ToolCall { input, ..one.clone() }
    };
    Ok(several.into_iter().map(read).collect())
}

/// The native input with what hooks want; none when Gemini has no names for it,
/// and when several calls of ours are one of its.
pub(super) fn fold(
    happening: &Happening,
    wanted: &[Option<Map<String, Value>>],
) -> Option<Map<String, Value>> {
    let call = happening.call.as_ref()?;
    let [Some(wanted)] = wanted else { return None };
    let mut wanted = wanted.clone();
    if AGENTS.contains(&call.name.as_str())
        && wanted.shift_remove("subagent_type").is_some_and(|kind| kind != call.name.as_str())
    {
        return None;
    }
    Some(native_input(TOOLS, call, wanted))
}

/// The files of a call that reads several. Which files a pattern stands for is
/// Gemini's to know, so no hook could be asked about them.
fn files(call: &NativeCall) -> Result<Vec<String>, NotUnderstood> {
    let mut found = Vec::new();
    let given = ["include", "paths"].iter().filter_map(|name| call.input.get(*name));
    for list in given.filter(|_| call.name == MANY) {
        let paths = list.as_array().map(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        let Some(Some(paths)) = paths else {
            return Err(NotUnderstood(format!("{MANY} wants a list of paths, and got something else")));
        };
        if let Some(pattern) =
            paths.iter().find(|path| path.contains(['*', '?', '[', ']', '{', '}', '!', '(']))
        {
            return Err(NotUnderstood(format!(
                "{MANY} was given the pattern `{pattern}`, and it is not known which files that are; name them one by one"
            )));
        }
        found.extend(paths.into_iter().map(str::to_owned));
    }
    Ok(found)
}

/// Who a tool belongs to: told, or read from its name, `mcp_server_tool`.
fn mcp_server(call: &NativeCall, payload: &Payload) -> Option<McpServer> {
    let told = payload.get("mcp_context").and_then(|told| serde_json::from_str::<Payload>(told.get()).ok());
    if let Some((tool, told)) = told.and_then(|told| Some((told.text("tool_name")?, told))) {
        let args = told.texts("args").unwrap_or_default();
        let command = told.text("command").map(|command| [vec![command], args].concat().join(" "));
        let name = told.text("server_name").unwrap_or_default();
        return Some(McpServer { name, tool, url: told.text("url"), command });
    }
    let rest = call.name.strip_prefix("mcp_")?.trim_start_matches('_');
    let (name, tool) = rest.split_once("__").or_else(|| rest.split_once('_')).unwrap_or(("", rest));
    Some(McpServer::named(name, tool))
}

/// Tells again who a tool belongs to.
pub(super) fn write_server(calls: &[ToolCall], payload: &mut Payload) {
    let Some(server) = calls.first().and_then(|call| call.server.as_ref()) else { return };
    let mut told = json!({ "server_name": server.name, "tool_name": server.tool });
    for (name, value) in [("command", &server.command), ("url", &server.url)] {
        if let Some(value) = value {
            told[name] = value.clone().into();
        }
    }
    payload.set("mcp_context", told);
}

//! Tools by an agent's names and by Cursor's: rows of a dialect's table.

use serde_json::{Map, Value};

use super::happening::{McpServer, NativeCall, ToolCall, ToolClass};
use crate::input::Edit;
use crate::payload::rename_key as rename;

/// One tool, or several that mean the same to us.
#[derive(Debug, Clone, Copy)]
pub struct NativeTool {
    /// What the agent calls it.
    pub names: &'static [&'static str],
    /// What Cursor calls it.
    pub cursor: &'static str,
    /// What it does.
    pub class: ToolClass,
    /// Fields of its input that have another name here: the agent's, Cursor's.
    pub fields: &'static [(&'static str, &'static str)],
}

/// Tools that reach an MCP server without being one of its tools: what agents call them, and the one name by which hooks
/// see them behind `MCP:`.
const MCP_ACCESS: &[(&[&str], &str)] = &[
    (
        &["read_mcp_resource", "ReadMcpResourceTool", "ReadMcpResource", "access_mcp_resource"],
        "read_mcp_resource",
    ),
    (&["ReadMcpResourceDirTool"], "read_mcp_resource_dir"),
    (&["list_mcp_resources", "ListMcpResourcesTool", "ListMcpResources"], "list_mcp_resources"),
    (&["list_mcp_resource_templates"], "list_mcp_resource_templates"),
    (&["list_mcp_prompts"], "list_mcp_prompts"),
    (&["get_mcp_prompt"], "get_mcp_prompt"),
    (&["load_mcp_documentation"], "load_mcp_documentation"),
];

/// Where such a call names its server.
const SERVER_FIELDS: &[&str] = &["server", "server_name", "serverName"];

/// The server that a call reaches through a tool of the agent's own.
fn mcp_access(call: &NativeCall) -> Option<McpServer> {
    let (_, tool) = MCP_ACCESS.iter().find(|(names, _)| names.contains(&call.name.as_str()))?;
    let server = SERVER_FIELDS.iter().find_map(|field| call.input.get(*field)?.as_str());
    Some(McpServer::named(server.unwrap_or_default(), tool))
}

/// A call as Cursor would have made it. A tool without a row keeps its name.
pub fn cursor_call(table: &[NativeTool], call: &NativeCall) -> ToolCall {
    let row = row(table, &call.name);
    let mut input = call.input.clone();
    for (theirs, ours) in row.map_or(&[][..], |row| row.fields) {
        rename(&mut input, theirs, ours);
    }
    let class = row.map_or(ToolClass::Other, |row| row.class);
    let edits = if class == ToolClass::Write { edits_of(&input) } else { Vec::new() };
    let name = row.map_or(call.name.as_str(), |row| row.cursor).to_owned();
    let call_of_ours = ToolCall { name, class, input, edits, server: None };
    match mcp_access(call).filter(|_| row.is_none()) {
        Some(server) => call_of_ours.of_server(server),
        None => call_of_ours,
    }
}

/// An input by Cursor's names, by the agent's.
pub fn native_input(
    table: &[NativeTool],
    call: &NativeCall,
    mut input: Map<String, Value>,
) -> Map<String, Value> {
    for (theirs, ours) in row(table, &call.name).map_or(&[][..], |row| row.fields) {
        // A name the agent never used was not ours to translate.
        if call.input.contains_key(*theirs) || !call.input.contains_key(*ours) {
            rename(&mut input, ours, theirs);
        }
    }
    input
}

fn row<'t>(table: &'t [NativeTool], name: &str) -> Option<&'t NativeTool> {
    table.iter().find(|row| row.names.contains(&name))
}

/// What a change says it does: whole content, one replacement, or several.
fn edits_of(input: &Map<String, Value>) -> Vec<(String, Vec<Edit>)> {
    let text = |fields: &Map<String, Value>, name: &str| Some(fields.get(name)?.as_str()?.to_owned());
    let edit = |fields: &Map<String, Value>| {
        let new_string = text(fields, "new_string")?;
        Some(Edit { old_string: text(fields, "old_string").unwrap_or_default(), new_string })
    };
    let Some(path) = text(input, "file_path") else { return Vec::new() };
    let several = input.get("edits").and_then(Value::as_array);
    let edits: Vec<Edit> = match (several, text(input, "content")) {
        (Some(list), _) => list.iter().filter_map(|one| edit(one.as_object()?)).collect(),
        (None, Some(content)) => vec![Edit { old_string: String::new(), new_string: content }],
        (None, None) => edit(input).into_iter().collect(),
    };
    vec![(path, edits)]
}

//! Codex's tools by our names.

use serde_json::{Map, Value};

use crate::agent::{
    Happening, McpServer, NativeCall, NativeTool, NotUnderstood, ToolCall, ToolClass, cursor_call,
    native_input,
};

use super::patches;

/// The tool that applies patches, and the one that runs commands.
pub(super) const PATCH: &str = "apply_patch";
pub(super) const SHELL: &str = "Bash";

/// Its tools; `apply_patch` is read file by file in `patches`.
pub(super) const TOOLS: &[NativeTool] = &[
    NativeTool { names: &[SHELL], cursor: "Shell", class: ToolClass::Shell, fields: &[] },
    NativeTool {
        names: &[PATCH],
        cursor: "Write",
        class: ToolClass::Write,
        fields: &[("command", "content")],
    },
    // Pictures are the only files it has a tool for.
    NativeTool {
        names: &["view_image"],
        cursor: "Read",
        class: ToolClass::Read,
        fields: &[("path", "file_path")],
    },
    NativeTool {
        names: &["spawn_agent"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("message", "prompt"), ("agent_type", "subagent_type")],
    },
    // A subagent that has ended goes on with these.
    NativeTool {
        names: &[
            "followup_task",
            "assign_task",
            "assign_agent_task",
            "send_input",
            "send_message",
            "resume_agent",
        ],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("message", "prompt")],
    },
    NativeTool {
        names: &["spawn_agents_on_csv"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("instruction", "prompt")],
    },
    NativeTool { names: &["web_search"], cursor: "WebSearch", class: ToolClass::Other, fields: &[] },
];

/// Tools that Codex also tells with the name of their namespace before their own, without a separator
/// (`collaborationfollowup_task`). Settings can name the namespace, so any is read.
const NAMESPACED: &[&str] = &["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"];

/// The call by the tool's own name, without a namespace.
fn without_namespace(call: &NativeCall) -> NativeCall {
    let tasks = TOOLS.iter().filter(|row| row.class == ToolClass::Task).flat_map(|row| row.names);
    let own = tasks.chain(NAMESPACED).find(|name| call.name.ends_with(**name));
    NativeCall { name: own.map_or(call.name.as_str(), |name| name).to_owned(), ..call.clone() }
}

/// What a call is to us.
pub(super) fn calls(call: &NativeCall, cwd: Option<&str>) -> Result<Vec<ToolCall>, NotUnderstood> {
    if let Some(server) = mcp_server(&call.name) {
        return Ok(vec![cursor_call(TOOLS, call).of_server(server)]);
    }
    let call = &without_namespace(call);
    let command = || call.input.get("command").and_then(|command| command.as_str());
    match (call.name.as_str(), command()) {
        (PATCH, Some(text)) => patches::of_patch(text, cwd),
        (SHELL, Some(command)) => {
            let written = patches::in_command(command, cwd)?;
            Ok(std::iter::once(cursor_call(TOOLS, call)).chain(written).collect())
        }
        _ => Ok(vec![cursor_call(TOOLS, call)]),
    }
}

/// The native input with what hooks want; none when Codex cannot be given it.
pub(super) fn fold(
    happening: &Happening,
    wanted: &[Option<Map<String, Value>>],
) -> Option<Map<String, Value>> {
    let call = happening.call.as_ref()?;
    let command = call.input.get("command").and_then(Value::as_str);
    let cwd = happening.cwd.as_deref();
    match (call.name.as_str(), command) {
        (PATCH, Some(text)) => {
            patches::rewritten(text, cwd, wanted).map(|text| changed(call, "command", text.into()))
        }
        (SHELL, Some(_)) => command_line(call, cwd, wanted),
        _ => match wanted {
            [Some(input)] => Some(native_input(TOOLS, &without_namespace(call), input.clone())),
            _ => None,
        },
    }
}

/// Codex reads nothing of it but the command. A patch in it must stay the one
/// that hooks were asked about.
fn command_line(
    call: &NativeCall,
    cwd: Option<&str>,
    wanted: &[Option<Map<String, Value>>],
) -> Option<Map<String, Value>> {
    let [Some(input), rest @ ..] = wanted else { return None };
    let new = |name: &&String| !call.input.contains_key(*name) && *name != "description";
    if rest.iter().any(Option::is_some) || input.keys().any(|name| new(&name)) {
        return None;
    }
    let input = changed(call, "command", input.get("command").filter(|command| command.is_string())?.clone());
    let other = NativeCall { input: input.clone(), ..call.clone() };
    let (given, then) = (calls(call, cwd).ok()?, calls(&other, cwd).ok()?);
    (given[1..] == then[1..]).then_some(input)
}

fn changed(call: &NativeCall, name: &str, value: Value) -> Map<String, Value> {
    let mut input = call.input.clone();
    input.insert(name.to_owned(), value);
    input
}

/// `mcp__server__tool`.
fn mcp_server(name: &str) -> Option<McpServer> {
    let rest = name.strip_prefix("mcp__")?;
    let (server, tool) = rest.split_once("__").unwrap_or(("", rest));
    Some(McpServer::named(server, tool))
}

//! Tools by both names, and their inputs and outputs by both names.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::ClaudeMatcher;
use crate::agent::{NativeTool, ToolClass};
use crate::fill::Event;
use crate::payload::rename_key as rename;

/// Claude Code's tools, and ours; the usual name of each first.
#[rustfmt::skip]
pub(in crate::dialect) const TOOLS: &[NativeTool] = &[
    NativeTool { names: &["Bash", "PowerShell", "Monitor"], cursor: "Shell", class: ToolClass::Shell, fields: &[] },
    NativeTool { names: &["Write", "Edit", "MultiEdit"], cursor: "Write", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["NotebookEdit"], cursor: "Write", class: ToolClass::Write,
        fields: &[("notebook_path", "file_path"), ("new_source", "new_string")] },
    NativeTool { names: &["Read"], cursor: "Read", class: ToolClass::Read, fields: &[] },
    NativeTool { names: &["Grep", "Glob"], cursor: "Grep", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["Task", "Agent", "Workflow", "SendMessage"], cursor: "Task", class: ToolClass::Task, fields: &[] },
    NativeTool { names: &["WebFetch"], cursor: "WebFetch", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["WebSearch"], cursor: "WebSearch", class: ToolClass::Other, fields: &[] },
];

/// Tools that are one of ours when Claude Code tells of them. A hook that was
/// written for them is not imported: the original product imports none.
const TOLD_ONLY: &[&str] = &["PowerShell", "Monitor", "Glob", "Workflow", "SendMessage"];

/// Other names of ours for a tool that changes files.
const OUR_WRITERS: &[&str] = &["StrReplace", "ApplyPatch", "EditNotebook"];

/// Whatever changes a file is one tool here.
pub(super) const WRITERS: &[&str] = &["Write", "Edit", "MultiEdit", "NotebookEdit"];

/// Claude Code's tools that announce themselves to hooks, with and without a counterpart.
pub const KNOWN_TOOLS: &[&str] = &[
    "Bash",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "Grep",
    "Task",
    "Agent",
    "WebFetch",
    "WebSearch",
    "Glob",
    "LS",
    "NotebookRead",
    "TodoRead",
    "TodoWrite",
    "ExitPlanMode",
    "EnterPlanMode",
    "AskUserQuestion",
    "BashOutput",
    "KillShell",
    "KillBash",
    "PowerShell",
    "Skill",
    "SlashCommand",
    "TeamCreate",
    "TaskCreate",
    "TaskUpdate",
];

/// Our tool for one of Claude Code's; none when there is no counterpart.
pub fn native_tool(claude: &str) -> Option<String> {
    if let Some((_, tool)) = mcp_parts(claude, None) {
        return Some(format!("MCP:{tool}"));
    }
    let row = TOOLS.iter().find(|row| row.names.contains(&claude) && !TOLD_ONLY.contains(&claude));
    row.map(|row| row.cursor.to_owned())
}

/// The server and the tool in `mcp__server__tool`. A server whose name holds
/// two bars itself is known only where it was told beside.
pub(in crate::dialect) fn mcp_parts<'n>(name: &'n str, told: Option<&str>) -> Option<(String, &'n str)> {
    let rest = name.strip_prefix("mcp__")?;
    let behind = |server: &str| rest.strip_prefix(&in_tool_names(server))?.strip_prefix("__");
    match told.and_then(|server| Some((server.to_owned(), behind(server)?))) {
        Some(parts) => Some(parts),
        None => rest.split_once("__").map(|(server, tool)| (server.to_owned(), tool)),
    }
}

/// A server's name as it stands in the names of its tools.
fn in_tool_names(server: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    server.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect()
}

/// Every name Claude Code might have for the tool of an event. A server that
/// the event does not name may be the one the pattern names.
pub(super) fn names(event: &Event, pattern: &str) -> Vec<String> {
    let native = event.payload.text("tool_name").unwrap_or_default();
    if let Some(tool) = native.strip_prefix("MCP:") {
        let servers = match event.payload.text("mcp_server_name").filter(|server| !server.is_empty()) {
            Some(server) => vec![server],
            None => servers_in(pattern),
        };
        return servers.iter().map(|server| format!("mcp__{server}__{tool}")).collect();
    }
    let cursor = if OUR_WRITERS.contains(&native.as_str()) { "Write" } else { native.as_str() };
    let rows = TOOLS.iter().filter(|row| row.cursor == cursor).flat_map(|row| row.names);
    let names: Vec<String> =
        rows.filter(|name| !TOLD_ONLY.contains(name)).map(|name| (*name).to_owned()).collect();
    if names.is_empty() { vec![native] } else { names }
}

/// The servers that a pattern names, and a word for one that nobody named.
fn servers_in(pattern: &str) -> Vec<String> {
    let behind = pattern.split("mcp__").skip(1);
    let named = behind.map(|rest| rest.split_once("__").map_or(rest, |(server, _)| server).to_owned());
    let plain =
        |server: &String| server.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    named.filter(plain).chain(["server".to_owned()]).collect()
}

/// The name a hook is told: the one that fits the input, unless its matcher
/// asks for another one of the same tool.
pub(super) fn name(event: &Event, matcher: Option<&ClaudeMatcher>) -> String {
    let pattern = matcher.map_or("", ClaudeMatcher::pattern);
    let names = names(event, pattern);
    let fits = |name: &&String| matcher.is_none_or(|matcher| matcher.is_everything() || matcher.fits(name));
    let natural = names.iter().find(|name| **name == natural(event, &names)).filter(fits);
    natural.or_else(|| names.iter().find(fits)).or(names.first()).cloned().unwrap_or_default()
}

/// What Claude Code calls a change of this form.
fn natural(event: &Event, names: &[String]) -> String {
    let input = input_of(event);
    let has = |field: &str| input.contains_key(field);
    let name = match names.first().map(String::as_str) {
        Some("Write") if has("notebook_path") => "NotebookEdit",
        Some("Write") if has("edits") => "MultiEdit",
        Some("Write") if has("new_string") => "Edit",
        Some(first) => first,
        None => "",
    };
    name.to_owned()
}

/// The tool's input by Claude Code's names. What it has no name for stays.
pub(super) fn input(event: &Event, name: &str) -> Map<String, Value> {
    let mut input = input_of(event);
    for (ours, theirs) in RENAMED {
        rename(&mut input, ours, theirs);
    }
    let new_text = input.get("content").or(input.get("new_string")).cloned().or_else(|| edits(&input));
    if let Some(text) = new_text {
        // A hook that asked for one way to change a file is told of every way
        // by the names it knows.
        if name == "Edit" && !input.contains_key("new_string") {
            input.insert("old_string".to_owned(), Value::from(""));
            input.insert("new_string".to_owned(), text);
        } else if name == "Write" && !input.contains_key("content") {
            input.insert("content".to_owned(), text);
        }
    }
    input
}

/// Native fields, and Claude Code's.
const RENAMED: &[(&str, &str)] = &[("path", "file_path"), ("contents", "content")];

/// An input that a hook rewrote, by the names the tool was given. What we
/// added for the hook's sake goes again.
pub(super) fn input_back(event: &Event, name: &str, updated: &RawValue) -> Option<Box<RawValue>> {
    let (given, shown) = (input_of(event), input(event, name));
    let Ok(Value::Object(mut updated)) = serde_json::from_str(updated.get()) else { return None };
    let ours = |field: &str| !given.contains_key(field) && shown.contains_key(field);
    let whole = given.contains_key("content") || given.contains_key("contents");
    if ours("new_string") && whole {
        let text = updated.remove("new_string");
        if let Some(text) = text.filter(|text| Some(text) != shown.get("new_string")) {
            updated.insert("content".to_owned(), text);
        }
        updated.remove("old_string");
    } else if ours("content") && !whole {
        let changed = updated.remove("content").filter(|text| Some(text) != shown.get("content"));
        if let Some(text) = changed.filter(|_| given.contains_key("new_string")) {
            updated.insert("new_string".to_owned(), text);
        }
    }
    for (ours, theirs) in RENAMED {
        if given.contains_key(*ours) && !given.contains_key(*theirs) {
            rename(&mut updated, theirs, ours);
        }
    }
    serde_json::value::to_raw_value(&updated).ok()
}

/// The tool's output as an object, with Claude Code's names beside ours.
pub(super) fn response(event: &Event) -> Value {
    let Some(output) = event.payload.get("tool_output") else { return Value::Null };
    let value: Value = serde_json::from_str(output.get()).unwrap_or_default();
    let mut value = match &value {
        Value::String(text) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    };
    if let Value::Object(fields) = &mut value {
        for (ours, theirs) in [("output", "stdout"), ("file_path", "filePath")] {
            if let Some(found) = fields.get(ours).cloned().filter(|_| !fields.contains_key(theirs)) {
                fields.insert(theirs.to_owned(), found);
            }
        }
        if fields.contains_key("stdout") {
            fields.entry("stderr").or_insert_with(|| Value::from(""));
            fields.entry("interrupted").or_insert(Value::Bool(false));
        }
    }
    value
}

/// The tool's input; an input that is JSON in a string is read.
fn input_of(event: &Event) -> Map<String, Value> {
    let value = event.payload.get("tool_input").and_then(|input| serde_json::from_str(input.get()).ok());
    let value = match value {
        Some(Value::String(text)) => serde_json::from_str(&text).ok(),
        other => other,
    };
    match value {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// The new texts of several edits, one below the other.
fn edits(input: &Map<String, Value>) -> Option<Value> {
    let texts = input.get("edits")?.as_array()?.iter().filter_map(|edit| edit.get("new_string")?.as_str());
    Some(Value::from(texts.collect::<Vec<_>>().join("\n")))
}

//! Cline's tools. Models write their input in many shapes and Cline takes all
//! of them, so all of them are read here: a list or one thing, a text or an
//! object, under several names.

use serde_json::{Map, Value, json};

use crate::agent::{
    Happening, McpServer, NativeCall, NativeTool, NotUnderstood, ToolCall, ToolClass, cursor_call,
    native_input,
};
use crate::dialect::patch;

pub(super) const SHELL: &str = "run_commands";
pub(super) const READ: &str = "read_files";
const PATCH: &str = "apply_patch";
const PATCH_TEXT: &str = "input";
/// A server's tool, in versions before `server__tool`.
const SERVER: &str = "use_mcp_tool";

/// By Cline's names and by Cursor's. What a list is read as stands in `calls`.
const TOOLS: &[NativeTool] = &[
    NativeTool {
        names: &["editor"],
        cursor: "Write",
        class: ToolClass::Write,
        fields: &[("path", "file_path"), ("old_text", "old_string"), ("new_text", "new_string")],
    },
    NativeTool { names: &["search_codebase"], cursor: "Grep", class: ToolClass::Other, fields: &[] },
    NativeTool {
        names: &["spawn_agent"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("task", "prompt")],
    },
    NativeTool {
        names: &["team_run_task"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("task", "prompt"), ("agentId", "subagent_type")],
    },
    NativeTool {
        names: &["team_spawn_teammate"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("rolePrompt", "prompt"), ("agentId", "subagent_type")],
    },
    // Versions before the names above.
    NativeTool {
        names: &["new_task", "use_subagents"],
        cursor: "Task",
        class: ToolClass::Task,
        fields: &[("context", "prompt")],
    },
    NativeTool { names: &["execute_command"], cursor: "Shell", class: ToolClass::Shell, fields: &[] },
    NativeTool {
        names: &["read_file"],
        cursor: "Read",
        class: ToolClass::Read,
        fields: &[("path", "file_path")],
    },
    NativeTool {
        names: &["write_to_file", "new_rule"],
        cursor: "Write",
        class: ToolClass::Write,
        fields: &[("path", "file_path")],
    },
    NativeTool {
        names: &["replace_in_file"],
        cursor: "Write",
        class: ToolClass::Write,
        fields: &[("path", "file_path"), ("diff", "new_string")],
    },
    NativeTool { names: &["search_files"], cursor: "Grep", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["list_files"], cursor: "LS", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["web_fetch"], cursor: "WebFetch", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["fetch_web_content"], cursor: "WebFetch", class: ToolClass::Other, fields: &[] },
];

/// The input as an object: what a tool takes bare stands under its usual name.
pub(super) fn as_object(name: &str, input: Option<Value>) -> Result<Map<String, Value>, NotUnderstood> {
    let field = match name {
        SHELL => "commands",
        READ => "files",
        PATCH => PATCH_TEXT,
        _ => "",
    };
    match input {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(input)) => Ok(input),
        Some(bare) if !field.is_empty() => {
            let mut input = Map::new();
            input.insert(field.to_owned(), bare);
            Ok(input)
        }
        Some(_) => Err(NotUnderstood(format!("the input of {name} is not a JSON object"))),
    }
}

/// A call in the form of old versions, whose parameters are texts: a list or an
/// object stands in one as JSON.
pub(super) fn legacy(old: &Map<String, Value>) -> Result<NativeCall, NotUnderstood> {
    let name = ["toolName", "tool"].iter().find_map(|name| old.get(*name)?.as_str());
    let name = name.filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| NotUnderstood("`toolName` is not the name of a tool".to_owned()))?;
    let mut input = as_object(name, old.get("parameters").cloned())?;
    for field in LISTS {
        if let Some(value) = input.get_mut(*field)
            && let Some(list @ (Value::Array(_) | Value::Object(_))) =
                value.as_str().and_then(|text| serde_json::from_str(text).ok())
        {
            *value = list;
        }
    }
    Ok(NativeCall { name: name.to_owned(), id: None, input })
}

/// Parameters that are lists or objects.
const LISTS: &[&str] = &["commands", "files", "file_paths", "paths", "arguments", "args"];

/// A server's tool by its old form: the server, the tool and its input are parameters.
fn of_server(native: &NativeCall) -> Result<ToolCall, NotUnderstood> {
    let text = |name: &str| native.input.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (Some(server), Some(tool)) = (text("server_name"), text("tool_name")) else {
        return Err(NotUnderstood(format!("{SERVER} names no server and no tool")));
    };
    let input = match native.input.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(input)) => input.clone(),
        Some(_) => return Err(NotUnderstood(format!("the arguments of {SERVER} are not a JSON object"))),
    };
    let call = cursor_call(TOOLS, &NativeCall { input, ..native.clone() });
    Ok(call.of_server(McpServer::named(server, tool)))
}

/// The native call as calls of ours: one for each command, each file.
pub(super) fn calls(native: &NativeCall, cwd: Option<&str>) -> Result<Vec<ToolCall>, NotUnderstood> {
    match native.name.as_str() {
        SHELL => commands(native).into_iter().map(|one| shell(native, &one)).collect(),
        READ => files(native).into_iter().map(|one| read(native, &one)).collect(),
        PATCH => patch::calls(native, PATCH_TEXT, cwd),
        SERVER => of_server(native).map(|call| vec![call]),
        name => {
            let call = cursor_call(TOOLS, native);
            Ok(vec![match name.split_once("__") {
                Some((server, tool)) => call.of_server(McpServer::named(server, tool)),
                None => call,
            }])
        }
    }
}

/// The native input in which these calls have others; none where that cannot
/// be said.
pub(super) fn fold(
    happening: &Happening,
    wanted: &[Option<Map<String, Value>>],
) -> Option<Map<String, Value>> {
    let native = happening.call.as_ref()?;
    let named = |name: &str, list: Vec<Value>| Map::from_iter([(name.to_owned(), Value::Array(list))]);
    let text = |input: &Map<String, Value>, name: &str| Some(json!(input.get(name)?.as_str()?));
    match native.name.as_str() {
        SHELL => replaced(commands(native), wanted, |_, input| text(input, "command"))
            .map(|list| named("commands", list)),
        READ => replaced(files(native), wanted, |_, input| {
            let mut file = json!({"path": text(input, "file_path")?});
            for name in RANGE {
                if let Some(line) = input.get(name) {
                    file[name] = line.clone();
                }
            }
            Some(file)
        })
        .map(|list| named("files", list)),
        PATCH => patch::rewritten(native, PATCH_TEXT, happening.cwd.as_deref(), wanted),
        SERVER => None,
        _ => wanted.first()?.clone().map(|input| native_input(TOOLS, native, input)),
    }
}

/// A word of a command line for a POSIX shell, bare where it can be.
fn word(text: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_./=:@%+,-".contains(&byte);
    if !text.is_empty() && text.bytes().all(bare) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

const RANGE: [&str; 2] = ["start_line", "end_line"];

fn replaced(
    list: Vec<Value>,
    wanted: &[Option<Map<String, Value>>],
    with: impl Fn(&Value, &Map<String, Value>) -> Option<Value>,
) -> Option<Vec<Value>> {
    if list.len() != wanted.len() {
        return None;
    }
    let one = |(given, wanted): (Value, &Option<Map<String, Value>>)| match wanted {
        Some(input) => with(&given, input),
        None => Some(given),
    };
    list.into_iter().zip(wanted).map(one).collect()
}

/// What Cline would run, in its order of names.
fn commands(native: &NativeCall) -> Vec<Value> {
    let input = &native.input;
    if let Some(commands) = input.get("commands") {
        return listed(commands);
    }
    match (input.get("command"), input.contains_key("args"), input.get("cmd")) {
        (Some(_), true, _) => vec![Value::Object(input.clone())],
        (Some(command), false, _) => listed(command),
        (None, _, Some(command)) => listed(command),
        (None, _, None) => Vec::new(),
    }
}

/// What Cline would read.
fn files(native: &NativeCall) -> Vec<Value> {
    let named = ["files", "file_paths", "paths"].iter().find_map(|name| native.input.get(*name));
    let list = match named {
        Some(files) => listed(files),
        None => vec![Value::Object(native.input.clone())],
    };
    // A range that stands alone belongs to the file before it.
    let range = |one: &Value| {
        let fields = one.as_object().filter(|fields| !fields.is_empty());
        fields.is_some_and(|fields| fields.keys().all(|name| RANGE.contains(&name.as_str())))
    };
    let alone = list.first().is_some_and(range);
    list.into_iter().filter(|one| alone || !range(one)).collect()
}

/// A list, or one thing.
fn listed(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list.clone(),
        other => vec![other.clone()],
    }
}

fn shell(native: &NativeCall, one: &Value) -> Result<ToolCall, NotUnderstood> {
    let words = |args: &Vec<Value>| args.iter().filter_map(Value::as_str).map(word).collect::<Vec<_>>();
    let command = match (one, one.get("command"), one.get("args")) {
        (Value::String(command), _, _) => command.clone(),
        (_, Some(Value::String(program)), Some(Value::Array(args))) if args.iter().all(Value::is_string) => {
            format!("{} {}", word(program), words(args).join(" ")).trim_end().to_owned()
        }
        (_, Some(Value::String(program)), None) => program.clone(),
        _ => return Err(NotUnderstood(format!("a command of {} is not a text", native.name))),
    };
    let mut input = Map::new();
    input.insert("command".to_owned(), json!(command));
    Ok(ToolCall { name: "Shell".to_owned(), class: ToolClass::Shell, input, edits: Vec::new(), server: None })
}

fn read(native: &NativeCall, one: &Value) -> Result<ToolCall, NotUnderstood> {
    let path = ["path", "file_path", "filePath"].iter().find_map(|name| one.get(*name)?.as_str());
    let Some(path) = one.as_str().or(path) else {
        return Err(NotUnderstood(format!("a file of {} has no path", native.name)));
    };
    let mut input = Map::new();
    input.insert("file_path".to_owned(), json!(path));
    for name in RANGE {
        if let Some(line) = one.get(name) {
            input.insert(name.to_owned(), line.clone());
        }
    }
    Ok(ToolCall { name: "Read".to_owned(), class: ToolClass::Read, input, edits: Vec::new(), server: None })
}

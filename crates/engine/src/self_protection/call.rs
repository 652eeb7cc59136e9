//! The paths that a tool call changes.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::targets::{Reach, Targets};
use super::word::Place;
use super::{Touched, command};
use crate::agent::patch;
use crate::rule::Look;
use crate::source::Roots;

/// Tools that change no file.
const READING_TOOLS: [&str; 8] = ["Read", "Grep", "Glob", "LS", "Task", "WebFetch", "WebSearch", "TodoWrite"];
/// Words in the name of a tool that say that it changes nothing.
const READING_VERBS: [&str; 9] = ["read", "list", "get", "search", "find", "view", "stat", "info", "tree"];
/// Words in the name of a tool that say that it does.
const WRITING_VERBS: [&str; 16] = [
    "write", "edit", "create", "move", "rename", "delete", "remove", "copy", "patch", "append", "replace",
    "save", "insert", "update", "put", "set",
];
/// Fields that hold a path.
const PATH_FIELDS: [&str; 23] = [
    "file_path",
    "path",
    "filepath",
    "file",
    "filename",
    "file_name",
    "notebook_path",
    "target_file",
    "target_notebook",
    "target",
    "destination",
    "dest",
    "source",
    "src",
    "from",
    "to",
    "old_path",
    "new_path",
    "oldpath",
    "newpath",
    "uri",
    "paths",
    "files",
];
/// Fields that hold a command line.
const COMMAND_FIELDS: [&str; 5] = ["command", "cmd", "script", "commands", "input"];
/// Fields that may hold a patch.
const PATCH_FIELDS: [&str; 5] = ["patch", "patch_text", "patchtext", "input", "content"];

/// What the call of an event would change.
pub(super) fn touched<'t>(
    look: &Look<'_>,
    roots: &Roots,
    targets: &dyn Fn() -> &'t Targets,
) -> Option<Touched> {
    let payload = &look.event.payload;
    let name = payload.text("tool_name").unwrap_or_default();
    if READING_TOOLS.contains(&name.as_str()) {
        return None;
    }
    let input: Value = serde_json::from_str(payload.get("tool_input")?.get()).ok()?;
    let Value::Object(input) = input else { return None };
    let cwd = payload.text("cwd").filter(|cwd| !cwd.is_empty()).map(PathBuf::from);
    let mut directories: Vec<PathBuf> = cwd.into_iter().collect();
    if directories.is_empty() {
        directories.clone_from(&roots.workspaces);
    }
    let place = Place { home: &roots.home, directories };
    if name == "Shell" {
        return lines(&input).find_map(|line| command::touched(&line, look, &place, targets));
    }
    let in_command = || {
        let is_shell = |line: &String| !line.starts_with(patch::BEGIN);
        lines(&input).filter(is_shell).find_map(|line| command::touched(&line, look, &place, targets))
    };
    let own = name.strip_prefix("MCP:");
    let changed = if own.is_some_and(only_reads) { None } else { in_paths(&input, &place, targets, 0) };
    changed.or_else(|| in_patch(&input, &place, targets)).or_else(|| own.and_then(|_| in_command()))
}

/// Whether a tool says by its name that it only reads.
fn only_reads(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    has(&READING_VERBS) && !has(&WRITING_VERBS)
}

fn lines(input: &Map<String, Value>) -> impl Iterator<Item = String> + '_ {
    let of_field = |(name, value): (&String, &Value)| -> Vec<String> {
        if !COMMAND_FIELDS.contains(&name.to_ascii_lowercase().as_str()) {
            return Vec::new();
        }
        match value {
            Value::String(line) => vec![line.clone()],
            Value::Array(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                // A list is one command as words, or several commands.
                words.iter().map(|word| (*word).to_owned()).chain([words.join(" ")]).collect()
            }
            _ => Vec::new(),
        }
    };
    input.iter().flat_map(of_field)
}

/// Paths in fields that are named for one, also inside of lists and objects.
fn in_paths<'t>(
    input: &Map<String, Value>,
    place: &Place<'_>,
    targets: &dyn Fn() -> &'t Targets,
    depth: usize,
) -> Option<Touched> {
    const MAX_DEPTH: usize = 3;
    if depth > MAX_DEPTH {
        return None;
    }
    // Deleting or moving a directory reaches what is below it, so a whole tree is assumed.
    let of_text = |text: &str| place.touched_text(text, Reach::Tree, targets());
    input.iter().find_map(|(name, value)| {
        let is_path = PATH_FIELDS.contains(&name.to_ascii_lowercase().as_str());
        match value {
            Value::String(text) if is_path => of_text(text),
            Value::Array(list) => list.iter().find_map(|one| match one {
                Value::String(text) if is_path => of_text(text),
                Value::Object(fields) => in_paths(fields, place, targets, depth + 1),
                _ => None,
            }),
            Value::Object(fields) => in_paths(fields, place, targets, depth + 1),
            _ => None,
        }
    })
}

/// Files that a patch in the input names.
fn in_patch<'t>(
    input: &Map<String, Value>,
    place: &Place<'_>,
    targets: &dyn Fn() -> &'t Targets,
) -> Option<Touched> {
    let texts = input.iter().filter(|(name, _)| PATCH_FIELDS.contains(&name.to_ascii_lowercase().as_str()));
    let texts = texts.filter_map(|(_, value)| value.as_str());
    let patches = texts.filter(|text| text.contains(patch::BEGIN)).map(patch::read);
    patches.into_iter().find_map(|patch| {
        let moved = patch.files.iter().filter_map(|file| match &file.change {
            patch::Change::Update { to, .. } => to.as_ref(),
            patch::Change::Add { .. } | patch::Change::Delete => None,
        });
        let mut paths = patch.files.iter().map(|file| &file.path).chain(moved).chain(&patch.suspects);
        paths.find_map(|path| place.touched_text(path, Reach::Path, targets()))
    })
}

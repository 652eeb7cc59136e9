//! What the fields of a tool call hold, by their names.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// A path that the call reads or changes.
    Path,
    /// A directory in which it works.
    Directory,
    /// Text that is stored or shown.
    Content,
    Other,
}

/// Names of fields, in lower case and without separators.
#[rustfmt::skip] // lists of short words
mod named {
    pub(super) const PATHS: [&str; 19] = [
        "file", "filename", "targetfile", "targetnotebook", "target", "destination", "dest", "source", "src", "from", "to", "uri", "uris", "url",
        "files", "location", "output", "outfile", "resource",
    ];
    pub(super) const DIRECTORIES: [&str; 12] = [
        "cwd", "workdir", "workingdirectory", "workingdir", "repopath", "projectpath", "workspacepath", "rootpath", "basepath", "root", "projectroot", "currentdirectory",
    ];
    pub(super) const CONTENTS: [&str; 16] = [
        "content", "contents", "text", "message", "body", "title", "description", "query", "prompt", "oldstring", "newstring", "oldtext", "newtext",
        "pattern", "filetext", "thought",
    ];
    pub(super) const COMMANDS: [&str; 11] = [
        "command", "cmd", "script", "commands", "input", "cmdline", "commandline", "shellcommand", "run", "exec", "line",
    ];
    pub(super) const ARGUMENTS: [&str; 5] = ["args", "arguments", "argv", "params", "parameters"];
    pub(super) const CODES: [&str; 6] = ["code", "script", "source", "expression", "javascript", "python"];
    pub(super) const PATCHES: [&str; 5] = ["patch", "patchtext", "input", "content", "diff"];
    pub(super) const NAMES: [&str; 6] = ["name", "filename", "file", "basename", "relativepath", "path"];
}

/// What a field of this name holds.
pub(super) fn kind(name: &str) -> FieldKind {
    let name = plain(name);
    let is = |list: &[&str]| list.contains(&name.as_str());
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if is(&named::CONTENTS) {
        FieldKind::Content
    } else if is(&named::DIRECTORIES) {
        FieldKind::Directory
    } else if is(&named::PATHS) || ends(&["path", "paths", "file", "files", "filename", "uri"]) {
        FieldKind::Path
    } else if ends(&["directory", "dir", "folder", "dirs", "directories", "folders"]) {
        FieldKind::Directory
    } else {
        FieldKind::Other
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The command lines that a call would run.
pub(super) fn command_lines(input: &Map<String, Value>) -> Vec<String> {
    let has = |name: &str, list: &[&str]| list.contains(&plain(name).as_str());
    let arguments: Vec<String> = input
        .iter()
        .filter(|(name, _)| has(name, &named::ARGUMENTS))
        .flat_map(|(_, value)| texts(value))
        .collect();
    let mut lines = Vec::new();
    for (name, value) in input {
        if has(name, &named::COMMANDS) {
            let words = texts(value);
            match value {
                Value::String(line) => {
                    let with_arguments =
                        std::iter::once(line.clone()).chain(arguments.iter().map(|it| quoted(it)));
                    lines.push(with_arguments.collect::<Vec<_>>().join(" "));
                }
                // A list is one command as words, or several commands.
                _ => {
                    let one: Vec<String> = words.iter().chain(&arguments).map(|word| quoted(word)).collect();
                    lines.extend(words.iter().cloned().chain([words.join(" "), one.join(" ")]));
                }
            }
        }
        if has(name, &named::CODES) {
            lines.extend(texts(value).iter().map(|code| format!("python3 -c {}", quoted(code))));
        }
        if let Value::Object(fields) = value {
            lines.extend(command_lines(fields));
        }
        if let Value::Array(list) = value {
            lines.extend(list.iter().filter_map(Value::as_object).flat_map(command_lines));
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines
}

/// Where its commands run, with where relative paths start anyway.
pub(super) fn directories(input: &Map<String, Value>, known: &[PathBuf]) -> Vec<PathBuf> {
    let named = input
        .iter()
        .filter(|(name, _)| kind(name) == FieldKind::Directory)
        .flat_map(|(_, value)| texts(value));
    let all = named.flat_map(|text| known.iter().map(move |folder| folder.join(&text)));
    known.iter().cloned().chain(all).collect()
}

/// A name in a directory, where two fields name them.
pub(super) fn joined_paths(input: &Map<String, Value>) -> Vec<String> {
    let folders =
        || input.iter().filter(|(name, _)| kind(name) == FieldKind::Directory || plain(name) == "path");
    let names = || input.iter().filter(|(name, _)| named::NAMES.contains(&plain(name).as_str()));
    let join = |folder: &Value, name: &Value| Some(format!("{}/{}", folder.as_str()?, name.as_str()?));
    folders().flat_map(|(_, folder)| names().filter_map(move |(_, name)| join(folder, name))).collect()
}

/// Texts that may be a patch.
pub(super) fn patches(input: &Map<String, Value>) -> impl Iterator<Item = &str> {
    input
        .iter()
        .filter(|(name, _)| named::PATCHES.contains(&plain(name).as_str()) || plain(name) == "command")
        .filter_map(|(_, value)| value.as_str())
}

/// Every text of a value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

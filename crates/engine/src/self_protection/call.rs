//! The paths that a tool call changes.
//!
//! A field is read for what its name says: a path, a directory, a command line, code or a patch. A tool that another
//! program provides (MCP) may name its fields as it likes, so there a text that is a protected path counts anywhere.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::targets::{Reach, Targets};
use super::word::Place;
use super::{Touched, call_fields, command};
use crate::agent::patch;
use crate::rule::Look;
use crate::source::Roots;
use call_fields::FieldKind;

/// Tools that change no file.
const READING_TOOLS: [&str; 8] = ["Read", "Grep", "Glob", "LS", "Task", "WebFetch", "WebSearch", "TodoWrite"];
/// Tools that change files and run nothing.
const FILE_TOOLS: [&str; 4] = ["Write", "StrReplace", "Delete", "EditNotebook"];
/// Words in the name of a tool that say that it changes nothing.
#[rustfmt::skip] // a list of short words
const READING_VERBS: [&str; 17] = [
    "read", "list", "get", "search", "find", "view", "stat", "info", "tree", "status", "show", "diff", "log", "describe", "query", "count", "exists",
];
/// Words in the name of a tool that say that it does.
#[rustfmt::skip] // a list of short words
const WRITING_VERBS: [&str; 38] = [
    "write", "edit", "create", "move", "rename", "delete", "remove", "copy", "patch", "append", "replace", "save", "insert", "update", "put",
    "set", "truncate", "apply", "add", "upload", "store", "execute", "run", "exec", "touch", "overwrite", "modify", "change", "link", "symlink",
    "restore", "reset", "sync", "import", "install", "extract", "clear", "batch",
];

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
    let by_line = |line: &String| command::touched(line, look, &place, targets);
    if name == "Shell" {
        return call_fields::command_lines(&input).iter().find_map(by_line);
    }
    let words = words_of_name(&name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let own = name.strip_prefix("MCP:");
    let only_reads = own.is_some() && has(&READING_VERBS) && !has(&WRITING_VERBS);
    let call = Call {
        place: &place,
        targets,
        is_foreign: own.is_some(),
        writes: own.is_none() || has(&WRITING_VERBS),
    };
    let changed = if only_reads { None } else { call.in_paths(&input, None) };
    let in_command = || {
        let is_shell = |line: &&String| !line.trim_start().starts_with(patch::BEGIN);
        let lines = call_fields::command_lines(&input);
        lines.iter().filter(is_shell).find_map(|line| {
            let moved =
                Place { home: place.home, directories: call_fields::directories(&input, &place.directories) };
            command::touched(line, look, &moved, targets)
        })
    };
    let runs = !FILE_TOOLS.contains(&name.as_str());
    changed.or_else(|| call.in_patch(&input)).or_else(|| if runs { in_command() } else { None })
}

/// The words of `list_files` and `listFiles`, in lower case.
fn words_of_name(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if character.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(character.to_lowercase()));
        }
        was_lower = character.is_lowercase();
    }
    words
}

/// One call, and what is protected.
struct Call<'a, 't> {
    place: &'a Place<'a>,
    targets: &'a dyn Fn() -> &'t Targets,
    /// Whether another program provides the tool.
    is_foreign: bool,
    /// Whether its name says that it changes something.
    writes: bool,
}

impl Call<'_, '_> {
    /// Paths in fields that are named for one, and in what these fields hold.
    fn in_paths(&self, input: &Map<String, Value>, around: Option<FieldKind>) -> Option<Touched> {
        let by_field = input.iter().find_map(|(name, value)| {
            let own = call_fields::kind(name);
            // In `path: {value: …}`, the inner name says nothing.
            self.in_value(value, if own == FieldKind::Other { around.unwrap_or(own) } else { own })
        });
        by_field.or_else(|| {
            let joined = call_fields::joined_paths(input);
            joined.iter().find_map(|path| self.place.touched_text(path, Reach::Path, (self.targets)()))
        })
    }

    fn in_value(&self, value: &Value, kind: FieldKind) -> Option<Touched> {
        // Deleting or moving a directory reaches what is below it, so a whole tree is assumed.
        let reach = match kind {
            FieldKind::Path => Some(Reach::Tree),
            FieldKind::Directory => Some(if self.writes { Reach::Tree } else { Reach::Directory }),
            FieldKind::Other => self.is_foreign.then_some(Reach::Path),
            FieldKind::Content => None,
        };
        match value {
            Value::String(text) => self.place.touched_text(text, reach?, (self.targets)()),
            Value::Array(list) => list.iter().find_map(|one| self.in_value(one, kind)),
            Value::Object(fields) => self.in_paths(fields, Some(kind)),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    /// Files that a patch in the input names.
    fn in_patch(&self, input: &Map<String, Value>) -> Option<Touched> {
        let texts = call_fields::patches(input).filter(|text| text.contains(patch::BEGIN));
        texts.map(patch::read).find_map(|patch| {
            let moved = patch.files.iter().filter_map(|file| match &file.change {
                patch::Change::Update { to, .. } => to.as_ref(),
                patch::Change::Add { .. } | patch::Change::Delete => None,
            });
            let mut paths = patch.files.iter().map(|file| &file.path).chain(moved).chain(&patch.suspects);
            paths.find_map(|path| self.place.touched_text(path, Reach::Path, (self.targets)()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::words_of_name;

    #[test]
    fn a_verb_is_a_whole_word_of_a_tool_name() {
        let cases: [(&str, &[&str]); 3] = [
            ("checklist_apply", &["checklist", "apply"]),
            ("MCP:listFiles", &["mcp", "list", "files"]),
            ("HTTPGet", &["httpget"]),
        ];
        for (name, words) in cases {
            assert_eq!(words_of_name(name), words, "{name}");
        }
    }
}

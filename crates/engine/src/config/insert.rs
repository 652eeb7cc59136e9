//! Adds hooks to the text of a hooks.json: comments, order and everything
//! else stay as they are, byte for byte.

use jsonc_parser::ast::{Array, Object, Value};
use serde_json::Map;

use super::json_tree;
use super::syntax::{bytes_of, property};
use crate::event::{EVENTS, EventKind};
use crate::problem::{Edit, Place, Problem};

/// An entry that is to stand in a file.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// Below which event.
    pub event: EventKind,
    /// What it says, in this order.
    pub fields: Map<String, serde_json::Value>,
}

/// The text with one more entry in the event's list, behind those that are
/// there. `entry` is the entry as JSON. A text that has another form than
/// `{"hooks": {EVENT: […]}}` is not changed: the problem says where it differs.
pub fn insert_hook(text: &str, event: EventKind, entry: &str) -> Result<String, Box<Problem>> {
    behind_mark(text, |text| insert(text, event, entry, &format!("[{entry}]")))
}

/// The text with all these entries in it, a new list with a line for each. An
/// empty text becomes a file of its own.
pub fn add_entries(text: &str, entries: &[NewEntry]) -> Result<String, Box<Problem>> {
    let mut text = text.to_owned();
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n".clone_into(&mut text);
    }
    for spec in EVENTS {
        let of_event = entries.iter().filter(|entry| entry.event == spec.kind);
        for entry in of_event.map(NewEntry::text) {
            let list = format!("[\n      {entry}\n    ]");
            text = behind_mark(&text, |text| insert(text, spec.kind, &entry, &list))?;
        }
    }
    Ok(text)
}

/// The text with another command in the entry of an event whose command is
/// the one that is looked for; none when there is no such entry.
pub fn change_command(
    text: &str,
    event: EventKind,
    is_it: &dyn Fn(&str) -> bool,
    command: &str,
) -> Result<Option<String>, Box<Problem>> {
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
    let tree = json_tree(plain)?;
    let hooks = tree.as_object().and_then(|file| property(file, "hooks")?.value.as_object());
    let list = hooks.and_then(|hooks| property(hooks, event.name())?.value.as_array());
    let commands = list.into_iter().flat_map(|list| &list.elements).filter_map(|entry| {
        let Value::StringLit(command) = &property(entry.as_object()?, "command")?.value else { return None };
        Some(command)
    });
    let Some(found) = commands.into_iter().find(|found| is_it(&found.value)) else { return Ok(None) };
    let edit = Edit { bytes: bytes_of(found), text: serde_json::Value::from(command).to_string() };
    let mark = &text[..text.len() - plain.len()];
    Ok(Some(format!("{mark}{}", edited(plain, vec![edit]))))
}

impl NewEntry {
    /// One line, with spaces where a person would put them.
    fn text(&self) -> String {
        let field = |(name, value): (&String, &serde_json::Value)| format!("\"{name}\": {value}");
        format!("{{ {} }}", self.fields.iter().map(field).collect::<Vec<_>>().join(", "))
    }
}

/// A byte order mark stays before everything.
fn behind_mark(
    text: &str,
    change: impl Fn(&str) -> Result<String, Box<Problem>>,
) -> Result<String, Box<Problem>> {
    match text.strip_prefix('\u{feff}') {
        Some(plain) => change(plain).map(|changed| format!("\u{feff}{changed}")),
        None => change(text),
    }
}

/// Adds an entry to the list of an event, or a list that holds it already.
fn insert(text: &str, event: EventKind, entry: &str, list: &str) -> Result<String, Box<Problem>> {
    let tree = json_tree(text)?;
    let Some(file) = tree.as_object() else {
        return Err(other_form(text, &tree, "an object"));
    };
    let edits = match property(file, "hooks").map(|hooks| &hooks.value) {
        None => into_object(text, file, "hooks", &format!("{{ \"{}\": {list} }}", event.name())),
        Some(Value::Object(hooks)) => match property(hooks, event.name()).map(|event| &event.value) {
            None => into_object(text, hooks, event.name(), list),
            Some(Value::Array(list)) => into_list(text, list, entry),
            Some(other) => return Err(other_form(text, other, "a list of hooks")),
        },
        Some(other) => return Err(other_form(text, other, "an object with a list for each event")),
    };
    Ok(edited(text, edits))
}

/// The same as words for a person: what to add where, by hand.
pub fn entry_to_add(event: EventKind, entry: &str) -> String {
    format!("add to its \"hooks\": \"{}\": [{entry}]", event.name())
}

fn other_form(text: &str, value: &Value, wanted: &str) -> Box<Problem> {
    let problem = Problem::error("other-form", format!("this is not {wanted}, so nothing was added to it"));
    Box::new(problem.at(Place::in_text(text, super::syntax::bytes_of(value))))
}

fn into_object(text: &str, object: &Object, name: &str, value: &str) -> Vec<Edit> {
    let new = format!("\"{name}\": {value}");
    match object.properties.last() {
        Some(last) => behind(text, last.range.start, last.range.end, object.range.end, &new),
        None => {
            let margin = margin(text, object.range.start);
            let whole = format!("\n{margin}  {new}\n{margin}");
            into_empty(text, object.range.start, object.range.end, &whole)
        }
    }
}

fn into_list(text: &str, list: &Array, entry: &str) -> Vec<Edit> {
    match list.elements.last() {
        Some(last) => {
            let range = jsonc_parser::common::Ranged::range(last);
            behind(text, range.start, range.end, list.range.end, entry)
        }
        None => into_empty(text, list.range.start, list.range.end, entry),
    }
}

/// Between two brackets with nothing but space and comments in between.
fn into_empty(text: &str, start: usize, end: usize, new: &str) -> Vec<Edit> {
    let inside = start + 1..end.saturating_sub(1);
    if text[inside.clone()].trim().is_empty() {
        vec![Edit { bytes: inside, text: new.to_owned() }]
    } else {
        vec![Edit::insert(start + 1, new)]
    }
}

/// Behind the last of several: on a line of its own when that has one, and
/// behind the comment that stands on its line.
fn behind(text: &str, start: usize, end: usize, closing: usize, new: &str) -> Vec<Edit> {
    let margin = margin(text, start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let has_own_line = line_start > 0 && text[line_start..start].trim().is_empty();
    if !has_own_line {
        return vec![Edit::insert(end, format!(", {new}"))];
    }
    let rest = &text[end..closing];
    let line_rest = rest.split('\n').next().unwrap_or_default();
    let line = line_rest.trim_end();
    let trailing_comma = line.trim_start().starts_with(',');
    let comment = line.trim_start().trim_start_matches(',').trim_start();
    let only_comment = comment.is_empty() || comment.starts_with("//");
    if !only_comment || line_rest.len() == rest.len() {
        return vec![Edit::insert(end, format!(",\n{margin}{new}"))];
    }
    let comma = if trailing_comma { "," } else { "" };
    let mut edits = vec![Edit::insert(end + line.len(), format!("\n{margin}{new}{comma}"))];
    if !trailing_comma {
        edits.insert(0, Edit::insert(end, ","));
    }
    edits
}

/// The space at the beginning of the line that a byte stands on.
fn margin(text: &str, at: usize) -> &str {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line_start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn edited(text: &str, edits: Vec<Edit>) -> String {
    let mut result = text.to_owned();
    for edit in edits.into_iter().rev() {
        result.replace_range(edit.bytes, &edit.text);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::read;
    use crate::edition::Edition;

    const ENTRY: &str = r#"{ "command": "new" }"#;

    #[test]
    fn an_entry_is_added_and_all_else_stays() {
        let cases = [
            (
                "a byte order mark",
                "\u{feff}{}",
                "\u{feff}{\n  \"hooks\": { \"stop\": [{ \"command\": \"new\" }] }\n}",
            ),
            ("an empty object", "{}", "{\n  \"hooks\": { \"stop\": [{ \"command\": \"new\" }] }\n}"),
            (
                "no hooks",
                "{\n  \"version\": 1 // one\n}\n",
                "{\n  \"version\": 1, // one\n  \"hooks\": { \"stop\": [{ \"command\": \"new\" }] }\n}\n",
            ),
            (
                "no hooks on one line",
                "{\"version\": 1}",
                "{\"version\": 1, \"hooks\": { \"stop\": [{ \"command\": \"new\" }] }}",
            ),
            (
                "empty hooks",
                "{\n    \"hooks\": {}\n}",
                "{\n    \"hooks\": {\n      \"stop\": [{ \"command\": \"new\" }]\n    }\n}",
            ),
            (
                "another event",
                "{\"hooks\": {\n\t\"preCompact\": [] // x\n}}",
                "{\"hooks\": {\n\t\"preCompact\": [], // x\n\t\"stop\": [{ \"command\": \"new\" }]\n}}",
            ),
            (
                "an empty list",
                "{\"hooks\": {\"stop\": [ ]}}",
                "{\"hooks\": {\"stop\": [{ \"command\": \"new\" }]}}",
            ),
            (
                "a list with a comment in it",
                "{\"hooks\": {\"stop\": [ /* later */ ]}}",
                "{\"hooks\": {\"stop\": [{ \"command\": \"new\" } /* later */ ]}}",
            ),
            (
                "a list on one line",
                "{\"hooks\": {\"stop\": [{\"command\": \"a\"}]}}",
                "{\"hooks\": {\"stop\": [{\"command\": \"a\"}, { \"command\": \"new\" }]}}",
            ),
            (
                "a list on many lines, with a trailing comma",
                "{\"hooks\": {\"stop\": [\r\n  {\"command\": \"a\"},\n  // last\n]}}",
                "{\"hooks\": {\"stop\": [\r\n  {\"command\": \"a\"},\n  { \"command\": \"new\" },\n  // last\n]}}",
            ),
            (
                "the bracket on the last line",
                "{\"hooks\": {\"stop\": [\n  {\"command\": \"a\"}]}}",
                "{\"hooks\": {\"stop\": [\n  {\"command\": \"a\"},\n  { \"command\": \"new\" }]}}",
            ),
        ];
        for (name, text, expected) in cases {
            let new = insert_hook(text, EventKind::Stop, ENTRY).expect(name);
            assert_eq!(new, expected, "{name}");
            let config = read(new.as_bytes(), Edition::Docs);
            assert!(config.definitions.iter().any(|hook| hook.label() == "new"), "{name}: {new}");
        }
    }

    #[test]
    fn another_form_is_left_alone() {
        for text in ["[]", "{\"hooks\": []}", "{\"hooks\": {\"stop\": {}}}", "{", "{\"hooks\": 1}"] {
            assert!(insert_hook(text, EventKind::Stop, ENTRY).is_err(), "{text}");
            assert!(add_entries(text, &[entry(EventKind::Stop, "a")]).is_err(), "{text}");
        }
        assert!(insert_hook("", EventKind::Stop, ENTRY).is_err());
        assert!(insert_hook(&"[".repeat(10_000), EventKind::Stop, ENTRY).is_err());
    }

    fn entry(event: EventKind, command: &str) -> NewEntry {
        NewEntry { event, fields: Map::from_iter([("command".to_owned(), command.into())]) }
    }

    #[test]
    fn entries_find_their_place_and_nothing_else_changes() {
        let cases = [
            ("no file", ""),
            ("an empty object", "{}"),
            ("no events", "{\"version\": 1, \"hooks\": {}}"),
            ("an empty list", "{\"version\": 1, \"hooks\": {\"stop\": []}}"),
            (
                "comments",
                "{\n  // why\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      {\"command\": \"old\"} // last\n    ], // end\n  },\n}\n",
            ),
            ("a mark", "\u{feff}{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"old\"}]}}"),
        ];
        let new = [entry(EventKind::Stop, "a \"b\""), entry(EventKind::PreToolUse, "c")];
        for (name, text) in cases {
            let added = add_entries(text, &new).expect(name);
            let read = read(added.as_bytes(), Edition::Docs);
            let commands: Vec<&str> = read.definitions.iter().map(|hook| hook.label()).collect();
            assert!(read.readable, "{name}: {added}");
            assert!(commands.contains(&"a \"b\"") && commands.contains(&"c"), "{name}: {added}");
            assert_eq!(commands.contains(&"old"), text.contains("old"), "{name}");
            for comment in ["// why", "// last", "// end"] {
                assert_eq!(added.contains(comment), text.contains(comment), "{name}: {added}");
            }
        }
    }

    #[test]
    fn a_command_is_changed_in_its_place() {
        let text = "\u{feff}{\"hooks\": {\"stop\": [{\"command\":\"old a\", \"timeout\": 5}]}}";
        let change =
            |event| change_command(text, event, &|command| command.starts_with("old"), "new").expect(text);
        let expected = "\u{feff}{\"hooks\": {\"stop\": [{\"command\":\"new\", \"timeout\": 5}]}}";
        assert_eq!(change(EventKind::Stop).as_deref(), Some(expected));
        assert_eq!(change(EventKind::PreToolUse), None);
    }
}

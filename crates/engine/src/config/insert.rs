//! Adds hooks to the text of a hooks.json: comments, order and everything
//! else stay as they are, byte for byte, but for the space around values that
//! shared the line of what is added.

use jsonc_parser::ast::Value;
use serde_json::Map;

use super::edit::{behind_mark, edited, into_list, into_object, other_form};
use super::json_tree;
use super::spread::spread;
use super::syntax::{bytes_of, property};
use crate::event::{EVENTS, EventKind};
use crate::problem::{Edit, Problem};

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
    insert_behind_mark(text, event, entry, &format!("[{entry}]"))
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
            text = insert_behind_mark(&text, spec.kind, &entry, &list)?;
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

fn insert_behind_mark(text: &str, event: EventKind, entry: &str, list: &str) -> Result<String, Box<Problem>> {
    let (changed, ()) = behind_mark(text, |text| Ok((insert(text, event, entry, list)?, ())))?;
    Ok(changed)
}

/// Adds an entry to the list of an event, or a list that holds it already.
fn insert(text: &str, event: EventKind, entry: &str, list: &str) -> Result<String, Box<Problem>> {
    let text = &with_room(text, event)?;
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

/// The text with a line for each value where the entry goes, and with an empty
/// `hooks` where a file of many lines has none.
fn with_room(text: &str, event: EventKind) -> Result<String, Box<Problem>> {
    let tree = json_tree(text)?;
    let Some(file) = tree.as_object() else { return Ok(text.to_owned()) };
    let edits = match property(file, "hooks").map(|hooks| &hooks.value) {
        None if text.trim().contains('\n') => into_object(text, file, "hooks", "{}"),
        Some(Value::Object(hooks)) => match property(hooks, event.name()).map(|event| &event.value) {
            None => {
                let events: Vec<_> = hooks.properties.iter().map(bytes_of).collect();
                spread(text, bytes_of(hooks), &events)
            }
            Some(Value::Array(list)) => {
                let entries: Vec<_> = list.elements.iter().map(bytes_of).collect();
                spread(text, bytes_of(list), &entries)
            }
            Some(_) => Vec::new(),
        },
        None | Some(_) => Vec::new(),
    };
    Ok(edited(text, edits))
}

/// The same as words for a person: what to add where, by hand.
pub fn entry_to_add(event: EventKind, entry: &str) -> String {
    format!("add to its \"hooks\": \"{}\": [{entry}]", event.name())
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
                "{\n  \"version\": 1, // one\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"new\" }]\n  }\n}\n",
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
                "a list on one line of many",
                "{\r\n\t\"hooks\": {\r\n\t\t\"stop\": [{\"command\": \"a\"}, {\"command\": \"b\"}] // why\r\n\t}\r\n}",
                "{\r\n\t\"hooks\": {\r\n\t\t\"stop\": [\r\n\t\t  {\"command\": \"a\"},\r\n\t\t  {\"command\": \"b\"},\r\n\t\t  { \"command\": \"new\" }\r\n\t\t] // why\r\n\t}\r\n}",
            ),
            (
                "another event on one line of many",
                "{\n  \"hooks\": { \"preCompact\": [] }\n}",
                "{\n  \"hooks\": {\n    \"preCompact\": [],\n    \"stop\": [{ \"command\": \"new\" }]\n  }\n}",
            ),
            (
                "comments and a trailing comma on one line of many",
                "{\n\"hooks\": {\n\"stop\": [ /* 1 */ {\"command\": \"a\"} /* 2 */, {\"command\": \"b\"}, /* 3 */ ]}}",
                "{\n\"hooks\": {\n\"stop\": [ /* 1 */\n  {\"command\": \"a\"} /* 2 */,\n  {\"command\": \"b\"},\n  { \"command\": \"new\" }, /* 3 */\n]}}",
            ),
            (
                "two on the last line",
                "{\"hooks\": {\"stop\": [\n   {\"command\": \"a\"}, {\"command\": \"b\"}\n]}}",
                "{\"hooks\": {\"stop\": [\n   {\"command\": \"a\"},\n   {\"command\": \"b\"},\n   { \"command\": \"new\" }\n]}}",
            ),
            (
                "an entry that is itself written over lines",
                "{\"hooks\": {\"stop\": [{\n  \"command\": \"a\"\n}]}}",
                "{\"hooks\": {\"stop\": [{\n  \"command\": \"a\"\n}, { \"command\": \"new\" }]}}",
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

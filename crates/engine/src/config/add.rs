//! Adds entries to a hooks.json and leaves everything else in it as it is,
//! comments and order included.

use jsonc_parser::ast::{Array, Object, Value};
use serde_json::Map;

use super::syntax::{bytes_of, kind_of, property};
use super::{apply_fixes, parse, text};
use crate::event::{EVENTS, EventKind};
use crate::problem::{Edit, Fix, Problem};

/// An entry that is to stand in a file.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// Below which event.
    pub event: EventKind,
    /// What it says, in this order.
    pub fields: Map<String, serde_json::Value>,
}

/// The text with these entries in it. An empty text becomes a file of its own;
/// one that is no hooks file is a problem.
pub fn add_entries(text: &str, entries: &[NewEntry]) -> Result<String, Box<Problem>> {
    let groups: Vec<(&str, Vec<&NewEntry>)> = EVENTS
        .iter()
        .map(|spec| (spec.name, entries.iter().filter(|entry| entry.event == spec.kind).collect::<Vec<_>>()))
        .filter(|(_, entries)| !entries.is_empty())
        .collect();
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(format!("{{\n  \"version\": 1,\n  \"hooks\": {}\n}}\n", object(&groups)));
    }
    if groups.is_empty() {
        return Ok(text.to_owned());
    }
    let (plain, mark) = text::decode(text.as_bytes())?;
    let tree = parse(plain, &mut text::outline(plain)).map_err(|fault| Box::new(fault.problem))?;
    let mut edits = edits(&tree, plain, &groups)?;
    edits.iter_mut().for_each(|edit| edit.bytes = edit.bytes.start + mark..edit.bytes.end + mark);
    let problem = Problem::hint("add", "").fix(Fix { edits });
    Ok(apply_fixes(text, &[problem]))
}

fn edits(tree: &Value, text: &str, groups: &[(&str, Vec<&NewEntry>)]) -> Result<Vec<Edit>, Box<Problem>> {
    let Value::Object(top) = tree else { return Err(not(tree, "the file")) };
    let hooks = match property(top, "hooks").map(|hooks| &hooks.value) {
        Some(Value::Object(hooks)) => hooks,
        Some(other) => return Err(not(other, "`hooks`")),
        None => return Ok(vec![into_object(top, text, &format!("\"hooks\": {}", object(groups)), 2)]),
    };
    let mut edits = Vec::new();
    let mut missing = Vec::new();
    for (name, entries) in groups {
        match property(hooks, name).map(|event| &event.value) {
            Some(Value::Array(list)) => edits.push(into_list(list, text, entries)),
            Some(other) => return Err(not(other, &format!("`{name}`"))),
            None => missing.push(format!("\"{name}\": {}", list(entries))),
        }
    }
    if !missing.is_empty() {
        edits.push(into_object(hooks, text, &missing.join(",\n    "), 4));
    }
    Ok(edits)
}

fn not(value: &Value, what: &str) -> Box<Problem> {
    let message = format!("{what} is {}, so nothing can be added to it", kind_of(value));
    Box::new(Problem::error("not-addable", message).help("`boathook check` says what it should be"))
}

/// Behind the last element, or between the brackets.
fn into_list(list: &Array, text: &str, entries: &[&NewEntry]) -> Edit {
    let lines: Vec<String> = entries.iter().map(|entry| spaced(entry)).collect();
    match list.elements.last() {
        Some(last) => {
            let start = bytes_of(last).start;
            let between = format!(",\n{}", indent(text, start).unwrap_or_else(|| " ".repeat(6)));
            Edit::insert(bytes_of(last).end, format!("{between}{}", lines.join(&between)))
        }
        None => Edit::insert(list.range.start + 1, format!("\n      {}\n    ", lines.join(",\n      "))),
    }
}

/// Behind the last property, or between the brackets.
fn into_object(object: &Object, text: &str, property: &str, depth: usize) -> Edit {
    let usual = " ".repeat(depth);
    match object.properties.last() {
        Some(last) => {
            let indent = indent(text, last.range.start).unwrap_or(usual);
            Edit::insert(last.range.end, format!(",\n{indent}{property}"))
        }
        None => {
            let outer = " ".repeat(depth.saturating_sub(2));
            Edit::insert(object.range.start + 1, format!("\n{usual}{property}\n{outer}"))
        }
    }
}

/// The white space before a value that begins its line.
fn indent(text: &str, at: usize) -> Option<String> {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
    line.chars().all(char::is_whitespace).then(|| line.to_owned())
}

fn object(groups: &[(&str, Vec<&NewEntry>)]) -> String {
    if groups.is_empty() {
        return "{}".to_owned();
    }
    let events: Vec<String> =
        groups.iter().map(|(name, entries)| format!("    \"{name}\": {}", list(entries))).collect();
    format!("{{\n{}\n  }}", events.join(",\n"))
}

fn list(entries: &[&NewEntry]) -> String {
    let lines: Vec<String> = entries.iter().map(|entry| format!("      {}", spaced(entry))).collect();
    format!("[\n{}\n    ]", lines.join(",\n"))
}

/// One line, with spaces where a person would put them.
fn spaced(entry: &NewEntry) -> String {
    let field = |(name, value): (&String, &serde_json::Value)| format!("\"{name}\": {value}");
    format!("{{ {} }}", entry.fields.iter().map(field).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::edition::Edition;

    fn entry(event: EventKind, command: &str) -> NewEntry {
        let fields = Map::from_iter([("command".to_owned(), command.into())]);
        NewEntry { event, fields }
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
            let read = config::read(added.as_bytes(), Edition::Docs);
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
    fn a_file_that_is_no_hooks_file_is_left_alone() {
        for text in ["[]", "{\"hooks\": []}", "{\"hooks\": {\"stop\": {}}}", "{", "{\"a\": }"] {
            assert!(add_entries(text, &[entry(EventKind::Stop, "a")]).is_err(), "{text}");
        }
    }
}

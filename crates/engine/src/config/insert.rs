//! Adds entries to the text of a `hooks.json`, or changes the command of one
//! that is there; comments and everything else stay as they are.

use jsonc_parser::ast::{Array, Object, Value};

use super::syntax::{bytes_of, parse, property};
use super::{apply_fixes, text};
use crate::event::EventKind;
use crate::problem::{Edit, Fix, Problem};

/// One entry that a file should hold.
pub struct Wanted<'a> {
    /// On this event.
    pub event: EventKind,
    /// Its command.
    pub command: String,
    /// Its matcher, if it has one.
    pub matcher: Option<String>,
    /// Whether the entry of this command stands for the same thing: it is
    /// changed, and nothing is added.
    pub same: &'a dyn Fn(&str) -> bool,
}

/// The text with every wanted entry in it. A text that holds them all is
/// returned as it is; one that cannot be read is the problem.
pub fn insert_entries(file: &str, wanted: &[Wanted<'_>]) -> Result<String, Box<Problem>> {
    let mut file = file.to_owned();
    if file.trim().is_empty() {
        "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n".clone_into(&mut file);
    }
    for entry in wanted {
        if text::outline(&file).fault.is_some_and(|fault| fault.problem.code == text::TOO_DEEP) {
            return Err(Box::new(Problem::error(text::TOO_DEEP, "the file nests too deep")));
        }
        let tree = parse(&file).map_err(|fault| Box::new(fault.problem))?;
        let edits = edits(&file, &tree, entry)?;
        let problem = Problem::hint("insert", "").fix(Fix { edits });
        file = apply_fixes(&file, &[problem]);
    }
    Ok(file)
}

fn edits(file: &str, tree: &Value<'_>, wanted: &Wanted<'_>) -> Result<Vec<Edit>, Box<Problem>> {
    let Value::Object(root) = tree else { return Err(not("the file", "an object")) };
    let Some(hooks) = property(root, "hooks") else {
        let text = format!("\"hooks\": {{\n    {}\n  }}", event_text(wanted));
        return Ok(vec![into_object(file, root, &text, 2)]);
    };
    let Value::Object(hooks) = &hooks.value else { return Err(not("`hooks`", "an object")) };
    let Some(event) = property(hooks, wanted.event.name()) else {
        return Ok(vec![into_object(file, hooks, &event_text(wanted), 4)]);
    };
    let Value::Array(list) = &event.value else { return Err(not(wanted.event.name(), "a list")) };
    if let Some(found) = list.elements.iter().find_map(|element| command_of(element, wanted)) {
        return Ok(found);
    }
    Ok(vec![into_list(file, list, &entry_text(wanted))])
}

/// The edits of an entry that is there: none when it is as wanted.
fn command_of(element: &Value<'_>, wanted: &Wanted<'_>) -> Option<Vec<Edit>> {
    let Value::Object(entry) = element else { return None };
    let Value::StringLit(command) = &property(entry, "command")?.value else { return None };
    if *command.value == wanted.command {
        return Some(Vec::new());
    }
    (wanted.same)(&command.value)
        .then(|| vec![Edit { bytes: bytes_of(command), text: quoted(&wanted.command) }])
}

fn into_object(file: &str, object: &Object<'_>, text: &str, indent: usize) -> Edit {
    let margin = " ".repeat(indent);
    match object.properties.last() {
        Some(last) => {
            let margin = line_margin(file, last.range.start).unwrap_or(margin);
            Edit::insert(last.range.end, format!(",\n{margin}{text}"))
        }
        None => {
            let outer = " ".repeat(indent.saturating_sub(2));
            Edit {
                bytes: object.range.start..object.range.end,
                text: around(
                    file,
                    object.range.start + 1..object.range.end - 1,
                    '{',
                    '}',
                    &format!("{margin}{text}"),
                    &outer,
                ),
            }
        }
    }
}

fn into_list(file: &str, list: &Array<'_>, text: &str) -> Edit {
    match list.elements.last() {
        Some(last) => {
            let bytes = bytes_of(last);
            let margin = line_margin(file, bytes.start).unwrap_or_else(|| " ".repeat(6));
            Edit::insert(bytes.end, format!(",\n{margin}{text}"))
        }
        None => {
            let inside = list.range.start + 1..list.range.end - 1;
            let text = around(file, inside, '[', ']', &format!("      {text}"), "    ");
            Edit { bytes: list.range.start..list.range.end, text }
        }
    }
}

/// What was empty but for comments, with something in it.
fn around(
    file: &str,
    inside: std::ops::Range<usize>,
    open: char,
    close: char,
    text: &str,
    outer: &str,
) -> String {
    let kept = file[inside].trim_end();
    format!("{open}{kept}\n{text}\n{outer}{close}")
}

/// The white space before something that begins its line.
fn line_margin(file: &str, at: usize) -> Option<String> {
    let line = file[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let margin = &file[line..at];
    margin.trim().is_empty().then(|| margin.to_owned())
}

fn event_text(wanted: &Wanted<'_>) -> String {
    format!("{}: [\n      {}\n    ]", quoted(wanted.event.name()), entry_text(wanted))
}

fn entry_text(wanted: &Wanted<'_>) -> String {
    match &wanted.matcher {
        Some(matcher) => {
            format!("{{ \"command\": {}, \"matcher\": {} }}", quoted(&wanted.command), quoted(matcher))
        }
        None => format!("{{ \"command\": {} }}", quoted(&wanted.command)),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn not(what: &str, kind: &str) -> Box<Problem> {
    Box::new(Problem::error("insert", format!("{what} is not {kind}, so nothing can be added to it")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(file: &str, command: &str, matcher: Option<&str>) -> String {
        let wanted = Wanted {
            event: EventKind::Stop,
            command: command.to_owned(),
            matcher: matcher.map(str::to_owned),
            same: &|other| other.starts_with("old"),
        };
        insert_entries(file, &[wanted]).expect(file)
    }

    #[test]
    fn an_entry_is_added_and_the_rest_stays() {
        let cases = [
            (
                "nothing",
                "",
                "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" }\n    ]\n  }\n}\n",
            ),
            (
                "no hooks",
                "{ \"version\": 1 }",
                "{ \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" }\n    ]\n  } }",
            ),
            (
                "another event, with comments",
                "{\n  // mine\n  \"hooks\": {\n    \"sessionEnd\": [] // none\n  }\n}",
                "{\n  // mine\n  \"hooks\": {\n    \"sessionEnd\": [],\n    \"stop\": [\n      { \"command\": \"a\" }\n    ] // none\n  }\n}",
            ),
            (
                "a list with one, and a trailing comma",
                "{\"hooks\": {\"stop\": [\n    {\"command\": \"b\"}, // b\n  ]}}",
                "{\"hooks\": {\"stop\": [\n    {\"command\": \"b\"},\n    { \"command\": \"a\" }, // b\n  ]}}",
            ),
            (
                "an empty list",
                "{\"hooks\": {\"stop\": [/* x */]}}",
                "{\"hooks\": {\"stop\": [/* x */\n      { \"command\": \"a\" }\n    ]}}",
            ),
            (
                "there already",
                "{\"hooks\": {\"stop\": [{\"command\":\"a\"}]}}",
                "{\"hooks\": {\"stop\": [{\"command\":\"a\"}]}}",
            ),
            (
                "changed",
                "{\"hooks\": {\"stop\": [{\"command\":\"old a\", \"timeout\": 5}]}}",
                "{\"hooks\": {\"stop\": [{\"command\":\"a\", \"timeout\": 5}]}}",
            ),
        ];
        for (name, file, expected) in cases {
            assert_eq!(add(file, "a", None), expected, "{name}");
            assert_eq!(add(expected, "a", None), expected, "{name}, twice");
        }
    }

    #[test]
    fn what_cannot_take_an_entry_is_left_alone() {
        for file in ["[]", "{\"hooks\": []}", "{\"hooks\": {\"stop\": 1}}", "{", &"[".repeat(10_000)] {
            let wanted =
                Wanted { event: EventKind::Stop, command: "a".to_owned(), matcher: None, same: &|_| false };
            assert!(insert_entries(file, &[wanted]).is_err(), "{file:.20}");
        }
    }
}

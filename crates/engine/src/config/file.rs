//! The top level of a hooks file, and the events in it.

use jsonc_parser::ast::{Array, Object, ObjectProp, ObjectPropName, Value};

use super::events::{Guess, Named, named};
use super::reader::{Reader, in_force};
use super::syntax::{bytes_of, excerpt, kind_of, property};
use super::text::DROPS_THE_FILE;
use super::{array_form, entry, environment, keys, version};
use crate::event::{EVENTS, EventKind};
use crate::problem::{Fix, Problem, Severity};

/// Only so many unknown names are compared with every known one.
const GUESSED: usize = 100;

const SMALLEST: &str =
    r#"a hooks file looks like {"version": 1, "hooks": {"stop": [{"command": "./done.sh"}]}}"#;

/// Reads a file; says whether it could be read as a whole.
pub(super) fn read_file(reader: &mut Reader, tree: &Value) -> bool {
    not_quite_json(reader);
    let Value::Object(top) = tree else {
        let message = format!("the file is {}, not an object", kind_of(tree));
        reader.add(
            bytes_of(tree),
            Problem::error("not-an-object", message).help(SMALLEST).product(DROPS_THE_FILE),
        );
        return false;
    };
    reader.duplicate_keys(top);
    keys::check_top(reader, top);
    environment::read_environment(reader, top);
    let hooks_fit = read_hooks(reader, top);
    let version_fits = version::read_version(reader, top);
    hooks_fit && version_fits
}

fn read_hooks(reader: &mut Reader, top: &Object) -> bool {
    let Some(hooks) = property(top, "hooks") else {
        let problem =
            Problem::error("hooks-missing", "the file has no `hooks`").help(SMALLEST).product(DROPS_THE_FILE);
        reader.add(top.range.start..top.range.start + 1, problem);
        return false;
    };
    read_hooks_value(reader, &hooks.value)
}

/// Reads the value of `hooks`; says whether it is what it should be.
pub(super) fn read_hooks_value(reader: &mut Reader, hooks: &Value) -> bool {
    match hooks {
        Value::Object(events) => {
            read_events(reader, events);
            true
        }
        Value::Array(list) => {
            hooks_are_a_list(reader, list);
            false
        }
        other => {
            let message = format!("`hooks` is {}, not an object of events", kind_of(other));
            let problem =
                Problem::error("hooks-not-an-object", message).help(SMALLEST).product(DROPS_THE_FILE);
            reader.add(bytes_of(other), problem);
            false
        }
    }
}

fn hooks_are_a_list(reader: &mut Reader, list: &Array) {
    let message = "`hooks` is a list; it must be an object with one list for each event";
    let problem = Problem::error("hooks-is-a-list", message)
        .help(format!("write {}", array_form::as_object(list)))
        .product(DROPS_THE_FILE);
    reader.add(list.range.start..list.range.start + 1, problem);
}

/// Reads every event of an object.
pub(super) fn read_events(reader: &mut Reader, hooks: &Object) {
    reader.duplicate_keys(hooks);
    let mut unknown = 0;
    let mut targets = [0_usize; EVENTS.len()];
    let mut read: Vec<(&ObjectProp, Named)> = Vec::with_capacity(hooks.properties.len());
    for event in in_force(hooks) {
        let name = event.name.as_str();
        let meaning = if unknown < GUESSED { named(name) } else { known_or_nothing(name) };
        unknown += usize::from(matches!(meaning, Named::Unknown(_)));
        if let Named::Exactly(kind) | Named::Meant(kind) | Named::Unknown(Guess::Event(kind)) = meaning {
            targets[kind as usize] += 1;
        }
        read.push((event, meaning));
    }
    for (event, meaning) in read {
        read_event(reader, event, &meaning, &targets);
    }
}

fn known_or_nothing(name: &str) -> Named {
    EventKind::named(name).map_or(Named::Unknown(Guess::Nothing), Named::Exactly)
}

fn read_event(reader: &mut Reader, event: &ObjectProp, meaning: &Named, targets: &[usize; EVENTS.len()]) {
    // A new name that another key has, too, would throw hooks away.
    let free = |kind: EventKind| targets[kind as usize] == 1;
    match meaning {
        Named::Exactly(kind) => read_entries(reader, *kind, event),
        Named::Meant(kind) => {
            let message = format!("`{}` is read as `{}`", excerpt(event.name.as_str()), kind.name());
            let mut problem = Problem::warning("event-spelling", message).product(UNKNOWN_EVENT);
            problem = rename(problem, &event.name, *kind, free(*kind));
            reader.add(bytes_of(&event.name), problem.help(format!("write `{}`", kind.name())));
            read_entries(reader, *kind, event);
        }
        Named::Unknown(guess) => unknown_event(reader, event, guess, free),
    }
}

const UNKNOWN_EVENT: &str = "drops the whole file or ignores the event: reports differ";

fn unknown_event(reader: &mut Reader, event: &ObjectProp, guess: &Guess, free: impl Fn(EventKind) -> bool) {
    let (name, lost) = (excerpt(event.name.as_str()), lost(&event.value));
    let mut problem =
        Problem::warning("unknown-event", format!("unknown hook `{name}`{lost}")).product(UNKNOWN_EVENT);
    if entry::wants_block(&event.value) {
        problem.severity = Severity::Error;
        problem.message.push_str(", although `failClosed` asks for a block");
    }
    let problem = match guess {
        Guess::Event(kind) => rename(problem, &event.name, *kind, free(*kind)),
        Guess::Matched(kind, matcher) => problem.help(format!(
            r#"did you mean `{}` with "matcher": "{matcher}"? No event is called before a file is written"#,
            kind.name()
        )),
        Guess::Several(names) => problem.help(format!("did you mean one of `{}`?", names.join("`, `"))),
        Guess::ClaudeOnly => problem.help("Claude Code alone has this event; there is no counterpart"),
        Guess::Nothing => problem.help("`boathook list` names every event"),
    };
    reader.add(bytes_of(&event.name), problem);
}

/// Offers the right name, as a repair where no other key would be lost by it.
fn rename(problem: Problem, key: &ObjectPropName, kind: EventKind, free: bool) -> Problem {
    let name = kind.name();
    if free {
        problem
            .help(format!("did you mean `{name}`?"))
            .fix(Fix::replace(bytes_of(key), format!("\"{name}\"")))
    } else {
        problem.help(format!("did you mean `{name}`? Move the entries to the list that has this name"))
    }
}

fn lost(value: &Value) -> String {
    match value {
        Value::Array(list) => match list.elements.len() {
            0 => String::new(),
            1 => "; its entry does not run".to_owned(),
            count => format!("; its {count} entries do not run"),
        },
        _ => "; it does not run".to_owned(),
    }
}

fn read_entries(reader: &mut Reader, kind: EventKind, event: &ObjectProp) {
    match &event.value {
        Value::Array(list) => {
            for element in &list.elements {
                entry::read_element(reader, kind, element);
            }
        }
        other => entry::not_a_list(reader, kind, other),
    }
}

/// Comments, trailing commas and `NaN`: they can be read, but not by everybody.
fn not_quite_json(reader: &mut Reader) {
    let outline = reader.outline;
    if let Some(first) = outline.comments.first() {
        let count = outline.comments.len();
        let message = match count {
            1 => "JSON has no comments; this one is skipped".to_owned(),
            _ => format!("JSON has no comments; this one and {} more are skipped", count - 1),
        };
        let problem = Problem::warning("comment", message)
            .help(r#"keep notes in keys that start with `_`, like "_note": "…""#)
            .product("cuts lines at `//`, even inside a string such as a URL, and drops the file if that breaks it");
        reader.add(first.clone(), problem);
    }
    for comma in &outline.trailing_commas {
        let at = *comma..comma + 1;
        let problem = Problem::warning("trailing-comma", "nothing follows this comma")
            .help("remove it")
            .product(DROPS_THE_FILE)
            .fix(Fix::replace(at.clone(), ""));
        reader.add(at, problem);
    }
    for number in &outline.bare_numbers {
        let message = format!("`{}` is not JSON", &reader.text[number.clone()]);
        let problem =
            Problem::warning("not-a-json-number", message).help("write a number").product(DROPS_THE_FILE);
        reader.add(number.clone(), problem);
    }
}

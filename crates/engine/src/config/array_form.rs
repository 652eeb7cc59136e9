//! `hooks` written as a list → the object that was meant, for the help text.

use jsonc_parser::ast::{Array, Object};
use serde_json::{Map, json};

use super::events::{Guess, Named, named};
use super::syntax::{excerpt, property};
use crate::event::EventKind;

/// So many entries are shown; the form is clear by then.
const SHOWN: usize = 4;

/// The list in the form it should have, as one line of JSON.
pub(super) fn as_object(list: &Array) -> String {
    let objects = list.elements.iter().filter_map(|element| element.as_object());
    let entries: Vec<_> = objects.filter_map(event_and_command).take(SHOWN + 1).collect();
    if entries.is_empty() {
        return r#""hooks": {"stop": [{"command": "./done.sh"}]}"#.to_owned();
    }
    let mut hooks: Map<String, serde_json::Value> = Map::new();
    for (event, command) in entries.iter().take(SHOWN) {
        let list = hooks.entry(event.clone()).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(json!({ "command": excerpt(command) }));
        }
    }
    let unknown = hooks.keys().find(|event| EventKind::named(event).is_none());
    let unknown = unknown.map(|event| format!("; but `{}` is no event", excerpt(event))).unwrap_or_default();
    let more = if entries.len() > SHOWN { " and so on" } else { "" };
    format!("\"hooks\": {}{more}{unknown}", serde_json::Value::Object(hooks))
}

fn event_and_command(element: &Object) -> Option<(String, String)> {
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| property(element, key)?.value.as_string_lit());
        found.map(|literal| literal.value.to_string())
    };
    let event = text(&["event", "trigger", "on", "hook"])?;
    let command = text(&["command", "run", "script"])?;
    let event = match named(&event) {
        Named::Exactly(kind) | Named::Meant(kind) | Named::Unknown(Guess::Event(kind)) => {
            kind.name().to_owned()
        }
        Named::Unknown(_) => event,
    };
    Some((event, command))
}

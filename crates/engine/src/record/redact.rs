//! Payloads and answers without their text, for `log.payload = "redacted"`.
//!
//! Text becomes its length. So does a key that is in no table of ours, because a tool's arguments and an
//! agent's own fields have whatever keys somebody chose. Numbers, booleans and the structure stay.
//!
//! Pure: JSON text in, JSON out.

use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::raw;
use crate::answer;
use crate::event::EVENTS;
use crate::input::COMMON;

/// Top-level fields whose text says what happened, and not what it was about.
const SHOWN_VALUES: &[&str] = &[
    "conversation_id",
    "generation_id",
    "session_id",
    "hook_event_name",
    "cursor_version",
    "tool_name",
    "tool_use_id",
    "status",
    "permission",
    "failure_type",
    "subagent_type",
    "model",
];

/// Keys inside the values of the tables: attachments, edits, model parameters, arguments of common tools.
const NESTED_KEYS: &[&str] = &[
    "type",
    "filePath",
    "old_string",
    "new_string",
    "old_line",
    "new_line",
    "range",
    "start_line_number",
    "start_column",
    "end_line_number",
    "end_column",
    "id",
    "value",
    "path",
    "working_directory",
    "timeout",
];

/// The JSON text with every text and every unknown key as its length.
pub(super) fn redacted(text: &str) -> Box<RawValue> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => raw(&Value::Object(redacted_fields(fields, SHOWN_VALUES))),
        Ok(value) => raw(&redacted_value(value)),
        Err(_) => raw(&json!(text_length(text))),
    }
}

/// The length of a text, in words.
pub(super) fn text_length(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("[{} characters]", text.chars().count()) }
}

fn redacted_value(value: Value) -> Value {
    match value {
        Value::String(text) => text_length(&text).into(),
        Value::Array(items) => items.into_iter().map(redacted_value).collect(),
        Value::Object(fields) => Value::Object(redacted_fields(fields, &[])),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

fn redacted_fields(fields: Map<String, Value>, shown_values: &[&str]) -> Map<String, Value> {
    let mut redacted = Map::new();
    // Two unknown keys of the same length are two keys.
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    for (key, value) in fields {
        let shown = value.is_string() && shown_values.contains(&key.as_str());
        let value = if shown { value } else { redacted_value(value) };
        if is_known(&key) {
            redacted.insert(key, value);
            continue;
        }
        let number = lengths.entry(key.chars().count()).and_modify(|number| *number += 1).or_insert(1);
        let suffix = if *number == 1 { String::new() } else { format!(" {number}") };
        redacted.insert(text_length(&key) + &suffix, value);
    }
    redacted
}

/// Whether a key is in the tables of events and answers.
fn is_known(key: &str) -> bool {
    let inputs = EVENTS.iter().flat_map(|spec| spec.inputs).chain(COMMON);
    inputs.into_iter().any(|field| field.name == key) || answer::is_key(key) || NESTED_KEYS.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn red_team_l8_unknown_keys_become_their_length() {
        let cases = [
            (r#"{"tool_name":"Shell","n":5}"#, r#"{"tool_name":"Shell","[1 characters]":5}"#),
            (
                r#"{"abc":1,"xyz":{"file_path":"/x"}}"#,
                r#"{"[3 characters]":1,"[3 characters] 2":{"file_path":"[2 characters]"}}"#,
            ),
            (r#"{"status":{"status":"text"}}"#, r#"{"status":{"status":"[4 characters]"}}"#),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
                r#"{"hookSpecificOutput":{"permissionDecision":"[4 characters]"}}"#,
            ),
            (r#"{"":true}"#, r#"{"":true}"#),
            (r#"[{"secret":null}]"#, r#"[{"[6 characters]":null}]"#),
            (r#""text""#, r#""[4 characters]""#),
            (r#"{"a":"\ud800"}"#, r#""[14 characters]""#),
        ];
        for (text, expected) in cases {
            assert_eq!(redacted(text).get(), expected, "{text}");
        }
    }
}

//! An example of every event's payload, made from the table of its fields: a
//! value for each name, one for each kind where a name has none.

use boathook_engine::event::{EventSpec, Subject};
use boathook_engine::input::{FieldType, InputField};
use boathook_engine::payload::{Payload, spread};
use serde_json::{Value, json};

/// The example of an event, over several lines. `root` is a workspace.
pub fn example(spec: &EventSpec, root: &str) -> String {
    let mut payload = Payload::default();
    for field in spec.inputs.iter().filter(|field| field.required) {
        payload.set(field.name, value(spec, field, root));
    }
    spread(&payload.to_json())
}

fn value(spec: &EventSpec, field: &InputField, root: &str) -> Value {
    let is_tool = matches!(spec.subject, Subject::Field("tool_name"));
    match (field.name, field.kind) {
        ("tool_name", _) if is_tool => json!("Shell"),
        ("tool_name", _) => json!("create_issue"),
        ("tool_input", FieldType::Object) => json!({ "command": "git status", "working_directory": root }),
        ("tool_input", _) => json!("{\"title\":\"An example\"}"),
        ("result_json", _) => json!("{\"content\":[{\"type\":\"text\",\"text\":\"created\"}]}"),
        ("command", _) => json!("git status"),
        ("cwd", _) => json!(root),
        ("file_path", _) => json!(format!("{root}/README.md")),
        ("content", _) => json!("# An example\n"),
        ("prompt", _) => json!("Please explain this project."),
        ("text", _) => json!("All tests pass now."),
        ("task" | "description", _) => json!("Find where the configuration is read"),
        ("summary", _) => json!("It is read in one place."),
        ("output" | "tool_output", _) => json!("nothing to commit, working tree clean\n"),
        ("error_message", _) => json!("exit status 1"),
        ("status" | "final_status" | "reason", _) => json!("completed"),
        ("failure_type", _) => json!("error"),
        ("trigger", _) => json!("auto"),
        ("subagent_type", _) => json!("explore"),
        ("loop_count", _) => json!(0),
        ("context_usage_percent", _) => json!(85),
        ("context_window_size", _) => json!(200_000),
        ("context_tokens", _) => json!(170_000),
        (name, FieldType::Text) => json!(format!("example-{}", name.replace('_', "-"))),
        (_, FieldType::NullableText) => Value::Null,
        (_, FieldType::Number) => json!(120),
        (_, FieldType::Boolean) => json!(false),
        (_, FieldType::Object) => json!({}),
        (_, FieldType::TextList) => json!([format!("{root}/README.md")]),
        (_, FieldType::Attachments | FieldType::ModelParams) => json!([]),
        (_, FieldType::Edits) => json!([{ "old_string": "an exmaple", "new_string": "an example" }]),
        (_, FieldType::TabEdits) => json!([{
            "old_string": "exmaple",
            "new_string": "example",
            "range": { "start_line_number": 1, "start_column": 6, "end_line_number": 1, "end_column": 13 },
            "old_line": "# An exmaple",
            "new_line": "# An example",
        }]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use boathook_engine::event::EVENTS;

    #[test]
    fn every_event_has_an_example_with_its_fields() {
        for spec in EVENTS {
            let payload = Payload::parse(example(spec, "/w").as_bytes()).expect(spec.name);
            for field in spec.inputs.iter().filter(|field| field.required) {
                assert!(payload.has(field.name), "{}: {}", spec.name, field.name);
            }
        }
    }
}

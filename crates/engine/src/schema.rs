//! JSON Schemas (draft 2020-12) of hooks.json and of every event's input and
//! output, made from the tables of `event` and `input`.
//!
//! They are for editors, validators and generators of types, so they describe
//! the form to write. What we read is more: an unknown key never makes a file,
//! a payload or an answer invalid, neither here nor in the engine.
//!
//! Pure: tables in, a JSON value out.

mod rule;

use serde_json::{Map, Value, json};

use crate::definition::{DEFAULT_LOOP_LIMIT, DEFAULT_TIMEOUT};
use crate::event::{AnswerField, Ask, EVENTS, EventKind, EventSpec, Gate, Subject};
use crate::fill::WORKSPACE_TAIL;
use crate::input::{COMMON, FieldType, InputField};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Fields that stand before the event's own ones in a payload.
const BEFORE_OWN: usize = 3;

/// The schema of a hooks.json file.
pub fn hooks_json() -> Value {
    let events: Map<String, Value> =
        EVENTS.iter().map(|spec| (spec.name.to_owned(), entries(spec))).collect();
    json!({
        "$schema": DRAFT,
        "title": "hooks.json",
        "description": "Hooks that run at points of a coding agent's loop.",
        "type": "object",
        "required": ["version", "hooks"],
        "properties": {
            "$schema": { "type": "string", "description": "The schema this file follows; for editors." },
            "description": { "type": "string", "description": "A note; nobody reads it." },
            "version": { "type": "integer", "minimum": 1, "default": 1, "description": "The format's version: 1." },
            "hooks": {
                "description": "The hooks of each event. A key that starts with `_` is a note.",
                "type": "object",
                "properties": events,
                "patternProperties": { "^_": true },
                "additionalProperties": false,
            },
        },
        "$defs": { "hook": hook(), "rule": rule::rule(), "condition": rule::condition(), "test": rule::test(), "shell": rule::shell() },
    })
}

/// The schema of the object that a hook of this event reads from stdin.
pub fn input(event: EventKind) -> Value {
    let spec = event.spec();
    let fields = input_fields(spec);
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), input_field(spec, field))).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    json!({
        "$schema": DRAFT,
        "title": format!("{} input", spec.name),
        "description": format!("What a hook reads from stdin. {}", spec.about),
        "type": "object",
        "required": required,
        "properties": properties,
    })
}

/// The schema of the object that a hook of this event may print to stdout.
pub fn output(event: EventKind) -> Value {
    let spec = event.spec();
    let properties: Map<String, Value> =
        spec.answers.iter().map(|field| (field.name().to_owned(), answer_field(spec, *field))).collect();
    json!({
        "$schema": DRAFT,
        "title": format!("{} output", spec.name),
        "description": format!("What a hook may print to stdout. {}{}", spec.about, exit_codes(spec)),
        "type": "object",
        "properties": properties,
    })
}

fn entries(spec: &EventSpec) -> Value {
    json!({
        "description": format!("{} {}", spec.about, matcher_about(spec.subject)),
        "type": "array",
        "items": { "$ref": "#/$defs/hook" },
    })
}

fn matcher_about(subject: Subject) -> String {
    match subject {
        Subject::None => "There is nothing to match: every hook runs.".to_owned(),
        Subject::Field(name) => format!("A matcher looks at `{name}`."),
        Subject::McpTool => "A matcher looks at `MCP:` and `tool_name`.".to_owned(),
        Subject::Constant(word) => format!("A matcher looks at the word `{word}`."),
    }
}

/// One entry. Installers add keys of their own, so any other key may be there.
fn hook() -> Value {
    json!({
        "description": "One hook.",
        "type": "object",
        "properties": {
            "type": {
                "enum": ["command", "prompt"],
                "default": "command",
                "description": "Whether a command runs or a model is asked.",
            },
            "command": {
                "type": "string",
                "pattern": "\\S",
                "description": "The command line; it goes to the shell as it is. Relative paths start at the project's root, in the user's file at ~/.cursor.",
            },
            "prompt": {
                "type": "string",
                "pattern": "\\S",
                "description": "The condition a model judges. `$ARGUMENTS` stands for the input; without it the input is added.",
            },
            "model": { "type": "string", "description": "The model a prompt hook asks." },
            "timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": DEFAULT_TIMEOUT.as_secs(),
                "description": "How long the hook may take, in seconds.",
            },
            "matcher": {
                "type": "string",
                "description": "When the hook runs: a JavaScript regular expression, unanchored. Absent, empty and `*` match everything.",
            },
            "failClosed": {
                "type": "boolean",
                "default": false,
                "description": "Whether a failure of the hook blocks, on events that can block.",
            },
            "loop_limit": {
                "type": ["integer", "null"],
                "minimum": 0,
                "default": DEFAULT_LOOP_LIMIT,
                "description": "How many automatic follow-ups this hook gets, on stop and subagentStop; null is no limit.",
            },
            "rule": { "$ref": "#/$defs/rule" },
        },
        "dependentSchemas": {
            "rule": { "properties": { "command": { "pattern": "boathook(\\.exe)?[\"']?\\s+rule\\s+[A-Za-z0-9._-]+\\s*$" } } },
        },
        "if": { "properties": { "type": { "const": "prompt" } }, "required": ["type"] },
        "then": { "required": ["prompt"] },
        "else": { "required": ["command"] },
    })
}

/// The fields of a payload in the product's order. An event's own field
/// stands for the common one of its name.
fn input_fields(spec: &EventSpec) -> Vec<&'static InputField> {
    let is_own = |field: &&InputField| spec.inputs.iter().any(|own| own.name == field.name);
    let (before, behind) = COMMON.split_at(BEFORE_OWN);
    let sent = |field: &&InputField| spec.in_conversation || WORKSPACE_TAIL.contains(&field.name);
    let behind = behind.iter().filter(|field| !is_own(field));
    before.iter().chain(spec.inputs).chain(behind).filter(sent).collect()
}

fn input_field(spec: &EventSpec, field: &InputField) -> Value {
    let mut schema = json!({ "description": field.about });
    let parts = match field.kind {
        FieldType::Text if field.name == "hook_event_name" => json!({ "const": spec.name }),
        FieldType::Text => json!({ "type": "string" }),
        FieldType::NullableText => json!({ "type": ["string", "null"] }),
        FieldType::Number => json!({ "type": "number" }),
        FieldType::Boolean => json!({ "type": "boolean" }),
        FieldType::Object => json!({ "type": "object" }),
        FieldType::TextList => list_of(&json!({ "type": "string" })),
        FieldType::Attachments => list_of(&attachment()),
        FieldType::Edits => list_of(&edit()),
        FieldType::TabEdits => list_of(&tab_edit()),
        FieldType::ModelParams => list_of(&texts(&["id", "value"])),
    };
    extend(&mut schema, parts);
    schema
}

fn attachment() -> Value {
    let mut schema = texts(&["type", "file_path"]);
    schema["properties"]["type"] = json!({ "enum": ["file", "rule"] });
    schema
}

fn edit() -> Value {
    texts(&["old_string", "new_string"])
}

fn tab_edit() -> Value {
    let places = ["start_line_number", "start_column", "end_line_number", "end_column"];
    let mut range = object(&places, &json!({ "type": "integer", "minimum": 1 }));
    range["description"] = json!("Lines and columns count from 1; the end is exclusive.");
    let mut schema = texts(&["old_string", "new_string", "old_line", "new_line"]);
    schema["properties"]["range"] = range;
    schema["required"] = json!(["old_string", "new_string", "range", "old_line", "new_line"]);
    schema
}

fn texts(names: &[&str]) -> Value {
    object(names, &json!({ "type": "string" }))
}

/// An object in which every one of these names holds the same.
fn object(names: &[&str], each: &Value) -> Value {
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), each.clone())).collect();
    json!({ "type": "object", "required": names, "properties": properties })
}

fn list_of(each: &Value) -> Value {
    json!({ "type": "array", "items": each })
}

fn answer_field(spec: &EventSpec, field: AnswerField) -> Value {
    let mut schema = json!({ "description": answer_about(spec, field) });
    let parts = match field {
        AnswerField::Permission => json!({ "enum": ["allow", "deny", "ask"] }),
        AnswerField::Continue => json!({ "type": "boolean" }),
        AnswerField::UpdatedInput => json!({ "type": "object" }),
        AnswerField::UpdatedMcpToolOutput => json!({ "type": ["object", "array", "string"] }),
        AnswerField::Env => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        AnswerField::PluginPaths => list_of(&json!({ "type": "string" })),
        AnswerField::UserMessage
        | AnswerField::AgentMessage
        | AnswerField::AdditionalContext
        | AnswerField::NewContent
        | AnswerField::FollowupMessage => json!({ "type": "string" }),
    };
    extend(&mut schema, parts);
    schema
}

fn answer_about(spec: &EventSpec, field: AnswerField) -> &'static str {
    match field {
        AnswerField::Permission => match (spec.gate, spec.ask) {
            (Gate::ExitCode, _) => "What the hook thinks of it. Only exit code 2 withholds the response.",
            (_, Ask::Supported) => "Whether the action may go on; `ask` asks the user.",
            (_, Ask::HandedToHost) => {
                "Whether the action may go on; `ask` is handed to the host, and one that cannot ask denies."
            }
            (_, Ask::IsDeny) => "Whether the action may go on; nobody can be asked here, so `ask` denies.",
        },
        AnswerField::Continue => "Whether the prompt is sent.",
        AnswerField::UserMessage => "What the user is told.",
        AnswerField::AgentMessage => "What the agent is told.",
        AnswerField::UpdatedInput => "The tool's whole input, in place of what the agent wrote.",
        AnswerField::AdditionalContext => "What is added to the conversation.",
        AnswerField::UpdatedMcpToolOutput => "What the agent sees of an MCP tool's result.",
        AnswerField::NewContent => {
            "What is read in place of the file's text. Boathook's own: the original product ignores it."
        }
        AnswerField::FollowupMessage => "What is sent as the next message by itself.",
        AnswerField::Env => "Variables for every later hook of the session.",
        AnswerField::PluginPaths => "Absolute paths of plugins to load.",
    }
}

fn exit_codes(spec: &EventSpec) -> &'static str {
    match spec.gate {
        Gate::None => "",
        Gate::Permission => " Exit code 2 denies, whatever is printed.",
        Gate::Continue => " Exit code 2 holds the prompt back, whatever is printed.",
        Gate::ExitCode => " Exit code 2 withholds the response, whatever is printed.",
    }
}

fn extend(schema: &mut Value, parts: Value) {
    if let (Value::Object(schema), Value::Object(parts)) = (schema, parts) {
        schema.extend(parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(schema: &Value) -> Vec<&str> {
        schema["properties"].as_object().map(|it| it.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    #[test]
    fn an_input_has_its_fields_in_the_products_order() {
        let cases = [
            (
                EventKind::BeforeShellExecution,
                "conversation_id generation_id model command cwd sandbox model_id model_params session_id \
                 hook_event_name cursor_version workspace_roots user_email transcript_path",
            ),
            (EventKind::WorkspaceOpen, "hook_event_name cursor_version workspace_roots user_email"),
        ];
        for (event, expected) in cases {
            assert_eq!(names(&input(event)).join(" "), expected);
        }
        let session = input(EventKind::SessionStart);
        let required = session["required"].as_array().expect("a list");
        assert!(
            required.contains(&json!("session_id")),
            "the event's own field is always sent: {required:?}"
        );
    }

    #[test]
    fn every_event_has_all_three_schemas() {
        let hooks = hooks_json();
        for spec in EVENTS {
            assert!(hooks["properties"]["hooks"]["properties"][spec.name].is_object(), "{}", spec.name);
            assert_eq!(input(spec.kind)["properties"]["hook_event_name"]["const"], spec.name);
            let answers: Vec<&str> = spec.answers.iter().map(|field| field.name()).collect();
            assert_eq!(names(&output(spec.kind)), answers, "{}", spec.name);
        }
    }
}

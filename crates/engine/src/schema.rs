//! JSON Schemas (draft 2020-12) of hooks.json and of every event's input and
//! output, made from the tables of `event` and `input`.
//!
//! They are for editors, validators and generators of types, so they describe
//! the form to write. In hooks.json a key that nobody reads is marked, because
//! it is a misspelt one as a rule. Payloads and answers may hold more: hosts
//! send more, and what an answer says beside its fields is ignored.
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
        "patternProperties": { "^_": { "description": "A note; nobody reads it." } },
        "additionalProperties": false,
        "properties": {
            "$schema": { "type": "string", "description": "The schema this file follows; for editors." },
            "description": { "type": "string", "description": "A note; nobody reads it." },
            "version": { "type": "integer", "minimum": 1, "default": 1, "description": "The format's version: 1." },
            "environment": {
                "description": "Variables of the hooks in this file. Boathook's own extension.",
                "type": "object",
                "properties": {
                    "set": {
                        "type": "object",
                        "propertyNames": { "pattern": "^[^=]+$" },
                        "additionalProperties": { "type": "string" },
                        "description": "Variables with fixed values.",
                    },
                    "inherit": {
                        "type": "array",
                        "items": { "type": "string", "pattern": "^[^=]+$" },
                        "description": "Names that enterprise and team hooks inherit, which otherwise run in a clean environment. Other hooks inherit everything.",
                    },
                },
                "patternProperties": { "^_": true },
                "additionalProperties": false,
            },
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
        "items": { "$ref": "#/$defs/hook", "properties": without_effect(spec) },
    })
}

/// Options that change nothing on this event, and the values that do not pretend to.
fn without_effect(spec: &EventSpec) -> Map<String, Value> {
    let mut options = Map::new();
    if spec.subject == Subject::None {
        options.insert("matcher".to_owned(), json!({ "enum": ["", "*"] }));
    }
    if spec.gate == Gate::None {
        options.insert("failClosed".to_owned(), json!({ "const": false }));
    }
    if !spec.kind.loops() {
        options.insert("loop_limit".to_owned(), json!({ "type": "null" }));
    }
    options
}

fn matcher_about(subject: Subject) -> String {
    match subject {
        Subject::None => "There is nothing to match: every hook runs.".to_owned(),
        Subject::Field(name) => format!("A matcher looks at `{name}`."),
        Subject::McpTool => "A matcher looks at `MCP:` and `tool_name`.".to_owned(),
        Subject::Constant(word) => format!("A matcher looks at the word `{word}`."),
    }
}

/// One entry, of whatever type.
fn hook() -> Value {
    json!({
        "description": "One hook.",
        "type": "object",
        "patternProperties": { "^_": { "description": "A note; nobody reads it." } },
        "additionalProperties": false,
        "properties": {
            "name": { "description": "A note; nobody reads it." },
            "description": { "description": "A note; nobody reads it." },
            "comment": { "description": "A note; nobody reads it." },
            "id": { "description": "A note of an installer; nobody reads it." },
            "event": { "description": "A note; the event is the key of the list." },
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
                "description": "How long the hook may take, in seconds; a prompt hook's default is 30. From 5000 on it is read as milliseconds.",
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
            "monitor": {
                "type": "boolean",
                "default": false,
                "description": "An extension of Boathook: the hook runs and is recorded with what it would have done, and its answer changes nothing.",
            },
            "loop_limit": {
                "type": ["integer", "null"],
                "minimum": 0,
                "default": DEFAULT_LOOP_LIMIT,
                "description": "How many automatic follow-ups this hook gets, on stop and subagentStop; null is no limit.",
            },
            "dialect": {
                "enum": ["cursor", "claude"],
                "default": "cursor",
                "description": "An extension of Boathook: whose payload the hook reads and whose answers it gives. `claude` is for hooks that were written for Claude Code.",
            },
            "persistent": {
                "type": "boolean",
                "default": false,
                "description": "An extension of Boathook: under a daemon the hook's process stays and answers one event after another, one line of JSON each.",
            },
            "prestart": {
                "type": "boolean",
                "default": false,
                "description": "An extension of Boathook: under a daemon the hook's process is started before its event and waits for it.",
            },
            "rule": { "$ref": "#/$defs/rule" },
        },
        "dependentSchemas": {
            "rule": { "properties": { "command": { "pattern": "boathook(\\.exe)?[\"']?\\s+rule\\s+[A-Za-z0-9._-]+\\s*$" } } },
        },
        "not": {
            "properties": { "persistent": { "const": true }, "prestart": { "const": true } },
            "required": ["persistent", "prestart"],
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
        FieldType::Text => text(spec, field.name),
        FieldType::NullableText => json!({ "type": ["string", "null"] }),
        FieldType::Number => json!({ "type": "number", "minimum": 0 }),
        FieldType::Boolean => json!({ "type": "boolean" }),
        FieldType::Object => json!({ "type": "object" }),
        FieldType::TextList => list_of(&json!({ "type": "string" })),
        FieldType::Attachments => list_of(&attachment()),
        FieldType::Edits => list_of(&edit()),
        FieldType::TabEdits => list_of(&tab_edit()),
        FieldType::ModelParams => list_of(&model_param()),
    };
    extend(&mut schema, parts);
    schema
}

/// A text, with the values it is known to have: all of them, or some.
fn text(spec: &EventSpec, field: &str) -> Value {
    let names_a_tool = matches!(spec.subject, Subject::Field("tool_name"));
    match field {
        "status" => json!({ "enum": ["completed", "aborted", "error"] }),
        "reason" => json!({ "enum": ["completed", "aborted", "error", "window_close", "user_close"] }),
        "failure_type" => json!({ "enum": ["error", "timeout", "permission_denied"] }),
        "trigger" => json!({ "enum": ["auto", "manual"] }),
        "composer_mode" => json!({ "type": "string", "examples": ["agent", "ask", "edit"] }),
        "subagent_type" => json!({ "type": "string", "examples": ["generalPurpose", "explore", "shell"] }),
        "tool_name" if names_a_tool => {
            json!({ "type": "string", "examples": ["Shell", "Read", "Write", "Grep", "Delete", "Task"] })
        }
        _ => json!({ "type": "string" }),
    }
}

fn attachment() -> Value {
    let mut schema = described(&[("type", "What it is."), ("file_path", "Absolute path.")]);
    schema["properties"]["type"]["enum"] = json!(["file", "rule"]);
    schema
}

fn model_param() -> Value {
    described(&[("id", "The parameter's name."), ("value", "Its value.")])
}

fn edit() -> Value {
    described(&[("old_string", "The text before."), ("new_string", "The text after.")])
}

fn tab_edit() -> Value {
    let places = ["start_line_number", "start_column", "end_line_number", "end_column"];
    let mut range = object(&places, &json!({ "type": "integer", "minimum": 1 }));
    range["description"] = json!("Lines and columns count from 1; the end is exclusive.");
    let mut schema = described(&[
        ("old_string", "The text before."),
        ("new_string", "The text after."),
        ("old_line", "The whole first line before the edit."),
        ("new_line", "The whole first line after the edit."),
    ]);
    schema["properties"]["range"] = range;
    schema["required"] = json!(["old_string", "new_string", "range", "old_line", "new_line"]);
    schema
}

/// An object of texts, each with what it is.
fn described(fields: &[(&str, &str)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let mut schema = object(&names, &json!({ "type": "string" }));
    for (name, about) in fields {
        schema["properties"][*name]["description"] = json!(about);
    }
    schema
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
        AnswerField::Permission => match spec.ask {
            Ask::Supported | Ask::HandedToHost => json!({ "enum": ["allow", "deny", "ask"] }),
            Ask::IsDeny => json!({ "enum": ["allow", "deny"] }),
        },
        AnswerField::Continue => json!({ "type": "boolean" }),
        AnswerField::UpdatedInput => json!({ "type": "object" }),
        AnswerField::UpdatedMcpToolOutput => json!({ "type": ["object", "array", "string"] }),
        AnswerField::Env => json!({
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
            "additionalProperties": { "type": "string" },
        }),
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
            (_, Ask::IsDeny) => {
                "Whether the action may go on; nobody can be asked here, so `ask` is read as `deny`."
            }
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

    #[test]
    fn every_known_value_stands_in_the_words_about_its_field() {
        let mut known = 0;
        for spec in EVENTS {
            for field in spec.inputs.iter().filter(|field| field.kind == FieldType::Text) {
                let schema = text(spec, field.name);
                let values = schema["enum"].as_array().or(schema["examples"].as_array());
                for value in values.into_iter().flatten().filter_map(Value::as_str) {
                    let told =
                        field.about.contains(&format!("`{value}`")) || field.about == "As in preToolUse.";
                    assert!(told, "{} of {}: `{value}`", field.name, spec.name);
                    known += 1;
                }
            }
        }
        assert!(known > 30, "only {known} values");
    }
}

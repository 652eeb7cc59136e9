//! The schema of `rule`, an extension of ours.

use serde_json::{Value, json};

/// One rule.
pub(super) fn rule() -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let answer = |about: &str| json!({ "type": ["string", "boolean"], "description": about });
    json!({
        "description": "An extension of Boathook: a guard without a script. Boathook decides it itself; the original product runs the entry's `command`, which must be `boathook rule NAME`.",
        "type": "object",
        "properties": {
            "name": text("The name in the entry's command."),
            "description": text("A note."),
            "shell": { "$ref": "#/$defs/shell" },
            "when": { "$ref": "#/$defs/condition" },
            "deny": answer("Refuses; the text tells the user and the model why. `{command}` stands for a field."),
            "ask": answer("Asks the user."),
            "allow": answer("Allows. With `shell`, every command of the line must fit."),
            "user_message": text("A text for the user."),
            "agent_message": text("A text for the model, where it is to differ."),
            "additional_context": text("Context for the model."),
            "new_content": text("What the agent reads in place of the file."),
            "followup_message": text("A follow-up, on stop and subagentStop."),
        },
        "patternProperties": { "^_": true },
        "additionalProperties": false,
    })
}

/// Fields of the payload with their tests, of which all must hold.
pub(super) fn condition() -> Value {
    let list = json!({ "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/condition" } });
    json!({
        "description": "Fields of the payload and what they must be; all must hold. A field is a path like `tool_input.path` or `attachments[].file_path`.",
        "type": "object",
        "minProperties": 1,
        "properties": {
            "all": list,
            "any": list,
            "not": { "$ref": "#/$defs/condition" },
            "shell": { "$ref": "#/$defs/shell" },
        },
        "patternProperties": { "^_": true },
        "additionalProperties": { "$ref": "#/$defs/test" },
    })
}

/// What a field must be.
pub(super) fn test() -> Value {
    let texts =
        json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
    json!({
        "description": "A value to equal, a list to be in, or tests of which all must hold.",
        "anyOf": [
            { "type": ["string", "number", "boolean", "null", "array"] },
            {
                "type": "object",
                "minProperties": 1,
                "properties": {
                    "equals": true,
                    "in": { "type": "array" },
                    "contains": { "type": "string" },
                    "starts_with": { "type": "string" },
                    "ends_with": { "type": "string" },
                    "matches": { "type": "string", "description": "A JavaScript regular expression, unanchored." },
                    "glob": texts,
                    "exists": { "type": "boolean" },
                    "greater": { "type": "number" },
                    "less": { "type": "number" },
                    "not": { "$ref": "#/$defs/test" },
                },
                "patternProperties": { "^_": true },
                "additionalProperties": false,
            },
        ],
    })
}

/// What a command line would run.
pub(super) fn shell() -> Value {
    let texts =
        json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
    let one = json!([
        { "type": "string", "pattern": "\\S" },
        {
            "type": "object",
            "minProperties": 1,
            "properties": {
                "program": texts,
                "args": { "type": "array", "items": texts, "description": "Every one must be there; a list is several spellings of one." },
                "writes_to": texts,
                "reads_from": texts,
                "assigns": texts,
                "interactive": { "type": "boolean", "description": "A shell or an interpreter without a script, which prompts for commands: `bash`, `python3 -i`, `ssh host`." },
                "matches": { "type": "string", "description": "A JavaScript regular expression on the command, quoting undone." },
            },
            "patternProperties": { "^_": true },
            "additionalProperties": false,
        },
    ]);
    json!({
        "description": "A command that the command line would run, wherever it stands: `git push --force`. What cannot be read holds.",
        "anyOf": [one[0], one[1], { "type": "array", "minItems": 1, "items": { "anyOf": one } }],
    })
}

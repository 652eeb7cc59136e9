//! A small agent for tests: its payload says what happened in our own words,
//! its answers are the verdict as JSON.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::*;
use crate::input::Edit;
use crate::payload::Payload;

/// It can be told everything.
pub static ABLE: Agent = Agent {
    fold: |_, wanted| wanted.first().cloned().flatten(),
    abilities: Abilities { asks: Asks::Natively, replaces_output: true, context_before_tool: true },
    ..TINY
};

/// It may be able to ask.
pub static CAREFUL: Agent = Agent { abilities: Abilities { asks: Asks::WhenSet, ..TINY.abilities }, ..TINY };

/// It can be told to stop, and nothing else.
pub static UNABLE: Agent = TINY;

const TINY: Agent = Agent {
    name: "tiny",
    title: "Tiny",
    driven: None,
    decode_event: decode,
    fold: |_, _| None,
    encode_decision: encode,
    encode_event: |happening| {
        let mut payload = Payload::default();
        payload.set("event", &happening.event);
        payload
    },
    refuse_blindly: |_, reason| Reply::json(object(json!({ "blind": reason }))),
    abilities: Abilities { asks: Asks::Never, replaces_output: false, context_before_tool: false },
    patience: &[("brief", Duration::from_millis(1500)), ("long", Duration::from_secs(60))],
    coverage: &[],
    listens: &[],
    env_file: None,
    project_variables: &[],
    rule_files: &["AGENTS.md", "rules/*.md"],
    unseen: &[],
    runs_itself: &[Level::ClaudeUser],
};

/// A call of a tool by Cursor's names.
pub fn call(class: ToolClass, name: &str, input: Value) -> ToolCall {
    let edits = match input.get("file_path").and_then(Value::as_str).filter(|_| class == ToolClass::Write) {
        Some(path) => {
            let edit = Edit { old_string: "a".to_owned(), new_string: "b".to_owned() };
            vec![(path.to_owned(), vec![edit])]
        }
        None => Vec::new(),
    };
    let server = (class == ToolClass::Mcp).then(|| McpServer {
        name: "srv".to_owned(),
        tool: "echo".to_owned(),
        ..McpServer::default()
    });
    ToolCall { name: name.to_owned(), class, input: object(input), edits, server }
}

/// A happening in a session of its own.
pub fn happening(moment: Moment) -> Happening {
    Happening {
        session: Some("s".to_owned()),
        generation: Some("g".to_owned()),
        cwd: Some("/project".to_owned()),
        ..Happening::of("x", moment)
    }
}

pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

fn decode(told: &Told) -> Result<Happening, NotUnderstood> {
    let event = told.event.clone().or_else(|| told.payload.text("event"));
    let input = told.payload.get("input").and_then(|input| serde_json::from_str(input.get()).ok());
    let moment = match event.as_deref() {
        Some("shell") => {
            let input = input.ok_or_else(|| NotUnderstood("`input` is missing".to_owned()))?;
            let call = ToolCall { input, ..call(ToolClass::Shell, "Shell", json!({})) };
            Moment::BeforeTool { calls: vec![call] }
        }
        Some("nothing") => Moment::BeforeTool { calls: Vec::new() },
        Some("prompt") => Moment::Prompt { text: told.payload.text("text").unwrap_or_default() },
        _ => return Err(NotUnderstood("there is no such event".to_owned())),
    };
    Ok(happening(moment))
}

fn encode(_: &Happening, verdict: &Verdict) -> Reply {
    let refused = verdict.refused.as_ref().map(|words| words.model.clone());
    Reply::json(refused.map(|model| object(json!({ "refused": model }))).unwrap_or_default())
}

//! What the plugin is answered: one object in words of our own.

use serde_json::{Map, Value, json};

use crate::agent::saying::said;
use crate::agent::{Happening, Moment, Reply, Verdict};

/// The answer in the plugin's words.
pub(super) fn encode(happening: &Happening, verdict: &Verdict) -> Reply {
    let mut answer = Map::new();
    let mut set = |name: &str, value: Value| drop(answer.insert(name.to_owned(), value));
    match (&verdict.refused, &verdict.ask, &happening.moment) {
        // A prompt's reason is read by the person alone.
        (Some(words), _, Moment::Prompt { .. }) => set("refuse", json!(said(&words.user))),
        (Some(words), _, _) | (None, Some(words), _) => set("refuse", json!(said(&words.model))),
        (None, None, _) => {
            if let Some(input) = &verdict.input {
                set("args", json!(input));
            }
        }
    }
    if let Some(context) = &verdict.context {
        set("context", json!(context));
    }
    if let Some(output) = &verdict.output {
        set("output", output.clone());
    }
    if let Some(message) = &verdict.follow_up {
        set("follow_up", json!(message));
    }
    if !verdict.env.is_empty() {
        let env: Map<String, Value> =
            verdict.env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        set("env", Value::Object(env));
    }
    if let Some(notice) = &verdict.notice {
        set("notice", json!(notice));
    }
    Reply::json(answer)
}

/// The plugin holds back what it can hold back, whatever it was.
pub(super) fn refuse_blindly(_: Option<&str>, reason: &str) -> Reply {
    let mut answer = Map::new();
    answer.insert("refuse".to_owned(), json!(said(reason)));
    Reply::json(answer)
}

//! What the plugin is answered: one object in words of our own.

use serde_json::{Map, Value, json};

use super::tools::{TOOLS, is_patch};
use crate::agent::{Happening, Moment, Reply, Verdict, native_input};
use crate::dialect::patch::NOT_REWRITTEN;

/// The answer in the plugin's words.
pub(super) fn encode(happening: &Happening, verdict: &Verdict) -> Reply {
    let mut answer = Map::new();
    let mut set = |name: &str, value: Value| drop(answer.insert(name.to_owned(), value));
    match (&verdict.refused, &verdict.ask, &happening.moment) {
        // A prompt's reason is read by the person alone.
        (Some(words), _, Moment::Prompt { .. }) => set("refuse", json!(words.user)),
        (Some(words), _, _) | (None, Some(words), _) => set("refuse", json!(words.model)),
        (None, None, _) => match rewrite(happening, verdict) {
            Rewrite::None => {}
            Rewrite::Input(input) => set("args", Value::Object(input)),
            Rewrite::Impossible => set("refuse", json!(NOT_REWRITTEN)),
        },
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
    answer.insert("refuse".to_owned(), json!(reason));
    Reply::json(answer)
}

enum Rewrite {
    None,
    Input(Map<String, Value>),
    Impossible,
}

/// The whole input by OpenCode's names.
fn rewrite(happening: &Happening, verdict: &Verdict) -> Rewrite {
    match (&happening.call, verdict.rewrites.iter().flatten().next()) {
        (Some(call), Some(_)) if is_patch(call) => Rewrite::Impossible,
        (Some(call), Some(input)) => Rewrite::Input(native_input(TOOLS, call, input.clone())),
        _ => Rewrite::None,
    }
}

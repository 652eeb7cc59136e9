//! What Cline is answered. It reads JSON alone, never an exit code.

use serde_json::{Map, Value, json};

use super::harmless;
use crate::agent::saying::{joined, said};
use crate::agent::{Happening, Moment, Reply, Verdict};

/// The answer in Cline's words.
pub(super) fn encode(happening: &Happening, verdict: &Verdict) -> Reply {
    let mut answer = Map::new();
    match &happening.moment {
        Moment::BeforeTool { .. } => {
            hold_back(&mut answer, happening, verdict);
            add_context(&mut answer, verdict);
        }
        Moment::AfterTool { .. } | Moment::ToolFailed { .. } | Moment::SessionStart { .. } => {
            add_context(&mut answer, verdict);
        }
        // Cline does not wait for it; should it ever, this is its word.
        Moment::Prompt { .. } => {
            if let Some(words) = &verdict.refused {
                cancel(&mut answer, &words.user);
            }
            add_context(&mut answer, verdict);
        }
        Moment::Stop(_)
        | Moment::SubagentStop(_)
        | Moment::SessionEnd { .. }
        | Moment::Compact { .. }
        | Moment::Response { .. }
        | Moment::Thought { .. }
        | Moment::Nothing(_) => {}
    }
    Reply { stderr: verdict.notice.clone().unwrap_or_default(), ..Reply::json(answer) }
}

/// A refusal of we do not know what: the run ends.
pub(super) fn refuse_blindly(_: Option<&str>, reason: &str) -> Reply {
    let mut answer = Map::new();
    cancel(&mut answer, reason);
    Reply::json(answer)
}

fn hold_back(answer: &mut Map<String, Value>, happening: &Happening, verdict: &Verdict) {
    match verdict.refused.as_ref().or(verdict.ask.as_ref()) {
        Some(words) => refuse(answer, happening, verdict, &words.model),
        None => {
            if let Some(input) = &verdict.input {
                answer.insert("overrideInput".to_owned(), json!(input));
            }
        }
    }
}

/// The call fails with the reason. What does not fit into its error word for
/// word is told beside it.
fn refuse(answer: &mut Map<String, Value>, happening: &Happening, verdict: &Verdict, reason: &str) {
    let reason = said(reason);
    let call = happening.call.as_ref().filter(|_| !verdict.cancel_refused);
    match call.and_then(|call| harmless::replacement(&call.name, reason)) {
        Some(instead) => {
            answer.insert("overrideInput".to_owned(), instead.input);
            if !instead.says_all {
                answer.insert("context".to_owned(), json!(reason));
            }
        }
        None => cancel(answer, reason),
    }
}

/// The run ends, and the reason is its error.
fn cancel(answer: &mut Map<String, Value>, reason: &str) {
    answer.insert("cancel".to_owned(), json!(true));
    answer.insert("errorMessage".to_owned(), json!(said(reason)));
}

fn add_context(answer: &mut Map<String, Value>, verdict: &Verdict) {
    let told = answer.get("context").and_then(Value::as_str);
    if let Some(context) = joined(told, verdict.context.as_deref()) {
        answer.insert("context".to_owned(), json!(context));
    }
}

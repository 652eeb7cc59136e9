//! What Cline is answered. It reads JSON alone, never an exit code.

use serde_json::{Map, Value, json};

use super::tools;
use crate::agent::saying::said;
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
    let Some(words) = verdict.refused.as_ref().or(verdict.ask.as_ref()) else {
        if let Some(input) = &verdict.input {
            answer.insert("overrideInput".to_owned(), json!(input));
        }
        return;
    };
    let call = happening.call.as_ref().filter(|_| verdict.replace_refused);
    match call.and_then(|call| tools::harmless(call, &words.model)) {
        Some(input) => drop(answer.insert("overrideInput".to_owned(), input)),
        None => cancel(answer, &words.model),
    }
}

/// The run ends, and the reason is its error.
fn cancel(answer: &mut Map<String, Value>, reason: &str) {
    answer.insert("cancel".to_owned(), json!(true));
    answer.insert("errorMessage".to_owned(), json!(said(reason)));
}

fn add_context(answer: &mut Map<String, Value>, verdict: &Verdict) {
    if let Some(context) = &verdict.context {
        answer.insert("context".to_owned(), json!(context));
    }
}

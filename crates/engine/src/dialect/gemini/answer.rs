//! The answers Gemini takes.

use serde_json::{Map, Value, json};

use crate::agent::saying::{as_text, for_user, joined, said};
use crate::agent::{Happening, Moment, Reply, Verdict};
use crate::dialect::system_message::{noticed, refuse_at};

/// Events on which exit code 2 holds something back.
const GATES: &[&str] = &["BeforeTool", "BeforeAgent", "BeforeModel"];

/// The answer to what happened.
pub(super) fn encode_decision(happening: &Happening, verdict: &Verdict) -> Reply {
    let notice = verdict.notice.as_deref();
    let answer = match &happening.moment {
        Moment::BeforeTool { .. } => before_tool(verdict),
        Moment::Prompt { .. } => match &verdict.refused {
            // A message is shown instead of the reason.
            Some(words) => {
                let message = notice.and_then(|notice| joined(Some(&words.user), Some(notice)));
                decided("deny", &words.user, message.as_deref())
            }
            None => context("BeforeAgent", verdict),
        },
        Moment::AfterTool { .. } => match &verdict.output {
            // Beside it context is not read.
            Some(output) => decided("deny", &behind(as_text(output), verdict), notice),
            None => context("AfterTool", verdict),
        },
        // Of a call that failed the model is told the error and nothing else.
        Moment::ToolFailed { failing, .. } => match verdict.context {
            Some(_) => decided("deny", &behind(failing.message.clone(), verdict), notice),
            None => noticed(notice),
        },
        Moment::SessionStart { .. } => context("SessionStart", verdict),
        Moment::Stop(_) | Moment::SubagentStop(_) => ending(verdict),
        Moment::Compact { .. } => noticed(notice),
        Moment::SessionEnd { .. } | Moment::Response { .. } | Moment::Thought { .. } | Moment::Nothing(_) => {
            Map::new()
        }
    };
    Reply::json(answer)
}

/// Exit code 2 and words on stderr. Where nothing can be held back it would
/// hide an output or send the agent on, so there the words are only shown.
pub(super) fn refuse_blindly(event: Option<&str>, reason: &str) -> Reply {
    refuse_at(GATES, super::events::EVENTS, event, reason)
}

type Answer = Map<String, Value>;

fn before_tool(verdict: &Verdict) -> Answer {
    let notice = verdict.notice.as_deref();
    if let Some(words) = &verdict.refused {
        return decided("deny", &words.model, for_user(words, notice).as_deref());
    }
    let mut answer = match &verdict.ask {
        // The question shows the message and not the reason.
        Some(words) => decided("ask", &words.model, joined(Some(&words.user), notice).as_deref()),
        None => noticed(notice),
    };
    if let Some(input) = &verdict.input {
        // It takes the place of the whole input.
        let inner = json!({ "hookEventName": "BeforeTool", "tool_input": input });
        answer.insert("hookSpecificOutput".to_owned(), inner);
    }
    answer
}

fn ending(verdict: &Verdict) -> Answer {
    let notice = verdict.notice.as_deref();
    match verdict.follow_up.as_deref().filter(|text| !text.trim().is_empty()) {
        Some(text) => decided("deny", text, notice),
        None => {
            let words = verdict.refused.as_ref().map(|words| words.user.as_str());
            noticed(joined(words, notice).as_deref())
        }
    }
}

fn decided(decision: &str, reason: &str, notice: Option<&str>) -> Answer {
    let mut answer = Map::new();
    answer.insert("decision".to_owned(), decision.into());
    answer.insert("reason".to_owned(), said(reason).into());
    answer.extend(noticed(notice));
    answer
}

fn context(event: &str, verdict: &Verdict) -> Answer {
    let mut answer = noticed(verdict.notice.as_deref());
    if let Some(context) = verdict.context.as_deref().filter(|text| !text.trim().is_empty()) {
        let inner = json!({ "hookEventName": event, "additionalContext": context });
        answer.insert("hookSpecificOutput".to_owned(), inner);
    }
    answer
}

/// A text, and the context below it.
fn behind(text: String, verdict: &Verdict) -> String {
    match verdict.context.as_deref().filter(|context| !context.trim().is_empty()) {
        Some(context) => format!("{text}\n\n{context}"),
        None => text,
    }
}

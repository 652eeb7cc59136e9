//! The answers Codex takes, and no key more.

use serde_json::{Map, Value};

use crate::agent::saying::{as_text, for_user, joined, said};
use crate::agent::{Happening, Moment, Reply, Verdict, Words};
use crate::dialect::system_message::{noticed, refuse_at};

/// Events on which exit code 2 holds something back.
const GATES: &[&str] = &["PreToolUse", "PermissionRequest", "UserPromptSubmit"];
/// Events that read no answer, or none of ours.
const DEAF: &[&str] = &["SessionEnd", "PermissionRequest", "PostCompact", "SubagentStart"];

/// The answer to what happened.
pub(super) fn encode_decision(happening: &Happening, verdict: &Verdict) -> Reply {
    let answer = match &happening.moment {
        Moment::BeforeTool { .. } => before_tool(verdict),
        Moment::Prompt { .. } => match &verdict.refused {
            Some(words) => blocked(&words.user, verdict.notice.as_deref()),
            None => context("UserPromptSubmit", verdict),
        },
        Moment::AfterTool { .. } | Moment::ToolFailed { .. } => after_tool(verdict),
        Moment::SessionStart { .. } => context("SessionStart", verdict),
        Moment::Stop(_) | Moment::SubagentStop(_) => ending(verdict),
        Moment::Compact { .. } => noticed(verdict.notice.as_deref()),
        Moment::SessionEnd { .. } | Moment::Response { .. } | Moment::Thought { .. } | Moment::Nothing(_) => {
            Map::new()
        }
    };
    Reply::json(answer)
}

/// Exit code 2 and words on stderr. Where nothing can be held back it would
/// hide an output or send the agent on, so there the words are only shown.
pub(super) fn refuse_blindly(event: Option<&str>, reason: &str) -> Reply {
    let reply = refuse_at(GATES, super::events::EVENTS, event, reason);
    match event.filter(|name| DEAF.contains(name) && !GATES.contains(name)) {
        Some(_) => Reply { stdout: String::new(), ..reply },
        None => reply,
    }
}

type Answer = Map<String, Value>;

fn before_tool(verdict: &Verdict) -> Answer {
    // Nobody is ever asked because a hook wants it.
    if let Some(words) = verdict.refused.as_ref().or(verdict.ask.as_ref()) {
        return denied(words, verdict);
    }
    let mut inner = Map::new();
    if let Some(input) = verdict.input.clone() {
        inner.insert("permissionDecision".to_owned(), "allow".into());
        inner.insert("updatedInput".to_owned(), Value::Object(input));
    }
    specific("PreToolUse", inner, verdict, verdict.notice.as_deref())
}

fn denied(words: &Words, verdict: &Verdict) -> Answer {
    let mut inner = Map::new();
    inner.insert("permissionDecision".to_owned(), "deny".into());
    inner.insert("permissionDecisionReason".to_owned(), said(&words.model).into());
    specific("PreToolUse", inner, verdict, for_user(words, verdict.notice.as_deref()).as_deref())
}

fn after_tool(verdict: &Verdict) -> Answer {
    let mut answer = context("PostToolUse", verdict);
    if let Some(output) = &verdict.output {
        answer.insert("decision".to_owned(), "block".into());
        answer.insert("reason".to_owned(), as_text(output).into());
    }
    answer
}

fn ending(verdict: &Verdict) -> Answer {
    match verdict.follow_up.as_deref().filter(|text| !text.trim().is_empty()) {
        Some(text) => blocked(text, verdict.notice.as_deref()),
        None => {
            let words = verdict.refused.as_ref().map(|words| words.user.as_str());
            noticed(joined(words, verdict.notice.as_deref()).as_deref())
        }
    }
}

fn blocked(reason: &str, notice: Option<&str>) -> Answer {
    let mut answer = noticed(notice);
    answer.insert("decision".to_owned(), "block".into());
    answer.insert("reason".to_owned(), said(reason).into());
    answer
}

fn context(event: &str, verdict: &Verdict) -> Answer {
    specific(event, Map::new(), verdict, verdict.notice.as_deref())
}

/// What is the event's own, with context for the model.
fn specific(event: &str, inner: Map<String, Value>, verdict: &Verdict, notice: Option<&str>) -> Answer {
    let mut fields = Map::new();
    fields.insert("hookEventName".to_owned(), event.into());
    fields.extend(inner);
    if let Some(context) = verdict.context.as_deref().filter(|text| !text.trim().is_empty()) {
        fields.insert("additionalContext".to_owned(), context.into());
    }
    let mut answer = noticed(notice);
    if fields.len() > 1 {
        answer.insert("hookSpecificOutput".to_owned(), Value::Object(fields));
    }
    answer
}

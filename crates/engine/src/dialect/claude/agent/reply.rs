//! The answer in Claude Code's words.
//!
//! `allow` is silence: said aloud, it would skip Claude Code's own prompt.

use serde_json::{Map, Value, json};

use crate::agent::{Happening, Moment, Reply, Verdict};

/// Events whose answer may carry context; any other rejects the whole answer.
const TAKE_CONTEXT: &[&str] =
    &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStop"];

/// Events that hold nothing back. A refusal there would only make the agent go on.
const HOLD_NOTHING: &[&str] = &[
    "SessionStart",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionDenied",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "PreCompact",
    "SessionEnd",
];

/// What Claude Code is told.
pub(super) fn answer(happening: &Happening, verdict: &Verdict) -> Map<String, Value> {
    let mut answer = Map::new();
    let mut own = Map::new();
    let mut person = verdict.refused.as_ref().map(|words| words.user.as_str());
    match &happening.moment {
        Moment::BeforeTool { .. } => gate(verdict, &mut own),
        // The person reads the reason, and nobody else does.
        Moment::Prompt { .. } => block(&mut answer, person.take()),
        Moment::Stop(_) | Moment::SubagentStop(_) => block(&mut answer, verdict.follow_up.as_deref()),
        Moment::AfterTool { .. } => {
            if let Some(output) = &verdict.output {
                own.insert("updatedMCPToolOutput".to_owned(), content(output));
            }
        }
        Moment::SessionStart { .. }
        | Moment::SessionEnd { .. }
        | Moment::ToolFailed { .. }
        | Moment::Compact { .. }
        | Moment::Response { .. }
        | Moment::Thought { .. }
        | Moment::Nothing(_) => {}
    }
    let event = happening.event.as_str();
    if let Some(context) = verdict.context.as_ref().filter(|_| takes_context(happening)) {
        own.insert("additionalContext".to_owned(), Value::from(context.as_str()));
    }
    let person: Vec<&str> = person.into_iter().chain(verdict.notice.as_deref()).collect();
    if !person.is_empty() {
        answer.insert("systemMessage".to_owned(), Value::from(person.join("\n")));
    }
    if !own.is_empty() {
        own.shift_insert(0, "hookEventName".to_owned(), Value::from(event));
        answer.insert("hookSpecificOutput".to_owned(), Value::Object(own));
    }
    answer
}

/// A subagent that is given context at its end goes on to read it: once, or a
/// hook that always adds some would never let it end.
fn takes_context(happening: &Happening) -> bool {
    let goes_on = matches!(&happening.moment, Moment::SubagentStop(ending) if ending.looping);
    TAKE_CONTEXT.contains(&happening.event.as_str()) && !goes_on
}

/// What becomes of a call.
fn gate(verdict: &Verdict, own: &mut Map<String, Value>) {
    let mut decide = |word: &str, reason: Option<&str>| {
        own.insert("permissionDecision".to_owned(), Value::from(word));
        if let Some(reason) = reason {
            own.insert("permissionDecisionReason".to_owned(), Value::from(reason));
        }
    };
    if let Some(words) = &verdict.refused {
        return decide("deny", Some(&words.model));
    }
    if let Some(words) = &verdict.ask {
        decide("ask", Some(&words.user));
    } else if verdict.approved {
        decide("allow", None);
    }
    if let Some(input) = &verdict.input {
        own.insert("updatedInput".to_owned(), Value::Object(input.clone()));
    }
}

fn block(answer: &mut Map<String, Value>, reason: Option<&str>) {
    if let Some(reason) = reason {
        answer.insert("decision".to_owned(), Value::from("block"));
        answer.insert("reason".to_owned(), Value::from(reason));
    }
}

/// The content of an MCP result: the rest of it would reach the model as text.
fn content(output: &Value) -> Value {
    let list = output.get("content").filter(|content| content.is_array());
    list.unwrap_or(output).clone()
}

/// Exit code 2 and a JSON that says the same: whichever is understood blocks.
pub(in crate::dialect) fn refuse_blindly(event: Option<&str>, reason: &str) -> Reply {
    if event.is_some_and(|event| HOLD_NOTHING.contains(&event)) {
        return Reply { stdout: json!({ "systemMessage": reason }).to_string(), ..Reply::default() };
    }
    let answer = json!({ "decision": "block", "reason": reason, "systemMessage": reason });
    Reply { stdout: answer.to_string(), stderr: reason.to_owned(), code: 2 }
}

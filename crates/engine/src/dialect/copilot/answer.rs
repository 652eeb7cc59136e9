//! What Copilot is answered: flat keys, exit code 0.

use serde_json::{Map, Value, json};

use crate::agent::saying::{as_text, said};
use crate::agent::{Happening, Moment, Reply, Verdict};

/// The answer in Copilot's words.
pub(super) fn encode(happening: &Happening, verdict: &Verdict) -> Reply {
    let mut answer = Map::new();
    match &happening.moment {
        Moment::BeforeTool { .. } => {
            permission(&mut answer, verdict);
            if let Some(input) = &verdict.input {
                answer.insert("modifiedArgs".to_owned(), json!(input));
            }
            add_context(&mut answer, verdict);
        }
        Moment::AfterTool { .. } => {
            if let Some(output) = &verdict.output {
                let result = json!({"resultType": "success", "textResultForLlm": as_text(output)});
                answer.insert("modifiedResult".to_owned(), result);
            }
            add_context(&mut answer, verdict);
        }
        Moment::Prompt { .. } => {
            let reason = verdict.refused.as_ref().map(|words| words.user.as_str());
            block(&mut answer, reason);
            add_context(&mut answer, verdict);
        }
        Moment::Stop(_) | Moment::SubagentStop(_) => block(&mut answer, verdict.follow_up.as_deref()),
        Moment::SessionStart { .. } | Moment::ToolFailed { .. } => add_context(&mut answer, verdict),
        Moment::SessionEnd { .. }
        | Moment::Compact { .. }
        | Moment::Response { .. }
        | Moment::Thought { .. }
        | Moment::Nothing(_) => {}
    }
    Reply { stderr: verdict.notice.clone().unwrap_or_default(), ..Reply::json(answer) }
}

/// A refusal of we do not know what. At the end of a turn a `block` would send
/// the agent on its way again, so only a prompt gets one.
pub(super) fn refuse_blindly(event: Option<&str>, reason: &str) -> Reply {
    let mut answer = Map::new();
    if event == Some("userPromptSubmitted") {
        block(&mut answer, Some(reason));
    } else {
        refuse(&mut answer, reason);
    }
    Reply::json(answer)
}

fn permission(answer: &mut Map<String, Value>, verdict: &Verdict) {
    if let Some(words) = &verdict.refused {
        refuse(answer, &words.model);
    } else if let Some(words) = &verdict.ask {
        answer.insert("permissionDecision".to_owned(), json!("ask"));
        answer.insert("permissionDecisionReason".to_owned(), json!(words.user));
    } else if verdict.approved {
        answer.insert("permissionDecision".to_owned(), json!("allow"));
    }
}

fn refuse(answer: &mut Map<String, Value>, reason: &str) {
    answer.insert("permissionDecision".to_owned(), json!("deny"));
    answer.insert("permissionDecisionReason".to_owned(), json!(said(reason)));
}

fn block(answer: &mut Map<String, Value>, reason: Option<&str>) {
    if let Some(reason) = reason {
        answer.insert("decision".to_owned(), json!("block"));
        answer.insert("reason".to_owned(), json!(said(reason)));
    }
}

fn add_context(answer: &mut Map<String, Value>, verdict: &Verdict) {
    if let Some(context) = &verdict.context {
        answer.insert("additionalContext".to_owned(), json!(context));
    }
}

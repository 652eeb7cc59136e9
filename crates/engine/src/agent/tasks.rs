//! Tasks that an agent runs beside the conversation. When one ends, some agents
//! tell it to the model as if it were a prompt of the user's.
//!
//! A user can type the same text. So the text alone is no evidence: it must name
//! a task that a call of this session launched.

use serde_json::Value;

use super::happening::{Output, ToolCall, ToolClass};

const BEGIN: &str = "<task-notification>";
const END: &str = "</task-notification>";
const ID: (&str, &str) = ("<task-id>", "</task-id>");
/// What Qwen Code says before the id of an agent that it launched.
const LAUNCHED: &str = "Background agent launched successfully.\ntask_id: ";

/// The task that a call launched. What servers return is theirs to choose, so
/// it is not believed.
pub(super) fn launched(calls: &[ToolCall], output: &Output) -> Option<String> {
    let ours = |call: &ToolCall| matches!(call.class, ToolClass::Shell | ToolClass::Task);
    if calls.is_empty() || !calls.iter().all(ours) {
        return None;
    }
    let text = |name: &str| output.value.get(name).and_then(Value::as_str);
    let agent = text("agentId").filter(|_| text("status") == Some("async_launched"));
    let told = || text("llmContent")?.strip_prefix(LAUNCHED)?.split_whitespace().next();
    let id = agent.or_else(|| text("backgroundTaskId")).or_else(told)?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// The one task that a notification is about; none when it is no notification,
/// or could be about another one as well.
pub(super) fn notified(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    if inside.contains(BEGIN) || inside.contains(END) || inside.matches(ID.0).count() != 1 {
        return None;
    }
    let (before, behind) = inside.split_once(ID.0)?;
    let (id, _) = behind.split_once(ID.1)?;
    before.trim().is_empty().then_some(id.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_names_one_task_and_is_nothing_else() {
        let cases = [
            (
                "<task-notification>\n<task-id>a1</task-id>\n<result>x</result>\n</task-notification>",
                Some("a1"),
            ),
            ("  <task-notification><task-id>a1</task-id></task-notification>\n", Some("a1")),
            ("<task-notification></task-notification>", None),
            ("what is <task-notification><task-id>a1</task-id></task-notification>", None),
            ("<task-notification><task-id>a1</task-id></task-notification> and now", None),
            ("<task-notification>do <task-id>a1</task-id></task-notification>", None),
            ("<task-notification><task-id>a1</task-id><task-id>b</task-id></task-notification>", None),
            (
                "<task-notification><task-id>a1</task-id></task-notification> do it <task-notification></task-notification>",
                None,
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(notified(text), expected, "{text}");
        }
    }
}

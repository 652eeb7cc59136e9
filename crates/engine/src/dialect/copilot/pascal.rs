//! Copilot CLI in Claude Code's name: it runs the hooks of a project's
//! `.claude/settings.json` itself, with events and fields in Claude Code's
//! form, and with its own tools' inputs.
//!
//! What it was seen to take there is a refusal. Whatever else a hook says is
//! refused or said aloud, as for every agent that cannot be told.

use serde_json::{Map, Value};

use crate::agent::{Abilities, Agent, Asks, Happening, NotUnderstood, Reply, Told, Verdict};
use crate::dialect::claude;
use crate::payload::{Payload, rename_key};

/// Copilot, where it runs Claude Code's settings.
pub const IN_CLAUDES_NAME: Agent = Agent {
    decode_event,
    fold: |_, _| None,
    encode_decision,
    encode_event,
    refuse_blindly: claude::AGENT.refuse_blindly,
    abilities: Abilities { asks: Asks::Never, replaces_output: false, context_before_tool: false },
    listens: claude::AGENT.listens,
    ..super::AGENT
};

/// Whether a payload has this form. Claude Code tells no time.
pub fn is_in_claudes_name(payload: &Payload) -> bool {
    payload.has("timestamp") && payload.text(EVENT).is_some_and(|event| camel(&event).is_some())
}

/// The event of Copilot's own form that tells the same.
pub fn camel(event: &str) -> Option<&'static str> {
    EVENTS.iter().find(|(pascal, _)| *pascal == event).map(|(_, camel)| *camel)
}

const EVENT: &str = "hook_event_name";
const RESULT: &str = "tool_result";

const EVENTS: &[(&str, &str)] = &[
    ("SessionStart", "sessionStart"),
    ("SessionEnd", "sessionEnd"),
    ("UserPromptSubmit", "userPromptSubmitted"),
    ("PreToolUse", "preToolUse"),
    ("PostToolUse", "postToolUse"),
    ("PostToolUseFailure", "postToolUseFailure"),
    ("Stop", "agentStop"),
    ("SubagentStop", "subagentStop"),
    ("PreCompact", "preCompact"),
];

const FIELDS: &[(&str, &str)] = &[
    ("session_id", "sessionId"),
    ("transcript_path", "transcriptPath"),
    ("agent_id", "agentId"),
    ("agent_type", "agentType"),
    ("parent_agent_id", "parentAgentId"),
    ("tool_name", "toolName"),
    ("tool_input", "toolArgs"),
    (RESULT, "toolResult"),
    ("stop_reason", "stopReason"),
    ("last_assistant_message", "response"),
];

const RESULT_FIELDS: &[(&str, &str)] =
    &[("result_type", "resultType"), ("text_result_for_llm", "textResultForLlm")];

const TOOLS: &[(&str, &str)] = &[
    ("Bash", "bash"),
    ("PowerShell", "powershell"),
    ("Read", "view"),
    ("Write", "create"),
    ("Edit", "edit"),
    ("Agent", "task"),
    ("Task", "task"),
];

/// What Copilot told, in our words: as in its own form.
fn decode_event(told: &Told) -> Result<Happening, NotUnderstood> {
    let written = told.payload.text(EVENT).or_else(|| told.event.clone()).unwrap_or_default();
    let unknown = || NotUnderstood(format!("there is no event `{}`", written.escape_default()));
    let event = camel(&written).ok_or_else(unknown)?;
    let mut payload = told.payload.clone();
    renamed(&mut payload, RESULT, RESULT_FIELDS, false);
    for (pascal, camel) in FIELDS.iter().filter(|(_, camel)| !told.payload.has(camel)) {
        payload.rename(pascal, camel);
    }
    if let Some(tool) = payload.text("toolName") {
        let known = TOOLS.iter().find(|(pascal, _)| *pascal == tool);
        payload.set("toolName", known.map_or(tool.as_str(), |(_, camel)| camel));
    }
    (super::AGENT.decode_event)(&Told { event: Some(event.to_owned()), payload })
}

/// What Copilot would have told.
fn encode_event(happening: &Happening) -> Payload {
    let mut payload = (super::AGENT.encode_event)(happening);
    if let Some(tool) = payload.text("toolName") {
        let known = TOOLS.iter().find(|(_, camel)| *camel == tool);
        payload.set("toolName", known.map_or(tool.as_str(), |(pascal, _)| pascal));
    }
    for (pascal, camel) in FIELDS {
        payload.rename(camel, pascal);
    }
    renamed(&mut payload, RESULT, RESULT_FIELDS, true);
    payload.insert(0, EVENT, pascal(&happening.event));
    payload
}

/// Claude Code's answer.
fn encode_decision(happening: &Happening, verdict: &Verdict) -> Reply {
    let happening = Happening { event: pascal(&happening.event).to_owned(), ..happening.clone() };
    (claude::AGENT.encode_decision)(&happening, verdict)
}

fn pascal(event: &str) -> &str {
    EVENTS.iter().find(|(_, camel)| *camel == event).map_or(event, |(pascal, _)| pascal)
}

/// Gives fields of an object inside the payload their other names.
fn renamed(payload: &mut Payload, name: &str, names: &[(&str, &str)], back: bool) {
    let object =
        payload.get(name).and_then(|value| serde_json::from_str::<Map<String, Value>>(value.get()).ok());
    let Some(mut object) = object else { return };
    for (pascal, camel) in names {
        let (from, to) = if back { (camel, pascal) } else { (pascal, camel) };
        rename_key(&mut object, from, to);
    }
    payload.set(name, object);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::recorded::{decoded, payloads};
    use crate::agent::{Moment, ToolClass};

    fn recorded() -> Vec<(String, Payload)> {
        let mut all = payloads("copilot");
        all.retain(|(_, payload)| is_in_claudes_name(payload));
        assert!(all.len() > 20, "{}", all.len());
        all
    }

    #[test]
    fn it_is_told_from_claude_codes_own_payloads() {
        for (name, payload) in payloads("claude") {
            assert!(!is_in_claudes_name(&payload), "{name}");
        }
    }

    #[test]
    fn it_means_the_same_as_in_its_own_form() {
        for (name, payload) in recorded() {
            let happening = decoded(&IN_CLAUDES_NAME, &payload);
            assert_eq!(
                decoded(&IN_CLAUDES_NAME, &(IN_CLAUDES_NAME.encode_event)(&happening)),
                happening,
                "{name}"
            );
        }
        let cases = [
            ("42-", "Shell", ToolClass::Shell, json!("echo hello"), "command"),
            ("45-", "Read", ToolClass::Read, json!("/home/me/project/notes.txt"), "file_path"),
            ("47-", "Write", ToolClass::Write, json!("/home/me/project/new.txt"), "file_path"),
            ("50-", "Write", ToolClass::Write, json!("gamma"), "new_string"),
            ("52-", "MCP:echo", ToolClass::Mcp, json!("hi mcp"), "text"),
            ("57-", "Task", ToolClass::Task, json!("general-purpose"), "subagent_type"),
        ];
        for (file, tool, class, value, field) in cases {
            let (_, payload) = recorded().into_iter().find(|(name, _)| name.starts_with(file)).expect(file);
            let Moment::BeforeTool { calls } = decoded(&IN_CLAUDES_NAME, &payload).moment else {
                panic!("{file}")
            };
            assert_eq!((calls[0].name.as_str(), calls[0].class), (tool, class), "{file}");
            assert_eq!(calls[0].input[field], value, "{file}");
        }
        let (_, ran) = recorded().into_iter().find(|(name, _)| name.starts_with("44-")).expect("44");
        let Moment::AfterTool { output, .. } = decoded(&IN_CLAUDES_NAME, &ran).moment else {
            panic!("after")
        };
        assert_eq!((output.text.as_deref(), output.exit_code), (Some("hello"), Some(0)));
    }

    #[test]
    fn a_refusal_is_nested_under_the_events_own_name() {
        let (_, payload) = recorded().into_iter().find(|(name, _)| name.starts_with("68-")).expect("68");
        let happening = decoded(&IN_CLAUDES_NAME, &payload);
        let reply = (IN_CLAUDES_NAME.encode_decision)(&happening, &Verdict::refusal("no", "no"));
        let answer: Value = serde_json::from_str(&reply.stdout).expect("JSON");
        let expected = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"});
        assert_eq!(answer["hookSpecificOutput"], expected);
        assert_eq!((IN_CLAUDES_NAME.fold)(&happening, &[Some(Map::new())]), None);
    }
}

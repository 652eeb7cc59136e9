//! GitHub Copilot CLI calls us.
//!
//! Its events have camelCase names and payloads, and answers are flat keys.
//! No payload names its event, so the command line does. An exit code hides
//! the reason, so every answer is JSON with exit code 0.

mod answer;
mod coverage;
mod events;
pub mod pascal;
#[cfg(test)]
mod tests;
mod tools;

use crate::agent::{Abilities, Agent, Asks, Happening, Names, NotUnderstood, Subagent, Told, write};
use crate::payload::Payload;
use crate::source::Level;

/// GitHub Copilot CLI, as an agent.
pub const AGENT: Agent = Agent {
    name: "copilot",
    title: "GitHub Copilot CLI",
    driven: Some("1.0.102"),
    decode_event,
    fold: tools::fold,
    encode_decision: answer::encode,
    encode_event,
    refuse_blindly: answer::refuse_blindly,
    abilities: Abilities { asks: Asks::Natively, replaces_output: true, context_before_tool: true },
    patience: &[],
    coverage: coverage::COVERAGE,
    listens: &[
        "sessionStart",
        "sessionEnd",
        "userPromptSubmitted",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "agentStop",
        "subagentStop",
        "preCompact",
    ],
    env_file: None,
    project_variables: &["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    rule_files: &[
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
        ".github/copilot-instructions.md",
        ".github/instructions/*.instructions.md",
    ],
    // Those of the user's own Claude Code settings it leaves alone.
    unseen: &[],
    runs_itself: &[Level::ClaudeLocal, Level::ClaudeProject],
};

/// The names of the facts that go with every event.
const NAMES: Names = Names {
    event: "",
    session: "sessionId",
    generation: "",
    model: "",
    cwd: "cwd",
    transcript: "transcriptPath",
    mode: "",
    subagent: "agentId",
    subagent_kind: "agentType",
    tool: "toolName",
    input: "toolArgs",
    call: "",
};

/// Who a subagent works for: the session, or another subagent.
const PARENT: &str = "parentAgentId";

/// What Copilot told, in our words.
fn decode_event(told: &Told) -> Result<Happening, NotUnderstood> {
    if told.event.is_none() {
        let example = "boathook agent hook copilot preToolUse";
        return Err(NotUnderstood(format!(
            "a payload of Copilot does not name its event, so the command has to: `{example}`"
        )));
    }
    let told = Told { event: told.event.clone(), payload: tools::with_object(&told.payload) };
    let mut happening = NAMES.read(&told, events::ROWS)?;
    let own = happening.subagent.as_ref().map(|subagent| subagent.id.clone());
    // A subagent's session is named after it; the conversation is its parent's.
    if own.is_some() && own == happening.session {
        happening.session = told.payload.text(PARENT).or(happening.session);
    }
    Ok(happening)
}

/// What Copilot would have told.
fn encode_event(happening: &Happening) -> Payload {
    let mut payload = write(&NAMES, events::ROWS, happening);
    if let Some(Subagent { id, .. }) = &happening.subagent {
        if !events::TOLD_BY_PARENT.contains(&happening.event.as_str()) {
            payload.set(NAMES.session, id);
        }
        if let Some(session) = &happening.session {
            payload.set(PARENT, session);
        }
    }
    tools::as_sent(&mut payload);
    payload
}

//! Gemini CLI: what it tells, and the answers it takes.
//!
//! Of an answer it reads the flat `decision` and `reason`; a decision that is
//! nested as in other agents is not seen, and the tool runs.
//!
//! What differs between events is a row of `events`; what differs between
//! tools is a row of `tools`. Pure.

mod answer;
mod coverage;
mod events;
mod shell;
#[cfg(test)]
mod tests;
mod tools;

use crate::agent::{Abilities, Agent, Asks, Happening, Names, NotUnderstood, Told, Unseen, write};
use crate::payload::Payload;

/// Gemini CLI.
pub const AGENT: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    driven: Some("0.61.0"),
    decode_event,
    fold: tools::fold,
    encode_decision: answer::encode_decision,
    encode_event,
    refuse_blindly: answer::refuse_blindly,
    abilities: Abilities { asks: Asks::WhenSet, replaces_output: true, context_before_tool: false },
    patience: &[],
    coverage: coverage::COVERAGE,
    // PreCompress is left out: it fires before every call of the model,
    // whether or not anything is compacted.
    listens: &["SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool"],
    env_file: None,
    project_variables: &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    rule_files: &["GEMINI.md"],
    unseen: &[Unseen {
        action: "a shell command in `!{…}` of a custom command",
        reason: "Gemini CLI runs it before any hook is asked about the prompt, and fires no event for it; guard who may change `.gemini/commands`",
        is_typed_input: false,
    }],
    runs_itself: &[],
};

/// Where the facts of every event stand. It tells neither turn nor model, and
/// nothing tells a subagent's calls from its own.
const NAMES: Names = Names {
    event: "hook_event_name",
    session: "session_id",
    generation: "",
    model: "",
    cwd: "cwd",
    transcript: "transcript_path",
    mode: "",
    subagent: "",
    subagent_kind: "",
    tool: "tool_name",
    input: "tool_input",
    call: "",
};

fn decode_event(told: &Told) -> Result<Happening, NotUnderstood> {
    NAMES.read(told, events::EVENTS)
}

fn encode_event(happening: &Happening) -> Payload {
    write(&NAMES, events::EVENTS, happening)
}

//! Codex CLI: what it tells, and the answers it takes.
//!
//! Its answers are read strictly: a key it does not know, a refusal without a
//! reason or an approval fail the hook, and then the tool runs. So nothing is
//! ever said here that it does not take.
//!
//! What differs between events is a row of `events`; what differs between
//! tools is a row of `tools`. Pure.

mod answer;
mod coverage;
mod events;
pub(super) mod patches;
#[cfg(test)]
mod tests;
mod tools;

use std::time::Duration;

use crate::agent::{Abilities, Agent, Asks, Happening, Names, NotUnderstood, Told, Unseen, write};
use crate::payload::Payload;

/// Codex CLI.
pub const AGENT: Agent = Agent {
    name: "codex",
    title: "Codex CLI",
    driven: Some("0.166.0"),
    decode_event,
    fold: tools::fold,
    encode_decision: answer::encode_decision,
    encode_event,
    refuse_blindly: answer::refuse_blindly,
    abilities: Abilities { asks: Asks::Never, replaces_output: true, context_before_tool: true },
    patience: &[("SessionEnd", Duration::from_secs(3))],
    coverage: coverage::COVERAGE,
    listens: &[
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PreCompact",
        "SubagentStop",
        "Stop",
    ],
    env_file: None,
    project_variables: &[],
    rule_files: &["AGENTS.md", "AGENTS.override.md"],
    unseen: &[
        Unseen {
            action: "text typed into a command that runs (`write_stdin`)",
            reason: "Codex fires no event for it; deny interactive shells in beforeShellExecution, where `unseen_input` is true",
            is_typed_input: true,
        },
        Unseen {
            action: "a file read by a shell command",
            reason: "Codex has no tool that reads a file; guard the command in beforeShellExecution",
            is_typed_input: false,
        },
    ],
    runs_itself: &[],
};

/// Where the facts of every event stand.
const NAMES: Names = Names {
    event: "hook_event_name",
    session: "session_id",
    generation: "turn_id",
    model: "model",
    cwd: "cwd",
    transcript: "transcript_path",
    mode: "permission_mode",
    subagent: "agent_id",
    subagent_kind: "agent_type",
    tool: "tool_name",
    input: "tool_input",
    call: "tool_use_id",
};

fn decode_event(told: &Told) -> Result<Happening, NotUnderstood> {
    NAMES.read(told, events::EVENTS)
}

fn encode_event(happening: &Happening) -> Payload {
    write(&NAMES, events::EVENTS, happening)
}

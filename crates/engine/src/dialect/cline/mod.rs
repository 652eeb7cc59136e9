//! Cline CLI calls us: one file for each event, named after it.
//!
//! It waits for `PreToolUse` and `PostToolUse` alone, and reads no exit code.
//! Its own word for a refusal ends the whole run, so a refused call is replaced
//! by a harmless one that fails with the reason, where there is one.

mod answer;
mod coverage;
mod events;
mod harmless;
#[cfg(test)]
mod tests;
mod tools;

use std::time::Duration;

use crate::agent::{Abilities, Agent, Asks};

/// Nothing lets us change it.
const PATIENCE: Duration = Duration::from_secs(120);

/// Cline CLI, as an agent.
pub const AGENT: Agent = Agent {
    name: "cline",
    title: "Cline CLI",
    driven: Some("3.0.65"),
    decode_event: events::decode,
    fold: tools::fold,
    encode_decision: answer::encode,
    encode_event: events::encode,
    refuse_blindly: answer::refuse_blindly,
    abilities: Abilities { asks: Asks::Never, replaces_output: false, context_before_tool: true },
    patience: &[("PreToolUse", PATIENCE), ("PostToolUse", PATIENCE)],
    coverage: coverage::COVERAGE,
    listens: &[
        "TaskStart",
        "TaskResume",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "TaskComplete",
        "TaskCancel",
        "TaskError",
        "SessionShutdown",
    ],
    env_file: None,
    project_variables: &[],
    rule_files: &[".clinerules", ".clinerules/*.md", "AGENTS.md"],
    unseen: &[],
    runs_itself: &[],
};

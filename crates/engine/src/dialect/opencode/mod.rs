//! OpenCode calls us through a plugin of ours.
//!
//! The plugin stands in `crates/cli/src/agents/opencode/plugin.js` and says at
//! its top what the two tell each other: one JSON object for each hook of
//! OpenCode's, with its `input` and `output` as they are, and in `session` what
//! only the plugin can know (whose session it is, whose prompt). The answer is
//! one object in words of our own, which the plugin carries out.

mod answer;
mod coverage;
mod events;
#[cfg(test)]
mod tests;
mod tools;

use crate::agent::{Abilities, Agent, Asks, Unseen};

/// OpenCode, as an agent.
pub const AGENT: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    driven: Some("1.18.33"),
    decode_event: events::decode,
    fold: tools::fold,
    encode_decision: answer::encode,
    encode_event: events::encode,
    refuse_blindly: answer::refuse_blindly,
    abilities: Abilities { asks: Asks::Never, replaces_output: true, context_before_tool: true },
    patience: &[],
    coverage: coverage::COVERAGE,
    listens: &[
        "chat.message",
        "tool.execute.before",
        "tool.execute.after",
        "shell.env",
        "experimental.session.compacting",
        "experimental.text.complete",
        "event",
        "dispose",
    ],
    env_file: None,
    project_variables: &[],
    rule_files: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
    unseen: &[Unseen {
        action: "a shell command behind `!` in a custom command",
        reason: "OpenCode runs it before any plugin is asked about the prompt, and asks none about it; guard who may change `.opencode/command`",
        is_typed_input: false,
    }],
    runs_itself: &[],
};

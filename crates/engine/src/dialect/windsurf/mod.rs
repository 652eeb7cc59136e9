//! Windsurf's Cascade calls us. Written from its documentation; never run.
//!
//! It tells one event for each thing it is about to do or did. A `pre_` hook
//! that ends with exit code 2 holds the action back, and its stderr is the
//! reason. Nothing else can be answered.

mod coverage;
mod events;
#[cfg(test)]
mod tests;

use crate::agent::saying::said;
use crate::agent::{Abilities, Agent, Asks, Happening, Moment, Reply, Verdict};

/// Windsurf, as an agent.
pub const AGENT: Agent = Agent {
    name: "windsurf",
    title: "Windsurf",
    driven: None,
    decode_event: events::decode,
    fold: |_, _| None,
    encode_decision,
    encode_event: events::encode,
    refuse_blindly: |_, reason| refusal(reason),
    abilities: Abilities { asks: Asks::Never, replaces_output: false, context_before_tool: false },
    patience: &[],
    coverage: coverage::COVERAGE,
    listens: &[
        "pre_user_prompt",
        "pre_read_code",
        "post_read_code",
        "pre_write_code",
        "post_write_code",
        "pre_run_command",
        "post_run_command",
        "pre_mcp_tool_use",
        "post_mcp_tool_use",
        "post_cascade_response",
    ],
    env_file: None,
    project_variables: &["ROOT_WORKSPACE_PATH"],
    rule_files: &[".windsurfrules", ".windsurf/rules/*.md", "AGENTS.md"],
    unseen: &[],
    runs_itself: &[],
};

fn encode_decision(happening: &Happening, verdict: &Verdict) -> Reply {
    let words = verdict.refused.as_ref().or(verdict.ask.as_ref());
    match (&happening.moment, words) {
        (Moment::BeforeTool { .. }, Some(words)) => refusal(&words.model),
        (Moment::Prompt { .. }, Some(words)) => refusal(&words.user),
        _ => Reply { stderr: verdict.notice.clone().unwrap_or_default(), ..Reply::silence() },
    }
}

fn refusal(reason: &str) -> Reply {
    Reply { stderr: said(reason).to_owned(), code: 2, ..Reply::default() }
}

//! Agents that call us: what one of them told, which events of ours that is,
//! and the one answer it gets.
//!
//! ```text
//! bytes → Happening → Events → Decisions → Verdict → Reply
//! ```
//!
//! What an agent's words mean stands in its dialect (`dialect/NAME`), behind
//! the functions of [`Agent`]. What holds for every agent (which events one
//! call becomes, how their decisions are joined, what happens to an answer the
//! agent cannot take) stands here, once.

mod adapter;
mod asking;
mod attachments;
mod coverage;
mod fan_in;
mod fan_out;
mod file_path;
mod guard;
mod happening;
mod hear;
mod memory;
mod mistaken;
pub mod patch;
#[cfg(test)]
mod patience_tests;
mod reading;
#[cfg(test)]
pub(crate) mod recorded;
mod reports;
mod rewriting;
pub mod saying;
mod servers;
mod sources;
mod tasks;
#[cfg(test)]
mod tiny;
mod tools;
mod verdict;
mod wire;
mod workspace_roots;

pub use adapter::{Adapter, Afterwards, Answered, refuse};
pub use coverage::{Covered, Effect, Reach};
pub(crate) use guard::unreadable_policy;
pub use happening::{
    Ending, Failing, Happening, McpServer, Moment, NativeCall, Output, Subagent, ToolCall, ToolClass,
};
pub use hear::{Heard, event_named_in, hear};
pub use mistaken::refuse_mistaken;
pub use servers::McpLookup;
pub use sources::left_to;
pub use tools::{NativeTool, cursor_call, native_input};
pub use verdict::{Reply, Verdict, Words};
pub use wire::{EventRow, Names, write};
pub use workspace_roots::{RootHints, workspace_roots};

use std::time::Duration;

use serde_json::{Map, Value};

use crate::dialect;
use crate::payload::Payload;
use crate::perform::Deadline;
use crate::source::Level;

/// An agent: its names, its abilities, and how it is understood and answered.
#[derive(Debug)]
pub struct Agent {
    /// The word a person types.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// The version our tests drove; none when it was written from its
    /// documentation and never run by us.
    pub driven: Option<&'static str>,
    /// What the agent told, in our words.
    pub decode_event: fn(&Told) -> Result<Happening, NotUnderstood>,
    /// The native input in which the happening's calls have these inputs, by
    /// Cursor's names; none where the agent cannot be given it.
    pub fold: fn(&Happening, &[Option<Map<String, Value>>]) -> Option<Map<String, Value>>,
    /// The answer in the agent's words.
    pub encode_decision: fn(&Happening, &Verdict) -> Reply,
    /// What the agent would have told: the inverse of `decode_event`.
    pub encode_event: fn(&Happening) -> Payload,
    /// A refusal when we could not even understand what is refused. In the
    /// form that holds back most.
    pub refuse_blindly: fn(event: Option<&str>, reason: &str) -> Reply,
    /// What it can be told.
    pub abilities: Abilities,
    /// Events, by its own names, for which it waits only so long, whatever its
    /// settings say: then it goes on by itself.
    pub patience: &'static [(&'static str, Duration)],
    /// Which of our events it reaches, and what becomes of each answer field.
    pub coverage: &'static [Covered],
    /// The events it is installed for, by its own names.
    pub listens: &'static [&'static str],
    /// The variable that names a file whose `export` lines its session takes over.
    pub env_file: Option<&'static str>,
    /// Variables in which the agent names its project to hooks. They can only add
    /// a workspace root, because a repository can set the agent's environment.
    pub project_variables: &'static [&'static str],
    /// Files with rules that the agent loads by itself, below a workspace; `*`
    /// stands for any name.
    pub rule_files: &'static [&'static str],
    /// What the agent does without any event that reaches us, so that no hook can hold it back.
    pub unseen: &'static [Unseen],
    /// Sources whose hooks the agent runs itself: never loaded here, or they
    /// would fire twice.
    pub runs_itself: &'static [Level],
}

/// Something an agent does that fires no event of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unseen {
    /// What it does, in a few words.
    pub action: &'static str,
    /// Why no hook can hold it back, and what to guard in its place.
    pub reason: &'static str,
    /// Whether it is text that the model types into a command that runs already.
    pub is_typed_input: bool,
}

/// What the agent said: its payload, and the event's name where the payload
/// does not hold it.
#[derive(Debug, Clone)]
pub struct Told {
    /// Typed behind the agent's name.
    pub event: Option<String>,
    /// Its JSON object.
    pub payload: Payload,
}

/// Why an agent's words mean nothing to us: a sentence that says what is
/// wrong, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotUnderstood(pub String);

/// What can be told to an agent. What it cannot be told becomes a refusal or
/// is said aloud; nothing is dropped silently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Whether it can ask its user.
    pub asks: Asks,
    /// Whether the output of an MCP tool can be replaced.
    pub replaces_output: bool,
    /// Whether the model reads context that comes with a call that may run.
    pub context_before_tool: bool,
}

/// Whether an agent can ask its user because a hook wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// Yes; where nobody is there it refuses by itself.
    Natively,
    /// Only where somebody sits in front of it, which we cannot tell: a
    /// refusal, unless the user set otherwise.
    WhenSet,
    /// Never: a refusal.
    Never,
}

/// What the user chose about agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Preferences {
    /// `allow` of a hook skips the agent's own permission prompt.
    pub allow_skips_prompt: bool,
    /// `ask` is put to agents that may not be able to ask.
    pub ask_where_possible: bool,
    /// Where a refusal is either the end of the run or a harmless call in the
    /// place of the refused one, it is the end.
    pub cancel_refused_calls: bool,
}

/// Every agent, in the order they are listed.
pub const AGENTS: &[&Agent] = &[
    &dialect::claude::AGENT,
    &dialect::codex::AGENT,
    &dialect::gemini::AGENT,
    &dialect::copilot::AGENT,
    &dialect::qwen::AGENT,
    &dialect::opencode::AGENT,
    &dialect::cline::AGENT,
    &dialect::cursor::AGENT,
    &dialect::windsurf::AGENT,
    &dialect::vscode::AGENT,
];

/// The agent of this name.
pub fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name).copied()
}

impl Agent {
    /// Whether the model can type into a running command without an event: an interactive shell
    /// is then a door past every gate.
    pub fn types_unseen(&self) -> bool {
        self.unseen.iter().any(|one| one.is_typed_input)
    }

    /// By when hooks of this event must be done; none when the agent waits for
    /// as long as it is told to.
    pub fn deadline(&self, event: &str) -> Option<Deadline> {
        let (_, patience) = self.patience.iter().find(|(name, _)| *name == event)?;
        Some(Deadline::from_now(*patience, self.title))
    }
}

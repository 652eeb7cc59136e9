//! Claude Code's hooks: their events and tools by its names, the payload they
//! read, the answers they give, and what their matchers and `if` rules mean.
//!
//! `agent` is the other side: Claude Code calls us.
//!
//! What differs between events is a row of `events`; what differs between
//! tools is a row of `tools`. Pure.

pub(in crate::dialect) mod agent;
mod answer;
mod encode;
mod events;
mod glob;
mod matcher;
mod native;
mod rule;
#[cfg(test)]
mod tests;
mod tools;

pub use agent::AGENT;
pub use answer::decode_answer;
pub use encode::encode_event;
pub use events::{CLAUDE_EVENTS, ClaudeEvent, Sees, of_kind, without_counterpart};
pub use matcher::ClaudeMatcher;
pub use native::{Native, to_native};
pub use rule::Condition;
pub use tools::{KNOWN_TOOLS, native_tool};
pub(in crate::dialect) use tools::{TOOLS, mcp_parts};

/// What an entry of Claude Code says that a native one cannot.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which payload it reads.
    pub shape: Shape,
    /// Its matcher, over Claude Code's names; none where the entry's own
    /// matcher looks at native ones.
    pub matcher: Option<ClaudeMatcher>,
    /// Its arguments, when the program is to be started without a shell.
    pub args: Option<Vec<String>>,
    /// When it runs, beside its matcher.
    pub condition: Option<Condition>,
    /// `async`: its answer does not count.
    pub background: bool,
}

/// The payload that imported hooks read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// Claude Code's, as they were written for.
    #[default]
    Claude,
    /// The native one, as the original product hands it to them.
    Cursor,
}

impl Shape {
    /// The shape of this name.
    pub fn named(name: &str) -> Option<Shape> {
        match name {
            "claude" => Some(Shape::Claude),
            "cursor" => Some(Shape::Cursor),
            _ => None,
        }
    }
}

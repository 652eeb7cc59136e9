//! The words of other products. Hooks that were written for one: the payload
//! they expect and the answers they give. Agents that call us: what they tell
//! and what they are answered.
//!
//! Pure: an event in, a payload out; an exit in, an outcome out; a payload in,
//! a happening out; a verdict in, a reply out.

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod gemini;
pub mod opencode;
mod patch;
pub mod qwen;
mod rows;
mod system_message;
pub mod vscode;
pub mod windsurf;

use std::sync::Arc;

/// Whose payloads a hook reads, and whose answers it gives.
#[derive(Debug, Clone, Default)]
pub enum Dialect {
    /// The native one.
    #[default]
    Cursor,
    /// Claude Code's, with what only its entries can say.
    Claude(Arc<claude::Options>),
}

impl Dialect {
    /// What an entry of Claude Code says; none for a native one.
    pub fn claude(&self) -> Option<&claude::Options> {
        match self {
            Dialect::Cursor => None,
            Dialect::Claude(options) => Some(options),
        }
    }

    /// The word for it in a hooks.json.
    pub fn name(&self) -> &'static str {
        match self {
            Dialect::Cursor => "cursor",
            Dialect::Claude(_) => "claude",
        }
    }
}

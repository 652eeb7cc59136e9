//! Runs Cursor-format hooks: from an event to a decision.
//!
//! Synchronous; no network, no terminal, no async runtime.

pub mod config;
pub mod definition;
pub mod edition;
pub mod event;
pub mod input;
pub mod load;
pub mod matcher;
pub mod problem;
pub mod run;
pub mod source;
mod tab_edits;
#[cfg(test)]
mod testing;

pub use tab_edits::tab_edits;

//! Runs Cursor-format hooks: from an event to a decision.
//!
//! Synchronous; no network, no terminal, no async runtime.

pub mod answer;
pub mod config;
pub mod definition;
pub mod edition;
pub mod event;
pub mod ids;
pub mod input;
pub mod load;
pub mod matcher;
pub mod outcome;
pub mod payload;
pub mod problem;
pub mod run;
pub mod source;
#[cfg(test)]
mod testing;

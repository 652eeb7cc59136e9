//! Runs Cursor-format hooks: from an event to a decision.
//!
//! Synchronous; no network, no terminal, no async runtime.

pub mod answer;
mod clock;
pub mod config;
pub mod decision;
pub mod definition;
pub mod digest;
pub mod edition;
pub mod engine;
pub mod environment;
pub mod event;
pub mod fill;
pub mod ids;
pub mod input;
pub mod judge;
pub mod load;
pub mod log_file;
pub mod matcher;
pub mod merge;
pub mod outcome;
pub mod payload;
pub mod perform;
pub mod plan;
pub mod problem;
pub mod read_file;
pub mod record;
pub mod rounds;
pub mod run;
pub mod session;
pub mod sessions;
pub mod source;
pub mod state;
#[cfg(test)]
mod testing;

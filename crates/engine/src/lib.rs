//! Runs Cursor-format hooks: from an event to a decision.
//!
//! Synchronous; no network, no terminal, no async runtime.

mod clock;
pub mod config;
pub mod definition;
pub mod digest;
pub mod edition;
pub mod event;
pub mod input;
pub mod load;
pub mod matcher;
pub mod problem;
pub mod protected;
pub mod read_file;
pub mod run;
pub mod source;
pub mod state;
#[cfg(test)]
mod testing;
pub mod trust;

//! Runs Cursor-format hooks: from an event to a decision.
//!
//! Synchronous; no network, no terminal, no async runtime.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_macros))]

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
#[cfg(test)]
mod testing;

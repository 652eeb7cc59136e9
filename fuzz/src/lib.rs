//! Laws that hold for any bytes that the engine reads, one module for each fuzz target.
//!
//! A law is a function that takes bytes and panics when they break it, so that libFuzzer, the
//! replay of the corpus and a debugger run the same code. What is damaged or hostile may be
//! rejected; it must not crash, hang, open a gate, or be reported at a place that does not exist.

#![warn(missing_docs)]

pub mod agent_payload;
pub mod answers;
pub mod claude_settings;
pub mod hookify;
pub mod hooks_json;
pub mod payload;
pub mod problems;
pub mod samples;
pub mod shell_line;

//! What is said with a process that stays: what came back for a line, and what
//! that means to whoever asked.

use super::super::{Exit, Status};

/// What a caller read in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The exit code that a process of its own would have had.
    pub exit_code: i32,
    /// What it would have printed.
    pub stdout: Vec<u8>,
    /// What it would have written to stderr.
    pub stderr: Vec<u8>,
}

/// What came of asking.
#[derive(Debug)]
pub enum Asked {
    /// This, and what the hook's author should know.
    Told(Exit, Vec<String>),
    /// This, from a process that never answered anybody: perhaps it does not
    /// know that it should stay, and would answer by itself.
    Mute(Exit, Vec<String>),
    /// Nobody was asked, for this reason: the event needs a process of its own.
    NotKept(Vec<String>),
}

/// What came back for a line.
#[derive(Debug)]
#[cfg_attr(windows, allow(dead_code))] // nobody is asked there
pub enum Reply {
    /// A line without its end; whether something stood behind it.
    Line { bytes: Vec<u8>, rest: bool },
    /// The process ended.
    Ended(Status),
    /// It closed its output.
    Closed,
    /// Nothing, and this is why.
    Nothing(Status),
}

/// One line in, and what came of it.
#[derive(Debug)]
pub struct Exchange {
    pub reply: Reply,
    pub stderr: Vec<u8>,
}

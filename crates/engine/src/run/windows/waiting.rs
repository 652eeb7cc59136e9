//! Stands for processes that outlive an event where none does yet: every event
//! starts its own.

use std::ffi::OsString;
use std::time::Instant;

use super::super::keep::{Exchange, LastWord, Reply};
use super::super::{Cancel, Invocation, Status};

/// Whether there are such processes here.
pub const KEEPS: bool = false;

/// A process that there never is.
#[allow(dead_code)] // nobody makes one
pub struct Waiting(());

const NOT_HERE: &str = "processes that outlive an event are not kept on this system";

/// What an idle process did.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(dead_code)] // the other face has them all
pub enum Idleness {
    Quiet,
    Printed,
    Ended,
}

impl Waiting {
    pub fn start(_: &Invocation, _marker: String, _: Option<LastWord>) -> Result<Waiting, String> {
        Err(NOT_HERE.to_owned())
    }

    pub fn idleness(&mut self) -> Idleness {
        Idleness::Ended
    }

    pub fn exchange(&mut self, _: &[u8], _: Instant, _: &Invocation, _: &Cancel) -> Exchange {
        Exchange { reply: Reply::Nothing(Status::NotStarted(NOT_HERE.to_owned())), stderr: Vec::new() }
    }

    pub fn end_all(_all: Vec<Waiting>) {}
}

/// A process that gave its answer and has not ended: there never is one.
#[allow(dead_code)] // nobody makes one
pub struct Left(());

impl Left {
    pub fn is_over(&self) -> bool {
        true
    }

    pub fn is_late(&self, _now: Instant) -> bool {
        true
    }

    pub fn end_all(_all: Vec<Left>) {}
}

/// The name of a keeper's processes.
pub struct Marker;

impl Marker {
    pub fn new() -> Marker {
        Marker
    }

    pub fn of(&self, _index: usize, _env: &[(OsString, OsString)]) -> String {
        String::new()
    }
}

/// A guard that is never set up: the job object ends what is left.
pub enum Guard {}

impl Guard {
    pub fn new(_marker: &Marker) -> Option<Guard> {
        None
    }
}

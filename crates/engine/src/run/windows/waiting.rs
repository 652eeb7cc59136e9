//! Stands for processes that outlive an event where none does yet: every event
//! starts its own.

use std::ffi::OsString;
use std::time::Instant;

use super::super::keep::Exchange;
use super::super::{Cancel, Invocation};

/// Whether there are such processes here.
pub const KEEPS: bool = false;

/// A process that there never is.
pub enum Waiting {}

/// What an idle process did.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(dead_code)] // the other face needs them all
pub enum Idleness {
    Quiet,
    Printed,
    Ended,
}

impl Waiting {
    pub fn start(_invocation: &Invocation, _marker: String) -> Result<Waiting, String> {
        Err("processes that stay are not kept on this system".to_owned())
    }

    pub fn idleness(&mut self) -> Idleness {
        match *self {}
    }

    pub fn is_over(&mut self) -> bool {
        match *self {}
    }

    pub fn exchange(&mut self, _: &[u8], _: Instant, _: &Invocation, _: &Cancel) -> Exchange {
        match *self {}
    }

    pub fn end_all(_all: Vec<Waiting>) {}
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

//! One event as rules look at it: what many rules ask for is read once.

use std::cell::OnceCell;

use crate::fill::Event;
use crate::rule::hookify::Views;

/// An event, and what was read for it so far.
pub struct Look<'a> {
    /// The event.
    pub event: &'a Event,
    read_transcript: &'a dyn Fn(&str) -> Option<String>,
    transcript: OnceCell<Option<String>>,
    /// What hookify rules see of it.
    pub(super) views: Views,
}

impl<'a> Look<'a> {
    /// Reads nothing yet.
    pub fn new(event: &'a Event, read_transcript: &'a dyn Fn(&str) -> Option<String>) -> Look<'a> {
        Look { event, read_transcript, transcript: OnceCell::new(), views: Views::default() }
    }

    /// The conversation so far; none when the event names no transcript.
    /// One that cannot be read is an empty text.
    pub fn transcript(&self) -> Option<&str> {
        let read = || {
            let path = self.event.payload.text("transcript_path").filter(|path| !path.is_empty())?;
            Some((self.read_transcript)(&path).unwrap_or_default())
        };
        self.transcript.get_or_init(read).as_deref()
    }
}

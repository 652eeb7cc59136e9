//! One event as rules look at it: what many rules ask for is read once.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::fill::Event;
use crate::rule::hookify::Views;
use crate::rule::shell::{self, Reading};

/// An event, and what was read for it so far.
pub struct Look<'a> {
    /// The event.
    pub event: &'a Event,
    read_transcript: &'a dyn Fn(&str) -> Option<String>,
    transcript: OnceCell<Option<String>>,
    command_line: RefCell<Option<(String, Rc<Reading>)>>,
    /// What hookify rules see of it.
    pub(super) views: Views,
}

impl<'a> Look<'a> {
    /// Reads nothing yet.
    pub fn new(event: &'a Event, read_transcript: &'a dyn Fn(&str) -> Option<String>) -> Look<'a> {
        Look {
            event,
            read_transcript,
            transcript: OnceCell::new(),
            command_line: RefCell::default(),
            views: Views::default(),
        }
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

    /// What a command line would start. The last one is remembered: all rules
    /// of an event ask about the same.
    pub fn commands(&self, line: &str) -> Rc<Reading> {
        if let Some((known, reading)) = &*self.command_line.borrow()
            && known == line
        {
            return Rc::clone(reading);
        }
        let reading = Rc::new(shell::read(line));
        *self.command_line.borrow_mut() = Some((line.to_owned(), Rc::clone(&reading)));
        reading
    }
}

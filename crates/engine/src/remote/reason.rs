//! Why the daemon was not asked, or why its answer was not taken.

use std::io;
use std::time::Duration;

use super::wire::{LONGEST_LINE, RpcError, codes};
use crate::state::StateError;

/// Why the daemon was not asked, or why its answer was not taken. Each of them
/// ends in the engine in process.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// Nobody listens.
    #[error("no daemon")]
    Absent,
    /// Its places may all be taken by those who wait for this hook.
    #[error("inside a hook the daemon is not asked")]
    InsideAHook,
    /// Only this process knows what it wants.
    #[error("only this process knows {0}")]
    OwnSettings(&'static str),
    /// The event makes a line that no daemon reads.
    #[error("the event is longer than {LONGEST_LINE} bytes")]
    TooLong,
    /// A path that is no text.
    #[error("the event cannot be told in JSON: {0}")]
    Untellable(serde_json::Error),
    /// The user cancelled.
    #[error("it was cancelled")]
    Cancelled,
    /// The folder of its socket is not ours alone.
    #[error("the daemon's socket is not to be trusted: {0}")]
    Folder(StateError),
    /// Somebody else listens.
    #[error("the daemon's socket is not to be trusted: {0} listens there")]
    Stranger(String),
    /// The system says no.
    #[error("the daemon cannot be reached: {0}")]
    Unreachable(io::Error),
    /// It does not take callers.
    #[error("the daemon did not take the call within {} ms", .0.as_millis())]
    NotTaken(Duration),
    /// It says neither an answer nor that it works.
    #[error("the daemon was silent for {} s", .0.as_secs())]
    Silent(Duration),
    /// It was silent a moment ago.
    #[error("the daemon was silent a moment ago and is left alone for {} s", .0.as_secs())]
    LeftAlone(Duration),
    /// It closed the connection without an answer.
    #[error("the daemon went away before it answered")]
    Gone,
    /// It says why it does not answer.
    #[error("the daemon did not answer: {}", .0.message)]
    Refused(RpcError),
    /// What it says is no answer.
    #[error("what the daemon says is no answer: {0}")]
    Garbled(String),
}

impl Reason {
    /// Whether something is wrong that a person should know of. A daemon that
    /// is not there, that is about to end or that cannot know what is wanted is
    /// as it should be.
    pub fn is_trouble(&self) -> bool {
        match self {
            Reason::Absent
            | Reason::InsideAHook
            | Reason::OwnSettings(_)
            | Reason::TooLong
            | Reason::Untellable(_)
            | Reason::Cancelled => false,
            Reason::Refused(error) => error.code != codes::ENDING,
            Reason::Folder(_)
            | Reason::Stranger(_)
            | Reason::Unreachable(_)
            | Reason::NotTaken(_)
            | Reason::Silent(_)
            | Reason::LeftAlone(_)
            | Reason::Gone
            | Reason::Garbled(_) => true,
        }
    }

    /// What a person can do about it, where we know.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Reason::Refused(error) if error.code == codes::OTHER => {
                Some("start the daemon again, from the same program, home and configuration as this command")
            }
            Reason::Silent(_) | Reason::LeftAlone(_) | Reason::NotTaken(_) => {
                Some("end the daemon and start it again: it hangs")
            }
            Reason::Folder(_) | Reason::Stranger(_) => {
                Some("somebody else could have put it there; look at it, and remove it")
            }
            _ => None,
        }
    }
}

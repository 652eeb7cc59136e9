//! A named pipe.

use std::io;
use std::time::Duration;

use crate::run::Pipe;

/// A connection.
pub type Stream = Pipe;

/// Writes what fits now; 0 when nothing does.
pub fn send_now(stream: &Pipe, bytes: &[u8]) -> io::Result<usize> {
    stream.send_now(bytes)
}

/// Here nobody waits awake: a read that is handed to the system comes back soon.
pub fn receive_awake(_stream: &Pipe, _room: &mut [u8], _patience: Duration) -> Option<usize> {
    None
}

/// Whether something was sent that nobody has read yet.
pub fn has_input(stream: &Pipe) -> bool {
    stream.waiting().is_some_and(|bytes| bytes > 0)
}

/// Whether the other end is closed for good.
pub fn is_gone(stream: &Pipe) -> bool {
    stream.waiting().is_none()
}

/// Whether nothing waits to be read, and the other end is open.
pub fn is_quiet(stream: &Pipe) -> bool {
    stream.waiting() == Some(0)
}

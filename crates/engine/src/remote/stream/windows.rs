//! A named pipe.

use std::io;

use crate::run::Pipe;

/// A connection.
pub type Stream = Pipe;

/// Writes what fits now; 0 when nothing does.
pub fn send_now(stream: &Pipe, bytes: &[u8]) -> io::Result<usize> {
    stream.send_now(bytes)
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

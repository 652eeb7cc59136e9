//! The daemon's socket on Unix, as its client uses it.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::Reason;
use super::place::{self, PlaceError};

pub(super) type Stream = UnixStream;

/// Reads and writes come back this often, to see whether somebody cancelled.
const SLICE: Duration = Duration::from_millis(100);

/// A connection to the daemon of a state directory.
pub(super) fn connect(state: &Path) -> Result<Stream, Reason> {
    let stream = place::connect(state).map_err(reason)?;
    let sliced = stream.set_read_timeout(Some(SLICE)).and_then(|()| stream.set_write_timeout(Some(SLICE)));
    sliced.map_err(Reason::Unreachable)?;
    Ok(stream)
}

/// Whether nothing waits to be read: what a daemon says unasked answers nothing.
pub(super) fn is_quiet(stream: &Stream) -> bool {
    use rustix::net::{RecvFlags, recv};
    let nothing = recv(stream, &mut [0_u8; 1][..], RecvFlags::PEEK | RecvFlags::DONTWAIT);
    matches!(nothing, Err(rustix::io::Errno::AGAIN))
}

fn reason(error: PlaceError) -> Reason {
    match error {
        PlaceError::Absent(_) => Reason::Absent,
        PlaceError::Foreign(_, uid) => Reason::Stranger(uid),
        PlaceError::NotTaken(time) => Reason::NotTaken(time),
        PlaceError::State(error) => Reason::Folder(error),
        PlaceError::Io(_, error) => Reason::Unreachable(error),
        error @ (PlaceError::NoSocket(_)
        | PlaceError::Open(..)
        | PlaceError::TooLong(_)
        | PlaceError::Taken(_)) => Reason::Unreachable(io::Error::other(error)),
    }
}

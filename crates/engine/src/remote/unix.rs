//! The way to the daemon's socket on Unix: who listens is known before
//! anything is said.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::place::{address, peer_uid};
use super::{FOLDER, Reason, SOCKET};
use crate::read_file::our_uid;
use crate::state::StateDir;

pub(super) type Stream = UnixStream;

/// A daemon takes a call within this time, or is not asked.
const TAKING: Duration = Duration::from_millis(250);
/// Reads and writes come back this often, to see whether somebody cancelled.
const SLICE: Duration = Duration::from_millis(100);

/// A connection to the daemon of a state directory, and to nobody else.
pub(super) fn connect(state: &Path) -> Result<Stream, Reason> {
    let folder = StateDir::new(state).existing_folder(FOLDER).map_err(Reason::Folder)?;
    let folder = folder.ok_or(Reason::Absent)?;
    let address = address(&folder, SOCKET).map_err(|error| Reason::Unreachable(io::Error::other(error)))?;
    let stream = take_call(&address)?;
    let uid = peer_uid(&stream).map_err(Reason::Unreachable)?;
    if uid != our_uid() {
        return Err(Reason::Stranger(uid));
    }
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

fn refused(error: io::Error) -> Reason {
    match error.kind() {
        // None, or one that outlived its daemon.
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Reason::Absent,
        _ => Reason::Unreachable(error),
    }
}

/// A daemon whose queue of callers is full would hold an ordinary call for as
/// long as it likes.
#[cfg(target_os = "linux")]
fn take_call(path: &Path) -> Result<Stream, Reason> {
    use std::time::Instant;

    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

    let failed = |error: Errno| refused(error.into());
    let address = SocketAddrUnix::new(path).map_err(failed)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(failed)?;
    let began = Instant::now();
    loop {
        match connect(&socket, &address) {
            Ok(()) => break,
            Err(Errno::AGAIN | Errno::INTR) if began.elapsed() < TAKING => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(Errno::AGAIN | Errno::INTR) => return Err(Reason::NotTaken(TAKING)),
            Err(error) => return Err(failed(error)),
        }
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false).map_err(Reason::Unreachable)?;
    Ok(stream)
}

/// Other systems refuse a caller when the queue is full.
#[cfg(not(target_os = "linux"))]
fn take_call(path: &Path) -> Result<Stream, Reason> {
    let _ = TAKING;
    UnixStream::connect(path).map_err(refused)
}

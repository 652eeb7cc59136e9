//! The way to the daemon's socket on Unix: who listens is known before
//! anything is said.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::{FOLDER, Reason, SOCKET, socket};
use crate::read_file::our_uid;
use crate::state::{StateDir, StateError};

pub(super) type Stream = UnixStream;

/// A daemon takes a call within this time, or is not asked.
const TAKING: Duration = Duration::from_millis(250);
/// Reads and writes come back this often, to see whether somebody cancelled.
const SLICE: Duration = Duration::from_millis(100);

/// A connection to the daemon of a state directory, and to nobody else.
pub(super) fn connect(state: &Path) -> Result<Stream, Reason> {
    if !is_there(state)? {
        return Err(Reason::Absent);
    }
    let stream = take_call(&socket(state))?;
    let uid = listener(&stream, &socket(state)).map_err(Reason::Unreachable)?;
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

/// Whether there is a socket, in a folder that is ours alone.
fn is_there(state: &Path) -> Result<bool, Reason> {
    match StateDir::new(state).names(FOLDER) {
        Ok(names) => Ok(names.iter().any(|name| name == SOCKET)),
        // A state directory of somebody else's is refused by all who use it.
        Err(StateError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Reason::Folder(error)),
    }
}

fn refused(error: io::Error) -> Reason {
    match error.kind() {
        // A socket that outlived its daemon.
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

/// Who made the socket that we are connected to.
#[cfg(target_os = "linux")]
fn listener(stream: &Stream, _: &Path) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw())
}

/// The folder is ours alone, so the socket in it tells.
#[cfg(not(target_os = "linux"))]
fn listener(_: &Stream, path: &Path) -> io::Result<u32> {
    Ok(std::os::unix::fs::MetadataExt::uid(&std::fs::symlink_metadata(path)?))
}

//! The way to a Unix socket.
//!
//! A name of a socket has room for a hundred bytes and a few. A longer one is
//! reached through the open folder where the system knows such names (Linux).

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::time::Duration;

use super::{PlaceError, TAKING};
use crate::environment::DEPTH;
use crate::read_file::our_uid;
use crate::remote::{FOLDER, SOCKET, socket};
use crate::run::MARKER;
use crate::state::{OpenFolder, StateDir};

/// Longer names fit into no address, with the zero behind them.
pub(super) const LONGEST_NAME: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Connects to the daemon of this state directory, and to nobody else: who
/// listens is known before anything is said.
pub fn connect(state: &Path) -> Result<UnixStream, PlaceError> {
    let path = socket(state);
    let Some(folder) = StateDir::new(state).existing_folder(FOLDER)? else {
        return Err(PlaceError::Absent(path));
    };
    let stream = take_call(&address(&folder, SOCKET)?).map_err(|error| match error.kind() {
        // None, or one that outlived its daemon.
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => PlaceError::Absent(path.clone()),
        io::ErrorKind::TimedOut => PlaceError::NotTaken(TAKING),
        _ => PlaceError::Io(path.clone(), error),
    })?;
    match peer_uid(&stream) {
        Ok(uid) if uid == our_uid() => Ok(stream),
        Ok(uid) => Err(PlaceError::Foreign(path, format!("uid {uid}"))),
        Err(error) => Err(PlaceError::Io(path, error)),
    }
}

/// Whether the process at the other end is the user's own.
pub fn is_ours(stream: &UnixStream) -> bool {
    peer_uid(stream).is_ok_and(|uid| uid == our_uid())
}

/// Whether the process at the other end was started by a hook, as far as the
/// system tells.
pub fn is_inside_hook(stream: &UnixStream) -> bool {
    let marks = [MARKER, DEPTH].map(|name| format!("{name}="));
    let is_mark = |variable: &[u8]| marks.iter().any(|mark| variable.starts_with(mark.as_bytes()));
    environment_of_peer(stream).split(|byte| *byte == 0).any(is_mark)
}

#[cfg(target_os = "linux")]
fn environment_of_peer(stream: &UnixStream) -> Vec<u8> {
    let peer = rustix::net::sockopt::socket_peercred(stream.as_fd()).ok();
    let read = |pid: i32| std::fs::read(format!("/proc/{pid}/environ")).ok();
    peer.and_then(|peer| read(peer.pid.as_raw_nonzero().get())).unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn environment_of_peer(_stream: &UnixStream) -> Vec<u8> {
    Vec::new()
}

/// The name under which a socket of this folder is bound and reached. It is
/// good while the folder is open.
pub(in crate::remote) fn address(folder: &OpenFolder, name: &str) -> Result<PathBuf, PlaceError> {
    let path = folder.path().join(name);
    if path.as_os_str().len() <= LONGEST_NAME {
        return Ok(path);
    }
    let through = PathBuf::from(format!("/proc/self/fd/{}", folder.handle().as_raw_fd()));
    if cfg!(target_os = "linux") && through.exists() {
        return Ok(through.join(name));
    }
    Err(PlaceError::TooLong(path))
}

/// A daemon whose queue of callers is full would hold an ordinary call for as
/// long as it likes.
#[cfg(target_os = "linux")]
fn take_call(path: &Path) -> io::Result<UnixStream> {
    use std::time::Instant;

    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let began = Instant::now();
    loop {
        match connect(&socket, &address) {
            Ok(()) => break,
            Err(Errno::AGAIN | Errno::INTR) if began.elapsed() < TAKING => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(Errno::AGAIN | Errno::INTR) => return Err(io::ErrorKind::TimedOut.into()),
            Err(error) => return Err(error.into()),
        }
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Other systems refuse a caller when the queue is full.
#[cfg(not(target_os = "linux"))]
fn take_call(path: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(path)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn peer_uid(stream: &UnixStream) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream.as_fd())?.uid.as_raw())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn peer_uid(stream: &UnixStream) -> io::Result<u32> {
    crate::run::peer_uid(stream.as_fd())
}

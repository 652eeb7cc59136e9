//! The daemon's own side of a Unix socket.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, FileType, Stat, fstat, renameat, statat, unlinkat};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};

use super::holder;
use crate::ids;
use crate::remote::lock::Held;
use crate::remote::place::{PlaceError, address};
use crate::remote::{FOLDER, SOCKET, socket};
use crate::shortage::MOST_FILES;
use crate::state::{OpenFolder, StateDir};

/// So many may stand before the door. Who is next then waits for these, and not
/// for thousands that somebody sent.
const QUEUE: i32 = 64;

/// The place of the daemon, held until it is dropped.
#[derive(Debug)]
pub struct Seat {
    path: PathBuf,
    folder: OpenFolder,
    listener: UnixListener,
    /// Which socket is ours.
    socket: (u64, u64),
    _lock: Held,
}

impl Seat {
    /// Becomes the daemon of a state directory, unless there is one.
    pub fn take(state: &Path) -> Result<Seat, PlaceError> {
        let folder = StateDir::new(state).open_folder(FOLDER)?;
        is_private(&folder)?;
        let lock = Held::take(&folder)?;
        let path = socket(state);
        let failed = |error: io::Error| PlaceError::Io(path.clone(), error);
        is_free_or_stale(&folder, &path)?;
        // Under another name first: whoever finds the socket finds it private
        // and listening.
        let fresh = format!(".{}", &ids::uuid()[..8]);
        let address = address(&folder, &fresh)?;
        let listener = UnixListener::bind(&address).map_err(failed)?;
        std::fs::set_permissions(&address, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        renameat(folder.handle(), &fresh, folder.handle(), SOCKET).map_err(|error| failed(error.into()))?;
        let stat = statat(folder.handle(), SOCKET, AtFlags::SYMLINK_NOFOLLOW);
        let socket = identity(&stat.map_err(|error| failed(error.into()))?);
        listener.set_nonblocking(true).map_err(failed)?;
        rustix::net::listen(&listener, QUEUE).map_err(|error| failed(error.into()))?;
        Ok(Seat { path, folder, listener, socket, _lock: lock })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next connection; none when nobody came for so long, or a signal did.
    pub fn accept(&self, patience: Duration) -> io::Result<Option<UnixStream>> {
        let patience =
            Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: patience.subsec_nanos().into() };
        let mut fds = [PollFd::new(&self.listener, PollFlags::IN)];
        if !poll(&mut fds, Some(&patience)).is_ok_and(|ready| ready > 0) {
            return Ok(None);
        }
        match self.listener.accept() {
            Ok((stream, _)) => stream.set_nonblocking(false).map(|()| Some(stream)),
            Err(error)
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionAborted) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether it was told to end in another way than by a signal: here it never is.
    pub fn is_told_to_end(&self) -> bool {
        false
    }

    /// Nobody finds the socket any more. The place stays taken.
    pub fn close(&self) {
        let stat = statat(self.folder.handle(), SOCKET, AtFlags::SYMLINK_NOFOLLOW);
        if stat.is_ok_and(|stat| identity(&stat) == self.socket) {
            let _ = unlinkat(self.folder.handle(), SOCKET, AtFlags::empty());
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.close();
    }
}

/// Asks the daemon of a state directory to end; says which process it is.
pub fn end_holder(state: &Path) -> Result<Option<u32>, PlaceError> {
    // While the lock is held, the number in it is that of a living process.
    let Some(pid) = holder(state)?.flatten() else { return Ok(None) };
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw).filter(|_| pid > 1);
    let Some(process) = process else { return Ok(None) };
    kill_process(process, Signal::TERM).map_err(|error| PlaceError::Io(socket(state), error.into()))?;
    Ok(Some(pid))
}

/// Makes room for some thousand open files where the system gives fewer, and
/// says how many there may be; hooks have the same room then.
pub fn make_room_for_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < MOST_FILES) {
        let current = Some(limit.maximum.map_or(MOST_FILES, |maximum| maximum.min(MOST_FILES)));
        // Without it there are fewer connections.
        let _ = setrlimit(Resource::Nofile, Rlimit { current, ..limit });
    }
    getrlimit(Resource::Nofile).current.unwrap_or(MOST_FILES)
}

fn is_private(folder: &OpenFolder) -> Result<(), PlaceError> {
    let failed = |error: rustix::io::Errno| PlaceError::Io(folder.path().to_owned(), error.into());
    let mode = fstat(folder.handle()).map_err(failed)?.st_mode as u32 & 0o7777;
    if mode & 0o077 == 0 { Ok(()) } else { Err(PlaceError::Open(folder.path().to_owned(), mode)) }
}

/// What a dead daemon left may be replaced; what is no socket may not.
fn is_free_or_stale(folder: &OpenFolder, path: &Path) -> Result<(), PlaceError> {
    match statat(folder.handle(), SOCKET, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Socket => Ok(()),
        Ok(_) => Err(PlaceError::NoSocket(path.to_owned())),
        Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(PlaceError::Io(path.to_owned(), error.into())),
    }
}

#[allow(clippy::unnecessary_cast)] // systems disagree on the types
fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

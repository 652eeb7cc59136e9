//! The way to a named pipe. Its name cannot be known ahead and stands where the
//! socket stands elsewhere: in a file that only the user could have written.
//!
//! A daemon that was killed leaves its file, and then anybody can take the name.
//! So whose pipe it is counts, and not only what it is called.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;

use super::{PlaceError, TAKING};
use crate::remote::{FOLDER, SOCKET, socket};
use crate::run::Pipe;
use crate::state::StateDir;

/// The system's own limit.
pub(super) const LONGEST_NAME: usize = 256;
/// The pause between two knocks at a door where somebody else comes in.
const PAUSE: Duration = Duration::from_millis(5);
/// What every name of ours begins with.
pub(in crate::remote) const BEGINNING: &str = r"\\.\pipe\boathook-";

/// Connects to the daemon of this state directory, and to nobody else: whose
/// pipe it is is known before anything is said.
pub fn connect(state: &Path) -> Result<Pipe, PlaceError> {
    let path = socket(state);
    let Some(name) = StateDir::new(state).read(FOLDER, SOCKET)? else { return Err(PlaceError::Absent(path)) };
    let name = String::from_utf8_lossy(&name);
    let name = name.trim_end();
    // Nobody is led to another machine, or to a file.
    if !is_name(name) {
        return Err(PlaceError::NoSocket(path));
    }
    let pipe = knock(name).map_err(|error| match error.kind() {
        // None, or one that outlived its daemon.
        io::ErrorKind::NotFound => PlaceError::Absent(path.clone()),
        io::ErrorKind::TimedOut => PlaceError::NotTaken(TAKING),
        // Ours lets us in.
        io::ErrorKind::PermissionDenied => PlaceError::Foreign(path.clone(), name.to_owned()),
        _ => PlaceError::Io(path.clone(), error),
    })?;
    match pipe.is_ours() {
        Ok(true) => Ok(pipe),
        Ok(false) => Err(PlaceError::Foreign(path, name.to_owned())),
        Err(error) => Err(PlaceError::Io(path, error)),
    }
}

/// Whether the process at the other end is the user's own: nobody else gets in.
pub fn is_ours(_: &Pipe) -> bool {
    true
}

/// Whether the process at the other end was started by a hook, as far as the
/// system tells. It does not: our own client asks no daemon there.
pub fn is_inside_hook(_: &Pipe) -> bool {
    false
}

/// Whether a daemon of ours could have such a name.
fn is_name(name: &str) -> bool {
    let is_ours =
        |rest: &str| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_hexdigit() || it == b'-');
    name.len() <= LONGEST_NAME && name.strip_prefix(BEGINNING).is_some_and(is_ours)
}

/// Between one caller and the next there may be no door for a moment.
fn knock(name: &str) -> io::Result<Pipe> {
    let began = Instant::now();
    loop {
        match Pipe::open(name) {
            Err(error) if error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed()) => {
                if began.elapsed() >= TAKING {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_of_ours_on_this_machine_is_gone_to() {
        let cases = [
            (r"\\.\pipe\boathook-0a1b-2c", true),
            (r"\\.\pipe\boathook-", false),
            (r"\\.\pipe\boathook-x", false),
            (r"\\.\pipe\boathook-1\..\other", false),
            (r"\\server\pipe\boathook-0a", false),
            (r"C:\boathook-0a", false),
        ];
        for (name, is) in cases {
            assert_eq!(is_name(name), is, "{name}");
        }
    }
}

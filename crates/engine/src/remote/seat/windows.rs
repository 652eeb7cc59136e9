//! The daemon's own side of a named pipe. There are no signals to end it by, so a
//! file says that it shall.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::holder;
use crate::ids;
use crate::remote::lock::Held;
use crate::remote::place::{BEGINNING, PlaceError};
use crate::remote::{FOLDER, SOCKET, socket};
use crate::run::{Pipe, PipeListener};
use crate::shortage::MOST_FILES;
use crate::state::{Durability, StateDir};

/// The file that tells the process in it to end.
const STOP: &str = "stop";

/// The place of the daemon, held until it is dropped.
#[derive(Debug)]
pub struct Seat {
    state: StateDir,
    name: String,
    listener: PipeListener,
    _lock: Held,
}

impl Seat {
    /// Becomes the daemon of a state directory, unless there is one.
    pub fn take(state: &Path) -> Result<Seat, PlaceError> {
        let (path, state) = (socket(state), StateDir::new(state));
        let lock = Held::take(&state.open_folder(FOLDER)?)?;
        // Said to somebody who had this place before.
        state.remove(FOLDER, STOP)?;
        let name = format!("{BEGINNING}{}", ids::uuid());
        let listener = PipeListener::bind(&name).map_err(|error| PlaceError::Io(path, error))?;
        state.write(FOLDER, SOCKET, format!("{name}\n").as_bytes(), Durability::Relaxed)?;
        Ok(Seat { state, name, listener, _lock: lock })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        Path::new(&self.name)
    }

    /// The next connection; none when nobody came for so long.
    pub fn accept(&self, patience: Duration) -> io::Result<Option<Pipe>> {
        self.listener.accept(patience)
    }

    /// Whether it was told to end in another way than by a signal.
    pub fn is_told_to_end(&self) -> bool {
        let told = self.state.read(FOLDER, STOP).ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&told).trim() == std::process::id().to_string()
    }

    /// Nobody finds the pipe any more. The place stays taken.
    pub fn close(&self) {
        let there = self.state.read(FOLDER, SOCKET).ok().flatten().unwrap_or_default();
        if String::from_utf8_lossy(&there).trim_end() == self.name {
            let _ = self.state.remove(FOLDER, SOCKET);
        }
        self.listener.close();
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.close();
        let _ = self.state.remove(FOLDER, STOP);
    }
}

/// Asks the daemon of a state directory to end; says which process it is.
pub fn end_holder(state: &Path) -> Result<Option<u32>, PlaceError> {
    let Some(pid) = holder(state)?.flatten() else { return Ok(None) };
    StateDir::new(state).write(FOLDER, STOP, format!("{pid}\n").as_bytes(), Durability::Relaxed)?;
    Ok(Some(pid))
}

/// How many files there may be. The system has no limit that anybody meets.
pub fn make_room_for_files() -> u64 {
    MOST_FILES
}

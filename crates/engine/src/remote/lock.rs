//! The lock that decides who is the daemon of a state directory: it is held for
//! life, and its holder's number stands beside it.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use super::place::PlaceError;
use super::{FOLDER, LOCK};
use crate::state::{OpenFolder, StateDir, StateError};

/// How often the lock is tried before it counts as held, and the pause between.
const LOOKS: usize = 4;
const PAUSE: Duration = Duration::from_millis(20);

/// The file that holds the holder's number. Windows lets nobody read a file that
/// is locked.
const NOTE: &str = if cfg!(windows) { "process" } else { LOCK };

/// The lock, held until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    lock: File,
    /// None when the number stands in the lock itself.
    note: Option<File>,
}

impl Held {
    /// Somebody who only looks whether the lock is held has it for a moment.
    pub(super) fn take(folder: &OpenFolder) -> Result<Held, PlaceError> {
        for _ in 0..LOOKS {
            match locked(folder) {
                Err(PlaceError::Taken(_)) => std::thread::sleep(PAUSE),
                done => return done,
            }
        }
        locked(folder)
    }

    fn write_down(&mut self) -> io::Result<()> {
        let note = self.note.as_mut().unwrap_or(&mut self.lock);
        note.set_len(0)?;
        note.rewind()?;
        note.write_all(format!("{}\n", std::process::id()).as_bytes())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A number that nobody has any more helps nobody.
        let _ = self.note.as_ref().unwrap_or(&self.lock).set_len(0);
    }
}

/// Whether a daemon holds the place, and its process when it said so.
pub fn holder(state: &Path) -> Result<Option<Option<u32>>, PlaceError> {
    let Some(folder) = StateDir::new(state).existing_folder(FOLDER)? else { return Ok(None) };
    let file = folder.change(LOCK)?;
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(noted(&folder))),
        Err(TryLockError::Error(error)) => Err(PlaceError::Io(folder.path().join(LOCK), error)),
    }
}

/// Takes the lock, and writes down who has it.
fn locked(folder: &OpenFolder) -> Result<Held, PlaceError> {
    let lock = folder.change(LOCK)?;
    let failed = |name: &str, error| PlaceError::State(StateError::Io(folder.path().join(name), error));
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(PlaceError::Taken(noted(folder))),
        Err(TryLockError::Error(error)) => return Err(failed(LOCK, error)),
    }
    let note = if NOTE == LOCK { None } else { Some(folder.change(NOTE)?) };
    let mut held = Held { lock, note };
    held.write_down().map_err(|error| failed(NOTE, error))?;
    Ok(held)
}

/// The process that wrote itself down as the holder.
fn noted(folder: &OpenFolder) -> Option<u32> {
    let mut text = String::new();
    folder.change(NOTE).ok()?.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

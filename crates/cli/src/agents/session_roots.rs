//! Where a session belongs, for the daemon: an agent that asks over HTTP says
//! where it is now, which may be elsewhere than where it was started, and the
//! project's hooks still count there. Nor does it say whether a hook started it.

use std::path::PathBuf;
use std::time::Duration;

use boathook_engine::digest::Digest;
use boathook_engine::state::{Durability, StateDir, StateError};
use serde::{Deserialize, Serialize};

const FOLDER: &str = "agents-http";
const ENDING: &str = ".json";
/// One that nobody touched for so long has ended.
const OLDEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Belongs {
    /// Its workspaces.
    pub roots: Vec<PathBuf>,
    /// How many hooks that start agents stand behind it: without that, a hook
    /// that starts the agent it guards would have no end.
    pub depth: u32,
}

/// Keeps where a session belongs.
pub fn remember(state: &StateDir, session: &str, belongs: &Belongs) -> Result<(), StateError> {
    let text = serde_json::to_vec(belongs).unwrap_or_default();
    let name = name(session);
    if state.read(FOLDER, &name)?.is_none() {
        state.forget_old(FOLDER, ENDING, OLDEST);
    }
    state.write(FOLDER, &name, &text, Durability::Relaxed)
}

/// Where a session belongs; nowhere when nobody told.
pub fn recall(state: &StateDir, session: &str) -> Belongs {
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
        let belongs = Belongs { roots: vec!["/one".into(), "/two".into()], depth: 2 };
        assert_eq!(recall(&state, "../s"), Belongs::default());
        remember(&state, "../s", &belongs).expect("it is kept");
        assert_eq!(recall(&state, "../s"), belongs);
        assert_eq!(recall(&state, "other"), Belongs::default());
        let later = Belongs { depth: 0, ..belongs };
        remember(&state, "../s", &later).expect("it is kept");
        assert_eq!(recall(&state, "../s"), later);
        forget(&state, "../s");
        assert_eq!(recall(&state, "../s"), Belongs::default());
    }
}

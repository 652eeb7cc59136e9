//! The workspace roots that a session began with, for every transport.
//!
//! An agent names the directory it is in, which may be elsewhere than where its
//! session began, and the hooks of the first project still decide there. Over
//! HTTP it does not say either whether a hook started it.

use std::path::PathBuf;
use std::time::Duration;

use boathook_engine::agent::{Happening, Moment};
use boathook_engine::digest::Digest;
use boathook_engine::state::{Durability, StateDir, StateError};
use serde::{Deserialize, Serialize};

const FOLDER: &str = "session-roots";
const ENDING: &str = ".json";
/// Sessions that were not used for so long are removed.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Belongs {
    /// Its workspaces.
    pub roots: Vec<PathBuf>,
    /// How many hooks that start agents stand behind it: without that, a hook
    /// that starts the agent it guards would have no end.
    pub depth: u32,
}

/// Stores where a session belongs when it begins. `belongs` has every root of `known`, so no root is lost. The end of a
/// session removes nothing: whoever can send us an event could send that one and leave the gates of the session's roots.
pub fn follow(
    happening: &Happening,
    state: &StateDir,
    known: Option<Belongs>,
    belongs: &Belongs,
) -> Result<(), StateError> {
    let Some(session) = &happening.session else { return Ok(()) };
    let begins = matches!(happening.moment, Moment::SessionStart { .. });
    match known {
        Some(known) if known.depth == belongs.depth && !begins => Ok(()),
        known => remember(state, session, known.as_ref(), belongs),
    }
}

/// Stores where a session belongs, unless that is known already.
fn remember(
    state: &StateDir,
    session: &str,
    known: Option<&Belongs>,
    belongs: &Belongs,
) -> Result<(), StateError> {
    if known == Some(belongs) {
        return Ok(());
    }
    if known.is_none() {
        state.forget_old(FOLDER, ENDING, MAX_AGE);
    }
    let text = serde_json::to_vec(belongs).unwrap_or_default();
    state.write(FOLDER, &name(session), &text, Durability::Relaxed)
}

/// Where a session belongs; none when it is new.
pub fn recall(state: &StateDir, session: &str) -> Result<Option<Belongs>, StateError> {
    let name = name(session);
    let Some(bytes) = state.read(FOLDER, &name)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|_| StateError::Damaged(state.file(FOLDER, &name)))
}

/// Why a session whose roots cannot be read is refused.
pub fn unknown_roots(error: &StateError) -> String {
    format!(
        "The workspace that this session began in is not known ({error}), so its hooks cannot be asked, and this is refused. Remove that file and start a new session."
    )
}

/// A session id comes from outside and is not a safe file name.
fn name(session: &str) -> String {
    format!("{}{ENDING}", Digest::of(session.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_its_workspaces() {
        let temp = tempfile::tempdir().expect("a directory");
        let state = StateDir::new(temp.path().join("state"));
        let known = |session: &str| recall(&state, session).expect("a readable state");
        let belongs = Belongs { roots: vec!["/one".into(), "/two".into()], depth: 2 };
        assert_eq!(known("../s"), None);
        remember(&state, "../s", None, &belongs).expect("written");
        assert_eq!(known("../s"), Some(belongs.clone()));
        assert_eq!(known("other"), None);
        let later = Belongs { depth: 0, ..belongs.clone() };
        remember(&state, "../s", Some(&belongs), &later).expect("written");
        assert_eq!(known("../s"), Some(later));
        state.write(FOLDER, &name("../s"), b"{", Durability::Relaxed).expect("written");
        assert!(recall(&state, "../s").is_err());
    }
}

//! Sessions by conversation: in memory, and in the state directory so that
//! they outlive one process.

use std::collections::HashMap;
use std::time::Duration;

use crate::digest::Digest;
use crate::session::Session;
use crate::state::{Durability, StateDir, StateError};

/// A session that nobody touched for this long is forgotten.
pub(crate) const OLDEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// This many are kept in memory.
const MOST_IN_MEMORY: usize = 1_000;

const FOLDER: &str = "sessions";

/// All sessions.
#[derive(Debug)]
pub struct Sessions {
    state: StateDir,
    known: HashMap<String, Session>,
}

impl Sessions {
    /// Sessions kept in this state directory.
    pub fn of(state: StateDir) -> Sessions {
        Sessions { state, known: HashMap::new() }
    }

    /// The session of a conversation. Another process may have changed it, so
    /// the file is read every time; what is wrong with it is said.
    pub fn get(&self, conversation: &str) -> (Session, Option<String>) {
        let known = || self.known.get(conversation).cloned().unwrap_or_default();
        match self.state.read(FOLDER, &file_name(conversation)) {
            Ok(None) => (known(), None),
            Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
                Ok(session) => (session, None),
                Err(error) => (known(), Some(format!("the saved session cannot be read: {error}"))),
            },
            Err(error) => (known(), Some(format!("the saved session cannot be read: {error}"))),
        }
    }

    /// Every session that is kept on disk, by the name of its file; those that
    /// cannot be read are left out.
    pub fn kept(&self) -> Vec<(String, Session)> {
        let names = self.state.names(FOLDER).unwrap_or_default();
        let read = |name: &String| serde_json::from_slice(&self.state.read(FOLDER, name).ok()??).ok();
        let kept = names.into_iter().filter(|name| name.ends_with(".json"));
        kept.filter_map(|name| read(&name).map(|session| (name, session))).collect()
    }

    /// The name of the file that keeps a conversation's session.
    pub fn file_of(conversation: &str) -> String {
        file_name(conversation)
    }

    /// Keeps a session.
    pub fn put(&mut self, conversation: &str, session: &Session) -> Result<(), StateError> {
        if self.known.len() >= MOST_IN_MEMORY {
            self.known.clear();
        }
        self.known.insert(conversation.to_owned(), session.clone());
        let text = serde_json::to_vec(session).unwrap_or_default();
        self.state.write(FOLDER, &file_name(conversation), &text, Durability::Relaxed)
    }

    /// Forgets a session that ended, and those nobody touched for a month.
    pub fn end(&mut self, conversation: &str) {
        self.known.remove(conversation);
        let _ = self.state.remove(FOLDER, &file_name(conversation));
        self.state.forget_old(FOLDER, ".json", OLDEST);
    }
}

/// Conversation ids are a host's words, so the file is named by their hash.
fn file_name(conversation: &str) -> String {
    format!("{:.32}.json", Digest::of(conversation.as_bytes()))
}

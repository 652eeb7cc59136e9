//! Sessions by conversation: in memory, and in the state directory so that
//! they outlive one process.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::digest::Digest;
use crate::session::Session;
use crate::state::{Durability, StateDir, StateError};

/// A session that nobody touched for this long is forgotten.
pub(crate) const OLDEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// This many are kept in memory.
const MOST_IN_MEMORY: usize = 1_000;

/// Nobody waits longer for the lock.
const LONGEST_WAIT: Duration = Duration::from_millis(300);

const FOLDER: &str = "sessions";
const LOCK: &str = "lock";

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

    /// Changes a session as it is by now, and keeps it. Events of one
    /// conversation may end together, in this process and in others.
    pub fn change(
        &mut self,
        conversation: &str,
        change: impl FnOnce(&mut Session),
    ) -> (Session, Result<(), StateError>) {
        let lock = self.lock();
        let before = self.get(conversation).0;
        let mut session = before.clone();
        change(&mut session);
        let written = if session == before { Ok(()) } else { self.put(conversation, &session) };
        // Closing it is not enough: a process that is just being made has it, too.
        let _ = lock.map(|lock| lock.unlock());
        (session, written)
    }

    fn put(&mut self, conversation: &str, session: &Session) -> Result<(), StateError> {
        if self.known.len() >= MOST_IN_MEMORY {
            self.known.clear();
        }
        self.known.insert(conversation.to_owned(), session.clone());
        let text = serde_json::to_vec(session).unwrap_or_default();
        self.state.write(FOLDER, &file_name(conversation), &text, Durability::Relaxed)
    }

    /// Keeps other processes from changing sessions. Somebody who holds the
    /// lock for long must not hold us: then we go without.
    fn lock(&self) -> Option<File> {
        let lock = self.state.open_folder(FOLDER).and_then(|folder| folder.change(LOCK)).ok()?;
        let start = Instant::now();
        while let Err(TryLockError::WouldBlock) = lock.try_lock() {
            if start.elapsed() >= LONGEST_WAIT {
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
        Some(lock)
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

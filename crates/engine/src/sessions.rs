//! Sessions by conversation: in memory, and in the state directory so that
//! they outlive one process.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::digest::Digest;
use crate::read_file::{Folders, Looked};
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
    seen: HashMap<String, Seen>,
}

/// A session as its file had it.
#[derive(Debug)]
struct Seen {
    look: Looked,
    session: Session,
}

impl Sessions {
    /// Sessions kept in this state directory.
    pub fn of(state: StateDir) -> Sessions {
        Sessions { state, known: HashMap::new(), seen: HashMap::new() }
    }

    /// The session of a conversation. Another process may have changed it, so
    /// the file is looked at every time, or a folder above one that is not
    /// there; what is wrong with it is said.
    pub(crate) fn get(&mut self, conversation: &str, folders: &mut Folders) -> (Session, Option<String>) {
        if let Some(seen) = self.seen.get_mut(conversation)
            && seen.look.holds(folders)
        {
            return (seen.session.clone(), None);
        }
        let look = Looked::at(self.state.file(FOLDER, &file_name(conversation)));
        let (session, trouble) = self.read(conversation);
        self.seen.remove(conversation);
        if trouble.is_none() {
            if self.seen.len() >= MOST_IN_MEMORY {
                self.seen.clear();
            }
            self.seen.insert(conversation.to_owned(), Seen { look, session: session.clone() });
        }
        (session, trouble)
    }

    /// The same, and the file is read whatever it looks like.
    pub fn read(&self, conversation: &str) -> (Session, Option<String>) {
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

    /// Changes a session as it is by now, and keeps it. Events of one
    /// conversation may end together, in this process and in others.
    pub fn change(
        &mut self,
        conversation: &str,
        change: impl FnOnce(&mut Session),
    ) -> (Session, Result<(), StateError>) {
        let lock = self.lock();
        let before = self.read(conversation).0;
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
        self.seen.remove(conversation);
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
        self.seen.remove(conversation);
        let _ = self.state.remove(FOLDER, &file_name(conversation));
        self.state.forget_old(FOLDER, ".json", OLDEST);
    }
}

/// Conversation ids are a host's words, so the file is named by their hash.
fn file_name(conversation: &str) -> String {
    format!("{:.32}.json", Digest::of(conversation.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn what_another_process_changed_is_seen_at_once() {
        let dir = TempDir::new();
        let open = || Sessions::of(StateDir::new(dir.path().join("state")));
        let (mut ours, mut theirs) = (open(), open());
        let mut folders = Folders::default();
        let mut loops_of = |sessions: &mut Sessions| {
            folders.next_event();
            sessions.get("c", &mut folders).0.loops
        };
        assert_eq!(loops_of(&mut ours), 0);
        for count in 1..=50 {
            theirs.change("c", |session| session.loops = count).1.expect("a session");
            assert_eq!(loops_of(&mut ours), count);
            assert_eq!(loops_of(&mut ours), count, "and again");
        }
        // From now on a look at the file is enough.
        std::thread::sleep(Duration::from_millis(2100));
        assert_eq!((loops_of(&mut ours), loops_of(&mut theirs)), (50, 50));
        for sessions in [&mut ours, &mut theirs] {
            assert!(sessions.seen.get_mut("c").expect("seen").look.holds(&mut Folders::default()));
        }
        ours.change("c", |session| session.loops = 99).1.expect("a session");
        assert_eq!((loops_of(&mut ours), loops_of(&mut theirs)), (99, 99));
        theirs.end("c");
        assert_eq!(loops_of(&mut theirs), 0);
    }

    #[test]
    fn a_session_that_another_process_begins_is_seen_whatever_spoke_for_its_absence() {
        for made in ["", "state", "state/sessions"] {
            let dir = TempDir::new();
            std::fs::create_dir_all(dir.path().join(made)).expect("made");
            let open = || Sessions::of(StateDir::new(dir.path().join("state")));
            let (mut ours, mut theirs, mut folders) = (open(), open(), Folders::default());
            std::thread::sleep(Duration::from_millis(2100));
            for _ in 0..40 {
                folders.next_event();
                assert_eq!(ours.get("c", &mut folders).0.loops, 0);
            }
            theirs.change("c", |session| session.loops = 7).1.expect("a session");
            folders.next_event();
            assert_eq!(ours.get("c", &mut folders).0.loops, 7, "{made}");
        }
    }
}

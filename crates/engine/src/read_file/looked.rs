//! What was looked at, and who can say without another look that it still holds.
//!
//! Most places where hooks could stand hold nothing, and looking at each of them
//! again is most of what an event costs. But nothing appears in a folder without
//! changing it: while the folder above is what it was, there is still nothing.
//! Such a folder is a witness, and it is looked at once for everything below it.
//!
//! That a change can be seen from the folder is a matter of the file system, so
//! there is a list of those that were tried (`os::folder_tells`). Elsewhere, and
//! for two seconds after a folder changed, only a folder that is itself missing
//! is a witness: whatever happens, nothing is in that.

use std::path::{Path, PathBuf};

use super::{Glimpse, Kind, facts, os};

/// A witness is looked for at the first look and at every so many after it, for
/// the search costs more than it saves at once.
const SEARCH_EVERY: u8 = 32;

/// A path, and what it was when it was last looked at.
#[derive(Debug)]
pub(crate) struct Looked {
    path: PathBuf,
    glimpse: Glimpse,
    witness: Option<Witness>,
    /// How often it was asked since a witness was last looked for.
    asked: u8,
}

/// A folder in the state in which it can say something.
#[derive(Debug, Clone, Copy)]
struct Witness {
    /// Into `Folders::known`.
    folder: usize,
    version: u32,
}

/// The folders that are witnesses, each looked at once for one event.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    known: Vec<Folder>,
    event: u64,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    glimpse: Glimpse,
    /// Another one whenever the glimpse is another one.
    version: u32,
    /// The event for which it was last looked at, and whether it held.
    event: u64,
    holds: bool,
}

impl Looked {
    /// Of a path, links followed.
    pub(crate) fn at(path: PathBuf) -> Looked {
        let glimpse = Glimpse::at(&path);
        Looked::seen(path, glimpse)
    }

    /// Of a path that was just looked at.
    pub(crate) fn seen(path: PathBuf, glimpse: Glimpse) -> Looked {
        Looked { path, glimpse, witness: None, asked: 0 }
    }

    /// Whether the path certainly leads to what it led to then.
    pub(crate) fn holds(&mut self, folders: &mut Folders) -> bool {
        let testified = self.witness.filter(|witness| folders.testifies(*witness));
        if testified.is_some_and(|witness| folders.is_there(witness)) {
            return true;
        }
        let searching = self.asked == 0;
        self.asked = (self.asked + 1) % SEARCH_EVERY;
        if testified.is_some() && !searching {
            return true;
        }
        // Found before the look: what appears between the two is seen by it.
        let found = if searching { folders.witness(&self.path, self.glimpse) } else { None };
        let holds = self.glimpse.holds(&self.path);
        self.witness = found.or(testified).filter(|_| holds);
        holds
    }
}

impl Folders {
    /// From here on each is looked at again.
    pub(crate) fn next_event(&mut self) {
        self.event += 1;
    }

    /// Whether a folder was there for this event, this one or one below it.
    pub(crate) fn has_seen_in(&self, path: &Path) -> bool {
        let path = path.as_os_str().as_encoded_bytes();
        let below = |folder: &Folder| {
            let rest = folder.path.as_os_str().as_encoded_bytes().strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        let seen =
            |folder: &&Folder| folder.event == self.event && folder.holds && !folder.glimpse.is_of_nothing();
        self.known.iter().filter(seen).any(below)
    }

    fn testifies(&mut self, witness: Witness) -> bool {
        let folder = &mut self.known[witness.folder];
        folder.version == witness.version && folder.still_holds(self.event)
    }

    /// Nobody says more than a folder that is there: it speaks for all below it.
    fn is_there(&self, witness: Witness) -> bool {
        !self.known[witness.folder].glimpse.is_of_nothing()
    }

    /// Who can say that a path is still what this glimpse shows: of nothing, a
    /// folder above it; of a folder that is a witness, the folder itself.
    fn witness(&mut self, path: &Path, glimpse: Glimpse) -> Option<Witness> {
        if glimpse.is_of_nothing() {
            let (folder, seen) = witness_of_nothing(path)?;
            return Some(self.known_as(folder, seen));
        }
        let folder = self.known.iter().position(|folder| folder.path == path && folder.glimpse == glimpse)?;
        Some(Witness { folder, version: self.known[folder].version })
    }

    fn known_as(&mut self, path: &Path, glimpse: Glimpse) -> Witness {
        let folder = self.known.iter().position(|folder| folder.path == path).unwrap_or_else(|| {
            let path = path.to_owned();
            self.known.push(Folder { path, glimpse, version: 0, event: self.event, holds: true });
            self.known.len() - 1
        });
        let known = &mut self.known[folder];
        if known.glimpse != glimpse {
            (known.glimpse, known.event, known.holds) = (glimpse, self.event, true);
            known.version += 1;
        }
        Witness { folder, version: known.version }
    }
}

impl Folder {
    fn still_holds(&mut self, event: u64) -> bool {
        if self.event != event {
            (self.event, self.holds) = (event, self.glimpse.holds(&self.path));
        }
        self.holds
    }
}

/// A folder that cannot be what it is now once there is something at the path.
fn witness_of_nothing(path: &Path) -> Option<(&Path, Glimpse)> {
    let mut missing = path;
    let (above, found) = loop {
        let above = missing.parent()?;
        match facts(above) {
            Some(found) => break (above, found),
            None => missing = above,
        }
    };
    let glimpse = Glimpse::of(found.stamp);
    // A name that is taken may be a link, and what it leads to appears elsewhere.
    let can_tell = found.kind == Kind::Directory && !glimpse.young && os::is_free(missing);
    if can_tell && os::folder_tells(above) {
        return Some((above, glimpse));
    }
    (missing != path).then(|| (missing, Glimpse::default()))
}

#[cfg(test)]
#[path = "looked_tests.rs"]
mod tests;

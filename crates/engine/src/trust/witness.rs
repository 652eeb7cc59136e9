//! Finds what was trusted when the record of a source is not where it should be.
//!
//! Records are written twice: into the state directory, where they decide, and into `~/.config/boathook/trust`, where
//! they only prove that something was trusted once. An index of both names every trusted file, so that a workspace is
//! recognised when its folder was moved or when the name that was trusted leads elsewhere.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::record::Record;
use super::subject::{Place, settled};
use super::{RECORDS, Trust};
use crate::read_file::Glimpse;
use crate::source::Source;
use crate::state::{Durability, StateDir};

/// The index of a store: one sealed file, so that an event reads one file however much is trusted.
const INDEX: &str = "index";

/// One trusted file in the index.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct IndexEntry {
    name: String,
    /// The workspace, links resolved.
    workspace: PathBuf,
    /// The file, as it was named when it was trusted.
    file: PathBuf,
    /// The file below its workspace.
    inside: PathBuf,
    /// Which folder the workspace is, wherever it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identity: Option<String>,
}

/// The index as it was last read, and what its files were then.
#[derive(Debug, Default)]
pub(super) struct IndexCache {
    seen: Vec<Glimpse>,
    entries: Arc<Vec<IndexEntry>>,
}

/// A record that is not where it should be, and why.
pub(super) struct Misplaced {
    pub(super) name: String,
    pub(super) reason: String,
}

/// The second store, below the home, whatever the environment says of other directories.
pub(super) fn second_store(home: &Path) -> Option<StateDir> {
    home.is_absolute().then(|| StateDir::new(home.join(".config").join("boathook")))
}

/// Tells folders apart: device, number and time of birth. None where the file system does not know the latter, because
/// numbers are used again.
pub(super) fn identity(folder: &Path) -> Option<String> {
    let facts = crate::read_file::facts(folder)?;
    let born = std::fs::metadata(folder).ok()?.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}:{}:{}", facts.stamp.device, facts.stamp.inode, born.as_nanos()))
}

impl Trust {
    /// Every record that once spoke for this source, though it is not in its place in the state directory.
    pub(super) fn misplaced(&self, source: &Source, place: &Place) -> Vec<Misplaced> {
        let vanished = self.second.as_ref().and_then(|second| {
            // What is there and cannot be read proves that it was trusted, too.
            let is_there = !matches!(second.read(RECORDS, &place.record_name), Ok(None));
            is_there.then(|| Misplaced {
                name: place.record_name.clone(),
                reason: format!(
                    "it was trusted, and its record vanished from {}",
                    self.state.path().display()
                ),
            })
        });
        let index = self.index();
        let moved = index.iter().filter(|entry| entry.name != place.record_name);
        let moved = moved.filter(|entry| entry.inside == place.inside).filter_map(|entry| {
            let reason = entry.leads_to(source, place)?;
            Some(Misplaced { name: entry.name.clone(), reason })
        });
        vanished.into_iter().chain(moved).collect()
    }

    /// The trusted configuration that a misplaced record speaks of.
    pub(super) fn misplaced_config(&self, misplaced: &Misplaced) -> Option<Vec<u8>> {
        self.stores().find_map(|store| {
            let body = store.read_sealed(RECORDS, &misplaced.name).ok()??;
            self.copy_in(store, Record::from_json(&body).ok()?.config)
        })
    }

    /// The state directory, and the second store where there is one.
    pub(super) fn stores(&self) -> impl Iterator<Item = &StateDir> {
        std::iter::once(&self.state).chain(self.second.as_ref())
    }

    /// Writes the index of a store from its records.
    pub(super) fn write_index(&self, store: &StateDir) {
        let records: Vec<Record> =
            self.list_in(store).unwrap_or_default().into_iter().filter_map(Result::ok).collect();
        let entries: Vec<IndexEntry> = records.iter().map(IndexEntry::from).collect();
        let body = serde_json::to_vec(&entries).unwrap_or_default();
        // Without an index a moved workspace is one that was never trusted; its record still decides at its place.
        let _ = store.write_sealed(RECORDS, INDEX, &body, Durability::Relaxed);
    }

    /// Every workspace folder that was trusted, wherever it is now.
    pub(super) fn trusted_identities(&self) -> HashSet<String> {
        self.index().iter().filter_map(|entry| entry.identity.clone()).collect()
    }

    fn index(&self) -> Arc<Vec<IndexEntry>> {
        let mut cache = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let files: Vec<PathBuf> = self.stores().map(|store| store.file(RECORDS, INDEX)).collect();
        let holds = cache.seen.len() == files.len()
            && cache.seen.iter().zip(&files).all(|(seen, file)| seen.holds(file));
        if !holds {
            cache.seen = files.iter().map(|file| Glimpse::at(file)).collect();
            let read = |store: &StateDir| {
                let body = store.read_sealed(RECORDS, INDEX).ok()??;
                serde_json::from_slice::<Vec<IndexEntry>>(&body).ok()
            };
            let mut all: Vec<IndexEntry> = self.stores().filter_map(read).flatten().collect();
            all.sort_by(|one, other| one.name.cmp(&other.name));
            all.dedup_by(|one, other| one.name == other.name);
            cache.entries = Arc::new(all);
        }
        Arc::clone(&cache.entries)
    }
}

impl IndexEntry {
    /// Why a source elsewhere is the one that was trusted; none when it is another one.
    fn leads_to(&self, source: &Source, place: &Place) -> Option<String> {
        let old = self.workspace.display();
        let by_name = self.file == source.file || self.workspace == place.given;
        if by_name {
            return Some(format!("{} was trusted, and this name leads elsewhere now", self.file.display()));
        }
        if self.identity.is_some() && self.identity == identity(&place.workspace) {
            return Some(format!("it was trusted at {old}, and was moved since"));
        }
        let leads_here = self.workspace != place.workspace && settled(&self.workspace) == place.workspace;
        leads_here.then(|| format!("it was trusted at {old}, and that name leads here now"))
    }
}

impl From<&Record> for IndexEntry {
    fn from(record: &Record) -> IndexEntry {
        IndexEntry {
            name: record.name(),
            workspace: PathBuf::from(&record.workspace),
            file: PathBuf::from(&record.file),
            inside: PathBuf::from(&record.inside),
            identity: record.identity.clone(),
        }
    }
}

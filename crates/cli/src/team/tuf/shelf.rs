//! What was verified, kept for the next time: it says how far back nothing may
//! go. Nothing here is trusted for lying here; it is verified again.

use std::fs;
use std::path::Path;

use boathook_engine::digest::Digest;
use boathook_engine::state::{Durability, StateDir, StateError};

use super::super::Refusal;

const ETAG: &str = "etag";

/// Files by name.
pub trait Shelf {
    /// Nothing when it is not there, or cannot be read.
    fn get(&self, name: &str) -> Option<Vec<u8>>;

    /// Replaces a file whole.
    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), Refusal>;

    /// The tag of the timestamp.
    fn etag(&self) -> Option<String> {
        self.get(ETAG).and_then(|bytes| String::from_utf8(bytes).ok()).filter(|tag| !tag.is_empty())
    }

    /// Keeps the tag of the timestamp.
    fn put_etag(&mut self, etag: Option<&str>) -> Result<(), Refusal> {
        if self.etag().as_deref() == etag {
            Ok(())
        } else {
            self.put(ETAG, etag.unwrap_or_default().as_bytes())
        }
    }
}

/// In the state directory, for one root of trust.
pub struct OnDisk {
    state: StateDir,
    folder: String,
}

impl OnDisk {
    /// What was verified from this root on. Another team has another.
    pub fn of(state: StateDir, fingerprint: &Digest) -> OnDisk {
        OnDisk { state, folder: format!("tuf/{fingerprint}") }
    }

    /// Removes what a round that was killed left half written. The caller holds
    /// the lock.
    pub fn tidy(&self) {
        self.state.forget_unfinished(&self.folder, |_| true);
    }
}

impl OnDisk {
    /// Removes what somebody put in place of our folders and of this file. Says
    /// whether there was something.
    fn make_room(&self, name: &str) -> bool {
        let file = self.state.file(&self.folder, name);
        let is = |path: &Path, wanted: fn(&fs::Metadata) -> bool| {
            fs::symlink_metadata(path).is_ok_and(|found| wanted(&found))
        };
        if is(&file, |found| !found.is_file()) {
            return fs::remove_dir_all(&file).or_else(|_| fs::remove_file(&file)).is_ok();
        }
        let mut folders = file.ancestors().skip(1).take(2);
        let in_the_way = folders.find(|path| is(path, |found| !found.is_dir()));
        in_the_way.is_some_and(|path| fs::remove_file(path).is_ok())
    }
}

impl Shelf for OnDisk {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.state.read(&self.folder, name).ok()?
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), Refusal> {
        let write = || self.state.write(&self.folder, name, bytes, Durability::Synced);
        let written = write().or_else(|error| if self.make_room(name) { write() } else { Err(error) });
        written.map_err(|error: StateError| Refusal::new("disk", error.to_string()))
    }
}

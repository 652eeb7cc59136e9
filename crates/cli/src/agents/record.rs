//! What we wrote into an agent's settings and what stood there before, in our
//! state directory: the way back, byte for byte.

use std::path::{Path, PathBuf};

use boathook_engine::digest::Digest;
use boathook_engine::state::{Durability, Lock, StateDir};
use serde::{Deserialize, Serialize};

use super::target::Target;
use crate::error::Failed;

const FOLDER: &str = "agents-installed";

/// The records of everything that is installed.
#[derive(Debug)]
pub struct Records {
    state: StateDir,
}

/// One file of an agent's that we changed or made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    agent: String,
    file: PathBuf,
    /// Folders that we made for it, the outermost first.
    pub folders: Vec<PathBuf>,
    /// SHA-256 of what stood there before; none when nothing did.
    original: Option<String>,
    /// SHA-256 of what we wrote, the newest last.
    wrote: Vec<String>,
}

impl Records {
    pub fn of(state: &Path) -> Records {
        Records { state: StateDir::new(state) }
    }

    /// Keeps others who install away until it is dropped.
    pub fn lock(&self) -> Result<Lock, Failed> {
        Ok(self.state.lock(FOLDER)?)
    }

    pub fn read(&self, target: &Target) -> Result<Option<Record>, Failed> {
        let Some(bytes) = self.state.read_sealed(FOLDER, &name(target, "json"))? else { return Ok(None) };
        Ok(serde_json::from_slice(&bytes).ok().filter(|record: &Record| record.file == target.file))
    }

    /// What stood there before, when that is still known.
    pub fn original(&self, target: &Target, record: &Record) -> Result<Option<String>, Failed> {
        let Some(digest) = &record.original else { return Ok(None) };
        let bytes = self.state.read(FOLDER, &name(target, "original"))?;
        let whole = bytes.filter(|bytes| Digest::of(bytes).to_string() == *digest);
        Ok(whole.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Writes down what is about to be written, and keeps what stands there.
    /// Says where that is kept.
    pub fn keep(
        &self,
        target: &Target,
        old: Option<&Record>,
        original: Option<&str>,
        new: &str,
        folders: Vec<PathBuf>,
    ) -> Result<Option<PathBuf>, Failed> {
        let digest = original.map(digest);
        // Whoever is killed between this and the file leaves what an older
        // installation wrote; that leads back to the same original.
        let older =
            old.filter(|record| record.original == digest).and_then(|record| record.wrote.last().cloned());
        let made = old.map(|record| record.folders.clone()).unwrap_or_default();
        let record = Record {
            agent: target.agent.to_owned(),
            file: target.file.clone(),
            folders: if folders.is_empty() { made } else { folders },
            original: digest,
            wrote: older.into_iter().chain([self::digest(new)]).collect(),
        };
        if let Some(original) = original {
            self.state.write(FOLDER, &name(target, "original"), original.as_bytes(), Durability::Synced)?;
        }
        let body = serde_json::to_vec(&record).map_err(|error| {
            Failed::other(
                format!("the record of {} cannot be written: {error}", target.file.display()),
                "rename the file",
            )
        })?;
        self.state.write_sealed(FOLDER, &name(target, "json"), &body, Durability::Synced)?;
        Ok(original.map(|_| self.state.file(FOLDER, &name(target, "original"))))
    }

    /// Forgets a file.
    pub fn forget(&self, target: &Target) -> Result<(), Failed> {
        self.state.remove(FOLDER, &name(target, "json"))?;
        self.state.remove(FOLDER, &name(target, "original"))?;
        Ok(())
    }
}

impl Record {
    /// Whether this is what we wrote, and nobody changed since.
    pub fn is_ours(&self, text: &str) -> bool {
        self.wrote.contains(&digest(text))
    }

    /// Whether there was no such file before.
    pub fn made_it(&self) -> bool {
        self.original.is_none()
    }
}

fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

/// Each file has its own record: many projects can be wired.
fn name(target: &Target, ending: &str) -> String {
    let path = Digest::of(target.file.as_os_str().as_encoded_bytes()).to_string();
    format!("{}-{}.{ending}", target.agent, &path[..16.min(path.len())])
}

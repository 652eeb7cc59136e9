//! `seal.json`: what a generation must hold. A file that is another one by now
//! does not run.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::read_file::{self, Kind, Links, Owner, ReadError, SCRIPT_LIMIT};

/// Its name in a generation.
pub(crate) const NAME: &str = "seal.json";
/// The other file of ours in a generation.
pub(crate) const HOOKS: &str = "hooks.json";
/// The format this version writes and reads.
pub(super) const FORMAT: u32 = 1;
/// No seal is larger: a thousand names and digests are a fifth of it.
const LARGEST: u64 = 1024 * 1024;

/// What a generation must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// The format: 1.
    pub format: u32,
    /// The manifest it was made from.
    pub sequence: u64,
    /// The version of the root that stood for it: only a newer one may bring a
    /// lower sequence.
    pub root: u64,
    /// The release it is.
    pub release: u64,
    /// Every file beside the seal, and its digest.
    pub files: BTreeMap<String, Digest>,
    /// The events with a `failClosed` hook: they refuse when `hooks.json` does
    /// not fit.
    pub closed: Vec<String>,
}

/// A file of a generation that does not fit its seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tampered {
    /// Its name.
    pub file: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a sealed file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Nobody sealed it.
    #[error("is not part of what was signed")]
    Unsealed,
    /// It is not there.
    #[error("is gone")]
    Gone,
    /// A link, a folder, a pipe.
    #[error("is not a regular file but {0}")]
    NotRegular(&'static str),
    /// It says something else.
    #[error("is not what was signed")]
    Changed,
    /// Somebody else owns it.
    #[error("belongs to another user (uid {0})")]
    Foreign(u32),
    /// Others may change it.
    #[error("may be written by others")]
    Writable,
    /// A script that nobody can start.
    #[error("may not be executed")]
    NotExecutable,
    /// It is not known what it says.
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

impl Tampered {
    /// In words, with what mends it.
    pub fn words(&self) -> String {
        format!("{} {}; `boathook team sync` puts the signed one back", self.file, self.fault)
    }
}

impl Seal {
    /// The seal of a generation; what is wrong with it in words.
    pub fn read(generation: &Path) -> Result<Seal, Fault> {
        let bytes = read(&generation.join(NAME), LARGEST)?;
        let seal: Seal =
            serde_json::from_slice(&bytes).map_err(|error| Fault::Unreadable(error.to_string()))?;
        if seal.format != FORMAT {
            return Err(Fault::Unreadable(format!("format {} is not known to this version", seal.format)));
        }
        Ok(seal)
    }

    /// Of its content, as it is written.
    pub fn digest(&self) -> Digest {
        Digest::of(&serde_json::to_vec(self).unwrap_or_default())
    }

    /// Whether one file is what was sealed; its content when it is.
    pub fn check(&self, generation: &Path, file: &str) -> Result<Vec<u8>, Fault> {
        let sealed = self.files.get(file).ok_or(Fault::Unsealed)?;
        let path = generation.join(file);
        let bytes = read(&path, SCRIPT_LIMIT)?;
        if Digest::of(&bytes) != *sealed {
            return Err(Fault::Changed);
        }
        if cfg!(unix) && file != HOOKS && !is_executable(&path) {
            return Err(Fault::NotExecutable);
        }
        Ok(bytes)
    }

    /// Every file that does not fit.
    pub fn faults(&self, generation: &Path) -> Vec<Tampered> {
        let fault =
            |file: &String| Some(Tampered { file: file.clone(), fault: self.check(generation, file).err()? });
        self.files.keys().filter_map(fault).collect()
    }
}

fn is_executable(path: &Path) -> bool {
    read_file::link_facts(path).is_some_and(|facts| facts.mode & 0o100 != 0)
}

/// A regular file that only its owner, we or root, may change. Read without
/// following a link: what was signed stands in the generation itself.
fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Fault> {
    match read_file::read_linked(path, limit, Owner::UserOrRoot, Links::Refused) {
        Ok(read) => Ok(read.bytes),
        Err(ReadError::Absent | ReadError::Dangling) => Err(Fault::Gone),
        Err(ReadError::NotRegular(kind)) => Err(Fault::NotRegular(kind.name())),
        Err(ReadError::Foreign(uid)) => Err(Fault::Foreign(uid)),
        Err(ReadError::Writable(_)) => Err(Fault::Writable),
        Err(_) if read_file::link_facts(path).is_some_and(|facts| facts.kind == Kind::Link) => {
            Err(Fault::NotRegular(Kind::Link.name()))
        }
        Err(error @ (ReadError::TooLarge(_) | ReadError::Unsteady | ReadError::Io(_))) => {
            Err(Fault::Unreadable(error.to_string()))
        }
    }
}

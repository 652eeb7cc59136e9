//! A new generation: written beside the others, checked, and swapped in by one
//! rename. Whatever fails leaves the old one in force.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::managed::{self, Current, GENERATIONS, LINK, Managed};
use super::manifest::{Release, Script};
use super::seal::{self, Seal};
use super::{collect, disk, name, self_check, written};
use crate::digest::Digest;
use crate::ids;
use crate::read_file;
use crate::source::Os;

/// What is to be installed. Signatures were checked by whoever made it.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'a> {
    /// The manifest's.
    pub sequence: u64,
    /// The version of the root that stands for it.
    pub root: u64,
    /// The release that is for this device.
    pub release: &'a Release,
    /// For which system.
    pub os: Os,
    /// The contents of its scripts.
    pub scripts: &'a BTreeMap<Digest, Vec<u8>>,
    /// PATH, where `#!/usr/bin/env` looks; without it only absolute
    /// interpreters are looked for.
    pub path: Option<&'a OsStr>,
}

impl Offer<'_> {
    /// The seal that a generation of it gets.
    pub fn seal(&self) -> Result<Seal, InstallError> {
        checked(self).map(|scripts| sealed(self, &scripts, &hooks(self)))
    }
}

/// What became of an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Installed {
    /// This generation is in force now.
    New(String),
    /// This one was in force already, and is what was signed.
    Unchanged(String),
}

/// Why nothing was installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The folder is somebody else's.
    #[error("{} {reason}", folder.display())]
    Foreign {
        /// Which one.
        folder: PathBuf,
        /// Why it is not ours.
        reason: String,
    },
    /// The system says no.
    #[error("{}: {error}", path.display())]
    Disk {
        /// Where.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// It could not run here.
    #[error("release {release} could not run on this machine: {reason}")]
    SelfCheck {
        /// Which release.
        release: u64,
        /// Why.
        reason: String,
    },
    /// A script has a name that cannot be stored.
    #[error("the script name {name:?} {reason}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A script is not what its digest says, or is not there.
    #[error("the script {0} is not what was signed")]
    Hash(String),
    /// A script is not as long as was signed.
    #[error("the script {0} is not as long as was signed")]
    Length(String),
    /// Something newer is in force.
    #[error("sequence {offered} is older than {found}, which is in force")]
    Older {
        /// What was offered.
        offered: u64,
        /// What is there.
        found: u64,
    },
    /// Somebody else installs, for longer than anybody waits.
    #[error("another process holds {} for more than {} seconds", .0.display(), .1.as_secs())]
    Locked(PathBuf, Duration),
}

impl InstallError {
    /// The stable word for it.
    pub fn code(&self) -> &'static str {
        match self {
            InstallError::Foreign { .. } => "foreign",
            InstallError::Disk { .. } => "disk",
            InstallError::SelfCheck { .. } => "self_check",
            InstallError::Name { .. } => "bad_name",
            InstallError::Hash(_) => "hash_mismatch",
            InstallError::Length(_) => "length_mismatch",
            InstallError::Older { .. } => "rollback",
            InstallError::Locked(..) => "locked",
        }
    }

    pub(super) fn disk(path: &Path, error: io::Error) -> InstallError {
        InstallError::Disk { path: path.to_owned(), error }
    }
}

impl Managed {
    /// Installs all of an offer, or nothing. The folder was claimed.
    pub fn install(&self, offer: &Offer<'_>) -> Result<Installed, InstallError> {
        let scripts = checked(offer)?;
        self.must_be_ours()?;
        let _held = self.hold()?;
        let generations = self.generations();
        self.clear(&generations)?;
        let current = self.current();
        if let Some(current) = &current {
            // A sequence that was run far ahead comes back with a new root, as
            // the versions of what is signed do.
            if current.sequence > offer.sequence && offer.root <= current.seal.root {
                return Err(InstallError::Older { offered: offer.sequence, found: current.sequence });
            }
            if is_same(current, offer, &scripts) {
                collect::unfinished(&self.folder);
                collect::unfinished(&self.generations());
                return Ok(Installed::Unchanged(current.generation.clone()));
            }
        }
        let fresh = generations.join(managed::unfinished_name());
        let installed = write(&fresh, offer, &scripts)
            .map_err(|error| InstallError::disk(&fresh, error))
            .and_then(|()| checked_here(&fresh, offer))
            .and_then(|()| self.put_in_force(&fresh, offer));
        if installed.is_err() {
            let _ = collect::remove_all(&fresh);
        }
        let name = installed?;
        collect::old(&generations, &name);
        Ok(Installed::New(name))
    }

    /// Removes what was left half done.
    fn clear(&self, generations: &Path) -> Result<(), InstallError> {
        collect::unfinished(&self.folder);
        match disk::make_folder(generations) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(InstallError::disk(generations, error));
            }
            Ok(()) | Err(_) => {}
        }
        managed::check_folder(generations, read_file::link_facts(generations))?;
        collect::unfinished(generations);
        Ok(())
    }

    /// The generation gets its name, and then the link leads to it.
    fn put_in_force(&self, fresh: &Path, offer: &Offer<'_>) -> Result<String, InstallError> {
        let generations = self.generations();
        let name = format!("{}-{}-{}", offer.sequence, offer.release.number, ids::eight_digits());
        let unfinished = self.folder.join(managed::unfinished_name());
        let link = self.folder.join(LINK);
        let swapped = fs::rename(fresh, generations.join(&name))
            .and_then(|()| disk::sync_folder(&generations))
            .and_then(|()| self.make_room(&link))
            .and_then(|()| disk::swap_link(&Path::new(GENERATIONS).join(&name), &unfinished, &link));
        match swapped {
            // The new one is in force: a folder that cannot be synced only
            // means that a crash may bring the old one back.
            Ok(()) => {
                let _ = disk::sync_folder(&self.folder);
                collect::unfinished(&self.folder);
                Ok(name)
            }
            Err(error) => {
                let _ = collect::remove_all(&unfinished);
                let _ = collect::remove_all(&generations.join(&name));
                Err(InstallError::disk(&self.folder, error))
            }
        }
    }
}

/// The scripts of the offer, each what its digest says.
fn checked<'a>(offer: &Offer<'a>) -> Result<Vec<(&'a Script, &'a [u8])>, InstallError> {
    let check = |script: &'a Script| {
        if let Some(reason) = name::refusal(&script.name) {
            return Err(InstallError::Name { name: script.name.clone(), reason });
        }
        let Some(bytes) = offer.scripts.get(&script.sha256) else {
            return Err(InstallError::Hash(script.name.clone()));
        };
        if bytes.len() as u64 != script.length {
            return Err(InstallError::Length(script.name.clone()));
        }
        if Digest::of(bytes) != script.sha256 {
            return Err(InstallError::Hash(script.name.clone()));
        }
        Ok((script, bytes.as_slice()))
    };
    offer.release.scripts_on(offer.os).into_iter().map(check).collect()
}

/// Whether the offer is in force, untouched.
fn is_same(current: &Current, offer: &Offer<'_>, scripts: &[(&Script, &[u8])]) -> bool {
    current.seal == sealed(offer, scripts, &hooks(offer)) && current.seal.faults(&current.folder).is_empty()
}

fn write(folder: &Path, offer: &Offer<'_>, scripts: &[(&Script, &[u8])]) -> io::Result<()> {
    disk::make_folder(folder)?;
    for (script, bytes) in scripts {
        disk::write_new(&folder.join(&script.name), bytes, 0o500)?;
    }
    let hooks = hooks(offer);
    disk::write_new(&folder.join(seal::HOOKS), hooks.as_bytes(), 0o400)?;
    let seal = serde_json::to_vec(&sealed(offer, scripts, &hooks)).map_err(io::Error::other)?;
    disk::write_new(&folder.join(seal::NAME), &seal, 0o400)?;
    disk::sync_folder(folder)
}

/// What was written is read again: it fits its seal, and could run.
fn checked_here(folder: &Path, offer: &Offer<'_>) -> Result<(), InstallError> {
    let refuse = |reason| InstallError::SelfCheck { release: offer.release.number, reason };
    let seal = Seal::read(folder).map_err(|fault| refuse(format!("the seal {fault}")))?;
    if let Some(found) = seal.faults(folder).first() {
        return Err(refuse(format!("{} {}", found.file, found.fault)));
    }
    self_check::check(offer, folder).map_err(refuse)
}

fn hooks(offer: &Offer<'_>) -> String {
    written::hooks_json(offer.release, offer.os, "./")
}

fn sealed(offer: &Offer<'_>, scripts: &[(&Script, &[u8])], hooks: &str) -> Seal {
    let mut files: BTreeMap<String, Digest> =
        scripts.iter().map(|(script, _)| (script.name.clone(), script.sha256)).collect();
    files.insert(seal::HOOKS.to_owned(), Digest::of(hooks.as_bytes()));
    Seal {
        format: seal::FORMAT,
        sequence: offer.sequence,
        root: offer.root,
        release: offer.release.number,
        files,
        closed: written::closed(offer.release, offer.os),
    }
}

//! Compares the files that a hook names with what was trusted: before the hook starts, and again after it ended.
//!
//! Contents alone decide, hashed for every event. But equal hashes before and after do not prove what ran in between: a
//! file can be replaced and put back. So the file's identity and times must be the same as well, and what leads to it
//! must not have been replaced or renamed (`followed_path`). Other files in the same folders change all the time, and
//! mean nothing. What this cannot see is written in SECURITY.md, "What was checked is what ran".

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::coverage::{Named, Scope};
use super::followed_path::FollowedPaths;
use super::pin::{self, Content, Pin};
use super::subject;
use super::words;
use crate::clock;
use crate::definition::Definition;
use crate::read_file::{self, Kind, Stamp};

/// File systems stamp changes with a clock that ticks this coarsely: two changes within one tick have the same time.
const TIMESTAMP_GRANULARITY: Duration = Duration::from_millis(20);
/// Gives up on a file that is changed this many times in a row while it is checked.
const MAX_ATTEMPTS: usize = 8;

/// Where commands run, and whose files trust covers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) os: crate::source::Os,
    pub(super) run_dir: PathBuf,
    pub(super) workspace: Option<PathBuf>,
    pub(super) plugin: Option<PathBuf>,
    pub(super) home: PathBuf,
}

/// The files of a trusted source, as they were when it was trusted.
#[derive(Debug, PartialEq, Eq)]
pub struct TrustedFiles {
    places: Places,
    pins: Vec<Pin>,
}

/// The files of one hook, found to be the trusted ones.
#[derive(Debug)]
pub(crate) struct CheckedFiles {
    trusted: Arc<TrustedFiles>,
    files: Vec<CheckedFile>,
    paths: FollowedPaths,
}

#[derive(Debug)]
struct CheckedFile {
    named: Named,
    /// Of the name itself, and of what it leads to.
    stamps: [Option<Stamp>; 2],
}

impl Places {
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope {
            os: self.os,
            run_dir: &self.run_dir,
            workspace: self.workspace.as_deref(),
            plugin: self.plugin.as_deref(),
            home: &self.home,
        }
    }
}

impl TrustedFiles {
    pub(super) fn new(places: Places, pins: Vec<Pin>) -> TrustedFiles {
        TrustedFiles { places, pins }
    }

    /// Checks the files of one hook. The error is the first file that is not what was trusted.
    pub(crate) fn check(self: &Arc<Self>, definition: &Definition) -> Result<CheckedFiles, PathBuf> {
        let command = subject::command(definition);
        let scope = self.places.scope();
        let named = command.map(|command| words::coverage(&command, &scope).named).unwrap_or_default();
        for _ in 0..MAX_ATTEMPTS {
            let checked = self.check_once(&named)?;
            if !checked.is_young() {
                return Ok(checked);
            }
            // A later change could carry the time of the last one.
            thread::sleep(TIMESTAMP_GRANULARITY);
        }
        Err(named.into_iter().next().map(|named| named.path).unwrap_or_default())
    }

    fn check_once(self: &Arc<Self>, named: &[Named]) -> Result<CheckedFiles, PathBuf> {
        let mut checked =
            CheckedFiles { trusted: Arc::clone(self), files: Vec::new(), paths: FollowedPaths::default() };
        for named in named {
            // Stamps are taken before contents are read: what changes in between is seen afterwards.
            let file = CheckedFile { named: named.clone(), stamps: stamps(&named.path) };
            if file.stamps[0].is_some() {
                checked.paths.add(&named.path);
            }
            if !self.is_trusted(named) {
                return Err(named.path.clone());
            }
            checked.files.push(file);
        }
        Ok(checked)
    }

    /// Whether a file has the contents, mode and link that were trusted.
    fn is_trusted(&self, named: &Named) -> bool {
        let same_path = |pin: &&Pin| pin.path.as_os_str() == named.path.as_os_str();
        let Some(trusted) = self.pins.iter().find(same_path) else {
            return named.loose
                && read_file::facts(&named.path).is_none_or(|facts| facts.kind == Kind::Directory);
        };
        // Another size is another file: there is no need to read it, however large it is.
        let size = read_file::facts(&named.path).map(|facts| facts.stamp.size);
        match trusted.content {
            Content::File { size: trusted, .. } if size != Some(trusted) => false,
            Content::Unreadable => false,
            Content::File { .. } | Content::NoFile | Content::Special => {
                trusted.equals(&pin::pin(&named.path).pin)
            }
        }
    }
}

impl CheckedFiles {
    /// Checks again, after the process ended. The error is the first path that is not what it was.
    pub(crate) fn check_again(&self) -> Result<(), PathBuf> {
        for file in &self.files {
            let is_same = stamps(&file.named.path) == file.stamps && self.trusted.is_trusted(&file.named);
            if !is_same {
                return Err(file.named.path.clone());
            }
        }
        self.paths.find_changed().map_or(Ok(()), |path| Err(path.to_owned()))
    }

    /// Whether a change since could carry the same time as the last change before.
    fn is_young(&self) -> bool {
        let files = self.files.iter().flat_map(|file| file.stamps.iter().flatten());
        files.into_iter().any(|stamp| is_recent(stamp.changed)) || self.paths.is_young()
    }
}

/// Whether a change at this time, in nanoseconds since 1970, and one that comes now could carry the same time.
pub(super) fn is_recent(time: i64) -> bool {
    u128::from(clock::nanoseconds().abs_diff(time)) < TIMESTAMP_GRANULARITY.as_nanos()
}

/// Of a file itself and of what it leads to. Folders have none: the times of their entries mean nothing.
fn stamps(path: &Path) -> [Option<Stamp>; 2] {
    let own = read_file::link_facts(path);
    let leads = own.filter(|facts| facts.kind == Kind::Link).and_then(|_| read_file::facts(path));
    [own, leads].map(|facts| facts.filter(|facts| facts.kind != Kind::Directory).map(|facts| facts.stamp))
}

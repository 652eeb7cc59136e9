//! The way to a checked file: every folder and every link that the system follows to reach it.
//!
//! A file that is unchanged may still have been another one for a while, when a folder or a link above it was moved away
//! and back. A folder is compared by its identity, and by what a rename leaves in its times: the time of its last change
//! moves, and the time of its entries does not. New entries in a folder are ordinary work and change both.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::checked_files::is_recent;
use crate::read_file::{self, Kind, Stamp};

/// Follows this many links on the way to one file, as Linux does.
const MAX_LINKS: usize = 40;

/// The folders and links on the way to the files of one hook, as they were before it started.
#[derive(Debug, Default)]
pub(super) struct FollowedPaths {
    steps: Vec<PathStep>,
}

/// One folder or link, at a path without links above it.
#[derive(Debug)]
struct PathStep {
    path: PathBuf,
    kind: Kind,
    stamp: Stamp,
}

impl FollowedPaths {
    /// Adds every folder and link on the way to a file. What is missing ends the way.
    pub(super) fn add(&mut self, path: &Path) {
        let mut links = 0;
        let mut reached = PathBuf::new();
        let mut ahead: VecDeque<OsString> = parts(path).collect();
        while let Some(part) = ahead.pop_front() {
            match Path::new(&part).components().next() {
                Some(Component::CurDir) | None => continue,
                Some(Component::ParentDir) => {
                    reached.pop();
                    continue;
                }
                Some(Component::Prefix(_) | Component::RootDir | Component::Normal(_)) => reached.push(&part),
            }
            match self.add_step(&reached) {
                Some(Kind::Directory) => {}
                Some(Kind::Link) if links < MAX_LINKS => {
                    links += 1;
                    let Ok(target) = std::fs::read_link(&reached) else { return };
                    reached.pop();
                    for part in parts(&target).rev() {
                        ahead.push_front(part);
                    }
                }
                _ => return,
            }
        }
    }

    /// Whether a step was renamed so recently that another rename could leave the same times.
    pub(super) fn is_young(&self) -> bool {
        let renamed = |step: &&PathStep| step.kind == Kind::Link || !is_recent(step.stamp.modified);
        self.steps.iter().filter(renamed).any(|step| is_recent(step.stamp.changed))
    }

    /// The first step that is not what it was.
    pub(super) fn find_changed(&self) -> Option<&Path> {
        self.steps.iter().find(|step| step.is_changed()).map(|step| step.path.as_path())
    }

    fn add_step(&mut self, path: &Path) -> Option<Kind> {
        if let Some(known) = self.steps.iter().find(|step| step.path.as_os_str() == path.as_os_str()) {
            return Some(known.kind);
        }
        let facts = read_file::link_facts(path)?;
        if matches!(facts.kind, Kind::Directory | Kind::Link) {
            self.steps.push(PathStep { path: path.to_owned(), kind: facts.kind, stamp: facts.stamp });
        }
        Some(facts.kind)
    }
}

impl PathStep {
    fn is_changed(&self) -> bool {
        let now = read_file::link_facts(&self.path).filter(|facts| facts.kind == self.kind);
        let (then, Some(now)) = (self.stamp, now.map(|facts| facts.stamp)) else { return true };
        let is_renamed = then.changed != now.changed && then.modified == now.modified;
        match self.kind {
            Kind::Link => then != now,
            _ => (then.device, then.inode) != (now.device, now.inode) || is_renamed,
        }
    }
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().map(|part| part.as_os_str().to_owned())
}

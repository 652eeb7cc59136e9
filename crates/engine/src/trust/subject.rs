//! What somebody trusts when they trust a source: all of it, as one value.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::checked_files::Places;
use super::coverage::{Uncovered, Why};
use super::pin::{self, Content, Pinned, Watch};
use super::record::Record;
use super::words;
use crate::definition::{Action, Definition};
use crate::digest::{Digest, Hasher};
use crate::settled;
use crate::source::{Level, Os, Source};

/// So long the links above a workspace are believed to lead where they led.
const BELIEVED: Duration = Duration::from_secs(1);

/// A source, and every file its commands name, as they were read.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Of all of it: what `trust --accept` names when there is nothing else.
    pub sha256: Digest,
    /// What kind of source it is.
    pub level: Level,
    /// The file with the hooks.
    pub file: PathBuf,
    /// The workspace, links resolved; of other sources their run directory.
    pub workspace: PathBuf,
    /// The bytes of the file.
    pub config: Vec<u8>,
    /// Every path that a command names, sorted. Some may be no file yet.
    pub files: Vec<Pinned>,
    /// What a command names and trust does not cover, sorted.
    pub uncovered: Vec<Uncovered>,
    pub(super) record_name: String,
    /// The file below its workspace.
    pub(super) inside: PathBuf,
    /// Where its commands run.
    run_dir: PathBuf,
    /// Whether files of the workspace count.
    gated: bool,
    watches: Vec<Watch>,
}

/// Where a source stands, and the name of its record: another workspace or
/// another file has another one. The file itself may be a link; where it
/// leads does not matter.
#[derive(Debug)]
pub(super) struct Place {
    /// The workspace as it was named.
    pub(super) given: PathBuf,
    pub(super) workspace: PathBuf,
    /// The file below it.
    pub(super) inside: PathBuf,
    pub(super) record_name: String,
    /// When its links were last followed.
    followed: Instant,
}

/// The name of the record of a file inside a workspace whose links are resolved.
pub(super) fn record_name(workspace: &Path, inside: &Path) -> String {
    let mut hasher = Hasher::default();
    hasher.field(workspace.as_os_str().as_encoded_bytes());
    hasher.field(inside.as_os_str().as_encoded_bytes());
    hasher.digest().to_string()
}

impl Place {
    pub(super) fn of(source: &Source) -> Place {
        // The user's settings are one file, whichever workspace they run in.
        let own = if source.level == Level::ClaudeUser { source.file.parent() } else { None };
        let given = source.workspace.as_deref().or(own).unwrap_or(&source.run_dir);
        let (workspace, followed) = (settled(given), Instant::now());
        let inside = source.file.strip_prefix(given).unwrap_or(&source.file);
        let record_name = record_name(&workspace, inside);
        Place { given: given.to_owned(), workspace, inside: inside.to_owned(), record_name, followed }
    }

    /// Whether the name still leads there. A folder above that was moved and
    /// whose name was given to a link to it shows in no file; to follow a name
    /// means to look at every folder of it, so that is done now and then.
    pub(super) fn holds(&mut self) -> bool {
        if self.followed.elapsed() < BELIEVED {
            return true;
        }
        self.followed = Instant::now();
        settled(&self.given) == self.workspace
    }
}

impl Subject {
    /// The file alone; the files its commands name were not looked at.
    pub(super) fn unseen(source: &Source, place: &Place, bytes: &[u8]) -> Subject {
        Subject {
            sha256: Digest::of(&[]),
            level: source.level,
            file: source.file.clone(),
            workspace: place.workspace.clone(),
            config: bytes.to_vec(),
            files: Vec::new(),
            uncovered: Vec::new(),
            record_name: place.record_name.clone(),
            inside: place.inside.clone(),
            run_dir: settled(&source.run_dir),
            gated: source.needs_trust(),
            watches: Vec::new(),
        }
    }

    /// With what was recorded of its files, which are checked when they are used.
    pub(super) fn into_recorded(mut self, record: &Record) -> Option<Subject> {
        let is_same = record.is_of(&self.config)
            && self.level.name() == record.level
            && self.workspace.to_string_lossy() == record.workspace.as_str();
        self.sha256 = record.sha256;
        is_same.then_some(self)
    }

    /// What `trust --accept` names for several: that of one is its own.
    pub fn together(subjects: &[&Subject]) -> Digest {
        if let [one] = subjects {
            return one.sha256;
        }
        let mut all: Vec<Digest> = subjects.iter().map(|subject| subject.sha256).collect();
        all.sort();
        let mut hasher = Hasher::default();
        hasher.field(b"boathook trust 1 together");
        all.iter().for_each(|digest| hasher.field(digest.as_bytes()));
        hasher.digest()
    }

    /// Hashes every file that a command names.
    pub(super) fn look_at(&mut self, definitions: &[Definition], os: Os, home: &Path) {
        let places = self.places(os, home);
        let scope = places.scope();
        let mut named = BTreeMap::new();
        for command in definitions.iter().filter_map(command) {
            let found = words::coverage(&command, &scope);
            for one in found.named {
                *named.entry(one.path).or_insert(true) &= one.loose;
            }
            self.uncovered.extend(found.uncovered);
        }
        for (path, loose) in named {
            self.add(pin::pin(&path), loose);
        }
        self.uncovered.sort();
        self.uncovered.dedup();
        self.sha256 = self.key();
    }

    /// Where its commands run, and whose files count.
    pub(super) fn places(&self, os: Os, home: &Path) -> Places {
        Places {
            os,
            run_dir: self.run_dir.clone(),
            workspace: self.gated.then(|| self.workspace.clone()),
            plugin: (self.level == Level::Plugin).then(|| self.run_dir.clone()),
            home: home.to_owned(),
        }
    }

    /// The first file that cannot be read, which nobody can trust.
    pub(super) fn unreadable(&self) -> Option<&Path> {
        let unreadable = |file: &&Pinned| file.pin.content == Content::Unreadable;
        self.files.iter().find(unreadable).map(|file| file.pin.path.as_path())
    }

    fn add(&mut self, file: Pinned, loose: bool) {
        self.watches.push(file.watch.clone());
        if let Some(why) = why_not_covered(&file) {
            self.uncovered.push(Uncovered { word: file.pin.path.to_string_lossy().into_owned(), why });
        }
        if !loose || file.pin.is_file() {
            self.files.push(file);
        }
    }

    /// Every path that was looked at, also those that are not covered yet.
    pub(super) fn watches(&self) -> &[Watch] {
        &self.watches
    }

    /// What was read under this hash.
    pub(super) fn copy(&self, digest: Digest) -> Option<Vec<u8>> {
        let scripts = self.files.iter().filter_map(|file| file.bytes.as_deref());
        let mut all = std::iter::once(self.config.as_slice()).chain(scripts);
        all.find(|bytes| Digest::of(bytes) == digest).map(<[u8]>::to_vec)
    }

    /// Lets go of the contents; what is pinned stays.
    pub(crate) fn forget_contents(&mut self) {
        self.files.iter_mut().for_each(|file| file.bytes = None);
    }

    /// Whether everything certainly is what it was.
    pub(crate) fn holds(&self) -> bool {
        self.watches.iter().all(Watch::holds)
    }

    /// The files that exist, the configuration first.
    pub fn existing_files(&self) -> Vec<PathBuf> {
        let scripts = self.files.iter().filter(|file| file.pin.is_file()).map(|file| file.pin.path.clone());
        std::iter::once(self.file.clone()).chain(scripts).collect()
    }

    fn key(&self) -> Digest {
        let mut hasher = Hasher::default();
        hasher.field(b"boathook trust 1");
        hasher.field(self.workspace.as_os_str().as_encoded_bytes());
        hasher.field(self.level.name().as_bytes());
        hasher.field(&self.config);
        self.files.iter().for_each(|file| file.pin.add_to(&mut hasher));
        hasher.digest()
    }
}

/// The path with its links resolved, so that one place has one key.
pub(super) fn settled(path: &Path) -> PathBuf {
    settled::resolved(path).unwrap_or_else(|_| path.to_owned())
}

/// Entries that cannot run are covered too: another edition may run them.
pub(super) fn command(definition: &Definition) -> Option<Cow<'_, str>> {
    match &definition.action {
        Action::Command(_) => Some(definition.command_line()),
        Action::Broken { text, .. } => Some(Cow::Borrowed(text)),
        Action::Rule(rule) => rule.command().map(Cow::Borrowed),
        Action::Prompt { .. } => None,
    }
}

fn why_not_covered(file: &Pinned) -> Option<Why> {
    match file.pin.content {
        Content::NoFile => file.is_directory.then_some(Why::Directory),
        Content::File { .. } => None,
        Content::Special => Some(Why::Special),
        Content::Unreadable => Some(Why::Unreadable),
    }
}

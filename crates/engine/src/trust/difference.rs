//! What changed since a source was trusted, file by file.

use std::path::{Path, PathBuf};

use super::pin::{Content, Pin, Pinned};
use super::record::Record;
use super::subject::Subject;
use crate::digest::Digest;

/// Everything that changed, the configuration first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// One for each file.
    pub changes: Vec<Change>,
}

/// What changed about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which file.
    pub path: PathBuf,
    /// What about it.
    pub kind: ChangeKind,
    /// As it was trusted, when a copy was kept.
    pub old: Option<Vec<u8>>,
    /// As it is, when it is at most 1 MiB.
    pub new: Option<Vec<u8>>,
}

/// What changed about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Its contents.
    Content,
    /// Its executable bits, and nothing else.
    Mode,
    /// There was none.
    Appeared,
    /// There is none any more.
    Vanished,
    /// It became a symbolic link.
    BecameLink,
    /// It was a symbolic link.
    NoLongerLink,
    /// The symbolic link leads elsewhere.
    LinkTarget,
    /// A command names it that did not.
    Named,
    /// No command names it any more.
    NoLongerNamed,
}

impl ChangeKind {
    /// In a few words.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::Content => "changed",
            ChangeKind::Mode => "executable bits changed",
            ChangeKind::Appeared => "appeared",
            ChangeKind::Vanished => "vanished",
            ChangeKind::BecameLink => "became a symbolic link",
            ChangeKind::NoLongerLink => "is no longer a symbolic link",
            ChangeKind::LinkTarget => "leads elsewhere",
            ChangeKind::Named => "is newly named by a command",
            ChangeKind::NoLongerNamed => "is no longer named by a command",
        }
    }
}

/// Compares what was trusted with what stands there. No subject: the
/// configuration is gone. `copy` gives what was kept.
pub(super) fn find(
    file: &Path,
    trusted: &Record,
    now: Option<&Subject>,
    copy: &dyn Fn(Digest) -> Option<Vec<u8>>,
) -> Difference {
    let config = now.map(|subject| subject.config.as_slice());
    let kind = if config.is_some() { ChangeKind::Content } else { ChangeKind::Vanished };
    let same = config.is_some_and(|bytes| Digest::of(bytes) == trusted.config);
    let of_config = (!same).then(|| Change {
        path: file.to_owned(),
        kind,
        old: copy(trusted.config),
        new: config.map(<[u8]>::to_vec),
    });
    // Without a configuration nothing is named; that it is gone says it all.
    let files = now.map(|subject| files(&trusted.files, &subject.files, copy)).unwrap_or_default();
    Difference { changes: of_config.into_iter().chain(files).collect() }
}

fn files(trusted: &[Pin], now: &[Pinned], copy: &dyn Fn(Digest) -> Option<Vec<u8>>) -> Vec<Change> {
    let mut changes = Vec::new();
    for file in now {
        let old = trusted.iter().find(|pin| same_path(&pin.path, &file.pin.path));
        if let Some(kind) = change(old, &file.pin) {
            let bytes = old.and_then(digest).and_then(copy);
            changes.push(Change { path: file.pin.path.clone(), kind, old: bytes, new: file.bytes.clone() });
        }
    }
    for pin in trusted.iter().filter(|pin| !now.iter().any(|file| same_path(&pin.path, &file.pin.path))) {
        // A word without a slash is covered only while there is such a file.
        let exists = crate::read_file::link_facts(&pin.path).is_some();
        let kind = if exists { ChangeKind::NoLongerNamed } else { ChangeKind::Vanished };
        changes.push(Change { path: pin.path.clone(), kind, old: digest(pin).and_then(copy), new: None });
    }
    changes.retain(|change| change.kind != ChangeKind::NoLongerNamed || change.old.is_some());
    changes
}

fn change(old: Option<&Pin>, new: &Pin) -> Option<ChangeKind> {
    let Some(old) = old else {
        return new.is_file().then_some(ChangeKind::Named);
    };
    if old.equals(new) {
        return None;
    }
    match (old.is_file(), new.is_file()) {
        (false, true) => return Some(ChangeKind::Appeared),
        (true, false) => return Some(ChangeKind::Vanished),
        (true, true) | (false, false) => {}
    }
    match (&old.link, &new.link) {
        (None, Some(_)) => return Some(ChangeKind::BecameLink),
        (Some(_), None) => return Some(ChangeKind::NoLongerLink),
        (Some(before), Some(after)) if before != after => return Some(ChangeKind::LinkTarget),
        (Some(_), Some(_)) | (None, None) => {}
    }
    Some(if digest(old) == digest(new) && digest(new).is_some() {
        ChangeKind::Mode
    } else {
        ChangeKind::Content
    })
}

fn digest(pin: &Pin) -> Option<Digest> {
    match pin.content {
        Content::File { sha256, .. } => Some(sha256),
        Content::NoFile | Content::Special | Content::Unreadable => None,
    }
}

/// Records hold paths as text, so two are compared as text.
fn same_path(one: &Path, other: &Path) -> bool {
    one == other || one.to_string_lossy() == other.to_string_lossy()
}

//! One file that trust covers: what it is now, and whether it still is.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock;
use crate::digest::{Digest, Hasher};
use crate::read_file::{self, Facts, Glimpse, KEPT_LIMIT, Kind, ReadError, SCRIPT_LIMIT, Stamp};

/// What a covered path is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The path the command names.
    #[serde(serialize_with = "write_path", deserialize_with = "read_path")]
    pub path: PathBuf,
    /// Where it leads, when it is a symbolic link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// What stands there.
    pub content: Content,
    /// Of a file too large to be hashed for every event: while this stamp
    /// holds, the hash does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stamp: Option<Stamp>,
}

/// What stands at a covered path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// No file: nothing, or a directory.
    NoFile,
    /// A file.
    File {
        /// Its contents.
        sha256: Digest,
        /// Its size in bytes.
        size: u64,
        /// The executable bits of its mode.
        executable: u32,
    },
    /// A file too large to be hashed.
    TooLarge {
        /// Its size in bytes.
        size: u64,
    },
    /// Something that cannot be read.
    Unreadable,
}

/// A pinned file together with what was read for it.
#[derive(Debug, Clone)]
pub struct Pinned {
    /// What it is.
    pub pin: Pin,
    /// Its contents, when they are at most 1 MiB.
    pub bytes: Option<Vec<u8>>,
    /// It is a directory.
    pub(super) is_directory: bool,
    pub(super) watch: Watch,
}

/// Tells cheaply whether a path certainly is what it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Watch {
    #[serde(serialize_with = "write_path", deserialize_with = "read_path")]
    path: PathBuf,
    seen: Seen,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Seen {
    Nothing,
    /// Files come and go in a directory; that it is one is all that counts.
    Directory,
    File(Glimpse),
    Link {
        own: Glimpse,
        target: Glimpse,
    },
}

/// Looks at a path. `known` is what it was when it was last trusted.
pub(super) fn pin(path: &Path, known: Option<&Pin>) -> Pinned {
    let own = read_file::link_facts(path);
    let link = match own {
        Some(Facts { kind: Kind::Link, .. }) => {
            Some(std::fs::read_link(path).map_or_else(|_| String::new(), |target| text(&target)))
        }
        Some(_) | None => None,
    };
    let (content, bytes, stamp) = contents(path, known);
    let is_directory = content == Content::NoFile
        && own.is_some()
        && read_file::facts(path).is_some_and(|facts| facts.kind == Kind::Directory);
    let seen = match (own, stamp) {
        (None, _) => Seen::Nothing,
        (Some(own), _) if own.kind == Kind::Link => Seen::Link {
            own: Glimpse::of(own.stamp),
            target: stamp.map_or_else(|| Glimpse::at(path), Glimpse::of),
        },
        (Some(_), Some(stamp)) => Seen::File(Glimpse::of(stamp)),
        (Some(_), None) if is_directory => Seen::Directory,
        (Some(own), None) => Seen::File(Glimpse::of(own.stamp)),
    };
    let large = matches!(content, Content::File { size, .. } if size > KEPT_LIMIT);
    Pinned {
        pin: Pin { path: path.to_owned(), link, content, stamp: stamp.filter(|_| large) },
        bytes,
        is_directory,
        watch: Watch { path: path.to_owned(), seen },
    }
}

impl Pin {
    /// Whether there is a file at all.
    pub fn is_file(&self) -> bool {
        self.content != Content::NoFile
    }

    /// The stamp of a large file.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    /// Whether both mean the same contents, mode and link.
    pub(super) fn equals(&self, other: &Pin) -> bool {
        self.link == other.link && self.content == other.content
    }

    /// Adds everything that a change would change.
    pub(super) fn add_to(&self, hasher: &mut Hasher) {
        hasher.field(self.path.as_os_str().as_encoded_bytes());
        match &self.link {
            None => hasher.add(&[0]),
            Some(target) => {
                hasher.add(&[1]);
                hasher.field(target.as_bytes());
            }
        }
        match &self.content {
            Content::NoFile => hasher.add(&[0]),
            Content::File { sha256, executable, .. } => {
                hasher.add(&[1]);
                hasher.field(sha256.to_string().as_bytes());
                hasher.add(&executable.to_le_bytes());
            }
            Content::TooLarge { size } => {
                hasher.add(&[2]);
                hasher.add(&size.to_le_bytes());
            }
            Content::Unreadable => hasher.add(&[3]),
        }
    }
}

impl Watch {
    /// Whether the path certainly is what it was.
    pub(super) fn holds(&self) -> bool {
        match &self.seen {
            Seen::Nothing => read_file::link_facts(&self.path).is_none(),
            Seen::Directory => {
                read_file::link_facts(&self.path).is_some_and(|facts| facts.kind == Kind::Directory)
            }
            Seen::File(glimpse) => glimpse.holds_link(&self.path),
            Seen::Link { own, target } => own.holds_link(&self.path) && target.holds(&self.path),
        }
    }
}

fn contents(path: &Path, known: Option<&Pin>) -> (Content, Option<Vec<u8>>, Option<Stamp>) {
    if let Some(known) = known
        && let Some(stamp) = unchanged_since(path, known)
    {
        return (known.content, None, Some(stamp));
    }
    match read_file::hash(path, SCRIPT_LIMIT) {
        Ok(file) => {
            let content =
                Content::File { sha256: file.sha256, size: file.stamp.size, executable: file.executable };
            (content, file.bytes, Some(file.stamp))
        }
        Err(ReadError::Absent | ReadError::Dangling) => (Content::NoFile, None, None),
        Err(ReadError::NotRegular(Kind::Directory)) => (Content::NoFile, None, None),
        Err(ReadError::TooLarge(_)) => {
            let size = read_file::facts(path).map_or(0, |facts| facts.stamp.size);
            (Content::TooLarge { size }, None, None)
        }
        Err(
            ReadError::NotRegular(_)
            | ReadError::Foreign(_)
            | ReadError::Writable(_)
            | ReadError::Unsteady
            | ReadError::Io(_),
        ) => (Content::Unreadable, None, None),
    }
}

/// Hashing a program of many megabytes for every event would cost more than
/// the hook: a settled file with the stamp it was trusted with is unchanged,
/// because nobody but root can set the time of its last change.
fn unchanged_since(path: &Path, known: &Pin) -> Option<Stamp> {
    let stamp = known.stamp?;
    let now = read_file::facts(path)?;
    (now.stamp == stamp && !stamp.is_young(clock::nanoseconds())).then_some(stamp)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Paths in a record are for people; the key is made from the true bytes.
fn write_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

fn read_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    String::deserialize(deserializer).map(PathBuf::from)
}

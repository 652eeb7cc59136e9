//! One file that trust covers: what it is now, and whether it still is.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::{Digest, Hasher};
use crate::read_file::{self, FileHash, Glimpse, Kind, Links, ReadError};

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
    /// A pipe, a socket or a device: there are no contents to hash.
    Special,
    /// A file that cannot be read, and therefore never trusted.
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

/// Hashes what is at a path, whatever its size. Nothing else decides about contents: a page that was written through a
/// mapping keeps the times of its file.
pub(super) fn pin(path: &Path) -> Pinned {
    match read_file::hash(path, u64::MAX, Links::Refused) {
        Ok(file) => of_file(path, None, Seen::File(Glimpse::of(file.stamp)), file),
        Err(ReadError::Absent) => Pinned::new(path, None, Content::NoFile, Seen::Nothing),
        Err(ReadError::NotRegular(Kind::Directory)) => of_directory(path, None, Seen::Directory),
        Err(ReadError::NotRegular(Kind::Link)) => of_link(path),
        Err(error) => Pinned::new(path, None, of_error(&error), Seen::File(Glimpse::at_link(path))),
    }
}

/// Where a link leads, and what stands there.
fn of_link(path: &Path) -> Pinned {
    // Looked at before it is followed, so that a change in between is seen.
    let (own, target) = (Glimpse::at_link(path), Glimpse::at(path));
    let link = std::fs::read_link(path)
        .map_or_else(|_| String::new(), |target| target.to_string_lossy().into_owned());
    let link = Some(link);
    match read_file::hash(path, u64::MAX, Links::Followed) {
        Ok(file) => of_file(path, link, Seen::Link { own, target: Glimpse::of(file.stamp) }, file),
        Err(ReadError::NotRegular(Kind::Directory)) => of_directory(path, link, Seen::Link { own, target }),
        Err(error) => Pinned::new(path, link, of_error(&error), Seen::Link { own, target }),
    }
}

fn of_file(path: &Path, link: Option<String>, seen: Seen, file: FileHash) -> Pinned {
    let content = Content::File { sha256: file.sha256, size: file.stamp.size, executable: file.executable };
    let mut pinned = Pinned::new(path, link, content, seen);
    pinned.bytes = file.bytes;
    pinned
}

fn of_directory(path: &Path, link: Option<String>, seen: Seen) -> Pinned {
    Pinned { is_directory: true, ..Pinned::new(path, link, Content::NoFile, seen) }
}

fn of_error(error: &ReadError) -> Content {
    match error {
        ReadError::Absent | ReadError::Dangling => Content::NoFile,
        ReadError::NotRegular(_) => Content::Special,
        ReadError::TooLarge(_)
        | ReadError::Foreign(_)
        | ReadError::Writable(_)
        | ReadError::Unsteady
        | ReadError::Io(_) => Content::Unreadable,
    }
}

impl Pinned {
    fn new(path: &Path, link: Option<String>, content: Content, seen: Seen) -> Pinned {
        Pinned {
            pin: Pin { path: path.to_owned(), link, content },
            bytes: None,
            is_directory: false,
            watch: Watch { path: path.to_owned(), seen },
        }
    }
}

impl Pin {
    /// Whether there is a file at all.
    pub fn is_file(&self) -> bool {
        self.content != Content::NoFile
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
                hasher.add(sha256.as_bytes());
                hasher.add(&executable.to_le_bytes());
            }
            Content::Special => hasher.add(&[2]),
            Content::Unreadable => hasher.add(&[3]),
        }
    }
}

impl Watch {
    /// Whether both saw the same file, and not only equal contents.
    pub(super) fn is_of_same_file(&self, other: &Watch) -> bool {
        match (&self.seen, &other.seen) {
            (Seen::Nothing, Seen::Nothing) | (Seen::Directory, Seen::Directory) => true,
            (Seen::File(one), Seen::File(other)) => one.has_same_stamp(other),
            (Seen::Link { own, target }, Seen::Link { own: other_own, target: other_target }) => {
                own.has_same_stamp(other_own) && target.has_same_stamp(other_target)
            }
            (Seen::Nothing | Seen::Directory | Seen::File(_) | Seen::Link { .. }, _) => false,
        }
    }

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

/// Paths in a record are for people; the key is made from the true bytes.
fn write_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

fn read_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    String::deserialize(deserializer).map(PathBuf::from)
}

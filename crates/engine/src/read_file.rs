//! The one function that reads configuration and script files.
//!
//! A file is opened without waiting, so that a pipe cannot hang us; it must be
//! a regular file, judged on what was opened and not on the name; it may not
//! be larger than a limit; and what is returned is stamped, so that whoever
//! keeps it can ask cheaply whether it is still what stands on the disk.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::digest::{Digest, Hasher};

#[cfg_attr(unix, path = "read_file/unix.rs")]
#[cfg_attr(windows, path = "read_file/windows.rs")]
mod os; // both give: open, open_at_end, facts, facts_of, facts_of_link, is_free, folder_tells, directory_identity, our_uid

mod looked;

pub(crate) use looked::{Folders, Looked};

/// A configuration file may be this large.
pub const CONFIG_LIMIT: u64 = 1024 * 1024;
/// A script of a team's signed hooks may be this large.
pub const SCRIPT_LIMIT: u64 = 256 * 1024 * 1024;
/// A script up to this size is kept whole, so that a difference can be shown.
pub const KEPT_LIMIT: u64 = 1024 * 1024;

/// A file that changes under us is read this often before we give up.
const ATTEMPTS: usize = 4;
/// File systems count time in steps; a file that is younger than this when it
/// is read may change again without its times changing.
const SETTLED: i64 = 2_000_000_000;

/// Which file this is and when it last changed: two equal stamps of a settled
/// file mean equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When its contents changed, in nanoseconds since 1970.
    pub modified: i64,
    /// When anything about it changed, in nanoseconds since 1970.
    pub changed: i64,
}

/// What a path was when it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Glimpse {
    stamp: Option<Stamp>,
    young: bool,
}

/// What was read, and the stamp of exactly that.
#[derive(Debug, Clone)]
pub struct FileRead {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Of which file, and when.
    pub stamp: Stamp,
}

/// What was hashed, and the stamp of exactly that.
#[derive(Debug, Clone)]
pub struct FileHash {
    /// Of all of it.
    pub sha256: Digest,
    /// The executable bits of its mode.
    pub executable: u32,
    /// Of which file, and when.
    pub stamp: Stamp,
    /// All of it, when it is not larger than `KEPT_LIMIT`.
    pub bytes: Option<Vec<u8>>,
}

/// Whose file we are willing to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Anybody's: the contents are pinned.
    Anybody,
    /// Root's or the user's, and nobody else may write to it.
    UserOrRoot,
    /// Root's, and nobody else may write to it.
    Root,
}

/// What to do with a path whose last part is a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Read what it leads to.
    Followed,
    /// Do not read it.
    Refused,
}

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    File,
    Directory,
    Link,
    Pipe,
    Socket,
    Device,
}

/// What the system knows of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) kind: Kind,
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) links: u64,
    pub(crate) stamp: Stamp,
}

impl Facts {
    /// Whether nobody but root may write to it.
    pub(crate) fn only_root_writes(&self) -> bool {
        self.uid == 0 && self.mode & 0o022 == 0
    }
}

/// Who else may write to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// Every user of the machine.
    Everybody,
    /// The file's group.
    Group,
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is none.
    #[error("no such file")]
    Absent,
    /// The name is a link to nothing.
    #[error("a symbolic link to a file that does not exist")]
    Dangling,
    /// A directory, a pipe, a device, a socket.
    #[error("not a regular file but {}", .0.name())]
    NotRegular(Kind),
    /// Larger than the limit.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// Somebody else owns it.
    #[error("owned by another user (uid {0})")]
    Foreign(u32),
    /// Others may change it.
    #[error("writable by {}", .0.name())]
    Writable(Others),
    /// It did not stand still.
    #[error("it changed while it was read")]
    Unsteady,
    /// The system says no.
    #[error("{0}")]
    Io(io::Error),
}

/// Reads a whole file.
pub fn read(path: &Path, limit: u64, owner: Owner) -> Result<FileRead, ReadError> {
    read_linked(path, limit, owner, Links::Followed)
}

/// Reads a whole file. A path whose last part is a link is followed, or is an
/// error.
pub fn read_linked(path: &Path, limit: u64, owner: Owner, links: Links) -> Result<FileRead, ReadError> {
    let (bytes, facts) = steadily(path, limit, owner, links, |file, size| {
        let bytes = read_whole(file, size)?;
        Ok((bytes.len() as u64, bytes))
    })?;
    Ok(FileRead { bytes, stamp: facts.stamp })
}

/// The beginning of a file, and the size of all of it.
pub fn read_head(path: &Path, most: u64) -> Result<(Vec<u8>, u64), ReadError> {
    let mut file = os::open(path, Links::Followed).map_err(|error| cause(error, path, Links::Followed))?;
    let facts = os::facts(&file).map_err(ReadError::Io)?;
    if facts.kind != Kind::File {
        return Err(ReadError::NotRegular(facts.kind));
    }
    let bytes = read_whole(&mut file, facts.stamp.size.min(most)).map_err(ReadError::Io)?;
    Ok((bytes, facts.stamp.size))
}

/// Opens a plain file to write behind what it holds, and makes it when it is not
/// there. Never waits for a reader, and follows no link.
pub fn open_at_end(path: &Path) -> Result<File, ReadError> {
    let file = os::open_at_end(path).map_err(|error| cause(error, path, Links::Refused))?;
    match os::facts(&file).map_err(ReadError::Io)?.kind {
        Kind::File => Ok(file),
        other => Err(ReadError::NotRegular(other)),
    }
}

/// Hashes a whole file, and keeps it when it is small. A path whose last part
/// is a link is followed, or is an error.
pub fn hash(path: &Path, limit: u64, links: Links) -> Result<FileHash, ReadError> {
    let ((sha256, bytes), facts) = steadily(path, limit, Owner::Anybody, links, |file, size| {
        if size > KEPT_LIMIT {
            let (length, sha256) = hash_stream(file, size)?;
            return Ok((length, (sha256, None)));
        }
        let bytes = read_whole(file, size)?;
        Ok((bytes.len() as u64, (Digest::of(&bytes), Some(bytes))))
    })?;
    Ok(FileHash { sha256, executable: facts.mode & 0o111, stamp: facts.stamp, bytes })
}

/// Whether a file is one of these owners', links followed. One that is not there is.
pub(crate) fn check_access(path: &Path, owner: Owner) -> Result<(), ReadError> {
    facts(path).map_or(Ok(()), |facts| check_owner(&facts, owner, our_uid))
}

/// What the system knows of the file a path leads to, links followed.
pub(crate) fn facts(path: &Path) -> Option<Facts> {
    os::facts_of(path).ok()
}

/// What the system knows of the path's own last part, which may be a link.
pub(crate) fn link_facts(path: &Path) -> Option<Facts> {
    os::facts_of_link(path).ok()
}

/// What identifies the directory that a path leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum DirectoryIdentity {
    /// Its device and its number there.
    #[cfg_attr(windows, allow(dead_code))] // Windows has no such number without an open handle
    Number(u64, u64),
    /// Its path, links resolved where it exists.
    Name(std::path::PathBuf),
}

/// What identifies the directory that a path leads to; none when it leads nowhere.
pub(crate) fn directory_identity(path: &Path) -> Option<DirectoryIdentity> {
    os::directory_identity(path)
}

/// Whether both paths lead to the same directory.
pub(crate) fn same_directory(one: &Path, other: &Path) -> bool {
    directory_identity(one).is_some_and(|found| directory_identity(other) == Some(found))
}

/// Who we are.
pub(crate) fn our_uid() -> u32 {
    os::our_uid()
}

impl Glimpse {
    /// Of what was just read.
    pub fn of(stamp: Stamp) -> Glimpse {
        Glimpse { stamp: Some(stamp), young: stamp.is_young(clock::nanoseconds()) }
    }

    /// Of a path, links followed.
    pub fn at(path: &Path) -> Glimpse {
        facts(path).map_or(Glimpse::default(), |facts| Glimpse::of(facts.stamp))
    }

    /// Of a path's own last part, which may be a link.
    pub fn at_link(path: &Path) -> Glimpse {
        link_facts(path).map_or(Glimpse::default(), |facts| Glimpse::of(facts.stamp))
    }

    /// Of nothing that could be sure: it never holds.
    pub fn doubtful() -> Glimpse {
        Glimpse { stamp: None, young: true }
    }

    /// Whether both are of the same file at the same time.
    pub(crate) fn has_same_stamp(&self, other: &Glimpse) -> bool {
        self.stamp == other.stamp
    }

    /// Whether there was nothing.
    pub fn is_of_nothing(&self) -> bool {
        self.stamp.is_none() && !self.young
    }

    /// Whether the path certainly leads to what it led to then.
    pub fn holds(&self, path: &Path) -> bool {
        !self.young && facts(path).map(|facts| facts.stamp) == self.stamp
    }

    /// Whether the path's own last part is certainly what it was then.
    pub fn holds_link(&self, path: &Path) -> bool {
        !self.young && link_facts(path).map(|facts| facts.stamp) == self.stamp
    }
}

impl Stamp {
    /// Whether the file had changed so shortly before `now` that it could
    /// change again without getting other times.
    pub fn is_young(&self, now: i64) -> bool {
        self.changed.saturating_add(SETTLED) > now
    }
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::File => "a file",
            Kind::Directory => "a directory",
            Kind::Link => "a link",
            Kind::Pipe => "a pipe",
            Kind::Socket => "a socket",
            Kind::Device => "a device",
        }
    }
}

impl Others {
    fn name(self) -> &'static str {
        match self {
            Others::Everybody => "everybody",
            Others::Group => "its group",
        }
    }
}

impl ReadError {
    /// What to do about it.
    pub fn help(&self, path: &Path) -> Option<String> {
        let path = path.display();
        match self {
            ReadError::Writable(Others::Everybody) => Some(format!("`chmod o-w {path}`")),
            ReadError::Writable(Others::Group) => Some(format!("`chmod g-w {path}`")),
            ReadError::Foreign(_) => {
                Some(format!("`sudo chown \"$(id -u)\" {path}` if the file is yours, else remove it"))
            }
            ReadError::TooLarge(_) => {
                Some("hooks.json is a short file; put scripts into files of their own".to_owned())
            }
            ReadError::NotRegular(_) | ReadError::Dangling => {
                Some(format!("put a regular file at {path}, or remove it"))
            }
            ReadError::Absent | ReadError::Unsteady | ReadError::Io(_) => None,
        }
    }
}

/// Opens, checks and reads a file until it stood still meanwhile. `read` is
/// told the size, and tells how much it read.
fn steadily<T>(
    path: &Path,
    limit: u64,
    owner: Owner,
    links: Links,
    mut read: impl FnMut(&mut File, u64) -> io::Result<(u64, T)>,
) -> Result<(T, Facts), ReadError> {
    for _ in 0..ATTEMPTS {
        let mut file = os::open(path, links).map_err(|error| cause(error, path, links))?;
        let before = os::facts(&file).map_err(ReadError::Io)?;
        check(&before, limit, owner)?;
        let (length, value) = read(&mut file, before.stamp.size).map_err(ReadError::Io)?;
        let after = os::facts(&file).map_err(ReadError::Io)?;
        if before.stamp == after.stamp && length == after.stamp.size {
            return Ok((value, after));
        }
    }
    Err(ReadError::Unsteady)
}

fn check(facts: &Facts, limit: u64, owner: Owner) -> Result<(), ReadError> {
    if facts.kind != Kind::File {
        return Err(ReadError::NotRegular(facts.kind));
    }
    if facts.stamp.size > limit {
        return Err(ReadError::TooLarge(limit));
    }
    check_owner(facts, owner, our_uid)
}

fn check_owner(facts: &Facts, owner: Owner, us: impl Fn() -> u32) -> Result<(), ReadError> {
    let owned = match owner {
        Owner::Anybody => return Ok(()),
        Owner::UserOrRoot => facts.uid == 0 || facts.uid == us(),
        Owner::Root => facts.uid == 0,
    };
    // A group that shares the user's files is the user's business; a group
    // that may rewrite the machine's policy is not, unless it is root's own.
    let group_may_write = owner == Owner::Root && facts.mode & 0o020 != 0 && facts.gid != 0;
    if !owned {
        Err(ReadError::Foreign(facts.uid))
    } else if facts.mode & 0o002 != 0 {
        Err(ReadError::Writable(Others::Everybody))
    } else if group_may_write {
        Err(ReadError::Writable(Others::Group))
    } else {
        Ok(())
    }
}

/// Reads as much as the size says; whether there is more by now is told by
/// the stamp that is taken afterwards.
fn read_whole(file: &mut File, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; size as usize];
    let mut length = 0;
    while length < bytes.len() {
        match file.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

fn hash_stream(file: &mut File, size: u64) -> io::Result<(u64, Digest)> {
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 256 * 1024];
    let mut length = 0;
    let mut rest = file.take(size + 1);
    loop {
        match rest.read(&mut buffer) {
            Ok(0) => return Ok((length, hasher.digest())),
            Ok(count) => {
                hasher.add(&buffer[..count]);
                length += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn cause(error: io::Error, path: &Path, links: Links) -> ReadError {
    let is_link = || os::facts_of_link(path).is_ok_and(|facts| facts.kind == Kind::Link);
    match error.kind() {
        _ if links == Links::Refused && is_link() => ReadError::NotRegular(Kind::Link),
        io::ErrorKind::NotFound if os::facts_of_link(path).is_ok() => ReadError::Dangling,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Absent,
        // Opening a socket, or a directory of Windows, gives nothing to look at.
        _ => match os::facts_of(path).map(|facts| facts.kind) {
            Ok(kind @ (Kind::Socket | Kind::Device | Kind::Pipe | Kind::Directory)) => {
                ReadError::NotRegular(kind)
            }
            Ok(Kind::File | Kind::Link) | Err(_) => ReadError::Io(error),
        },
    }
}

#[cfg(test)]
#[path = "read_file/tests.rs"]
mod tests;

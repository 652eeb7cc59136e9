//! Our own files: trust, last good copies, sessions, the log.
//!
//! The directory is private to the user (0700, files 0600). One that others
//! could have prepared or could change is refused with the reason, and never
//! mended in silence: what stands in it decides what may run. Files are
//! replaced whole, through a file of an unpredictable name beside them.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::digest::Digest;

#[cfg_attr(unix, path = "state/unix.rs")]
#[cfg_attr(windows, path = "state/windows.rs")]
mod os; // both give: Folder with open, create, read, create_new, append, change, rename, remove, names, lock

/// The state directory. Making this value touches nothing.
#[derive(Debug, Clone)]
pub struct StateDir {
    path: PathBuf,
}

/// Why the state directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Somebody put a link there.
    #[error("{} is a symbolic link; Boathook keeps its state in a directory of its own", .0.display())]
    Link(PathBuf),
    /// Something else stands there.
    #[error("{} is not a {}", .0.display(), .1)]
    WrongKind(PathBuf, &'static str),
    /// Another user owns it.
    #[error("{} is owned by another user (uid {})", .0.display(), .1)]
    Foreign(PathBuf, u32),
    /// Others may write to it.
    #[error("{} is writable by others (mode {:04o}); `chmod go-w` it after looking at what it holds", .0.display(), .1)]
    Writable(PathBuf, u32),
    /// The contents do not have the checksum they were written with.
    #[error("{} is damaged: its checksum does not fit", .0.display())]
    Damaged(PathBuf),
    /// Larger than anything we write.
    #[error("{} is larger than {} bytes", .0.display(), .1)]
    TooLarge(PathBuf, u64),
    /// The system says no.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
}

/// Keeps other processes out of a folder until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Lock {
    _folder: os::Folder,
}

/// A folder of ours that stays open. For one piece of work, not for long: what
/// is done in a folder that somebody removed is lost.
#[derive(Debug)]
pub struct OpenFolder {
    folder: os::Folder,
    path: PathBuf,
}

/// How much is done so that a write survives a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It may be lost, but not torn.
    Relaxed,
    /// It is on the disk when the call returns.
    Synced,
}

/// No file of ours is larger.
const LIMIT: u64 = 64 * 1024 * 1024;

impl StateDir {
    /// At this path, whether or not it exists.
    pub fn new(path: impl Into<PathBuf>) -> StateDir {
        StateDir { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it could be used; a directory that does not exist yet could.
    pub fn check(&self) -> Result<(), StateError> {
        self.folder("").map(|_| ())
    }

    /// A whole file of ours; none when it does not exist. `folder` is a path
    /// below the directory, or empty.
    pub fn read(&self, folder: &str, name: &str) -> Result<Option<Vec<u8>>, StateError> {
        self.read_from(folder, name, 0)
    }

    /// A file of ours from this byte on; none when it does not exist or is
    /// shorter than that.
    pub fn read_from(&self, folder: &str, name: &str, offset: u64) -> Result<Option<Vec<u8>>, StateError> {
        let path = self.file(folder, name);
        let Some(opened) = self.folder(folder)? else { return Ok(None) };
        let Some(file) = opened.read(name, &path)? else { return Ok(None) };
        match rest_of(file, offset).map_err(|error| StateError::Io(path.clone(), error))? {
            Some(bytes) if bytes.len() as u64 > LIMIT => Err(StateError::TooLarge(path, LIMIT)),
            rest => Ok(rest),
        }
    }

    /// Replaces a whole file, or leaves the old one as it was.
    pub fn write(
        &self,
        folder: &str,
        name: &str,
        bytes: &[u8],
        durability: Durability,
    ) -> Result<(), StateError> {
        let path = self.file(folder, name);
        let opened = self.created(folder)?;
        let fresh = unfinished(name);
        let written = opened
            .create_new(&fresh)
            .and_then(|file| fill(file, bytes, durability))
            .and_then(|()| opened.rename(&fresh, name, durability == Durability::Synced));
        written.map_err(|error| {
            let _ = opened.remove(&fresh);
            StateError::Io(path, error)
        })
    }

    /// Like `read`, of a file written by `write_sealed`.
    pub fn read_sealed(&self, folder: &str, name: &str) -> Result<Option<Vec<u8>>, StateError> {
        let Some(bytes) = self.read(folder, name)? else { return Ok(None) };
        match unseal(bytes) {
            Some(body) => Ok(Some(body)),
            None => Err(StateError::Damaged(self.file(folder, name))),
        }
    }

    /// Like `write`, with a checksum in the first line: a file that lost its
    /// end or a bit is noticed.
    pub fn write_sealed(
        &self,
        folder: &str,
        name: &str,
        body: &[u8],
        durability: Durability,
    ) -> Result<(), StateError> {
        self.write(folder, name, &seal(body), durability)
    }

    /// Opens a folder for several steps; makes it when there is none.
    pub fn open_folder(&self, folder: &str) -> Result<OpenFolder, StateError> {
        Ok(OpenFolder { path: self.path.join(folder), folder: self.created(folder)? })
    }

    /// Opens a folder for several steps; none when there is none.
    pub fn existing_folder(&self, folder: &str) -> Result<Option<OpenFolder>, StateError> {
        let opened = self.folder(folder)?;
        Ok(opened.map(|opened| OpenFolder { path: self.path.join(folder), folder: opened }))
    }

    /// Removes a file; says whether there was one.
    pub fn remove(&self, folder: &str, name: &str) -> Result<bool, StateError> {
        let Some(opened) = self.folder(folder)? else { return Ok(false) };
        match opened.remove(name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StateError::Io(self.file(folder, name), error)),
        }
    }

    /// Removes the files with such an ending that nobody wrote for so long. What
    /// cannot be removed stays.
    pub fn forget_old(&self, folder: &str, ending: &str, oldest: Duration) {
        for name in self.names(folder).unwrap_or_default().iter().filter(|name| name.ends_with(ending)) {
            let touched = self.file(folder, name).metadata().and_then(|data| data.modified());
            if touched.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > oldest)) {
                let _ = self.remove(folder, name);
            }
        }
    }

    /// Removes what was left of files when their writers were killed. The caller
    /// knows that nobody is writing one of these names. What cannot be removed
    /// stays.
    pub fn forget_unfinished(&self, folder: &str, is_ours: impl Fn(&str) -> bool) {
        let Ok(Some(opened)) = self.folder(folder) else { return };
        for unfinished in opened.names().unwrap_or_default() {
            if name_of_unfinished(&unfinished).is_some_and(&is_ours) {
                let _ = opened.remove(&unfinished);
            }
        }
    }

    /// The names in a folder, sorted; unfinished files are not named.
    pub fn names(&self, folder: &str) -> Result<Vec<String>, StateError> {
        let Some(opened) = self.folder(folder)? else { return Ok(Vec::new()) };
        let mut names = opened.names().map_err(|error| StateError::Io(self.path.join(folder), error))?;
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        Ok(names)
    }

    /// Waits until no other process holds the folder, and holds it. Reading
    /// needs no lock: files are replaced whole.
    pub fn lock(&self, folder: &str) -> Result<Lock, StateError> {
        let opened = self.created(folder)?;
        opened.lock().map_err(|error| StateError::Io(self.path.join(folder), error))?;
        Ok(Lock { _folder: opened })
    }

    /// Where a file stands, for messages and for looking at its stamp.
    pub fn file(&self, folder: &str, name: &str) -> PathBuf {
        if folder.is_empty() { self.path.join(name) } else { self.path.join(folder).join(name) }
    }

    /// A folder that is private to us; none when it does not exist.
    fn folder(&self, folder: &str) -> Result<Option<os::Folder>, StateError> {
        let Some(mut opened) = os::Folder::open(&self.path)? else { return Ok(None) };
        for part in parts(folder) {
            match opened.folder(part)? {
                Some(inner) => opened = inner,
                None => return Ok(None),
            }
        }
        Ok(Some(opened))
    }

    /// A folder that is private to us, made when it does not exist.
    fn created(&self, folder: &str) -> Result<os::Folder, StateError> {
        let mut opened = os::Folder::create(&self.path)?;
        for part in parts(folder) {
            opened = opened.create_folder(part)?;
        }
        Ok(opened)
    }
}

impl OpenFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory itself, whatever its name leads to by now.
    #[cfg(unix)]
    pub fn handle(&self) -> std::os::fd::BorrowedFd<'_> {
        self.folder.handle()
    }

    /// Opens a file for appending, and makes it when there is none.
    pub fn append(&self, name: &str) -> Result<File, StateError> {
        self.folder.append(name, &self.path.join(name))
    }

    /// Opens a file to read and change it in place, and makes it when there is
    /// none.
    pub fn change(&self, name: &str) -> Result<File, StateError> {
        self.folder.change(name, &self.path.join(name))
    }
}

fn rest_of(mut file: File, offset: u64) -> io::Result<Option<Vec<u8>>> {
    let length = file.metadata()?.len();
    if length < offset {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity((length - offset).min(LIMIT) as usize + 1);
    if offset > 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    file.take(LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// A checksum of the body, a line end, the body.
fn seal(body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{}\n", Digest::of(body)).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

fn unseal(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let sum = std::str::from_utf8(&bytes[..end]).ok().and_then(Digest::parse)?;
    bytes.drain(..=end);
    (Digest::of(&bytes) == sum).then_some(bytes)
}

fn fill(mut file: File, bytes: &[u8], durability: Durability) -> io::Result<()> {
    file.write_all(bytes)?;
    match durability {
        Durability::Relaxed => Ok(()),
        Durability::Synced => file.sync_all(),
    }
}

/// What a file is called until it is whole.
fn unfinished(name: &str) -> String {
    format!(".{name}.{:016x}", unpredictable())
}

/// What a file would have been called once it was whole.
fn name_of_unfinished(unfinished: &str) -> Option<&str> {
    let (name, digits) = unfinished.strip_prefix('.')?.rsplit_once('.')?;
    let random = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    (random && !name.is_empty()).then_some(name)
}

/// The standard library seeds its hash tables from the system's random source.
fn unpredictable() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

fn parts(folder: &str) -> impl Iterator<Item = &str> {
    folder.split('/').filter(|part| !part.is_empty())
}

#[cfg(test)]
#[path = "state/tests.rs"]
mod tests;

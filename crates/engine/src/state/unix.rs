//! The state directory on Unix: every step goes through the handle of the
//! directory before it, and no link is followed.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::StateError;
use crate::read_file::our_uid;
use crate::shortage::noted;

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const PRIVATE_DIRECTORY: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

/// An open directory that is ours alone.
#[derive(Debug)]
pub(super) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens the outermost one; none when it does not exist.
    pub(super) fn open(path: &Path) -> Result<Option<Folder>, StateError> {
        open_at(CWD, path, path.to_owned())
    }

    /// Opens the outermost one, made with its parents when it does not exist.
    pub(super) fn create(path: &Path) -> Result<Folder, StateError> {
        if let Some(folder) = Folder::open(path)? {
            return Ok(folder);
        }
        let failed = |error| StateError::Io(path.to_owned(), error);
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, PRIVATE_DIRECTORY);
        builder.recursive(true).create(path).map_err(failed)?;
        Folder::open(path)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// Opens one inside; none when it does not exist.
    pub(super) fn folder(&self, name: &str) -> Result<Option<Folder>, StateError> {
        open_at(&self.handle, Path::new(name), self.path.join(name))
    }

    /// Opens one inside, made when it does not exist.
    pub(super) fn create_folder(&self, name: &str) -> Result<Folder, StateError> {
        if let Some(folder) = self.folder(name)? {
            return Ok(folder);
        }
        let failed = |error: io::Error| StateError::Io(self.path.join(name), error);
        match rustix::fs::mkdirat(&self.handle, name, Mode::from_raw_mode(PRIVATE_DIRECTORY as _)) {
            // Another process was quicker.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error.into())),
        }
        self.folder(name)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// Opens a file for reading; none when it does not exist.
    pub(super) fn read(&self, name: &str, path: &Path) -> Result<Option<File>, StateError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
        match rustix::fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => check(handle, FileType::RegularFile, path).map(|handle| Some(File::from(handle))),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP) => Err(StateError::Link(path.to_owned())),
            Err(error) => Err(StateError::Io(path.to_owned(), noted(error.into()))),
        }
    }

    /// Makes a file that did not exist.
    pub(super) fn create_new(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.handle, name, flags, Mode::from_raw_mode(PRIVATE_FILE as _))?;
        Ok(File::from(handle))
    }

    /// Opens a file for appending, made when it does not exist.
    pub(super) fn append(&self, name: &str, path: &Path) -> Result<File, StateError> {
        self.open_or_create(name, path, OFlags::WRONLY | OFlags::APPEND)
    }

    /// Opens a file to read and change it in place, made when it does not exist.
    pub(super) fn change(&self, name: &str, path: &Path) -> Result<File, StateError> {
        self.open_or_create(name, path, OFlags::RDWR)
    }

    fn open_or_create(&self, name: &str, path: &Path, way: OFlags) -> Result<File, StateError> {
        let flags = way | OFlags::CREATE | OFlags::NOFOLLOW;
        let flags = flags | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        match rustix::fs::openat(&self.handle, name, flags, Mode::from_raw_mode(PRIVATE_FILE as _)) {
            Ok(handle) => check(handle, FileType::RegularFile, path).map(File::from),
            Err(Errno::LOOP) => Err(StateError::Link(path.to_owned())),
            // A pipe nobody reads.
            Err(Errno::NXIO) => Err(StateError::WrongKind(path.to_owned(), "file")),
            Err(error) => Err(StateError::Io(path.to_owned(), noted(error.into()))),
        }
    }

    /// Gives a file its name, in place of the one that had it.
    pub(super) fn rename(&self, from: &str, to: &str, sync: bool) -> io::Result<()> {
        rustix::fs::renameat(&self.handle, from, &self.handle, to)?;
        if sync {
            rustix::fs::fsync(&self.handle)?;
        }
        Ok(())
    }

    pub(super) fn handle(&self) -> std::os::fd::BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.handle)
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// Held until the folder is closed, however this process ends.
    pub(super) fn lock(&self) -> io::Result<()> {
        loop {
            match rustix::fs::flock(&self.handle, FlockOperation::LockExclusive) {
                Err(Errno::INTR) => {}
                done => return Ok(done?),
            }
        }
    }

    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(|error| noted(error.into()))? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }
}

fn open_at(parent: impl std::os::fd::AsFd, name: &Path, path: PathBuf) -> Result<Option<Folder>, StateError> {
    let handle = match rustix::fs::openat(&parent, name, DIRECTORY, Mode::empty()) {
        Ok(handle) => handle,
        Err(Errno::NOENT) => return Ok(None),
        // Systems disagree on the error for a link here; the name itself tells.
        Err(Errno::NOTDIR | Errno::LOOP) => return Err(not_a_directory(parent, name, path)),
        Err(error) => return Err(StateError::Io(path, noted(error.into()))),
    };
    let handle = check(handle, FileType::Directory, &path)?;
    Ok(Some(Folder { handle, path }))
}

fn not_a_directory(parent: impl std::os::fd::AsFd, name: &Path, path: PathBuf) -> StateError {
    match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => StateError::Link(path),
        Ok(_) | Err(_) => StateError::WrongKind(path, "directory"),
    }
}

/// Ours, of the right kind, and not writable by anybody else.
fn check(handle: OwnedFd, kind: FileType, path: &Path) -> Result<OwnedFd, StateError> {
    let stat = rustix::fs::fstat(&handle).map_err(|error| StateError::Io(path.to_owned(), error.into()))?;
    let mode = stat.st_mode as u32 & 0o7777;
    if FileType::from_raw_mode(stat.st_mode) != kind {
        let name = if kind == FileType::Directory { "directory" } else { "file" };
        Err(StateError::WrongKind(path.to_owned(), name))
    } else if stat.st_uid != our_uid() {
        Err(StateError::Foreign(path.to_owned(), stat.st_uid))
    } else if mode & 0o022 != 0 {
        Err(StateError::Writable(path.to_owned(), mode))
    } else {
        Ok(handle)
    }
}

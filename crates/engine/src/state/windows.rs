//! The state directory on Windows, where the profile's access lists keep
//! others out.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::StateError;

/// A directory of ours.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Option<Folder>, StateError> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => Err(StateError::Link(path.to_owned())),
            Ok(metadata) if metadata.is_dir() => Ok(Some(Folder { path: path.to_owned() })),
            Ok(_) => Err(StateError::WrongKind(path.to_owned(), "directory")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StateError::Io(path.to_owned(), error)),
        }
    }

    pub(super) fn create(path: &Path) -> Result<Folder, StateError> {
        if let Some(folder) = Folder::open(path)? {
            return Ok(folder);
        }
        fs::create_dir_all(path).map_err(|error| StateError::Io(path.to_owned(), error))?;
        Ok(Folder { path: path.to_owned() })
    }

    pub(super) fn folder(&self, name: &str) -> Result<Option<Folder>, StateError> {
        Folder::open(&self.path.join(name))
    }

    pub(super) fn create_folder(&self, name: &str) -> Result<Folder, StateError> {
        Folder::create(&self.path.join(name))
    }

    pub(super) fn read(&self, name: &str, path: &Path) -> Result<Option<File>, StateError> {
        match File::open(self.path.join(name)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StateError::Io(path.to_owned(), error)),
        }
    }

    pub(super) fn create_new(&self, name: &str) -> io::Result<File> {
        File::create_new(self.path.join(name))
    }

    pub(super) fn append(&self, name: &str, path: &Path) -> Result<File, StateError> {
        let opened = File::options().append(true).create(true).open(self.path.join(name));
        opened.map_err(|error| StateError::Io(path.to_owned(), error))
    }

    pub(super) fn change(&self, name: &str, path: &Path) -> Result<File, StateError> {
        let mut options = File::options();
        let opened = options.read(true).write(true).create(true).truncate(false).open(self.path.join(name));
        opened.map_err(|error| StateError::Io(path.to_owned(), error))
    }

    pub(super) fn rename(&self, from: &str, to: &str, _sync: bool) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// A directory cannot be locked here; two people who decide about trust
    /// in the same instant are left to themselves.
    pub(super) fn lock(&self) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(&self.path)?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }
}

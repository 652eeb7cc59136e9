//! What a case may leave traces in: a state of its own, and a copy of the
//! workspace for a case that wants one. Gone when the case is over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use boathook_engine::read_file::{self, Owner};
use boathook_engine::state::{Durability, StateDir};
use tempfile::TempDir;

/// The folder of a state directory that holds the records of trust.
pub const TRUST: &str = "trust";
/// A `.cursor` folder with more than this is not copied.
const MOST_FILES: usize = 4_000;
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A directory of a case's own.
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub fn new() -> io::Result<Scratch> {
        Ok(Scratch { folder: tempfile::Builder::new().prefix("boathook-test-").tempdir()? })
    }

    /// A state that has these folders of the real one, and nothing else of it.
    pub fn state(&self, real: &Path, folders: &[&str]) -> io::Result<PathBuf> {
        let (real, own) = (StateDir::new(real), StateDir::new(self.folder.path().join("state")));
        let names = |folder: &str| real.names(folder).unwrap_or_default();
        for (folder, name) in folders.iter().flat_map(|it| names(it).into_iter().map(move |name| (*it, name)))
        {
            // Folders and locks are no files of ours; a record of trust that cannot be read trusts nothing.
            if let Ok(Some(bytes)) = real.read(folder, &name) {
                own.write(folder, &name, &bytes, Durability::Relaxed).map_err(io::Error::other)?;
            }
        }
        Ok(own.path().to_owned())
    }

    /// A workspace with the files of a case, and, where there are hooks of the
    /// workspace in it, these: `.cursor`, and what trust covers beside it.
    pub fn workspace(
        &self,
        files: &[(PathBuf, String)],
        hooks: Option<(&Path, &[PathBuf])>,
    ) -> io::Result<PathBuf> {
        let root = self.folder.path().canonicalize()?.join("workspace");
        fs::create_dir(&root)?;
        if let Some((workspace, covered)) = hooks {
            let mut copier = Copier { files: 0, bytes: 0 };
            copier.folder(&workspace.join(".cursor"), &root.join(".cursor"))?;
            for file in covered {
                let Ok(inside) = file.strip_prefix(workspace) else { continue };
                if !root.join(inside).exists() {
                    copier.file(file, &root.join(inside))?;
                }
            }
        }
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&root))?;
            // What trust covers is there already, and stays what was trusted.
            let mut file = fs::File::create_new(&path).map_err(|error| named(&path, &error))?;
            io::Write::write_all(&mut file, text.as_bytes())?;
        }
        Ok(root)
    }
}

/// Copies within limits, regular files alone.
struct Copier {
    files: usize,
    bytes: u64,
}

impl Copier {
    /// A link to a folder is not followed: it could lead anywhere.
    fn folder(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from).map_err(|error| named(from, &error))? {
            let entry = entry?;
            let (path, target) = (entry.path(), to.join(entry.file_name()));
            if entry.file_type()?.is_dir() {
                self.folder(&path, &target)?;
            } else if fs::metadata(&path).is_ok_and(|found| found.is_file()) {
                self.file(&path, &target)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let room = MOST_BYTES.saturating_sub(self.bytes);
        let read = read_file::read(from, room, Owner::Anybody)
            .map_err(|error| io::Error::other(format!("{}: {error}", from.display())))?;
        self.files += 1;
        self.bytes += read.bytes.len() as u64;
        if self.files > MOST_FILES {
            return Err(io::Error::other(format!("more than {MOST_FILES} files are not copied")));
        }
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        fs::write(to, read.bytes)?;
        fs::set_permissions(to, fs::metadata(from)?.permissions())
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

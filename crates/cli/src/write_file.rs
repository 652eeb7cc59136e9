//! Writes files whole, or not at all: one that did not exist, or one that is
//! replaced.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::error::Failed;

/// What others may do with a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read it.
    Read,
    /// Read and run it.
    Execute,
    /// Nothing: it is the user's alone.
    Nothing,
}

/// Writes a file unless there is one; says whether it did.
///
/// The text goes to a file of another name beside it first, so a failure
/// leaves nothing behind, and nobody who is quicker is overwritten.
pub fn write_new(path: &Path, text: &str, access: Access) -> io::Result<bool> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".boathook-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    set_access(file.as_file(), access)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(failed) => Err(failed.error),
    }
}

/// Replaces the text of a file that exists. A link stays a link: what it leads
/// to is replaced. Who may read or run it stays as it was.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let target = path.canonicalize()?;
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".boathook-").tempfile_in(folder)?;
    file.write_all(text)?;
    file.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&target).map(|_| ()).map_err(|failed| failed.error)
}

/// Writes a file below `root` whether or not there is one, and the folders it
/// stands in. One that is there keeps what others may do with it.
pub fn put(root: &Path, path: &Path, text: &str, access: Access) -> Result<(), Failed> {
    stays_below(root, path)?;
    put_there(path, text, access).map_err(|error| Failed::file(path, error))
}

fn put_there(path: &Path, text: &str, access: Access) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    if path.exists() || !write_new(path, text, access)? {
        replace(path, text.as_bytes())?;
    }
    Ok(())
}

/// A repository must not choose where on the disk something is written: links
/// on the way to `path` may not lead out of `root`.
pub fn stays_below(root: &Path, path: &Path) -> Result<(), Failed> {
    let Some(there) = path.ancestors().find(|part| part.symlink_metadata().is_ok()) else { return Ok(()) };
    // What is not there yet is made by us, without a link.
    if !there.starts_with(root) {
        return Ok(());
    }
    let help = "remove the link, or write the file there by hand";
    let target = there.canonicalize().map_err(|error| {
        Failed::other(format!("{}: where it leads cannot be told: {error}", there.display()), help)
    })?;
    let settled = root.canonicalize().map_err(|error| Failed::file(root, error))?;
    if target.starts_with(&settled) {
        return Ok(());
    }
    let problem = format!("{} leads out of {}, to {}", there.display(), root.display(), target.display());
    Err(Failed::other(problem, help))
}

#[cfg(unix)]
pub fn set_access(file: &File, access: Access) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match access {
        Access::Read => 0o644,
        Access::Execute => 0o755,
        Access::Nothing => 0o600,
    };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

/// Windows knows no such permissions: what a file is called decides.
#[cfg(windows)]
pub fn set_access(_: &File, _: Access) -> io::Result<()> {
    Ok(())
}

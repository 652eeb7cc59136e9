//! Writes a file that did not exist: whole, or not at all.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// What others may do with a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read it.
    Read,
    /// Read and run it.
    Execute,
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

#[cfg(unix)]
fn set_access(file: &File, access: Access) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match access {
        Access::Read => 0o644,
        Access::Execute => 0o755,
    };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

/// Windows knows no such permissions: what a file is called decides.
#[cfg(windows)]
fn set_access(_: &File, _: Access) -> io::Result<()> {
    Ok(())
}

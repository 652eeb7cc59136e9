//! Files that are really written, on Windows. There are no modes: what a
//! folder in the user's profile inherits is what applies. A folder cannot be
//! replaced in one step, so a link is removed before the new one has its name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::windows::fs::symlink_dir;
use std::path::Path;

/// A new folder.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// A new file, on the disk when this returns.
pub(super) fn write_new(path: &Path, bytes: &[u8], _mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Windows keeps the names of a folder in its own journal.
pub(super) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes `link` lead to `target`, by way of `fresh`.
pub(super) fn swap_link(target: &Path, fresh: &Path, link: &Path) -> io::Result<()> {
    symlink_dir(target, fresh)?;
    match fs::remove_dir(link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    fs::rename(fresh, link)
}

/// A folder cannot be held here.
pub(super) fn open_folder(_path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// The file that whoever installs holds.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path)
}

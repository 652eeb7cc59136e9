//! Files that are really written, on Unix. Modes are set and not left to the
//! umask; what is made is made anew, so that no link is followed.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

/// A new folder that is the user's alone.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

/// A new file, on the disk when this returns.
pub(super) fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}

/// The names in a folder are on the disk when this returns.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Makes `link` lead to `target`, by way of `fresh`, in one step.
pub(super) fn swap_link(target: &Path, fresh: &Path, link: &Path) -> io::Result<()> {
    symlink(target, fresh)?;
    fs::rename(fresh, link)
}

/// A folder, to hold it against others who ask.
pub(super) fn open_folder(path: &Path) -> io::Result<Option<File>> {
    File::open(path).map(Some)
}

/// The file that whoever installs holds.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path)
}

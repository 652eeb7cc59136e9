//! Opening and looking at files on Windows, where owners and modes are not
//! compared: access lists decide who may write.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{DirectoryIdentity, Facts, Kind, Links, Stamp};

pub(super) fn open(path: &Path, links: Links) -> io::Result<File> {
    if links == Links::Refused && std::fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

pub(super) fn open_at_end(path: &Path) -> io::Result<File> {
    if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::options().append(true).create(true).open(path)
}

pub(super) fn facts(file: &File) -> io::Result<Facts> {
    file.metadata().map(|metadata| read(&metadata))
}

pub(super) fn facts_of(path: &Path) -> io::Result<Facts> {
    std::fs::metadata(path).map(|metadata| read(&metadata))
}

pub(super) fn facts_of_link(path: &Path) -> io::Result<Facts> {
    std::fs::symlink_metadata(path).map(|metadata| read(&metadata))
}

/// Whether the name is not taken, not even by a link to nothing.
pub(super) fn is_free(path: &Path) -> bool {
    facts_of_link(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Nobody tried here whether the times of a folder change with the names in it.
pub(super) fn folder_tells(_folder: &Path) -> bool {
    false
}

pub(super) fn directory_identity(path: &Path) -> Option<DirectoryIdentity> {
    path.canonicalize().ok().map(DirectoryIdentity::Name)
}

pub(super) fn our_uid() -> u32 {
    0
}

/// Windows tells the number of a file only through an open handle, so two
/// stamps compare creation, size and the time of the last write.
fn read(metadata: &Metadata) -> Facts {
    let modified = nanoseconds(metadata.modified());
    Facts {
        kind: kind(metadata),
        mode: 0,
        uid: 0,
        gid: 0,
        links: 1,
        stamp: Stamp {
            device: 0,
            inode: nanoseconds(metadata.created()).unsigned_abs(),
            size: metadata.len(),
            modified,
            changed: modified,
        },
    }
}

fn kind(metadata: &Metadata) -> Kind {
    if metadata.is_file() {
        Kind::File
    } else if metadata.is_dir() {
        Kind::Directory
    } else if metadata.is_symlink() {
        Kind::Link
    } else {
        Kind::Device
    }
}

fn nanoseconds(time: io::Result<SystemTime>) -> i64 {
    let since = time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

//! Opening and looking at files on Unix.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, Stat};

use super::{DirectoryIdentity, Facts, Kind, Links, Stamp};
use crate::shortage::noted;

/// Opens for reading without waiting for whoever writes a pipe, and without
/// making a terminal ours.
pub(super) fn open(path: &Path, links: Links) -> io::Result<File> {
    let follow = match links {
        Links::Followed => OFlags::empty(),
        Links::Refused => OFlags::NOFOLLOW,
    };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | follow;
    opened(rustix::fs::open(path, flags, Mode::empty()))
}

/// The same for writing at the end. A pipe that nobody reads is an error.
pub(super) fn open_at_end(path: &Path) -> io::Result<File> {
    let way = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
    let flags = way | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    opened(rustix::fs::open(path, flags, Mode::from_raw_mode(0o600)))
}

fn opened(file: rustix::io::Result<OwnedFd>) -> io::Result<File> {
    file.map(File::from).map_err(|error| noted(error.into()))
}

pub(super) fn facts(file: &File) -> io::Result<Facts> {
    rustix::fs::fstat(file).map(|stat| read(&stat)).map_err(io::Error::from)
}

pub(super) fn facts_of(path: &Path) -> io::Result<Facts> {
    rustix::fs::stat(path).map(|stat| read(&stat)).map_err(|error| noted(error.into()))
}

pub(super) fn facts_of_link(path: &Path) -> io::Result<Facts> {
    rustix::fs::lstat(path).map(|stat| read(&stat)).map_err(|error| noted(error.into()))
}

/// Whether the name is not taken, not even by a link to nothing.
pub(super) fn is_free(path: &Path) -> bool {
    facts_of_link(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Whether the times of a folder change with the names in it, for certain.
#[cfg(target_os = "linux")]
pub(super) fn folder_tells(folder: &Path) -> bool {
    /// By the numbers of their kind: ext4 and its elders, xfs, btrfs, tmpfs, overlay.
    const TRIED: [u32; 5] = [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630];
    rustix::fs::statfs(folder).is_ok_and(|found| TRIED.contains(&(found.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn folder_tells(_folder: &Path) -> bool {
    false
}

pub(super) fn directory_identity(path: &Path) -> Option<DirectoryIdentity> {
    let stamp = facts_of(path).ok()?.stamp;
    Some(DirectoryIdentity::Number(stamp.device, stamp.inode))
}

pub(super) fn our_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

// Each system has its own types for these numbers.
#[allow(clippy::unnecessary_cast)]
fn read(stat: &Stat) -> Facts {
    Facts {
        kind: kind(FileType::from_raw_mode(stat.st_mode as _)),
        mode: stat.st_mode as u32,
        uid: stat.st_uid,
        gid: stat.st_gid,
        links: stat.st_nlink as u64,
        stamp: Stamp {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        },
    }
}

fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Pipe,
        FileType::Socket => Kind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => Kind::Device,
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

//! Files of other people: looked at without following links, replaced whole
//! and only while they are what we looked at, or left alone with the reason.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use boathook_engine::read_file::{self, CONFIG_LIMIT, Owner, ReadError};

use crate::error::Failed;
use crate::write_file::Access;

/// Beginnings of the names of files that are not finished.
const UNFINISHED: &str = ".boathook-agent-";

/// What stands there; none when nothing does. Refused when we could not or
/// should not replace it.
pub fn look(path: &Path) -> Result<Option<String>, Failed> {
    let refuse = |problem: String, help: &str| Failed::other(format!("{}: {problem}", path.display()), help);
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return folder_allows(path).map(|()| None),
        Err(error) => return Err(Failed::file(path, error)),
        Ok(found) if found.is_symlink() => {
            let target = fs::read_link(path).unwrap_or_default();
            let problem = format!("it is a link to {}; nothing was changed", target.display());
            let help = "whoever keeps that file must change it: `--dry-run` on a copy shows the entries, or replace the link by the file itself";
            return Err(refuse(problem, help));
        }
        // Replacing it would part the names, and whoever keeps the other one
        // would not learn of it.
        Ok(found) if found.is_file() && names(&found) > 1 => {
            let problem = format!("it is one file under {} names; nothing was changed", names(&found));
            let help = "whoever keeps the other name must change it, or put a copy in its place: `cp -p FILE NEW && mv NEW FILE`";
            return Err(refuse(problem, help));
        }
        Ok(_) => {}
    }
    let bytes = match read_file::read(path, CONFIG_LIMIT, Owner::Anybody) {
        Ok(read) => read.bytes,
        Err(ReadError::Absent) => return Ok(None),
        Err(error) => return Err(refuse(format!("{error}; nothing was changed"), "look at the file")),
    };
    if fs::metadata(path).is_ok_and(|found| found.permissions().readonly()) {
        return Err(refuse(
            "it is read-only; nothing was changed".to_owned(),
            "make it writable, or ask whoever keeps it",
        ));
    }
    // Somebody else's, such as root's.
    OpenOptions::new().append(true).open(path).map_err(|error| Failed::file(path, error))?;
    folder_allows(path)?;
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| refuse("it is not UTF-8; nothing was changed".to_owned(), "save it as UTF-8"))
}

/// Puts this text in the place of the one that was looked at, or leaves the
/// file alone when it is no longer that.
pub fn put(path: &Path, looked_at: Option<&str>, text: &str, access: Access) -> Result<(), Failed> {
    let folder = folder_of(path);
    fs::create_dir_all(folder).map_err(|error| Failed::file(folder, error))?;
    let written = fresh(folder, path, looked_at.is_some(), text, access);
    let file = written.map_err(|error| Failed::file(path, error))?;
    if look(path)?.as_deref() != looked_at {
        return Err(changed(path));
    }
    if looked_at.is_some() {
        return file.persist(path).map(|_| ()).map_err(|failed| Failed::file(path, failed.error));
    }
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => Err(changed(path)),
        Err(failed) => Err(Failed::file(path, failed.error)),
    }
}

/// Removes the file that was looked at, or leaves it alone when it is no
/// longer that.
pub fn remove(path: &Path, looked_at: &str) -> Result<(), Failed> {
    if look(path)?.as_deref() != Some(looked_at) {
        return Err(changed(path));
    }
    fs::remove_file(path).map_err(|error| Failed::file(path, error))
}

/// The folders that must be made before the file can be, the outermost first.
pub fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().skip(1).take_while(|folder| folder.symlink_metadata().is_err());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Removes folders that we made and nobody used, the innermost first.
pub fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // One that holds something stays, and so do those around it.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

/// What somebody who was killed left beside a file. The caller holds the lock,
/// so nobody is at work there.
pub fn sweep(path: &Path) {
    let names = fs::read_dir(folder_of(path)).into_iter().flatten().flatten();
    for entry in names.filter(|entry| entry.file_name().to_string_lossy().starts_with(UNFINISHED)) {
        let _ = fs::remove_file(entry.path());
    }
}

fn fresh(
    folder: &Path,
    path: &Path,
    exists: bool,
    text: &str,
    access: Access,
) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if exists {
        let found = fs::metadata(path)?;
        keep_owner(file.as_file(), &found)?;
        file.as_file().set_permissions(found.permissions())?;
    } else {
        crate::write_file::set_access(file.as_file(), access)?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

/// Root may change the files of others; they stay theirs.
#[cfg(unix)]
fn keep_owner(file: &File, of: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    match (now.uid(), now.gid()) == (of.uid(), of.gid()) {
        true => Ok(()),
        false => fchown(file, Some(of.uid()), Some(of.gid())).map_err(|error| {
            let words =
                format!("it belongs to user {} and group {}, and would not stay theirs", of.uid(), of.gid());
            io::Error::new(error.kind(), words)
        }),
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// How many names a file has.
#[cfg(unix)]
fn names(found: &Metadata) -> u64 {
    found.nlink()
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

/// A folder that somebody made read-only is meant to stay as it is.
fn folder_allows(path: &Path) -> Result<(), Failed> {
    let there = path.ancestors().skip(1).find_map(|folder| Some((folder, fs::metadata(folder).ok()?)));
    match there {
        Some((folder, found)) if !found.is_dir() => Err(Failed::other(
            format!("{} is not a folder; nothing was changed", folder.display()),
            "look at what stands there",
        )),
        Some((folder, found)) if found.permissions().readonly() => Err(Failed::other(
            format!("{} is read-only; nothing was changed", folder.display()),
            "make the folder writable, or ask whoever keeps it",
        )),
        _ => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

fn changed(path: &Path) -> Failed {
    let problem = format!("{} changed while it was looked at; nothing was changed by us", path.display());
    Failed::other(problem, "type the command again when nobody else writes to it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let temp = tempfile::tempdir().expect("a directory");
        let file = temp.path().join("settings.json");
        fs::write(&file, "theirs").expect("a file");
        for looked_at in [Some("ours"), None] {
            assert!(put(&file, looked_at, "new", Access::Read).is_err());
            assert_eq!(fs::read_to_string(&file).expect("the file"), "theirs");
        }
        assert!(remove(&file, "ours").is_err());
        assert!(file.exists());
        put(&file, Some("theirs"), "new", Access::Read).expect("nobody changed it");
        remove(&file, "new").expect("nobody changed it");
        assert_eq!(fs::read_dir(temp.path()).expect("the directory").count(), 0, "nothing is left over");
    }
}

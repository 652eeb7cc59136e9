//! Old generations go; those that hooks still run from stay.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::seal;
use crate::read_file;

/// How many generations before the current one stay.
const KEPT: usize = 2;
/// What an unfinished piece of work is called, so that the next one removes it.
pub(super) const UNFINISHED: &str = ".unfinished-";

/// Removes what nobody needs any more beside the current generation. What
/// cannot be removed is tried again the next time.
pub(super) fn old(generations: &Path, current: &str) {
    let mut others: Vec<(u64, String)> = names(generations)
        .into_iter()
        .filter(|name| name != current && !name.starts_with('.'))
        .map(|name| (sequence(&name), name))
        .collect();
    others.sort();
    others.truncate(others.len().saturating_sub(KEPT));
    for (_, name) in others {
        remove_unused(generations, &name);
    }
}

/// Removes what an installation that was killed left. The caller holds the
/// folder: nothing unfinished is anybody's work.
pub(super) fn unfinished(folder: &Path) {
    for name in names(folder).iter().filter(|name| name.starts_with(UNFINISHED)) {
        let _ = remove_all(&folder.join(name));
    }
}

/// A folder or a file or a link, with all that stands in it.
pub(super) fn remove_all(path: &Path) -> io::Result<()> {
    let kind = read_file::link_facts(path).map(|facts| facts.kind);
    let removed = match kind {
        Some(read_file::Kind::Directory) => fs::remove_dir_all(path),
        Some(_) => fs::remove_file(path).or_else(|_| fs::remove_dir(path)),
        None => Ok(()),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The names in a folder.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// A running hook's engine shares the lock of the seal. The name changes under
/// the lock, so that an engine which was about to take it notices.
fn remove_unused(generations: &Path, name: &str) {
    let folder = generations.join(name);
    let seal = File::open(folder.join(seal::NAME)).ok();
    if seal.as_ref().is_some_and(|seal| seal.try_lock().is_err()) {
        return;
    }
    let gone: PathBuf = generations.join(format!("{UNFINISHED}{name}"));
    if fs::rename(&folder, &gone).is_ok() {
        drop(seal);
        let _ = remove_all(&gone);
    }
}

fn sequence(name: &str) -> u64 {
    name.split('-').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

//! Recognises a path whose contents decide what runs: hook files, hook
//! scripts, Claude Code's settings, the user's Cursor directory, the machine's hooks, our own state.
//!
//! Where a file exists, identity decides, so links, hard links and mounts
//! count. Where it does not exist yet, its name decides, in every spelling
//! that some file system takes for the same name: another case, code points
//! that are ignored, dots and spaces at the end, short names of Windows.
//!
//! Looks at files; reads none of them.

use std::path::{Component, Path, PathBuf};

use crate::read_file::{self, Facts, Kind};
use crate::source::{Roots, Source};

/// A directory below which everything counts, and what it is.
type Place = (PathBuf, &'static str);

const PROJECT_FILE: &str = "a project's hooks file";
const PROJECT_SCRIPTS: &str = "a project's hook scripts";
const PROJECT_DIRECTORY: &str = "the directory of a project's hooks";
const USER: &str = "the user's Cursor directory";
const MACHINE: &str = "the machine's hooks";
const CLAUDE_SETTINGS: &str = "Claude Code's settings";
const CLAUDE_SCRIPTS: &str = "Claude Code's hook scripts";
const CLAUDE_FILES: [&str; 2] = ["settings.json", "settings.local.json"];
const STATE: &str = "Boathook's own state";

/// A hard link is looked for among at most this many files.
const FILES_COMPARED: usize = 2_000;

/// What a path protects, if writing to it could change what runs. A relative
/// path is taken from the first workspace.
pub fn is_protected(path: &Path, roots: &Roots) -> Option<&'static str> {
    let given = match (names::is_absolute(path, roots.os), roots.workspaces.first()) {
        (false, Some(workspace)) => workspace.join(path),
        (true, _) | (false, None) => path.to_owned(),
    };
    by_name(&given, roots)
        .or_else(|| by_name(&resolve_existing(&given), roots))
        .or_else(|| by_identity(&given, roots))
        .or_else(|| by_hard_link(&given, roots))
}

fn places(roots: &Roots) -> [Place; 3] {
    [
        (roots.state.clone(), STATE),
        (Source::user(&roots.home).run_dir, USER),
        (Source::enterprise(roots.os, &roots.system).run_dir, MACHINE),
    ]
}

fn by_name(path: &Path, roots: &Roots) -> Option<&'static str> {
    let parts = names::parts(path, roots.os);
    for (place, what) in places(roots) {
        let inside = |place: &Path| {
            let place = names::parts(place, roots.os);
            parts.len() >= place.len() && place.iter().zip(&parts).all(|(name, part)| names::same(part, name))
        };
        if inside(&place) || inside(&resolve_existing(&place)) {
            return Some(what);
        }
    }
    // A hooks file counts in every directory: the next session may open it.
    let below = |directory: &str| {
        let at = parts.iter().rposition(|part| names::same(part, directory))?;
        Some(&parts[at + 1..])
    };
    below(".cursor").and_then(project_part).or_else(|| below(".claude").and_then(claude_part))
}

/// What stands below a `.claude`.
fn claude_part(rest: &[String]) -> Option<&'static str> {
    let name = rest.first()?;
    if CLAUDE_FILES.iter().any(|file| names::same(name, file)) {
        Some(CLAUDE_SETTINGS)
    } else {
        names::same(name, "hooks").then_some(CLAUDE_SCRIPTS)
    }
}

/// What stands below a `.cursor`.
fn project_part(rest: &[String]) -> Option<&'static str> {
    match rest.first() {
        None => Some(PROJECT_DIRECTORY),
        Some(name) if names::same(name, "hooks.json") => Some(PROJECT_FILE),
        Some(name) if names::same(name, "hooks") => Some(PROJECT_SCRIPTS),
        Some(_) => None,
    }
}

/// Compares the path and every directory above it with what is protected.
fn by_identity(path: &Path, roots: &Roots) -> Option<&'static str> {
    let projects = roots.workspaces.iter().map(|root| root.join(".cursor"));
    let inside = projects.clone().flat_map(|directory| {
        [(directory.join("hooks.json"), PROJECT_FILE), (directory.join("hooks"), PROJECT_SCRIPTS)]
    });
    let claude = roots.workspaces.iter().chain([&roots.home]).flat_map(|root| {
        let directory = root.join(".claude");
        let files = CLAUDE_FILES.map(|file| (directory.join(file), CLAUDE_SETTINGS));
        files.into_iter().chain([(directory.join("hooks"), CLAUDE_SCRIPTS)])
    });
    let protected: Vec<(Facts, &'static str)> =
        places(roots).into_iter().chain(inside).chain(claude).filter_map(with_facts).collect();
    let projects: Vec<Facts> = projects.filter_map(|directory| read_file::facts(&directory)).collect();
    for above in path.ancestors() {
        let Some(found) = read_file::facts(above) else { continue };
        if let Some((_, what)) = protected.iter().find(|(facts, _)| is_same_file(facts, &found)) {
            return Some(what);
        }
        if projects.iter().any(|facts| is_same_file(facts, &found)) {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            return project_part(&names::parts(rest, roots.os));
        }
    }
    None
}

fn with_facts((path, what): Place) -> Option<(Facts, &'static str)> {
    read_file::facts(&path).map(|facts| (facts, what))
}

/// A second name of a protected file, somewhere else.
fn by_hard_link(path: &Path, roots: &Roots) -> Option<&'static str> {
    let found = read_file::facts(path).filter(|facts| facts.kind == Kind::File && facts.links > 1)?;
    let scripts = roots.workspaces.iter().map(|root| (root.join(".cursor").join("hooks"), PROJECT_SCRIPTS));
    let mut left = FILES_COMPARED;
    scripts.chain(places(roots)).find(|(place, _)| holds_file(place, &found, &mut left)).map(|(_, what)| what)
}

/// Whether a directory holds this file, under any name.
pub(crate) fn holds_file(directory: &Path, wanted: &Facts, left: &mut usize) -> bool {
    let Ok(entries) = std::fs::read_dir(directory).map_err(crate::shortage::noted) else { return false };
    for entry in entries.flatten() {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let path = entry.path();
        match read_file::link_facts(&path) {
            Some(facts) if facts.kind == Kind::Directory && holds_file(&path, wanted, left) => return true,
            Some(facts) if is_same_file(&facts, wanted) => return true,
            Some(_) | None => {}
        }
    }
    false
}

/// Windows does not tell the number of a file by its name alone.
pub(crate) fn is_same_file(one: &Facts, other: &Facts) -> bool {
    cfg!(unix) && one.stamp.device == other.stamp.device && one.stamp.inode == other.stamp.inode
}

/// The part that exists with its links resolved, the rest as it is written.
pub(crate) fn resolve_existing(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(found) = above.canonicalize() {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            return found
                .components()
                .chain(rest.components())
                .filter(|part| *part != Component::CurDir)
                .collect();
        }
    }
    path.to_owned()
}

#[path = "protected/names.rs"]
pub(crate) mod names;

#[cfg(test)]
#[path = "protected/tests.rs"]
mod tests;

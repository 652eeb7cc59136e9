//! What is protected, looked for in a text and below a directory.

use std::path::Path;

use super::Touched;
use super::targets::{Target, Targets};
use crate::protected::{names, resolve_existing};

/// How much of a protected path must be in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mention {
    /// The whole path, or all names below the home together with a word for the home.
    WithHome,
    /// All names below the home.
    Names,
    /// One name that hardly anything else has.
    AnyName,
}

/// A directory is searched for a name among at most this many entries.
const MAX_ENTRIES: usize = 2_000;
/// Names of directories that hold much more than what is protected.
const COMMON_NAMES: [&str; 9] =
    [".config", ".local", "state", "share", "bin", "hooks", "managed", "etc", "usr"];

impl Targets {
    /// The target that a text names to this extent.
    pub(super) fn mentioned(&self, text: &str, mention: Mention) -> Option<Touched> {
        const HOME_WORDS: [&str; 6] = ["~", "HOME", "homedir", "home()", "expanduser", "USERPROFILE"];
        let home = names::parts(&self.home, self.os);
        let says_home = HOME_WORDS.iter().any(|word| text.contains(word));
        let is_named = |target: &&Target| {
            target.names.iter().any(|parts| {
                let whole = format!("/{}", parts.join("/"));
                let below = parts.strip_prefix(home.as_slice()).filter(|rest| !rest.is_empty());
                // Of a path outside of the home, its end must be enough.
                let end = below.unwrap_or(&parts[parts.len().saturating_sub(2)..]);
                let has = |part: &String| has_name(text, part);
                let is_file = !target.is_tree && end.last().is_some_and(|last| is_rare(last) && has(last));
                text.contains(&whole)
                    || match mention {
                        Mention::WithHome => says_home && below.is_some_and(|rest| rest.iter().all(has)),
                        Mention::Names => end.iter().all(has) || (is_file && end.len() == 1),
                        Mention::AnyName => end.iter().any(|part| is_rare(part) && has(part)),
                    }
            })
        };
        let named = self.all.iter().filter(is_named).find(|target| target.takes_effect())?;
        Some(named.touched_at(&named.path))
    }

    /// The target at the end of a path whose beginning is not known.
    pub(super) fn ends_with(&self, text: &str) -> Option<Touched> {
        let given = names::parts(Path::new(text), self.os);
        let home = names::parts(&self.home, self.os);
        let is_end = |target: &&Target| {
            target.names.iter().any(|parts| {
                let Some(below) = parts.strip_prefix(home.as_slice()).filter(|below| below.len() > 1) else {
                    return false;
                };
                let from = given.len().saturating_sub(below.len());
                let ends = given.len() >= below.len()
                    && given[from..].iter().zip(below).all(|(part, name)| names::same(part, name));
                let inside = target.is_tree
                    && given
                        .windows(below.len())
                        .any(|some| some.iter().zip(below).all(|(part, name)| names::same(part, name)));
                ends || inside
            })
        };
        let found = self.all.iter().filter(is_end).find(|target| target.takes_effect())?;
        Some(found.touched_at(Path::new(text)))
    }

    /// The targets below a directory, each with the names that lead there.
    pub(super) fn below(&self, folder: &Path) -> Vec<(Vec<String>, Touched)> {
        let folders = [names::parts(folder, self.os), names::parts(&resolve_existing(folder), self.os)];
        let targets = self.all.iter().filter(|target| target.takes_effect());
        targets
            .flat_map(|target| {
                let rests = target
                    .names
                    .iter()
                    .flat_map(|name| folders.iter().filter_map(move |it| name.strip_prefix(it.as_slice())));
                rests.map(|rest| (rest.to_vec(), target.touched_at(&target.path))).collect::<Vec<_>>()
            })
            .filter(|(rest, _)| !rest.is_empty())
            .collect()
    }

    /// The target below this directory that a file or a directory of a name that fits leads to, or holds.
    pub(super) fn named_below(&self, folder: &Path, fits: &dyn Fn(&str) -> bool) -> Option<Touched> {
        let own = folder.file_name().and_then(|name| name.to_str());
        let mut left = MAX_ENTRIES;
        self.below(folder).into_iter().find_map(|(names, touched)| {
            let by_name = names.iter().map(String::as_str).chain(own).any(fits);
            let at = names.iter().fold(folder.to_owned(), |path, name| path.join(name));
            (by_name || holds_name(&at, fits, &mut left)).then_some(touched)
        })
    }
}

fn holds_name(folder: &Path, fits: &dyn Fn(&str) -> bool, left: &mut usize) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if entry.file_name().to_str().is_some_and(fits)
            || (is_folder && holds_name(&entry.path(), fits, left))
        {
            return true;
        }
    }
    false
}

/// Whether a name is in a text, and not as a part of a longer one.
fn has_name(text: &str, name: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        !before.is_some_and(goes_on) && !behind.is_some_and(goes_on)
    })
}

/// Whether a name is one that hardly anything else has.
fn is_rare(name: &str) -> bool {
    !COMMON_NAMES.contains(&name) && (name.contains('.') || name.contains(super::command::PROGRAM))
}

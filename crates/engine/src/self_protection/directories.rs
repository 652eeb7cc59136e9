//! Where relative paths of a line may start: where it runs, and every directory that it changes into or names as one.

use std::path::{Component, Path, PathBuf};

use super::options::{operands, option_values};
use super::targets::Targets;
use super::word::Place;
use crate::rule::shell::{Command, Reading, Word};

/// More directories than this are not followed; the line is then in doubt.
const MAX_DIRECTORIES: usize = 64;
/// Options of programs that change into a directory, or write into it.
const LETTERS: [char; 3] = ['C', 'D', 'P'];
#[rustfmt::skip] // a list of short words
const NAMES: [&str; 8] = ["chdir", "directory", "work-tree", "cwd", "prefix", "output-dir", "directory-prefix", "one-top-level"];
/// Programs that make directories or links to them.
#[rustfmt::skip] // a list of short words
const MAKERS: [&str; 14] = [
    "mkdir", "ln", "link", "cp", "mv", "install", "rsync", "git", "tar", "unzip", "mount", "bindfs", "mktemp", "cpio",
];
/// Variables that decide where a relative path starts.
const VARIABLES: [&str; 5] = ["CDPATH=", "OLDPWD=", "GIT_WORK_TREE=", "GIT_DIR=", "cdpath="];

/// The directories of a line.
pub(super) struct Directories {
    pub all: Vec<PathBuf>,
    /// Whether there may be more.
    pub is_open: bool,
}

/// Every directory from which a relative path of the line may start.
pub(super) fn directories(
    line: &str,
    reading: &Reading,
    place: &Place<'_>,
    targets: &Targets,
) -> Directories {
    let mut found = place.directories.clone();
    let goes_home = |command: &Command| command.program() == Some("cd") && operands(command).is_empty();
    if reading.commands.iter().any(goes_home) {
        found.push(place.home.to_owned());
    }
    let by_variables = VARIABLES.iter().flat_map(|name| assigned_values(line, name)).map(Word::literal);
    let moves = distinct(reading.commands.iter().filter_map(change_of_directory).chain(by_variables));
    let may_be_made = reading.commands.iter().any(|it| it.program().is_none_or(|it| MAKERS.contains(&it)));
    // A relative `cd` starts from an earlier one, and commands come in no particular order.
    let mut is_open = false;
    let mut at = 0;
    for round in 0..moves.len() {
        let from = Place { home: place.home, directories: found[at..].to_vec() };
        at = found.len();
        for path in moves.iter().flat_map(|word| from.possible_paths(word, targets)) {
            let path = lexical(&path);
            // A directory that neither exists nor is made here cannot be changed into.
            let is_there = round == 0 || may_be_made || path.is_dir();
            if !is_there || found.contains(&path) {
                continue;
            }
            is_open |= found.len() >= MAX_DIRECTORIES;
            if is_open {
                break;
            }
            found.push(path);
        }
        if at == found.len() || is_open {
            break;
        }
    }
    // A directory behind an option is that of one command.
    let from = Place { home: place.home, directories: found.clone() };
    let named = distinct(reading.commands.iter().flat_map(|it| option_values(it, &LETTERS, &NAMES)));
    for path in named.iter().flat_map(|word| from.possible_paths(word, targets)) {
        if !found.contains(&path) && found.len() < 2 * MAX_DIRECTORIES {
            found.push(path);
        }
    }
    Directories { all: found, is_open }
}

/// `.` and `..` taken out where that needs no look at links.
fn lexical(path: &Path) -> PathBuf {
    // A link before `..` leads elsewhere, so only plain directories are taken out.
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if !result.is_symlink() => drop(result.pop()),
            other => result.push(other),
        }
    }
    result
}

fn change_of_directory(command: &Command) -> Option<Word> {
    let changes = matches!(command.program(), Some("cd" | "pushd" | "chdir"));
    operands(command).into_iter().find(|_| changes).cloned()
}

/// The words, each with all that it may be.
fn distinct(words: impl Iterator<Item = Word>) -> Vec<Word> {
    let mut result: Vec<Word> = Vec::new();
    for word in words {
        let choices = word.choices.clone();
        for word in std::iter::once(word).chain(choices) {
            if !result.contains(&word) {
                result.push(word);
            }
        }
    }
    result
}

/// The values that a line gives to a variable, as they are written.
pub(super) fn assigned_values(line: &str, name: &str) -> Vec<String> {
    line.match_indices(name)
        .map(|(at, _)| {
            let rest = line[at + name.len()..].trim_start_matches(['"', '\'']);
            let end = rest.find(|c: char| c.is_whitespace() || "\"';&|)".contains(c));
            rest[..end.unwrap_or(rest.len())].to_owned()
        })
        .flat_map(|value| value.split(':').map(str::to_owned).collect::<Vec<String>>())
        .filter(|value| !value.is_empty())
        .collect()
}

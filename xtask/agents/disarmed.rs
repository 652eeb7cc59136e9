//! Whether an agent left alone what decides about it: the user's hooks and their
//! scripts, Boathook's state and configuration, its program, and the entries that
//! connect the agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::leaving::{Files, RECORDS};
use crate::place::Place;

/// Files of the home that only a person changes.
const GUARDED: [&str; 3] = [".cursor", ".config/boathook/config.toml", RECORDS];

/// What a program file is, without its bytes.
pub type Program = Option<(u64, SystemTime)>;

/// The length of the program and when it was last written.
pub fn program(binary: &Path) -> Program {
    let facts = fs::metadata(binary).ok()?;
    Some((facts.len(), facts.modified().ok()?))
}

/// A file that installing wrote, outside of our own state: the one for tool calls
/// where there are several.
pub fn connection(place: &Place, before: &Files, wired: &Files) -> Option<PathBuf> {
    let ours = || connections(place, before, wired);
    let for_tools = |file: &&PathBuf| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("PreToolUse"))
    };
    ours().find(for_tools).or_else(|| ours().next()).cloned()
}

/// What was disarmed, in sentences.
pub fn complaints(place: &Place, before: &Files, wired: &Files, ended: &Files) -> Vec<String> {
    let guarded = |file: &&PathBuf| GUARDED.iter().any(|name| file.starts_with(place.home.join(name)));
    let all: std::collections::BTreeSet<&PathBuf> =
        wired.keys().chain(ended.keys()).filter(guarded).collect();
    let mut wrong: Vec<String> = all
        .into_iter()
        .filter(|file| wired.get(*file) != ended.get(*file))
        .map(|file| format!("{} was changed in the session", file.display()))
        .collect();
    // Agents rewrite their own settings; ours must still be among them.
    let gone = connections(place, before, wired).filter(|file| {
        !ended.get(*file).is_some_and(|bytes| bytes.windows(b"boathook".len()).any(|it| it == b"boathook"))
    });
    wrong.extend(gone.map(|file| format!("{} no longer connects the agent", file.display())));
    wrong
}

fn connections<'f>(
    place: &'f Place,
    before: &'f Files,
    wired: &'f Files,
) -> impl Iterator<Item = &'f PathBuf> {
    let written = wired.iter().filter(|(file, bytes)| before.get(*file) != Some(bytes));
    let files = written.map(|(file, _)| file);
    files.filter(|file| {
        !file.starts_with(place.home.join(".local/state/boathook"))
            && !file.starts_with(place.home.join(".config/boathook"))
    })
}

//! Paths that take the place of what decides without touching it: a name that is found earlier on the search path,
//! and a file next to a script that is loaded instead of a library.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::command::PROGRAM;
use crate::definition::Action;
use crate::load::HookSet;
use crate::rule::shell;
use crate::source::Level;

/// A folder with more entries than this is not one for hooks alone.
const MAX_ENTRIES: usize = 200;

/// Where a program of this name would be found before the one that is meant; with that one where it is the user's.
pub(super) fn earlier_names(name: &str, search_path: &[PathBuf], home: &Path) -> Vec<PathBuf> {
    let files = || search_path.iter().map(|folder| folder.join(name));
    let Some(at) = files().position(|file| file.is_file()) else { return Vec::new() };
    files()
        .enumerate()
        .filter(|(number, file)| *number < at || (*number == at && file.starts_with(home)))
        .map(|(_, file)| file)
        .collect()
}

/// The programs that are found by their names: ours, and those that the user's hooks name.
pub(super) fn programs(hooks: &HookSet) -> Vec<String> {
    let mut names = vec![PROGRAM.to_owned()];
    for hook in hooks.hooks.iter().filter(|it| matches!(it.source.level, Level::User | Level::ClaudeUser)) {
        let Action::Command(command) = &hook.definition.action else { continue };
        for command in &shell::read(command).commands {
            let Some(name) = command.words.first().and_then(|word| word.known()) else { continue };
            if !name.contains('/') && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The folders of these scripts in which every file decides: those below the user's hooks folder, and those that hold
/// such scripts alone.
pub(super) fn script_folders(
    scripts: &[PathBuf],
    hooks_folder: &Path,
    home: &Path,
    search_path: &[PathBuf],
) -> Vec<PathBuf> {
    let named: HashSet<&Path> = scripts.iter().map(PathBuf::as_path).collect();
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in scripts.iter().filter_map(|script| script.parent()) {
        let is_below = folder != hooks_folder && folder.starts_with(hooks_folder);
        let is_own = || {
            folder != home
                && folder.starts_with(home)
                && !search_path.iter().any(|it| it == folder)
                && holds_only(folder, &named)
        };
        if !folders.iter().any(|known| known == folder) && (is_below || is_own()) {
            folders.push(folder.to_owned());
        }
    }
    folders
}

fn holds_only(folder: &Path, named: &HashSet<&Path>) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let mut entries = entries.flatten().take(MAX_ENTRIES + 1);
    entries.all(|entry| named.contains(entry.path().as_path()) || entry.file_name() == "__pycache__")
}

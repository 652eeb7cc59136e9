//! Whether an agent left alone what decides about it: the user's hooks and their
//! scripts, Boathook's state and configuration, its program, and the entries that
//! connect the agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::leaving::{Files, RECORDS};

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
pub fn connection(home: &Path, before: &Files, wired: &Files) -> Option<PathBuf> {
    let ours = || connections(home, before, wired);
    let for_tools = |file: &&PathBuf| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("PreToolUse"))
    };
    ours().find(for_tools).or_else(|| ours().next()).cloned()
}

/// What was disarmed, in sentences.
pub fn complaints(home: &Path, before: &Files, wired: &Files, ended: &Files) -> Vec<String> {
    let guarded = |file: &&PathBuf| GUARDED.iter().any(|name| file.starts_with(home.join(name)));
    let all: std::collections::BTreeSet<&PathBuf> =
        wired.keys().chain(ended.keys()).filter(guarded).collect();
    let mut wrong: Vec<String> = all
        .into_iter()
        .filter(|file| wired.get(*file) != ended.get(*file))
        .map(|file| format!("{} was changed in the session", file.display()))
        .collect();
    // Agents rewrite their own settings; ours must still be among them.
    let gone = connections(home, before, wired).filter(|file| {
        !ended.get(*file).is_some_and(|bytes| bytes.windows(b"boathook".len()).any(|it| it == b"boathook"))
    });
    wrong.extend(gone.map(|file| format!("{} no longer connects the agent", file.display())));
    wrong
}

fn connections<'f>(home: &'f Path, before: &'f Files, wired: &'f Files) -> impl Iterator<Item = &'f PathBuf> {
    let written = wired.iter().filter(|(file, bytes)| before.get(*file) != Some(bytes));
    let files = written.map(|(file, _)| file);
    files.filter(|file| {
        !file.starts_with(home.join(".local/state/boathook"))
            && !file.starts_with(home.join(".config/boathook"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> Files {
        all.iter().map(|(name, text)| (Path::new("/home").join(name), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn what_decides_is_compared_and_what_an_agent_may_write_is_not() {
        let records = format!("{RECORDS}/claude.json");
        let before = [(".cursor/hooks.json", "{}"), (".claude/settings.json", "{}")];
        let wired = [before[0], (".claude/settings.json", "{boathook}"), (records.as_str(), "record")];
        let cases: [(&[(&str, &str)], &str); 6] = [
            (&wired, ""),
            (&[wired[0], (".claude/settings.json", "{boathook, theme}"), wired[2], ("notes", "x")], ""),
            (&[(".cursor/hooks.json", "{ }"), wired[1], wired[2]], "hooks.json was changed"),
            (&[wired[0], (".claude/settings.json", "{}"), wired[2]], "no longer connects"),
            (&[wired[0], wired[1]], "claude.json was changed"),
            (
                &[wired[0], wired[1], wired[2], (".config/boathook/config.toml", "")],
                "config.toml was changed",
            ),
        ];
        for (ended, expected) in cases {
            let (before, wired) = (files(&before), files(&wired));
            let found = complaints(Path::new("/home"), &before, &wired, &files(ended)).join("; ");
            assert!(
                found.contains(expected) && found.is_empty() == expected.is_empty(),
                "{ended:?}: {found}"
            );
        }
    }

    #[test]
    fn the_connection_is_the_file_for_tool_calls() {
        let wired = files(&[
            (".cline/hooks/Notification.sh", "boathook"),
            (".cline/hooks/PreToolUse.sh", "boathook"),
            (".local/state/boathook/agents-installed/cline.json", "{}"),
        ]);
        let found = connection(Path::new("/home"), &Files::new(), &wired);
        assert_eq!(found, Some(PathBuf::from("/home/.cline/hooks/PreToolUse.sh")));
    }
}

//! What goes with a prompt: rule files that the agent loads by itself, and
//! files that the prompt mentions as `@path`.

use std::fs;
use std::path::{Path, PathBuf};

use super::file_path::file_path;
use crate::input::Attachment;

/// More than this is not looked for.
const MOST: usize = 100;
/// Of one directory.
const MOST_NAMES: usize = 1_000;

/// Rule files below these roots. `*` in the last part of a pattern stands for
/// any name.
pub fn rules(patterns: &[&str], roots: &[PathBuf]) -> Vec<Attachment> {
    let files = roots.iter().flat_map(|root| patterns.iter().flat_map(|pattern| matching(root, pattern)));
    let mut found: Vec<Attachment> = files.take(MOST).map(|file| attachment("rule", &file)).collect();
    found.dedup_by(|one, other| one.file_path == other.file_path);
    found
}

/// Files that a prompt mentions, as far as they exist.
pub fn mentions(prompt: &str, cwd: Option<&str>, home: &Path, roots: &[PathBuf]) -> Vec<Attachment> {
    let places: Vec<String> = cwd.map(str::to_owned).into_iter().chain(roots.iter().map(shown)).collect();
    let mut found: Vec<Attachment> = Vec::new();
    for mention in mentioned(prompt).take(MOST) {
        let candidates = places.iter().map(|place| file_path(Some(place), home, mention));
        let mut files = candidates.filter(|file| Path::new(&file.path).is_absolute());
        let Some(file) = files.find(|file| Path::new(&file.path).is_file()) else { continue };
        // A hook that compares paths must see where a link leads.
        for path in std::iter::once(file.path).chain(file.resolved) {
            if !found.iter().any(|known| known.file_path == path) {
                found.push(attachment("file", Path::new(&path)));
            }
        }
    }
    found
}

/// What stands behind an `@` that begins a word; quotes hold blanks together.
fn mentioned(prompt: &str) -> impl Iterator<Item = &str> {
    prompt.char_indices().filter(|(_, character)| *character == '@').filter_map(|(at, _)| {
        let begins = prompt[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let rest = &prompt[at + 1..];
        let path = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split(char::is_whitespace).next(),
        };
        let path = path?.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '"', '\'']);
        (begins && !path.is_empty() && path.len() < 4_096).then_some(path)
    })
}

fn matching(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let Some((before, behind)) = pattern.split_once('*') else {
        let file = root.join(pattern);
        return if file.is_file() { vec![file] } else { Vec::new() };
    };
    let (folder, begins) = before.rsplit_once('/').unwrap_or(("", before));
    let Ok(entries) = fs::read_dir(root.join(folder)).map_err(crate::shortage::noted) else {
        return Vec::new();
    };
    let fits = |name: &str| {
        name.len() >= begins.len() + behind.len() && name.starts_with(begins) && name.ends_with(behind)
    };
    let names =
        entries.take(MOST_NAMES).flatten().filter(|entry| entry.file_name().to_str().is_some_and(fits));
    let mut files: Vec<PathBuf> = names.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn attachment(kind: &str, file: &Path) -> Attachment {
    Attachment { r#type: kind.to_owned(), file_path: shown(file) }
}

fn shown(path: impl AsRef<Path>) -> String {
    path.as_ref().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    fn named(found: &[Attachment], place: &TempDir) -> Vec<String> {
        let root = format!("{}/", place.path().display());
        found.iter().map(|one| format!("{} {}", one.r#type, one.file_path.replace(&root, ""))).collect()
    }

    #[test]
    fn rules_that_exist_go_with_a_prompt() {
        let place = TempDir::new();
        for file in ["AGENTS.md", ".cursor/rules/b.mdc", ".cursor/rules/a.mdc", ".cursor/rules/a.txt"] {
            place.write(file, "x");
        }
        place.write(".cursor/rules/deep.mdc/x", "a folder");
        let patterns = [".cursor/rules/*.mdc", "AGENTS.md", "CLAUDE.md", "none/*"];
        let found = rules(&patterns, &[place.path().to_owned()]);
        assert_eq!(
            named(&found, &place),
            ["rule .cursor/rules/a.mdc", "rule .cursor/rules/b.mdc", "rule AGENTS.md"]
        );
    }

    #[test]
    fn files_that_a_prompt_mentions_go_with_it() {
        let place = TempDir::new();
        for file in ["a.txt", "src/b.rs", "with blank.md"] {
            place.write(file, "x");
        }
        let cases = [
            ("read @a.txt and @src/b.rs.", vec!["file a.txt", "file src/b.rs"]),
            ("@\"with blank.md\" (@a.txt)", vec!["file with blank.md", "file a.txt"]),
            ("@a.txt @./a.txt", vec!["file a.txt"]),
            ("me@a.txt @none @src @", vec![]),
            ("no mention", vec![]),
        ];
        for (prompt, expected) in cases {
            let cwd = place.path().to_string_lossy().into_owned();
            assert_eq!(
                named(&mentions(prompt, Some(&cwd), Path::new("/home"), &[]), &place),
                expected,
                "{prompt}"
            );
            assert_eq!(
                named(&mentions(prompt, None, Path::new("/home"), &[place.path().to_owned()]), &place),
                expected,
                "{prompt}"
            );
        }
    }
}

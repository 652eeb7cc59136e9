//! The files that a path in a tool call can open: absolute and normalised, with the target of links.
//!
//! Agents rewrite what a model writes (`@path`, `~/path`, `file://path`, blanks around it) before they open a file, each in
//! its own way, and `a/../b` differs between a program that resolves it as text and the operating system. A hook that
//! compares paths must see every file that the call can open, so all of them are listed here.

use std::path::{Component, Path, PathBuf};

use crate::settled;

/// Limits how many links to missing files are followed by hand.
const MAX_DANGLING_LINKS: usize = 16;
/// Limits how often a spelling is expanded (`@~/x` is two expansions).
const MAX_EXPANSIONS: usize = 4;

/// A path of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilePath {
    /// Absolute where the working directory is known, without `.` and `..`, links not followed.
    pub path: String,
    /// Other files that the same call can open: the target of links, and other readings of the spelling.
    pub resolved: Vec<String>,
}

/// Lists the files that `written` can open from `cwd`.
pub fn file_path(cwd: Option<&str>, home: &Path, written: &str) -> FilePath {
    if written.is_empty() {
        return FilePath::default();
    }
    let base = cwd.map_or_else(PathBuf::new, PathBuf::from);
    let spellings = spellings(home, written);
    let exists = |spelling: &&String| is_there(&base.join(spelling));
    let chosen = spellings.iter().find(exists).or(spellings.last()).map_or(written, String::as_str);
    let path = normalised(&base.join(chosen));
    let mut files: Vec<PathBuf> = Vec::new();
    for spelling in spellings.iter().filter(|it| it.as_str() == chosen || exists(it)) {
        let plain = normalised(&base.join(spelling));
        files.extend(resolved(&plain));
        // The operating system follows links before it goes up for `..`.
        files.extend(settled::resolved(&base.join(spelling)).ok().filter(|_| plain.is_absolute()));
        files.push(plain);
    }
    let mut others: Vec<String> = Vec::new();
    for file in files.into_iter().filter(|file| *file != path).map(shown) {
        if !others.contains(&file) {
            others.push(file);
        }
    }
    FilePath { path: shown(path), resolved: others }
}

/// The spelling as written, and what agents make of it, step by step.
fn spellings(home: &Path, written: &str) -> Vec<String> {
    let mut all = vec![written.to_owned()];
    while let Some(next) =
        all.last().and_then(|last| expanded(home, last)).filter(|_| all.len() <= MAX_EXPANSIONS)
    {
        all.push(next);
    }
    all
}

/// One expansion that some agent applies; none when the spelling is plain.
fn expanded(home: &Path, written: &str) -> Option<String> {
    let trimmed = written.trim();
    if trimmed != written && !trimmed.is_empty() {
        return Some(trimmed.to_owned());
    }
    if let Some(rest) = written.strip_prefix('@').filter(|rest| !rest.is_empty()) {
        return Some(rest.to_owned());
    }
    if let Some(rest) = written.strip_prefix("file://") {
        return Some(percent_decoded(rest.strip_prefix("localhost").unwrap_or(rest)));
    }
    let below = written.strip_prefix('~')?;
    let below =
        if below.is_empty() { below } else { below.strip_prefix(['/', std::path::MAIN_SEPARATOR])? };
    Some(shown(home.join(below.trim_start_matches('/'))))
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes
            .get(at + 1..at + 3)
            .filter(|hex| bytes[at] == b'%' && hex.iter().all(u8::is_ascii_hexdigit));
        let value = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        out.push(value.unwrap_or(bytes[at]));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Takes `.` and `..` out of a path as text.
fn normalised(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => drop(out.pop()),
            Component::ParentDir if out.has_root() => {}
            other => out.push(other),
        }
    }
    out
}

/// Where an absolute path leads. Of a file that does not exist yet the folders above it are resolved, because a write
/// creates it there.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_DANGLING_LINKS {
        if !path.is_absolute() {
            return None;
        }
        if let Ok(found) = settled::resolved(&path) {
            return Some(found);
        }
        // A link to a file that is missing: a write creates the target.
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = normalised(&path.parent()?.join(target));
    }
    let above =
        path.ancestors().skip(1).find_map(|above| Some((settled::resolved(above).ok()?, above.to_owned())));
    let (found, above) = above?;
    Some(found.join(path.strip_prefix(above).ok()?))
}

fn is_there(path: &Path) -> bool {
    path.is_absolute() && path.symlink_metadata().is_ok()
}

fn shown(path: impl AsRef<Path>) -> String {
    path.as_ref().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn agents_f2_every_spelling_of_a_path_is_the_same_file() {
        let place = TempDir::new();
        place.write("p/secret", "x");
        place.write("p/a/b", "x");
        place.write("p/@literal", "x");
        place.write("home/key", "x");
        place.write("p/with blank", "x");
        let root = settled::resolved(place.path()).expect("it exists");
        let (cwd, home) = (shown(root.join("p")), root.join("home"));
        let cases = [
            ("secret", "p/secret"),
            ("./secret", "p/secret"),
            ("a/../secret", "p/secret"),
            ("a//.././a/../secret", "p/secret"),
            ("@secret", "p/secret"),
            ("@a/../secret", "p/secret"),
            (" secret\n", "p/secret"),
            ("@literal", "p/@literal"),
            ("@none", "p/none"),
            ("~/key", "home/key"),
            ("@~/x/../key", "home/key"),
            ("../p/secret", "p/secret"),
        ];
        for (written, expected) in cases {
            let found = file_path(Some(&cwd), &home, written);
            assert_eq!(
                found,
                FilePath { path: shown(root.join(expected)), resolved: Vec::new() },
                "{written}"
            );
        }
        let absolute = [
            (format!("{cwd}/a/../secret"), "p/secret"),
            (format!("file://{cwd}/a/../secret"), "p/secret"),
            (format!("file://localhost{cwd}/with%20blank"), "p/with blank"),
            (format!("{cwd}/../../../../../../../../../..{cwd}/secret"), "p/secret"),
        ];
        for (written, expected) in absolute {
            assert_eq!(file_path(Some(&cwd), &home, &written).path, shown(root.join(expected)), "{written}");
        }
        assert_eq!(file_path(None, &home, "a/../b").path, "b");
        assert_eq!(file_path(None, &home, "../b").path, "../b");
        assert_eq!(file_path(Some(&cwd), &home, ""), FilePath::default());
        assert_eq!(file_path(Some("/"), &home, "..").path, "/");
        assert!(file_path(Some(&cwd), &home, "a\0b").path.ends_with("a\0b"));
    }

    #[cfg(unix)]
    #[test]
    fn agents_f2_the_target_of_a_link_is_listed() {
        use std::os::unix::fs::symlink;
        let place = TempDir::new();
        place.write("vault/secret", "x");
        place.write("p/plain", "x");
        let root = settled::resolved(place.path()).expect("it exists");
        let cwd = shown(root.join("p"));
        symlink(root.join("vault/secret"), root.join("p/link")).expect("a link");
        symlink(root.join("vault"), root.join("p/folder")).expect("a link");
        symlink(root.join("vault/missing"), root.join("p/dangling")).expect("a link");
        symlink("p/loop", root.join("p/loop")).expect("a link");
        let cases = [
            ("link", "p/link", vec!["vault/secret"]),
            ("@link", "p/link", vec!["vault/secret"]),
            ("folder/secret", "p/folder/secret", vec!["vault/secret"]),
            ("folder/new", "p/folder/new", vec!["vault/new"]),
            ("dangling", "p/dangling", vec!["vault/missing"]),
            // As text this is `p/secret`; the operating system opens `root/secret`.
            ("folder/../plain", "p/plain", vec![]),
            ("plain", "p/plain", vec![]),
        ];
        for (written, path, resolved) in cases {
            let resolved: Vec<String> = resolved.iter().map(|it| shown(root.join(it))).collect();
            let expected = FilePath { path: shown(root.join(path)), resolved };
            assert_eq!(file_path(Some(&cwd), Path::new("/home"), written), expected, "{written}");
        }
        place.write("plain", "x");
        let found = file_path(Some(&cwd), Path::new("/home"), "folder/../plain");
        assert_eq!(found.resolved, [shown(root.join("plain"))], "what the operating system opens");
        assert!(file_path(Some(&cwd), Path::new("/home"), "loop").path.ends_with("p/loop"));
    }
}

//! Which files a command line names, as far as its words tell.
//!
//! The line is split as a shell would split it, a word that is itself a
//! command line (`sh -c '…'`, `"$(dirname x)/y"`) is split again, and names
//! that are known before the hook runs are put in. What a script loads while
//! it runs, what it fetches and which programs are installed cannot be seen
//! here: the list of what is not covered says so.
//!
//! Pure: nothing is looked up; whether a file exists is asked in `pin`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::shell::{self, Token};
use crate::run::helper_beside;
use crate::source::Os;

/// Where a command would run, and which files count as its own.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// Whose rules for command lines apply.
    pub os: Os,
    /// The directory it runs in.
    pub run_dir: &'a Path,
    /// The workspace; none for hooks of the user.
    pub workspace: Option<&'a Path>,
    /// The plugin it belongs to.
    pub plugin: Option<&'a Path>,
    /// The user's home.
    pub home: &'a Path,
}

/// What a command line names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Files that trust covers, sorted.
    pub named: Vec<Named>,
    /// Words that look like files and are not covered, sorted.
    pub uncovered: Vec<Uncovered>,
}

/// A path that a word names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// The path.
    pub path: PathBuf,
    /// The word may be something else (`check` in `sh check`, or a whole
    /// command line): it counts only while there is such a file.
    pub loose: bool,
}

/// A word that looks like a file and is not covered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uncovered {
    /// The word.
    pub word: String,
    /// Why not.
    pub why: Why,
}

/// Why a word is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It holds a variable that is known only when the hook runs.
    Variable,
    /// It is a pattern for file names.
    Pattern,
    /// It lies outside the workspace and the home.
    Outside,
    /// The command writes to it.
    Written,
    /// It is a directory.
    Directory,
    /// It is too large to be hashed.
    TooLarge,
    /// It cannot be read.
    Unreadable,
}

/// Files of these kinds are programs, even when no slash is in the word.
const SCRIPTS: &[&str] = &[
    "sh", "bash", "zsh", "fish", "ps1", "psm1", "cmd", "bat", "exe", "com", "js", "mjs", "cjs", "jsx", "ts",
    "mts", "cts", "tsx", "py", "pyz", "rb", "pl", "php", "lua", "awk", "sed", "jq", "tcl", "r", "go", "rs",
    "java", "jar", "kts", "swift", "scala", "groovy", "wasm", "json", "toml", "yaml", "yml",
];
/// What these programs are given is written or removed, not run.
const WRITERS: &[&str] = &["tee", "touch", "mkdir", "rm", "rmdir"];
/// A command line inside a command line inside a command line.
const DEPTH: usize = 3;
/// Longer than any path.
const LONGEST: usize = 4096;

/// What a command line names in these surroundings.
pub fn coverage(command: &str, scope: &Scope) -> Coverage {
    let bases = vec![scope.run_dir.to_owned()];
    let mut reader = Reader { scope, bases, named: BTreeMap::new(), uncovered: BTreeSet::new() };
    reader.line(command, DEPTH);
    Coverage {
        named: reader.named.into_iter().map(|(path, loose)| Named { path, loose }).collect(),
        uncovered: reader.uncovered.into_iter().collect(),
    }
}

impl Why {
    /// In a few words.
    pub fn name(self) -> &'static str {
        match self {
            Why::Variable => "depends on a variable",
            Why::Pattern => "is a pattern",
            Why::Outside => "lies outside the workspace and the home",
            Why::Written => "is written by the command",
            Why::Directory => "is a directory",
            Why::TooLarge => "is too large",
            Why::Unreadable => "cannot be read",
        }
    }
}

struct Reader<'a> {
    scope: &'a Scope<'a>,
    /// Where relative words may start: the run directory, and wherever `cd` went.
    bases: Vec<PathBuf>,
    /// Each path, and whether no word that looks like a path names it.
    named: BTreeMap<PathBuf, bool>,
    uncovered: BTreeSet<Uncovered>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, depth: usize) {
        let mut program: Option<String> = None;
        let mut written = false;
        for token in shell::tokens(line, self.scope.os) {
            match token {
                Token::Break => (program, written) = (None, false),
                Token::Into => written = true,
                Token::Word { text, glued } => {
                    let writes = written || program.as_deref().is_some_and(|name| WRITERS.contains(&name));
                    self.word(&text, glued, writes);
                    if program.as_deref() == Some("cd") {
                        self.enter(&text);
                    }
                    if depth > 1 && shell::is_line(&text) {
                        self.line(&text, depth - 1);
                    }
                    written = false;
                    // `NAME=value program`: the assignment is not the program.
                    if program.is_none() && !text.contains('=') {
                        program = Some(text);
                    }
                }
            }
        }
    }

    /// A word, and what stands behind its `=`.
    fn word(&mut self, text: &str, glued: bool, written: bool) {
        if !text.starts_with('-') {
            self.name(text, glued, written);
        }
        if let Some((_, value)) = text.split_once('=') {
            self.name(value, false, written);
        }
    }

    fn name(&mut self, text: &str, glued: bool, written: bool) {
        let like_path = self.looks_like_a_path(text) && !shell::is_line(text);
        if matches!(text, "" | "$") || text.len() > LONGEST || text.contains("://") || text.contains('\0') {
            return;
        }
        let Some(plain) = shell::expand(text, self.scope) else {
            return self.leave_out(text, Why::Variable, like_path);
        };
        if plain.contains(['*', '?', '[']) {
            return self.leave_out(text, Why::Pattern, like_path);
        }
        // `$(git rev-parse --show-toplevel)/x`: most often it is the workspace.
        if glued
            && plain.starts_with('/')
            && let Some(workspace) = self.scope.workspace
        {
            let inside = without_dots(&workspace.join(plain.trim_start_matches('/')));
            self.path(text, inside, like_path, written);
        }
        for path in self.places(&plain) {
            self.path(text, path, like_path, written);
        }
    }

    fn path(&mut self, text: &str, path: PathBuf, like_path: bool, written: bool) {
        if !self.is_own(&path) {
            // Every line may mention the null device.
            self.leave_out(text, Why::Outside, like_path && !path.starts_with("/dev"));
        } else if written {
            self.leave_out(text, Why::Written, like_path);
        } else {
            // Whoever changes the helper changes what the script answers.
            if let Some(helper) = helper_beside(&path) {
                self.named.entry(helper).or_insert(true);
            }
            *self.named.entry(path).or_insert(true) &= !like_path;
        }
    }

    fn leave_out(&mut self, word: &str, why: Why, like_path: bool) {
        if like_path {
            self.uncovered.insert(Uncovered { word: word.to_owned(), why });
        }
    }

    fn enter(&mut self, directory: &str) {
        let Some(plain) = shell::expand(directory, self.scope) else { return };
        for base in self.places(&plain) {
            if !self.bases.contains(&base) && self.bases.len() < 8 {
                self.bases.push(base);
            }
        }
    }

    /// What a word may name: itself, or itself below each base.
    fn places(&self, plain: &str) -> Vec<PathBuf> {
        let plain = match self.scope.os {
            Os::Windows => plain.replace('\\', "/"),
            Os::Linux | Os::Macos => plain.to_owned(),
        };
        if plain.starts_with('/') || has_drive(self.scope.os, &plain) {
            return vec![without_dots(Path::new(&plain))];
        }
        self.bases.iter().map(|base| without_dots(&base.join(&plain))).collect()
    }

    fn is_own(&self, path: &Path) -> bool {
        let inside = |root: &Path| {
            let (path, root) = (comparable(self.scope.os, path), comparable(self.scope.os, root));
            path.strip_prefix(&root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // Without a home nothing is in it.
        let home = Some(self.scope.home).filter(|home| !home.as_os_str().is_empty());
        home.is_some_and(inside)
            || self.scope.workspace.is_some_and(inside)
            || self.scope.plugin.is_some_and(inside)
    }

    fn looks_like_a_path(&self, text: &str) -> bool {
        let backslash = self.scope.os == Os::Windows && text.contains('\\');
        let extension = text.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        text.contains('/') || backslash || extension.is_some_and(|found| SCRIPTS.contains(&found.as_str()))
    }
}

fn has_drive(os: Os, text: &str) -> bool {
    os == Os::Windows && text.as_bytes().get(1) == Some(&b':')
}

/// Drops `.`; keeps `..`, which a link before it may turn elsewhere.
fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != std::path::Component::CurDir).collect()
}

/// The path with `..` resolved as text, and as Windows compares it.
fn comparable(os: Os, path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = match os {
        Os::Windows => text.replace('\\', "/").to_lowercase(),
        Os::Linux | Os::Macos => text.into_owned(),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "" | "." if !parts.is_empty() => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;

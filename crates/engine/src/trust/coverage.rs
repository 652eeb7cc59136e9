//! What trust covers of a command line, and what it does not.

use std::path::{Path, PathBuf};

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
    /// It is computed by another command when the hook runs.
    Computed,
    /// It starts from a directory that is known only when the hook runs.
    Elsewhere,
    /// It is the address of something else.
    Address,
    /// It is a module that the interpreter finds by itself.
    Module,
    /// It is a task runner, which starts what its file says.
    Runner,
    /// It is a command line inside of too many others.
    Nested,
    /// It is too long to be a path, or holds a NUL.
    Unclear,
    /// It is a directory.
    Directory,
    /// It is a pipe, a socket or a device.
    Special,
    /// It cannot be read.
    Unreadable,
}

impl Why {
    /// In a few words.
    pub fn name(self) -> &'static str {
        match self {
            Why::Variable => "depends on a variable",
            Why::Pattern => "is a pattern",
            Why::Outside => "lies outside the workspace and the home",
            Why::Written => "is written by the command",
            Why::Computed => "is computed when the hook runs",
            Why::Elsewhere => "starts from a directory that is known only when the hook runs",
            Why::Address => "is an address",
            Why::Module => "is a module that the interpreter finds by itself",
            Why::Runner => "starts what its file says",
            Why::Nested => "is nested too deeply",
            Why::Unclear => "cannot be a path",
            Why::Directory => "is a directory",
            Why::Special => "is a pipe, a socket or a device",
            Why::Unreadable => "cannot be read",
        }
    }
}

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

use super::coverage::{Coverage, Named, Scope, Uncovered, Why};
use super::interpreters;
use super::shell::{self, Token};
use crate::run::helper_beside;
use crate::source::Os;

/// Files of these kinds are programs, even when no slash is in the word.
const SCRIPTS: &[&str] = &[
    "sh", "bash", "zsh", "fish", "ps1", "psm1", "cmd", "bat", "exe", "com", "js", "mjs", "cjs", "jsx", "ts",
    "mts", "cts", "tsx", "py", "pyz", "rb", "pl", "php", "lua", "awk", "sed", "jq", "tcl", "r", "go", "rs",
    "java", "jar", "kts", "swift", "scala", "groovy", "wasm", "json", "toml", "yaml", "yml",
];
/// What these programs are given is written or removed, not run.
const WRITERS: &[&str] = &["tee", "touch", "mkdir", "rm", "rmdir"];
/// Command lines inside of command lines are read this deep.
const MAX_NESTING: usize = 8;
/// Options of one letter are read as a cluster of at most this many.
const MAX_GLUED_LETTERS: usize = 4;
/// A line that adds more directories to `PATH` is not followed further.
const MAX_SEARCH_DIRECTORIES: usize = 16;
/// A longer word is cut off in the list of what is not covered.
const MAX_SHOWN_CHARACTERS: usize = 120;
/// Longer than any path.
const LONGEST: usize = 4096;

/// What a command line names in these surroundings.
pub fn coverage(command: &str, scope: &Scope) -> Coverage {
    let bases = vec![scope.run_dir.to_owned()];
    let mut reader = Reader {
        scope,
        bases,
        is_elsewhere: false,
        search: Vec::new(),
        named: BTreeMap::new(),
        uncovered: BTreeSet::new(),
    };
    reader.line(command, MAX_NESTING, true);
    Coverage {
        named: reader.named.into_iter().map(|(path, loose)| Named { path, loose }).collect(),
        uncovered: reader.uncovered.into_iter().collect(),
    }
}

struct Reader<'a> {
    scope: &'a Scope<'a>,
    /// Where relative words may start: the run directory, and wherever `cd` went.
    bases: Vec<PathBuf>,
    /// `cd` went where only the running hook knows.
    is_elsewhere: bool,
    /// Directories that the line adds to `PATH`.
    search: Vec<PathBuf>,
    /// Each path, and whether no word that looks like a path names it.
    named: BTreeMap<PathBuf, bool>,
    uncovered: BTreeSet<Uncovered>,
}

/// How far one command of a line was read.
#[derive(Default)]
struct CommandState {
    program: Option<String>,
    /// The next word is written to.
    is_written: bool,
    /// The next word is a module.
    is_module: bool,
    /// The interpreter has its script; the words behind are arguments.
    has_script: bool,
    /// The last word ends with a `$`, so a substitution may follow; whether that may be code.
    substitution: Option<bool>,
    /// Words in the place of a program are code; false inside an argument of a program that runs none.
    may_be_code: bool,
}

impl CommandState {
    fn new(may_be_code: bool) -> CommandState {
        CommandState { may_be_code, ..CommandState::default() }
    }

    fn program(&self) -> &str {
        self.program.as_deref().unwrap_or_default()
    }

    /// Whether the next word may be a program or a script.
    fn is_code(&self) -> bool {
        match &self.program {
            None => self.may_be_code,
            Some(program) => !self.has_script && interpreters::runs_operands(program),
        }
    }
}

impl Reader<'_> {
    fn line(&mut self, line: &str, depth: usize, may_be_code: bool) {
        let mut state = CommandState::new(may_be_code);
        for token in shell::tokens(line, self.scope.os) {
            match token {
                Token::Break => {
                    if let Some(is_code) = state.substitution {
                        // Its text is known only when the hook runs.
                        self.is_elsewhere |= enters(state.program());
                        self.leave_out("$(…)", Why::Computed, is_code);
                    }
                    state = CommandState::new(true);
                }
                Token::Into => state.is_written = true,
                Token::Word { text, glued } => self.word(&text, glued, &mut state, depth),
            }
        }
    }

    fn word(&mut self, text: &str, glued: bool, state: &mut CommandState, depth: usize) {
        let is_option = text.starts_with('-') && text.len() > 1 && state.program.is_some();
        let is_written = state.is_written || WRITERS.contains(&state.program());
        let is_code = state.is_code();
        if std::mem::take(&mut state.is_module) {
            self.module(text, state.program());
        } else if is_option {
            state.is_module = interpreters::takes_module(state.program(), text);
            let glued = interpreters::glued_module(state.program(), text);
            glued.iter().for_each(|module| self.module(module, state.program()));
            glued_values(text).for_each(|value| self.value(value, is_written, state, depth));
        } else {
            self.name(text, glued, is_written, is_code);
            self.modules(text, state.program());
        }
        if let Some((name, value)) = text.split_once('=') {
            if name == "PATH" {
                self.extend_search(value);
            }
            // `git -c alias.x=!./guard x`: an alias that is a command line.
            self.value(value.strip_prefix('!').unwrap_or(value), is_written, state, depth);
        }
        if enters(state.program()) && !is_option {
            self.enter(text);
        }
        self.nested(text, depth, is_code && !is_option);
        state.is_written = false;
        state.substitution = (text.ends_with('$') && !text.contains('=')).then_some(is_code);
        if !is_option && !glued && text != "$" {
            self.advance(text, state);
        }
    }

    /// Whether a word is the program of its command, or the script of its interpreter.
    fn advance(&mut self, text: &str, state: &mut CommandState) {
        let name = interpreters::program_name(text);
        match &state.program {
            // `NAME=value program`: the assignment is not the program.
            None if text.contains('=') => {}
            None => {
                self.find_in_search(text);
                let files = interpreters::runner_files(name);
                let is_interpreter = interpreters::runs_operands(name) && name != "make";
                self.leave_out(name, Why::Runner, !files.is_empty() && !is_interpreter);
                for file in files {
                    self.places(file).into_iter().for_each(|path| self.add_loose(path));
                }
                state.program = Some(name.to_owned());
            }
            // `env node x`, `timeout 5 sh x`.
            Some(_) if state.is_code() && interpreters::runs_operands(name) => {
                state.program = Some(name.to_owned());
            }
            Some(program) => state.has_script = interpreters::is_interpreter(program),
        }
    }

    /// What is behind a `=` or glued to an option.
    fn value(&mut self, value: &str, is_written: bool, state: &CommandState, depth: usize) {
        self.name(value, false, is_written, false);
        self.modules(value, state.program());
        self.nested(value, depth, true);
    }

    /// A word that is itself a command line.
    fn nested(&mut self, text: &str, depth: usize, may_be_code: bool) {
        if !shell::is_line(text) {
            return;
        }
        match depth {
            0 => self.leave_out(text, Why::Nested, true),
            _ => self.line(text, depth - 1, may_be_code),
        }
    }

    /// A module that an option names: a file, or what the interpreter finds by itself.
    fn module(&mut self, text: &str, program: &str) {
        self.name(text, false, false, true);
        self.modules(text, program);
        if !self.looks_like_a_path(text) {
            self.modules(&text.replace('.', "/"), program);
            self.leave_out(text, Why::Module, true);
        }
    }

    /// The files that an interpreter tries for a module without an ending.
    fn modules(&mut self, text: &str, program: &str) {
        let endings = interpreters::module_endings(program);
        let is_plain =
            !text.is_empty() && text.len() <= LONGEST && !shell::is_line(text) && !text.contains('\0');
        if endings.is_empty() || !is_plain || has_script_ending(text) {
            return;
        }
        let Some(plain) = shell::expand(text, self.scope) else { return };
        for ending in endings {
            let candidates = self.places(&format!("{}{ending}", plain.trim_end_matches('/')));
            candidates.into_iter().for_each(|path| self.add_loose(path));
        }
    }

    fn add_loose(&mut self, path: PathBuf) {
        if self.is_own(&path) {
            self.named.entry(path).or_insert(true);
        }
    }

    /// `PATH=a:b guard`: where the program may be.
    fn extend_search(&mut self, value: &str) {
        for part in value.split(':').filter(|part| !matches!(*part, "" | "$PATH" | "${PATH}")) {
            match shell::expand(part, self.scope) {
                Some(plain) => {
                    let found = self.places(&plain);
                    self.search.extend(found);
                    self.search.truncate(MAX_SEARCH_DIRECTORIES);
                }
                None => self.leave_out(part, Why::Variable, true),
            }
        }
    }

    fn find_in_search(&mut self, program: &str) {
        if !program.contains(['/', '\0']) && program.len() <= LONGEST {
            let found: Vec<PathBuf> = self.search.iter().map(|folder| folder.join(program)).collect();
            found.into_iter().for_each(|path| self.add_loose(path));
        }
    }

    fn name(&mut self, text: &str, glued: bool, written: bool, is_code: bool) {
        let like_path = self.looks_like_a_path(text) && !shell::is_line(text);
        if matches!(text, "" | "$") {
            return;
        }
        if text.len() > LONGEST || text.contains('\0') {
            return self.leave_out(text, Why::Unclear, like_path || is_code);
        }
        let is_listed = like_path || (is_code && !shell::is_line(text));
        let Some(plain) = shell::expand(text, self.scope) else {
            return self.leave_out(text, Why::Variable, is_listed);
        };
        // `$'…'`: escapes that only a shell reads.
        self.leave_out(text, Why::Variable, is_listed && plain.contains('$') && self.scope.os != Os::Windows);
        self.leave_out(text, Why::Address, text.contains("://") && !shell::is_line(text));
        self.leave_out(&format!("$(…){text}"), Why::Computed, glued);
        if plain.contains(['*', '?', '[']) || (plain.contains('{') && plain.contains(',')) {
            return self.leave_out(text, Why::Pattern, is_listed);
        }
        // `$(git rev-parse --show-toplevel)/x`: most often it is the workspace.
        if glued
            && plain.starts_with('/')
            && let Some(workspace) = self.scope.workspace
        {
            let inside = without_dots(&workspace.join(plain.trim_start_matches('/')));
            self.path(text, inside, like_path, written);
        }
        let places = self.places(&plain);
        self.leave_out(
            text,
            Why::Elsewhere,
            like_path && self.is_elsewhere && is_relative(self.scope.os, &plain),
        );
        for path in places {
            self.path(text, path, like_path && !glued && !text.contains("://"), written);
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

    fn leave_out(&mut self, word: &str, why: Why, is_listed: bool) {
        if is_listed {
            let word: String = word.chars().take(MAX_SHOWN_CHARACTERS).collect();
            self.uncovered.insert(Uncovered { word, why });
        }
    }

    fn enter(&mut self, directory: &str) {
        if let Some(parent) = self.parent_of(directory) {
            self.bases.extend(parent);
            return;
        }
        let known =
            shell::expand(directory, self.scope).filter(|plain| !plain.contains(['$', '`', '*', '?']));
        let Some(plain) = known.filter(|plain| plain != "-") else {
            self.is_elsewhere = true;
            return;
        };
        for base in self.places(&plain) {
            if !self.bases.contains(&base) && self.bases.len() < 8 {
                self.bases.push(base);
            }
        }
    }

    /// `cd "$(dirname hooks/x.sh)"`: the folder of a file that is known.
    fn parent_of(&self, text: &str) -> Option<Vec<PathBuf>> {
        let file = text.strip_prefix("$(dirname ")?.strip_suffix(')')?;
        let file = file.trim().trim_start_matches("-- ").trim_matches(['"', '\'']);
        let plain = shell::expand(file, self.scope).filter(|plain| !plain.contains(['$', '`', ' ']))?;
        let places = self.places(&plain);
        Some(places.iter().filter_map(|place| place.parent()).map(Path::to_owned).collect())
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
        text.contains('/') || backslash || has_script_ending(text)
    }
}

fn has_script_ending(text: &str) -> bool {
    let extension = text.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|found| SCRIPTS.contains(&found.as_str()))
}

/// What may be the value of an option of one letter: `./x` of `-f./x`, and of `-vf./x`.
fn glued_values(option: &str) -> impl Iterator<Item = &str> {
    let letters = option.strip_prefix('-').unwrap_or_default();
    let count = letters.bytes().take_while(u8::is_ascii_alphabetic).take(MAX_GLUED_LETTERS).count();
    (1..=count).map(|at| &letters[at..]).filter(|value| !value.is_empty())
}

/// Whether a program changes the directory that the words behind it start from.
fn enters(program: &str) -> bool {
    matches!(program, "cd" | "pushd" | "chdir")
}

fn is_relative(os: Os, plain: &str) -> bool {
    !plain.starts_with('/') && !has_drive(os, plain)
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

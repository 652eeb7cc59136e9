//! What a shell command of an agent would change.
//!
//! Redirections count for every program. Programs that only read never ask, those that remove or rename reach
//! everything below a path, and a program that is not known asks when an argument is a protected path (`programs`,
//! `effects`). Where what a line does cannot be known from its words, `doubt` searches its text for what is protected.
//! What a script does that the agent wrote before and starts now is not seen.

use super::directories::{Directories, assigned_values, directories};
use super::options::{has_letter, has_long, operands, option_values, tail};
use super::programs::{self, MODES, OUTPUTS, REMOVERS};
use super::targets::{Reach, Targets};
use super::word::Place;
use super::{Touched, doubt, verbs};
use crate::rule::Look;
use crate::rule::shell::{Command, Reading, Word, runs_others};

/// The name of our program.
pub(super) const PROGRAM: &str = "boathook";

/// What a command line would change.
pub(super) fn touched<'t>(
    line: &str,
    look: &Look<'_>,
    place: &Place<'_>,
    targets: &dyn Fn() -> &'t Targets,
) -> Option<Touched> {
    let line = &place.with_known_variables(line);
    let reading = look.commands(line);
    let renamed = RenamedCommands::of_line(line, &reading);
    if reading.unclear.is_none() && renamed.is_empty() && reading.commands.iter().all(changes_nothing) {
        return None;
    }
    let targets = targets();
    let Directories { all, is_open } = directories(line, &reading, place, targets);
    let place = Place { home: place.home, directories: all };
    let judge = Judge { line, reading: &reading, place: &place, targets, renamed, is_open };
    let by_command = reading.commands.iter().find_map(|command| judge.command(command));
    by_command.or_else(|| verbs::in_text(line, &reading)).or_else(|| doubt::touched(&judge))
}

/// Whether a command reads only, by its program, its options and its redirections.
pub(super) fn changes_nothing(command: &Command) -> bool {
    let writes = command.redirects.iter().any(|redirect| redirect.writes);
    !writes && (command.words.is_empty() || programs::only_reads(command))
}

/// Names that mean another program on this line: aliases, functions, `hash -p`, another `PATH`.
#[derive(Debug, Default)]
pub(super) struct RenamedCommands {
    names: Vec<String>,
    all: bool,
}

impl RenamedCommands {
    fn of_line(line: &str, reading: &Reading) -> RenamedCommands {
        let mut renamed = RenamedCommands::default();
        for command in &reading.commands {
            let texts = || operands(command).into_iter().map(Word::text);
            match command.program() {
                Some("alias") => {
                    renamed.names.extend(texts().filter_map(|text| Some(text.split_once('=')?.0.to_owned())))
                }
                Some("hash") if has_letter(command, &['p']) => renamed.names.extend(texts().skip(1)),
                Some("enable") if has_letter(command, &['f']) => renamed.names.extend(texts().skip(1)),
                _ => {}
            }
        }
        let used = reading.commands.iter().filter_map(Command::program);
        renamed.names.extend(used.filter(|name| is_function(line, name)).map(str::to_owned));
        let sets_path = reading.commands.iter().any(|it| it.assigns.iter().any(|name| name == "PATH"));
        if sets_path {
            let is_relative = |folder: &String| !folder.starts_with(['/', '$', '~']);
            let makes = |command: &Command| !changes_nothing(command);
            renamed.all = assigned_values(line, "PATH=").iter().any(is_relative)
                || reading.commands.iter().any(|it| makes(it) && it.program().is_some_and(puts_programs));
        }
        renamed
    }

    fn is_empty(&self) -> bool {
        !self.all && self.names.is_empty()
    }

    pub(super) fn covers(&self, program: &str) -> bool {
        const BUILTINS: [&str; 8] = ["export", "echo", "cd", "hash", "alias", "set", "printf", "test"];
        self.names.iter().any(|name| name == program)
            || (self.all && programs::is_reader(program) && !BUILTINS.contains(&program))
    }
}

fn puts_programs(program: &str) -> bool {
    matches!(program, "ln" | "cp" | "mv" | "install" | "chmod" | "tee")
}

/// Whether the line makes a function of this name.
fn is_function(line: &str, name: &str) -> bool {
    let defines = |at: usize| {
        let before = line[..at].trim_end();
        let behind = line[at + name.len()..].trim_start();
        let is_whole = !line[..at].ends_with(|c: char| c.is_alphanumeric() || "-_./".contains(c));
        is_whole && (behind.starts_with("()") || before.ends_with("function"))
    };
    !name.is_empty() && line.match_indices(name).any(|(at, _)| defines(at))
}

/// One line, with what is protected.
pub(super) struct Judge<'a> {
    pub line: &'a str,
    pub reading: &'a Reading,
    pub place: &'a Place<'a>,
    pub targets: &'a Targets,
    pub renamed: RenamedCommands,
    /// Whether relative paths may start from more directories than are known.
    pub is_open: bool,
}

impl Judge<'_> {
    fn command(&self, command: &Command) -> Option<Touched> {
        let mut written = command.redirects.iter().filter(|redirect| redirect.writes);
        if let Some(touched) = written.find_map(|redirect| self.word(&redirect.target, Reach::Path)) {
            return Some(touched);
        }
        if command.words.is_empty() {
            return None;
        }
        let any = |reach| {
            command.args().iter().find_map(|word| self.word(word, reach).or_else(|| self.argument(word)))
        };
        let Some(program) = command.program() else {
            // What it does is not known, so it may remove.
            return verbs::by_unknown_program(command).or_else(|| any(Reach::Tree));
        };
        if let Some(touched) = verbs::by_program(program, command) {
            return Some(touched);
        }
        if program == PROGRAM {
            let repairs = has_long(command, &["fix"]);
            return operands(command).iter().filter(|_| repairs).find_map(|word| self.argument(word));
        }
        let is_reader = programs::is_reader(program);
        if self.renamed.covers(program) || (is_reader && !programs::is_found_as_usual(command)) {
            return any(Reach::Tree);
        }
        let outputs = OUTPUTS.iter().filter(|(names, ..)| names.contains(&program));
        let mut outputs = outputs.flat_map(|(_, letters, names)| option_values(command, letters, names));
        outputs.find_map(|word| self.word(&word, Reach::Path)).or_else(|| self.effect(program, command))
    }

    fn effect(&self, program: &str, command: &Command) -> Option<Touched> {
        let operands = operands(command);
        let all = |reach| operands.iter().find_map(|word| self.word(word, reach));
        let arguments = || command.args().iter().find_map(|word| self.argument(word));
        let is_in = |list: &[&str]| list.contains(&program);
        match program {
            "perl" if has_letter(command, &['i']) => arguments(),
            "find" | "gfind" | "fd" | "fdfind" => self.find(command),
            "mv" | "rename" => all(Reach::Tree).or_else(|| self.copy(command, &operands)),
            "ln" | "link" => all(Reach::Path)
                .or_else(|| self.copy(command, &operands))
                .or_else(|| self.replacement(operands.last().filter(|_| operands.len() > 1)?)),
            "git" => self.git(command).or_else(arguments),
            "patch" => self.patch(command).or_else(arguments),
            _ if is_in(programs::TEXT_TOOLS) => self.text_tool(command),
            _ if is_in(programs::ARCHIVERS) => self.archive(command, &operands),
            _ if is_in(programs::DOWNLOADERS) => self.download(command).or_else(arguments),
            _ if is_in(programs::SECOND_OPERAND) => {
                operands.iter().skip(1).find_map(|word| self.word(word, Reach::Path))
            }
            _ if is_in(REMOVERS) => all(Reach::Tree),
            _ if is_in(MODES) => {
                let recursive = has_letter(command, &['R']) || has_long(command, &["recursive"]);
                all(if recursive { Reach::Tree } else { Reach::Directory })
            }
            _ if is_in(programs::COPIERS) => self.copy(command, &operands),
            _ if programs::is_reader(program) => {
                let writes = programs::writes_in_place(command) || programs::runs_another(command);
                operands.iter().filter(|_| writes).find_map(|word| self.word(word, Reach::Tree))
            }
            _ if programs::is_interpreter(program) => {
                // The script that is started is read, not written.
                operands.iter().skip(1).find_map(|word| self.word(word, Reach::Path))
            }
            _ if is_in(programs::WRITING_WRAPPERS) => all(Reach::Path),
            _ if runs_others(program) => None,
            _ => arguments(),
        }
    }

    pub(super) fn word(&self, word: &Word, reach: Reach) -> Option<Touched> {
        self.place.touched(word, reach, self.targets)
    }

    /// A link in the place of a directory that is not there, or that is a link itself.
    fn replacement(&self, word: &Word) -> Option<Touched> {
        let is_free = self.place.paths(word).iter().any(|path| path.is_symlink() || !path.is_dir());
        self.word(word, Reach::Tree).filter(|_| is_free)
    }

    /// An argument of a program that is not known: a path, or one behind `name=` or an option's letter.
    pub(super) fn argument(&self, word: &Word) -> Option<Touched> {
        let by_itself = self.word(word, Reach::Path);
        by_itself.or_else(|| {
            let text = word.text();
            let value = text.find('=').and_then(|at| tail(word, at + 1));
            let is_option = text.starts_with('-') && !text.starts_with("--");
            let glued = tail(word, 2).filter(|rest| is_option && rest.text().contains(['/', '~']));
            value.into_iter().chain(glued).find_map(|rest| self.word(&rest, Reach::Path))
        })
    }
}

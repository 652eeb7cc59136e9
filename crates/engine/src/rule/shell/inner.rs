//! Commands inside commands: what `sudo`, `sh -c`, `eval`, `find -exec` and
//! their kin would start.

use super::builtins;
use super::fields::fields;
use super::grammar::{Stdin, argument_assignment, parse};
use super::stdin::stdin_of;
use super::variables::{Variables, names_set};
use super::word::{Piece, Word};
use super::wrappers::{Runs, runs};
use super::{Command, DEEPEST, LONGEST, MOST, Reading, Redirect};

/// What a command reads, as far as that is known.
#[derive(Debug, Clone, Copy)]
pub(super) enum Input<'a> {
    Known(&'a str),
    File,
    Unknown,
}

/// What a text may name without setting it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around<'a> {
    variables: Option<&'a Variables<'a>>,
    arguments: &'a [Word],
}

/// Reads a text into what was read so far.
pub(super) fn read_into(reading: &mut Reading, text: &str, depth: usize, around: Around<'_>) {
    if text.len() > LONGEST {
        return reading.doubt(format!("it has more than {} KiB", LONGEST / 1024));
    }
    let mut raws = Vec::new();
    if let Err(reason) = parse(text, depth, &mut raws) {
        reading.doubt(format!("it cannot be read as a command line: {reason}"));
    }
    let variables = Variables::of(text, &raws, around.variables, around.arguments);
    let words: Vec<Vec<Word>> = raws.iter().map(|raw| expanded(reading, &raw.words, &variables)).collect();
    if let Some(reason) = builtins::doubt(&raws, &words) {
        reading.doubt(reason);
    }
    for (raw, words_here) in raws.iter().zip(&words) {
        if raw.is_note {
            continue;
        }
        let known = stdin_of(raw, &raws, &words, &variables);
        let input = match (&known, &raw.stdin) {
            (Some(text), _) => Input::Known(text),
            (None, Stdin::File) => Input::File,
            (None, Stdin::Inherited | Stdin::Pipe(_) | Stdin::Text(_)) => Input::Unknown,
        };
        let mut assigns: Vec<String> = raw.assigns.iter().map(|(name, _)| name.clone()).collect();
        assigns.extend(names_set(words_here));
        let redirects = targets(reading, &raw.redirects, &variables);
        let command = Command::new(words_here.clone(), assigns, redirects);
        add(reading, command, input, &variables, depth);
    }
}

fn expanded(reading: &mut Reading, words: &[Word], variables: &Variables<'_>) -> Vec<Word> {
    fields(words, variables).unwrap_or_else(|reason| {
        reading.doubt(reason);
        words.to_vec()
    })
}

/// Redirections with their files as a shell would name them.
fn targets(reading: &mut Reading, redirects: &[Redirect], variables: &Variables<'_>) -> Vec<Redirect> {
    let mut result = Vec::new();
    for redirect in redirects {
        let files = expanded(reading, std::slice::from_ref(&redirect.target), variables);
        result.extend(files.into_iter().map(|target| Redirect { target, ..redirect.clone() }));
    }
    result
}

/// Adds a command and everything it would start.
fn add(reading: &mut Reading, command: Command, input: Input<'_>, variables: &Variables<'_>, depth: usize) {
    if reading.commands.len() >= MOST {
        return reading.doubt(format!("it holds more than {MOST} commands"));
    }
    if depth > DEEPEST {
        return reading.doubt(format!("it nests more than {DEEPEST} deep"));
    }
    let words = command.words.clone();
    if !words.is_empty() {
        match command.program() {
            None => reading.doubt(format!("it cannot be known which program `{}` starts", shown(&command))),
            Some(name) => {
                Inside { reading, words: &words, input, variables, arguments: &[], depth: depth + 1 }
                    .look(name)
            }
        }
    }
    reading.commands.push(command);
}

fn shown(command: &Command) -> String {
    let line: String = command.line().chars().take(40).collect();
    line.replace(char::is_control, " ")
}

/// One command whose arguments may be commands.
pub(super) struct Inside<'r, 'a> {
    pub(super) reading: &'r mut Reading,
    pub(super) words: &'a [Word],
    pub(super) input: Input<'a>,
    variables: &'a Variables<'a>,
    /// What a shell gets as `$0`, `$1` and so on.
    arguments: &'a [Word],
    depth: usize,
}

impl Inside<'_, '_> {
    /// Reads a text that this command would run.
    pub(super) fn read(&mut self, text: &str) {
        let around = Around { variables: Some(self.variables), arguments: self.arguments };
        read_into(self.reading, text, self.depth, around);
    }

    fn look(&mut self, program: &str) {
        match runs(program) {
            None => {}
            Some(Runs::Command { values, long_values, skip }) => {
                let start = self.behind_options(1, values, long_values) + skip;
                self.command_at(start);
            }
            Some(Runs::Shell) => self.shell(),
            Some(Runs::Line) => self.line(self.behind_dashes()),
            Some(Runs::LineBehind { values, skip }) => {
                let start = self.behind_options(1, values, &[]) + skip;
                let start = if skip > 0 { self.behind_options(start, values, &[]) } else { start };
                if start < self.words.len() { self.line(start) } else { self.known_input() }
            }
            Some(Runs::OptionC { values, skip }) => self.option_c(values, skip),
            Some(Runs::Subcommand(names)) => self.subcommand(names),
            Some(Runs::Anywhere) => self.anywhere(),
            Some(Runs::Find) => self.find(),
            Some(Runs::Xargs) => self.xargs(),
            Some(Runs::Env) => self.env(),
            Some(Runs::CommandWord) => self.command_word(),
            Some(Runs::Trap) => self.text_at(self.behind_dashes()),
            Some(Runs::Alias) => self.alias(),
            Some(Runs::Source) => self.source(),
            Some(Runs::Applet) => self.command_at(1),
            Some(Runs::Parallel) => self.parallel(),
            Some(Runs::Windows) => self.windows(),
        }
    }

    /// The first argument, behind a `--`.
    fn behind_dashes(&self) -> usize {
        if self.text(1).as_deref() == Some("--") { 2 } else { 1 }
    }

    pub(super) fn text(&self, at: usize) -> Option<String> {
        self.words.get(at).and_then(Word::known)
    }

    /// The place behind options and assignments, from this place on.
    pub(super) fn behind_options(&self, from: usize, values: &str, long_values: &[&str]) -> usize {
        let mut at = from;
        while let Some(word) = self.words.get(at) {
            if argument_assignment(word).is_some() {
                at += 1;
                continue;
            }
            let Some(text) = word.known() else { break };
            if text == "--" {
                return at + 1;
            } else if text.starts_with("--") {
                at += if long_values.contains(&text.as_str()) { 2 } else { 1 };
            } else if let Some(letters) = text.strip_prefix('-') {
                let takes = letters.find(|letter| values.contains(letter));
                let last = takes.is_some_and(|place| letters[place..].chars().count() == 1);
                at += if last { 2 } else { 1 };
            } else {
                break;
            }
        }
        at
    }

    /// The words from here on are a command.
    pub(super) fn command_at(&mut self, at: usize) {
        let words = self.words.get(at..).unwrap_or_default();
        let options = &self.words[1..at.min(self.words.len()).max(1)];
        let assigns = options.iter().filter_map(argument_assignment).map(|(name, _)| name).collect();
        self.command_with(words.to_vec(), assigns);
    }

    pub(super) fn command(&mut self, words: Vec<Word>) {
        self.command_with(words, Vec::new());
    }

    fn command_with(&mut self, words: Vec<Word>, mut assigns: Vec<String>) {
        if !words.is_empty() {
            assigns.extend(names_set(&words));
            let command = Command::new(words, assigns, Vec::new());
            add(self.reading, command, self.input, self.variables, self.depth);
        }
    }

    /// The words from here on, joined, are a command line.
    fn line(&mut self, at: usize) {
        let words = self.words.get(at..).unwrap_or_default();
        let known: Option<Vec<String>> = words.iter().map(Word::known).collect();
        match known {
            Some(words) if words.is_empty() => {}
            Some(words) => self.read(&words.join(" ")),
            None => self.unknown_text(),
        }
    }

    /// The word at this place is a command line.
    pub(super) fn text_at(&mut self, at: usize) {
        match self.words.get(at).map(Word::known) {
            None => {}
            Some(Some(text)) => self.read(&text),
            Some(None) => self.unknown_text(),
        }
    }

    fn unknown_text(&mut self) {
        let program = self.words.first().map(Word::text).unwrap_or_default();
        self.reading.doubt(format!("the text that `{program}` runs cannot be known"));
    }

    fn shell(&mut self) {
        let (mut at, mut reads_text, mut reads_input) = (1, false, false);
        while let Some(text) = self.text(at) {
            match text.as_str() {
                "--version" | "--help" => return,
                "--" | "-" => {
                    at += 1;
                    break;
                }
                "--rcfile" | "--init-file" => at += 1,
                _ if text.starts_with("--") => {}
                _ if text.starts_with(['-', '+']) && text.len() > 1 => {
                    reads_text |= text.starts_with('-') && text.contains('c');
                    reads_input |= text.starts_with('-') && text.contains('s');
                    // Each `o` takes a word of its own, wherever it stands.
                    at += text.matches(['o', 'O']).count();
                }
                _ => break,
            }
            at += 1;
        }
        let operand = self.words.get(at);
        let file = operand.and_then(Word::known);
        let is_input = file.as_deref().is_some_and(is_standard_input);
        match operand {
            _ if reads_text => {
                self.arguments = self.words.get(at + 1..).unwrap_or_default();
                self.text_at(at);
            }
            None => self.lines_of_input(),
            Some(_) if reads_input || is_input => {
                self.arguments = &self.words[at..];
                self.lines_of_input();
            }
            // It may be an option.
            Some(word) if !word.choices.is_empty() => self.unknown_text(),
            Some(word) => self.file(word),
        }
    }

    /// A script's text stands in its file, which is not looked at; one that a
    /// command writes for the occasion has none.
    fn file(&mut self, word: &Word) {
        let is_open_file = word.text().starts_with("/dev/fd/") || word.text().starts_with("/proc/self/fd/");
        if is_open_file || word.pieces.contains(&Piece::Process) {
            self.unknown_text();
        }
    }

    pub(super) fn lines_of_input(&mut self) {
        match self.input {
            Input::Known(text) => self.read(text),
            Input::File => {}
            Input::Unknown => {
                self.reading.doubt("what a shell reads from its input cannot be known".to_owned());
            }
        }
    }

    /// Where a shell elsewhere would read the here-document.
    fn known_input(&mut self) {
        if let Input::Known(text) = self.input {
            self.read(text);
        }
    }

    fn option_c(&mut self, values: &str, skip: Option<usize>) {
        let mut is_given = false;
        for at in 1..self.words.len() {
            let Some(text) = self.text(at) else { continue };
            if let Some(value) =
                text.strip_prefix("--command=").or_else(|| text.strip_prefix("--session-command="))
            {
                self.read(value);
            }
            let short = text.starts_with('-') && !text.starts_with("--");
            if matches!(text.as_str(), "--command" | "--session-command") || (short && text.ends_with('c')) {
                self.text_at(at + 1);
                is_given = true;
            }
        }
        // `runuser -u me cmd` takes a command and no text.
        let names_user = (1..self.words.len())
            .any(|at| self.text(at).is_some_and(|text| text.starts_with("-u") || text.starts_with("--user")));
        match skip.or(names_user.then_some(0)) {
            Some(skip) => {
                let start = self.behind_options(1, values, &[]) + skip;
                self.command_at(start);
            }
            None if is_given => {}
            None => self.known_input(),
        }
    }

    fn subcommand(&mut self, names: &[&str]) {
        let named = |at: &usize| self.text(*at).is_some_and(|text| names.contains(&text.as_str()));
        // Options with values may stand before it, but hardly more than these.
        if let Some(at) = (1..self.words.len().min(6)).find(named) {
            let start = self.behind_options(at + 1, "", &[]);
            self.command_at(start);
        }
    }

    fn env(&mut self) {
        for at in 1..self.words.len() {
            let Some(text) = self.text(at) else { continue };
            if !text.starts_with('-') {
                break;
            }
            if matches!(text.as_str(), "-S" | "--split-string" | "-vS" | "-iS") {
                return self.line(at + 1);
            }
            if let Some(line) = text.strip_prefix("--split-string=").or_else(|| text.strip_prefix("-S")) {
                return self.read(line);
            }
        }
        let start = self.behind_options(1, "uC", &["--unset", "--chdir"]);
        self.command_at(start);
    }

    fn command_word(&mut self) {
        let looks = self.text(1).is_some_and(|text| matches!(text.as_str(), "-v" | "-V" | "-pv" | "-pV"));
        if !looks {
            let start = self.behind_options(1, "", &[]);
            self.command_at(start);
        }
    }

    fn alias(&mut self) {
        for at in 1..self.words.len() {
            match self.text(at) {
                Some(text) => {
                    if let Some((_, line)) = text.split_once('=') {
                        self.read(line);
                    }
                }
                None => self.unknown_text(),
            }
        }
    }

    fn source(&mut self) {
        if let Some(word) = self.words.get(1) {
            let input = word.known().as_deref().is_some_and(is_standard_input);
            if input { self.lines_of_input() } else { self.file(word) }
        }
    }

    fn windows(&mut self) {
        for at in 1..self.words.len() {
            let Some(text) = self.text(at).map(|text| text.to_ascii_lowercase()) else { continue };
            if text.starts_with("-e") && !text.starts_with("-ex") {
                return self.unknown_text();
            }
            if matches!(text.as_str(), "/c" | "/k" | "/r" | "//c" | "-c" | "-command") {
                return self.line(at + 1);
            }
        }
    }
}

fn is_standard_input(file: &str) -> bool {
    matches!(file, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

//! Commands inside commands: what `sudo`, `sh -c`, `eval`, `find -exec` and
//! their kin would start.

use super::anywhere::MOST_TRIED;
use super::builtins;
use super::evaluation;
use super::fields::{commands, fields};
use super::grammar::{Raw, Stdin, argument_assignment, inherit_stdin, parse};
use super::options::{OptionValue, Options, option_value};
use super::scripts::{note_link, note_written};
use super::stdin::{printed_words, stdin_of, text_written};
use super::variables::{Variables, names_set};
use super::word::{Piece, Word};
use super::wrappers::{Runs, runs};
use super::{Command, DEEPEST, LONGEST, MAX_WORDS, MOST, Reading, Redirect};

/// A command with more words is not written out with all that its variables may be.
const MAX_VARYING_WORDS: usize = 256;

/// What a command reads, as far as that is known.
#[derive(Debug, Clone, Copy)]
pub(super) enum Input<'a> {
    Known(&'a str),
    /// A file of this name, which is empty where it is not known.
    File(&'a str),
    /// A text that is put together out of these words, as far as they are known.
    Printed(&'a [Word]),
    Unknown,
}

/// What a text may name without setting it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around<'a> {
    variables: Option<&'a Variables<'a>>,
    arguments: &'a [Word],
    /// What commands of the text read that have no input of their own.
    stdin: Option<&'a Word>,
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
    if let Some(input) = around.stdin
        && !inherit_stdin(&mut raws, input)
    {
        reading.doubt("too many commands read the same long text");
    }
    let variables = Variables::of(text, &raws, around.variables, around.arguments);
    let words: Vec<Vec<Word>> = raws.iter().map(|raw| expanded(reading, &raw.words, &variables)).collect();
    if let Some(reason) = builtins::doubt(&raws, &words, &variables) {
        reading.doubt(reason);
    }
    evaluation::collect(reading, &raws, &words, &variables);
    reading.renamed.extend(words.iter().flat_map(|words| builtins::aliases(words)));
    note_indirect_builtins(reading, &raws, &words, &variables);
    let enters = |words: &Vec<Word>| {
        let program = words.first().and_then(Word::program_name);
        let moves = matches!(program.as_deref(), Some("cd" | "pushd" | "env" | "sudo" | "popd"));
        moves
            && words[1..].iter().any(|word| {
                let text = word.text();
                ["/dev", "/proc", "/…", "/d", "/p"].iter().any(|start| text.contains(start))
                    && !text.contains("/dev/shm")
            })
    };
    reading.enters_devices |= words.iter().any(enters);
    for (raw, words_here) in raws.iter().zip(&words) {
        if raw.is_note {
            continue;
        }
        let known = stdin_of(raw, &raws, &words, &variables);
        let file = file_read(raw, &variables);
        let parts = if known.is_none() { printed_words(raw, &raws, &words, &variables) } else { Vec::new() };
        let input = match (&known, &raw.stdin) {
            (Some(text), _) => Input::Known(text),
            (None, Stdin::File) => Input::File(&file),
            (None, _) if !parts.is_empty() => Input::Printed(&parts),
            (None, Stdin::Inherited | Stdin::Pipe(_) | Stdin::Text(_)) => Input::Unknown,
        };
        let mut assigns: Vec<String> = raw.assigns.iter().map(|(name, _)| name.clone()).collect();
        assigns.extend(names_set(words_here));
        let redirects = targets(reading, &raw.redirects, &variables);
        let command = Command::new(words_here.clone(), assigns, redirects);
        note_link(reading, &command);
        note_written(reading, &command, text_written(raw, words_here, known.as_deref()).as_deref());
        let mut others = Vec::new();
        if words_here.iter().any(|word| !word.choices.is_empty()) {
            others = other_commands(reading, raw, &command, &variables);
        }
        for command in std::iter::once(command).chain(others) {
            add(reading, command, (input, &raw.stdin), &variables, depth);
        }
    }
}

/// The command with the values that its variables may have: they may be several words each.
fn other_commands(
    reading: &mut Reading,
    raw: &Raw,
    command: &Command,
    variables: &Variables<'_>,
) -> Vec<Command> {
    let is_short = raw.words.len() <= MAX_VARYING_WORDS && reading.tried < MOST_TRIED;
    let (all, is_complete) = if is_short { commands(&raw.words, variables) } else { (Vec::new(), false) };
    reading.tried += all.iter().map(Vec::len).sum::<usize>();
    if !is_complete && command.program().is_some_and(|name| runs(name).is_some()) {
        reading.doubt(format!("what `{}` runs here cannot be known", shown(command)));
    }
    let other = |words: Vec<Word>| Command::new(words, command.assigns.clone(), command.redirects.clone());
    let is_other = |words: &Vec<Word>| {
        !words.is_empty()
            && !words.iter().map(|word| &word.pieces).eq(command.words.iter().map(|word| &word.pieces))
    };
    all.into_iter().filter(is_other).map(other).collect()
}

/// The name of the file that a command reads.
fn file_read(raw: &Raw, variables: &Variables<'_>) -> String {
    let read = raw.redirects.iter().rev().find(|redirect| !redirect.writes);
    let target = read.and_then(|redirect| fields(std::slice::from_ref(&redirect.target), variables).ok());
    target.and_then(|words| words.first()?.known()).unwrap_or_default()
}

/// A builtin or function that is named by a variable, or called from a text inside the one that makes
/// it: what it sets, or gets as arguments, is not followed.
fn note_indirect_builtins(
    reading: &mut Reading,
    raws: &[Raw],
    words: &[Vec<Word>],
    variables: &Variables<'_>,
) {
    const SETS: [&str; 14] = [
        "set",
        "read",
        "printf",
        "declare",
        "typeset",
        "local",
        "export",
        "readonly",
        "mapfile",
        "readarray",
        "getopts",
        "eval",
        "source",
        ".",
    ];
    for (raw, words) in raws.iter().zip(words) {
        let (Some(written), Some(program)) = (raw.words.first(), words.first().and_then(Word::program_name))
        else {
            continue;
        };
        let is_named = written.known().is_none() && SETS.contains(&program.as_str());
        let is_known = |word: &Word| word.known().is_some() || !word.choices.is_empty();
        let is_called = variables.is_outer_function(&program) && words[1..].iter().any(is_known);
        if is_named || is_called {
            reading.doubt(format!("what `{program}` does here cannot be known"));
        }
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
fn add(
    reading: &mut Reading,
    mut command: Command,
    (input, stdin): (Input<'_>, &Stdin),
    variables: &Variables<'_>,
    depth: usize,
) {
    if reading.commands.len() >= MOST {
        return reading.doubt(format!("it holds more than {MOST} commands"));
    }
    if depth > DEEPEST {
        return reading.doubt(format!("it nests more than {DEEPEST} deep"));
    }
    // A short line can be read in very many ways, each as a command of many words.
    reading.word_count += command.words.len();
    if reading.word_count > MAX_WORDS {
        return reading.doubt(format!("its commands have more than {MAX_WORDS} words"));
    }
    let words = command.words.clone();
    if !words.is_empty() {
        match command.program() {
            None => reading.doubt(format!("it cannot be known which program `{}` starts", shown(&command))),
            Some(name) => {
                let name = name.to_owned();
                let depth = depth + 1;
                let mut inside = Inside {
                    reading,
                    words: &words,
                    input,
                    stdin,
                    variables,
                    arguments: &[],
                    is_interactive: false,
                    depth,
                };
                inside.look(&name);
                command.is_interactive = inside.is_interactive;
                // `git-push -f` is `git push -f`.
                if let Some(verb) = name.strip_prefix("git-").filter(|verb| !verb.is_empty()) {
                    let mut words = words.clone();
                    words.splice(..1, [Word::literal("git"), Word::literal(verb)]);
                    reading.commands.push(Command::new(words, command.assigns.clone(), Vec::new()));
                }
            }
        }
    }
    reading.commands.push(command);
}

/// Adds a command of which only the words are known, and everything it would start.
pub(super) fn add_command(reading: &mut Reading, words: Vec<Word>) {
    let command = Command::new(words, Vec::new(), Vec::new());
    add(reading, command, (Input::Unknown, &Stdin::Pipe(None)), &Variables::default(), 1);
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
    pub(super) arguments: &'a [Word],
    pub(super) stdin: &'a Stdin,
    /// Whether it prompts for commands.
    pub(super) is_interactive: bool,
    depth: usize,
}

impl Inside<'_, '_> {
    /// Reads a text that this command would run.
    pub(super) fn read(&mut self, text: &str) {
        let stdin = match (self.stdin, self.input) {
            // The shell reads this text as its script, so it is not the input of the script's commands.
            (_, Input::Known(input)) if input == text => None,
            (Stdin::Text(word), _) => Some(word.clone()),
            (_, Input::Known(input)) => Some(Word::literal(input)),
            (_, Input::File(_) | Input::Printed(_) | Input::Unknown) => None,
        };
        let around =
            Around { variables: Some(self.variables), arguments: self.arguments, stdin: stdin.as_ref() };
        read_into(self.reading, text, self.depth, around);
    }

    fn look(&mut self, program: &str) {
        match runs(program) {
            None => {}
            Some(Runs::Command(options, skip)) => self.commands_behind(&options, skip),
            Some(Runs::Shell) => self.shell(),
            Some(Runs::Line) => self.line(self.behind_dashes()),
            Some(Runs::LineBehind(options, skip)) => self.line_behind(&options, skip),
            Some(Runs::OptionC(options, skip)) => self.option_c(&options, skip),
            Some(Runs::Group) => self.group_line(),
            Some(Runs::Interpreter(interpreter)) => self.interpreter(interpreter),
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
    pub(super) fn behind_dashes(&self) -> usize {
        if self.text(1).as_deref() == Some("--") { 2 } else { 1 }
    }

    pub(super) fn text(&self, at: usize) -> Option<String> {
        self.words.get(at).and_then(Word::known)
    }

    /// The words behind the options, and behind so many more, are a command.
    pub(super) fn commands_behind(&mut self, options: &Options, skip: usize) {
        for start in options.starts(self.words, 1) {
            self.count_tried(start);
            // A word that is not known may be several: options, and the command itself.
            let passed = self.words.iter().skip(start).take(skip);
            if passed.clone().any(|word| word.pieces.contains(&Piece::Any)) {
                self.unknown_text();
            }
            self.command_at(start + skip);
        }
    }

    /// The first index at which the command may begin.
    pub(super) fn first_start(&self, options: &Options, from: usize) -> usize {
        options.starts(self.words, from).first().copied().unwrap_or(self.words.len())
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
            add(self.reading, command, (self.input, self.stdin), self.variables, self.depth);
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

    pub(super) fn unknown_text(&mut self) {
        let program = self.words.first().map(Word::text).unwrap_or_default();
        self.reading.doubt(format!("the text that `{program}` runs cannot be known"));
    }

    /// Where a shell elsewhere would read the here-document.
    fn known_input(&mut self) {
        if let Input::Known(text) = self.input {
            self.read(text);
        }
    }

    /// `ssh host line`, `watch line`.
    fn line_behind(&mut self, options: &Options, skip: usize) {
        let start = self.first_start(options, 1) + skip;
        let start = if skip > 0 { self.first_start(options, start) } else { start };
        match (start < self.words.len(), self.input) {
            (true, _) => self.line(start),
            (false, Input::Known(_)) => self.known_input(),
            (false, _) => self.is_interactive = skip > 0 && *self.stdin == Stdin::Inherited,
        }
    }

    fn option_c(&mut self, options: &Options, skip: Option<usize>) {
        let mut is_given = false;
        for at in 1..self.words.len() {
            let Some(text) = self.text(at) else {
                // What the line itself makes may be `-c`.
                if self.words[at].pieces.contains(&Piece::Any) {
                    self.unknown_text();
                }
                continue;
            };
            match option_value(&text, at, 'c', &["command", "session-command"]) {
                Some(OptionValue::Glued(line)) => {
                    self.read(&line);
                    is_given = true;
                }
                Some(OptionValue::At(value)) => {
                    self.text_at(value);
                    is_given = true;
                }
                None => {}
            }
        }
        // `runuser -u me cmd` takes a command and no text.
        let names_user = (1..self.words.len())
            .any(|at| self.text(at).is_some_and(|text| text.starts_with("-u") || text.starts_with("--u")));
        match skip.or(names_user.then_some(0)) {
            Some(skip) => self.commands_behind(options, skip),
            None if is_given => {}
            None => {
                self.is_interactive = *self.stdin == Stdin::Inherited;
                self.known_input();
            }
        }
    }

    /// `sg group line`, `sg group -c line`.
    fn group_line(&mut self) {
        let is_option = |at: usize| self.text(at).is_some_and(|text| text.starts_with('-'));
        let first = (1..self.words.len()).filter(|at| !is_option(*at)).nth(1);
        match first {
            Some(at) => self.text_at(at),
            None => self.option_c(&Options::NONE, None),
        }
    }

    fn subcommand(&mut self, names: &[&str]) {
        let named = |at: &usize| self.text(*at).is_some_and(|text| names.contains(&text.as_str()));
        // Options with values may stand before it, but hardly more than these.
        if let Some(at) = (1..self.words.len().min(6)).find(named) {
            for start in Options::NONE.starts(self.words, at + 1) {
                self.command_at(start);
            }
        }
    }

    fn command_word(&mut self) {
        let looks = self.text(1).is_some_and(|text| matches!(text.as_str(), "-v" | "-V" | "-pv" | "-pV"));
        if !looks {
            self.commands_behind(&Options::short("pvV", ""), 0);
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

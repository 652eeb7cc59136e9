//! Reads a command line as a shell would: every program that it would start,
//! wherever it stands.
//!
//! The rooms, in the order a text passes them: `lexer` with `quotes` and
//! `expansions` (characters → words), `grammar` with `compound` and `redirects` (words →
//! simple commands, those of substitutions and here-documents included), `fields` with `braces` and
//! `variables` (what the text itself sets), `inner` with `stdin`, `wrappers`, `options`, `env_split`, `scripts` and `anywhere`
//! (commands that are arguments of commands: `sudo`, `sh -c`, `find -exec`), `builtins` and `evaluation` (texts
//! that a shell runs by itself).
//!
//! It reads more than a shell accepts, because it looks for commands and runs
//! none; and where it cannot know what would run, it says so in
//! [`Reading::unclear`] rather than guess. Time is linear in the text, and no
//! nesting can exhaust the stack.
//!
//! Pure: a text in, commands out.

mod anywhere;
mod braces;
mod builtins;
mod compound;
mod env_split;
mod evaluation;
mod expansions;
mod fields;
mod grammar;
mod inner;
mod lexer;
mod options;
mod quotes;
mod redirects;
mod scripts;
mod stdin;
#[cfg(test)]
mod tests;
mod variables;
mod word;
mod wrappers;

pub use word::{Change, Changed, Piece, Word};

/// Whether this program is known to run another one that its arguments name: `sudo`, `sh -c`.
/// An interpreter of another language runs a script instead.
pub fn runs_others(program: &str) -> bool {
    wrappers::runs(program).is_some_and(|runs| !matches!(runs, wrappers::Runs::Interpreter(_)))
}

/// A longer text is not read.
pub const LONGEST: usize = 256 * 1024;
/// Substitutions, groups and shells inside shells nest no deeper.
pub const DEEPEST: usize = 40;
/// Scripts that write scripts are followed no further.
const MAX_ROUNDS: usize = 8;
/// The name of a variable whose name is not known: `export "$x"`.
pub const UNKNOWN_NAME: &str = "…";
/// More commands than this are not looked at.
pub const MOST: usize = 20_000;
/// Limits the words of all commands of a line together; past it the line is in doubt.
const MAX_WORDS: usize = 150_000;

/// What a text would start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// Every simple command, in no particular order.
    pub commands: Vec<Command>,
    /// Why something may run that is not among them.
    pub unclear: Option<String>,
    /// Why a rule that allows must not rely on the commands, although all of them are known:
    /// what a name means may change, or a value from elsewhere is evaluated.
    pub unclear_to_allow: Option<String>,
    /// How many words were taken for the beginning of a command.
    tried: usize,
    /// How many words all commands have.
    word_count: usize,
    /// Whether the shell evaluates a text as arithmetic or as a subscript somewhere.
    evaluates: bool,
    /// Texts that such an evaluation may reach.
    texts: Vec<evaluation::LatentText>,
    /// How many of them were read.
    texts_read: usize,
    /// The names of aliases that the line makes.
    renamed: Vec<String>,
    /// The files that shells run.
    scripts: Vec<String>,
    /// The files that the line writes.
    written: Vec<scripts::WrittenFile>,
    /// The names that the line gives to other files.
    links: Vec<scripts::LinkedFile>,
    /// Whether a relative name may lead to a device.
    enters_devices: bool,
}

/// One simple command, quoting undone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Command {
    /// The program and its arguments; none for assignments or redirections alone.
    pub words: Vec<Word>,
    /// The names of the variables set before it or by it.
    pub assigns: Vec<String>,
    /// Where its input comes from and where its output goes.
    pub redirects: Vec<Redirect>,
    /// Whether it is a shell or an interpreter without a script, which prompts for commands.
    pub is_interactive: bool,
    name: Option<String>,
}

/// A redirection to or from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Redirect {
    /// Whether the file is written.
    pub writes: bool,
    /// The file.
    pub target: Word,
}

impl Command {
    fn new(words: Vec<Word>, assigns: Vec<String>, redirects: Vec<Redirect>) -> Command {
        let name = words.first().and_then(Word::program_name);
        Command { words, assigns, redirects, is_interactive: false, name }
    }

    /// The program's name without its directory; none when it cannot be known.
    pub fn program(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What follows the program.
    pub fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The words with all that they may be.
    pub fn possible_line(&self) -> String {
        let all = self.words.iter().flat_map(|word| std::iter::once(word).chain(&word.choices));
        all.map(Word::text).collect::<Vec<_>>().join(" ")
    }

    /// The words as one line, for expressions and messages.
    pub fn line(&self) -> String {
        let words: Vec<String> = self.words.iter().map(Word::text).collect();
        words.join(" ")
    }
}

/// Reads a command line.
pub fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    inner::read_into(&mut reading, text, 0, inner::Around::default());
    // What is read may write scripts and run others.
    for _ in 0..MAX_ROUNDS {
        let before = reading.commands.len();
        scripts::read_linked(&mut reading);
        scripts::read_written(&mut reading);
        evaluation::evaluate(&mut reading);
        if reading.commands.len() == before {
            return reading;
        }
    }
    reading.doubt("it writes scripts that write scripts");
    reading
}

impl Reading {
    /// Keeps the first reason.
    fn doubt_to_allow(&mut self, reason: impl Into<String>) {
        self.unclear_to_allow.get_or_insert_with(|| reason.into());
    }

    /// Keeps the first reason.
    fn doubt(&mut self, reason: impl Into<String>) {
        self.unclear.get_or_insert_with(|| reason.into());
    }
}

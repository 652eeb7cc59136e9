//! Conditions on the commands that a command line would start.

use std::borrow::Cow;

use super::glob::{PathGlob, TextGlob};
use super::options::{has_exact_option, has_glob, has_option, is_option};
use super::truth::{Asking, Truth};
use crate::matcher::{Matcher, Verdict};
use crate::rule::shell::{Command, Piece, Reading, Redirect, UNKNOWN_NAME, Word};

/// What one command must be. Parts that are empty ask for nothing.
#[derive(Debug, Clone, Default)]
pub struct ShellTest {
    /// One of these programs.
    pub program: Vec<TextGlob>,
    /// All of these arguments; each is one of several spellings.
    pub args: Vec<Vec<TextGlob>>,
    /// Writes one of these files by a redirection.
    pub writes_to: Vec<PathGlob>,
    /// Reads one of these files by a redirection.
    pub reads_from: Vec<PathGlob>,
    /// Sets one of these variables for itself.
    pub assigns: Vec<TextGlob>,
    /// Prompts for commands, or does not.
    pub interactive: Option<bool>,
    /// The whole command, quoting undone, matches.
    pub matches: Option<Matcher>,
}

impl PartialEq for ShellTest {
    fn eq(&self, other: &ShellTest) -> bool {
        let pattern = |test: &ShellTest| test.matches.as_ref().map(|it| it.pattern().to_owned());
        self.program == other.program
            && self.args == other.args
            && self.writes_to == other.writes_to
            && self.reads_from == other.reads_from
            && self.assigns == other.assigns
            && self.interactive == other.interactive
            && pattern(self) == pattern(other)
    }
}

/// Whether the commands fit one of the tests: one command, or, where holding
/// makes a rule laxer, all of them. What is unclear is unclear here too.
pub(super) fn truth(reading: &Reading, tests: &[ShellTest], asking: Asking) -> Truth {
    let strict = asking.strict;
    let fits = |command: &Command| tests.iter().any(|test| test.fits(command, strict));
    if strict && reading.commands.iter().any(fits) {
        return Truth::Yes;
    }
    if let Some(doubt) = &reading.unclear {
        return Truth::Unclear(doubt.clone());
    }
    if let Some(doubt) = reading.unclear_to_allow.as_ref().filter(|_| !strict) {
        return Truth::Unclear(doubt.clone());
    }
    if strict {
        return asking.no(|| format!("the command line would run none of {}", all(tests)));
    }
    match reading.commands.iter().find(|command| !fits(command)) {
        Some(other) => asking.no(|| format!("`{}` is none of {}", shown(other), all(tests))),
        None if reading.commands.is_empty() => Truth::No("the command line would run nothing".to_owned()),
        None => Truth::Yes,
    }
}

fn all(tests: &[ShellTest]) -> String {
    tests.iter().map(ShellTest::summary).collect::<Vec<_>>().join(", ")
}

fn shown(command: &Command) -> String {
    let line = command.line();
    let short: String = line.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}

impl ShellTest {
    /// `git push --force`: a program and its arguments.
    pub fn of_line(line: &str) -> ShellTest {
        let mut words = line.split_whitespace();
        ShellTest {
            program: words.next().map(ShellTest::program).into_iter().collect(),
            args: words.map(|word| vec![TextGlob::new(word)]).collect(),
            ..ShellTest::default()
        }
    }

    /// A program by name, which some file systems find in any case; or by path.
    pub fn program(name: &str) -> TextGlob {
        if name.contains('/') { TextGlob::new(name) } else { TextGlob::new(&name.to_ascii_lowercase()) }
    }

    /// In a few words.
    pub fn summary(&self) -> String {
        let choice = |globs: &[TextGlob]| globs.iter().map(TextGlob::pattern).collect::<Vec<_>>().join("|");
        let mut words: Vec<String> = Vec::new();
        if !self.program.is_empty() {
            words.push(choice(&self.program));
        }
        words.extend(self.args.iter().map(|arg| choice(arg)));
        let files = |globs: &[PathGlob]| globs.iter().map(PathGlob::pattern).collect::<Vec<_>>().join("|");
        if !self.writes_to.is_empty() {
            words.push(format!("> {}", files(&self.writes_to)));
        }
        if !self.reads_from.is_empty() {
            words.push(format!("< {}", files(&self.reads_from)));
        }
        if !self.assigns.is_empty() {
            words.insert(0, format!("{}=…", choice(&self.assigns)));
        }
        words.extend(self.interactive.map(|wanted| format!("(interactive: {wanted})")));
        words.extend(self.matches.as_ref().map(|matcher| format!("/{}/", matcher.pattern())));
        format!("`{}`", words.join(" "))
    }

    fn fits(&self, command: &Command, strict: bool) -> bool {
        // A command that is allowed must not bring more than the rule speaks of.
        let lax = !strict;
        if lax && (self.brings_more(command) || command.words.is_empty()) {
            return false;
        }
        let is_program = if lax { self.is_exactly_program(command) } else { self.is_program(command) };
        let has_args = if lax { self.begins_with_args(command.args()) } else { self.has_args(command) };
        (self.program.is_empty() || is_program)
            && has_args
            && (self.writes_to.is_empty() || has_redirect(command, true, &self.writes_to, strict))
            && (self.reads_from.is_empty() || has_redirect(command, false, &self.reads_from, strict))
            && (self.assigns.is_empty() || self.assigns_one(command, strict))
            && self.interactive.is_none_or(|wanted| wanted == command.is_interactive)
            && self.matches.as_ref().is_none_or(|matcher| {
                let fits = |line: &str| matcher.matches(line) != Verdict::NoMatch;
                fits(&command.line()) || (strict && fits(&command.possible_line()))
            })
    }

    fn assigns_one(&self, command: &Command, strict: bool) -> bool {
        let is_one = |name: &String| match name == UNKNOWN_NAME {
            true => strict,
            false => any(&self.assigns, name),
        };
        let names = &command.assigns;
        if strict { names.iter().any(is_one) } else { !names.is_empty() && names.iter().all(is_one) }
    }

    fn brings_more(&self, command: &Command) -> bool {
        let writes =
            |redirect: &&Redirect| redirect.writes && redirect.target.known().as_deref() != Some("/dev/null");
        let reads = |redirect: &Redirect| !redirect.writes;
        (self.writes_to.is_empty() && command.redirects.iter().filter(writes).count() > 0)
            || (self.reads_from.is_empty() && command.redirects.iter().any(reads))
            || (self.assigns.is_empty() && !command.assigns.is_empty())
    }

    fn is_program(&self, command: &Command) -> bool {
        let Some(name) = command.program() else { return false };
        self.program.iter().any(|glob| {
            // A pattern with a slash means that very path.
            let is_path = glob.pattern().contains('/');
            glob.matches(name)
                || (is_path && command.words.first().is_some_and(|word| glob.matches(&word.text())))
        })
    }

    /// The program as a rule that allows must know it: by its name alone or in a directory of
    /// the system, for `./ls` may be anything.
    fn is_exactly_program(&self, command: &Command) -> bool {
        let Some(word) = command.words.first().filter(|word| !has_glob(word)) else { return false };
        let Some(path) = word.known() else { return false };
        let name = SYSTEM.iter().find_map(|directory| path.strip_prefix(directory)).unwrap_or(&path);
        self.program.iter().any(|glob| match glob.pattern().contains('/') {
            true => glob.matches(&path),
            false => !name.contains(['/', '\\']) && (glob.matches(name) || glob.matches(&without_exe(name))),
        })
    }

    /// The words in their order with nothing foreign before the last of them: `git push status`
    /// is no `git status`. Options may stand anywhere before `--`.
    fn begins_with_args(&self, args: &[Word]) -> bool {
        let exactly = |glob: &TextGlob, arg: &Word| {
            !has_glob(arg) && arg.known().is_some_and(|text| glob.matches(&text))
        };
        let end = args.iter().position(|arg| arg.known().as_deref() == Some("--")).unwrap_or(args.len());
        let known: Vec<Word> =
            args[..end].iter().filter(|arg| arg.known().is_some() && !has_glob(arg)).cloned().collect();
        let is_asked_for = |arg: &Word| {
            let mut options = self.args.iter().flatten().filter(|glob| is_option(glob));
            options.any(|option| exactly(option, arg))
        };
        let mut place = 0;
        self.args.iter().all(|spellings| {
            let (options, words): (Vec<_>, Vec<_>) = spellings.iter().partition(|glob| is_option(glob));
            if options.iter().any(|option| has_exact_option(option, &known)) {
                return true;
            }
            while args.get(place).is_some_and(is_asked_for) {
                place += 1;
            }
            place += 1;
            args.get(place - 1).is_some_and(|arg| words.iter().any(|word| exactly(word, arg)))
        })
    }

    /// Options in any order, other words in theirs.
    fn has_args(&self, command: &Command) -> bool {
        let (program, args) = (command.program().unwrap_or_default(), command.args());
        let end = args.iter().position(|arg| arg.known().as_deref() == Some("--")).unwrap_or(args.len());
        let before_end = with_choices(&args[..end]);
        let args = with_choices(args);
        let mut place = 0;
        self.args.iter().all(|spellings| {
            let (options, words): (Vec<_>, Vec<_>) = spellings.iter().partition(|glob| is_option(glob));
            if options.iter().any(|option| has_option(program, option, &before_end)) {
                return true;
            }
            let found = args[place.min(args.len())..]
                .iter()
                .position(|arg| words.iter().any(|word| could_be(word, arg)));
            place += found.map_or(0, |at| at + 1);
            found.is_some()
        })
    }
}

/// Where programs stand that nobody but the system's owner puts there.
const SYSTEM: [&str; 3] = ["/bin/", "/usr/bin/", "/usr/local/bin/"];

fn without_exe(name: &str) -> String {
    name.strip_suffix(".exe").unwrap_or(name).to_owned()
}

fn any(globs: &[TextGlob], text: &str) -> bool {
    globs.iter().any(|glob| glob.matches(text))
}

/// The words, and behind each what it may be.
fn with_choices(args: &[Word]) -> Cow<'_, [Word]> {
    if args.iter().all(|arg| arg.choices.is_empty()) {
        return Cow::Borrowed(args);
    }
    args.iter().flat_map(|arg| std::iter::once(arg).chain(&arg.choices)).cloned().collect()
}

/// Whether a word is this, or could be once its unknown parts are known. A
/// word of which nothing is known is taken for nothing.
pub(super) fn could_be(glob: &TextGlob, arg: &Word) -> bool {
    if let Some(text) = arg.known()
        && !(has_glob(arg) && text.starts_with('-'))
    {
        return glob.matches(&text);
    }
    let begins_known = matches!(arg.pieces.first(), Some(Piece::Text(text)) if !text.is_empty());
    // What the line itself makes, in a way that is not followed, may be the whole word; without quotes, several.
    if (arg.is_unknown() || !arg.quoted) && arg.pieces.contains(&Piece::Any) {
        return true;
    }
    if arg.is_unknown() || (!begins_known && !glob.is_plain()) {
        return false;
    }
    glob.could_match(&with_gaps(arg))
}

/// The characters of a word, with none where something unknown stands.
fn with_gaps(word: &Word) -> Vec<Option<char>> {
    let mut text: Vec<Option<char>> = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(known) => text.extend(known.chars().map(Some)),
            Piece::Mark(mark @ ('{' | '}' | ',')) => text.push(Some(*mark)),
            // Where a set of characters ends is not worth knowing.
            Piece::Mark('[') => {
                text.push(None);
                break;
            }
            Piece::Mark(_)
            | Piece::Variable { .. }
            | Piece::Changed(_)
            | Piece::List(_)
            | Piece::Unknown
            | Piece::Any
            | Piece::Process
            | Piece::Space => text.push(None),
        }
    }
    text
}

/// One such file, which may be it once it is known; or, to allow, such files alone.
fn has_redirect(command: &Command, writes: bool, globs: &[PathGlob], strict: bool) -> bool {
    let mut files = command.redirects.iter().filter(|redirect| redirect.writes == writes).peekable();
    if strict {
        return files.any(|redirect| {
            let target = &redirect.target;
            // What it is by the text itself says more than that it is not known.
            let choices =
                if target.choices.is_empty() { std::slice::from_ref(target) } else { &target.choices };
            choices.iter().any(|file| could_be_file(globs, file))
        });
    }
    let is_one = |redirect: &Redirect| {
        let file = redirect.target.known().filter(|_| !has_glob(&redirect.target));
        file.is_some_and(|file| globs.iter().any(|glob| glob.matches(&file)))
    };
    files.peek().is_some() && files.all(is_one)
}

fn could_be_file(globs: &[PathGlob], file: &Word) -> bool {
    if file.pieces == [Piece::Process] {
        return false;
    }
    let text = with_gaps(file);
    globs.iter().any(|glob| glob.could_match(&text))
}

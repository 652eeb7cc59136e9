//! Makes command lines, most of which run a denied program in some way. The same seed and number make the same line.

use super::random::Random;
use super::tables::{
    ARGUMENT, BLIND, COMMANDS, EVALUATIONS, PREFIXES, REFERENCES, SCRIPT_WORDS, SETTINGS, STATEMENTS, TEXTS,
};

/// One generated line.
#[derive(Debug, Clone)]
pub struct Line {
    pub text: String,
    /// The templates that it is made of.
    pub templates: Vec<&'static str>,
    /// Why a rule may be silent, and the same line without what hides it.
    pub blind: Option<(&'static str, String)>,
}

/// One word of a command.
#[derive(Debug, Clone)]
struct Argument {
    value: String,
    /// Whether it is an argument of the denied program: only such a word may come out of a substitution.
    may_be_unknown: bool,
}

impl Argument {
    fn plain(value: impl Into<String>) -> Argument {
        Argument { value: value.into(), may_be_unknown: false }
    }
}

/// Makes one line.
pub struct Generator {
    pub(super) random: Random,
    /// What must run before the command that is being made.
    pub(super) setup: Vec<String>,
    templates: Vec<&'static str>,
    /// Whether what hides from rules is written in the open.
    reveals: bool,
    blind: Option<&'static str>,
    variables: usize,
    /// How many more words may be put together out of variables.
    pub(super) tricks: usize,
}

/// Programs that rules deny, with arguments that they deny.
const DENIED: &[&str] = &[
    "rm -rf x",
    "rm -fr x",
    "rm -r -f x",
    "rm -Rf x y",
    "rm x -rf",
    "rm -f -v -r x",
    "rm --recursive --force x",
    "rm --rec --fo x",
    "rm -r --force ./x",
    "rm -rfv -- x",
    "git push --force",
    "git push -f",
    "git push origin main --force",
    "git push -uf origin x",
    "git -C . push -f",
    "git -c a=b push --force origin",
    "git push -qf",
    "git --no-pager push origin -f",
];
/// A program that is on no list of what is allowed.
const UNKNOWN: &[&str] = &["cmd", "cmd a"];
/// Lines that run nothing but what is on the list.
const PLAIN: &[&str] = &[
    "ls",
    "ls -la .",
    "git status",
    "git status --short",
    "ls; git status",
    "ls && ls -a || git status",
    "ls | ls",
    "(ls; git status)",
    "{ ls; }",
    "if ls; then git status; fi",
    "for f in a b; do ls; done",
    "ls >/dev/null 2>&1",
    "while ls nothing; do ls; done",
    "ls 'a b' \"c\" \\d",
    "ls # git push -f",
];
/// What mutations insert.
const PIECES: &[&str] = &[
    "'", "\"", "`", "\\", "$(", ")", "(", "{ ", "}", "; ", ";", "\n", " ", " & ", "|", "&&", "#", " #",
    "<<E\n", "\nE\n", "$'", "${", "$((", "))", "[[ ", " ]]", "!", "if ", "fi", "then ", "done", "do ",
    "esac", "*", "?", "~", "<(", ">", "<", "<<<", "=", "\t", "\\\n", "''", "\"\"", "$x", "é", "{a,", ",b}",
    "[", "]", "x=", "+=", "in ", "case ", "-",
];

/// A line for a rule that denies.
pub fn line(seed: u64, number: u64) -> Line {
    made(seed, number, |generator| generator.whole_line(DENIED))
}

/// A line of `ls` and `git status` that may run something else, for a rule that allows these two.
pub fn allowed_line(seed: u64, number: u64) -> Line {
    made(seed, number, |generator| {
        if generator.chance(30) {
            let text = generator.template(PLAIN).to_owned();
            return if generator.chance(40) { generator.mutated(&text) } else { text };
        }
        let text = generator.hidden_in_data();
        generator.surrounded(text)
    })
}

fn made(seed: u64, number: u64, make: impl Fn(&mut Generator) -> String) -> Line {
    let (hidden, generator) = Generator::run(seed, number, false, &make);
    let blind = generator.blind.map(|reason| (reason, Generator::run(seed, number, true, &make).0));
    Line { text: hidden, templates: generator.templates, blind }
}

impl Generator {
    fn run(
        seed: u64,
        number: u64,
        reveals: bool,
        make: &impl Fn(&mut Generator) -> String,
    ) -> (String, Generator) {
        // Neighbouring numbers must not give similar lines.
        let mixed = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mut generator = Generator {
            random: Random::seeded(mixed ^ (mixed >> 31)),
            setup: Vec::new(),
            templates: Vec::new(),
            reveals,
            blind: None,
            variables: 0,
            tricks: 2,
        };
        generator.random.below(7);
        let text = make(&mut generator);
        (text, generator)
    }

    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.random.below(100) < percent
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit as u64) as usize
    }

    /// One of a table's templates, noted.
    pub(super) fn template(&mut self, table: &[&'static str]) -> &'static str {
        let chosen = table[self.below(table.len())];
        self.templates.push(chosen);
        chosen
    }

    pub(super) fn fresh_name(&mut self) -> String {
        self.variables += 1;
        format!("v{}", self.variables)
    }

    fn whole_line(&mut self, programs: &[&str]) -> String {
        let depth = [0, 1, 1, 1, 2, 2, 3][self.below(7)];
        let text = self.script(programs, depth);
        if self.blind.is_none() && !self.reveals && self.chance(12) && may_be_mutated(&text) {
            return self.mutated(&text);
        }
        text
    }

    /// A text that runs one of the programs, with all that it needs.
    fn script(&mut self, programs: &[&str], depth: usize) -> String {
        let around = std::mem::take(&mut self.setup);
        let text = match (depth, self.below(100)) {
            (0, _) | (_, 0..25) => {
                let arguments = self.arguments(programs, depth);
                self.command(arguments)
            }
            (_, 25..45) => {
                let inner = self.script(programs, depth - 1);
                let template = self.template(STATEMENTS);
                self.filled_script(template, &inner)
            }
            (_, 45..85) => {
                let inner = self.script(programs, depth - 1);
                let template = self.template(TEXTS);
                self.filled_script(template, &inner)
            }
            (_, 85..97) => {
                let inner = self.script(programs, depth - 1);
                let template = self.template(EVALUATIONS);
                self.filled_script(template, &inner)
            }
            _ => self.blind_script(programs, depth - 1),
        };
        let mut setup = std::mem::replace(&mut self.setup, around);
        setup.push(text);
        let mut whole = String::new();
        for part in setup {
            if !whole.is_empty() {
                whole.push_str(self.end_of(&whole.clone()));
            }
            whole.push_str(&part);
        }
        whole
    }

    /// Something that rules cannot see; in the open where that is asked for.
    fn blind_script(&mut self, programs: &[&str], depth: usize) -> String {
        let row = &BLIND[self.below(BLIND.len())];
        let template = if self.reveals { row.open } else { row.hidden };
        if self.blind.is_none() {
            self.blind = Some(row.reason);
        }
        self.templates.push(row.hidden);
        let tricks = std::mem::take(&mut self.tricks);
        // Both forms must make the same random choices, so nothing is spelled at random.
        let text = if template.contains("%Q") {
            let inner = self.script(programs, depth.min(1));
            template.replace("%Q", &single_quoted(&inner))
        } else {
            let program = programs[self.below(programs.len())];
            let (name, rest) = program.split_once(' ').unwrap_or((program, ""));
            template
                .replace("%0", "rm")
                .replace("%P", name)
                .replace("%R", rest)
                .replace("%r", &single_quoted(rest))
        };
        self.tricks = tricks;
        text
    }

    /// The words of a command that runs one of the programs.
    fn arguments(&mut self, programs: &[&str], depth: usize) -> Vec<Argument> {
        match (depth, self.below(10)) {
            (0, _) | (_, 0..2) => {
                let line = programs[self.below(programs.len())];
                let words = line.split(' ').enumerate();
                words
                    .map(|(at, value)| Argument { value: value.to_owned(), may_be_unknown: at > 0 })
                    .collect()
            }
            (_, 2..6) => {
                let mut words = split(self.template(PREFIXES));
                words.extend(self.arguments(programs, depth - 1));
                words
            }
            _ => {
                let words = split(self.template(SCRIPT_WORDS));
                let quoted = words.iter().any(|word| word.value.contains("%E"));
                let text = match quoted {
                    true => {
                        let inner = self.arguments(programs, depth - 1);
                        self.env_quoted(&inner.into_iter().map(|it| it.value).collect::<Vec<_>>())
                    }
                    false => self.script(programs, depth - 1),
                };
                let fill =
                    |word: Argument| Argument::plain(word.value.replace("%T", &text).replace("%E", &text));
                words.into_iter().map(fill).collect()
            }
        }
    }

    fn command(&mut self, arguments: Vec<Argument>) -> String {
        let template = if self.chance(45) { self.template(COMMANDS) } else { "%A" };
        let values: Vec<&str> = arguments.iter().map(|it| it.value.as_str()).collect();
        let joined = values.join(" ");
        let rest = values[1..].join(" ");
        let mut text = String::new();
        let mut chars = template.chars().peekable();
        while let Some(character) = chars.next() {
            let letter = chars.peek().copied().unwrap_or(' ');
            let part = match (character, letter) {
                ('%', 'A') => self.spelled_all(&arguments, " "),
                ('%', 'P') => self.spelled(&arguments[0]),
                ('%', 'R') => self.spelled_all(&arguments[1..], " "),
                ('%', 'C') => self.spelled_all(&arguments, ","),
                ('%', 'c') => self.spelled_all(&arguments[1..], ","),
                ('%', '0') => values[0].to_owned(),
                ('%', 'j') => self.word(&joined),
                ('%', 'r') => self.word(&rest),
                ('%', 'i') => self.word(&values.join(",")),
                ('%', 'n') => self.word(&values.join("\n")),
                ('%', 'Z') => single_quoted(&single_quoted(&rest)),
                _ => {
                    text.push(character);
                    continue;
                }
            };
            chars.next();
            text.push_str(&part);
        }
        text
    }

    fn spelled_all(&mut self, arguments: &[Argument], separator: &str) -> String {
        let words: Vec<String> = arguments.iter().map(|argument| self.spelled(argument)).collect();
        words.join(separator)
    }

    fn spelled(&mut self, argument: &Argument) -> String {
        if argument.may_be_unknown && self.chance(1) {
            self.blind = self.blind.or(Some(ARGUMENT));
            let plain = single_quoted(&argument.value);
            return if self.reveals { plain } else { format!("$(echo {plain})") };
        }
        self.word(&argument.value)
    }

    /// A template around a script.
    pub(super) fn filled_script(&mut self, template: &str, script: &str) -> String {
        let ends = script.contains("<<") || script.contains('#');
        let mut text = String::new();
        let mut chars = template.chars().peekable();
        while let Some(character) = chars.next() {
            let letter = chars.peek().copied().unwrap_or(' ');
            let part = match (character, letter) {
                ('%', 'T') => script.to_owned(),
                ('%', ';') if ends || self.chance(30) => "\n".to_owned(),
                ('%', ';') => "; ".to_owned(),
                ('%', '.') if ends => "\n".to_owned(),
                ('%', '.') => String::new(),
                ('%', 'Q') => self.word(script),
                ('%', 'Z') => single_quoted(&single_quoted(script)),
                ('%', 'S') => single_quoted(script)[1..single_quoted(script).len() - 1].to_owned(),
                ('%', 'B') => escaped(script, "\\`"),
                ('%', 'H') => escaped(script, "\\`$"),
                ('%', 'L') => self.word(&format!("$({script}\n)")),
                ('%', 'G') => single_quoted(&format!("a[$({script}\n)]")),
                ('%', 'M') if self.chance(20) => self.word(&format!("a[`{}`]", escaped(script, "\\`"))),
                ('%', 'M') => self.word(&format!("a[$({script}{})]", if ends { "\n" } else { "" })),
                _ => {
                    text.push(character);
                    continue;
                }
            };
            chars.next();
            text.push_str(&part);
        }
        text
    }

    /// Runs a program that is on no list by an evaluation in a line of `ls`.
    fn hidden_in_data(&mut self) -> String {
        let program = UNKNOWN[self.below(UNKNOWN.len())];
        self.tricks = 1;
        let template = match self.below(10) {
            0..8 => self.template(EVALUATIONS),
            _ => self.template(TEXTS),
        };
        let text = self.filled_script(template, program).replace(": ", "ls ");
        let setup: String = std::mem::take(&mut self.setup).iter().map(|part| format!("{part}\n")).collect();
        setup + &text
    }

    fn surrounded(&mut self, text: String) -> String {
        match self.below(6) {
            0 => format!("{text}; ls"),
            1 => format!("ls; {text}"),
            2 => format!("for f in a; do {text}\ndone"),
            3 => format!("git status; {text}"),
            _ => text,
        }
    }

    fn mutated(&mut self, text: &str) -> String {
        self.templates.push("(mutated)");
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..1 + self.below(3) {
            let at = self.below(chars.len().max(1));
            match self.below(5) {
                0 if at < chars.len() => drop(chars.remove(at)),
                1 if at + 1 < chars.len() => chars.swap(at, at + 1),
                2 if at < chars.len() => chars.insert(at, chars[at]),
                _ => {
                    let piece = PIECES[self.below(PIECES.len())];
                    chars.splice(at..at, piece.chars());
                }
            }
        }
        chars.into_iter().filter(|it| *it != '\0').collect()
    }

    fn end_of(&mut self, text: &str) -> &'static str {
        let needs_line = text.contains("<<") || text.contains('#');
        if needs_line || self.chance(40) { "\n" } else { "; " }
    }

    pub(super) fn setting(&mut self) -> &'static str {
        self.template(SETTINGS)
    }

    pub(super) fn reference(&mut self) -> &'static str {
        self.template(REFERENCES)
    }
}

/// Whether a random change cannot turn a name into that of a real program elsewhere.
fn may_be_mutated(text: &str) -> bool {
    !["bin/", "PATH", "env", "/dev", "/proc"].iter().any(|part| text.contains(part))
}

fn split(words: &str) -> Vec<Argument> {
    words.split(' ').map(|word| Argument::plain(word.replace('~', " "))).collect()
}

pub fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

pub fn escaped(text: &str, characters: &str) -> String {
    let mut result = String::new();
    for character in text.chars() {
        if characters.contains(character) {
            result.push('\\');
        }
        result.push(character);
    }
    result
}

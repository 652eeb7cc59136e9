//! Options of programs, read as GNU `getopt_long` reads them: clusters, glued values, `=`, and
//! abbreviations of long names.

use super::grammar::argument_assignment;
use super::word::Word;

/// The options of a program that runs a command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Options {
    /// Letters that take no value.
    pub flags: &'static str,
    /// Letters that take a value, glued or as the next word.
    pub values: &'static str,
    /// Long options without a value, without their dashes.
    pub long_flags: &'static [&'static str],
    /// Long options with a value, without their dashes.
    pub long_values: &'static [&'static str],
}

/// A value of an option: glued to it, or the word at this index.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OptionValue {
    Glued(String),
    At(usize),
}

/// What the word at one index does to the search for the command.
struct Step {
    /// Whether the command may begin here.
    is_start: bool,
    /// Where the search goes on.
    next: Vec<usize>,
}

impl Options {
    pub const NONE: Options = Options::short("", "");

    pub const fn short(flags: &'static str, values: &'static str) -> Options {
        Options { flags, values, long_flags: &[], long_values: &[] }
    }

    pub const fn long(
        self,
        long_flags: &'static [&'static str],
        long_values: &'static [&'static str],
    ) -> Options {
        Options { long_flags, long_values, ..self }
    }

    /// Every index at which the command may begin. An option that is not in the table may take
    /// a value or not, so both indexes behind it are tried.
    pub fn starts(&self, words: &[Word], from: usize) -> Vec<usize> {
        let mut seen = vec![false; words.len() + 1];
        let (mut waiting, mut starts) = (vec![from], Vec::new());
        while let Some(at) = waiting.pop() {
            let Some(word) = words.get(at) else { continue };
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let step = self.step(word, at);
            if step.is_start {
                starts.push(at);
            }
            waiting.extend(step.next);
        }
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    fn step(&self, word: &Word, at: usize) -> Step {
        if argument_assignment(word).is_some() {
            return Step { is_start: false, next: vec![at + 1] };
        }
        let go = |next: Vec<usize>| Step { is_start: false, next };
        match word.known().as_deref() {
            // It may be empty, an option, or the command.
            None => Step { is_start: true, next: vec![at + 1, at + 2] },
            // The word behind `--` is the command, whatever it looks like; assignments may precede it.
            Some("--") => go(vec![at + 1]),
            Some(text) if text.starts_with("--") => go(self.behind_long(&text[2..], at)),
            Some(text) if text.starts_with('-') && text.len() > 1 => go(self.behind_letters(&text[1..], at)),
            Some("-") => Step { is_start: true, next: vec![at + 1] },
            // `env` takes any word with a `=` for an assignment.
            Some(text) if text.contains('=') => Step { is_start: true, next: vec![at + 1] },
            Some(_) => Step { is_start: true, next: Vec::new() },
        }
    }

    fn behind_long(&self, name: &str, at: usize) -> Vec<usize> {
        if name.contains('=') || self.long_flags.contains(&name) {
            return vec![at + 1];
        }
        if self.long_values.contains(&name) {
            return vec![at + 2];
        }
        let takes_none = self.long_flags.iter().any(|flag| flag.starts_with(name));
        let takes_one = self.long_values.iter().any(|value| value.starts_with(name));
        match (takes_none, takes_one) {
            (true, false) => vec![at + 1],
            (false, true) => vec![at + 2],
            _ => vec![at + 1, at + 2],
        }
    }

    fn behind_letters(&self, letters: &str, at: usize) -> Vec<usize> {
        let mut is_certain = true;
        for (place, letter) in letters.char_indices() {
            let is_last = place + letter.len_utf8() == letters.len();
            if self.values.contains(letter) {
                return match (is_last, is_certain) {
                    (true, true) => vec![at + 2],
                    (false, true) => vec![at + 1],
                    (_, false) => vec![at + 1, at + 2],
                };
            }
            is_certain &= self.flags.contains(letter);
        }
        if is_certain { vec![at + 1] } else { vec![at + 1, at + 2] }
    }
}

/// The value of the option with this letter or one of these long names, where the word at an
/// index is that option: `-cX`, `-xcX`, `-c X`, `--command=X`, `--comm X`.
pub(super) fn option_value(text: &str, at: usize, letter: char, long: &[&str]) -> Option<OptionValue> {
    if let Some(name) = text.strip_prefix("--") {
        let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        let is_it = !name.is_empty() && long.iter().any(|option| option.starts_with(name));
        return is_it.then(|| value.map_or(OptionValue::At(at + 1), |it| OptionValue::Glued(it.to_owned())));
    }
    let (_, value) = text.strip_prefix('-')?.split_once(letter)?;
    Some(if value.is_empty() { OptionValue::At(at + 1) } else { OptionValue::Glued(value.to_owned()) })
}

//! As much of the shell's grammar as a check needs: what stands in which
//! quotes, and the words of the first command.
//!
//! Approximate on purpose: the shell itself has the last word, a check only
//! points at what looks wrong.

use std::ops::Range;

/// How a place in a command line is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Not at all: the shell splits what is expanded here.
    Bare,
    /// In double quotes that start at this byte.
    Double(usize),
    /// In single quotes that start at this byte.
    Single(usize),
    /// In a comment.
    Comment,
}

/// One word as the shell would make it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The word without its quotes.
    pub value: String,
    /// Where it stands in the command line.
    pub bytes: Range<usize>,
    /// Nothing in it is expanded by the shell.
    pub literal: bool,
    /// Some of it stands in quotes.
    pub quoted: bool,
}

/// Walks along a command line and knows the quotes around every byte.
pub(super) struct Quotes<'c> {
    bytes: &'c [u8],
    at: usize,
    stack: Vec<Quoting>,
    /// Which brackets and backticks are open, as the depth of the stack at each.
    substitutions: Vec<(u8, usize)>,
}

impl<'c> Quotes<'c> {
    pub fn new(command: &'c str) -> Quotes<'c> {
        Quotes { bytes: command.as_bytes(), at: 0, stack: vec![Quoting::Bare], substitutions: Vec::new() }
    }

    /// The quotes around a byte; asked in rising order.
    pub fn at(&mut self, offset: usize) -> Quoting {
        while self.at < offset.min(self.bytes.len()) {
            self.step();
        }
        self.top()
    }

    fn top(&self) -> Quoting {
        self.stack.last().copied().unwrap_or(Quoting::Bare)
    }

    fn step(&mut self) {
        let byte = self.bytes[self.at];
        let here = self.at;
        self.at += 1;
        match (self.top(), byte) {
            (Quoting::Single(_), b'\'') | (Quoting::Double(_), b'"') | (Quoting::Comment, b'\n') => {
                self.stack.pop();
            }
            (Quoting::Single(_) | Quoting::Comment, _) => {}
            (Quoting::Bare | Quoting::Double(_), b'\\') => self.at += 1,
            (Quoting::Bare | Quoting::Double(_), b'`') => self.substitution(b'`'),
            (Quoting::Bare | Quoting::Double(_), b'$') if self.bytes.get(self.at) == Some(&b'(') => {
                self.at += 1;
                self.open(b')');
            }
            (Quoting::Double(_), _) => {}
            (Quoting::Bare, b'\'') => self.stack.push(Quoting::Single(here)),
            (Quoting::Bare, b'"') => self.stack.push(Quoting::Double(here)),
            (Quoting::Bare, b'(') => self.open(b')'),
            (Quoting::Bare, b')') => self.close(b')'),
            (Quoting::Bare, b'#') if self.starts_word(here) => self.stack.push(Quoting::Comment),
            (Quoting::Bare, _) => {}
        }
    }

    fn substitution(&mut self, tick: u8) {
        match self.substitutions.last() {
            Some((closing, depth)) if *closing == tick && *depth == self.stack.len() => self.close(tick),
            _ => self.open(tick),
        }
    }

    fn open(&mut self, closing: u8) {
        self.stack.push(Quoting::Bare);
        self.substitutions.push((closing, self.stack.len()));
    }

    fn close(&mut self, closing: u8) {
        if self.substitutions.last() == Some(&(closing, self.stack.len())) {
            self.substitutions.pop();
            self.stack.pop();
        }
    }

    fn starts_word(&self, at: usize) -> bool {
        at == 0 || matches!(self.bytes[at - 1], b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(')
    }
}

/// The words up to the first operator or comment.
pub(super) fn first_command(command: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = command.char_indices().peekable();
    while let Some((start, character)) = rest.peek().copied() {
        match character {
            ' ' | '\t' => {
                rest.next();
            }
            '#' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
            _ => words.push(word(command, start, &mut rest)),
        }
    }
    words
}

fn word(command: &str, start: usize, rest: &mut std::iter::Peekable<std::str::CharIndices>) -> Word {
    let mut word = Word { value: String::new(), bytes: start..command.len(), literal: true, quoted: false };
    let mut quote = None;
    while let Some((at, character)) = rest.peek().copied() {
        match (quote, character) {
            (None, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')') => {
                word.bytes.end = at;
                break;
            }
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.quoted = true;
            }
            (None | Some('"'), '\\') => {
                rest.next();
                word.quoted = true;
                word.value.extend(rest.peek().map(|(_, escaped)| *escaped));
            }
            (None | Some('"'), '$' | '`') | (None, '*' | '?' | '[' | '{') => {
                word.literal = false;
                word.value.push(character);
            }
            (_, character) => word.value.push(character),
        }
        rest.next();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_known_at_every_place() {
        let cases = [
            ("x", Quoting::Bare),
            ("\"a x\"", Quoting::Double(0)),
            ("'a x'", Quoting::Single(0)),
            ("\"a\" x", Quoting::Bare),
            ("\\\" x", Quoting::Bare),
            ("\"\\\" x\"", Quoting::Double(0)),
            ("\"$(a x)\"", Quoting::Bare),
            ("\"$(a) x\"", Quoting::Double(0)),
            ("\"$(a \"x\")\"", Quoting::Double(5)),
            ("\"`a x`\"", Quoting::Bare),
            ("\"`a` x\"", Quoting::Double(0)),
            ("(a; x)", Quoting::Bare),
            ("a # x", Quoting::Comment),
            ("a#x", Quoting::Bare),
            ("# a\nx", Quoting::Bare),
            ("'it' 'x'", Quoting::Single(5)),
        ];
        for (command, expected) in cases {
            let at = command.find('x').expect("an x");
            assert_eq!(Quotes::new(command).at(at), expected, "{command}");
        }
    }

    #[test]
    fn the_first_command_is_split_as_the_shell_splits_it() {
        let cases: [(&str, &[&str]); 8] = [
            ("./a.sh --x 1", &["./a.sh", "--x", "1"]),
            ("'my dir'/a.sh \"b c\"", &["my dir/a.sh", "b c"]),
            ("my\\ dir/a.sh", &["my dir/a.sh"]),
            ("./a && ./b", &["./a"]),
            ("./a>log", &["./a"]),
            ("node \"C:\\\\x\" # note", &["node", "C:\\x"]),
            ("", &[]),
            ("a\\", &["a"]),
        ];
        for (command, expected) in cases {
            let words: Vec<_> = first_command(command).into_iter().map(|word| word.value).collect();
            assert_eq!(words, expected, "{command}");
        }
    }
}

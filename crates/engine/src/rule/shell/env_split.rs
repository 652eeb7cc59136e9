//! `env -S`: its own quoting rules, which are not those of a shell.

use super::inner::Inside;
use super::options::{OptionValue, option_value};
use super::word::{Piece, Word};
use super::wrappers::ENV;

impl Inside<'_, '_> {
    pub(super) fn env(&mut self) {
        // A value of an option is looked at as an option, too: more is found, never less.
        for at in 1..self.words.len() {
            let Some(text) = self.text(at).filter(|text| text.starts_with('-')) else { continue };
            match option_value(&text, at, 'S', &["split-string"]) {
                Some(OptionValue::Glued(line)) => self.split(at, &line, at + 1),
                Some(OptionValue::At(behind)) => match self.words.get(behind).map(Word::known) {
                    Some(Some(line)) => self.split(at, &line, behind + 1),
                    Some(None) => self.unknown_text(),
                    None => {}
                },
                None => {}
            }
        }
        self.commands_behind(&ENV, 0);
    }

    /// `env A -S 'B C' D` is `env A B C D`.
    fn split(&mut self, option: usize, line: &str, rest: usize) {
        let mut words: Vec<Word> = self.words[..option].to_vec();
        words.extend(split_words(line));
        words.extend(self.words.get(rest..).unwrap_or_default().iter().cloned());
        self.command(words);
    }
}

/// The words of a text as `env -S` separates them.
fn split_words(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut current: Option<Word> = None;
    let mut quote: Option<char> = None;
    let mut chars = line.chars().peekable();
    while let Some(character) = chars.next() {
        match (character, quote) {
            ('\'', Some('\'')) | ('"', Some('"')) => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                current.get_or_insert_with(Word::default).push_text("");
            }
            ('\\', _) => match (chars.next(), quote) {
                (Some('c'), None) => break,
                (Some('_'), None) => words.extend(current.take()),
                (Some(escaped), Some('\'')) if !matches!(escaped, '\\' | '\'') => {
                    current.get_or_insert_with(Word::default).push_text(&format!("\\{escaped}"));
                }
                (Some(escaped), _) => current.get_or_insert_with(Word::default).push(unescaped(escaped)),
                (None, _) => {}
            },
            ('$', None | Some('"')) if chars.peek() == Some(&'{') => {
                chars.by_ref().take_while(|it| *it != '}').for_each(drop);
                current.get_or_insert_with(Word::default).pieces.push(Piece::Unknown);
            }
            ('#', None) if current.is_none() => break,
            (blank, None) if blank.is_ascii_whitespace() => words.extend(current.take()),
            (other, _) => current.get_or_insert_with(Word::default).push(other),
        }
    }
    words.extend(current);
    words
}

fn unescaped(character: char) -> char {
    match character {
        '_' => ' ',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        other => other,
    }
}

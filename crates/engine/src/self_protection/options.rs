//! Operands and options of a command, read so that no value is missed.
//!
//! Which letters of a cluster take a value differs between programs, so every reading of a cluster is a candidate: a
//! word that is taken for a value by mistake is hardly ever a protected path.

use crate::rule::shell::{Command, Piece, Word};

/// The arguments that are not options.
pub(super) fn operands(command: &Command) -> Vec<&Word> {
    let mut only_operands = false;
    let is_operand = |word: &&Word| {
        let text = word.text();
        if text == "--" && !only_operands {
            only_operands = true;
            return false;
        }
        only_operands || !(text.len() > 1 && text.starts_with('-'))
    };
    command.args().iter().filter(is_operand).collect()
}

/// The values of these options: glued, behind `=`, or in the next word.
pub(super) fn option_values(command: &Command, letters: &[char], names: &[&str]) -> Vec<Word> {
    let args = command.args();
    let mut values = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let text = word.text();
        let next = || args.get(at + 1).cloned();
        if let Some(long) = text.strip_prefix("--") {
            let (name, is_glued) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
            if !is_name(name, names) {
                continue;
            }
            values.extend(if is_glued { tail(word, name.len() + 3) } else { next() });
        } else if text.starts_with('-') {
            let single = text.split('=').next().unwrap_or_default();
            if names.iter().any(|name| single[1..] == **name) {
                values.extend(if single.len() < text.len() { tail(word, single.len() + 1) } else { next() });
            }
            for (place, _) in text.match_indices(letters) {
                values.extend(tail(word, place + 1).or_else(next));
            }
        }
    }
    values
}

/// Whether one of these letters is in a cluster of short options.
pub(super) fn has_letter(command: &Command, letters: &[char]) -> bool {
    command.args().iter().map(Word::text).any(|text| {
        text.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(letters))
    })
}

/// Whether one of these long options is given, with one dash or two, also shortened or with a value.
pub(super) fn has_long(command: &Command, names: &[&str]) -> bool {
    command.args().iter().map(Word::text).any(|text| {
        let name = text.split('=').next().unwrap_or_default();
        match name.strip_prefix("--") {
            Some(name) => is_name(name, names),
            None => name.strip_prefix('-').is_some_and(|name| name.len() > 1 && names.contains(&name)),
        }
    })
}

/// Whether one of these words is an argument.
pub(super) fn has_word(command: &Command, words: &[&str]) -> bool {
    command.args().iter().any(|word| words.contains(&word.text().as_str()))
}

/// Long options may be shortened.
fn is_name(given: &str, names: &[&str]) -> bool {
    const SHORTEST: usize = 3;
    names.iter().any(|name| given == *name || (given.len() >= SHORTEST && name.starts_with(given)))
}

/// What is behind so many bytes of a word; none when that is nothing.
pub(super) fn tail(word: &Word, bytes: usize) -> Option<Word> {
    let mut rest = Word::default();
    let (first, others) = word.pieces.split_first()?;
    match first {
        Piece::Text(text) => {
            let behind = text.get(bytes..)?;
            if !behind.is_empty() {
                rest.pieces.push(Piece::Text(behind.to_owned()));
            }
        }
        _ => return None,
    }
    rest.pieces.extend_from_slice(others);
    rest.choices = word.choices.iter().filter_map(|choice| tail(choice, bytes)).collect();
    (!rest.pieces.is_empty()).then_some(rest)
}

/// Whether a part of a word, or of what it may be, is known only when the command runs.
pub(super) fn is_partly_unknown(word: &Word) -> bool {
    let unknown = |word: &Word| {
        word.pieces.iter().any(|piece| !matches!(piece, Piece::Text(_) | Piece::Mark(_) | Piece::Space))
    };
    match word.choices.as_slice() {
        [] => unknown(word),
        choices => choices.iter().any(unknown),
    }
}

//! Words → the fields a program would get: braces, variables that the text
//! itself sets, separators out of variables.

use std::collections::HashMap;

use super::grammar::{Raw, assignment};
use super::word::{Piece, Word};

/// One word becomes no more than this many.
const MOST_OF_BRACES: usize = 128;
/// Long words are not written out again and again.
const LONGEST_WORK: usize = 100_000;

/// Variables whose value is certain: set once, by the text itself, to
/// something known, and named nowhere else but to be read.
#[derive(Debug, Default)]
pub(super) struct Constants(HashMap<String, String>);

impl Constants {
    pub fn of(text: &str, raws: &[Raw]) -> Constants {
        let alone = raws.iter().filter(|raw| raw.words.is_empty());
        let declared = raws.iter().filter(|raw| declares(raw)).flat_map(|raw| &raw.words[1..]);
        let set = alone.flat_map(|raw| raw.assigns.iter().cloned()).chain(declared.filter_map(assignment));
        let set: Vec<(String, Option<Word>)> = set.collect();
        if set.is_empty() {
            return Constants::default();
        }
        let mentions = mentions(text);
        let certain = |(name, value): &(String, Option<Word>)| {
            let value = value.as_ref().and_then(Word::known)?;
            (mentions.get(name.as_str()) == Some(&1)).then(|| (name.clone(), value))
        };
        Constants(set.iter().filter_map(certain).collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// `export name=value` and its kin.
fn declares(raw: &Raw) -> bool {
    const WORDS: [&str; 5] = ["export", "declare", "typeset", "local", "readonly"];
    let name = raw.words.first().and_then(Word::known);
    name.is_some_and(|name| WORDS.contains(&name.as_str()))
}

/// How often each name stands in a text other than as `$name` or `${name`.
fn mentions(text: &str) -> HashMap<&str, usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut counts = HashMap::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_part(character)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let before = &text[..from];
                if !before.ends_with('$') && !before.ends_with("${") {
                    *counts.entry(&text[from..at]).or_insert(0) += 1;
                }
                start = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    counts
}

/// The fields of a command's words; an error when braces make too many.
pub(super) fn fields(words: &[Word], constants: &Constants) -> Result<Vec<Word>, String> {
    let mut fields = Vec::with_capacity(words.len());
    for word in words {
        if word.pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
            fields.push(word.clone());
            continue;
        }
        for word in braces(word)? {
            split(&word, constants, &mut fields);
        }
    }
    Ok(fields)
}

/// Writes `{a,b}` out.
fn braces(word: &Word) -> Result<Vec<Word>, String> {
    let mut waiting = vec![word.clone()];
    let mut done = Vec::new();
    let mut steps = 0;
    while let Some(word) = waiting.pop() {
        let Some((open, commas, close)) = first_group(&word.pieces) else {
            done.push(word);
            continue;
        };
        steps += 1;
        let long = steps * word.pieces.len() > LONGEST_WORK;
        if steps > MOST_OF_BRACES || commas.len() > MOST_OF_BRACES || long {
            return Err("its braces make too many words".to_owned());
        }
        let ends = commas.iter().copied().chain([close]);
        let starts = std::iter::once(open).chain(commas.iter().copied());
        let choices: Vec<Word> = starts
            .zip(ends)
            .map(|(from, to)| {
                let pieces = [&word.pieces[..open], &word.pieces[from + 1..to], &word.pieces[close + 1..]];
                Word { pieces: pieces.concat(), ..word.clone() }
            })
            .collect();
        waiting.extend(choices.into_iter().rev());
    }
    Ok(done)
}

/// The first `{…}` that has a comma of its own: its brace, its commas, its end.
fn first_group(pieces: &[Piece]) -> Option<(usize, Vec<usize>, usize)> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut first: Option<(usize, Vec<usize>, usize)> = None;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Mark('{') => open.push((at, Vec::new())),
            Piece::Mark(',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            Piece::Mark('}') => {
                if let Some((from, commas)) = open.pop()
                    && !commas.is_empty()
                    && first.as_ref().is_none_or(|(earlier, ..)| from < *earlier)
                {
                    first = Some((from, commas, at));
                }
            }
            _ => {}
        }
    }
    first
}

/// Puts known values in, and separates what they separate.
fn split(word: &Word, constants: &Constants, fields: &mut Vec<Word>) {
    let empty = || Word { quoted: word.quoted, ..Word::default() };
    let mut current = empty();
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) => current.push_text(text),
            Piece::Mark(mark @ ('{' | ',' | '}')) => current.push(*mark),
            Piece::Variable { name, quoted } => match constants.get(name) {
                Some(value) if *quoted => current.push_text(value),
                Some(value) => {
                    for (number, part) in value.split([' ', '\t', '\n']).enumerate() {
                        if number > 0 && !current.pieces.is_empty() {
                            fields.push(std::mem::replace(&mut current, empty()));
                        }
                        if !part.is_empty() {
                            current.push_text(part);
                        }
                    }
                }
                None => current.pieces.push(Piece::Unknown),
            },
            Piece::Space => {
                if !current.pieces.is_empty() {
                    fields.push(std::mem::replace(&mut current, empty()));
                }
            }
            Piece::Mark(_) | Piece::Unknown | Piece::Process => current.pieces.push(piece.clone()),
        }
    }
    if !current.pieces.is_empty() {
        fields.push(current);
    }
}

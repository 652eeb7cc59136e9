//! Words → the fields a program would get: braces, variables that the text
//! itself sets, separators out of variables.

use super::braces::braces;
use super::variables::Variables;
use super::word::{Change, Changed, Piece, Word};

/// One word is written out in no more ways than this.
const MOST_WAYS: usize = 64;
/// A command is written out in no more ways than this.
const MAX_COMMANDS: usize = 32;
/// So many of the words of a list may be left out at its front.
const MAX_SUFFIXES: usize = 8;

/// The fields of a command's words; an error when braces make too many.
pub(super) fn fields(words: &[Word], variables: &Variables<'_>) -> Result<Vec<Word>, String> {
    let mut fields = Vec::with_capacity(words.len());
    for word in words {
        if word.pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
            fields.push(word.clone());
            continue;
        }
        for word in braces(word)? {
            if word.pieces.iter().any(|piece| may_vary(piece, variables)) {
                fields.push(varying(&word, variables));
            } else {
                let pieces = alternatives(&word, variables).into_iter().next().unwrap_or_default();
                split(&pieces, word.quoted, &mut fields);
            }
        }
    }
    Ok(fields)
}

/// A command with all that its words may be, each with the words that it comes apart into; and whether these are all.
pub(super) fn commands(words: &[Word], variables: &Variables<'_>) -> (Vec<Vec<Word>>, bool) {
    let mut columns: Vec<Vec<Vec<Word>>> = Vec::new();
    for word in words {
        for word in braces(word).unwrap_or_default() {
            let mut column: Vec<Vec<Word>> = Vec::new();
            for pieces in alternatives(&word, variables) {
                let mut fields = Vec::new();
                split(&pieces, word.quoted, &mut fields);
                if !column.contains(&fields) {
                    column.push(fields);
                }
            }
            columns.push(column);
        }
    }
    columns.retain(|column| !column.is_empty());
    let count = columns.iter().fold(1usize, |count, column| count.saturating_mul(column.len()));
    if count > MAX_COMMANDS {
        // Not every word with every other: the first of all, the second of all.
        let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
        let row = |at: usize| {
            columns.iter().flat_map(|column| &column[at.min(column.len() - 1)]).cloned().collect()
        };
        return ((0..longest.min(MAX_COMMANDS)).map(row).collect(), false);
    }
    let row = |number: usize| {
        let mut rest = number;
        let mut words = Vec::new();
        for column in &columns {
            words.extend_from_slice(&column[rest % column.len()]);
            rest /= column.len();
        }
        words
    };
    ((0..count).map(row).collect(), true)
}

/// Whether a part of a word is one of several values that the text gives.
fn may_vary(piece: &Piece, variables: &Variables<'_>) -> bool {
    match piece {
        Piece::Variable { name, quoted } => match variables.certain(name) {
            Some(value) => !quoted && variables.may_separate(value),
            None => !variables.possible(name).is_empty(),
        },
        Piece::Changed(_) | Piece::List(_) => true,
        Piece::Text(_) | Piece::Mark(_) | Piece::Unknown | Piece::Any | Piece::Process | Piece::Space => {
            false
        }
    }
}

/// A word that is not known, with all that it may be.
fn varying(word: &Word, variables: &Variables<'_>) -> Word {
    let mut choices = Vec::new();
    for pieces in alternatives(word, variables) {
        split(&pieces, word.quoted, &mut choices);
    }
    let known = |piece: &Piece| match piece {
        Piece::Variable { .. } | Piece::Changed(_) | Piece::List(_) | Piece::Any => Piece::Unknown,
        other => other.clone(),
    };
    let pieces = word.pieces.iter().map(known).collect();
    Word { pieces, choices, ..word.clone() }
}

/// All that a word may be, with values in the place of variables.
pub(super) fn alternatives(word: &Word, variables: &Variables<'_>) -> Vec<Vec<Piece>> {
    let mut ways: Vec<Vec<Piece>> = vec![Vec::new()];
    for piece in &word.pieces {
        let values = match piece {
            Piece::Variable { name, quoted } if matches!(name.as_str(), "@" | "*") => {
                with_lists(values(name, *quoted, variables))
            }
            Piece::Variable { name, quoted } => values(name, *quoted, variables),
            Piece::Changed(changed) if changed.change == Change::Element || changed.name == "@" => {
                with_lists(changed_values(changed, variables))
            }
            Piece::Changed(changed) => changed_values(changed, variables),
            Piece::List(words) => {
                let words = words.iter().flat_map(|word| braces(word).unwrap_or_default());
                words.flat_map(|word| alternatives(&element(&word), variables)).collect()
            }
            plain => {
                ways.iter_mut().for_each(|way| way.push(plain.clone()));
                continue;
            }
        };
        if values.is_empty() {
            continue;
        }
        if ways.len() * values.len() > MOST_WAYS {
            return vec![vec![Piece::Any]];
        }
        ways = ways.iter().flat_map(|way| values.iter().map(|value| [&way[..], value].concat())).collect();
    }
    ways
}

/// The values of a list, and all of them as several words, of which the first may be left out.
fn with_lists(mut values: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    if !(2..MOST_WAYS / 2).contains(&values.len()) {
        return values;
    }
    let lists = (0..values.len() - 1).take(MAX_SUFFIXES).map(|from| values[from..].join(&Piece::Space));
    let lists: Vec<Vec<Piece>> = lists.collect();
    values.extend(lists);
    values
}

/// `[key]=value` of a list is its value.
fn element(word: &Word) -> Word {
    let mut pieces = word.pieces.clone();
    if let [Piece::Mark('['), Piece::Text(text), ..] = pieces.as_mut_slice()
        && let Some((_, value)) = text.split_once("]=")
    {
        *text = value.to_owned();
        pieces.remove(0);
    }
    Word { pieces, ..word.clone() }
}

fn values(name: &str, quoted: bool, variables: &Variables<'_>) -> Vec<Vec<Piece>> {
    let ways = |word: &Word| split_ways(&word.pieces, quoted, variables);
    let possible = variables.possible(name);
    let length = match variables.certain(name) {
        Some(value) => value.len(),
        None => possible.iter().map(Word::weight).sum(),
    };
    let times = variables.separators().map_or(1, Iterator::count);
    if !variables.may_write(length.saturating_mul(times)) {
        return vec![vec![Piece::Any]];
    }
    if let Some(value) = variables.certain(name) {
        return ways(&Word::literal(value));
    }
    match possible {
        [] => vec![vec![Piece::Unknown]],
        possible => possible.iter().flat_map(ways).collect(),
    }
}

/// The ways in which a value comes apart into words: one for each value that `IFS` has on the line.
fn split_ways(pieces: &[Piece], quoted: bool, variables: &Variables<'_>) -> Vec<Vec<Piece>> {
    if quoted {
        return vec![pieces.to_vec()];
    }
    let Some(all) = variables.separators() else { return vec![vec![Piece::Any]] };
    let mut ways: Vec<Vec<Piece>> = Vec::new();
    for separators in all {
        let way = pieces.iter().flat_map(|piece| separated(piece, separators)).collect();
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

/// A text with the places where it comes apart.
fn separated(piece: &Piece, separators: &str) -> Vec<Piece> {
    let Piece::Text(text) = piece else { return vec![piece.clone()] };
    let mut pieces = Vec::new();
    let separates = |character| matches!(character, ' ' | '\t' | '\n') || separators.contains(character);
    for (number, part) in text.split(separates).enumerate() {
        if number > 0 {
            pieces.push(Piece::Space);
        }
        if !part.is_empty() {
            pieces.push(Piece::Text(part.to_owned()));
        }
    }
    pieces
}

fn changed_values(changed: &Changed, variables: &Variables<'_>) -> Vec<Vec<Piece>> {
    let held = values(&changed.name, changed.quoted, variables);
    // Whole texts: what separates words of a value is changed with it.
    let whole = values(&changed.name, true, variables);
    // What the text does not set is not known, whatever is done to it.
    let texts: Vec<String> = whole
        .iter()
        .filter_map(|way| Word::of_pieces(way.clone()).known())
        .filter(|it| !it.is_empty())
        .collect();
    let is_set = whole
        .iter()
        .flatten()
        .any(|piece| matches!(piece, Piece::Any) || matches!(piece, Piece::Text(text) if !text.is_empty()));
    let unknown = || vec![vec![if is_set { Piece::Any } else { Piece::Unknown }]];
    let is_whole = whole.iter().all(|way| Word::of_pieces(way.clone()).known().is_some());
    let written = |parts: Vec<String>| -> Vec<Vec<Piece>> {
        let ways = |part| split_ways(&[Piece::Text(part)], changed.quoted, variables);
        parts.into_iter().flat_map(ways).chain((!is_whole).then(|| vec![Piece::Any])).collect()
    };
    let short = texts.iter().map(|text| text.chars().count()).sum::<usize>() < MOST_WAYS;
    match changed.change {
        Change::Element => held,
        Change::Default => {
            let mut all = held;
            all.extend(alternatives(&changed.word, variables));
            all
        }
        Change::Front if is_set && short => {
            let fronts = |text: &String| -> Vec<String> {
                text.char_indices().map(|(at, c)| text[..at + c.len_utf8()].to_owned()).collect()
            };
            written(texts.iter().flat_map(fronts).collect())
        }
        Change::Back if is_set && short => {
            let backs = |text: &String| -> Vec<String> {
                text.char_indices().map(|(at, _)| text[at..].to_owned()).collect()
            };
            written(texts.iter().flat_map(backs).collect())
        }
        Change::Front | Change::Back | Change::Other => unknown(),
        Change::Indirect => {
            let all: Vec<Vec<Piece>> =
                texts.iter().flat_map(|name| values(name, changed.quoted, variables)).collect();
            if all.is_empty() || held.iter().flatten().any(|piece| *piece == Piece::Any) {
                unknown()
            } else {
                all
            }
        }
    }
}

/// Separates what is separated.
fn split(pieces: &[Piece], quoted: bool, fields: &mut Vec<Word>) {
    let empty = || Word { quoted, ..Word::default() };
    let mut current = empty();
    for piece in pieces {
        match piece {
            Piece::Text(text) => current.push_text(text),
            Piece::Mark(mark @ ('{' | ',' | '}')) => current.push(*mark),
            Piece::Space => {
                if !current.pieces.is_empty() {
                    fields.push(std::mem::replace(&mut current, empty()));
                }
            }
            Piece::Variable { .. } | Piece::Changed(_) | Piece::List(_) => {
                current.pieces.push(Piece::Unknown);
            }
            Piece::Mark(_) | Piece::Unknown | Piece::Any | Piece::Process => {
                current.pieces.push(piece.clone());
            }
        }
    }
    if !current.pieces.is_empty() {
        fields.push(current);
    }
}

//! Braces: `{a,b}` and `{a..z}` written out.

use super::word::{Piece, Word};

/// One word becomes no more than this many.
const MOST_OF_BRACES: usize = 128;
/// Long words are not written out again and again.
const LONGEST_WORK: usize = 100_000;

/// Writes `{a,b}` out.
pub(super) fn braces(word: &Word) -> Result<Vec<Word>, String> {
    let mut waiting = vec![with_ranges(word)];
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

/// Writes `{a..c}` as `{a,b,c}`. Of `{1..3}` it is enough that something stands there.
fn with_ranges(word: &Word) -> Word {
    let mut pieces: Vec<Piece> = Vec::with_capacity(word.pieces.len());
    for piece in &word.pieces {
        pieces.push(piece.clone());
        if let [.., Piece::Mark('{'), Piece::Text(text), Piece::Mark('}')] = pieces.as_slice()
            && let Some(range) = range(text)
        {
            pieces.truncate(pieces.len() - 3);
            pieces.extend(range);
        }
    }
    Word { pieces, ..word.clone() }
}

fn range(text: &str) -> Option<Vec<Piece>> {
    let mut parts = text.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let mut letters = (first.chars(), last.chars());
    match (letters.0.next(), letters.0.next(), letters.1.next(), letters.1.next()) {
        (Some(from), None, Some(to), None) if from.is_ascii_alphabetic() && to.is_ascii_alphabetic() => {
            let (from, to) = (from.min(to), from.max(to));
            if from == to {
                return Some(vec![Piece::Text(from.to_string())]);
            }
            let letters = (from..=to).flat_map(|letter| [Piece::Mark(','), Piece::Text(letter.to_string())]);
            let mut pieces: Vec<Piece> = letters.collect();
            pieces[0] = Piece::Mark('{');
            pieces.push(Piece::Mark('}'));
            Some(pieces)
        }
        _ => [first, last].iter().all(|end| end.parse::<i64>().is_ok()).then(|| vec![Piece::Unknown]),
    }
}

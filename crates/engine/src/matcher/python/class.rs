//! Character classes: `[…]`, and what `\d`, `\s` and `\w` stand for.

use crate::matcher::set::CharSet;
use crate::matcher::syntax::Node;

use super::escape::{self, Escape};
use super::parse::Parser;
use super::unicode::{DIGITS, SPACE, WORD};
use super::{PatternError, fold};

const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);
const LAST: u32 = 0x10_FFFF;
const ASCII_SPACE: &[(u32, u32)] = &[(0x09, 0x0D), (0x20, 0x20)];

/// Whether a character belongs to a word, for `\b`.
pub fn is_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    let point = u32::from(character);
    let after = WORD.partition_point(|&(low, _)| low <= point);
    after > 0 && point <= WORD[after - 1].1
}

/// What `\d`, `\s`, `\w` and their negations stand for; none for other letters.
pub fn named(letter: char, ascii: bool) -> Option<CharSet> {
    let ranges = match (letter.to_ascii_lowercase(), ascii) {
        ('d', false) => DIGITS.to_vec(),
        ('s', false) => SPACE.to_vec(),
        ('w', false) => WORD.to_vec(),
        ('s', true) => ASCII_SPACE.to_vec(),
        ('d', true) => vec![(0x30, 0x39)],
        ('w', true) => vec![(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)],
        _ => return None,
    };
    let set = CharSet::of(ranges);
    Some(if letter.is_ascii_uppercase() { negated(&set) } else { set })
}

/// Every other character; surrogates are none.
pub fn negated(set: &CharSet) -> CharSet {
    let mut rest = Vec::with_capacity(set.ranges().len() + 2);
    let mut next = 0;
    for &(low, high) in set.ranges() {
        if next < low {
            rest.push((next, low - 1));
        }
        next = high + 1;
    }
    if next <= LAST {
        rest.push((next, LAST));
    }
    CharSet::of(without_surrogates(rest))
}

fn without_surrogates(ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let cut = |(low, high): (u32, u32)| {
        let below = (low, high.min(SURROGATES.0 - 1));
        let above = (low.max(SURROGATES.1 + 1), high);
        [below, above].into_iter().filter(|(low, high)| low <= high)
    };
    ranges.into_iter().flat_map(cut).collect()
}

/// A class, from its `[`.
pub fn read(parser: &mut Parser) -> Result<Node, PatternError> {
    let open = parser.error("`[` is never closed; write `\\[` for the character itself");
    parser.next();
    let is_negated = parser.eat('^');
    let (mut plain, mut closed) = (Vec::new(), Vec::new());
    let mut first = true;
    loop {
        if !first && parser.eat(']') {
            break;
        }
        first = false;
        let start = parser.error(
            "a range runs from one character to another, as in `a-z`; write `\\-` for the character itself",
        );
        let low = member(parser, &open)?;
        let is_range = parser.peek() == Some('-') && parser.second() != Some(']');
        if !is_range {
            match low {
                Escape::Point(point) => plain.push((point, point)),
                Escape::Class(set) => closed.extend_from_slice(set.ranges()),
            }
            continue;
        }
        parser.next();
        match (low, member(parser, &open)?) {
            (Escape::Point(low), Escape::Point(high)) if low <= high => plain.push((low, high)),
            _ => return Err(start),
        }
    }
    let plain = CharSet::of(without_surrogates(plain));
    let mut ranges = parser.with_case(plain).ranges().to_vec();
    // Classes hold both cases of every letter already.
    ranges.append(&mut closed);
    let set = CharSet::of(ranges);
    Ok(Node::One(if is_negated { negated(&set) } else { set }))
}

fn member(parser: &mut Parser, open: &PatternError) -> Result<Escape, PatternError> {
    match parser.next().ok_or_else(|| open.clone())? {
        '\\' => escape::in_class(parser),
        plain => Ok(Escape::Point(u32::from(plain))),
    }
}

impl Parser {
    /// The set, or the set whatever the case of its letters.
    pub fn with_case(&self, set: CharSet) -> CharSet {
        if self.flags.ignore_case { fold::without_case(set, self.flags.ascii) } else { set }
    }

    /// One character, whatever its case where that is asked for.
    pub fn point(&self, point: u32) -> Node {
        Node::One(self.with_case(CharSet::of(without_surrogates(vec![(point, point)]))))
    }
}

//! Sets of characters, as ranges of code points.
//!
//! JavaScript without the `u` flag sees a character beyond U+FFFF as two
//! surrogates; we see one character. A set may still hold surrogates, because
//! patterns name them: there a surrogate stands for every character it is
//! half of, which is what an unanchored test in JavaScript finds too.

use std::ops::RangeInclusive;

const MAX: u32 = 0x10_FFFF;
const HIGH: RangeInclusive<u32> = 0xD800..=0xDBFF;
const LOW: RangeInclusive<u32> = 0xDC00..=0xDFFF;
const FIRST_ASTRAL: u32 = 0x1_0000;

const DIGITS: &[(u32, u32)] = &[(0x30, 0x39)];
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const LINE_ENDS: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
/// White space and line ends of ECMAScript, U+FEFF included.
const SPACE: &[(u32, u32)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];

/// A set of code points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CharSet {
    /// Sorted, disjoint and not adjacent.
    ranges: Vec<(u32, u32)>,
}

impl CharSet {
    /// One code point.
    pub fn one(point: u32) -> CharSet {
        CharSet { ranges: vec![(point, point)] }
    }

    /// Everything there is.
    pub fn all() -> CharSet {
        CharSet { ranges: vec![(0, MAX)] }
    }

    /// Ranges in any order; both ends belong to a range.
    pub fn of(mut ranges: Vec<(u32, u32)>) -> CharSet {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                Some(_) | None => merged.push((low, high)),
            }
        }
        CharSet { ranges: merged }
    }

    /// What `\d`, `\w`, `\s` and their negations stand for; none for other letters.
    pub fn class(letter: char) -> Option<CharSet> {
        let ranges = match letter.to_ascii_lowercase() {
            'd' => DIGITS,
            'w' => WORD,
            's' => SPACE,
            _ => return None,
        };
        let set = CharSet { ranges: ranges.to_vec() };
        Some(if letter.is_ascii_uppercase() { set.complement() } else { set })
    }

    /// What `.` stands for.
    pub fn dot() -> CharSet {
        CharSet { ranges: LINE_ENDS.to_vec() }.complement()
    }

    /// The ranges, sorted and apart from each other.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Every other code point. When the set names surrogates, characters
    /// beyond U+FFFF are in the rest only through the surrogates left there.
    pub fn complement(&self) -> CharSet {
        let last = if self.names_surrogates() { FIRST_ASTRAL - 1 } else { MAX };
        let mut rest = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.ranges {
            if next < low {
                rest.push((next, last.min(low - 1)));
            }
            next = high + 1;
        }
        if next <= last {
            rest.push((next, last));
        }
        rest.retain(|&(low, high)| low <= high);
        CharSet { ranges: rest }
    }

    /// The characters it stands for, without surrogates.
    pub fn characters(self) -> CharSet {
        if !self.names_surrogates() {
            return self;
        }
        let mut characters = Vec::with_capacity(self.ranges.len());
        for &(low, high) in &self.ranges {
            push_part(&mut characters, (low, high), &(0..=*HIGH.start() - 1));
            push_part(&mut characters, (low, high), &(*LOW.end() + 1..=MAX));
        }
        push_pairs(&mut characters, &self.part(&HIGH), &[(*LOW.start(), *LOW.end())]);
        push_pairs(&mut characters, &[(*HIGH.start(), *HIGH.end())], &self.part(&LOW));
        CharSet::of(characters)
    }

    /// The characters of all pairs of a high surrogate in `self` and a low one
    /// in `low`; none when either holds anything else.
    pub fn joined_with(&self, low: &CharSet) -> Option<CharSet> {
        if !self.only_in(&HIGH) || !low.only_in(&LOW) {
            return None;
        }
        let mut pairs = Vec::new();
        push_pairs(&mut pairs, &self.ranges, &low.ranges);
        Some(CharSet::of(pairs))
    }

    /// Whether a code point is in it.
    pub fn contains(&self, point: u32) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= point);
        after > 0 && point <= self.ranges[after - 1].1
    }

    fn part(&self, of: &RangeInclusive<u32>) -> Vec<(u32, u32)> {
        let mut part = Vec::new();
        for &range in &self.ranges {
            push_part(&mut part, range, of);
        }
        part
    }

    fn names_surrogates(&self) -> bool {
        self.ranges.iter().any(|(low, high)| low <= LOW.end() && high >= HIGH.start())
    }

    fn only_in(&self, range: &RangeInclusive<u32>) -> bool {
        !self.ranges.is_empty()
            && self.ranges.iter().all(|(low, high)| range.contains(low) && range.contains(high))
    }
}

/// Whether a character belongs to a word, for `\b`.
pub fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Whether a character ends a line, for `^` and `$` under `(?m:…)`.
pub fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn push_part(parts: &mut Vec<(u32, u32)>, (low, high): (u32, u32), of: &RangeInclusive<u32>) {
    let (low, high) = (low.max(*of.start()), high.min(*of.end()));
    if low <= high {
        parts.push((low, high));
    }
}

/// The characters of every pair of surrogates.
fn push_pairs(pairs: &mut Vec<(u32, u32)>, highs: &[(u32, u32)], lows: &[(u32, u32)]) {
    if lows == [(*LOW.start(), *LOW.end())] {
        pairs.extend(highs.iter().map(|&(first, last)| (join(first, lows[0].0), join(last, lows[0].1))));
        return;
    }
    for high in highs.iter().flat_map(|&(first, last)| first..=last) {
        pairs.extend(lows.iter().map(|&(first, last)| (join(high, first), join(high, last))));
    }
}

fn join(high: u32, low: u32) -> u32 {
    FIRST_ASTRAL + ((high - HIGH.start()) << 10) + (low - LOW.start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged_when_they_touch() {
        let cases = [
            (vec![(5, 9), (1, 3)], vec![(1, 3), (5, 9)]),
            (vec![(1, 3), (4, 6)], vec![(1, 6)]),
            (vec![(1, 9), (2, 3), (9, 12)], vec![(1, 12)]),
            (vec![], vec![]),
        ];
        for (given, expected) in cases {
            assert_eq!(CharSet::of(given.clone()).ranges(), expected, "{given:?}");
        }
    }

    #[test]
    fn the_classes_are_those_of_javascript() {
        let cases = [
            ('d', '7', true),
            ('d', '٣', false),
            ('D', '٣', true),
            ('w', '_', true),
            ('w', 'é', false),
            ('W', 'é', true),
            ('s', '\u{FEFF}', true),
            ('s', '\u{85}', false),
            ('s', '\u{180E}', false),
            ('S', '\u{A0}', false),
            ('S', '😀', true),
        ];
        for (letter, character, expected) in cases {
            let set = CharSet::class(letter).expect("a class");
            assert_eq!(set.contains(u32::from(character)), expected, "\\{letter} and {character:?}");
        }
        assert_eq!(CharSet::class('p'), None);
    }

    #[test]
    fn a_dot_stops_at_the_four_line_ends() {
        for (character, expected) in [
            ('\n', false),
            ('\r', false),
            ('\u{2028}', false),
            ('\u{2029}', false),
            ('\u{85}', true),
            ('😀', true),
        ] {
            assert_eq!(CharSet::dot().contains(u32::from(character)), expected, "{character:?}");
        }
    }

    #[test]
    fn a_surrogate_stands_for_the_characters_it_is_half_of() {
        let smileys = CharSet::of(vec![(0xD83D, 0xD83D)]).characters();
        assert_eq!(smileys.ranges(), [(0x1F400, 0x1F7FF)]);
        let every_pair = CharSet::of(vec![(0xD800, 0xDFFF)]).characters();
        assert_eq!(every_pair.ranges(), [(0x1_0000, MAX)]);
        let low = CharSet::one(0xDE00).characters();
        assert!(low.contains(u32::from('😀')) && !low.contains(u32::from('😁')));
        assert_eq!(
            CharSet::of(vec![(0xD800, 0xDFFF)]).complement().characters().ranges(),
            [(0, 0xD7FF), (0xE000, 0xFFFF)]
        );
        assert!(CharSet::one(0xD83D).complement().characters().contains(u32::from('😀')));
        assert_eq!(CharSet::one(0x61).complement().characters().ranges().last(), Some(&(0xE000, MAX)));
    }

    #[test]
    fn a_high_and_a_low_surrogate_make_a_character() {
        let high = CharSet::one(0xD83D);
        let low = CharSet::of(vec![(0xDE00, 0xDE4F)]);
        assert_eq!(high.joined_with(&low).expect("a pair").ranges(), [(0x1F600, 0x1F64F)]);
        assert_eq!(low.joined_with(&high), None);
        assert_eq!(high.joined_with(&CharSet::one(0x61)), None);
    }
}

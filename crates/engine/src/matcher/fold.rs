//! Upper and lower case as `(?i:…)` sees them.
//!
//! ECMAScript without the `u` flag compares the upper case of single UTF-16
//! units: letters whose upper case has several characters keep their own case,
//! and no letter outside ASCII is ever equal to one inside it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::set::CharSet;

const LAST_UNIT: u32 = 0xFFFF;

/// What two characters must share to be equal in spite of their case.
pub fn canonical(character: char) -> char {
    if u32::from(character) > LAST_UNIT {
        return character;
    }
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(only), None) if only.is_ascii() && !character.is_ascii() => character,
        (Some(only), None) => only,
        (Some(_) | None, _) => character,
    }
}

/// The set with every character that differs from a member only in case.
pub fn without_case(set: &CharSet) -> CharSet {
    let mut ranges = set.ranges().to_vec();
    let only_ascii = ranges.last().is_none_or(|&(_, last)| last < 0x80);
    if only_ascii {
        let letters =
            (0..0x80_u8).filter(|letter| letter.is_ascii_alphabetic() && set.contains(u32::from(*letter)));
        ranges.extend(letters.map(|letter| u32::from(letter ^ 0x20)).map(|other| (other, other)));
        return CharSet::of(ranges);
    }
    for family in families() {
        if family.iter().any(|&member| set.contains(member)) {
            ranges.extend(family.iter().map(|&member| (member, member)));
        }
    }
    CharSet::of(ranges)
}

/// All characters that have others of the same upper case, made when first needed.
fn families() -> &'static [Vec<u32>] {
    static FAMILIES: OnceLock<Vec<Vec<u32>>> = OnceLock::new();
    FAMILIES.get_or_init(|| {
        let mut by_canonical: BTreeMap<char, Vec<u32>> = BTreeMap::new();
        for character in (0..=LAST_UNIT).filter_map(char::from_u32) {
            let shared = canonical(character);
            if shared != character {
                by_canonical.entry(shared).or_insert_with(|| own_member(shared)).push(u32::from(character));
            }
        }
        by_canonical.into_values().collect()
    })
}

/// A character is of the family it names, if its own upper case is itself.
fn own_member(shared: char) -> Vec<u32> {
    if canonical(shared) == shared { vec![u32::from(shared)] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_as_in_javascript() {
        let cases = [
            ('a', 'A', true),
            ('é', 'É', true),
            ('σ', 'ς', true),
            ('ſ', 's', false),
            ('\u{212A}', 'k', false),
            ('ß', 'ẞ', false),
            ('𐐨', '𐐀', false),
            ('1', '1', true),
        ];
        for (one, other, equal) in cases {
            assert_eq!(canonical(one) == canonical(other), equal, "{one} and {other}");
            let set = without_case(&CharSet::one(u32::from(one)));
            assert_eq!(set.contains(u32::from(other)), equal, "{one} as a set, and {other}");
        }
    }
}

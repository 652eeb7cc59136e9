//! Upper and lower case as Python's `re.IGNORECASE` sees them.
//!
//! Two characters are equal when their lower case is, or when the upper case
//! of their lower case is: `k` and the Kelvin sign, `s` and the long s, the two
//! sigmas. Lower case is one character always, so that `İ` is an `i`.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::matcher::set::CharSet;

/// Beyond this no character has a case.
const LAST_CASED: u32 = 0x1_FFFF;
/// A set with fewer characters is looked at one by one.
const FEW: u32 = 64;
/// What is equal to an ASCII letter without being one.
const NEAR_ASCII: [(char, u32); 4] = [('i', 0x130), ('i', 0x131), ('k', 0x212A), ('s', 0x17F)];

/// The lower case of a character, as one character.
pub fn lower(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), character) {
        (_, '\u{130}') => 'i',
        (Some(first), _) if lower.next().is_none() => first,
        (Some(_) | None, _) => character,
    }
}

/// The set with every character that differs from a member only in case.
pub fn without_case(set: CharSet, ascii: bool) -> CharSet {
    let mut ranges = set.ranges().to_vec();
    let letters = (0..0x80_u8).filter(|one| one.is_ascii_alphabetic() && set.contains(u32::from(*one)));
    ranges.extend(letters.map(|letter| u32::from(letter ^ 0x20)).map(|other| (other, other)));
    if ascii {
        return CharSet::of(ranges);
    }
    let swapped = CharSet::of(ranges.clone());
    let near = NEAR_ASCII.iter().filter(|(letter, _)| swapped.contains(u32::from(*letter)));
    ranges.extend(near.map(|&(_, other)| (other, other)));
    if has_case_beyond_ascii(&set) {
        for family in families().values().filter(|family| family.iter().any(|&one| set.contains(one))) {
            ranges.extend(family.iter().map(|&member| (member, member)));
        }
    }
    CharSet::of(ranges)
}

fn has_case_beyond_ascii(set: &CharSet) -> bool {
    let cased = |point: u32| {
        char::from_u32(point)
            .is_some_and(|one| !one.to_uppercase().eq([one]) || !one.to_lowercase().eq([one]))
    };
    let beyond = set.ranges().iter().filter(|(low, high)| *high >= 0x80 && *low <= LAST_CASED);
    let mut beyond = beyond.map(|&(low, high)| (low.max(0x80), high));
    beyond.any(|(low, high)| high - low >= FEW || (low..=high).any(cased))
}

/// What two characters must share to be equal in spite of their case.
fn key(character: char) -> String {
    lower(character).to_uppercase().collect()
}

/// All characters that have others of the same key, made when first needed.
fn families() -> &'static HashMap<String, Vec<u32>> {
    static FAMILIES: OnceLock<HashMap<String, Vec<u32>>> = OnceLock::new();
    FAMILIES.get_or_init(|| {
        let mut by_key: HashMap<String, Vec<u32>> = HashMap::new();
        for character in (0..=LAST_CASED).filter_map(char::from_u32) {
            if character.is_lowercase()
                || !character.to_uppercase().eq([character])
                || lower(character) != character
            {
                by_key.entry(key(character)).or_default().push(u32::from(character));
            }
        }
        by_key.retain(|_, family| family.len() > 1);
        by_key
    })
}

//! Texts of which a pattern needs one to fit: most rules are told apart from
//! most commands by the pairs of letters they are written with.
//!
//! Only for texts of ASCII alone; case does not count.

use crate::matcher::set::CharSet;
use crate::matcher::syntax::Node;

/// More alternatives are not worth a look.
const MOST: usize = 16;
/// Bits of the table of pairs.
const BITS: usize = 4096;

/// The pairs of neighbouring letters in a text, as bits.
#[derive(Debug)]
pub struct Pairs {
    bits: [u64; BITS / 64],
}

/// What a pattern needs: the pairs of one of these texts. None is anything.
#[derive(Debug, Default)]
pub struct Required(Option<Vec<Vec<u16>>>);

impl Pairs {
    /// Of a text of ASCII alone.
    pub fn of(text: &str) -> Pairs {
        let mut pairs = Pairs { bits: [0; BITS / 64] };
        for pair in text.as_bytes().windows(2) {
            let bit = bit(pair[0], pair[1]);
            pairs.bits[usize::from(bit) / 64] |= 1 << (bit % 64);
        }
        pairs
    }

    fn has(&self, bit: u16) -> bool {
        self.bits[usize::from(bit) / 64] & (1 << (bit % 64)) != 0
    }
}

impl Required {
    /// Of a pattern.
    pub fn of(root: &Node) -> Required {
        let pairs = |text: &Vec<u8>| text.windows(2).map(|pair| bit(pair[0], pair[1])).collect();
        Required(texts(root).map(|texts| texts.iter().map(pairs).collect()))
    }

    /// Whether a text with these pairs may fit. No is certain.
    pub fn may_be_in(&self, pairs: &Pairs) -> bool {
        let Some(texts) = &self.0 else { return true };
        texts.iter().any(|text| text.iter().all(|bit| pairs.has(*bit)))
    }
}

fn bit(first: u8, second: u8) -> u16 {
    let (first, second) = (first.to_ascii_lowercase(), second.to_ascii_lowercase());
    (u16::from(first) * 61 + u16::from(second)) % BITS as u16
}

/// Texts of two letters and more, one of which stands in everything that fits.
fn texts(node: &Node) -> Option<Vec<Vec<u8>>> {
    match node {
        Node::Group(_, body) | Node::Atomic(body) => texts(body),
        Node::Repeat(repeat) if repeat.min > 0 => texts(&repeat.body),
        Node::All(parts) => of_sequence(parts),
        Node::Any(branches) => {
            let all: Option<Vec<_>> = branches.iter().map(texts).collect();
            all.map(|all| all.concat()).filter(|texts| texts.len() <= MOST)
        }
        Node::Empty
        | Node::One(_)
        | Node::Edge(_)
        | Node::Back { .. }
        | Node::Look { .. }
        | Node::If { .. }
        | Node::Repeat(_) => None,
    }
}

fn of_sequence(parts: &[Node]) -> Option<Vec<Vec<u8>>> {
    let mut candidates: Vec<Vec<Vec<u8>>> = parts.iter().filter_map(texts).collect();
    let mut run = Vec::new();
    for part in parts {
        match part {
            Node::One(set) => match letter(set) {
                Some(letter) => run.push(letter),
                None => candidates.push(vec![std::mem::take(&mut run)]),
            },
            // An edge takes nothing: what stands around it are neighbours.
            Node::Edge(_) => {}
            _ => candidates.push(vec![std::mem::take(&mut run)]),
        }
    }
    candidates.push(vec![run]);
    let shortest = |texts: &Vec<Vec<u8>>| texts.iter().map(Vec::len).min().unwrap_or(0);
    candidates.into_iter().filter(|texts| shortest(texts) >= 2).max_by_key(shortest)
}

/// The one ASCII letter or sign of a set, whatever its case.
fn letter(set: &CharSet) -> Option<u8> {
    let mut found = None;
    for &(low, high) in set.ranges().iter().take_while(|(low, _)| *low < 0x80) {
        for point in low..=high.min(0x7F) {
            let letter = u8::try_from(point).ok()?.to_ascii_lowercase();
            if found.is_some_and(|other| other != letter) {
                return None;
            }
            found = Some(letter);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use super::*;

    #[test]
    fn what_cannot_fit_is_seen_and_what_may_is_let_through() {
        let cases = [
            (r"rm\s+-rf", "cargo build", false),
            (r"rm\s+-rf", "RM -RF", true),
            ("git push|npm publish", "npm publish", true),
            ("git push|npm publish", "ls", false),
            ("a|bc", "bx", true),
            ("(foo)?", "x", true),
            ("(?:foo)+bar", "foobar", true),
            (".*", "x", true),
            (r"\bdrop\b", "DROP table", true),
            ("[Kk]ube", "x", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(Pattern::new(pattern).may_fit(&Pairs::of(text)), expected, "{pattern} and {text}");
        }
    }
}

//! How many characters a part takes, where that is one number.

use crate::matcher::syntax::Node;

/// The width; none when there are several. What refers back may have any
/// width to us, so look-behinds that do are refused.
pub fn of(node: &Node) -> Option<u64> {
    match node {
        Node::Empty | Node::Edge(_) | Node::Look { .. } => Some(0),
        Node::One(_) => Some(1),
        Node::Back { .. } => None,
        Node::Group(_, body) | Node::Atomic(body) => of(body),
        Node::If { then, otherwise, .. } => same(of(then)?, of(otherwise)?),
        Node::Repeat(repeat) if repeat.max == Some(repeat.min) => {
            Some(of(&repeat.body)?.saturating_mul(u64::from(repeat.min)))
        }
        Node::Repeat(repeat) => (of(&repeat.body)? == 0).then_some(0),
        Node::All(parts) => parts.iter().try_fold(0_u64, |sum, part| Some(sum.saturating_add(of(part)?))),
        Node::Any(branches) => {
            let mut widths = branches.iter().map(of);
            let first = widths.next()??;
            widths.all(|width| width == Some(first)).then_some(first)
        }
    }
}

fn same(one: u64, other: u64) -> Option<u64> {
    (one == other).then_some(one)
}

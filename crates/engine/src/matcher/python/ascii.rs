//! The form of a pattern that is as good as the whole on texts of ASCII alone.

use crate::matcher::set::CharSet;
use crate::matcher::syntax::{Edge, Node, Repeat, Tree};

/// The pattern with ASCII alone in its sets.
pub fn only(tree: &Tree) -> Tree {
    Tree { root: node(&tree.root), groups: tree.groups }
}

fn node(whole: &Node) -> Node {
    match whole {
        Node::Empty => Node::Empty,
        Node::One(set) => Node::One(part(set)),
        Node::Edge(edge) => Node::Edge(narrow(*edge)),
        Node::Group(index, body) => Node::Group(*index, boxed(body)),
        Node::Back { groups, case, unset_fits } => {
            Node::Back { groups: groups.clone(), case: *case, unset_fits: *unset_fits }
        }
        Node::Look { behind, negated, body } => {
            Node::Look { behind: *behind, negated: *negated, body: boxed(body) }
        }
        Node::Atomic(body) => Node::Atomic(boxed(body)),
        Node::If { group, then, otherwise } => {
            Node::If { group: *group, then: boxed(then), otherwise: boxed(otherwise) }
        }
        Node::Repeat(repeat) => Node::Repeat(Repeat {
            body: boxed(&repeat.body),
            min: repeat.min,
            max: repeat.max,
            greedy: repeat.greedy,
            groups: repeat.groups,
        }),
        Node::All(parts) => Node::All(parts.iter().map(node).collect()),
        Node::Any(branches) => Node::Any(branches.iter().map(node).collect()),
    }
}

fn boxed(body: &Node) -> Box<Node> {
    Box::new(node(body))
}

fn part(set: &CharSet) -> CharSet {
    let ascii = set.ranges().iter().filter(|(low, _)| *low < 0x80);
    CharSet::of(ascii.map(|&(low, high)| (low, high.min(0x7F))).collect())
}

/// Words of any script are ASCII words where there is nothing else.
fn narrow(edge: Edge) -> Edge {
    match edge {
        Edge::WideWord => Edge::Word,
        Edge::NotWideWord => Edge::NotWordInText,
        Edge::Start
        | Edge::End
        | Edge::LineStart
        | Edge::LineEnd
        | Edge::Word
        | Edge::NotWord
        | Edge::LastLineEnd
        | Edge::AfterNewline
        | Edge::BeforeNewline
        | Edge::NotWordInText => edge,
    }
}

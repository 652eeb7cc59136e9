//! The linear-time engines, for patterns that neither look around nor refer back.
//!
//! Two, because each is cheap where the other is dear: one compiles in a few
//! microseconds and walks slowly, the other compiles in a fraction of a
//! millisecond and then runs through megabytes. Both are given the same text,
//! written from the tree with every set spelt out, so that nothing of their
//! own syntax can mean something else than in JavaScript.

use std::fmt::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use regex_automata::meta;
use regex_automata::util::syntax;

use super::budget::{self, OverBudget};
use super::ecma::MAX_DEPTH;
use super::set::CharSet;
use super::syntax::{Edge, Node, Repeat, Tree};

/// Up to this cost, over all subjects so far, the engine that compiles quickly
/// is the faster one.
const QUICK_COST: u64 = 64 * 1024;
/// Up to this cost a search takes a few microseconds.
const SHORT_COST: u64 = 1024;
/// Beyond this cost (ten seconds at worst) nothing is tried any more.
pub const COST_LIMIT: u64 = 1 << 28;
/// Levels the engines count for one group: itself, a choice, a sequence, a quantifier.
const NESTING: u32 = MAX_DEPTH as u32 * 4 + 4;
/// What a compiled pattern may take, in bytes.
const MEMORY: usize = 16 << 20;
/// What the thorough engine may take for the states it makes while it searches, in bytes.
const CACHE: usize = 128 << 10;
/// The thorough engine takes so many times the memory and time of the quick one to compile.
const THOROUGH: u64 = 4;

/// A pattern on the linear-time engines.
#[derive(Debug)]
pub struct Linear {
    text: String,
    size: u64,
    memory: u64,
    quick: regex_lite::Regex,
    spent: AtomicU64,
    thorough: OnceLock<Option<meta::Regex>>,
}

impl Linear {
    /// Compiles a pattern; none when it looks around or refers back.
    pub fn new(tree: &Tree) -> Option<Result<Linear, String>> {
        let mut text = String::new();
        write_node(&mut text, &tree.root, true)?;
        let quick = regex_lite::RegexBuilder::new(&text).nest_limit(NESTING).size_limit(MEMORY).build();
        Some(match quick {
            Ok(quick) => Ok(Linear {
                text,
                size: tree.root.size(),
                memory: tree.memory(),
                quick,
                spent: AtomicU64::new(0),
                thorough: OnceLock::new(),
            }),
            Err(error) => Err(format!("it is valid, but more than we follow: {error}")),
        })
    }

    /// About how many bytes it takes, the thorough engine aside.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Whether it fits anywhere in the subject.
    pub fn is_match(&self, subject: &str) -> Result<bool, OverBudget> {
        let cost = self.size.saturating_mul(subject.len() as u64);
        if cost > COST_LIMIT {
            return Err(OverBudget);
        }
        // What was asked so far tells what will be: one short text, or many.
        let spent = self.spent.load(Ordering::Relaxed).saturating_add(cost);
        let quick = spent <= QUICK_COST;
        if quick {
            self.spent.store(spent, Ordering::Relaxed);
        }
        let thorough = if quick { None } else { self.thorough()? };
        // A short search is over before its time could be measured.
        if quick && cost <= SHORT_COST {
            budget::charge_steps(cost)?;
            return Ok(self.quick.is_match(subject));
        }
        budget::timed(|| match thorough {
            Some(regex) => regex.is_match(subject),
            None => self.quick.is_match(subject),
        })
    }

    fn thorough(&self) -> Result<Option<&meta::Regex>, OverBudget> {
        let memory = self.memory.saturating_mul(THOROUGH).saturating_add(CACHE as u64);
        budget::charge_memory(std::ptr::from_ref(&self.thorough).addr(), memory)?;
        let build = || {
            meta::Regex::builder()
                .syntax(syntax::Config::new().nest_limit(NESTING))
                .configure(meta::Config::new().nfa_size_limit(Some(MEMORY)).hybrid_cache_capacity(CACHE))
                .build(&self.text)
                .ok()
        };
        if let Some(thorough) = self.thorough.get() {
            return Ok(thorough.as_ref());
        }
        let built = budget::timed(build)?;
        Ok(self.thorough.get_or_init(|| built).as_ref())
    }
}

/// Writes a part in the syntax of the engines; none when it has no place there.
/// `last` says that nothing stands behind it.
fn write_node(text: &mut String, node: &Node, last: bool) -> Option<()> {
    match node {
        Node::Empty => text.push_str("(?:)"),
        Node::One(set) => write_set(text, set),
        Node::Edge(edge) => text.push_str(edge_text(*edge, last)?),
        Node::Group(_, body) => write_node(text, body, last)?,
        Node::Back { .. } | Node::Look { .. } | Node::Atomic(_) | Node::If { .. } => return None,
        Node::Repeat(repeat) => write_repeat(text, repeat)?,
        Node::All(parts) => {
            for (index, part) in parts.iter().enumerate() {
                write_node(text, part, last && index + 1 == parts.len())?;
            }
        }
        Node::Any(branches) => write_branches(text, branches, last)?,
    }
    Some(())
}

/// Line edges look at the character beside them, and the engines know other line ends.
fn edge_text(edge: Edge, last: bool) -> Option<&'static str> {
    match edge {
        Edge::Start => Some("^"),
        Edge::End => Some("$"),
        Edge::Word => Some(r"(?-u:\b)"),
        Edge::NotWord => Some(r"(?-u:\B)"),
        Edge::AfterNewline => Some("(?m:^)"),
        Edge::BeforeNewline => Some("(?m:$)"),
        // It takes the newline it should only see, which nobody behind it misses.
        Edge::LastLineEnd => last.then_some(r"(?:\x{A}?$)"),
        // They are asked only about texts that are not empty.
        Edge::NotWordInText => Some(r"(?-u:\B)"),
        Edge::LineStart | Edge::LineEnd | Edge::WideWord | Edge::NotWideWord => None,
    }
}

fn write_branches(text: &mut String, branches: &[Node], last: bool) -> Option<()> {
    for (index, branch) in branches.iter().enumerate() {
        text.push_str(if index == 0 { "(?:" } else { "|" });
        write_node(text, branch, last)?;
    }
    text.push(')');
    Some(())
}

fn write_repeat(text: &mut String, repeat: &Repeat) -> Option<()> {
    text.push_str("(?:");
    write_node(text, &repeat.body, false)?;
    text.push(')');
    // Whether more or less is tried first cannot change whether it fits.
    match (repeat.min, repeat.max) {
        (0, None) => text.push('*'),
        (1, None) => text.push('+'),
        (min, None) => _ = write!(text, "{{{min},}}"),
        (min, Some(max)) => _ = write!(text, "{{{min},{max}}}"),
    }
    Some(())
}

fn write_set(text: &mut String, set: &CharSet) {
    match set.ranges() {
        [] => text.push_str(r"[^\x{0}-\x{10FFFF}]"),
        [(one, last)] if one == last => write_point(text, *one),
        ranges => {
            text.push('[');
            for (first, last) in ranges {
                write_point(text, *first);
                if first != last {
                    text.push('-');
                    write_point(text, *last);
                }
            }
            text.push(']');
        }
    }
}

fn write_point(text: &mut String, point: u32) {
    match char::from_u32(point) {
        Some(plain) if plain.is_ascii_alphanumeric() || !plain.is_ascii() => text.push(plain),
        Some(_) | None => _ = write!(text, "\\x{{{point:X}}}"),
    }
}

//! A regular expression as a tree, and what can be wrong with its text.

use super::budget::{self, OverBudget};
use super::set::CharSet;

/// A parsed pattern.
#[derive(Debug)]
pub struct Tree {
    /// The whole.
    pub root: Node,
    /// How many capturing groups it has.
    pub groups: u32,
}

/// What one step of a compiled pattern takes, without its set of characters: measured at 120 bytes.
const STEP_BYTES: u64 = 128;
/// What one range of a set of characters takes.
const RANGE_BYTES: u64 = 8;
/// Steps of the budget for compiling one step of a pattern: measured at 200 ns.
const COMPILE_STEPS: u64 = 20;

impl Tree {
    /// About how many bytes it takes when it is compiled.
    pub fn memory(&self) -> u64 {
        let bytes = |set: &CharSet| STEP_BYTES + RANGE_BYTES * set.ranges().len() as u64;
        self.root.weigh(STEP_BYTES, &bytes)
    }

    /// Charges the budget for compiling it, before that is done.
    pub fn charge(&self, address: usize) -> Result<(), OverBudget> {
        budget::charge_memory(address, self.memory())?;
        budget::charge_steps(self.root.size().saturating_mul(COMPILE_STEPS))
    }
}

/// One part of a pattern.
#[derive(Debug)]
pub enum Node {
    /// Nothing.
    Empty,
    /// One character of a set that holds no surrogates.
    One(CharSet),
    /// A place between characters.
    Edge(Edge),
    /// A capturing group, counted from 0.
    Group(u32, Box<Node>),
    /// The text of the one of these groups that took part; nothing if none did.
    Back {
        /// Several only when groups of different alternatives share a name.
        groups: Vec<u32>,
        /// How letters are compared.
        case: Case,
        /// Whether groups that took no part fit anywhere, or nowhere.
        unset_fits: bool,
    },
    /// A look at what follows or precedes.
    Look {
        /// Whether it looks backwards.
        behind: bool,
        /// Whether it must fail.
        negated: bool,
        /// What is looked for.
        body: Box<Node>,
    },
    /// What is taken first is kept, whatever follows. Python's alone.
    Atomic(Box<Node>),
    /// One of two, by whether a group took part. Python's alone.
    If {
        /// Which group.
        group: u32,
        /// When it did.
        then: Box<Node>,
        /// When it did not.
        otherwise: Box<Node>,
    },
    /// A quantifier.
    Repeat(Repeat),
    /// One after another.
    All(Vec<Node>),
    /// One of several.
    Any(Vec<Node>),
}

/// A part and how often it may stand.
#[derive(Debug)]
pub struct Repeat {
    /// What is repeated.
    pub body: Box<Node>,
    /// At least so often.
    pub min: u32,
    /// At most so often; none is for ever.
    pub max: Option<u32>,
    /// Whether more is tried before less.
    pub greedy: bool,
    /// The groups inside, which each turn forgets: from, and up to.
    pub groups: (u32, u32),
}

/// A place between characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// `^`
    Start,
    /// `$`
    End,
    /// `^` under `(?m:…)`
    LineStart,
    /// `$` under `(?m:…)`
    LineEnd,
    /// `\b`
    Word,
    /// `\B`
    NotWord,
    /// Python's `$`: the end, or before a newline that ends the text.
    LastLineEnd,
    /// Python's `^` under `m`.
    AfterNewline,
    /// Python's `$` under `m`.
    BeforeNewline,
    /// Python's `\b`: letters of any script make words.
    WideWord,
    /// Python's `\B`, which an empty text has not.
    NotWideWord,
    /// The same with ASCII letters, under `a`.
    NotWordInText,
}

/// How letters are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// As they are.
    Kept,
    /// As JavaScript's `(?i:…)` does.
    Ecma,
    /// As Python's `i` does.
    Python,
}

impl Node {
    /// How many steps the pattern has when every counted repetition is written out.
    pub fn size(&self) -> u64 {
        self.weigh(1, &|_| 1)
    }

    /// The sum over all steps when every counted repetition is written out: `step` for each, and
    /// for a set of characters what `of_set` says.
    fn weigh(&self, step: u64, of_set: &dyn Fn(&CharSet) -> u64) -> u64 {
        let weigh = |node: &Node| node.weigh(step, of_set);
        match self {
            Node::One(set) => of_set(set),
            Node::Empty | Node::Edge(_) | Node::Back { .. } => step,
            Node::Group(_, body) | Node::Look { body, .. } | Node::Atomic(body) => {
                weigh(body).saturating_add(step)
            }
            Node::If { then, otherwise, .. } => {
                weigh(then).saturating_add(weigh(otherwise)).saturating_add(step)
            }
            Node::Repeat(repeat) => {
                let turn = weigh(&repeat.body).saturating_add(step);
                turn.saturating_mul(repeat.turns()).saturating_add(step)
            }
            Node::All(parts) | Node::Any(parts) => {
                parts.iter().fold(step, |sum: u64, part| sum.saturating_add(weigh(part)))
            }
        }
    }

    /// Whether it takes at least one character wherever it fits.
    pub fn takes_something(&self) -> bool {
        match self {
            Node::One(_) => true,
            Node::Empty | Node::Edge(_) | Node::Back { .. } | Node::Look { .. } => false,
            Node::Group(_, body) | Node::Atomic(body) => body.takes_something(),
            Node::If { then, otherwise, .. } => then.takes_something() && otherwise.takes_something(),
            Node::Repeat(repeat) => repeat.min > 0 && repeat.body.takes_something(),
            Node::All(parts) => parts.iter().any(Node::takes_something),
            Node::Any(branches) => branches.iter().all(Node::takes_something),
        }
    }
}

impl Repeat {
    /// How often its body is written out.
    fn turns(&self) -> u64 {
        u64::from(self.max.unwrap_or(self.min.saturating_add(1)))
    }
}

/// What is wrong with a pattern, and at which of its characters (from 1).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault} (at character {at})")]
pub struct SyntaxError {
    /// What is wrong.
    pub fault: Fault,
    /// Where.
    pub at: usize,
}

/// What can be wrong with a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("`{0}` has nothing to repeat; write `.*` for any text, `\\{0}` for the character itself")]
    NothingToRepeat(char),
    #[error("`^`, `$`, `\\b` and look-behinds cannot be repeated by `{0}`")]
    EdgeRepeated(char),
    #[error("the numbers of `{{{min},{max}}}` are out of order")]
    NumbersOutOfOrder { min: u64, max: u64 },
    #[error("`(` is never closed; write `\\(` for the character itself")]
    OpenGroup,
    #[error("`)` closes nothing; write `\\)` for the character itself")]
    StrayClose,
    #[error("`[` is never closed; write `\\[` for the character itself")]
    OpenClass,
    #[error("the range `{from}-{to}` is out of order")]
    RangeOutOfOrder { from: String, to: String },
    #[error("a `\\` at the end escapes nothing; write `\\\\` for the character itself")]
    TrailingBackslash,
    #[error("`(?{0}` starts no group that JavaScript knows; {1}")]
    UnknownGroup(String, &'static str),
    #[error("modifiers like `(?i:…)` name each of i, m and s once at most, and at least one")]
    BadModifiers,
    #[error("a group's name is written `(?<name>…)`: letters, digits, `_` and `$`, not a digit first")]
    BadGroupName,
    #[error("two groups are named `{0}`")]
    SameName(String),
    #[error("`\\k` needs the name of a group, as in `\\k<name>`, in a pattern that has named groups")]
    BadNamedReference,
    #[error("no group is named `{0}`")]
    NoSuchName(String),
    #[error("groups are nested more than {0} deep, which is more than we follow")]
    TooDeep(usize),
    #[error(
        "it is valid JavaScript, but with its repetitions written out it has more than {0} steps, which is more than we follow"
    )]
    TooLarge(u64),
    #[error("it has more than {0} characters, which is more than we follow")]
    TooLong(usize),
}

//! Reads a pattern as JavaScript's `new RegExp(pattern)` does: ECMAScript 2025
//! with the web's additions (Annex B), without flags.
//!
//! What other dialects add is what JavaScript makes of it: an error, or plain
//! characters (`\A` is an `A`, `\p{L}` is `p{L}`, `[[:digit:]]` is a class and a `]`).
//!
//! Characters are Unicode scalar values, where JavaScript counts UTF-16 units:
//! `^.$` fits one emoji here. `set` says what surrogates in a pattern stand for.

use super::escape;
use super::fold;
use super::group::{Modifiers, Survey};
use super::set::CharSet;
use super::syntax::{Case, Edge, Fault, Node, Repeat, SyntaxError, Tree};

/// Deeper patterns are refused: every stage recurses into groups.
pub const MAX_DEPTH: usize = 100;
/// Larger patterns are refused: every stage writes repetitions out.
pub const MAX_SIZE: u64 = 25_000;
/// Longer patterns are refused before anything of them is read.
pub const MAX_PATTERN_BYTES: usize = 16 * 1024;

/// What no quantifier may follow. Look-aheads may be repeated, for the web's sake.
const FIXED: [&str; 6] = ["^", "$", r"\b", r"\B", "(?<=", "(?<!"];

/// Reads a pattern.
pub fn parse(pattern: &str) -> Result<Tree, SyntaxError> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(SyntaxError { fault: Fault::TooLong(MAX_PATTERN_BYTES), at: 1 });
    }
    let mut parser = Parser::new(pattern);
    let root = parser.alternatives()?;
    if parser.peek() == Some(')') {
        return Err(parser.fault(Fault::StrayClose));
    }
    if root.size() > MAX_SIZE {
        return Err(SyntaxError { fault: Fault::TooLarge(MAX_SIZE), at: 1 });
    }
    Ok(Tree { root, groups: parser.groups })
}

/// A pattern and how far it was read.
pub struct Parser {
    /// The pattern.
    pub text: Vec<char>,
    /// How far it was read.
    pub at: usize,
    /// How many groups are open.
    pub depth: usize,
    /// Capturing groups opened so far.
    pub groups: u32,
    /// What the whole pattern holds, which `\1` and `\k` depend on.
    pub survey: Survey,
    /// The group names of the alternative being read.
    names: Vec<String>,
    /// What applies to the part being read.
    pub modifiers: Modifiers,
}

struct Quantifier {
    min: u32,
    max: Option<u32>,
    greedy: bool,
}

impl Parser {
    fn new(pattern: &str) -> Parser {
        let mut parser = Parser {
            text: pattern.chars().collect(),
            at: 0,
            depth: 0,
            groups: 0,
            survey: Survey::default(),
            names: Vec::new(),
            modifiers: Modifiers::default(),
        };
        parser.survey_groups();
        parser
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// The character after the next.
    pub fn peek_second(&self) -> Option<char> {
        self.text.get(self.at + 1).copied()
    }

    /// Takes the next character.
    pub fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    /// Takes the next characters if they are these.
    pub fn eat(&mut self, expected: &str) -> bool {
        let fits = self.stands_here(expected);
        if fits {
            self.at += expected.chars().count();
        }
        fits
    }

    fn stands_here(&self, expected: &str) -> bool {
        expected.chars().enumerate().all(|(offset, one)| self.text.get(self.at + offset) == Some(&one))
    }

    /// Runs a reader that may find something else than it looks for, and then
    /// takes nothing.
    pub fn attempt<T>(&mut self, read: impl FnOnce(&mut Parser) -> Option<T>) -> Option<T> {
        let start = self.at;
        let found = read(self);
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// An error at the next character.
    pub fn fault(&self, fault: Fault) -> SyntaxError {
        SyntaxError { fault, at: self.at + 1 }
    }

    /// One character of a set, whatever its case where that is asked for.
    pub fn one(&self, set: CharSet) -> Node {
        Node::One(self.with_case(set))
    }

    /// The set, or the set whatever the case of its letters.
    pub fn with_case(&self, set: CharSet) -> CharSet {
        if self.modifiers.ignore_case { fold::without_case(&set) } else { set }
    }

    /// The text of groups, whatever its case where that is asked for.
    pub fn back(&self, groups: Vec<u32>) -> Node {
        let case = if self.modifiers.ignore_case { Case::Ecma } else { Case::Kept };
        Node::Back { groups, case, unset_fits: true }
    }

    /// `a|b|c`, up to the end or a `)`.
    pub fn alternatives(&mut self) -> Result<Node, SyntaxError> {
        let outer_names = std::mem::take(&mut self.names);
        let mut names_here: Vec<String> = Vec::new();
        let mut branches = Vec::new();
        loop {
            branches.push(self.sequence()?);
            // Groups of different alternatives may share a name: at most one takes part.
            let names = std::mem::take(&mut self.names);
            names_here.extend(names);
            if !self.eat("|") {
                break;
            }
        }
        self.names = outer_names;
        names_here.sort();
        names_here.dedup();
        names_here.into_iter().try_for_each(|name| self.add_name(name))?;
        Ok(only_or(branches, Node::Any))
    }

    /// Names a group of the alternative being read.
    pub fn add_name(&mut self, name: String) -> Result<(), SyntaxError> {
        if self.names.contains(&name) {
            return Err(self.fault(Fault::SameName(name)));
        }
        self.names.push(name);
        Ok(())
    }

    fn sequence(&mut self) -> Result<Node, SyntaxError> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let groups_before = self.groups;
            let repeatable = !FIXED.iter().any(|opening| self.stands_here(opening));
            let part = self.part(next)?;
            let part = join_surrogates(&mut parts, part);
            parts.push(self.quantified(part, repeatable, groups_before)?);
        }
        parts.iter_mut().for_each(resolve_surrogates);
        Ok(only_or(parts, Node::All))
    }

    fn part(&mut self, next: char) -> Result<Node, SyntaxError> {
        let nothing_to_repeat = self.fault(Fault::NothingToRepeat(next));
        match next {
            '*' | '+' | '?' => Err(nothing_to_repeat),
            '{' if self.attempt(braces).is_some() => Err(nothing_to_repeat),
            '(' => self.group(),
            '[' => escape::class(self),
            '\\' => escape::outside_class(self),
            '^' | '$' | '.' => {
                self.at += 1;
                Ok(self.symbol(next))
            }
            _ => {
                self.at += 1;
                Ok(self.one(CharSet::one(u32::from(next))))
            }
        }
    }

    fn symbol(&self, symbol: char) -> Node {
        match (symbol, self.modifiers.multiline) {
            ('^', false) => Node::Edge(Edge::Start),
            ('^', true) => Node::Edge(Edge::LineStart),
            ('$', false) => Node::Edge(Edge::End),
            ('$', true) => Node::Edge(Edge::LineEnd),
            _ if self.modifiers.dot_all => Node::One(CharSet::all()),
            _ => self.one(CharSet::dot()),
        }
    }

    fn quantified(&mut self, part: Node, repeatable: bool, groups_before: u32) -> Result<Node, SyntaxError> {
        let start = self.at;
        let Some(quantifier) = self.quantifier()? else { return Ok(part) };
        if !repeatable {
            return Err(SyntaxError { fault: Fault::EdgeRepeated(self.text[start]), at: start + 1 });
        }
        let Quantifier { min, max, greedy } = quantifier;
        Ok(Node::Repeat(Repeat {
            body: Box::new(part),
            min,
            max,
            greedy,
            groups: (groups_before, self.groups),
        }))
    }

    fn quantifier(&mut self) -> Result<Option<Quantifier>, SyntaxError> {
        let start = self.at;
        let symbol = [("*", (0, None)), ("+", (1, None)), ("?", (0, Some(1)))]
            .into_iter()
            .find(|(text, _)| self.eat(text));
        let Some((min, max)) = symbol.map(|(_, bounds)| bounds).or_else(|| self.attempt(braces)) else {
            return Ok(None);
        };
        if let Some(max) = max.filter(|&max| max < min) {
            return Err(SyntaxError { fault: Fault::NumbersOutOfOrder { min, max }, at: start + 1 });
        }
        Ok(Some(Quantifier {
            min: u32::try_from(min).unwrap_or(u32::MAX),
            // No text is long enough to tell such a number from infinity.
            max: max.and_then(|max| u32::try_from(max).ok()),
            greedy: !self.eat("?"),
        }))
    }
}

/// `{2}`, `{2,}` or `{2,3}`; anything else is no quantifier but characters.
fn braces(parser: &mut Parser) -> Option<(u64, Option<u64>)> {
    parser.eat("{").then_some(())?;
    let min = number(parser)?;
    let max = if parser.eat(",") { number(parser) } else { Some(min) };
    parser.eat("}").then_some((min, max))
}

fn number(parser: &mut Parser) -> Option<u64> {
    let mut value = None;
    while let Some(digit) = parser.peek().and_then(|next| next.to_digit(10)) {
        value = Some(value.unwrap_or(0_u64).saturating_mul(10).saturating_add(u64::from(digit)));
        parser.next();
    }
    value
}

/// Two escapes that are the halves of characters are one character.
fn join_surrogates(parts: &mut Vec<Node>, part: Node) -> Node {
    let joined = match (parts.last(), &part) {
        (Some(Node::One(high)), Node::One(low)) => high.joined_with(low),
        _ => None,
    };
    let Some(joined) = joined else { return part };
    parts.pop();
    Node::One(joined)
}

/// What is left of surrogates stands for the characters they are halves of.
fn resolve_surrogates(part: &mut Node) {
    match part {
        Node::One(set) => *set = std::mem::take(set).characters(),
        Node::Repeat(repeat) => resolve_surrogates(&mut repeat.body),
        _ => {} // done when its own sequence was read
    }
}

fn only_or(mut nodes: Vec<Node>, several: fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        Some(last) => {
            nodes.push(last);
            several(nodes)
        }
        None => Node::Empty,
    }
}

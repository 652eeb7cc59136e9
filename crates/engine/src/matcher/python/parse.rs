//! Reads a pattern as Python's `re` does, with `re.IGNORECASE`.

use crate::matcher::ecma::{MAX_PATTERN_BYTES, MAX_SIZE};
use crate::matcher::set::CharSet;
use crate::matcher::syntax::{Edge, Node, Repeat, Tree};

use super::{PatternError, class, escape};

/// What `(?aims)` and `(?x:…)` switch.
#[derive(Debug, Clone, Copy)]
pub struct Flags {
    pub ignore_case: bool,
    pub multiline: bool,
    pub dot_all: bool,
    pub verbose: bool,
    pub ascii: bool,
}

/// A pattern and how far it was read.
pub struct Parser {
    text: Vec<char>,
    pub at: usize,
    pub depth: usize,
    pub flags: Flags,
    /// Capturing groups opened so far.
    pub groups: u32,
    /// Those that are not closed yet, from 0.
    pub open: Vec<u32>,
    pub names: Vec<(String, u32)>,
    /// How many groups there were before the look-behind being read.
    pub behind: Option<u32>,
}

/// A part, and whether a quantifier may follow it.
pub struct Part {
    pub node: Node,
    pub repeatable: bool,
}

struct Quantifier {
    min: u32,
    max: Option<u32>,
}

/// Reads a pattern.
pub fn parse(pattern: &str) -> Result<Tree, PatternError> {
    if pattern.len() > MAX_PATTERN_BYTES {
        let message =
            format!("it has more than {MAX_PATTERN_BYTES} characters, which is more than we follow");
        return Err(PatternError { message, at: 1 });
    }
    let flags = Flags { ignore_case: true, multiline: false, dot_all: false, verbose: false, ascii: false };
    let mut parser = Parser {
        text: pattern.chars().collect(),
        at: 0,
        depth: 0,
        flags,
        groups: 0,
        open: Vec::new(),
        names: Vec::new(),
        behind: None,
    };
    parser.global_flags()?;
    let root = parser.alternatives()?;
    if parser.peek() == Some(')') {
        return Err(parser.error("`)` closes nothing; write `\\)` for the character itself"));
    }
    if root.size() > MAX_SIZE {
        let message = format!(
            "with its repetitions written out it has more than {MAX_SIZE} steps, which is more than we follow"
        );
        return Err(PatternError { message, at: 1 });
    }
    Ok(Tree { root, groups: parser.groups })
}

impl Parser {
    pub fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    pub fn second(&self) -> Option<char> {
        self.text.get(self.at + 1).copied()
    }

    pub fn ahead(&self, count: usize) -> Vec<char> {
        self.text[self.at..].iter().take(count).copied().collect()
    }

    pub fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    pub fn eat(&mut self, expected: char) -> bool {
        let fits = self.peek() == Some(expected);
        self.at += usize::from(fits);
        fits
    }

    pub fn eat_text(&mut self, expected: &str) -> bool {
        let length = expected.chars().count();
        let fits = self.text[self.at..].iter().take(length).copied().eq(expected.chars());
        self.at += if fits { length } else { 0 };
        fits
    }

    /// An error at the next character.
    pub fn error(&self, message: &str) -> PatternError {
        PatternError { message: message.to_owned(), at: self.at + 1 }
    }

    /// An error at the `\` that was just taken.
    pub fn at_backslash(&self, message: &str) -> PatternError {
        PatternError { message: message.to_owned(), at: self.at }
    }

    /// `a|b|c`, up to the end or a `)`.
    pub fn alternatives(&mut self) -> Result<Node, PatternError> {
        let mut branches = vec![self.sequence()?];
        while self.eat('|') {
            branches.push(self.sequence()?);
        }
        Ok(only_or(branches, Node::Any))
    }

    pub fn sequence(&mut self) -> Result<Node, PatternError> {
        let mut parts: Vec<Part> = Vec::new();
        loop {
            if self.flags.verbose {
                self.skip_layout();
            }
            match self.peek() {
                None | Some('|' | ')') => break,
                Some(_) => {}
            }
            let start = self.at;
            match self.quantifier()? {
                Some(quantifier) => self.repeat(&mut parts, quantifier, start)?,
                None => parts.extend(self.part()?),
            }
        }
        Ok(only_or(parts.into_iter().map(|part| part.node).collect(), Node::All))
    }

    /// White space and comments, under `x`.
    fn skip_layout(&mut self) {
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => self.at += 1,
                '#' => while self.next().is_some_and(|next| next != '\n') {},
                _ => break,
            }
        }
    }

    fn part(&mut self) -> Result<Option<Part>, PatternError> {
        let plain = |node| Ok(Some(Part { node, repeatable: true }));
        let edge = |edge| Ok(Some(Part { node: Node::Edge(edge), repeatable: false }));
        match self.peek() {
            None => Ok(None),
            Some('(') => self.group(),
            Some('[') => class::read(self).map(|node| Some(Part { node, repeatable: true })),
            Some('\\') => {
                self.next();
                let node = escape::outside_class(self)?;
                let repeatable = !matches!(node, Node::Edge(_));
                Ok(Some(Part { node, repeatable }))
            }
            Some(next) => {
                self.next();
                match next {
                    '^' if self.flags.multiline => edge(Edge::AfterNewline),
                    '^' => edge(Edge::Start),
                    '$' if self.flags.multiline => edge(Edge::BeforeNewline),
                    '$' => edge(Edge::LastLineEnd),
                    '.' if self.flags.dot_all => plain(Node::One(class::negated(&CharSet::default()))),
                    '.' => plain(Node::One(class::negated(&CharSet::one(0x0A)))),
                    other => plain(self.point(u32::from(other))),
                }
            }
        }
    }

    /// A quantifier, from its first character; none when there is none.
    fn quantifier(&mut self) -> Result<Option<Quantifier>, PatternError> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.braces(),
            Some(_) | None => return Ok(None),
        };
        self.next();
        Ok(Some(Quantifier { min, max }))
    }

    /// `{2}`, `{2,}`, `{,3}` or `{2,3}`; anything else is characters.
    fn braces(&mut self) -> Result<Option<Quantifier>, PatternError> {
        let start = self.at;
        self.next();
        if self.peek() == Some('}') {
            self.at = start;
            return Ok(None);
        }
        let low = self.digits();
        let high = if self.eat(',') { self.digits() } else { low.clone() };
        if !self.eat('}') {
            self.at = start;
            return Ok(None);
        }
        let wrong = |message: &str| PatternError { message: message.to_owned(), at: start + 1 };
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| wrong("a repetition is too large"));
        let min = if low.is_empty() { 0 } else { number(&low)? };
        let max = if high.is_empty() { None } else { Some(number(&high)?) };
        if max.is_some_and(|max| max < min) {
            return Err(wrong("the numbers of this repetition are out of order"));
        }
        Ok(Some(Quantifier { min, max }))
    }

    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.at += 1;
        }
        digits
    }

    fn repeat(
        &mut self,
        parts: &mut Vec<Part>,
        quantifier: Quantifier,
        start: usize,
    ) -> Result<(), PatternError> {
        let symbol = self.text[start];
        let wrong = |why: &str| PatternError {
            message: format!("`{symbol}` {why}; write `\\{symbol}` for the character itself"),
            at: start + 1,
        };
        let Some(part) = parts.pop() else { return Err(wrong("has nothing to repeat")) };
        if !part.repeatable {
            return Err(wrong("cannot repeat what stands before it"));
        }
        let greedy = !self.eat('?');
        let possessive = greedy && self.eat('+');
        let Quantifier { min, max } = quantifier;
        // Python keeps what a group took in an earlier turn: nothing is forgotten.
        let node = Node::Repeat(Repeat { body: Box::new(part.node), min, max, greedy, groups: (0, 0) });
        let node = if possessive { Node::Atomic(Box::new(node)) } else { node };
        parts.push(Part { node, repeatable: false });
        Ok(())
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

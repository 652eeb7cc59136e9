//! Groups of a pattern: their kinds, names and flags.

use crate::matcher::ecma::MAX_DEPTH;
use crate::matcher::syntax::Node;

use super::parse::{Flags, Parser, Part};
use super::{PatternError, width};

enum Kind {
    Plain,
    Capturing(u32),
    Look { behind: bool, negated: bool },
    Atomic,
}

impl Parser {
    /// `(?i)` and its like, which stand at the very start.
    pub fn global_flags(&mut self) -> Result<(), PatternError> {
        loop {
            let start = self.at;
            if !self.eat_text("(?") {
                return Ok(());
            }
            let letters = self.flag_letters();
            if letters.is_empty() || !self.eat(')') {
                self.at = start;
                return Ok(());
            }
            self.flags = self.switched(&letters, "", start)?;
            if self.flags.verbose {
                self.skip_to_flags();
            }
        }
    }

    /// Under `x`, layout may stand between flags.
    fn skip_to_flags(&mut self) {
        let start = self.at;
        while self.peek().is_some_and(|next| next.is_ascii_whitespace()) {
            self.at += 1;
        }
        if self.ahead(2) != ['(', '?'] {
            self.at = start;
        }
    }

    /// A group of any kind, its parentheses included; none for a comment.
    pub fn group(&mut self) -> Result<Option<Part>, PatternError> {
        let start = self.error("`(` is never closed; write `\\(` for the character itself");
        if self.eat_text("(?#") {
            while let Some(next) = self.next() {
                if next == ')' {
                    return Ok(None);
                }
            }
            return Err(start);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("groups are nested deeper than we follow"));
        }
        let node = if self.eat_text("(?P=") {
            self.named_reference(&start)?
        } else if self.eat_text("(?(") {
            self.conditional(&start)?
        } else {
            self.other_group(&start)?
        };
        self.depth -= 1;
        Ok(Some(Part { node, repeatable: true }))
    }

    fn other_group(&mut self, start: &PatternError) -> Result<Node, PatternError> {
        let (flags, behind) = (self.flags, self.behind);
        let kind = self.kind(start)?;
        if let Kind::Look { behind: true, .. } = kind {
            self.behind = Some(behind.unwrap_or(self.groups));
        }
        let body = self.alternatives()?;
        if !self.eat(')') {
            return Err(start.clone());
        }
        (self.flags, self.behind) = (flags, behind);
        let body = Box::new(body);
        Ok(match kind {
            Kind::Plain => *body,
            Kind::Capturing(index) => {
                self.open.pop();
                Node::Group(index, body)
            }
            Kind::Atomic => Node::Atomic(body),
            Kind::Look { behind, negated } => {
                if behind && width::of(&body).is_none() {
                    let message =
                        "a look-behind must have one width; write one look-behind for each".to_owned();
                    return Err(PatternError { message, at: start.at });
                }
                Node::Look { behind, negated, body }
            }
        })
    }

    fn kind(&mut self, start: &PatternError) -> Result<Kind, PatternError> {
        const KINDS: [(&str, fn() -> Kind); 6] = [
            ("(?:", || Kind::Plain),
            ("(?=", || Kind::Look { behind: false, negated: false }),
            ("(?!", || Kind::Look { behind: false, negated: true }),
            ("(?<=", || Kind::Look { behind: true, negated: false }),
            ("(?<!", || Kind::Look { behind: true, negated: true }),
            ("(?>", || Kind::Atomic),
        ];
        if let Some((_, kind)) = KINDS.into_iter().find(|(opening, _)| self.eat_text(opening)) {
            return Ok(kind());
        }
        if self.eat_text("(?P<") {
            let name = self.name('>', start)?;
            if self.names.iter().any(|(known, _)| *known == name) {
                let message = format!("two groups are named `{name}`");
                return Err(PatternError { message, at: start.at });
            }
            self.names.push((name, self.groups));
        } else if self.eat_text("(?") {
            self.scoped_flags(start)?;
            return Ok(Kind::Plain);
        } else {
            self.next();
        }
        self.groups += 1;
        self.open.push(self.groups - 1);
        Ok(Kind::Capturing(self.groups - 1))
    }

    /// `i-m:` and its like.
    fn scoped_flags(&mut self, start: &PatternError) -> Result<(), PatternError> {
        let wrong = |message: &str| Err(PatternError { message: message.to_owned(), at: start.at });
        let on = self.flag_letters();
        if self.peek() == Some(')') && !on.is_empty() {
            return wrong(
                "flags like `(?i)` stand at the very start of a pattern, or around a part as `(?i:…)`",
            );
        }
        let switches_off = self.eat('-');
        let off = if switches_off { self.flag_letters() } else { String::new() };
        if !self.eat(':') || (on.is_empty() && off.is_empty()) || (switches_off && off.is_empty()) {
            return wrong(
                "`(?` starts no group that Python knows; a named group is `(?P<name>…)`, a plain one `(?:…)`",
            );
        }
        self.flags = self.switched(&on, &off, start.at - 1)?;
        Ok(())
    }

    fn flag_letters(&mut self) -> String {
        let mut letters = String::new();
        while let Some(letter) = self.peek().filter(|next| "aiLmsux".contains(*next)) {
            letters.push(letter);
            self.at += 1;
        }
        letters
    }

    fn switched(&self, on: &str, off: &str, start: usize) -> Result<Flags, PatternError> {
        let wrong = |message: &str| Err(PatternError { message: message.to_owned(), at: start + 1 });
        if on.contains('L') || off.contains('L') {
            return wrong("the flag `L` is for bytes, and texts are matched here");
        }
        if (on.contains('a') && on.contains('u')) || off.contains(['a', 'u']) {
            return wrong("the flags `a` and `u` exclude each other, and neither can be switched off");
        }
        if on.chars().any(|letter| off.contains(letter)) {
            return wrong("a flag is switched on and off at once");
        }
        let flag = |letter: char, before: bool| (before || on.contains(letter)) && !off.contains(letter);
        Ok(Flags {
            ignore_case: flag('i', self.flags.ignore_case),
            multiline: flag('m', self.flags.multiline),
            dot_all: flag('s', self.flags.dot_all),
            verbose: flag('x', self.flags.verbose),
            ascii: flag('a', self.flags.ascii) && !on.contains('u'),
        })
    }

    fn name(&mut self, end: char, start: &PatternError) -> Result<String, PatternError> {
        let mut name = String::new();
        loop {
            match self.next() {
                None => return Err(start.clone()),
                Some(next) if next == end => break,
                Some(next) => name.push(next),
            }
        }
        let mut letters = name.chars();
        let valid = letters.next().is_some_and(|first| first == '_' || first.is_alphabetic())
            && letters.all(|next| next == '_' || next.is_alphanumeric());
        if valid {
            return Ok(name);
        }
        let message = format!("`{name}` is no name for a group: letters, digits and `_`, not a digit first");
        Err(PatternError { message, at: start.at })
    }

    fn named_reference(&mut self, start: &PatternError) -> Result<Node, PatternError> {
        let name = self.name(')', start)?;
        match self.group_named(&name) {
            Some(group) => self.reference(group + 1, start),
            None => {
                Err(PatternError { message: format!("no group before this is named `{name}`"), at: start.at })
            }
        }
    }

    fn group_named(&self, name: &str) -> Option<u32> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, group)| *group)
    }

    /// `(?(1)yes|no)`, behind its second `(`.
    fn conditional(&mut self, start: &PatternError) -> Result<Node, PatternError> {
        let wrong = |message: String| PatternError { message, at: start.at };
        let mut name = String::new();
        loop {
            match self.next() {
                None => return Err(start.clone()),
                Some(')') => break,
                Some(next) => name.push(next),
            }
        }
        let group = match name.parse::<u32>() {
            // Python lets a condition look at a group that comes later.
            Ok(0) => None,
            Ok(number) => number.checked_sub(1).filter(|group| *group < self.groups),
            Err(_) => self.group_named(&name),
        };
        let group = group.ok_or_else(|| {
            wrong(format!("the condition names `{name}`, and no group before it is called so"))
        })?;
        let then = self.sequence()?;
        let otherwise = if self.eat('|') { self.sequence()? } else { Node::Empty };
        if self.peek() == Some('|') {
            return Err(self.error("a condition has two branches at most"));
        }
        if !self.eat(')') {
            return Err(start.clone());
        }
        Ok(Node::If { group, then: Box::new(then), otherwise: Box::new(otherwise) })
    }
}

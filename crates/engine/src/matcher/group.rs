//! Groups of a pattern: their kinds, names and modifiers.

use super::ecma::{MAX_DEPTH, Parser};
use super::escape;
use super::syntax::{Fault, Node, SyntaxError};

/// What must be known of the whole pattern before any part of it is read.
#[derive(Debug, Default)]
pub struct Survey {
    /// How many capturing groups there are.
    pub groups: u32,
    /// Their names, and which group each belongs to.
    pub names: Vec<(String, u32)>,
}

/// What `(?ims:…)` switches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Modifiers {
    /// `i`
    pub ignore_case: bool,
    /// `m`
    pub multiline: bool,
    /// `s`
    pub dot_all: bool,
}

#[derive(Clone, Copy)]
enum GroupKind {
    Plain,
    Capturing(u32),
    Look { behind: bool, negated: bool },
}

impl Parser {
    /// Counts groups and collects their names, and returns to the start.
    pub fn survey_groups(&mut self) {
        let mut in_class = false;
        while let Some(character) = self.next() {
            match character {
                '\\' => _ = self.next(),
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => self.survey_group(),
                _ => {}
            }
        }
        self.at = 0;
    }

    fn survey_group(&mut self) {
        let named = self.peek() == Some('?')
            && self.peek_second() == Some('<')
            && !matches!(self.text.get(self.at + 2), Some('=' | '!'));
        if named {
            let name = self.attempt(|parser| {
                parser.at += 2;
                escape::group_name(parser)
            });
            self.survey.names.extend(name.map(|name| (name, self.survey.groups)));
        }
        if named || self.peek() != Some('?') {
            self.survey.groups += 1;
        }
    }

    /// A group of any kind, its parentheses included.
    pub fn group(&mut self) -> Result<Node, SyntaxError> {
        let start = self.at;
        let modifiers = self.modifiers;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault(Fault::TooDeep(MAX_DEPTH)));
        }
        let kind = self.group_kind()?;
        let body = self.alternatives()?;
        if !self.eat(")") {
            return Err(SyntaxError { fault: Fault::OpenGroup, at: start + 1 });
        }
        self.depth -= 1;
        self.modifiers = modifiers;
        Ok(match kind {
            GroupKind::Plain => body,
            GroupKind::Capturing(index) => Node::Group(index, Box::new(body)),
            GroupKind::Look { behind, negated } => Node::Look { behind, negated, body: Box::new(body) },
        })
    }

    fn group_kind(&mut self) -> Result<GroupKind, SyntaxError> {
        const KINDS: [(&str, GroupKind); 5] = [
            ("(?:", GroupKind::Plain),
            ("(?=", GroupKind::Look { behind: false, negated: false }),
            ("(?!", GroupKind::Look { behind: false, negated: true }),
            ("(?<=", GroupKind::Look { behind: true, negated: false }),
            ("(?<!", GroupKind::Look { behind: true, negated: true }),
        ];
        if let Some((_, kind)) = KINDS.into_iter().find(|(opening, _)| self.eat(opening)) {
            return Ok(kind);
        }
        if self.eat("(?<") {
            let name = escape::group_name(self).ok_or_else(|| self.fault(Fault::BadGroupName))?;
            self.add_name(name)?;
        } else if self.eat("(?") {
            self.modifiers = self.read_modifiers()?;
            return Ok(GroupKind::Plain);
        } else {
            self.at += 1;
        }
        self.groups += 1;
        Ok(GroupKind::Capturing(self.groups - 1))
    }

    /// `i`, `m`, `s`, perhaps a `-` and more of them, and the `:`.
    fn read_modifiers(&mut self) -> Result<Modifiers, SyntaxError> {
        let start = self.at;
        let mut on = String::new();
        let mut off = String::new();
        while let Some(letter @ ('i' | 'm' | 's')) = self.peek() {
            on.push(letter);
            self.at += 1;
        }
        let switches_off = self.eat("-");
        while let Some(letter @ ('i' | 'm' | 's')) = self.peek().filter(|_| switches_off) {
            off.push(letter);
            self.at += 1;
        }
        if !self.eat(":") {
            self.at = start;
            return Err(self.unknown_group());
        }
        let all = format!("{on}{off}");
        if all.is_empty() || all.chars().any(|letter| all.matches(letter).count() > 1) {
            self.at = start;
            return Err(self.fault(Fault::BadModifiers));
        }
        let switch = |letter, before| (before || on.contains(letter)) && !off.contains(letter);
        Ok(Modifiers {
            ignore_case: switch('i', self.modifiers.ignore_case),
            multiline: switch('m', self.modifiers.multiline),
            dot_all: switch('s', self.modifiers.dot_all),
        })
    }

    fn unknown_group(&self) -> SyntaxError {
        let rest: String =
            self.text[self.at..].iter().take_while(|one| one.is_ascii_graphic()).take(6).collect();
        let advice = match rest.trim_start_matches(['i', 'm', 's', 'x', 'u', '-']) {
            other if other.starts_with(')') => "flags go around a part, as in `(?i:…)`",
            other if other.starts_with("P<") => "a named group is `(?<name>…)`",
            other if other.starts_with('>') => "a plain group is `(?:…)`",
            _ => "write `\\(` for the character itself",
        };
        let shown = rest.chars().take(1).collect();
        self.fault(Fault::UnknownGroup(shown, advice))
    }
}

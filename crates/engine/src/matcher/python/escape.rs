//! Escapes of a pattern.

use crate::matcher::set::CharSet;
use crate::matcher::syntax::{Case, Edge, Node};

use super::parse::Parser;
use super::{PatternError, class};

/// What an escape stands for inside a class.
pub enum Escape {
    /// One character.
    Point(u32),
    /// Several.
    Class(CharSet),
}

/// An escape outside a class, behind its `\`.
pub fn outside_class(parser: &mut Parser) -> Result<Node, PatternError> {
    let here =
        parser.at_backslash("a `\\` at the end escapes nothing; write `\\\\` for the character itself");
    let letter = parser.peek().ok_or(here)?;
    let edge = match (letter, parser.flags.ascii) {
        ('A', _) => Some(Edge::Start),
        ('Z', _) => Some(Edge::End),
        ('b', true) => Some(Edge::Word),
        ('b', false) => Some(Edge::WideWord),
        ('B', true) => Some(Edge::NotWordInText),
        ('B', false) => Some(Edge::NotWideWord),
        _ => None,
    };
    if let Some(edge) = edge {
        parser.next();
        return Ok(Node::Edge(edge));
    }
    if let Some(set) = class::named(letter, parser.flags.ascii) {
        parser.next();
        return Ok(Node::One(set));
    }
    if letter.is_ascii_digit() && letter != '0' {
        return number(parser);
    }
    point(parser).map(|point| parser.point(point))
}

/// An escape inside a class, behind its `\`.
pub fn in_class(parser: &mut Parser) -> Result<Escape, PatternError> {
    let open = parser.at_backslash("`[` is never closed; write `\\[` for the character itself");
    let letter = parser.peek().ok_or(open)?;
    if let Some(set) = class::named(letter, parser.flags.ascii) {
        parser.next();
        return Ok(Escape::Class(set));
    }
    if letter == 'b' {
        parser.next();
        return Ok(Escape::Point(0x08));
    }
    if let '1'..='7' = letter {
        return octal(parser, 3).map(Escape::Point);
    }
    point(parser).map(Escape::Point)
}

/// A reference to a group, or three octal digits.
fn number(parser: &mut Parser) -> Result<Node, PatternError> {
    let ahead: Vec<char> = parser.ahead(3);
    let is_octal = ahead.len() == 3 && ahead.iter().all(|digit| digit.is_digit(8));
    if is_octal {
        return octal(parser, 3).map(|point| parser.point(point));
    }
    let start = parser.at_backslash("");
    let mut group = 0;
    for _ in 0..2 {
        let Some(digit) = parser.peek().and_then(|next| next.to_digit(10)) else { break };
        group = group * 10 + digit;
        parser.next();
    }
    parser.reference(group, &start)
}

impl Parser {
    /// The text of a group again; Python counts groups from 1.
    pub fn reference(&self, group: u32, start: &PatternError) -> Result<Node, PatternError> {
        let wrong = |message: String| Err(PatternError { message, at: start.at });
        if group == 0 || group > self.groups {
            return wrong(format!("there is no group {group} before this place"));
        }
        if self.open.contains(&(group - 1)) {
            return wrong(format!("group {group} is not closed yet at this place"));
        }
        if self.behind.is_some_and(|groups_before| group > groups_before) {
            return wrong("a look-behind cannot refer to a group inside it".to_owned());
        }
        let case = if self.flags.ignore_case { Case::Python } else { Case::Kept };
        Ok(Node::Back { groups: vec![group - 1], case, unset_fits: false })
    }
}

/// The character an escape stands for.
fn point(parser: &mut Parser) -> Result<u32, PatternError> {
    let start = parser.at_backslash("");
    let wrong = |message: String| Err(PatternError { message, at: start.at });
    let Some(letter) = parser.peek() else { return wrong("a `\\` at the end escapes nothing".to_owned()) };
    if letter == '0' {
        return octal(parser, 3);
    }
    parser.next();
    Ok(match letter {
        'a' => 0x07,
        'f' => 0x0C,
        'n' => 0x0A,
        'r' => 0x0D,
        't' => 0x09,
        'v' => 0x0B,
        'x' => return hex(parser, 2, &start),
        'u' => return hex(parser, 4, &start),
        'U' => return hex(parser, 8, &start),
        'N' => {
            return wrong(
                "`\\N{…}` names a character, which we do not look up; write the character itself".to_owned(),
            );
        }
        letter if letter.is_ascii_alphanumeric() => {
            return wrong(format!(
                "`\\{letter}` is no escape of Python's; write `{letter}` for the character itself"
            ));
        }
        itself => u32::from(itself),
    })
}

fn octal(parser: &mut Parser, most: usize) -> Result<u32, PatternError> {
    let start = parser.at_backslash("");
    let mut value = 0;
    for _ in 0..most {
        let Some(digit) = parser.peek().and_then(|next| next.to_digit(8)) else { break };
        value = value * 8 + digit;
        parser.next();
    }
    if value > 0o377 {
        let message = "an octal escape goes up to `\\377`".to_owned();
        return Err(PatternError { message, at: start.at });
    }
    Ok(value)
}

fn hex(parser: &mut Parser, digits: usize, start: &PatternError) -> Result<u32, PatternError> {
    let mut value: u32 = 0;
    for _ in 0..digits {
        let digit = parser.next().and_then(|next| next.to_digit(16));
        let Some(digit) = digit else {
            let message = format!("this escape has {digits} hexadecimal digits");
            return Err(PatternError { message, at: start.at });
        };
        value = value.wrapping_mul(16).wrapping_add(digit);
    }
    if value > 0x10_FFFF {
        return Err(PatternError { message: "there is no such character".to_owned(), at: start.at });
    }
    Ok(value)
}

//! Escapes, character classes and group names of a pattern.

use super::ecma::Parser;
use super::set::CharSet;
use super::syntax::{Edge, Fault, Node, SyntaxError};

/// A member of a class: one code point, or a whole class like `\d`.
enum Member {
    Point(u32),
    Class(CharSet),
}

/// An escape outside a class, from its `\`.
pub fn outside_class(parser: &mut Parser) -> Result<Node, SyntaxError> {
    let start = parser.fault(Fault::TrailingBackslash);
    parser.next();
    match parser.peek().ok_or(start)? {
        'b' => Ok(edge(parser, Edge::Word)),
        'B' => Ok(edge(parser, Edge::NotWord)),
        'k' if !parser.survey.names.is_empty() => named_reference(parser),
        '1'..='9' => match parser.attempt(reference) {
            Some(group) => Ok(parser.back(vec![group])),
            None => Ok(character(parser, false)),
        },
        letter => match CharSet::class(letter) {
            Some(class) => {
                parser.next();
                Ok(parser.one(class))
            }
            None => Ok(character(parser, false)),
        },
    }
}

/// A class, from its `[`.
pub fn class(parser: &mut Parser) -> Result<Node, SyntaxError> {
    let open = parser.fault(Fault::OpenClass);
    parser.next();
    let negated = parser.eat("^");
    let mut ranges = Vec::new();
    while !parser.eat("]") {
        let first = member(parser, &open)?;
        if parser.peek() != Some('-') || parser.peek_second() == Some(']') {
            first.add_to(&mut ranges);
            continue;
        }
        let dash = parser.fault(Fault::OpenClass);
        parser.next();
        match (first, member(parser, &open)?) {
            (Member::Point(low), Member::Point(high)) if low <= high => ranges.push((low, high)),
            (Member::Point(low), Member::Point(high)) => {
                let fault = Fault::RangeOutOfOrder { from: shown(low), to: shown(high) };
                return Err(SyntaxError { fault, ..dash });
            }
            // A class has no ends: the dash between is a member of its own.
            (first, last) => {
                first.add_to(&mut ranges);
                last.add_to(&mut ranges);
                ranges.push((u32::from('-'), u32::from('-')));
            }
        }
    }
    let set = parser.with_case(CharSet::of(ranges));
    Ok(Node::One(if negated { set.complement() } else { set }))
}

/// The name of a group and the `>` behind it.
pub fn group_name(parser: &mut Parser) -> Option<String> {
    let mut name = String::new();
    while !parser.eat(">") {
        let next = match parser.next()? {
            '\\' => char::from_u32(name_escape(parser)?)?,
            plain => plain,
        };
        let allowed = matches!(next, '$' | '_') || next.is_alphabetic();
        let allowed_later = next.is_alphanumeric() || matches!(next, '\u{200C}' | '\u{200D}');
        if !allowed && (name.is_empty() || !allowed_later) {
            return None;
        }
        name.push(next);
    }
    (!name.is_empty()).then_some(name)
}

impl Member {
    fn add_to(self, ranges: &mut Vec<(u32, u32)>) {
        match self {
            Member::Point(point) => ranges.push((point, point)),
            Member::Class(class) => ranges.extend_from_slice(class.ranges()),
        }
    }
}

fn edge(parser: &mut Parser, edge: Edge) -> Node {
    parser.next();
    Node::Edge(edge)
}

fn character(parser: &mut Parser, in_class: bool) -> Node {
    let point = escaped_point(parser, in_class);
    parser.one(CharSet::one(point))
}

/// The group that a number stands for; none when there is no such group, and
/// the digits then mean a character.
fn reference(parser: &mut Parser) -> Option<u32> {
    let mut number: u32 = 0;
    while let Some(digit) = parser.peek().and_then(|next| next.to_digit(10)) {
        number = number.saturating_mul(10).saturating_add(digit);
        parser.next();
    }
    (number <= parser.survey.groups).then(|| number - 1)
}

fn named_reference(parser: &mut Parser) -> Result<Node, SyntaxError> {
    let bad = parser.fault(Fault::BadNamedReference);
    parser.next();
    let name = if parser.eat("<") { group_name(parser) } else { None };
    let Some(name) = name else { return Err(bad) };
    let groups: Vec<u32> =
        parser.survey.names.iter().filter(|(known, _)| *known == name).map(|(_, group)| *group).collect();
    if groups.is_empty() {
        return Err(SyntaxError { fault: Fault::NoSuchName(name), ..bad });
    }
    Ok(parser.back(groups))
}

fn member(parser: &mut Parser, open: &SyntaxError) -> Result<Member, SyntaxError> {
    match parser.next().ok_or_else(|| open.clone())? {
        '\\' => member_escape(parser, open),
        plain => Ok(Member::Point(u32::from(plain))),
    }
}

fn member_escape(parser: &mut Parser, open: &SyntaxError) -> Result<Member, SyntaxError> {
    let letter = parser.peek().ok_or_else(|| open.clone())?;
    if let Some(class) = CharSet::class(letter) {
        parser.next();
        return Ok(Member::Class(class));
    }
    match letter {
        'k' if !parser.survey.names.is_empty() => Err(parser.fault(Fault::BadNamedReference)),
        'b' => {
            parser.next();
            Ok(Member::Point(0x08))
        }
        _ => Ok(Member::Point(escaped_point(parser, true))),
    }
}

/// The code point of an escape whose `\` was taken. What is no escape is the
/// character itself.
fn escaped_point(parser: &mut Parser, in_class: bool) -> u32 {
    let Some(letter) = parser.peek() else { return u32::from('\\') };
    if let '0'..='7' = letter {
        return octal(parser);
    }
    if letter == 'c' {
        // Without a letter behind it, it is the backslash that is plain.
        return parser.attempt(|parser| control(parser, in_class)).unwrap_or(u32::from('\\'));
    }
    parser.next();
    match letter {
        't' => 0x09,
        'n' => 0x0A,
        'v' => 0x0B,
        'f' => 0x0C,
        'r' => 0x0D,
        'x' => parser.attempt(|parser| hex(parser, 2)).unwrap_or(u32::from('x')),
        'u' => parser.attempt(|parser| hex(parser, 4)).unwrap_or(u32::from('u')),
        itself => u32::from(itself),
    }
}

/// Up to three octal digits, as long as the value stays below 256.
fn octal(parser: &mut Parser) -> u32 {
    let mut value = 0;
    for _ in 0..3 {
        let Some(digit) =
            parser.peek().and_then(|next| next.to_digit(8)).filter(|digit| value * 8 + digit < 256)
        else {
            break;
        };
        value = value * 8 + digit;
        parser.next();
    }
    value
}

fn control(parser: &mut Parser, in_class: bool) -> Option<u32> {
    parser.eat("c").then_some(())?;
    let letter = parser.next()?;
    let fits = letter.is_ascii_alphabetic() || (in_class && (letter.is_ascii_digit() || letter == '_'));
    fits.then(|| u32::from(letter) % 32)
}

fn hex(parser: &mut Parser, digits: usize) -> Option<u32> {
    (0..digits).try_fold(0, |value, _| Some(value * 16 + parser.next()?.to_digit(16)?))
}

/// `\u0061` or `\u{61}` in a name, after the `\`.
fn name_escape(parser: &mut Parser) -> Option<u32> {
    parser.eat("u").then_some(())?;
    if !parser.eat("{") {
        return hex(parser, 4);
    }
    let mut value = parser.next()?.to_digit(16)?;
    while !parser.eat("}") {
        value = value.checked_mul(16)?.checked_add(parser.next()?.to_digit(16)?)?;
    }
    Some(value)
}

fn shown(point: u32) -> String {
    match char::from_u32(point) {
        Some(plain) if !plain.is_control() => plain.to_string(),
        Some(_) | None => format!("\\u{point:04x}"),
    }
}

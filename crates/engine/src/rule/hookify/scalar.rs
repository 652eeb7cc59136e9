//! One value of the head: plain, in quotes, or a short list in brackets.

use std::ops::Range;

use super::frontmatter::{Item, Spanned};

/// Escapes that mean something in YAML's double quotes and that nobody writes
/// in a pattern for anything else. `\b` is not among them: in a pattern it is
/// the edge of a word and never a backspace.
const ESCAPES: [(char, char); 10] = [
    ('\\', '\\'),
    ('"', '"'),
    ('/', '/'),
    ('n', '\n'),
    ('t', '\t'),
    ('r', '\r'),
    ('0', '\0'),
    ('a', '\u{7}'),
    ('e', '\u{1b}'),
    (' ', ' '),
];

/// The value that stands at these bytes.
pub fn read(text: &str, bytes: Range<usize>) -> Spanned {
    let found = Spanned::trimmed(text, bytes);
    let value = match found.text.chars().next() {
        Some('"') => quoted(&found.text, '"').map(unescaped),
        Some('\'') => quoted(&found.text, '\'').map(|inside| inside.replace("''", "'")),
        Some(_) | None => None,
    };
    let value = value.unwrap_or_else(|| without_comment(&found.text).to_owned());
    Spanned { text: value, bytes: found.bytes }
}

/// Whether a text in double quotes was written as the plugin reads it: with
/// escapes that YAML does not know.
pub fn is_as_written(inside: &str) -> bool {
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\'
            && !letters.next().is_some_and(|next| ESCAPES.iter().any(|(escape, _)| *escape == next))
        {
            return true;
        }
    }
    false
}

/// `[{field: a, operator: b, pattern: c}]`, the list that fits on one line.
pub fn flow_list(text: &str, value: &Spanned) -> Option<Vec<Item>> {
    let inside = value.text.strip_prefix('[')?.strip_suffix(']')?;
    let start = value.bytes.start + 1;
    let parts = split(inside, ',');
    let item = |part: Range<usize>| {
        let item = Spanned::trimmed(text, start + part.start..start + part.end);
        match flow_fields(text, &item) {
            Some(fields) => Item::Fields(fields),
            None => Item::Text(read(text, item.bytes)),
        }
    };
    Some(parts.into_iter().filter(|part| !inside[part.clone()].trim().is_empty()).map(item).collect())
}

/// `{field: a, operator: b, pattern: c}`.
pub fn flow_fields(text: &str, value: &Spanned) -> Option<Vec<(Spanned, Spanned)>> {
    let inside = value.text.strip_prefix('{')?.strip_suffix('}')?;
    let start = value.bytes.start + 1;
    let field = |part: Range<usize>| {
        let colon = inside[part.clone()].find(':')?;
        let key = read(text, start + part.start..start + part.start + colon);
        Some((key, read(text, start + part.start + colon + 1..start + part.end)))
    };
    split(inside, ',').into_iter().map(field).collect()
}

/// The parts between separators that stand outside quotes and brackets.
fn split(text: &str, separator: char) -> Vec<Range<usize>> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), letter) if letter == open && !escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth = depth.saturating_sub(1),
            (None, letter) if letter == separator && depth == 0 => {
                parts.push(start..at);
                start = at + letter.len_utf8();
            }
            (None, _) => {}
        }
        escaped = false;
    }
    parts.push(start..text.len());
    parts
}

/// What stands in quotes, when nothing but a comment stands behind them.
pub fn quoted(text: &str, quote: char) -> Option<&str> {
    let inside = text.strip_prefix(quote)?;
    let mut letters = inside.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' && quote == '"' {
            letters.next();
        } else if letter == quote {
            if quote == '\'' && letters.peek().is_some_and(|(_, next)| *next == '\'') {
                letters.next();
                continue;
            }
            let rest = inside[at + 1..].trim_start();
            return (rest.is_empty() || rest.starts_with('#')).then_some(&inside[..at]);
        }
    }
    None
}

fn unescaped(inside: &str) -> String {
    if is_as_written(inside) {
        return inside.to_owned();
    }
    let mut out = String::with_capacity(inside.len());
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        let next = if letter == '\\' { letters.next() } else { None };
        let known = next.and_then(|next| ESCAPES.iter().find(|(escape, _)| *escape == next));
        out.push(known.map_or(letter, |(_, character)| *character));
    }
    out
}

/// A comment begins with a `#` behind white space.
fn without_comment(text: &str) -> &str {
    let comment = text
        .char_indices()
        .zip(text.chars().skip(1))
        .find(|((_, before), next)| before.is_whitespace() && *next == '#');
    comment.map_or(text, |((at, _), _)| &text[..at]).trim_end()
}

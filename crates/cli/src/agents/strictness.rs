//! What an agent's own reader of JSON takes. Ours takes comments and commas
//! before a closing bracket; an agent that does not leaves the whole file out,
//! and our entries with it.
//!
//! Pure: a text in, the first thing in it that the agent cannot read out.

use boathook_engine::problem::Place;

use super::wiring::{Form, Wiring};

/// What is allowed beyond plain JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json {
    /// A byte order mark.
    pub mark: bool,
    pub comments: bool,
}

impl Json {
    /// Nothing more.
    pub const PLAIN: Json = Json { mark: false, comments: false };
}

/// Something that the agent cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Line and column, from 1.
    pub place: (usize, usize),
    pub what: What,
}

/// What that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Mark,
    Comment,
    Comma,
}

impl Unread {
    /// In one line.
    pub fn words(&self, wiring: &Wiring) -> String {
        let what = match self.what {
            What::Mark => "a byte order mark",
            What::Comment => "a comment",
            What::Comma => "a comma before a closing bracket",
        };
        format!("{} does not read a file with {what}", wiring.title)
    }

    /// What to do.
    pub fn help(&self) -> &'static str {
        match self.what {
            What::Mark => "save the file without the mark",
            What::Comment => "remove the comments",
            What::Comma => "remove the comma",
        }
    }
}

/// The first thing in a file's text that the agent cannot read. The text is
/// JSON as we read it.
pub fn unread(text: &str, wiring: &Wiring) -> Option<Unread> {
    let (Form::Groups(handler) | Form::Flat(handler)) = wiring.form else { return None };
    let plain = text.trim_start_matches('\u{feff}');
    if !handler.reads.mark && plain.len() != text.len() {
        return Some(Unread { place: (1, 1), what: What::Mark });
    }
    let (at, what) = beyond_json(plain, handler.reads.comments)?;
    let place = Place::in_text(plain, at..at + 1);
    Some(Unread { place: (place.line, place.column), what })
}

/// Where something stands that plain JSON does not have.
fn beyond_json(text: &str, comments: bool) -> Option<(usize, What)> {
    let bytes = text.as_bytes();
    let mut comma = None;
    let mut at = 0;
    while at < bytes.len() {
        let next = match bytes[at] {
            b'"' => end_of_text(bytes, at),
            b'/' if !comments => return Some((at, What::Comment)),
            b'/' => end_of_comment(text, at),
            b']' | b'}' if comma.is_some() => return comma.map(|at| (at, What::Comma)),
            _ => at + 1,
        };
        match bytes[at] {
            b',' => comma = Some(at),
            b'/' | b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => comma = None,
        }
        at = next;
    }
    None
}

/// Behind the quote that ends a string.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

fn end_of_comment(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let end = if rest.starts_with("/*") { rest.find("*/").map(|at| at + 2) } else { rest.find('\n') };
    end.map_or(text.len(), |end| start + end)
}

#[cfg(test)]
mod tests {
    use super::super::wiring::named;
    use super::*;

    #[test]
    fn what_an_agent_cannot_read_is_found_with_its_place() {
        let cases = [
            ("claude", "{\"a\": \"// no, /* no */ ,]\", \"b\": [1, 2]}", None),
            ("claude", "\u{feff}{}", None),
            ("gemini", "\u{feff}{}", Some(((1, 1), What::Mark))),
            ("codex", "\u{feff}{}", Some(((1, 1), What::Mark))),
            ("qwen", "\u{feff}{} // end", None),
            ("claude", "{\n  // why\n}", Some(((2, 3), What::Comment))),
            ("claude", "{\"a\": 1 /* why */}", Some(((1, 9), What::Comment))),
            ("claude", "{\"a\\\"\": [1,\n]}", Some(((1, 11), What::Comma))),
            ("codex", "{\"hooks\": {},}", Some(((1, 13), What::Comma))),
            ("gemini", "{\n  // why\n  \"a\": 1 /* , */\n}", None),
            ("gemini", "{\"a\": 1, // why }\n}", Some(((1, 8), What::Comma))),
            ("gemini", "{\"a\": [1, /* ] */ 2]} // end", None),
            ("qwen", "{\"a\": {\"b\": 1,}}", Some(((1, 14), What::Comma))),
            ("opencode", "// a program", None),
            ("claude", "{\"a", None),
            ("gemini", "{ /* a", None),
            ("claude", "", None),
        ];
        for (name, text, expected) in cases {
            let found = unread(text, named(name).expect(name));
            assert_eq!(found.map(|it| (it.place, it.what)), expected, "{name}: {text}");
        }
    }
}

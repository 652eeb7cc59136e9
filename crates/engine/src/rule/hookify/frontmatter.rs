//! The head of a rule file as data, however it was read: every text with the
//! bytes it stands at.
//!
//! There are two readings. `faithful` is that of the plugin the rules were
//! written for, odd as it is; `yaml` is what the text says. Both give this.

use std::ops::Range;

use super::Mode;
use crate::problem::Problem;

/// The most bytes of a head. Heads are read before anybody trusts them, and
/// each line of one may be worth a problem: a file must not choose how long
/// that takes.
const MOST_BYTES: usize = 64 * 1024;
/// The most lines of a head, and the most items of a list in it.
const MOST_LINES: usize = 1_000;

/// A text and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spanned {
    /// What it reads as.
    pub text: String,
    /// The bytes of the file it was read from.
    pub bytes: Range<usize>,
}

/// What stands behind a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(Spanned),
    /// A list.
    List(Vec<Item>),
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A text.
    Text(Spanned),
    /// Keys and values.
    Fields(Vec<(Spanned, Spanned)>),
}

/// Why a file is no rule, and where.
pub type NoRule = (Range<usize>, Problem);

/// A rule file, taken apart.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Keys and values of the head, in order.
    pub entries: Vec<(Spanned, Value)>,
    /// The text behind the head, its ends trimmed.
    pub body: Spanned,
    /// What could not be read, and where.
    pub problems: Vec<(Range<usize>, Problem)>,
}

impl Document {
    /// The value of a key; of several the last.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().rev().find(|(name, _)| name.text == key).map(|(_, value)| value)
    }

    /// The value of a key that is a text.
    pub fn text(&self, key: &str) -> Option<&Spanned> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            Value::List(_) => None,
        }
    }
}

impl Spanned {
    /// A part of a text, trimmed, with its place.
    pub fn trimmed(whole: &str, bytes: Range<usize>) -> Spanned {
        let part = &whole[bytes.clone()];
        let start = bytes.start + (part.len() - part.trim_start().len());
        let text = part.trim();
        Spanned { text: text.to_owned(), bytes: start..start + text.len() }
    }
}

/// Takes a file apart. An error is a file that is no rule at all.
pub fn read(text: &str, mode: Mode) -> Result<Document, Box<NoRule>> {
    let document = match mode {
        Mode::Faithful => super::faithful::read(text),
        Mode::Fixed => super::yaml::read(text),
    }?;
    let is_long = |value: &Value| matches!(value, Value::List(items) if items.len() > MOST_LINES);
    match document.entries.iter().find(|(_, value)| is_long(value)) {
        Some((key, _)) => Err(long_head(key.bytes.clone())),
        None => Ok(document),
    }
}

/// Whether a head is read no further: so many lines of it, so many bytes.
pub fn is_too_long(lines: usize, bytes: usize) -> bool {
    lines > MOST_LINES || bytes > MOST_BYTES
}

/// A file that does not begin as a rule does.
pub fn no_head() -> Box<NoRule> {
    let problem = Problem::error("hookify-no-head", "a hookify rule begins with a line `---`")
        .help("write `---`, then `name:`, `event:` and `pattern:`, then `---` and the message")
        .product("skips the file");
    Box::new((0..0, problem))
}

/// A file whose head never ends.
pub fn open_head(bytes: Range<usize>) -> Box<NoRule> {
    let problem = Problem::error("hookify-open-head", "the head of the rule is never closed")
        .help("write a line `---` between the head and the message")
        .product("skips the file");
    Box::new((bytes, problem))
}

/// A file whose head is more than anybody writes.
pub fn long_head(bytes: Range<usize>) -> Box<NoRule> {
    let message = format!(
        "the head of the rule is too long: {MOST_LINES} lines and {} KiB are the most",
        MOST_BYTES / 1024
    );
    let problem = Problem::error("hookify-long-head", message)
        .help("close the head with a line `---`, and make several rules of many conditions");
    Box::new((bytes, problem))
}

/// The lines of a part of a text, each with its bytes, without line ends.
pub fn lines(text: &str, within: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut next = within.start;
    std::iter::from_fn(move || {
        if next >= within.end {
            return None;
        }
        let start = next;
        let length = text[start..within.end].find('\n');
        let end = length.map_or(within.end, |length| start + length);
        next = end + 1;
        let line = text[start..end].strip_suffix('\r').unwrap_or(&text[start..end]);
        Some(start..start + line.len())
    })
}

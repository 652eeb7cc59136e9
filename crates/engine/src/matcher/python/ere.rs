//! A pattern as an extended regular expression of `grep -iE`, for scripts that
//! run without us.
//!
//! The text that `grep` sees is one line: newlines in it were turned into
//! `NEWLINE`, so that `^`, `$`, `.` and `\s` mean what they mean in Python.
//! Letters beyond ASCII are what the locale says: each is one character where
//! it knows UTF-8, and several bytes that are no letters where it does not.

use std::fmt::Write;

use crate::matcher::set::CharSet;
use crate::matcher::syntax::{Edge, Node, Repeat};

use super::Pattern;

/// Stands for a newline in pattern and text.
pub const NEWLINE: char = '\u{1}';
/// What every `grep` can repeat.
const MOST: u32 = 255;
const SPACE: [(u32, u32); 2] = [(0x09, 0x0D), (0x1C, 0x20)];
const WORD: [(u32, u32); 4] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
/// A character that is in a set only when all beyond ASCII are.
const FAR: u32 = 0x10_FFFD;
/// Characters that are in a set when all spaces, all digits, all words are:
/// such sets are made of classes, and say nothing of a single character.
const SPACES: [u32; 2] = [0x2003, 0x3000];
const DIGITS: [u32; 2] = [0x0660, 0x0966];
const WORDS: [u32; 2] = [0xE9, 0x4E00];

/// A pattern for `grep -iE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ere {
    /// The expression.
    pub text: String,
    /// Whether it can tell one line from several.
    pub sees_lines: bool,
}

impl Pattern {
    /// The same for `grep -iE`; why not, when it cannot be said there.
    pub fn to_ere(&self) -> Result<Ere, String> {
        let tree = self.tree().as_ref().map_err(ToString::to_string)?;
        let mut writer = Writer { ere: Ere { text: String::new(), sees_lines: false } };
        writer.node(&tree.root, true)?;
        Ok(writer.ere)
    }
}

struct Writer {
    ere: Ere,
}

type Written = Result<(), String>;

impl Writer {
    fn node(&mut self, node: &Node, last: bool) -> Written {
        match node {
            Node::Empty => self.push("()"),
            Node::One(set) => return self.set(set),
            Node::Edge(edge) => return self.edge(*edge, last),
            Node::Group(_, body) => {
                self.push("(");
                self.node(body, last)?;
                self.push(")");
            }
            Node::Back { .. } => return Err("a reference to a group".to_owned()),
            Node::Look { .. } => return Err("a look-around".to_owned()),
            Node::Atomic(_) => return Err("a possessive part".to_owned()),
            Node::If { .. } => return Err("a condition".to_owned()),
            Node::Repeat(repeat) => return self.repeat(repeat),
            Node::All(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.node(part, last && index + 1 == parts.len())?;
                }
            }
            Node::Any(branches) => return self.branches(branches, last),
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.ere.text.push_str(text);
    }

    /// A branch that takes nothing is not known everywhere; a `?` is.
    fn branches(&mut self, branches: &[Node], last: bool) -> Written {
        let is_empty = |branch: &&Node| matches!(branch, Node::Empty);
        let full: Vec<&Node> = branches.iter().filter(|branch| !is_empty(branch)).collect();
        self.push("(");
        for (index, branch) in full.iter().enumerate() {
            self.push(if index == 0 { "" } else { "|" });
            self.node(branch, last)?;
        }
        self.push(if full.len() < branches.len() { ")?" } else { ")" });
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Written {
        if !repeat.body.takes_something() {
            return Err("a repetition of what may be nothing".to_owned());
        }
        if repeat.min.max(repeat.max.unwrap_or(0)) > MOST {
            return Err(format!("a repetition of more than {MOST}"));
        }
        if let Node::One(_) | Node::Group(..) = *repeat.body {
            self.node(&repeat.body, false)?;
        } else {
            self.push("(");
            self.node(&repeat.body, false)?;
            self.push(")");
        }
        match (repeat.min, repeat.max) {
            (0, None) => self.push("*"),
            (1, None) => self.push("+"),
            (0, Some(1)) => self.push("?"),
            (min, None) => _ = write!(self.ere.text, "{{{min},}}"),
            (min, Some(max)) if min == max => _ = write!(self.ere.text, "{{{min}}}"),
            (min, Some(max)) => _ = write!(self.ere.text, "{{{min},{max}}}"),
        }
        Ok(())
    }

    fn edge(&mut self, edge: Edge, last: bool) -> Written {
        let text = match edge {
            Edge::Start => "^",
            Edge::End => "$",
            Edge::LastLineEnd if last => "\u{1}?$",
            Edge::Word | Edge::WideWord => "\\b",
            Edge::NotWideWord | Edge::NotWordInText | Edge::NotWord => "\\B",
            Edge::LastLineEnd
            | Edge::AfterNewline
            | Edge::BeforeNewline
            | Edge::LineStart
            | Edge::LineEnd => {
                return Err("`^` or `$` at every line".to_owned());
            }
        };
        self.ere.sees_lines |= matches!(edge, Edge::Start | Edge::End | Edge::LastLineEnd);
        self.push(text);
        Ok(())
    }

    fn set(&mut self, set: &CharSet) -> Written {
        let ascii = |wanted: bool| -> Vec<u32> {
            // A NUL cannot stand in an argument, and NEWLINE stands for another.
            (2..0x80).filter(|point| *point != 0x0A && set.contains(*point) == wanted).collect()
        };
        let newline = set.contains(0x0A);
        if set.contains(FAR) {
            self.ere.sees_lines |= newline;
            self.bracket(set, &ascii(false), !newline, true);
            return Ok(());
        }
        let beyond = set.ranges().iter().find(|(low, high)| *low >= 0x80 && low == high && !near_ascii(*low));
        let points = ascii(true);
        match (points.as_slice(), beyond, set.ranges()) {
            ([], Some((point, _)), [_]) => {
                self.ere.text.extend(char::from_u32(*point));
                return Ok(());
            }
            ([], _, _) if !newline => {
                return Err("a letter beyond ASCII whose case does not count".to_owned());
            }
            _ if has_beyond(set) && !is_of_classes(set) => {
                return Err("characters beyond ASCII beside others in brackets".to_owned());
            }
            _ => {}
        }
        self.ere.sees_lines |= newline;
        match (points.as_slice(), newline) {
            ([], true) => self.ere.text.push(NEWLINE),
            ([one], false) => self.literal(*one),
            ([upper, lower], false) if upper + 0x20 == *lower && is_letter(*lower) => self.literal(*lower),
            _ => self.bracket(set, &points, newline, false),
        }
        Ok(())
    }

    fn literal(&mut self, point: u32) {
        let Some(letter) = char::from_u32(point) else { return };
        if ".[]*^$+?{}()|\\".contains(letter) {
            self.ere.text.push('\\');
        }
        self.ere.text.push(letter);
    }

    /// A bracket expression of ASCII characters. `]` comes first, `-` last,
    /// and `^` never first. A class is named only for a set that has its
    /// members beyond ASCII too: `[^a-zA-Z0-9_]` is every other letter.
    fn bracket(&mut self, set: &CharSet, points: &[u32], newline: bool, negated: bool) {
        if negated && points.is_empty() && !newline {
            self.push(".");
            return;
        }
        self.push(if negated { "[^" } else { "[" });
        let start = self.ere.text.len();
        let mut rest: Vec<u32> = points.to_vec();
        let mut named = String::new();
        let classes = [(&SPACE[..], SPACES, "[:space:]"), (&WORD[..], WORDS, "[:alnum:]_")];
        for (ranges, beyond, name) in classes {
            if beyond.iter().any(|point| set.contains(*point) == negated) {
                continue;
            }
            let members: Vec<u32> =
                ranges.iter().flat_map(|&(low, high)| low..=high).filter(|point| *point != 0x0A).collect();
            if members.iter().all(|member| rest.contains(member)) {
                rest.retain(|point| !members.contains(point));
                named.push_str(name);
            }
        }
        let has = |wanted: char| rest.contains(&u32::from(wanted));
        let (close, caret, dash) = (has(']'), has('^'), has('-'));
        rest.retain(|point| ![']', '^', '-'].iter().any(|special| u32::from(*special) == *point));
        self.push(if close { "]" } else { "" });
        self.push(&named);
        self.ranges(&rest);
        if newline {
            self.ere.text.push(NEWLINE);
        }
        let first = !negated && self.ere.text.len() == start;
        self.push(match (caret, dash) {
            (true, true) if first => "-^]",
            (true, true) => "^-]",
            (true, false) => "^]",
            (false, true) => "-]",
            (false, false) => "]",
        });
    }

    fn ranges(&mut self, points: &[u32]) {
        let mut index = 0;
        while index < points.len() {
            let mut end = index;
            while points.get(end + 1) == Some(&(points[end] + 1)) {
                end += 1;
            }
            if end >= index + 2 {
                self.ere.text.extend(char::from_u32(points[index]));
                self.ere.text.push('-');
                self.ere.text.extend(char::from_u32(points[end]));
            } else {
                points[index..=end].iter().for_each(|point| self.ere.text.extend(char::from_u32(*point)));
            }
            index = end + 1;
        }
    }
}

fn is_letter(point: u32) -> bool {
    char::from_u32(point).is_some_and(|letter| letter.is_ascii_lowercase())
}

/// Whether a character beyond ASCII is in it that no ASCII letter stands for.
fn has_beyond(set: &CharSet) -> bool {
    set.ranges().iter().any(|&(low, high)| high >= 0x80 && !(low.max(0x80)..=high).all(near_ascii))
}

fn is_of_classes(set: &CharSet) -> bool {
    [SPACES, DIGITS, WORDS].iter().any(|beyond| beyond.iter().all(|point| set.contains(*point)))
}

/// The four characters that are equal to an ASCII letter but for case.
fn near_ascii(point: u32) -> bool {
    matches!(point, 0x130 | 0x131 | 0x17F | 0x212A)
}

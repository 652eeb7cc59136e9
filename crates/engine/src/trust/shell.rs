//! Splits a command line into words, roughly as a shell does, and puts in the
//! variables that are known before a hook runs.
//!
//! Nothing is run with the result: it only says which files to pin, so where a
//! shell's rules are finer than this, more words are found rather than fewer.

use std::path::Path;

use super::coverage::Scope;
use crate::source::Os;

/// One piece of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word, quotes removed.
    Word {
        text: String,
        /// It is directly behind a `)` or a closing back-quote.
        glued: bool,
    },
    /// Another command begins.
    Break,
    /// The next word is written to.
    Into,
}

/// Everything between these is a word.
const SEPARATORS: &[char] = &[' ', '\t', '\r', '\n', ';', '&', '|', '(', ')', '<', '>', '`'];

/// Whether a word is itself worth splitting.
pub(crate) fn is_line(text: &str) -> bool {
    text.contains(SEPARATORS) || text.contains(['"', '\''])
}

/// Splits a line.
pub(crate) fn tokens(line: &str, os: Os) -> Vec<Token> {
    let mut splitter = Splitter { tokens: Vec::new(), word: None, glued: false, in_back_quotes: false };
    let mut quote: Option<char> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"'), '\\') if os != Os::Windows => match chars.next() {
                Some(escaped @ ('$' | '`' | '"' | '\\')) => splitter.push(escaped),
                Some('\n') | None => {}
                Some(other) => {
                    splitter.push('\\');
                    splitter.push(other);
                }
            },
            (Some(_), c) => splitter.push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                splitter.begin();
            }
            (None, '\\') if os != Os::Windows => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) => splitter.push(escaped),
            },
            (None, c) if SEPARATORS.contains(&c) => splitter.separate(c),
            (None, c) => splitter.push(c),
        }
    }
    splitter.end();
    splitter.tokens
}

struct Splitter {
    tokens: Vec<Token>,
    word: Option<String>,
    glued: bool,
    in_back_quotes: bool,
}

impl Splitter {
    fn begin(&mut self) {
        self.word.get_or_insert_default();
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end(&mut self) {
        if let Some(text) = self.word.take() {
            self.tokens.push(Token::Word { text, glued: self.glued });
        }
        self.glued = false;
    }

    fn separate(&mut self, separator: char) {
        // `2>file`: the number belongs to the arrow.
        if separator == '>'
            && self.word.as_deref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()))
        {
            self.word = None;
        }
        self.end();
        match separator {
            ' ' | '\t' | '\r' | '<' => {}
            '>' => self.tokens.push(Token::Into),
            // `&>file` and `>&2` are one arrow; a lone `&` ends a command.
            '&' if self.tokens.last() == Some(&Token::Into) => {}
            _ => self.tokens.push(Token::Break),
        }
        self.in_back_quotes ^= separator == '`';
        self.glued = separator == ')' || (separator == '`' && !self.in_back_quotes);
    }
}

/// Puts in what is known; none when the word depends on something else.
pub(crate) fn expand(text: &str, scope: &Scope) -> Option<String> {
    let mut rest = text;
    let mut plain = String::new();
    if let Some(behind) = rest.strip_prefix('~') {
        if !(behind.is_empty() || behind.starts_with(['/', '\\'])) {
            return None;
        }
        plain.push_str(scope.home.to_str()?);
        rest = behind;
    }
    while let Some(at) = rest.find(['$', '%']) {
        plain.push_str(&rest[..at]);
        let sign = &rest[at..=at];
        let Some((name, behind)) = variable(&rest[at..], scope.os) else {
            plain.push_str(sign);
            rest = &rest[at + 1..];
            continue;
        };
        plain.push_str(value(name, scope)?.to_str()?);
        rest = behind;
    }
    plain.push_str(rest);
    Some(plain)
}

/// The name of the variable at the start of a text, and what follows it.
fn variable(text: &str, os: Os) -> Option<(&str, &str)> {
    if os == Os::Windows {
        if let Some((name, behind)) = text.strip_prefix('%').and_then(|rest| rest.split_once('%')) {
            return is_name(name).then_some((name, behind));
        }
        if let Some(rest) = text.strip_prefix("$env:") {
            return Some(rest.split_at(name_length(rest)));
        }
    }
    let rest = text.strip_prefix('$')?;
    if let Some((inner, behind)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        // `${NAME:-default}`: the variable is set when hooks run.
        let (name, operator) = inner.split_at(name_length(inner));
        let known = operator.is_empty() || operator.starts_with(":-") || operator.starts_with('-');
        return Some((if known { name } else { "" }, behind));
    }
    match name_length(rest) {
        // `$1`, `$@`, `$?` and their like are known to nobody.
        0 if rest.starts_with(|c: char| c.is_ascii_digit() || "@*#?!$-".contains(c)) => {
            Some(("", &rest[1..]))
        }
        0 => None,
        length => Some(rest.split_at(length)),
    }
}

fn value<'a>(name: &str, scope: &Scope<'a>) -> Option<&'a Path> {
    match name {
        "CURSOR_PROJECT_DIR" | "CLAUDE_PROJECT_DIR" => scope.workspace,
        "CURSOR_PLUGIN_ROOT" | "CLAUDE_PLUGIN_ROOT" => scope.plugin,
        "HOME" | "USERPROFILE" => Some(scope.home),
        "PWD" => Some(scope.run_dir),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && name_length(text) == text.len()
}

fn name_length(text: &str) -> usize {
    let digit_first = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    if digit_first { 0 } else { end }
}

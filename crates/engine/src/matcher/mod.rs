//! Decides whether a hook's matcher fits the event's subject.
//!
//! A matcher is a JavaScript regular expression without flags, looked for
//! anywhere in the subject; absent, empty and `*` fit everything. Words are
//! searched as words, expressions run on a linear-time engine, and those that
//! look around or refer back on a backtracking one with a limit. What passes a
//! limit fits: the hook is asked rather than passed over.
//!
//! Subjects are read as Unicode characters where JavaScript counts UTF-16
//! units, so that `^.$` fits one emoji.
//!
//! Pure: a pattern and a subject in, a verdict out.

mod backtrack;
mod ecma;
mod escape;
mod fold;
mod group;
mod linear;
mod pike;
mod program;
pub mod python;
mod set;
mod syntax;
#[cfg(test)]
mod tests;
mod words;

use std::sync::{Arc, OnceLock};

use linear::Linear;
use program::Program;
use words::Words;

/// A hook's matcher, compiled when it is first asked. Clones share the result.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    pattern: String,
    compiled: OnceLock<Result<Compiled, String>>,
}

/// What a matcher says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It fits, or a limit was reached before that was known.
    Match,
    /// It does not fit.
    NoMatch,
    /// The pattern does not compile, for this reason.
    Invalid(String),
}

/// A pattern on the engine that suits it.
#[derive(Debug)]
enum Compiled {
    Words(Words),
    Linear(Box<Linear>),
    Backtracking(Program),
}

impl Matcher {
    /// Matches whatever there is.
    pub fn everything() -> Matcher {
        Matcher::default()
    }

    /// A pattern as written; compiled when first needed.
    pub fn new(pattern: impl Into<String>) -> Matcher {
        Matcher { inner: Arc::new(Inner { pattern: pattern.into(), compiled: OnceLock::new() }) }
    }

    /// The pattern as written; empty matches everything.
    pub fn pattern(&self) -> &str {
        &self.inner.pattern
    }

    /// Whether it matches whatever there is.
    pub fn is_everything(&self) -> bool {
        matches!(self.pattern(), "" | "*")
    }

    /// Applies it.
    pub fn matches(&self, subject: &str) -> Verdict {
        if self.is_everything() {
            return Verdict::Match;
        }
        match self.compiled() {
            Ok(compiled) if compiled.is_match(subject) => Verdict::Match,
            Ok(_) => Verdict::NoMatch,
            Err(reason) => Verdict::Invalid(reason.clone()),
        }
    }

    /// Why it does not compile, if it does not.
    pub fn error(&self) -> Option<String> {
        if self.is_everything() {
            return None;
        }
        self.compiled().as_ref().err().cloned()
    }

    /// Why it cannot be read, if it cannot. Cheaper than `error`: no engine is built.
    pub fn syntax_error(&self) -> Option<String> {
        if self.is_everything() || Words::of(self.pattern()).is_some() {
            return None;
        }
        ecma::parse(self.pattern()).err().map(|error| error.to_string())
    }

    fn compiled(&self) -> &Result<Compiled, String> {
        self.inner.compiled.get_or_init(|| Compiled::new(self.pattern()))
    }
}

impl Compiled {
    fn new(pattern: &str) -> Result<Compiled, String> {
        if let Some(words) = Words::of(pattern) {
            return Ok(Compiled::Words(words));
        }
        let tree = ecma::parse(pattern).map_err(|error| error.to_string())?;
        match Linear::new(&tree) {
            Some(linear) => linear.map(|linear| Compiled::Linear(Box::new(linear))),
            None => Ok(Compiled::Backtracking(Program::new(&tree))),
        }
    }

    fn is_match(&self, subject: &str) -> bool {
        match self {
            Compiled::Words(words) => words.is_match(subject),
            Compiled::Linear(linear) => linear.is_match(subject).unwrap_or(true),
            Compiled::Backtracking(program) => backtrack::is_match(program, subject).unwrap_or(true),
        }
    }
}

//! Decides whether a hook's matcher fits the event's subject.
//!
//! A matcher is a JavaScript regular expression without flags, looked for
//! anywhere in the subject; absent, empty and `*` fit everything. Words are
//! searched as words, expressions run on a linear-time engine, and those that
//! look around or refer back on a backtracking one with a limit. What passes a
//! limit fits: the hook is asked rather than passed over. All patterns of one
//! event share a `budget`.
//!
//! Subjects are read as Unicode characters where JavaScript counts UTF-16
//! units, so that `^.$` fits one emoji.
//!
//! Pure: a pattern and a subject in, a verdict out.

mod backtrack;
pub mod budget;
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

use budget::OverBudget;
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

/// Steps for reading one byte of a pattern.
const STEPS_PER_PATTERN_BYTE: u64 = 10;

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
        let fits = match self.compiled() {
            Ok(Ok(compiled)) => compiled.is_match(subject),
            Ok(Err(reason)) => return Verdict::Invalid(reason.clone()),
            Err(OverBudget) => Err(OverBudget),
        };
        match fits {
            Ok(false) => Verdict::NoMatch,
            Ok(true) => Verdict::Match,
            Err(OverBudget) => {
                budget::add_doubt();
                Verdict::Match
            }
        }
    }

    /// Why it does not compile, if it does not. Without an error when the budget does not allow
    /// to compile it: it counts as a match then.
    pub fn error(&self) -> Option<String> {
        if self.is_everything() {
            return None;
        }
        self.compiled().ok()?.as_ref().err().cloned()
    }

    /// Why it cannot be read, if it cannot. Cheaper than `error`: no engine is built.
    pub fn syntax_error(&self) -> Option<String> {
        if self.is_everything() || Words::of(self.pattern()).is_some() {
            return None;
        }
        ecma::parse(self.pattern()).err().map(|error| error.to_string())
    }

    /// Charges the budget whether it was compiled before or not: the same event has the same
    /// result in a process that starts and in one that serves many events.
    fn compiled(&self) -> Result<&Result<Compiled, String>, OverBudget> {
        let address = Arc::as_ptr(&self.inner).addr();
        if let Some(compiled) = self.inner.compiled.get() {
            if let Ok(compiled) = compiled {
                budget::charge_memory(address, compiled.memory())?;
            }
            return Ok(compiled);
        }
        let compiled = Compiled::new(self.pattern(), address)?;
        Ok(self.inner.compiled.get_or_init(|| compiled))
    }
}

impl Compiled {
    fn new(pattern: &str, address: usize) -> Result<Result<Compiled, String>, OverBudget> {
        budget::charge_steps(pattern.len() as u64 * STEPS_PER_PATTERN_BYTE)?;
        if let Some(words) = Words::of(pattern) {
            return Ok(Ok(Compiled::Words(words)));
        }
        let tree = match ecma::parse(pattern) {
            Ok(tree) => tree,
            Err(error) => return Ok(Err(error.to_string())),
        };
        tree.charge(address)?;
        Ok(match Linear::new(&tree) {
            Some(linear) => linear.map(|linear| Compiled::Linear(Box::new(linear))),
            None => Ok(Compiled::Backtracking(Program::new(&tree))),
        })
    }

    /// About how many bytes it takes.
    fn memory(&self) -> u64 {
        match self {
            Compiled::Words(_) => 0,
            Compiled::Linear(linear) => linear.memory(),
            Compiled::Backtracking(program) => program.memory,
        }
    }

    fn is_match(&self, subject: &str) -> Result<bool, OverBudget> {
        match self {
            Compiled::Words(words) => {
                budget::charge_steps(words.cost(subject))?;
                Ok(words.is_match(subject))
            }
            Compiled::Linear(linear) => linear.is_match(subject),
            Compiled::Backtracking(program) => backtrack::is_match(program, subject),
        }
    }
}

//! Regular expressions in Python's meaning: `re.search(pattern, text, re.IGNORECASE)`.
//!
//! A pattern is read into the tree that matchers have too, and runs on the
//! same engines: linear where it can, else the backtracking one with its
//! limit, and past a limit it fits. Texts of ASCII alone, which most are, are
//! matched by a smaller form of the pattern: its sets hold ASCII alone too.
//!
//! What we cannot follow is an error of the pattern and never a wrong answer.
//!
//! Pure: a pattern and a text in, a verdict out.

mod ascii;
mod class;
mod ere;
mod escape;
mod fold;
mod group;
mod parse;
mod required;
mod unicode;
mod width;

use std::sync::{Arc, OnceLock};

pub use class::is_word;
pub use ere::{Ere, NEWLINE};
pub use fold::lower;
pub use required::Pairs;

use required::Required;

use super::budget::{self, OverBudget};
use super::linear::Linear;
use super::program::Program;
use super::syntax::Tree;
use super::{Verdict, backtrack, pike};

/// A pattern, compiled when it is first asked. Clones share the result.
#[derive(Debug, Clone, Default)]
pub struct Pattern {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    text: String,
    tree: OnceLock<Result<Tree, PatternError>>,
    narrow: OnceLock<Engine>,
    wide: OnceLock<Engine>,
    required: OnceLock<Required>,
}

/// Why a pattern cannot be used, and at which of its characters (from 1).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at character {at})")]
pub struct PatternError {
    /// What is wrong, and what to write instead.
    pub message: String,
    /// Where.
    pub at: usize,
}

/// A form of a pattern on the engine that suits it.
#[derive(Debug)]
enum Engine {
    Linear(Box<Linear>),
    Together(Program),
    Backtracking(Program),
}

impl Pattern {
    /// A pattern as written; compiled when first needed.
    pub fn new(text: impl Into<String>) -> Pattern {
        Pattern { inner: Arc::new(Inner { text: text.into(), ..Inner::default() }) }
    }

    /// The pattern as written.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// Whether it fits anywhere in a text, whatever the case of its letters.
    pub fn matches(&self, subject: &str) -> Verdict {
        let tree = match self.tree() {
            Ok(tree) => tree,
            Err(error) => return Verdict::Invalid(error.to_string()),
        };
        match self.search(tree, subject) {
            Ok(false) => Verdict::NoMatch,
            Ok(true) => Verdict::Match,
            Err(OverBudget) => {
                budget::add_doubt();
                Verdict::Match
            }
        }
    }

    fn search(&self, tree: &Tree, subject: &str) -> Result<bool, OverBudget> {
        if subject.is_empty() {
            // Some edges know an empty text from others, and the quick engines do not.
            tree.charge(Arc::as_ptr(&self.inner).addr())?;
            return backtrack::is_match(&Program::new(tree), subject);
        }
        let engine = match subject.is_ascii() {
            true => compiled(&self.inner.narrow, |compile| compile(&ascii::only(tree)))?,
            false => compiled(&self.inner.wide, |compile| compile(tree))?,
        };
        engine.is_match(subject)
    }

    /// Whether it may fit in a text of ASCII alone that has these pairs of
    /// letters. No is certain, and cheap.
    pub fn may_fit(&self, pairs: &Pairs) -> bool {
        let required =
            || self.tree().as_ref().map_or_else(|_| Required::default(), |tree| Required::of(&tree.root));
        self.inner.required.get_or_init(required).may_be_in(pairs)
    }

    /// Why it cannot be used, if so.
    pub fn error(&self) -> Option<&PatternError> {
        self.tree().as_ref().err()
    }

    fn tree(&self) -> &Result<Tree, PatternError> {
        self.inner.tree.get_or_init(|| parse::parse(&self.inner.text))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.text() == other.text()
    }
}

/// A form of a pattern, compiled when it is first needed; charged to the budget every time.
fn compiled(
    cell: &OnceLock<Engine>,
    with_form: impl FnOnce(&dyn Fn(&Tree) -> Result<Engine, OverBudget>) -> Result<Engine, OverBudget>,
) -> Result<&Engine, OverBudget> {
    let address = std::ptr::from_ref(cell).addr();
    if let Some(engine) = cell.get() {
        budget::charge_memory(address, engine.memory())?;
        return Ok(engine);
    }
    let engine = with_form(&|tree| {
        tree.charge(address)?;
        Ok(Engine::new(tree))
    })?;
    Ok(cell.get_or_init(|| engine))
}

impl Engine {
    fn new(tree: &Tree) -> Engine {
        if let Some(Ok(linear)) = Linear::new(tree) {
            return Engine::Linear(Box::new(linear));
        }
        let program = Program::new(tree);
        if pike::can_run(&program) { Engine::Together(program) } else { Engine::Backtracking(program) }
    }

    fn is_match(&self, subject: &str) -> Result<bool, OverBudget> {
        match self {
            Engine::Linear(linear) => linear.is_match(subject),
            Engine::Together(program) => pike::is_match(program, subject),
            Engine::Backtracking(program) => backtrack::is_match(program, subject),
        }
    }

    /// About how many bytes it takes.
    fn memory(&self) -> u64 {
        match self {
            Engine::Linear(linear) => linear.memory(),
            Engine::Together(program) | Engine::Backtracking(program) => program.memory,
        }
    }
}

#[cfg(test)]
mod tests;

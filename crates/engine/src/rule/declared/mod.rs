//! Rules declared in a hooks.json: a condition, and what is said when it holds.
//!
//! `config` reads them, with the place of every mistake; here they are values
//! that look at an event. Where a condition cannot be decided, a rule that
//! holds something back speaks up, and one that allows stays silent.
//!
//! Pure: an event in, an outcome out.

mod condition;
mod field;
mod glob;
mod message;
mod options;
#[cfg(test)]
mod red_team_tests;
mod says;
mod shell;
#[cfg(test)]
mod tests;
mod truth;

pub use condition::{Condition, Test};
pub use field::FieldPath;
pub use glob::{PathGlob, TextGlob};
pub use message::Message;
pub use says::{Says, answer_line};
pub use shell::ShellTest;
pub use truth::{Asking, Truth};

use crate::answer::Permission;
use crate::matcher::budget;
use crate::outcome::{Failure, Outcome, ReadOutcome};
use crate::rule::Look;

/// Why a rule is in doubt whose expressions were past a limit.
const OVER_BUDGET: &str =
    "its expressions need more work or memory than one event has for all matchers and rules";

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Its name, as in `boathook rule NAME`.
    pub name: String,
    /// The command of its entry.
    pub command: String,
    /// When it speaks.
    pub condition: Condition,
    /// What it says then.
    pub says: Says,
}

impl Rule {
    /// What lists and records call it.
    pub fn label(&self) -> &str {
        &self.command
    }

    /// What it says to an event; nothing when it does not apply.
    pub fn apply(&self, look: &Look<'_>) -> Option<ReadOutcome> {
        if let Some(reason) = self.condition.broken_expression() {
            return Some(ReadOutcome::failed(Failure::BrokenEntry(reason)));
        }
        let doubts = budget::doubts();
        let mut truth = self.truth(look, false);
        if budget::doubts() != doubts {
            truth = Truth::Unclear(OVER_BUDGET.to_owned());
        }
        let applies = match truth {
            Truth::Yes => true,
            Truth::No(_) => false,
            Truth::Unclear(_) => !self.allows(),
        };
        if !applies {
            return None;
        }
        let mut answer = self.says.answer(look.event);
        let mut warnings = Vec::new();
        if let Truth::Unclear(reason) = truth {
            says::add_doubt(&mut answer, &reason);
            warnings.push(format!("the rule `{}` speaks in doubt: {reason}", self.name));
        }
        let outcome = Outcome::Answer(Box::new(answer));
        Some(ReadOutcome { warnings, ..ReadOutcome::plain(outcome) })
    }

    /// Why it has nothing to say to an event; nothing when it speaks.
    pub fn why_silent(&self, look: &Look<'_>) -> Option<String> {
        match self.truth(look, true) {
            Truth::Yes => None,
            Truth::No(reason) => Some(reason),
            Truth::Unclear(reason) => self.allows().then_some(reason),
        }
    }

    /// What it does, in a few words.
    pub fn summary(&self) -> String {
        format!("{} when {}", self.says.summary(), self.condition.summary())
    }

    fn truth(&self, look: &Look<'_>, reasons: bool) -> Truth {
        self.condition.truth(look, Asking { strict: !self.allows(), reasons })
    }

    /// A rule that allows must not do so by a doubt.
    fn allows(&self) -> bool {
        self.says.permission == Some(Permission::Allow)
    }
}

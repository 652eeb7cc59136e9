//! Rules declared in a hooks.json.

use crate::outcome::ReadOutcome;
use crate::rule::Look;

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    label: String,
}

impl Rule {
    /// What lists and records call it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What it says to an event; nothing when it does not apply.
    pub fn apply(&self, _look: &Look<'_>) -> Option<ReadOutcome> {
        None
    }
}

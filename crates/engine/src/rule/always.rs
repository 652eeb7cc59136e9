//! A rule that says the same to every event it is asked at.

use crate::answer::{Answer, Permission};
use crate::outcome::{Outcome, ReadOutcome};

/// The same answer to every event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Always {
    /// What lists and records call it.
    pub label: String,
    /// What it says.
    pub permission: Permission,
    /// Why.
    pub message: String,
}

impl Always {
    /// Its answer.
    pub(super) fn apply(&self) -> ReadOutcome {
        let answer = Answer {
            permission: Some(self.permission),
            user_message: Some(self.message.clone()),
            // Where only an exit code counts, nothing but that withholds.
            by_exit_code: self.permission != Permission::Allow,
            ..Answer::default()
        };
        ReadOutcome::plain(Outcome::Answer(Box::new(answer)))
    }
}

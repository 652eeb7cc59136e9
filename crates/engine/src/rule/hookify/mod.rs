//! hookify rules.

use std::path::Path;

use crate::config::Config;
use crate::outcome::ReadOutcome;
use crate::rule::Look;

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    label: String,
}

/// The text of one rule file as hooks.
pub fn read(_bytes: &[u8], _file: &Path) -> Config {
    Config { readable: true, ..Config::default() }
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

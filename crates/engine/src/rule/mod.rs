//! Hooks that need no process: hookify rules and rules declared in a hooks.json.
//!
//! Pure: an event in, an outcome out, and nothing when the rule has nothing to
//! say. The one file a rule can ask for, the transcript, is read by the caller.
//! Self-protection alone resolves links, because a link would otherwise hide a protected path.

mod always;
pub mod declared;
pub mod hookify;
mod look;
pub mod shell;

pub use always::Always;
pub use look::Look;

use crate::outcome::ReadOutcome;
use crate::self_protection::{self, SelfProtection};

/// A hook that is decided inside the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// A rule of a `.claude/hookify.*.local.md`.
    Hookify(hookify::Rule),
    /// A `rule` of an entry of a hooks.json.
    Declared(Box<declared::Rule>),
    /// The same answer to every event.
    Always(Always),
    /// The built-in rule that protects what decides about agents.
    SelfProtection(Box<SelfProtection>),
}

impl Rule {
    /// What lists and records call it.
    pub fn label(&self) -> &str {
        match self {
            Rule::Hookify(rule) => rule.label(),
            Rule::Declared(rule) => rule.label(),
            Rule::Always(rule) => &rule.label,
            Rule::SelfProtection(_) => self_protection::NAME,
        }
    }

    /// The command line that stands for it in a hooks.json, which names what
    /// trust covers.
    pub fn command(&self) -> Option<&str> {
        match self {
            Rule::Hookify(rule) => rule.entry.as_deref(),
            Rule::Declared(_) | Rule::Always(_) | Rule::SelfProtection(_) => None,
        }
    }

    /// What it says to an event; nothing when it does not apply.
    pub fn apply(&self, look: &Look<'_>) -> Option<ReadOutcome> {
        match self {
            Rule::Hookify(rule) => rule.apply(look),
            Rule::Declared(rule) => rule.apply(look),
            Rule::Always(rule) => Some(rule.apply()),
            Rule::SelfProtection(rule) => rule.apply(look),
        }
    }

    /// Why it has nothing to say to an event, where it can tell.
    pub fn why_silent(&self, look: &Look<'_>) -> Option<String> {
        match self {
            Rule::Hookify(rule) => rule.why_silent(look),
            Rule::Declared(rule) => rule.why_silent(look),
            Rule::Always(_) => None,
            Rule::SelfProtection(rule) => rule.why_silent(look),
        }
    }

    /// What it does in a few words, where its label does not say so.
    pub fn summary(&self) -> Option<String> {
        match self {
            Rule::Hookify(rule) => Some(rule.summary()),
            Rule::Declared(rule) => Some(rule.summary()),
            Rule::Always(rule) => Some(format!("{}: {}", rule.permission.name(), rule.message)),
            Rule::SelfProtection(_) => Some(self_protection::SUMMARY.to_owned()),
        }
    }
}

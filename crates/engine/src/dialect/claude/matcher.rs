//! A matcher as Claude Code reads it: names between bars are exact; anything
//! with another character in it is a regular expression, looked for anywhere.

use super::events::{Sees, of_kind};
use super::tools;
use crate::fill::Event;
use crate::matcher::{Matcher, Verdict};

/// A matcher over Claude Code's names.
#[derive(Debug, Clone)]
pub struct ClaudeMatcher {
    written: String,
    compiled: Matcher,
}

impl ClaudeMatcher {
    /// The pattern as it is in the entry.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// A pattern as written.
    pub fn new(pattern: &str) -> ClaudeMatcher {
        let compiled = match pattern.trim() {
            "" | "*" => Matcher::everything(),
            // `^a$|^b$` is searched without an engine.
            names if is_names(names) => {
                let exact: Vec<String> = names.split('|').map(|name| format!("^{}$", name.trim())).collect();
                Matcher::new(exact.join("|"))
            }
            _ => Matcher::new(pattern),
        };
        ClaudeMatcher { written: pattern.to_owned(), compiled }
    }

    /// The pattern as written.
    pub fn pattern(&self) -> &str {
        &self.written
    }

    /// Whether it fits everything.
    pub fn is_everything(&self) -> bool {
        self.compiled.is_everything()
    }

    /// The names between its bars; none when it is an expression.
    pub fn names(&self) -> Option<Vec<&str>> {
        (!self.is_everything() && is_names(&self.written))
            .then(|| self.written.split('|').map(str::trim).collect())
    }

    /// Why it does not compile, if it does not.
    pub fn error(&self) -> Option<String> {
        self.compiled.error()
    }

    /// Whether it fits one of Claude Code's names.
    pub fn fits(&self, name: &str) -> bool {
        self.compiled.matches(name) == Verdict::Match
    }

    /// Whether it fits an event: any of the names that Claude Code might have
    /// for what happened.
    pub fn verdict(&self, event: &Event) -> Verdict {
        if self.is_everything() {
            return Verdict::Match;
        }
        if let Some(reason) = self.error() {
            return Verdict::Invalid(reason);
        }
        let subjects = subjects(event, &self.written);
        let fits = subjects.is_empty() || subjects.iter().any(|subject| self.fits(subject));
        if fits { Verdict::Match } else { Verdict::NoMatch }
    }
}

/// Blanks around a name are nobody's intention.
fn is_names(pattern: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    pattern.split('|').all(|name| name.trim().bytes().all(plain))
}

/// What a matcher may look at; nothing when every hook runs.
fn subjects(event: &Event, pattern: &str) -> Vec<String> {
    let text = |name: &str| event.payload.text(name).filter(|text| !text.is_empty());
    match of_kind(event.kind).map(|event| event.sees) {
        None | Some(Sees::Nothing) => Vec::new(),
        Some(Sees::Tool) => tools::names(event, pattern),
        Some(Sees::Start) => vec![text("source").unwrap_or_else(|| "startup".to_owned())],
        Some(Sees::Trigger) => text("trigger").into_iter().collect(),
        Some(Sees::End) => {
            let reason = text("reason").unwrap_or_default();
            vec![end_reason(&reason).to_owned(), reason]
        }
        Some(Sees::Agent) => {
            let agent = text("subagent_type");
            agent.into_iter().flat_map(|agent| [hyphenated(&agent), agent]).collect()
        }
    }
}

/// Why a session ended, in Claude Code's words.
pub(super) fn end_reason(reason: &str) -> &str {
    match reason {
        "user_close" => "prompt_input_exit",
        "clear" | "resume" | "logout" | "prompt_input_exit" => reason,
        _ => "other",
    }
}

/// `generalPurpose` is `general-purpose` in Claude Code.
pub(super) fn hyphenated(name: &str) -> String {
    let mut hyphenated = String::new();
    for (index, letter) in name.chars().enumerate() {
        if letter.is_ascii_uppercase() && index > 0 {
            hyphenated.push('-');
        }
        hyphenated.push(letter.to_ascii_lowercase());
    }
    hyphenated
}

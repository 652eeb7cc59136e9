//! Conditions on an event.

use serde_json::Value;

use super::field::{FieldPath, Found};
use super::glob::PathGlob;
use super::shell::{self, ShellTest};
use super::truth::{Asking, Truth};
use crate::matcher::{Matcher, Verdict};
use crate::rule::Look;

/// When a rule speaks.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All of them hold; none at all always holds.
    All(Vec<Condition>),
    /// One of them holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// A field of the payload passes a test; of several values, one.
    Field(FieldPath, Test),
    /// A command that the text at this path would start fits one of these.
    Shell(FieldPath, Vec<ShellTest>),
}

/// A test of one value.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // each is the key of that name
pub enum Test {
    Equals(Value),
    In(Vec<Value>),
    Contains(String),
    StartsWith(String),
    EndsWith(String),
    Matches(Matcher),
    Glob(Vec<PathGlob>),
    Exists(bool),
    Greater(f64),
    Less(f64),
    Not(Box<Test>),
    /// All of them, on the same value.
    All(Vec<Test>),
}

impl PartialEq for Test {
    fn eq(&self, other: &Test) -> bool {
        use Test::*;
        match (self, other) {
            (Equals(a), Equals(b)) => a == b,
            (In(a), In(b)) => a == b,
            (Contains(a), Contains(b)) | (StartsWith(a), StartsWith(b)) | (EndsWith(a), EndsWith(b)) => {
                a == b
            }
            (Matches(a), Matches(b)) => a.pattern() == b.pattern(),
            (Glob(a), Glob(b)) => a == b,
            (Exists(a), Exists(b)) => a == b,
            (Greater(a), Greater(b)) | (Less(a), Less(b)) => a == b,
            (Not(a), Not(b)) => a == b,
            (All(a), All(b)) => a == b,
            _ => false,
        }
    }
}

impl Condition {
    /// Whether it holds. Where that makes the rule stricter, one command that
    /// fits is enough, else all must fit.
    pub fn truth(&self, look: &Look<'_>, asking: Asking) -> Truth {
        match self {
            Condition::All(all) => Truth::all(all.iter().map(|one| one.truth(look, asking))),
            Condition::Any(any) => Truth::any(any.iter().map(|one| one.truth(look, asking))),
            Condition::Not(inner) => {
                inner.truth(look, asking.turned()).not(asking, || format!("{} is so", inner.summary()))
            }
            Condition::Field(path, test) => field(path, test, look, asking),
            Condition::Shell(path, tests) => shell_truth(path, tests, look, asking),
        }
    }

    /// An expression that cannot be compiled, though it could be read.
    pub(super) fn broken_expression(&self) -> Option<String> {
        match self {
            Condition::All(list) | Condition::Any(list) => list.iter().find_map(Condition::broken_expression),
            Condition::Not(inner) => inner.broken_expression(),
            Condition::Field(_, test) => test.broken_expression(),
            Condition::Shell(_, tests) => {
                tests.iter().filter_map(|test| test.matches.as_ref()).find_map(broken)
            }
        }
    }

    /// In a few words.
    pub fn summary(&self) -> String {
        let joined = |list: &[Condition], word: &str| {
            list.iter().map(Condition::summary).collect::<Vec<_>>().join(word)
        };
        match self {
            Condition::All(all) if all.is_empty() => "the event happens".to_owned(),
            Condition::All(all) => joined(all, " and "),
            Condition::Any(any) => format!("({})", joined(any, " or ")),
            Condition::Not(inner) => format!("not ({})", inner.summary()),
            Condition::Field(path, test) => format!("`{path}` {}", test.summary()),
            Condition::Shell(_, tests) => {
                let tests: Vec<String> = tests.iter().map(ShellTest::summary).collect();
                format!("the shell would run {}", tests.join(" or "))
            }
        }
    }
}

fn field(path: &FieldPath, test: &Test, look: &Look<'_>, asking: Asking) -> Truth {
    match path.find(&look.event.payload) {
        Found::Values(values) => {
            if let Test::Exists(wanted) = test {
                let holds = values.is_empty() != *wanted;
                return asking
                    .when(holds, || format!("`{path}` is {}", if *wanted { "not there" } else { "there" }));
            }
            if values.is_empty() {
                // What is not there passes no test, so it passes the opposite of any.
                let holds = test.holds_without_value();
                return asking.when(holds, || format!("`{path}` is not there"));
            }
            let holds = values.iter().any(|value| test.holds(value));
            asking.when(holds, || {
                format!("`{path}` is {}, and the rule wants one that {}", shown(&values), test.summary())
            })
        }
        Found::Unreadable => Truth::Unclear(format!("`{path}` cannot be read: it is nested too deep")),
    }
}

fn shell_truth(path: &FieldPath, tests: &[ShellTest], look: &Look<'_>, asking: Asking) -> Truth {
    let values = match path.find(&look.event.payload) {
        Found::Values(values) => values,
        Found::Unreadable => return Truth::Unclear(format!("`{path}` cannot be read")),
    };
    if values.is_empty() {
        return Truth::No(format!("`{path}` is not there"));
    }
    let one = |value: &Value| match value {
        Value::String(line) => shell::truth(&look.commands(line), tests, asking),
        Value::Null => Truth::No(format!("`{path}` is null")),
        _ => Truth::Unclear(format!("`{path}` is no text")),
    };
    let truths = values.iter().map(one);
    if asking.strict { Truth::any(truths) } else { Truth::all(truths) }
}

fn shown(values: &[Value]) -> String {
    let first = values.first().map(text_of).unwrap_or_default();
    let short: String = first.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if short.len() < first.len() { "…" } else { "" };
    format!("`{short}{more}`")
}

/// A value as text: a string as it is, anything else as JSON.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn broken(matcher: &Matcher) -> Option<String> {
    let reason = matcher.error()?;
    Some(format!("its expression `{}` does not compile: {reason}", matcher.pattern()))
}

impl Test {
    fn broken_expression(&self) -> Option<String> {
        match self {
            Test::Matches(matcher) => broken(matcher),
            Test::Not(inner) => inner.broken_expression(),
            Test::All(all) => all.iter().find_map(Test::broken_expression),
            _ => None,
        }
    }

    fn holds(&self, value: &Value) -> bool {
        let text = || text_of(value);
        match self {
            Test::Equals(wanted) => same(value, wanted),
            Test::In(list) => list.iter().any(|wanted| same(value, wanted)),
            Test::Contains(part) => text().contains(part.as_str()),
            Test::StartsWith(start) => text().starts_with(start.as_str()),
            Test::EndsWith(end) => text().ends_with(end.as_str()),
            // One that does not compile is an error of the entry, found while it was read.
            Test::Matches(matcher) => matcher.matches(&text()) != Verdict::NoMatch,
            Test::Glob(globs) => {
                let path = text();
                globs.iter().any(|glob| glob.matches(&path))
            }
            Test::Exists(wanted) => *wanted,
            Test::Greater(limit) => number(value).is_some_and(|number| number > *limit),
            Test::Less(limit) => number(value).is_some_and(|number| number < *limit),
            Test::Not(inner) => !inner.holds(value),
            Test::All(all) => all.iter().all(|test| test.holds(value)),
        }
    }

    fn holds_without_value(&self) -> bool {
        match self {
            Test::Not(inner) => !inner.holds_without_value(),
            Test::Exists(wanted) => !wanted,
            Test::All(all) => all.iter().all(Test::holds_without_value),
            _ => false,
        }
    }

    /// In a few words.
    pub fn summary(&self) -> String {
        match self {
            Test::Equals(value) => format!("equals {value}"),
            Test::In(list) => format!("is one of {}", Value::from(list.clone())),
            Test::Contains(part) => format!("contains `{part}`"),
            Test::StartsWith(start) => format!("starts with `{start}`"),
            Test::EndsWith(end) => format!("ends with `{end}`"),
            Test::Matches(matcher) => format!("matches `{}`", matcher.pattern()),
            Test::Glob(globs) => {
                let globs: Vec<&str> = globs.iter().map(PathGlob::pattern).collect();
                format!("is a path like `{}`", globs.join("` or `"))
            }
            Test::Exists(true) => "is there".to_owned(),
            Test::Exists(false) => "is not there".to_owned(),
            Test::Greater(limit) => format!("is greater than {limit}"),
            Test::Less(limit) => format!("is less than {limit}"),
            Test::Not(inner) => format!("not: {}", inner.summary()),
            Test::All(all) => all.iter().map(Test::summary).collect::<Vec<_>>().join(" and "),
        }
    }
}

/// Numbers are the same whatever their spelling.
fn same(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => value == wanted,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

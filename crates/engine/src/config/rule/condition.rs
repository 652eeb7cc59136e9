//! `when`: fields and their tests, `all`, `any`, `not`, `shell`.

use jsonc_parser::ast::{Object, Value};

use super::Reading;
use crate::config::syntax::{bytes_of, excerpt, kind_of};
use crate::matcher::Matcher;
use crate::problem::Problem;
use crate::rule::declared::{Condition, PathGlob, Test};

const TESTS: &[&str] = &[
    "equals",
    "in",
    "contains",
    "starts_with",
    "ends_with",
    "matches",
    "glob",
    "exists",
    "greater",
    "less",
    "not",
];

impl<'a> Reading<'_, '_, '_, 'a> {
    /// An object of which every part must hold.
    pub(super) fn condition(&mut self, value: &'a Value<'a>, key: &str) -> Option<Condition> {
        let Value::Object(object) = value else {
            self.wrong_kind(value, key, "an object", r#"{"tool_name": "Write"}"#);
            return None;
        };
        if object.properties.is_empty() {
            let problem = Problem::error("rule-empty-condition", format!("`{key}` asks for nothing"));
            self.fault(bytes_of(value), problem.help(r#"write {"tool_name": "Write"}, or leave it out"#));
            return None;
        }
        self.entry.reader.duplicate_keys(object);
        let mut all = Vec::new();
        for property in &object.properties {
            let name = property.name.as_str();
            let part = match name {
                "all" => self.conditions(&property.value, name).map(Condition::All),
                "any" => self.conditions(&property.value, name).map(Condition::Any),
                "not" => self.condition(&property.value, name).map(|inner| Condition::Not(Box::new(inner))),
                "shell" => self.shell(&property.value),
                _ if name.starts_with('_') => continue,
                _ => self.field(name, bytes_of(&property.name), &property.value),
            };
            all.extend(part);
        }
        Some(if all.len() == 1 { all.remove(0) } else { Condition::All(all) })
    }

    fn conditions(&mut self, value: &'a Value<'a>, key: &str) -> Option<Vec<Condition>> {
        match value {
            Value::Array(list) if !list.elements.is_empty() => {
                Some(list.elements.iter().filter_map(|element| self.condition(element, key)).collect())
            }
            other => {
                self.wrong_kind(other, key, "a list of conditions", r#"[{"tool_name": "Write"}, {…}]"#);
                None
            }
        }
    }

    fn field(
        &mut self,
        name: &str,
        bytes: std::ops::Range<usize>,
        value: &'a Value<'a>,
    ) -> Option<Condition> {
        let path = self.path(name, bytes)?;
        let test = self.test(value)?;
        Some(Condition::Field(path, test))
    }

    /// A value to equal, a list to be in, or an object of tests.
    fn test(&mut self, value: &'a Value<'a>) -> Option<Test> {
        match value {
            Value::Object(object) => self.tests(object),
            Value::Array(_) => self.one_of(value),
            scalar => Some(Test::Equals(json(scalar))),
        }
    }

    fn one_of(&mut self, value: &'a Value<'a>) -> Option<Test> {
        match value {
            Value::Array(list) if !list.elements.is_empty() => {
                Some(Test::In(list.elements.iter().map(json).collect()))
            }
            _ => {
                let problem = Problem::error("rule-empty-condition", "nothing is in an empty list");
                self.fault(bytes_of(value), problem.help(r#"write the values: ["a", "b"]"#));
                None
            }
        }
    }

    fn tests(&mut self, object: &'a Object<'a>) -> Option<Test> {
        self.keys(object, "a test of a field", TESTS);
        let mut all = Vec::new();
        for property in object.properties.iter().filter(|property| TESTS.contains(&property.name.as_str())) {
            all.push(self.one_test(property.name.as_str(), &property.value)?);
        }
        if all.is_empty() {
            let problem = Problem::error("rule-empty-condition", "this test asks for nothing");
            self.fault(bytes_of(object), problem.help(format!("it may have {}", TESTS.join(", "))));
            return None;
        }
        Some(if all.len() == 1 { all.remove(0) } else { Test::All(all) })
    }

    fn one_test(&mut self, name: &str, value: &'a Value<'a>) -> Option<Test> {
        match name {
            "equals" => Some(Test::Equals(json(value))),
            "in" => match value {
                Value::Array(_) => self.one_of(value),
                other => {
                    self.wrong_kind(other, name, "a list", r#"["a", "b"]"#);
                    None
                }
            },
            "contains" => Some(Test::Contains(self.text(value, name, "\"text\"")?.to_owned())),
            "starts_with" => Some(Test::StartsWith(self.text(value, name, "\"text\"")?.to_owned())),
            "ends_with" => Some(Test::EndsWith(self.text(value, name, "\"text\"")?.to_owned())),
            "matches" => self.matcher(value).map(Test::Matches),
            "glob" => Some(Test::Glob(self.globs(value, name))),
            "exists" => match value {
                Value::BooleanLit(flag) => Some(Test::Exists(flag.value)),
                other => {
                    self.wrong_kind(other, name, "true or false", "true");
                    None
                }
            },
            "greater" => self.number(value, name).map(Test::Greater),
            "less" => self.number(value, name).map(Test::Less),
            "not" => self.test(value).map(|inner| Test::Not(Box::new(inner))),
            _ => None,
        }
    }

    fn number(&mut self, value: &'a Value<'a>, name: &str) -> Option<f64> {
        let number = match value {
            Value::NumberLit(number) => number.value.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        };
        if number.is_none() {
            self.wrong_kind(value, name, "a number", "100");
        }
        number
    }

    /// A regular expression that can be read.
    pub(super) fn matcher(&mut self, value: &'a Value<'a>) -> Option<Matcher> {
        let pattern = self.text(value, "matches", r#""^https://""#)?;
        let matcher = Matcher::new(pattern);
        if matcher.is_everything() {
            let problem = Problem::error("rule-bad-expression", "`matches` fits everything");
            self.fault(bytes_of(value), problem.help("write a regular expression, or leave it out"));
            return None;
        }
        if let Some(reason) = matcher.syntax_error() {
            let message = format!("`{}` is no regular expression: {reason}", excerpt(pattern));
            let help = "it is read as JavaScript reads it; JSON doubles every backslash";
            self.fault(bytes_of(value), Problem::error("rule-bad-expression", message).help(help));
            return None;
        }
        Some(matcher)
    }

    /// Patterns for paths.
    pub(super) fn globs(&mut self, value: &'a Value<'a>, key: &str) -> Vec<PathGlob> {
        let mut globs = Vec::new();
        for pattern in self.texts(value, key, "\"secrets/**\"") {
            match PathGlob::parse(pattern) {
                Ok(glob) => globs.push(glob),
                Err(reason) => {
                    let help = "`*` is part of a name, `**` any names, `[ab]` a character, `{a,b}` a choice";
                    self.fault(bytes_of(value), Problem::error("rule-bad-glob", reason).help(help));
                }
            }
        }
        if globs.is_empty() {
            let message = format!("`{key}` names no pattern, so it is {}", kind_of(value));
            let problem = Problem::error("rule-bad-glob", message);
            self.fault(bytes_of(value), problem.help("write \"*.pem\" or a list of patterns"));
        }
        globs
    }
}

/// A value of the file as JSON.
fn json(value: &Value) -> serde_json::Value {
    use serde_json::Value as Json;
    match value {
        Value::StringLit(text) => Json::from(text.value.to_string()),
        Value::NumberLit(number) => number.value.parse::<f64>().map_or(Json::Null, Json::from),
        Value::BooleanLit(flag) => Json::from(flag.value),
        Value::Array(list) => list.elements.iter().map(json).collect(),
        Value::Object(object) => {
            let entries = object.properties.iter();
            entries.map(|entry| (entry.name.as_str().to_owned(), json(&entry.value))).collect()
        }
        Value::NullKeyword(_) => Json::Null,
    }
}

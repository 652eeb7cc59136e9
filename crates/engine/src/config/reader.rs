//! What is at hand while one file is read: the text, the rules, and the results so far.

use std::collections::HashMap;
use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp};

use super::Config;
use super::findings::Findings;
use super::syntax::{bytes_of, excerpt};
use super::text::Outline;
use crate::definition::{Action, Definition};
use crate::edition::Rules;
use crate::problem::Problem;

/// More keys than any honest object has are looked up in a map, not one by one.
const FEW: usize = 24;

pub(super) struct Reader<'t> {
    pub text: &'t str,
    pub outline: &'t Outline,
    pub rules: &'static Rules,
    pub findings: Findings<'t>,
    pub definitions: Vec<Definition>,
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str, outline: &'t Outline, rules: &'static Rules) -> Reader<'t> {
        Reader { text, outline, rules, findings: Findings::new(text), definitions: Vec::new() }
    }

    pub fn add(&mut self, bytes: Range<usize>, problem: Problem) {
        self.findings.add(bytes, problem);
    }

    pub fn into_config(mut self, mark: usize, readable: bool) -> Config {
        self.same_hook_twice();
        if !readable {
            self.definitions.clear();
        }
        let problems = self.findings.finish(mark, &mut self.definitions);
        Config { definitions: self.definitions, problems, readable }
    }

    /// Warns about keys that stand twice in an object.
    pub fn duplicate_keys(&mut self, object: &Object) {
        let properties = &object.properties;
        if properties.len() <= FEW {
            for (index, property) in properties.iter().enumerate().skip(1) {
                let name = property.name.as_str();
                if let Some(first) =
                    properties[..index].iter().rev().find(|other| other.name.as_str() == name)
                {
                    self.duplicate_key(first, property);
                }
            }
            return;
        }
        let mut seen: HashMap<&str, &ObjectProp> = HashMap::with_capacity(properties.len());
        for property in properties {
            if let Some(first) = seen.insert(property.name.as_str(), property) {
                self.duplicate_key(first, property);
            }
        }
    }

    fn duplicate_key(&mut self, first: &ObjectProp, again: &ObjectProp) {
        let (one, two) = (self.findings.line_of(first.range.start), self.findings.line_of(again.range.start));
        let message = format!(
            "the key `{}` stands twice, on line {one} and on line {two}; only the last one counts",
            excerpt(again.name.as_str())
        );
        let problem = Problem::warning("duplicate-key", message).help("merge the two, or remove one");
        self.add(bytes_of(&again.name), problem);
    }

    /// Warns about hooks of one event that are the same in everything.
    fn same_hook_twice(&mut self) {
        let mut seen = HashMap::new();
        let mut twins = Vec::new();
        for definition in &self.definitions {
            let Some(place) = &definition.place else { continue };
            let matcher = definition.matcher.pattern();
            let key = (definition.event, said(&definition.action), matcher, definition.timeout);
            let key = (key, definition.fail_closed, definition.loop_limit);
            if !matches!(definition.action, Action::Broken { .. })
                && let Some(first) = seen.insert(key, place.bytes.start)
            {
                twins.push((first, place.bytes.clone()));
            }
        }
        for (first, bytes) in twins {
            let line = self.findings.line_of(first);
            let message = format!("this hook stands on line {line} already; it runs once for each");
            self.add(bytes, Problem::warning("duplicate-hook", message).help("remove one of the two"));
        }
    }
}

/// The properties that count: of several with one name, the last.
pub(super) fn in_force<'a>(object: &'a Object<'a>) -> Vec<&'a ObjectProp<'a>> {
    let properties = &object.properties;
    if properties.len() <= FEW {
        let overridden =
            |index: usize, name: &str| properties[index + 1..].iter().any(|p| p.name.as_str() == name);
        let all = properties.iter().enumerate();
        return all.filter(|(index, p)| !overridden(*index, p.name.as_str())).map(|(_, p)| p).collect();
    }
    let last: HashMap<&str, usize> =
        properties.iter().enumerate().map(|(index, p)| (p.name.as_str(), index)).collect();
    let all = properties.iter().enumerate();
    all.filter(|(index, p)| last.get(p.name.as_str()) == Some(index)).map(|(_, p)| p).collect()
}

/// What a hook does, as a text that tells it from others.
fn said(action: &Action) -> (&str, Option<&str>, bool) {
    match action {
        Action::Command(command) => (command, None, true),
        Action::Prompt { prompt, model } => (prompt, model.as_deref(), false),
        Action::Broken { text, .. } => (text, None, false),
    }
}

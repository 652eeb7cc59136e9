//! What is at hand while one file is read: the text, the rules, and the results so far.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp};

use super::Config;
use super::findings::Findings;
use super::syntax::{bytes_of, excerpt};
use super::text::Outline;
use crate::definition::{Action, Definition};
use crate::edition::Rules;
use crate::environment::DeclaredEnvironment;
use crate::event::EVENTS;
use crate::problem::Problem;

/// More keys than any honest object has are looked up in a map, not one by one.
const FEW: usize = 24;
/// Hooks that one file may have.
pub const MAX_ENTRIES: usize = 2_000;

pub(super) struct Reader<'t> {
    pub text: &'t str,
    pub outline: &'t Outline,
    pub rules: &'static Rules,
    pub findings: Findings<'t>,
    pub definitions: Vec<Definition>,
    /// What the file says about the environment of its hooks.
    pub environment: Option<Arc<DeclaredEnvironment>>,
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str, outline: &'t Outline, rules: &'static Rules) -> Reader<'t> {
        Reader {
            text,
            outline,
            rules,
            findings: Findings::new(text),
            definitions: Vec::new(),
            environment: None,
        }
    }

    pub fn add(&mut self, bytes: Range<usize>, problem: Problem) {
        self.findings.add(bytes, problem);
    }

    pub fn into_config(mut self, mark: usize, readable: bool) -> Config {
        self.cut_entries();
        self.same_rule_twice();
        self.same_hook_twice();
        if !readable {
            self.definitions.clear();
        }
        for definition in &mut self.definitions {
            definition.environment.clone_from(&self.environment);
        }
        let problems = self.findings.finish(mark, &mut self.definitions);
        Config { definitions: self.definitions, problems, readable, ..Config::default() }
    }

    /// Takes the first `MAX_ENTRIES` hooks of a file. The others of each event become one entry
    /// that cannot run: it refuses when one of them is `failClosed`, so that no limit opens a gate.
    fn cut_entries(&mut self) {
        if self.definitions.len() <= MAX_ENTRIES {
            return;
        }
        let cut = self.definitions.split_off(MAX_ENTRIES);
        let message = format!(
            "the file has {} hooks, and {MAX_ENTRIES} are the most: this one and those behind it do not run, and where one of them is `failClosed` its event is blocked",
            MAX_ENTRIES + cut.len()
        );
        if let Some(place) = cut.first().and_then(|first| first.place.as_ref()) {
            let problem = Problem::error("too-many-entries", message)
                .help("join hooks of one event in one script, or remove those that are not needed");
            self.findings.add_first(place.bytes.clone(), problem);
        }
        for spec in EVENTS {
            let mut of_event = cut.iter().filter(|definition| definition.event == spec.kind).peekable();
            let Some(first) = of_event.peek().copied() else { continue };
            let action = Action::Broken {
                text: format!("(hooks of {} beyond the first {MAX_ENTRIES} of the file)", spec.name),
                reason: format!("the file has more than {MAX_ENTRIES} hooks"),
            };
            self.definitions.push(Definition {
                action,
                fail_closed: of_event.any(Definition::failure_refuses),
                place: first.place.clone(),
                action_place: first.action_place.clone(),
                ..Definition::command(spec.kind, "")
            });
        }
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

    /// The same, of these keys alone: the others mean nothing here.
    pub fn duplicate_keys_named(&mut self, object: &Object, names: &[&str]) {
        for name in names {
            let mut same = object.properties.iter().filter(|property| property.name.as_str() == *name);
            let Some(mut first) = same.next() else { continue };
            for again in same {
                self.duplicate_key(first, again);
                first = again;
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
        // Claude Code runs what stands twice once.
        let theirs = |hook: &Definition| hook.dialect.claude().is_some_and(|claude| claude.matcher.is_some());
        let runs = |hook: &&Definition| !matches!(hook.action, Action::Broken { .. }) && !theirs(hook);
        let mut hooks: Vec<&Definition> = self.definitions.iter().filter(runs).collect();
        hooks.sort_by(|a, b| everything(a).cmp(&everything(b)));
        let pairs = hooks.windows(2).filter(|pair| everything(pair[0]) == everything(pair[1]));
        let places = pairs.filter_map(|pair| Some((pair[0].place.as_ref()?, pair[1].place.as_ref()?)));
        let twins: Vec<_> = places.map(|(first, again)| (first.bytes.start, again.bytes.clone())).collect();
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

/// All that makes a hook what it is, but not its place.
fn everything(hook: &Definition) -> impl Ord {
    let (kind, text, model) = match &hook.action {
        Action::Command(command) => (0, command.as_str(), &None),
        Action::Prompt { prompt, model } => (1, prompt.as_str(), model),
        Action::Rule(rule) => (2, rule.label(), &None),
        Action::Broken { text, .. } => (3, text.as_str(), &None),
    };
    let options = (hook.matcher.pattern(), hook.timeout, hook.fail_closed, hook.loop_limit);
    (hook.event, kind, text, model, options)
}

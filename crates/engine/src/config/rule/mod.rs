//! The `rule` of an entry → a declared rule. The key is an extension of ours:
//! the original product runs the entry's `command`, which asks the same rule.

mod condition;
mod says;
mod shell;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, StringLit, Value};

use super::entry::Entry;
use super::nearest::{Nearest, nearest};
use super::reader::Reader;
use super::syntax::{bytes_of, excerpt, kind_of, property};
use crate::definition::Action;
use crate::event::{EventKind, Subject};
use crate::input::COMMON;
use crate::problem::{Fix, Problem};
use crate::rule::Rule;
use crate::rule::declared::{self, Condition, FieldPath};

/// Why a rule has no type of its own.
pub(super) const TYPE_HELP: &str =
    "leave `type` out: to the original product a rule is the command `boathook rule NAME`";

const KEYS: &[&str] = &[
    "name",
    "description",
    "shell",
    "when",
    "deny",
    "ask",
    "allow",
    "user_message",
    "agent_message",
    "additional_context",
    "new_content",
    "followup_message",
];

/// The name in `boathook rule NAME`; none when a command is another one.
pub(crate) fn name_in(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    let (program, verb, name) = (words.next()?, words.next()?, words.next()?);
    let program = program.trim_matches(['"', '\'']).rsplit(['/', '\\']).next()?;
    let ours = matches!(program, "boathook" | "boathook.exe") && verb == "rule";
    (ours && words.next().is_none()).then_some(name)
}

/// The rule of an entry with this command; none when it has nothing of one.
pub(super) fn read(entry: &mut Entry<'_, '_, '_>, command: &StringLit<'_>) -> Option<Action> {
    let named = name_in(&command.value);
    let at = bytes_of(command);
    let Some(value) = entry.option("rule") else {
        if let Some(name) = named {
            let message = format!("the entry runs the rule `{}` and has no `rule`", excerpt(name));
            let help = r#"write the rule beside it: "rule": {"shell": "git push --force", "deny": "…"}"#;
            entry.fault(at, Problem::error("rule-missing", message).help(help));
        }
        return None;
    };
    let name = named.filter(|name| is_good_name(name));
    if name.is_none() {
        let message = "the `command` of a rule must be `boathook rule NAME`".to_owned();
        let help = "letters, digits, `.`, `_` and `-` make a name: \"boathook rule no-force-push\"";
        let problem = Problem::error("rule-command", message).help(help);
        entry.fault(at, problem.product("runs the command and never looks at the rule"));
    }
    let name = name.unwrap_or_default().to_owned();
    let mut reading = Reading { entry };
    let rule = reading.rule(value, &name, &command.value);
    rule.map(|rule| Action::Rule(Arc::new(Rule::Declared(Box::new(rule)))))
}

fn is_good_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// One rule while it is read.
struct Reading<'e, 'r, 't, 'a> {
    entry: &'e mut Entry<'r, 't, 'a>,
}

impl<'a> Reading<'_, '_, '_, 'a> {
    fn rule(&mut self, value: &'a Value<'a>, name: &str, command: &str) -> Option<declared::Rule> {
        let Value::Object(object) = value else {
            self.wrong_kind(value, "rule", "an object", r#"{"shell": "git push --force", "deny": "…"}"#);
            return None;
        };
        self.keys(object, "a rule", KEYS);
        self.name(object, name);
        let mut all = Vec::new();
        if let Some(shell) = property(object, "shell") {
            all.extend(self.shell(&shell.value));
        }
        if let Some(when) = property(object, "when") {
            all.extend(self.condition(&when.value, "when"));
        }
        let condition = if all.len() == 1 { all.remove(0) } else { Condition::All(all) };
        let says = self.says(object);
        Some(declared::Rule { name: name.to_owned(), command: command.to_owned(), condition, says })
    }

    fn name(&mut self, object: &'a Object<'a>, name: &str) {
        let Some(own) = property(object, "name") else { return };
        match &own.value {
            Value::StringLit(text) if text.value == name => {}
            Value::StringLit(text) => {
                let (own, name) = (excerpt(&text.value), excerpt(name));
                let message = format!("the rule is called `{own}` here and `{name}` in its command");
                let problem = Problem::error("rule-name-differs", message);
                let help = format!("write \"name\": \"{name}\", or leave it out");
                self.fault(bytes_of(text), problem.help(help));
            }
            other => self.wrong_kind(other, "name", "a string", "\"no-force-push\""),
        }
    }

    fn fault(&mut self, bytes: Range<usize>, problem: Problem) {
        self.entry.fault(bytes, problem);
    }

    fn wrong_kind(&mut self, value: &Value, key: &str, wanted: &str, sample: &str) {
        let is_empty = match value {
            Value::StringLit(text) => text.value.trim().is_empty(),
            Value::Array(list) => list.elements.is_empty(),
            _ => false,
        };
        let kind = if is_empty { "empty" } else { kind_of(value) };
        let message = format!("`{key}` is {kind}, not {wanted}");
        let problem = Problem::error("rule-wrong-type", message).help(format!("write \"{key}\": {sample}"));
        self.fault(bytes_of(value), problem);
    }

    fn text(&mut self, value: &'a Value<'a>, key: &str, sample: &str) -> Option<&'a str> {
        match value {
            Value::StringLit(text) => Some(&text.value),
            other => {
                self.wrong_kind(other, key, "a string", sample);
                None
            }
        }
    }

    /// A string, or a list of strings.
    fn texts(&mut self, value: &'a Value<'a>, key: &str, sample: &str) -> Vec<&'a str> {
        match value {
            Value::Array(list) => {
                list.elements.iter().filter_map(|element| self.text(element, key, sample)).collect()
            }
            other => self.text(other, key, sample).into_iter().collect(),
        }
    }

    /// Unknown keys would silently make a guard weaker: they are errors.
    fn keys(&mut self, object: &'a Object<'a>, of: &str, known: &[&'static str]) {
        self.entry.reader.duplicate_keys(object);
        for key in &object.properties {
            let name = key.name.as_str();
            if known.contains(&name) || name.starts_with('_') {
                continue;
            }
            let problem = unknown_key(object, key, of, known);
            self.fault(bytes_of(&key.name), problem);
        }
    }

    /// A path, and a warning when the event has no such field.
    fn path(&mut self, text: &str, bytes: Range<usize>) -> Option<FieldPath> {
        match FieldPath::parse(text) {
            Ok(path) => {
                self.known_field(&path, bytes, true);
                Some(path)
            }
            Err(reason) => {
                let help = "name a field like `command`, `tool_input.path` or `attachments[].file_path`";
                self.fault(bytes, Problem::error("rule-bad-path", reason).help(help));
                None
            }
        }
    }

    /// Warns about a key of a tool's input that is nearly a known one. Tools
    /// have any keys, so nothing else is said.
    fn known_input(&mut self, path: &FieldPath, bytes: Range<usize>) {
        let key = path.as_str().strip_prefix("tool_input.").unwrap_or_default();
        let key = key.split(['.', '[']).next().unwrap_or_default();
        if key.is_empty() || TOOL_INPUT.contains(&key) || self.entry.event.spec().subject == Subject::McpTool
        {
            return;
        }
        if let Nearest::One(meant) = nearest(key, TOOL_INPUT.into_iter()) {
            let message = format!("no known tool has `{}` in its input", excerpt(key));
            let whole = path.as_str().replacen(key, meant, 1);
            let problem = Problem::warning("rule-unknown-input", message);
            self.entry.warn(bytes, problem.help(format!("did you mean `{whole}`?")));
        }
    }

    /// Warns about a field that the event does not have. In a message, braces
    /// may mean themselves, so only what looks like a slip is told.
    fn known_field(&mut self, path: &FieldPath, bytes: Range<usize>, is_key: bool) {
        let event = self.entry.event;
        let names = fields_of(event);
        let name = path.field();
        if names.clone().any(|known| known == name) || name == "prompt_text" {
            return self.known_input(path, bytes);
        }
        let message = format!("`{}` has no field `{}`, as far as is known", event.name(), excerpt(name));
        let mut problem = Problem::warning("rule-unknown-field", message);
        problem = match nearest(name, names.clone()) {
            Nearest::One(meant) => {
                let whole = path.as_str().replacen(name, meant, 1);
                let problem = problem.help(format!("did you mean `{whole}`?"));
                if is_key {
                    problem.fix(Fix::replace(bytes.clone(), format!("\"{whole}\"")))
                } else {
                    problem
                }
            }
            Nearest::Several(_) | Nearest::Nothing if !is_key => return,
            Nearest::Several(_) | Nearest::Nothing => {
                let names: Vec<&str> = event.spec().inputs.iter().map(|field| field.name).collect();
                problem.help(format!("its own fields are {}", names.join(", ")))
            }
        };
        self.entry.warn(bytes, problem);
    }
}

/// Keys of the inputs of known tools that are long enough to be misspelt.
const TOOL_INPUT: [&str; 8] =
    ["command", "file_path", "content", "contents", "old_string", "new_string", "pattern", "description"];

fn fields_of(event: EventKind) -> impl Iterator<Item = &'static str> + Clone {
    event.spec().inputs.iter().chain(COMMON).map(|field| field.name)
}

fn unknown_key(object: &Object, key: &ObjectProp, of: &str, known: &[&'static str]) -> Problem {
    let name = key.name.as_str();
    let problem = Problem::error("rule-unknown-key", format!("{of} has no `{}`", excerpt(name)));
    match nearest(name, known.iter().copied()) {
        Nearest::One(meant) if property(object, meant).is_none() => problem
            .help(format!("did you mean `{meant}`?"))
            .fix(Fix::replace(bytes_of(&key.name), format!("\"{meant}\""))),
        Nearest::One(meant) => problem.help(format!("did you mean `{meant}`?")),
        Nearest::Several(_) | Nearest::Nothing if known == KEYS => {
            problem.help(format!("conditions stand in `when`: \"when\": {{\"{}\": …}}", excerpt(name)))
        }
        Nearest::Several(_) | Nearest::Nothing => problem.help(format!("it may have {}", known.join(", "))),
    }
}

impl Reader<'_> {
    /// `boathook rule NAME` finds a rule by its event and name: only one can be meant.
    pub(super) fn same_rule_twice(&mut self) {
        let mut seen: HashMap<(EventKind, String), usize> = HashMap::new();
        let mut again = Vec::new();
        for (number, definition) in self.definitions.iter().enumerate() {
            let Action::Rule(rule) = &definition.action else { continue };
            let Rule::Declared(rule) = &**rule else { continue };
            let key = (definition.event, rule.name.clone());
            match seen.get(&key) {
                Some(first) => again.push((*first, number, key.1)),
                None => drop(seen.insert(key, number)),
            }
        }
        for (first, number, name) in again {
            let start =
                |number: usize| self.definitions[number].place.as_ref().map_or(0, |place| place.bytes.start);
            let line = self.findings.line_of(start(first));
            let message = format!("a rule `{name}` of this event stands on line {line} already");
            let at = self.definitions[number].action_place.as_ref().map_or(0..0, |place| place.bytes.clone());
            let text = self.definitions[number].label().to_owned();
            self.definitions[number].action = Action::Broken { text, reason: message.clone() };
            let problem = Problem::error("rule-name-twice", message).help("give one of them another name");
            self.add(at, problem);
        }
    }
}

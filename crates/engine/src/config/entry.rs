//! One entry of an event → one definition.
//!
//! An entry with an error is kept as `Action::Broken`, with its `failClosed`:
//! its author wanted a block, and lists must say why it does not run.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};

use super::findings::unplaced;
use super::nesting::Group;
use super::options::Options;
use super::reader::Reader;
use super::syntax::{bytes_of, excerpt, kind_of, property};
use super::{keys, nesting, placeholders, rule};
use crate::definition::{
    Action, DEFAULT_LOOP_LIMIT, DEFAULT_PROMPT_TIMEOUT, DEFAULT_TIMEOUT, Definition, Lifetime,
};
use crate::dialect::Dialect;
use crate::event::EventKind;
use crate::matcher::Matcher;
use crate::problem::{Edit, Fix, Problem};

/// One entry while it is read.
pub(super) struct Entry<'r, 't, 'a> {
    pub reader: &'r mut Reader<'t>,
    pub event: EventKind,
    own: &'a Object<'a>,
    group: Option<&'a Group<'a>>,
    faults: Vec<(Range<usize>, Problem)>,
}

/// Reads one element of an event's list.
pub(super) fn read_element(reader: &mut Reader, event: EventKind, element: &Value) {
    match element {
        Value::Object(object) => match nesting::hooks_of(object) {
            Some(hooks) => nesting::read_group(reader, event, object, hooks),
            None => read_entry(reader, event, object, None),
        },
        other => not_an_object(reader, event, other),
    }
}

/// Reads one entry; what it does not say itself, its group may say.
pub(super) fn read_entry<'a>(
    reader: &mut Reader,
    event: EventKind,
    own: &'a Object<'a>,
    group: Option<&'a Group<'a>>,
) {
    reader.duplicate_keys(own);
    keys::check_entry(reader, own);
    let mut entry = Entry { reader, event, own, group, faults: Vec::new() };
    let (action, action_at) = entry.action();
    let default_timeout = match &action {
        Action::Prompt { .. } => DEFAULT_PROMPT_TIMEOUT,
        Action::Command(_) | Action::Rule(_) | Action::Broken { .. } => DEFAULT_TIMEOUT,
    };
    let options = entry.options(default_timeout, &action);
    entry.finish(action, action_at, options);
}

/// An event whose value is no list: what stands there instead cannot run.
pub(super) fn not_a_list(reader: &mut Reader, event: EventKind, value: &Value) {
    let message = format!("`{}` is {}, not a list of entries", event.name(), kind_of(value));
    let problem = Problem::error("event-not-a-list", message).product("drops the whole file");
    let bytes = bytes_of(value);
    let name = event.name();
    let problem = match value {
        Value::Object(object) if property(object, "command").is_some() => problem
            .help(format!("put the entry into a list: \"{name}\": [{{…}}]"))
            .fix(Fix::wrap(&bytes, "[", "]")),
        Value::StringLit(text) => problem
            .help(format!("write \"{name}\": [{{\"command\": \"{}\"}}]", excerpt(&text.value)))
            .fix(Fix::wrap(&bytes, "[{\"command\": ", "}]")),
        _ => problem.help(format!("write \"{name}\": [{{\"command\": \"./hook.sh\"}}]")),
    };
    broken(reader, event, value, problem);
}

fn not_an_object(reader: &mut Reader, event: EventKind, value: &Value) {
    let message = format!("this entry of `{}` is {}, not an object", event.name(), kind_of(value));
    let problem = Problem::error("entry-not-an-object", message).product("drops the whole file");
    let problem = match value {
        Value::StringLit(text) => problem
            .help(format!("write {{\"command\": \"{}\"}}", excerpt(&text.value)))
            .fix(Fix::wrap(&bytes_of(value), "{\"command\": ", "}")),
        _ => problem.help(r#"write {"command": "./hook.sh"}"#),
    };
    broken(reader, event, value, problem);
}

/// Reports a value that is no entry; keeps what is left of a hook in it.
fn broken(reader: &mut Reader, event: EventKind, value: &Value, problem: Problem) {
    let text = match value {
        Value::StringLit(text) => Some(text.value.to_string()),
        Value::Object(object) => Some(text_in(object)),
        Value::NumberLit(_) | Value::BooleanLit(_) | Value::Array(_) | Value::NullKeyword(_) => None,
    };
    let fail_closed = !reader.rules.only_command && wants_block(value);
    let problem = louder(problem, event, fail_closed);
    if let Some(text) = text {
        let mut definition = Definition::command(event, "");
        definition.action = Action::Broken { text, reason: problem.message.clone() };
        definition.fail_closed = fail_closed;
        definition.place = Some(unplaced(bytes_of(value)));
        reader.definitions.push(definition);
    }
    reader.add(bytes_of(value), problem);
}

/// Whether something in a value says `failClosed: true`.
pub(super) fn wants_block(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.elements.iter().any(wants_block),
        Value::Object(object) => {
            let own = property(object, "failClosed").is_some_and(|flag| truthy(&flag.value));
            own || nesting::hooks_of(object).is_some_and(|hooks| hooks.elements.iter().any(wants_block))
        }
        Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => false,
    }
}

/// Whether somebody who wrote this meant yes.
pub(super) fn truthy(value: &Value) -> bool {
    match value {
        Value::BooleanLit(flag) => flag.value,
        Value::StringLit(text) => !matches!(&*text.value, "" | "false" | "no" | "off" | "0"),
        Value::NumberLit(number) => number.value.parse().is_ok_and(|number: f64| number != 0.0),
        Value::Object(_) | Value::Array(_) => true,
        Value::NullKeyword(_) => false,
    }
}

/// An error whose author wanted a block says what it blocks.
fn louder(mut problem: Problem, event: EventKind, fail_closed: bool) -> Problem {
    if fail_closed && event.can_block() {
        problem.message.push_str(": it says `failClosed`, so its event is blocked until this is repaired");
    }
    problem
}

/// The command or prompt of an entry, as far as there is one.
fn text_in(object: &Object) -> String {
    let text = |key| property(object, key).and_then(|property| property.value.as_string_lit());
    let found = text("command").or_else(|| text("prompt")).or_else(|| text("script"));
    found.map(|text| text.value.to_string()).unwrap_or_default()
}

impl<'r, 't, 'a> Entry<'r, 't, 'a> {
    /// An entry in no group.
    pub fn alone(reader: &'r mut Reader<'t>, event: EventKind, own: &'a Object<'a>) -> Entry<'r, 't, 'a> {
        Entry { reader, event, own, group: None, faults: Vec::new() }
    }

    /// What keeps it from running.
    pub fn into_faults(self) -> Vec<(Range<usize>, Problem)> {
        self.faults
    }
}

impl<'a> Entry<'_, '_, 'a> {
    /// An option of the entry, or of its group where groups have it.
    pub fn option(&self, key: &str) -> Option<&'a Value<'a>> {
        let own = property(self.own, key);
        own.map(|property| &property.value).or_else(|| self.group.and_then(|group| group.option(key)))
    }

    /// Something that keeps the entry from running.
    pub fn fault(&mut self, bytes: Range<usize>, problem: Problem) {
        self.faults.push((bytes, problem));
    }

    /// Something that does not.
    pub fn warn(&mut self, bytes: Range<usize>, problem: Problem) {
        self.reader.add(bytes, problem);
    }

    /// What the file says at these bytes, for a message.
    pub fn shown(&self, value: &Value) -> String {
        excerpt(&self.reader.text[bytes_of(value)])
    }

    fn action(&mut self) -> (Action, Option<Range<usize>>) {
        match self.option("type") {
            None => self.command(),
            Some(Value::StringLit(kind)) if kind.value == "command" => self.command(),
            Some(Value::StringLit(kind)) if kind.value == "prompt" => self.prompt(),
            Some(other) => {
                let message = format!("`type` is {}; it can be \"command\" or \"prompt\"", self.shown(other));
                let help = match self.option("rule") {
                    Some(_) => rule::TYPE_HELP,
                    None => r#"write "type": "command", or leave it out"#,
                };
                let problem =
                    Problem::error("type-unknown", message).help(help).product("drops the whole file");
                self.fault(bytes_of(other), problem);
                (self.no_action(), None)
            }
        }
    }

    fn command(&mut self) -> (Action, Option<Range<usize>>) {
        for key in ["prompt", "model"] {
            if let (Some(value), Some(_)) = (self.option(key), self.option("command")) {
                self.no_effect(bytes_of(value), format!("`{key}` has no effect on a command hook"));
            }
        }
        match self.option("command") {
            Some(Value::StringLit(command)) if command.value.trim().is_empty() => {
                let problem = Problem::error("command-empty", "`command` is empty")
                    .help(r#"write "command": "./hook.sh""#);
                self.fault(bytes_of(command), problem);
                (self.no_action(), None)
            }
            Some(Value::StringLit(command)) => {
                let bytes = bytes_of(command);
                if command.value.contains('\0') {
                    let problem =
                        Problem::error("command-with-nul", "`command` holds a NUL, which no shell takes");
                    self.fault(bytes.clone(), problem.help("remove `\\u0000`"));
                }
                placeholders::check(self, command);
                let rule = rule::read(self, command);
                (rule.unwrap_or_else(|| Action::Command(command.value.to_string())), Some(bytes))
            }
            Some(other) => {
                let message = format!("`command` is {}, not a string", kind_of(other));
                let problem = Problem::error("command-not-a-string", message)
                    .help("write the program and its arguments in one string")
                    .product("drops the whole file");
                self.fault(bytes_of(other), problem);
                (self.no_action(), None)
            }
            None => {
                self.command_missing();
                (self.no_action(), None)
            }
        }
    }

    fn command_missing(&mut self) {
        let start = self.own.range.start;
        let problem =
            Problem::error("command-missing", "the entry has no `command`").product("drops the whole file");
        let problem = match (self.option("prompt"), self.option("type"), self.own.properties.first()) {
            (Some(Value::StringLit(_)), None, Some(first)) => problem
                .help(r#"write "type": "prompt" beside `prompt`"#)
                .fix(Fix { edits: vec![Edit::insert(first.range.start, r#""type": "prompt", "#)] }),
            _ => {
                let text = text_in(self.own);
                let sample = if self.option("rule").is_some() { "boathook rule NAME" } else { "./hook.sh" };
                let text = if text.is_empty() { sample } else { &text };
                problem.help(format!("write \"command\": \"{}\"", excerpt(text)))
            }
        };
        self.fault(start..start + 1, problem);
    }

    fn prompt(&mut self) -> (Action, Option<Range<usize>>) {
        if let Some(value) = self.option("command") {
            self.no_effect(bytes_of(value), "`command` has no effect on a prompt hook".to_owned());
        }
        if self.reader.rules.only_command {
            let start = self.own.range.start;
            let problem = Problem::error("prompt-not-in-edition", "edition 2.3 has no prompt hooks");
            self.fault(start..start + 1, problem.help("write a command, or choose another edition"));
            return (self.no_action(), None);
        }
        let model = self.model();
        match self.option("prompt") {
            Some(Value::StringLit(prompt)) if !prompt.value.trim().is_empty() => {
                (Action::Prompt { prompt: prompt.value.to_string(), model }, Some(bytes_of(prompt)))
            }
            other => {
                let start = self.own.range.start;
                let at = other.map_or(start..start + 1, bytes_of);
                let message = match other {
                    None => "the prompt hook has no `prompt`".to_owned(),
                    Some(Value::StringLit(_)) => "`prompt` is empty".to_owned(),
                    Some(other) => format!("`prompt` is {}, not a string", kind_of(other)),
                };
                let problem = Problem::error("prompt-missing", message);
                self.fault(at, problem.help(r#"write "prompt": "…", a question the model can answer"#));
                (self.no_action(), None)
            }
        }
    }

    fn model(&mut self) -> Option<String> {
        match self.option("model")? {
            Value::StringLit(model) => Some(model.value.to_string()).filter(|model| !model.is_empty()),
            other => {
                let message =
                    format!("`model` is {}, not a string; the usual model is asked", kind_of(other));
                self.warn(
                    bytes_of(other),
                    Problem::warning("model-not-a-string", message).help("write a model's name"),
                );
                None
            }
        }
    }

    /// Warns about something that changes nothing.
    pub fn no_effect(&mut self, bytes: Range<usize>, message: String) {
        self.warn(bytes, Problem::warning("no-effect", message).help("remove it"));
    }

    fn no_action(&self) -> Action {
        Action::Broken { text: text_in(self.own), reason: String::new() }
    }

    fn options(&mut self, default_timeout: std::time::Duration, action: &Action) -> Options {
        if self.reader.rules.only_command {
            self.ignored_options();
            return Options {
                matcher: Matcher::everything(),
                matcher_at: None,
                timeout: DEFAULT_TIMEOUT,
                fail_closed: false,
                monitor: false,
                loop_limit: Some(DEFAULT_LOOP_LIMIT),
                dialect: Dialect::Cursor,
                lifetime: Lifetime::default(),
            };
        }
        Options {
            fail_closed: self.fail_closed(),
            monitor: self.monitor(),
            matcher: self.matcher(),
            matcher_at: self.option("matcher").map(bytes_of),
            timeout: self.timeout(default_timeout),
            loop_limit: self.loop_limit(),
            dialect: self.dialect(),
            lifetime: self.lifetime(action),
        }
    }

    fn ignored_options(&mut self) {
        let said: Vec<_> = keys::INHERITED.into_iter().filter(|key| self.option(key).is_some()).collect();
        if said.is_empty() {
            return;
        }
        let message = format!("edition 2.3 reads `command` alone; it ignores `{}`", said.join("`, `"));
        let start = self.own.range.start;
        let problem = Problem::warning("option-not-in-edition", message);
        self.warn(start..start + 1, problem.help("remove them, or choose another edition"));
    }

    fn finish(self, action: Action, action_at: Option<Range<usize>>, options: Options) {
        let mut action = action;
        if let Some((_, first)) = self.faults.first() {
            let text = match action {
                Action::Command(text) | Action::Prompt { prompt: text, .. } | Action::Broken { text, .. } => {
                    text
                }
                Action::Rule(rule) => rule.label().to_owned(),
            };
            action = Action::Broken { text, reason: first.message.clone() };
        }
        for (bytes, problem) in self.faults {
            self.reader.add(bytes, louder(problem, self.event, options.fail_closed));
        }
        self.reader.definitions.push(Definition {
            event: self.event,
            action,
            matcher: options.matcher,
            timeout: options.timeout,
            fail_closed: options.fail_closed,
            monitor: options.monitor,
            loop_limit: options.loop_limit,
            dialect: options.dialect,
            lifetime: options.lifetime,
            environment: None,
            place: Some(unplaced(bytes_of(self.own))),
            action_place: action_at.map(unplaced),
            matcher_place: options.matcher_at.map(unplaced),
        });
    }
}

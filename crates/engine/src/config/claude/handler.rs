//! One hook of a group → one definition, or a problem that says why not.

use jsonc_parser::ast::{Object, Value};

use super::super::entry::Entry;
use super::super::findings::unplaced;
use super::super::reader::Reader;
use super::super::syntax::{bytes_of, excerpt, kind_of, property};
use super::broken;
use super::calls::{calls_us, is_wiring, wires_over_http};
use super::is_true;
use super::matchers::GroupMatcher;
use crate::definition::{Action, DEFAULT_PROMPT_TIMEOUT, DEFAULT_TIMEOUT, Definition, Lifetime};
use crate::dialect::Dialect;
use crate::dialect::claude::{ClaudeEvent, Condition, Options, Sees, Shape};
use crate::matcher::Matcher;
use crate::problem::Problem;

/// Reads one hook.
pub(super) fn read(
    reader: &mut Reader,
    event: &'static ClaudeEvent,
    own: &Object,
    group: &GroupMatcher,
    shape: Shape,
) {
    reader.duplicate_keys(own);
    if wires_over_http(own) {
        return;
    }
    let fail_closed = broken::policy(reader, own);
    let mut hook = Handler { reader, event, own, fail_closed, fault: None };
    let action = hook.action();
    let args = action.as_ref().and_then(|(action, _)| hook.args(action));
    let (Some((action, at)), Some(args)) = (action, args) else {
        let reason = hook.fault.unwrap_or_default();
        if fail_closed {
            let matcher = Some(group.matcher.clone());
            broken::push(reader, event, Some(own), bytes_of(own), matcher, shape, reason);
        }
        return;
    };
    if hook.calls_us(&action, args.as_deref()) {
        return;
    }
    let Some(condition) = hook.condition() else { return };
    let background = hook.background();
    hook.ignored();
    let default = match &action {
        Action::Prompt { .. } => DEFAULT_PROMPT_TIMEOUT,
        Action::Command(_) | Action::Rule(_) | Action::Broken { .. } => DEFAULT_TIMEOUT,
    };
    let mut entry = Entry::alone(hook.reader, event.kind, own);
    let timeout = entry.timeout(default);
    // Claude Code takes no other form of a timeout; the hook runs with the usual one.
    for (bytes, problem) in entry.into_faults() {
        reader.add(bytes, problem);
    }
    let options = Options { shape, matcher: Some(group.matcher.clone()), args, condition, background };
    let everything = group.matcher.is_everything();
    let matcher = if everything { Matcher::everything() } else { Matcher::new(group.matcher.pattern()) };
    reader.definitions.push(Definition {
        event: event.kind,
        action,
        matcher,
        timeout,
        fail_closed,
        monitor: false,
        loop_limit: None,
        dialect: Dialect::Claude(options.into()),
        lifetime: Lifetime::default(),
        environment: None,
        place: Some(unplaced(bytes_of(own))),
        action_place: Some(unplaced(at)),
        matcher_place: group.at.clone().map(unplaced),
    });
}

struct Handler<'r, 't, 'a> {
    reader: &'r mut Reader<'t>,
    event: &'static ClaudeEvent,
    own: &'a Object<'a>,
    fail_closed: bool,
    /// Why it cannot run.
    fault: Option<String>,
}

impl<'a> Handler<'_, '_, 'a> {
    fn value(&self, key: &str) -> Option<&'a Value<'a>> {
        property(self.own, key).map(|property| &property.value)
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.value(key).and_then(Value::as_string_lit).map(|text| &*text.value)
    }

    fn says(&mut self, at: std::ops::Range<usize>, problem: Problem) {
        self.reader.add(at, problem);
    }

    /// What keeps the hook from running at all.
    fn fails(&mut self, at: std::ops::Range<usize>, problem: Problem) {
        self.fault = Some(problem.message.clone());
        self.says(at, broken::louder(problem, self.event, self.fail_closed));
    }

    fn start(&self) -> std::ops::Range<usize> {
        self.own.range.start..self.own.range.start + 1
    }

    fn action(&mut self) -> Option<(Action, std::ops::Range<usize>)> {
        match (self.value("type"), self.text("type")) {
            (None, _) => {
                let problem =
                    Problem::warning("type-missing", "the hook has no `type`; it is read as a command");
                self.says(self.start(), problem.help(r#"write "type": "command""#));
                self.needed("command").map(|(text, at)| (Action::Command(text), at))
            }
            (Some(_), Some("command")) => {
                self.needed("command").map(|(text, at)| (Action::Command(text), at))
            }
            (Some(_), Some("prompt")) => {
                let model = self.text("model").map(str::to_owned);
                self.needed("prompt").map(|(prompt, at)| (Action::Prompt { prompt, model }, at))
            }
            (Some(kind), Some(name @ ("http" | "mcp_tool" | "agent"))) => {
                let message = format!("hooks of the type `{name}` are not supported; this one does not run");
                let problem = Problem::warning("claude-handler", message);
                self.fails(bytes_of(kind), problem.help("a command hook can do the same, by a script"));
                None
            }
            (Some(other), _) => {
                let shown = excerpt(&self.reader.text[bytes_of(other)]);
                let message = format!("`type` is {shown}; it can be \"command\" or \"prompt\"");
                self.fails(
                    bytes_of(other),
                    Problem::error("type-unknown", message).help(r#"write "type": "command""#),
                );
                None
            }
        }
    }

    /// The text that makes the hook one.
    fn needed(&mut self, key: &'static str) -> Option<(String, std::ops::Range<usize>)> {
        match self.value(key) {
            Some(Value::StringLit(text)) if !text.value.trim().is_empty() && !text.value.contains('\0') => {
                Some((text.value.to_string(), bytes_of(text)))
            }
            other => {
                let (message, at) = match other {
                    None => (format!("the hook has no `{key}`"), self.start()),
                    Some(value @ Value::StringLit(_)) => {
                        (format!("`{key}` is empty or holds a NUL"), bytes_of(value))
                    }
                    Some(value) => (format!("`{key}` is {}, not a string", kind_of(value)), bytes_of(value)),
                };
                let code = if key == "prompt" { "prompt-missing" } else { "command-missing" };
                self.fails(at, Problem::error(code, message).help(format!("write \"{key}\": \"…\"")));
                None
            }
        }
    }

    /// The arguments of the exec form; nothing at all when they are none.
    fn args(&mut self, action: &Action) -> Option<Option<Vec<String>>> {
        let Some(value) = self.value("args").filter(|_| matches!(action, Action::Command(_))) else {
            return Some(None);
        };
        let words = value.as_array().and_then(|list| {
            let words =
                list.elements.iter().map(|word| word.as_string_lit().map(|word| word.value.to_string()));
            words.collect::<Option<Vec<String>>>()
        });
        if words.as_ref().is_none_or(|words| words.iter().any(|word| word.contains('\0'))) {
            let problem =
                Problem::error("args-not-strings", "`args` is no list of strings; the hook does not run");
            self.fails(bytes_of(value), problem.help(r#"write "args": ["--flag", "value"]"#));
            return None;
        }
        Some(words)
    }

    fn calls_us(&mut self, action: &Action, args: Option<&[String]>) -> bool {
        let Action::Command(command) = action else { return false };
        let ours = calls_us(command, args);
        if ours && !is_wiring(command) {
            let message = "the hook calls Boathook, so it is not imported: it would call itself";
            let problem = Problem::hint("calls-boathook", message);
            self.says(
                self.start(),
                problem.help("this is right where Claude Code runs it; nothing is to be done"),
            );
        }
        ours
    }

    /// `if`; nothing at all when the hook never runs because of it.
    fn condition(&mut self) -> Option<Option<Condition>> {
        let Some(value) = self.value("if") else { return Some(None) };
        if self.event.sees != Sees::Tool {
            let message =
                format!("the hook never runs: `if` looks at tools, and `{}` is about none", self.event.name);
            let problem = Problem::warning("if-without-tool", message);
            self.says(bytes_of(value), problem.help("remove `if`, or move the hook to PreToolUse"));
            return None;
        }
        let condition = value.as_string_lit().and_then(|text| Condition::parse(&text.value));
        if condition.is_none() {
            let problem =
                Problem::warning("if-not-understood", "`if` is no permission rule; the hook runs every time");
            self.says(bytes_of(value), problem.help(r#"write "if": "Bash(git push *)" or "Edit(*.ts)""#));
        }
        Some(condition)
    }

    fn background(&mut self) -> bool {
        let flag = ["async", "asyncRewake"]
            .into_iter()
            .find_map(|key| property(self.own, key).filter(|property| is_true(&property.value)));
        let Some(flag) = flag else { return false };
        let message =
            format!("`{}`: nobody waits for this hook's answer, and it does not count", flag.name.as_str());
        let problem = Problem::hint("claude-async", message);
        self.says(
            bytes_of(&flag.name),
            problem.help("`boathook run` answers first, and ends when the hook has ended; give it a `timeout` that fits"),
        );
        true
    }

    /// Keys that mean something to Claude Code and nothing here.
    fn ignored(&mut self) {
        let keys: [(&str, &str); 4] = [
            ("once", "the hook runs every time; let the script remember"),
            ("env", "put variables in front of the command: NAME=value ./hook.sh"),
            ("shell", "the command goes to the system's shell; name another one in it: bash -c '…'"),
            ("failClosed", r#"Claude Code's word for it is "onFailure": "block""#),
        ];
        for (key, help) in keys {
            if let Some(property) = property(self.own, key) {
                let problem = Problem::hint("key-without-effect", format!("`{key}` has no effect here"));
                self.says(bytes_of(&property.name), problem.help(help));
            }
        }
    }
}

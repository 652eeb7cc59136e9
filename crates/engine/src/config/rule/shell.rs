//! `shell`: what a command line would run.

use jsonc_parser::ast::{Object, StringLit, Value};

use super::Reading;
use crate::config::syntax::{bytes_of, excerpt, property};
use crate::problem::Problem;
use crate::rule::declared::{Condition, FieldPath, ShellTest, TextGlob};

const KEYS: &[&str] = &["program", "args", "writes_to", "reads_from", "assigns", "interactive", "matches"];
const SAMPLE: &str = "\"git push --force\"";

/// What a word of a command line is, when it is no word of a command.
enum Operator {
    Writes,
    Reads,
    Joins,
}

/// `>`, `2>&1`, `<in`, `&&`, `x;`; a `|` inside a word may belong to it.
fn operator(word: &str) -> Option<Operator> {
    let arrow = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if arrow.starts_with('>') || word.starts_with("&>") {
        return Some(Operator::Writes);
    }
    if arrow.starts_with('<') {
        return Some(Operator::Reads);
    }
    let joins = matches!(word, "|" | "||" | "|&" | "&" | "&&") || word.ends_with(';');
    joins.then_some(Operator::Joins)
}

impl<'a> Reading<'_, '_, '_, 'a> {
    /// A line, an object, or a list of them of which one must fit.
    pub(super) fn shell(&mut self, value: &'a Value<'a>) -> Option<Condition> {
        let path = self.command_path(value)?;
        let tests: Vec<ShellTest> = match value {
            Value::Array(list) => list.elements.iter().filter_map(|one| self.shell_test(one)).collect(),
            one => self.shell_test(one).into_iter().collect(),
        };
        if tests.is_empty() {
            let problem = Problem::error("rule-empty-condition", "`shell` asks for nothing");
            self.fault(bytes_of(value), problem.help(format!("write \"shell\": {SAMPLE}")));
            return None;
        }
        Some(Condition::Shell(path, tests))
    }

    /// Where the event's command line stands.
    fn command_path(&mut self, value: &Value) -> Option<FieldPath> {
        let inputs = self.entry.event.spec().inputs;
        let has = |name: &str| inputs.iter().any(|field| field.name == name);
        let path = if has("command") {
            "command"
        } else if has("tool_input") {
            "tool_input.command"
        } else {
            let message = format!("`{}` has no command line to look at", self.entry.event.name());
            let help = "use `shell` on beforeShellExecution or preToolUse, and `when` here";
            self.fault(bytes_of(value), Problem::error("rule-no-command", message).help(help));
            return None;
        };
        FieldPath::parse(path).ok()
    }

    fn shell_test(&mut self, value: &'a Value<'a>) -> Option<ShellTest> {
        match value {
            Value::StringLit(line) if line.value.trim().is_empty() => None,
            Value::StringLit(line) => {
                self.one_command(line);
                Some(ShellTest::of_line(&line.value))
            }
            Value::Object(object) => self.shell_object(object),
            other => {
                self.wrong_kind(other, "shell", "a string or an object", SAMPLE);
                None
            }
        }
    }

    /// Commands are looked at one by one, without their redirections: a line
    /// with an operator in it would never fit.
    fn one_command(&mut self, line: &StringLit) {
        let Some(operator) = line.value.split_whitespace().find_map(operator) else { return };
        let help = match operator {
            Operator::Writes => r#"for a file that is written: {"program": "echo", "writes_to": "out"}"#,
            Operator::Reads => r#"for a file that is read: {"program": "sh", "reads_from": "in"}"#,
            Operator::Joins => r#"name the one that matters; a list means any of them: ["git log", "cat"]"#,
        };
        let message = format!(
            "`{}` never matches: a pattern is one simple command, its program and its arguments",
            excerpt(&line.value)
        );
        self.fault(bytes_of(line), Problem::error("rule-not-one-command", message).help(help));
    }

    fn shell_object(&mut self, object: &'a Object<'a>) -> Option<ShellTest> {
        self.keys(object, "a `shell` condition", KEYS);
        let mut test = ShellTest::default();
        let value = |key: &str| property(object, key).map(|property| &property.value);
        if let Some(value) = value("program") {
            let names = self.texts(value, "program", "\"git\"");
            test.program =
                names.into_iter().filter(|name| !name.is_empty()).map(ShellTest::program).collect();
        }
        if let Some(value) = value("args") {
            test.args = self.arguments(value);
        }
        if let Some(value) = value("writes_to") {
            test.writes_to = self.globs(value, "writes_to");
        }
        if let Some(value) = value("reads_from") {
            test.reads_from = self.globs(value, "reads_from");
        }
        if let Some(value) = value("assigns") {
            test.assigns =
                self.texts(value, "assigns", "\"LD_PRELOAD\"").into_iter().map(TextGlob::new).collect();
        }
        match value("interactive") {
            Some(Value::BooleanLit(wanted)) => test.interactive = Some(wanted.value),
            Some(other) => {
                self.wrong_kind(other, "interactive", "true or false", "true");
            }
            None => {}
        }
        if let Some(value) = value("matches") {
            test.matches = self.matcher(value);
        }
        let asks = test != ShellTest::default();
        asks.then_some(test)
    }

    /// Every element must be there; an element that is a list has several spellings.
    fn arguments(&mut self, value: &'a Value<'a>) -> Vec<Vec<TextGlob>> {
        let sample = r#"["push", ["-f", "--force"]]"#;
        let Value::Array(list) = value else {
            self.wrong_kind(value, "args", "a list", sample);
            return Vec::new();
        };
        let mut args = Vec::new();
        for element in &list.elements {
            let spellings = self.texts(element, "args", sample);
            if spellings.is_empty() {
                let problem = Problem::error("rule-empty-condition", "this argument has no spelling");
                self.fault(bytes_of(element), problem.help(format!("write \"args\": {sample}")));
            }
            args.push(spellings.into_iter().map(TextGlob::new).collect());
        }
        args
    }
}

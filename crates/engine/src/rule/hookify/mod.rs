//! hookify rules: `.claude/hookify.*.local.md`, decided without a process.
//!
//! A file is a head of keys and a message. `frontmatter` takes it apart, in one
//! of two readings; `meaning` makes a rule of it and says what it cannot mean;
//! `view` shows an event to rules as the plugin would have; `condition` tests;
//! `answer` says what follows.
//!
//! Two modes: `fixed` does what authors want where the plugin does something
//! else, `faithful` does what the plugin does.
//!
//! Pure: bytes in, rules and problems out; an event in, an answer out.

mod advice;
mod answer;
mod command;
mod condition;
mod entries;
mod faithful;
mod frontmatter;
mod meaning;
mod origin;
mod python_text;
mod repeats;
mod scalar;
mod view;
mod words;
mod yaml;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::Path;

pub use command::{Spelled, command_line, spelled};
pub use condition::{Condition, Field, Operator};
pub use entries::Place as EntryPlace;
pub use meaning::{name_of, script_name};
pub use origin::Origin;
use view::View;
pub use view::Views;

use crate::config::Config;
use crate::definition::{Action, Definition};
use crate::event::{Call, EVENTS, EventKind, EventSpec};
use crate::matcher::Matcher;
use crate::outcome::ReadOutcome;
use crate::problem::{Place, Problem};
use crate::rule::Look;

/// How rules are read and decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Mode {
    /// As their authors want.
    #[default]
    Fixed,
    /// As the plugin they were written for does.
    Faithful,
}

/// What a rule that only warns does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WarnAs {
    /// Tells the model and the person; the action goes on.
    #[default]
    Message,
    /// Asks the person.
    Ask,
    /// Refuses, as a rule that blocks.
    Deny,
}

/// How a rule file is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Which reading.
    pub mode: Mode,
    /// What warnings become.
    pub warn_as: WarnAs,
}

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum About {
    /// `bash`: commands.
    Bash,
    /// `file`: edits.
    File,
    /// `stop`: the end of a turn.
    Stop,
    /// `prompt`: prompts.
    Prompt,
    /// `all`.
    All,
    /// A word the plugin does not know.
    Nothing,
}

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Its name, shown before its message.
    pub name: String,
    label: String,
    /// What it is about.
    pub about: About,
    /// Whether it refuses, rather than warns.
    pub blocks: bool,
    /// The tools it is for; none is every tool.
    pub tools: Option<Vec<String>>,
    /// All must hold; a rule without any never applies.
    pub conditions: Vec<Condition>,
    /// What it says, byte for byte.
    pub message: String,
    /// How it is taken.
    pub options: Options,
    /// The command line of its entry in a hooks.json, which alone says where
    /// it is asked.
    pub entry: Option<String>,
}

/// One rule file.
#[derive(Debug, Clone)]
pub struct RuleFile {
    /// The rule; none when the file is no rule.
    pub rule: Option<Rule>,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Why it cannot be decided.
    pub broken: Option<String>,
    /// Everything that is wrong.
    pub problems: Vec<Problem>,
}

/// The text of one rule file as hooks.
pub fn read(bytes: &[u8], file: &Path, options: Options) -> Config {
    let read = read_rule(bytes, file, options);
    let Some(rule) = read.rule else {
        return Config { problems: read.problems, ..Config::default() };
    };
    let definitions = if read.enabled { definitions(&rule, read.broken.as_deref()) } else { Vec::new() };
    Config { definitions, problems: read.problems, readable: true, ..Config::default() }
}

/// The text of one rule file as a rule.
pub fn read_rule(bytes: &[u8], file: &Path, options: Options) -> RuleFile {
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut read = match std::str::from_utf8(&bytes[mark..]) {
        Ok(text) => read_text(text, file, options),
        Err(error) => RuleFile::none(advice::not_utf8(&bytes[mark..], error.valid_up_to())),
    };
    for place in read.problems.iter_mut().filter_map(|problem| problem.place.as_mut()) {
        place.bytes = place.bytes.start + mark..place.bytes.end + mark;
    }
    read
}

fn read_text(text: &str, file: &Path, options: Options) -> RuleFile {
    match frontmatter::read(text, options.mode) {
        Ok(document) => meaning::rule_of(text, &document, file, options),
        Err(no_rule) => {
            let (bytes, problem) = *no_rule;
            RuleFile::none(problem.at(Place::in_text(text, bytes)))
        }
    }
}

/// One definition for each event the rule is asked at.
fn definitions(rule: &Rule, broken: Option<&str>) -> Vec<Definition> {
    let rule = std::sync::Arc::new(super::Rule::Hookify(rule.clone()));
    let super::Rule::Hookify(inner) = &*rule else { return Vec::new() };
    let of = |spec: &EventSpec| {
        let action = match broken {
            Some(reason) => Action::Broken { text: inner.label.clone(), reason: reason.to_owned() },
            None => Action::Rule(std::sync::Arc::clone(&rule)),
        };
        Definition {
            action,
            matcher: inner.matcher(spec),
            place: Some(Place { line: 1, column: 1, bytes: Range { start: 0, end: 3 } }),
            ..Definition::command(spec.kind, "")
        }
    };
    EVENTS.iter().filter(|spec| inner.calls().contains(&spec.call)).map(of).collect()
}

impl RuleFile {
    fn none(problem: Problem) -> RuleFile {
        RuleFile { rule: None, enabled: false, broken: None, problems: vec![problem] }
    }
}

impl Rule {
    /// What lists and records call it.
    pub fn label(&self) -> &str {
        self.entry.as_deref().unwrap_or(&self.label)
    }

    /// The same rule as an entry of a hooks.json names it.
    pub fn at_entry(self, command: &str) -> Rule {
        Rule { entry: Some(command.to_owned()), ..self }
    }

    /// What it says to an event; nothing when it does not apply.
    pub fn apply(&self, look: &Look<'_>) -> Option<ReadOutcome> {
        let view = look.views.of(look, self.options.mode);
        if self.conditions.is_empty() || !self.is_for(view) {
            return None;
        }
        let holds = self.conditions.iter().all(|condition| condition.holds(look, view));
        holds.then(|| answer::outcome(self, look.event.kind))
    }

    /// The events it is asked at when no hooks.json names it.
    pub fn events(&self) -> Vec<EventKind> {
        let calls = self.calls();
        EVENTS.iter().filter(|spec| calls.contains(&spec.call)).map(|spec| spec.kind).collect()
    }

    /// What it is asked about: one tool call reaches hooks twice, and a rule
    /// must not answer twice. A refused command is refused where every host
    /// asks; a warning is said where the model hears it.
    fn calls(&self) -> Vec<Call> {
        let shell = if self.refuses() { Call::Shell } else { Call::Tool };
        let faithful = self.options.mode == Mode::Faithful;
        let mut calls = match self.about {
            About::Bash => vec![shell],
            About::File => vec![Call::Tool],
            About::Prompt => vec![Call::Prompt],
            About::Stop => vec![Call::Stop],
            About::Nothing if faithful => Vec::new(),
            // Nobody knows what such a rule was to guard: it is reported everywhere.
            About::All | About::Nothing => vec![shell, Call::Tool, Call::Prompt, Call::Stop],
        };
        // The plugin asks every rule about tools it does not know.
        if faithful {
            calls.push(Call::Tool);
        }
        calls
    }

    /// Spares the rule from tools it is certainly not for.
    fn matcher(&self, spec: &EventSpec) -> Matcher {
        let fixed = self.options.mode == Mode::Fixed;
        match (spec.call, self.about, &self.tools) {
            (Call::Tool, About::Bash, _) if fixed => Matcher::new("Shell|Bash"),
            (Call::Tool, About::File, None) if fixed => Matcher::new("Write|Edit"),
            _ => Matcher::everything(),
        }
    }

    /// Whether it holds actions back.
    pub fn refuses(&self) -> bool {
        self.blocks || self.options.warn_as != WarnAs::Message
    }

    fn is_for(&self, view: &View) -> bool {
        let judged_elsewhere =
            self.entry.is_none() && view.call == Call::Tool && view.is_shell() && self.refuses();
        !judged_elsewhere
            && view.is_about(self.about, self.tools.as_deref())
            && view.is_tool_of(self.tools.as_deref())
    }
}

impl Mode {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Fixed => "fixed",
            Mode::Faithful => "faithful",
        }
    }

    /// The mode of this name.
    pub fn named(name: &str) -> Option<Mode> {
        [Mode::Fixed, Mode::Faithful].into_iter().find(|mode| mode.name() == name)
    }
}

impl WarnAs {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            WarnAs::Message => "message",
            WarnAs::Ask => "ask",
            WarnAs::Deny => "deny",
        }
    }

    /// What this name stands for.
    pub fn named(name: &str) -> Option<WarnAs> {
        [WarnAs::Message, WarnAs::Ask, WarnAs::Deny].into_iter().find(|it| it.name() == name)
    }
}

impl About {
    /// The words a rule may say.
    pub const ALL: [(&'static str, About); 5] = [
        ("bash", About::Bash),
        ("file", About::File),
        ("stop", About::Stop),
        ("prompt", About::Prompt),
        ("all", About::All),
    ];

    /// What a word of the head stands for: to the plugin only when it is
    /// written exactly so.
    pub fn named(word: &str, mode: Mode) -> About {
        let is = |name: &str| match mode {
            Mode::Fixed => name.eq_ignore_ascii_case(word.trim()),
            Mode::Faithful => name == word,
        };
        About::ALL.iter().find(|(name, _)| is(name)).map_or(About::Nothing, |(_, about)| *about)
    }

    /// The word for it; none for what is no event.
    pub fn name(self) -> Option<&'static str> {
        About::ALL.iter().find(|(_, about)| *about == self).map(|(name, _)| *name)
    }
}

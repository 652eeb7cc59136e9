//! One validated entry of a `hooks.json`.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::dialect::Dialect;
use crate::environment::DeclaredEnvironment;
use crate::event::EventKind;
use crate::fill::Event;
use crate::matcher::{Matcher, Verdict};
use crate::problem::Place;
use crate::rule::Rule;

/// How long a command hook may run when its entry says nothing.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a prompt hook may take when its entry says nothing.
pub const DEFAULT_PROMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// A longer timeout is cut to this: clocks overflow before anybody waits so long.
pub const LONGEST_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// How many automatic follow-ups a native script gets when its entry says nothing.
pub const DEFAULT_LOOP_LIMIT: u32 = 5;

/// One entry that was read from a file, or injected by the host.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The event it belongs to.
    pub event: EventKind,
    /// What it does.
    pub action: Action,
    /// When it runs.
    pub matcher: Matcher,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether a failure blocks.
    pub fail_closed: bool,
    /// Whether it is only watched: it runs, and its answer changes nothing.
    pub monitor: bool,
    /// How many automatic follow-ups; none is no limit.
    pub loop_limit: Option<u32>,
    /// Whose payloads it reads and whose answers it gives.
    pub dialect: Dialect,
    /// How long a process of its lives.
    pub lifetime: Lifetime,
    /// What its file says about the environment of its hooks.
    pub environment: Option<Arc<DeclaredEnvironment>>,
    /// Where it stands in its file.
    pub place: Option<Place>,
    /// Where its command or prompt stands, quotes included.
    pub action_place: Option<Place>,
    /// Where its matcher stands, quotes included.
    pub matcher_place: Option<Place>,
}

/// How long a process of a command hook lives. Where nothing outlives an event,
/// each is a process per event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lifetime {
    /// It is started for one event.
    #[default]
    Event,
    /// It is started before its one event is known: `"prestart": true`.
    Ahead,
    /// It answers one event after another: `"persistent": true`.
    Stays,
}

impl Lifetime {
    /// The word for it: the key of an entry, or `event`.
    pub fn name(self) -> &'static str {
        match self {
            Lifetime::Event => "event",
            Lifetime::Ahead => "prestart",
            Lifetime::Stays => "persistent",
        }
    }

    /// What it means, where it is not the usual.
    pub fn about(self) -> Option<&'static str> {
        match self {
            Lifetime::Event => None,
            Lifetime::Ahead => Some("prestart: under a daemon it is started before its event"),
            Lifetime::Stays => {
                Some("persistent: under a daemon it stays and answers one event after another")
            }
        }
    }
}

/// What a hook does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Runs a command line.
    Command(String),
    /// Asks a model.
    Prompt {
        /// The condition, with `$ARGUMENTS` for the input.
        prompt: String,
        /// The model, when the entry names one.
        model: Option<String>,
    },
    /// Is decided inside the engine, without a process.
    Rule(Arc<Rule>),
    /// Cannot run: the entry has an error. Kept because a `failClosed` entry
    /// must block its event, and because lists say why a hook did not run.
    Broken {
        /// The command or prompt as far as it could be read.
        text: String,
        /// What is wrong.
        reason: String,
    },
}

impl Definition {
    /// A command hook with every option at its default.
    pub fn command(event: EventKind, command: impl Into<String>) -> Definition {
        Definition::new(event, Action::Command(command.into()), DEFAULT_TIMEOUT)
    }

    /// A prompt hook with every option at its default.
    pub fn prompt(event: EventKind, prompt: impl Into<String>) -> Definition {
        Definition::new(event, Action::Prompt { prompt: prompt.into(), model: None }, DEFAULT_PROMPT_TIMEOUT)
    }

    fn new(event: EventKind, action: Action, timeout: Duration) -> Definition {
        Definition {
            event,
            action,
            matcher: Matcher::everything(),
            timeout,
            fail_closed: false,
            monitor: false,
            loop_limit: Some(DEFAULT_LOOP_LIMIT),
            dialect: Dialect::Cursor,
            lifetime: Lifetime::default(),
            environment: None,
            place: None,
            action_place: None,
            matcher_place: None,
        }
    }

    /// Whether its matcher fits. The subject is what a native matcher looks
    /// at; without one every hook runs.
    pub fn verdict(&self, event: &Event, subject: Option<&str>) -> Verdict {
        match (self.dialect.claude().and_then(|claude| claude.matcher.as_ref()), subject) {
            (Some(matcher), _) => matcher.verdict(event),
            (None, Some(subject)) => self.matcher.matches(subject),
            (None, None) => Verdict::Match,
        }
    }

    /// Whether a failure of it refuses, where something can be refused.
    pub fn failure_refuses(&self) -> bool {
        self.fail_closed && !self.monitor
    }

    /// Whether what its entry asks for beside its matcher is so.
    pub fn condition_holds(&self, event: &Event) -> bool {
        let condition = self.dialect.claude().and_then(|claude| claude.condition.as_ref());
        condition.is_none_or(|condition| condition.holds(event))
    }

    /// Its command line; arguments that no shell sees are quoted as for one.
    pub fn command_line(&self) -> Cow<'_, str> {
        let args = self.dialect.claude().and_then(|claude| claude.args.as_ref());
        let Some(args) = args else { return Cow::Borrowed(self.label()) };
        let words = std::iter::once(self.label()).chain(args.iter().map(String::as_str));
        Cow::Owned(words.map(quoted).collect::<Vec<_>>().join(" "))
    }

    /// What lists and records call the hook: its command, its prompt, or what
    /// its rule is called.
    pub fn label(&self) -> &str {
        match &self.action {
            Action::Command(command) => command,
            Action::Prompt { prompt, .. } => prompt,
            Action::Rule(rule) => rule.label(),
            Action::Broken { text, .. } => text,
        }
    }
}

/// A word as a shell takes it whole. Variables that it names stay variables:
/// they are filled in before the program starts.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:@%+,=-".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    if word.contains("${") {
        let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('`', "\\`");
        return format!("\"{escaped}\"");
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

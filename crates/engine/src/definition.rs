//! One validated entry of a `hooks.json`.

use std::sync::Arc;
use std::time::Duration;

use crate::event::EventKind;
use crate::matcher::Matcher;
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
    /// How many automatic follow-ups; none is no limit.
    pub loop_limit: Option<u32>,
    /// Where it stands in its file.
    pub place: Option<Place>,
    /// Where its command or prompt stands, quotes included.
    pub action_place: Option<Place>,
    /// Where its matcher stands, quotes included.
    pub matcher_place: Option<Place>,
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
            loop_limit: Some(DEFAULT_LOOP_LIMIT),
            place: None,
            action_place: None,
            matcher_place: None,
        }
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

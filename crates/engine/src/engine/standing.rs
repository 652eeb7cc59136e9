//! How one configured hook stands: whether it would run, and why not.

use super::{Settings, tampered};
use crate::definition::Action;
use crate::load::{Hook, HookSet, HookState, Withheld};
use crate::problem::Problem;

/// Problems with which a hook fails each time.
const CANNOT_RUN: [&str; 9] = [
    "script-not-found",
    "script-elsewhere",
    "script-is-a-directory",
    "script-not-executable",
    "script-not-on-path",
    "path-with-space",
    "quoted-tilde",
    "program-not-found",
    "interpreter-not-found",
];

/// How a hook stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It runs when its event comes.
    Ready,
    /// It may not run.
    Withheld(Withheld),
    /// Its entry has this error, or what it starts is not there.
    Broken(String),
    /// It fails, because there is no model to ask.
    NoModel(String),
}

impl Standing {
    /// How a hook stands on a machine with these settings.
    pub fn of(settings: &Settings, hook: &Hook) -> Standing {
        match (&hook.state, &hook.definition.action) {
            (HookState::Withheld(why), _) => Standing::Withheld(*why),
            (HookState::Ready, _) if tampered(hook).is_some() => Standing::Withheld(Withheld::Tampered),
            (HookState::Ready, Action::Broken { reason, .. }) => Standing::Broken(reason.clone()),
            (HookState::Ready, Action::Prompt { model, .. }) => match settings.would_ask(model.as_deref()) {
                Ok(_) => Standing::Ready,
                Err(failure) => Standing::NoModel(format!("it {failure}")),
            },
            (HookState::Ready, Action::Command(_) | Action::Rule(_)) => Standing::Ready,
        }
    }

    /// The same with what was found on the machine: a script that is not there
    /// makes it a hook that cannot run, however right its entry is.
    pub fn seen(settings: &Settings, set: &HookSet, hook: &Hook, problems: &[Problem]) -> Standing {
        let stops = |problem: &&Problem| {
            CANNOT_RUN.contains(&problem.code) && (is_of(problem, hook) || is_shared(problem, set, hook))
        };
        match Standing::of(settings, hook) {
            // Problems are searched only for hooks that could run: an untrusted file can have
            // thousands of both.
            Standing::Ready => problems
                .iter()
                .find(stops)
                .map_or(Standing::Ready, |problem| Standing::Broken(problem.message.clone())),
            standing => standing,
        }
    }

    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Standing::Ready => "ready",
            Standing::Withheld(_) => "withheld",
            Standing::Broken(_) => "error",
            Standing::NoModel(_) => "no model",
        }
    }

    /// Why it does not run; none when it does.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Standing::Ready => None,
            Standing::Withheld(why) => Some(why.reason()),
            Standing::Broken(reason) | Standing::NoModel(reason) => Some(reason),
        }
    }
}

/// Whether a problem stands in a hook's entry.
pub fn is_of(problem: &Problem, hook: &Hook) -> bool {
    let entry = hook.definition.place.as_ref().map(|place| place.bytes.clone()).unwrap_or_default();
    let start = problem.place.as_ref().map(|place| place.bytes.start);
    problem.file.as_ref() == Some(&hook.source.file) && start.is_some_and(|start| entry.contains(&start))
}

/// What is wrong with a program is told once in a file, at the first hook that
/// starts it; the others start it as well.
fn is_shared(problem: &Problem, set: &HookSet, hook: &Hook) -> bool {
    let program = |hook: &Hook| hook.definition.command_line().split_whitespace().next().map(str::to_owned);
    ["program-not-found", "interpreter-not-found"].contains(&problem.code)
        && problem.file.as_ref() == Some(&hook.source.file)
        && set.hooks.iter().any(|other| is_of(problem, other) && program(other) == program(hook))
}

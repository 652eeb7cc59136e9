//! How one configured hook stands: whether it would run, and why not.

use super::{Settings, tampered};
use crate::definition::Action;
use crate::load::{Hook, HookState, Withheld};

/// How a hook stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It runs when its event comes.
    Ready,
    /// It may not run.
    Withheld(Withheld),
    /// Its entry has this error.
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

//! An event whose files were looked at, and of which nothing ran yet.

use std::sync::Arc;

use crate::definition::Action;
use crate::fill::Event;
use crate::load::{Hook, HookSet};
use crate::matcher::{Verdict, budget};
use crate::plan::has_no_say;

/// An event, and the hooks there were when it was looked at.
#[derive(Debug)]
pub struct Ready {
    pub(super) event: Event,
    pub(super) hooks: Arc<HookSet>,
}

impl Ready {
    /// How many hooks may take time: all that fit and are no rules.
    pub fn slow_hooks(&self) -> usize {
        let slow = |hook: &&Hook| {
            hook.definition.event == self.event.kind
                && !has_no_say(hook)
                && matches!(hook.definition.action, Action::Command(_) | Action::Prompt { .. })
        };
        let mut hooks = self.hooks.hooks.iter().filter(slow).peekable();
        let subject = hooks.peek().and_then(|_| self.event.subject());
        let fits =
            |hook: &&Hook| hook.definition.verdict(&self.event, subject.as_deref()) != Verdict::NoMatch;
        budget::scoped(|| hooks.filter(fits).count())
    }

    /// The event, as it came.
    pub fn into_event(self) -> Event {
        self.event
    }
}

//! What would run for an event, for those who only want to know.

use std::sync::Arc;

use super::trusted_files::check_before;
use super::{Settings, read_transcript, sealed, surroundings};
use crate::environment::Environments;
use crate::fill::Event;
use crate::load::HookSet;
use crate::matcher::budget;
use crate::plan::{Circumstances, Plan, plan};
use crate::session::Session;

/// What would run for an event, and the hooks it speaks of.
#[derive(Debug)]
pub struct Explanation {
    /// The event as hooks would get it.
    pub event: Event,
    /// All hooks there are.
    pub hooks: Arc<HookSet>,
    pub(super) settings: Settings,
    pub(super) session: Session,
}

impl Explanation {
    /// Which model a prompt hook that names this one would ask, or what is said
    /// of the hook when there is none.
    pub fn would_ask(&self, model: Option<&str>) -> Result<String, String> {
        self.settings.would_ask(model)
    }

    /// What would run, and why the rest would not.
    pub fn plan(&self) -> Plan<'_> {
        let rules = self.settings.edition.rules();
        let around = surroundings(&self.settings, &self.event, &self.session);
        let loop_count = self.session.loop_count(self.event.kind, &self.event.payload);
        let circumstances = Circumstances {
            rules,
            around,
            environments: &Environments::default(),
            loop_count,
            transcript: &read_transcript,
        };
        let planned = budget::scoped(|| plan(&self.hooks, &self.event, &circumstances));
        let mut planned = sealed::checked(planned, &self.hooks);
        check_before(&mut planned, &self.hooks, self.event.kind);
        planned
    }
}

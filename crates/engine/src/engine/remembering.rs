//! What an event leaves for those that follow it: the session's variables, how
//! many follow-ups were sent, the plugins that hooks named.

use std::path::PathBuf;

use super::{Engine, lock};
use crate::decision::Decision;
use crate::event::{AnswerField, EventKind};
use crate::fill::Event;
use crate::load::named_plugins::{self, NamedPlugin};
use crate::merge::Heard;
use crate::outcome::Outcome;
use crate::session::{Session, Variable};
use crate::source::{Level, Source};
use crate::state::StateDir;

impl Engine {
    /// Saved before the answer is out: the host may send the next event at once.
    pub(super) fn remember(
        &self,
        decision: &mut Decision,
        event: &Event,
        heard: &[Heard<'_>],
        counted_by_us: bool,
    ) {
        let Some(conversation) = event.conversation() else { return };
        if event.kind == EventKind::SessionEnd {
            return lock(&self.sessions).end(&conversation);
        }
        let follows = decision.followup_message.is_some();
        if decision.env.is_empty() && !follows {
            return;
        }
        let (variables, mut refused) = (variables(decision, heard), Vec::new());
        let (session, saved) = lock(&self.sessions).change(&conversation, |session| {
            refused = session.keep(variables);
            if follows {
                session.count_follow_up(event.kind, &event.payload, counted_by_us);
            }
        });
        decision.warnings.extend(refused);
        decision.env.retain(|(name, _)| session.env.iter().any(|kept| kept.name == *name));
        if let Err(error) = saved {
            decision.warnings.push(format!("the session was not saved: {error}"));
            // A follow-up that nobody counts would have no end.
            if counted_by_us && decision.followup_message.take().is_some() {
                decision
                    .warnings
                    .push("the follow-up was dropped, because it could not be counted".to_owned());
            }
        }
    }

    /// The plugins that workspaceOpen hooks name count for every later event
    /// of these workspaces.
    pub(super) fn keep_plugins(&self, decision: &mut Decision, event: &Event, heard: &[Heard<'_>]) {
        if !event.kind.answers(AnswerField::PluginPaths) {
            return;
        }
        let mut plugins = Vec::new();
        for named in &decision.plugin_paths {
            let path = PathBuf::from(named);
            if !path.is_absolute() {
                let warning = format!("the plugin `{named}` is not loaded: its path is not absolute");
                decision.warnings.push(warning);
                continue;
            }
            plugins.extend(naming(named, heard).map(|source| NamedPlugin::new(path.clone(), source)));
        }
        let state = StateDir::new(self.settings.roots.state.clone());
        match named_plugins::remember(&state, &self.workspaces(event), plugins, self.settings.trust) {
            Ok(unkept) => decision.warnings.extend(unkept.iter().map(|path| {
                let path = path.display();
                format!("the plugin {path} is not kept for later events: its workspace is trusted for this run alone")
            })),
            Err(error) => decision.warnings.push(format!("the plugins are not loaded: {error}")),
        }
    }
}

/// The sources of every hook that named a plugin.
fn naming<'h>(path: &'h str, heard: &'h [Heard<'_>]) -> impl Iterator<Item = &'h Source> {
    let names = move |heard: &&Heard<'_>| match &heard.read.outcome {
        Outcome::Answer(answer) => answer.plugin_paths.iter().any(|named| named == path),
        Outcome::NoOpinion | Outcome::Silent | Outcome::Failed(_) => false,
    };
    heard.iter().filter(names).map(|heard| &*heard.hook.source)
}

/// A host that does not count follow-ups has them counted by the session.
pub(super) fn tell_loop_count(event: &mut Event, session: &Session) -> bool {
    let missing = event.kind.loops() && !event.payload.has("loop_count");
    if missing {
        let count = session.loop_count(event.kind, &event.payload);
        let behind_own_fields = event.payload.position("session_id").unwrap_or(event.payload.len());
        event.payload.insert(behind_own_fields, "loop_count", count);
    }
    missing
}

/// The session variables of a decision, each with the level of the hook that set it.
fn variables(decision: &Decision, heard: &[Heard<'_>]) -> Vec<Variable> {
    let setter = |name: &str| {
        heard.iter().find_map(|heard| match &heard.read.outcome {
            Outcome::Answer(answer) if answer.env.iter().any(|(known, _)| known == name) => {
                Some(heard.hook.source.level)
            }
            _ => None,
        })
    };
    let of = |(name, value): &(String, String)| Variable {
        name: name.clone(),
        value: value.clone(),
        level: setter(name).unwrap_or(Level::User),
    };
    decision.env.iter().map(of).collect()
}

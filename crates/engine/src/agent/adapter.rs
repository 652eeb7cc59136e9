//! From what an agent told to what it is answered: the list of the steps.
//!
//! What a happening becomes stands in `fan_out`, how its events are asked in
//! `asking`, what their decisions come to in `fan_in`, and what the agent's
//! words are in its dialect.

use std::sync::Arc;

use super::asking::Asking;
use super::happening::Happening;
use super::servers::McpLookup;
use super::verdict::{Reply, Verdict};
use super::{Agent, Preferences, fan_in, reports};
use crate::engine::Engine;
use crate::event::Gate;
use crate::fill::Event;
use crate::load::{Change, Hook, HookSet, HookState, SourceState, Withheld};
use crate::perform::Deadline;
use crate::record::Record;

/// Answers one agent.
pub struct Adapter<'a> {
    /// The agent that calls.
    pub agent: &'static Agent,
    /// What the user chose.
    pub preferences: Preferences,
    /// Where hooks are asked. Its workspaces are those of the happening.
    pub engine: &'a Engine,
    /// Where MCP servers are looked up.
    pub servers: &'a dyn McpLookup,
}

/// What an agent is answered, and what is left to do when it has its answer.
#[derive(Debug)]
pub struct Answered {
    /// In the agent's words.
    pub reply: Reply,
    /// In ours.
    pub verdict: Verdict,
    /// For whoever reads stderr: what stands in the way of whole sources, which
    /// is told to the person when a session or a turn begins and not at every call.
    pub asides: Vec<String>,
    /// For `finish`, when the agent has its answer.
    pub afterwards: Afterwards,
    /// Changes of the user's hooks that the reply tells of: they are no news
    /// any more when it reached the agent.
    pub told: Vec<Change>,
}

/// What is fired when an agent has its answer: it may still wait for us to end.
#[derive(Debug)]
pub struct Afterwards {
    events: Vec<Event>,
    deadline: Option<Deadline>,
}

impl Adapter<'_> {
    /// What the agent is answered.
    pub fn answer(&self, mut happening: Happening) -> Answered {
        let hooks = self.engine.hooks();
        Asking::look_up_servers(self, &hooks, &mut happening);
        let deadline = self.agent.deadline(&happening.event);
        let asking = Asking::new(self, Arc::clone(&hooks), &happening, deadline);
        let decided = asking.decide();
        let mut verdict = fan_in::verdict(self.agent, self.preferences, &happening, &decided);
        let asides = fan_in::asides(&happening, &decided);
        let afterwards = Afterwards { events: asking.remember(&verdict), deadline };
        let changes = if reports::begins(&happening) { self.engine.changes() } else { Vec::new() };
        let shown = reports::begins(&happening)
            && reports::hand_over(self.agent, &happening, &hooks, &changes, &mut verdict);
        let reply = (self.agent.encode_decision)(&happening, &verdict);
        Answered { reply, verdict, asides, afterwards, told: if shown { changes } else { Vec::new() } }
    }

    /// Fires what is left, when the agent has its answer. Nobody waits for what
    /// these hooks say.
    pub fn finish(&self, afterwards: Afterwards) {
        let Afterwards { events, deadline } = afterwards;
        events.into_iter().for_each(|event| drop(self.engine.handle_by(event, deadline)));
    }

    /// What an agent is answered whose words mean nothing to us: a refusal
    /// when a gate is to fail closed, and else nothing but a sentence for the
    /// person. Either has its record.
    pub fn answer_unclear(&self, event: Option<&str>, told: &[u8], reason: &str) -> Reply {
        let refused = fails_closed(&self.engine.hooks());
        self.engine.note(Record::unasked(self.agent.name, event, told, reason, refused));
        if refused {
            return refuse(self.agent, event, reason);
        }
        let title = self.agent.title;
        let stderr = format!(
            "boathook: {title} told something that cannot be understood, so no hook was asked: {reason}"
        );
        Reply { stderr, ..Reply::silence() }
    }
}

/// A refusal of whatever it was, because we failed ourselves.
pub fn refuse(agent: &Agent, event: Option<&str>, reason: &str) -> Reply {
    let reason = format!(
        "Boathook could not ask the hooks that guard this ({reason}), and nobody can tell that none of them would refuse, so it is blocked."
    );
    (agent.refuse_blindly)(event, &reason)
}

/// Whether any gate is to fail closed. A source that could not be read may
/// hold such a hook.
fn fails_closed(hooks: &HookSet) -> bool {
    let holds_back =
        |hook: &&Hook| matches!(hook.definition.event.spec().gate, Gate::Permission | Gate::Continue);
    let counts = |hook: &&Hook| match hook.state {
        HookState::Ready | HookState::Withheld(Withheld::Changed) => true,
        HookState::Withheld(_) => false,
    };
    let closed = hooks.hooks.iter().filter(holds_back).filter(counts).any(|hook| hook.definition.fail_closed);
    closed || hooks.sources.iter().any(|report| matches!(report.state, SourceState::Unreadable(_)))
}

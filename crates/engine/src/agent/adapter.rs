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
use super::{Agent, Preferences, fan_in, guard, reports};
use crate::engine::{Call, Engine};
use crate::fill::Event;
use crate::load::Change;
use crate::perform::Deadline;
use crate::problem::Problem;
use crate::record::Record;
use crate::run::Cancel;
use crate::shortage::Watch;

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
    /// Ends what runs for this call alone; the engine's own cancel does not
    /// count beside it.
    pub cancel: Option<Cancel>,
    /// As that of a `Call`: whoever has one looks at it before the reply is out.
    pub watch: Option<Watch>,
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
    pub fn answer(&self, happening: Happening) -> Answered {
        self.answer_with(happening, &[])
    }

    /// The same, with more that a person must know: shown where the agent shows
    /// such a text, and logged in any case.
    pub fn answer_with(&self, mut happening: Happening, notices: &[Problem]) -> Answered {
        for notice in notices {
            self.engine.note(Record::unasked(
                self.agent.name,
                Some(&happening.event),
                b"",
                &notice.message,
                false,
            ));
        }
        let hooks = self.engine.hooks();
        if let Some(reason) = guard::shut(&hooks, self.engine.settings(), &happening) {
            return self.shut(&happening, &reason);
        }
        Asking::look_up_servers(self, &hooks, &mut happening);
        let deadline = self.agent.deadline(&happening.event);
        let asking = Asking::new(self, Arc::clone(&hooks), &happening, deadline);
        let decided = asking.decide();
        let mut verdict = fan_in::verdict(self.agent, self.preferences, &happening, &decided);
        let asides = fan_in::asides(&happening, &decided);
        let afterwards = Afterwards { events: asking.remember(&verdict), deadline };
        let changes = if reports::begins(&happening) { self.engine.changes() } else { Vec::new() };
        let shown = (reports::begins(&happening) || !notices.is_empty())
            && reports::hand_over(self.agent, &happening, &hooks, &changes, notices, &mut verdict);
        let reply = (self.agent.encode_decision)(&happening, &verdict);
        Answered { reply, verdict, asides, afterwards, told: if shown { changes } else { Vec::new() } }
    }

    /// A refusal without a hook having been asked.
    fn shut(&self, happening: &Happening, reason: &str) -> Answered {
        self.engine.note(Record::unasked(self.agent.name, Some(&happening.event), b"", reason, true));
        let verdict = Verdict::refusal(reason, reason);
        let reply = (self.agent.encode_decision)(happening, &verdict);
        let afterwards = Afterwards { events: Vec::new(), deadline: None };
        Answered { reply, verdict, asides: Vec::new(), afterwards, told: Vec::new() }
    }

    /// Fires what is left, when the agent has its answer. Nobody waits for what
    /// these hooks say.
    pub fn finish(&self, afterwards: Afterwards) {
        let Afterwards { events, deadline } = afterwards;
        // Whoever hung up after the answer does not end these.
        let call = Call { deadline, ..Call::default() };
        events.into_iter().for_each(|event| drop(self.engine.handle_call(event, &call)));
    }

    /// What an agent is answered whose words mean nothing to us: a refusal
    /// where anything guards, because what cannot be read cannot be judged; and
    /// else nothing but a sentence for the person. Either has its record.
    pub fn answer_unclear(&self, event: Option<&str>, told: &[u8], reason: &str) -> Reply {
        let hooks = self.engine.hooks();
        let refused = guard::guards(&hooks) || guard::unknown(&hooks, self.engine.settings()).is_some();
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

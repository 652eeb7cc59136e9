//! From what an agent told to what it is answered: the list of the steps.
//!
//! What a happening becomes stands in `fan_out`, how its events are asked in
//! `asking`, what their decisions come to in `fan_in`, and what the agent's
//! words are in its dialect.

use super::asking::Asking;
use super::happening::Happening;
use super::servers::McpLookup;
use super::verdict::{Reply, Verdict};
use super::{Agent, Preferences, fan_in, guard};
use crate::engine::Engine;
use crate::fill::Event;

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
    /// Events that are fired when the agent has its answer.
    pub afterwards: Vec<Event>,
}

impl Adapter<'_> {
    /// What the agent is answered.
    pub fn answer(&self, mut happening: Happening) -> Answered {
        let hooks = self.engine.hooks();
        if let Some(reason) = guard::shut(&hooks, self.engine.settings(), &happening) {
            return self.shut(&happening, &reason);
        }
        Asking::look_up_servers(self, &hooks, &mut happening);
        let asking = Asking::new(self, hooks, &happening);
        let decided = asking.decide();
        let verdict = fan_in::verdict(self.agent, self.preferences, &happening, &decided);
        let asides = fan_in::asides(&happening, &decided);
        let afterwards = asking.remember(&verdict);
        let reply = (self.agent.encode_decision)(&happening, &verdict);
        Answered { reply, verdict, asides, afterwards }
    }

    /// A refusal without a hook having been asked.
    fn shut(&self, happening: &Happening, reason: &str) -> Answered {
        let verdict = Verdict::refusal(reason, reason);
        let reply = (self.agent.encode_decision)(happening, &verdict);
        Answered { reply, verdict, asides: Vec::new(), afterwards: Vec::new() }
    }

    /// Fires what is left. Nobody waits for what these hooks say.
    pub fn finish(&self, afterwards: Vec<Event>) {
        afterwards.into_iter().for_each(|event| drop(self.engine.handle(event)));
    }

    /// What an agent is answered whose words mean nothing to us: a refusal
    /// where anything guards, because what cannot be read cannot be judged; and
    /// else nothing but a sentence for the person.
    pub fn answer_unclear(&self, event: Option<&str>, reason: &str) -> Reply {
        let hooks = self.engine.hooks();
        if guard::guards(&hooks) || guard::unknown(&hooks, self.engine.settings()).is_some() {
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

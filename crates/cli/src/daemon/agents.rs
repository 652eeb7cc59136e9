//! What an agent is answered that asks over HTTP.
//!
//! Nothing of the agent's process is known here, neither its environment nor
//! where it was started: the workspace is where it says it is, and where its
//! session belongs. Whatever goes wrong after its name was understood, it gets a
//! refusal in its own words: an agent takes an empty answer for «go on».

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use boathook_engine::agent::{
    Adapter, Agent, Happening, Heard, Reply, RootHints, event_named_in, hear, named, refuse, workspace_roots,
};
use boathook_engine::definition::Action;
use boathook_engine::engine::Engine;
use boathook_engine::log_file::LogFile;
use boathook_engine::record::Record;
use boathook_engine::remote::wire::RpcError;
use boathook_engine::run::Cancel;
use boathook_engine::source::{check_root_count, native_root};
use boathook_engine::state::StateDir;
use boathook_engine::trust::Trust;
use boathook_server::listener::Answer;

use super::places::Place;
use super::room::is_sound;
use super::service::Service;
use crate::agents::answering::guarded;
use crate::agents::over_http;
use crate::agents::servers::ConfiguredServers;
use crate::agents::session_roots::{self, Belongs};
use crate::error::Failed;

type Tell = Box<dyn FnOnce(Answer) + Send>;

/// What an agent that says nothing is answered.
const SILENCE: &str = "{}";

/// Answers an agent by `tell`, and does what is left to do then.
pub fn answer(
    service: &Arc<Service>,
    name: &str,
    event: Option<&str>,
    told: &[u8],
    gone: Arc<AtomicBool>,
    tell: Tell,
) {
    service.requests.fetch_add(1, Ordering::Relaxed);
    let Some(agent) = over_http::of(name).and_then(|known| named(known.agent)) else {
        return tell(unknown(name));
    };
    let mut tell = Some(tell);
    let mut out = |reply: &Reply| {
        if let Some(tell) = tell.take() {
            tell(as_answer(reply));
        }
    };
    let asked = Asked { service, agent, event, told, gone };
    if let Err(no_answer) = guarded(agent, event, || asked.answer(&mut out)) {
        // The reason and the refusal were made for the event that was typed.
        let reason = no_answer.reason();
        out(&refuse(agent, asked.event().as_deref(), &reason));
        asked.log_refusal(&reason);
    }
}

struct Asked<'a> {
    service: &'a Arc<Service>,
    agent: &'static Agent,
    event: Option<&'a str>,
    told: &'a [u8],
    gone: Arc<AtomicBool>,
}

impl Asked<'_> {
    fn answer(&self, out: &mut dyn FnMut(&Reply)) -> Result<(), Failed> {
        let _begun = self.service.begin();
        if self.service.is_ending() {
            return Err(Failed::other("the daemon is about to end", "start it again"));
        }
        let happening = match hear(self.agent, self.told, self.event, &[]) {
            Heard::FromCursor => {
                out(&Reply::silence());
                return Ok(());
            }
            Heard::Happened(happening) => *happening,
            // Where the agent is cannot be read either, so nobody can tell that
            // no project guards this.
            Heard::Unclear { reason, .. } => {
                return Err(Failed::Other { problem: reason.to_string(), help: None });
            }
        };
        let watch = self.service.watch().map_err(short)?;
        let Belongs { roots, depth } = self.belongs(&happening)?;
        let (engine, preferences) = self.service.engines.of_agent(self.agent, roots, depth);
        let servers = ConfiguredServers::of(engine.settings());
        let adapter = Adapter {
            agent: self.agent,
            preferences,
            engine: &engine,
            servers: &servers,
            cancel: Some(self.cancel()),
            watch: Some(watch),
        };
        let place = self.place(&engine, depth)?;
        let answered = adapter.answer(happening);
        is_sound(watch).map_err(short)?;
        out(&answered.reply);
        if !answered.told.is_empty() {
            engine.told(&answered.told);
        }
        adapter.finish(answered.afterwards);
        drop(place);
        self.service.writer.note(&engine);
        Ok(())
    }

    /// The roots its session began with and those of its payload. A session that
    /// is new to us begins here.
    fn belongs(&self, happening: &Happening) -> Result<Belongs, Failed> {
        let roots = self.service.engines.settings().roots;
        let state = self.state();
        let session = happening.session.as_deref();
        let known = session.map_or(Ok(None), |session| session_roots::recall(&state, session));
        let known = known
            .map_err(|error| Failed::Other { problem: session_roots::unknown_roots(&error), help: None })?;
        let Belongs { roots: session_roots, depth } = known.clone().unwrap_or_default();
        let hints = RootHints {
            named: happening.roots.iter().map(|root| native_root(roots.os, root)).collect(),
            session: session_roots,
            cwd: happening.cwd.as_ref().map(PathBuf::from),
            ..RootHints::default()
        };
        let workspaces = workspace_roots(&hints, &roots.home, &Trust::new(&roots));
        check_root_count(workspaces.len())?;
        let belongs = Belongs { roots: workspaces, depth };
        session_roots::follow(happening, &state, known, &belongs)?;
        Ok(belongs)
    }

    /// A place among those that run processes; none is needed where nothing runs.
    /// Who was started by a hook does not wait: all places may be taken by those
    /// who wait for that hook.
    fn place(&self, engine: &Engine, depth: u32) -> Result<Option<Place>, Failed> {
        let slow = |action: &Action| matches!(action, Action::Command(_) | Action::Prompt { .. });
        let slow = engine.hooks().hooks.iter().filter(|hook| slow(&hook.definition.action)).count();
        if slow == 0 || depth > 0 {
            return Ok(None);
        }
        let gives_up = || self.service.is_ending() || self.gone.load(Ordering::SeqCst);
        match self.service.places.take(slow, gives_up) {
            Some(place) => Ok(Some(place)),
            None => Err(Failed::other("the daemon is about to end, or nobody waits any more", "ask again")),
        }
    }

    fn cancel(&self) -> Cancel {
        let gone = Arc::clone(&self.gone);
        self.service.cancel(move || gone.load(Ordering::SeqCst))
    }

    /// The event's name, as far as that much can be read: what the agent tells
    /// counts before what stands in the address.
    fn event(&self) -> Option<String> {
        event_named_in(self.told).or_else(|| self.event.map(str::to_owned))
    }

    fn state(&self) -> StateDir {
        StateDir::new(self.service.engines.settings().roots.state)
    }

    /// Where there was no engine to ask, there is still a log.
    fn log_refusal(&self, reason: &str) {
        let record = Record::unasked(self.agent.name, self.event().as_deref(), b"", reason, true);
        // Somebody who hung up is no news, and nobody reads stderr here.
        let _ = LogFile::of(self.state()).append(&[record]);
    }
}

fn short(error: RpcError) -> Failed {
    Failed::other(error.message, "end something, or let the daemon open more files, and ask again")
}

/// In a body. What only an exit code would say cannot be said here, so it is a
/// failure, which shuts the gate.
fn as_answer(reply: &Reply) -> Answer {
    match (reply.stdout.trim(), reply.code) {
        ("", 0) => Answer::good(SILENCE.to_owned()),
        ("", _) => Answer::refused(500, &reply.stderr),
        (said, _) => Answer::good(said.to_owned()),
    }
}

fn unknown(name: &str) -> Answer {
    let name: String = name.chars().take(64).collect();
    let known: Vec<&str> = over_http::ALL.iter().map(|it| it.agent).collect();
    let known = known.join(", ");
    Answer::refused(404, &format!("no agent `{name}` is answered over HTTP; there is {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_never_an_empty_answer() {
        let reply = |stdout: &str, code| Reply { stdout: stdout.to_owned(), stderr: "why".to_owned(), code };
        assert_eq!(as_answer(&reply("", 0)), Answer::good("{}".to_owned()));
        assert_eq!(as_answer(&reply("{\"a\":1}\n", 2)), Answer::good("{\"a\":1}".to_owned()));
        assert_eq!(as_answer(&reply(" ", 2)).status, 500);
        assert_eq!(unknown(&"x".repeat(1_000)).status, 404);
        for known in over_http::ALL {
            let agent = named(known.agent).expect(known.agent);
            for event in [None, Some("PreToolUse"), Some("UserPromptSubmit")] {
                let answer = as_answer(&refuse(agent, event, "broken"));
                assert!(answer.status == 200 && answer.json.contains("block"), "{event:?}: {answer:?}");
            }
        }
    }
}

//! Asks the daemon where there is one, and the engine in process where not.

use std::path::PathBuf;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::wire::{HandleParams, Handled};
use super::{Reason, Remote};
use crate::engine::{Engine, Settings};
use crate::fill::Event;
use crate::load::{Surface, TrustMode};
use crate::settled::resolved;
use crate::source::{Os, Selection};

/// A decision, and why it is not the daemon's.
#[derive(Debug)]
pub struct Asked {
    /// The decision, whoever made it; `fallback` says the reason, too.
    pub handled: Handled,
    /// Why the engine in process decided; none when the daemon did.
    pub reason: Option<Reason>,
}

impl Remote {
    /// From an event to a decision: the daemon's when it is there and can be
    /// relied on, else the engine's. Hooks of an event whose daemon died
    /// meanwhile run again.
    pub fn handle_or_ask(&self, engine: &Engine, event: Event) -> Asked {
        let asked = params(engine, &event).and_then(|params| {
            let cancel = &engine.settings().cancel;
            self.handle_until(params, cancel)
        });
        match asked {
            Ok(handled) => Asked { handled, reason: None },
            Err(reason) => {
                let decided = Handled::of(&engine.handle(event));
                let handled = Handled { fallback: Some(reason.to_string()), ..decided };
                Asked { handled, reason: Some(reason) }
            }
        }
    }
}

impl Handled {
    /// The same as the trace of a decision, and why the daemon did not make it.
    pub fn trace(&self) -> Value {
        let value = |raw: &RawValue| serde_json::from_str(raw.get()).unwrap_or_default();
        let mut trace = Map::new();
        trace.insert("event".into(), json!(self.event));
        trace.insert("answer".into(), value(&self.answer));
        trace.insert("blocked".into(), json!(self.blocked));
        if let Some(code) = &self.code {
            trace.insert("code".into(), json!(code));
        }
        if self.host_must_ask {
            trace.insert("host_must_ask".into(), json!(true));
        }
        if let Some(text) = &self.model_text {
            trace.insert("model_text".into(), json!(text));
        }
        let hooks: Vec<Value> = self.hooks.iter().map(|raw| value(raw)).collect();
        trace.insert("hooks".into(), json!(hooks));
        trace.insert("warnings".into(), json!(self.warnings));
        if let Some(reason) = &self.fallback {
            trace.insert("fallback".into(), json!(reason));
        }
        Value::Object(trace)
    }
}

/// What a daemon is told of an event, or why it is not asked.
fn params(engine: &Engine, event: &Event) -> Result<HandleParams, Reason> {
    let settings = engine.settings();
    if let Some(reason) = only_ours(settings) {
        return Err(reason);
    }
    if engine.has_injected_hooks() {
        return Err(Reason::OwnSettings("hooks that stand in no file"));
    }
    let workspaces = to_name(engine, event)?;
    let payload = RawValue::from_string(event.payload.to_json()).map_err(Reason::Untellable)?;
    Ok(HandleParams {
        event: event.kind.name().to_owned(),
        payload,
        workspaces,
        cwd: None,
        surface: Some(surface(settings.surface).to_owned()),
        remote: settings.remote,
        cannot_ask: !settings.can_ask,
        edition: Some(settings.edition.name().to_owned()),
        caller: None,
        beat: true,
    })
}

/// The workspaces that must be named beside the payload.
fn to_name(engine: &Engine, event: &Event) -> Result<Vec<PathBuf>, Reason> {
    let workspaces = engine.workspaces(event);
    let own = |what| Err(Reason::OwnSettings(what));
    if workspaces.is_empty() {
        // A daemon may have one of its own for events that name none.
        return own("that there is no workspace");
    }
    if workspaces.iter().any(|root| !root.is_absolute()) {
        return own("where a relative workspace is");
    }
    // What the payload says is read in the same way there.
    if engine.named_workspaces(event) == workspaces {
        return Ok(Vec::new());
    }
    // What is named beside it is another place there when links lead to it.
    match workspaces.iter().all(|root| resolved(root).is_ok_and(|settled| settled == *root)) {
        true => Ok(workspaces),
        false => own("where the links of a workspace lead"),
    }
}

/// The one place that says for which settings no daemon can stand. What else a
/// `Settings` holds is told with the event, or read from the config.toml that
/// a `Caller` names.
fn only_ours(settings: &Settings) -> Option<Reason> {
    if settings.depth > 0 || !settings.called_from.is_empty() {
        return Some(Reason::InsideAHook);
    }
    let judge = settings.judge.as_ref();
    let own: [(bool, &'static str); 8] = [
        (settings.trust == TrustMode::Once, "what is trusted for this call alone"),
        (!settings.roots.plugins.is_empty(), "which plugins were named"),
        (judge.is_some_and(|judge| !judge.is_configured()), "the model behind prompt hooks"),
        (settings.selection != Selection::All, "which sources take part"),
        (settings.without != Default::default() || settings.agent.is_some(), "which agent asks"),
        (settings.unknown_policy.is_some(), "that nobody knows whose hooks guard this"),
        (settings.cursor_version.is_some(), "the version of its host"),
        (settings.roots.os != Os::current(), "whose paths apply"),
    ];
    own.into_iter().find(|(is_own, _)| *is_own).map(|(_, what)| Reason::OwnSettings(what))
}

fn surface(surface: Surface) -> &'static str {
    match surface {
        Surface::Desktop => "desktop",
        Surface::Cloud => "cloud",
    }
}

#[cfg(all(test, unix))]
#[path = "ask_tests.rs"]
mod tests;

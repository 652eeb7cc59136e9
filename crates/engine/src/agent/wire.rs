//! What most agents' payloads have in common: where the facts that go with
//! every event stand, and which event is which. Rows of a dialect's tables.

use serde_json::{Map, Value};

use super::happening::{Happening, Moment, NativeCall, Subagent};
use super::{NotUnderstood, Told};
use crate::payload::Payload;

/// Under which names an agent sends the facts of every event; an empty name is
/// one it has not.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Names {
    pub event: &'static str,
    pub session: &'static str,
    pub generation: &'static str,
    pub model: &'static str,
    pub cwd: &'static str,
    pub transcript: &'static str,
    pub mode: &'static str,
    pub subagent: &'static str,
    pub subagent_kind: &'static str,
    pub tool: &'static str,
    pub input: &'static str,
    pub call: &'static str,
}

/// One event of an agent: its name, and what it is to us.
pub struct EventRow {
    /// The agent's name for it.
    pub name: &'static str,
    /// Reads what is its own. The facts of every event are there already.
    pub read: fn(&Happening, &Payload) -> Result<Moment, NotUnderstood>,
    /// Writes it again.
    pub write: fn(&Happening, &mut Payload),
}

impl Names {
    /// The event's name: typed, or in the payload.
    pub fn event_of(&self, told: &Told) -> Result<String, NotUnderstood> {
        let in_payload = || told.payload.text(self.event).filter(|name| !name.is_empty());
        told.event.clone().or_else(in_payload).ok_or_else(|| {
            NotUnderstood(format!("the payload has no `{}`, so it is not known what happened", self.event))
        })
    }

    /// Everything but what is the event's own.
    pub fn read(&self, told: &Told, rows: &[EventRow]) -> Result<Happening, NotUnderstood> {
        let event = self.event_of(told)?;
        let row = rows.iter().find(|row| row.name == event);
        let row = row.ok_or_else(|| NotUnderstood(unknown(&event, rows)))?;
        let payload = &told.payload;
        let text = |name: &str| text_of(payload, name);
        let mut happening = Happening {
            session: text(self.session),
            generation: text(self.generation),
            model: text(self.model),
            cwd: text(self.cwd),
            transcript: text(self.transcript),
            mode: text(self.mode),
            subagent: text(self.subagent).map(|id| Subagent { id, kind: text(self.subagent_kind) }),
            call: self.call(payload)?,
            ..Happening::of(&event, Moment::Nothing("nothing was read of it"))
        };
        happening.moment = (row.read)(&happening, payload)?;
        Ok(happening)
    }

    /// The tool call, by the agent's names. Input that is JSON in a text is read.
    fn call(&self, payload: &Payload) -> Result<Option<NativeCall>, NotUnderstood> {
        if !payload.has(self.tool) {
            return Ok(None);
        }
        let named = payload.text(self.tool).filter(|name| !name.is_empty());
        let name =
            named.ok_or_else(|| NotUnderstood(format!("`{}` is not the name of a tool", self.tool)))?;
        let input = match payload.get(self.input).map(|input| serde_json::from_str(input.get())) {
            None => Value::Null,
            Some(Ok(Value::String(text))) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            Some(Ok(value)) => value,
            // What cannot be read must not look like a call without an input.
            Some(Err(error)) => {
                return Err(NotUnderstood(format!("`{}` of {name} cannot be read: {error}", self.input)));
            }
        };
        match input {
            Value::Object(input) => Ok(Some(NativeCall { name, id: text_of(payload, self.call), input })),
            Value::Null => Ok(Some(NativeCall { name, id: text_of(payload, self.call), input: Map::new() })),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(NotUnderstood(format!("`{}` of {name} is not a JSON object", self.input)))
            }
        }
    }
}

/// A text under this name. An empty name is one the agent has not, even where
/// a payload has a field without a name.
fn text_of(payload: &Payload, name: &str) -> Option<String> {
    payload.text(name).filter(|text| !name.is_empty() && !text.is_empty())
}

/// The facts of every event, and what is the event's own.
pub fn write(names: &Names, rows: &[EventRow], happening: &Happening) -> Payload {
    let mut payload = Payload::default();
    let mut set = |name: &str, value: Option<&String>| {
        if let Some(value) = value.filter(|_| !name.is_empty()) {
            payload.set(name, value);
        }
    };
    set(names.session, happening.session.as_ref());
    set(names.generation, happening.generation.as_ref());
    set(names.transcript, happening.transcript.as_ref());
    set(names.cwd, happening.cwd.as_ref());
    set(names.mode, happening.mode.as_ref());
    set(names.model, happening.model.as_ref());
    set(names.subagent, happening.subagent.as_ref().map(|subagent| &subagent.id));
    set(names.subagent_kind, happening.subagent.as_ref().and_then(|subagent| subagent.kind.as_ref()));
    set(names.event, Some(&happening.event));
    if let Some(call) = &happening.call {
        payload.set(names.tool, &call.name);
        payload.set(names.input, &call.input);
        if let Some(id) = call.id.as_ref().filter(|_| !names.call.is_empty()) {
            payload.set(names.call, id);
        }
    }
    if let Some(row) = rows.iter().find(|row| row.name == happening.event) {
        (row.write)(happening, &mut payload);
    }
    payload
}

fn unknown(event: &str, rows: &[EventRow]) -> String {
    let known: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let event: String = event.chars().take(60).flat_map(char::escape_default).collect();
    format!("there is no event `{event}`; there are {}", known.join(", "))
}

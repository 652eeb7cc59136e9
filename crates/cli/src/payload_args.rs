//! The payload of an event as it is typed: stdin, `--field`, or both.

use std::io::{self, IsTerminal, Read};

use boathook_engine::config::nearest_name;
use boathook_engine::event::{EVENTS, EventKind};
use boathook_engine::fill::Event;
use boathook_engine::input::{COMMON, FieldType};
use boathook_engine::payload::{Flaw, Payload, PayloadError};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::{Map, Value};

use crate::error::Failed;
use crate::ui::Ui;

/// An event and its payload.
#[derive(Debug, clap::Args)]
pub struct PayloadArgs {
    /// The event, as it is named in hooks.json
    #[arg(value_name = "EVENT", value_parser = event_name(), hide_possible_values = true)]
    pub event: EventKind,
    /// Sets a field of the payload; `tool_input.command=ls` sets a field inside
    #[arg(long, value_name = "KEY=VALUE")]
    pub field: Vec<String>,
}

impl PayloadArgs {
    /// Reads stdin unless it is a terminal, then applies the fields.
    pub fn read(&self) -> Result<Event, Failed> {
        let mut bytes = Vec::with_capacity(16 * 1024);
        let mut stdin = io::stdin().lock();
        if !stdin.is_terminal() {
            stdin.read_to_end(&mut bytes).map_err(|error| Failed::file("stdin".as_ref(), error))?;
        }
        let mut payload = Payload::parse(&bytes).map_err(|error| explained(&bytes, &error))?;
        for text in &self.field {
            set_field(&mut payload, self.event, text)?;
        }
        Ok(Event::new(self.event, payload))
    }

    /// Says which typed fields are probably others; any field may be sent.
    pub fn tell_slips(&self, ui: &mut Ui) {
        for text in &self.field {
            let name = text.split(['=', '.']).next().unwrap_or_default();
            if let Some(near) = nearest_field(self.event, name) {
                let event = self.event.name();
                ui.warning(&format!(
                    "{event} has no field `{name}`, as far as is known; did you mean `{near}`?"
                ));
            }
        }
    }
}

/// The field of an event that a name was probably meant to be.
pub fn nearest_field(event: EventKind, name: &str) -> Option<&'static str> {
    let known = event.spec().inputs.iter().chain(COMMON).map(|field| field.name);
    if known.clone().any(|known| known == name) {
        return None;
    }
    nearest_name(name, known)
}

/// What is wrong with a payload, where, and what to write instead.
fn explained(bytes: &[u8], error: &PayloadError) -> Failed {
    let Flaw { place, problem, help } = error.flaw(bytes);
    let place = if place.is_empty() { place } else { format!(", {place}") };
    Failed::Stdin { place, problem, help }
}

/// Names of events, with what they are about for shells that complete.
pub fn event_name() -> impl TypedValueParser<Value = EventKind> {
    let values = EVENTS.iter().map(|spec| PossibleValue::new(spec.name).help(spec.about));
    PossibleValuesParser::new(values)
        .map(|name| EventKind::named(&name).expect("only names of events are accepted"))
}

/// That there is no such event, and which one was meant.
pub fn no_event(name: &str) -> String {
    let names = EVENTS.iter().map(|spec| spec.name);
    let name: String = name.chars().take(64).collect();
    match nearest_name(&name, names.clone()) {
        Some(near) => format!("there is no event `{name}`; did you mean `{near}`?"),
        None => format!("there is no event `{name}`; there are {}", names.collect::<Vec<_>>().join(", ")),
    }
}

fn set_field(payload: &mut Payload, event: EventKind, text: &str) -> Result<(), Failed> {
    let wrong = |problem: String| Failed::Field {
        text: text.to_owned(),
        problem,
        help: "write `--field command='git push'` or `--field loop_count=2`".to_owned(),
    };
    let (key, value) = text.split_once('=').ok_or_else(|| wrong("there is no `=`".to_owned()))?;
    let (name, inner) = key.split_once('.').map_or((key, None), |(name, inner)| (name, Some(inner)));
    if name.is_empty() {
        return Err(wrong("there is no name before `=`".to_owned()));
    }
    if let Some(inner) = inner {
        let mut object: Map<String, Value> =
            payload.get(name).and_then(|value| serde_json::from_str(value.get()).ok()).unwrap_or_default();
        object.insert(inner.to_owned(), Value::from(value));
        payload.set(name, object);
        return Ok(());
    }
    let is_text =
        field_type(event, name).is_none_or(|kind| matches!(kind, FieldType::Text | FieldType::NullableText));
    if is_text {
        payload.set(name, value);
        return Ok(());
    }
    let value: Value = serde_json::from_str(value)
        .map_err(|_| wrong(format!("`{name}` is not text, so its value must be JSON")))?;
    payload.set(name, value);
    Ok(())
}

fn field_type(event: EventKind, name: &str) -> Option<FieldType> {
    event.spec().inputs.iter().chain(COMMON).find(|field| field.name == name).map(|field| field.kind)
}

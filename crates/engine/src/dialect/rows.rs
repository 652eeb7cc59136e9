//! What several agents write in the same way: parts of the rows of their
//! events.

use serde::Serialize;

use crate::agent::{Happening, Moment, NotUnderstood};
use crate::payload::Payload;

/// What a row reads.
pub(super) type Read = Result<Moment, NotUnderstood>;

/// A session begins, and `source` says how.
pub(super) fn session_start(_: &Happening, payload: &Payload) -> Read {
    Ok(Moment::SessionStart { source: payload.text("source"), background: false })
}

/// The reverse.
pub(super) fn write_session_start(happening: &Happening, payload: &mut Payload) {
    if let Moment::SessionStart { source, .. } = &happening.moment {
        set(payload, "source", source.as_ref());
    }
}

/// The context is about to be compacted, and `trigger` says why.
pub(super) fn compact(_: &Happening, payload: &Payload) -> Read {
    Ok(Moment::Compact { trigger: payload.text("trigger").unwrap_or_else(|| "auto".to_owned()) })
}

/// The reverse.
pub(super) fn write_compact(happening: &Happening, payload: &mut Payload) {
    if let Moment::Compact { trigger } = &happening.moment {
        payload.set("trigger", trigger);
    }
}

/// An event that has nothing of its own.
pub(super) fn nothing_more(_: &Happening, _: &mut Payload) {}

/// Whether a field says so.
pub(super) fn is_true(payload: &Payload, name: &str) -> bool {
    payload.get(name).is_some_and(|value| value.get() == "true")
}

/// The number in a field.
pub(super) fn number(payload: &Payload, name: &str) -> Option<f64> {
    serde_json::from_str(payload.get(name)?.get()).ok()
}

/// Sets a field that has a value.
pub(super) fn set(payload: &mut Payload, name: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        payload.set(name, value);
    }
}

//! What an agent sent, understood: bytes → `Happening`, or why not.
//!
//! Pure: no file, no clock, no environment.

use std::borrow::Cow;

use super::happening::{Happening, Moment};
use super::{Agent, NotUnderstood, Told};
use crate::payload::Payload;

/// The agent whose own payloads carry `cursor_version`.
const CURSOR: &str = "cursor";

/// What an agent sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// This happened.
    Happened(Box<Happening>),
    /// Cursor reads the settings of other agents and called us for one of
    /// them. It runs the same hooks itself, so there is nothing to do.
    FromCursor,
    /// Nothing that can be understood.
    Unclear {
        /// The event's name, as far as that much can be read.
        event: Option<String>,
        /// What is wrong.
        reason: NotUnderstood,
    },
}

/// Where agents write an event's name.
const EVENT_NAMES: [&str; 4] = ["hook_event_name", "hookName", "hookEventName", "agent_action_name"];

/// Reads what an agent sent. `event` is the name that was typed behind the
/// agent's, for agents whose payloads do not hold it; `beside` is what the agent
/// tells otherwise, by the name it has in a payload.
pub fn hear(agent: &Agent, bytes: &[u8], event: Option<&str>, beside: &[(&str, String)]) -> Heard {
    let mut payload = match Payload::parse(&paired(bytes)) {
        Ok(payload) => payload,
        Err(error) => {
            let reason = NotUnderstood(error.to_string());
            return Heard::Unclear { event: event.map(str::to_owned), reason };
        }
    };
    if payload.has("cursor_version") && agent.name != CURSOR {
        return Heard::FromCursor;
    }
    for (name, value) in beside.iter().filter(|(name, _)| !name.is_empty()) {
        if !payload.has(name) {
            payload.set(name, value);
        }
    }
    let told = Told { event: event.map(str::to_owned), payload };
    let reason = match (agent.decode_event)(&told) {
        Ok(happening) if names_no_tool(&happening) => {
            NotUnderstood("a tool is about to run, and it is not said which".to_owned())
        }
        Ok(happening) => return Heard::Happened(Box::new(happening)),
        Err(reason) => reason,
    };
    Heard::Unclear { event: told.event.clone().or_else(|| named_in(&told.payload)), reason }
}

/// The event's name in what an agent sent, as far as that much can be read.
pub(super) fn event_named_in(bytes: &[u8]) -> Option<String> {
    Payload::parse(&paired(bytes)).ok().and_then(|payload| named_in(&payload))
}

fn named_in(payload: &Payload) -> Option<String> {
    EVENT_NAMES.iter().find_map(|name| payload.text(name))
}

/// A call that becomes no event would pass every gate.
fn names_no_tool(happening: &Happening) -> bool {
    matches!(&happening.moment, Moment::BeforeTool { calls } if calls.is_empty())
}

/// JSON can hold half of a surrogate pair, and text in Rust cannot: it reads as
/// the replacement character, so that what stands around it is still seen.
fn paired(bytes: &[u8]) -> Cow<'_, [u8]> {
    let suspect = |three: &[u8]| matches!(three, [b'\\', b'u', b'd' | b'D']);
    if !bytes.windows(3).any(suspect) {
        return Cow::Borrowed(bytes);
    }
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < out.len() {
        at += match (out[at], escape(&out, at)) {
            (b'\\', None) => 2,
            (b'\\', Some(0xD800..=0xDBFF)) => match escape(&out, at + 6) {
                Some(0xDC00..=0xDFFF) => 12,
                _ => replaced(&mut out, at),
            },
            (b'\\', Some(0xDC00..=0xDFFF)) => replaced(&mut out, at),
            (b'\\', Some(_)) => 6,
            _ => 1,
        };
    }
    Cow::Owned(out)
}

/// The value of `\uXXXX` at this place.
fn escape(bytes: &[u8], at: usize) -> Option<u32> {
    let hex = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

fn replaced(bytes: &mut [u8], at: usize) -> usize {
    bytes[at..at + 6].copy_from_slice(b"\\ufffd");
    6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pair_hides_nothing_around_it() {
        let cases = [
            (r#"{"a":"x\ud83d\ude00y"}"#, r#"{"a":"x\ud83d\ude00y"}"#),
            (r#"{"a":"x\ud83dy"}"#, r#"{"a":"x\ufffdy"}"#),
            (r#"{"a":"x\ude00\ud83d"}"#, r#"{"a":"x\ufffd\ufffd"}"#),
            (r#"{"a":"x\\ud83d"}"#, r#"{"a":"x\\ud83d"}"#),
            (r#"{"a":"\ud83d\n\uD83D\uDE00"}"#, r#"{"a":"\ufffd\n\uD83D\uDE00"}"#),
            (r#"{"a":"\ud8"#, r#"{"a":"\ud8"#),
            (r#"{"a":"\ud+12"}"#, r#"{"a":"\ud+12"}"#),
            ("\\ud800\\", "\\ufffd\\"),
        ];
        for (given, expected) in cases {
            assert_eq!(String::from_utf8_lossy(&paired(given.as_bytes())), expected, "{given}");
        }
    }
}

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
/// agent's, for agents whose payloads do not hold it: one that holds another is
/// not understood. `beside` is what the agent tells otherwise, by the name it has
/// in a payload.
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
    if let Some(reason) = event.and_then(|typed| contradiction(agent, typed, &payload)) {
        return Heard::Unclear { event: named_in(&payload), reason };
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
pub fn event_named_in(bytes: &[u8]) -> Option<String> {
    Payload::parse(&paired(bytes)).ok().and_then(|payload| named_in(&payload))
}

fn named_in(payload: &Payload) -> Option<String> {
    EVENT_NAMES.iter().find_map(|name| payload.text(name).filter(|event| !event.is_empty()))
}

/// Why the event that was typed is not the one that happened: a gate would open
/// to whatever was typed in its place.
fn contradiction(agent: &Agent, typed: &str, payload: &Payload) -> Option<NotUnderstood> {
    let named = named_in(payload)?;
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
    };
    if typed == named || plain(typed) == plain(&named) {
        return None;
    }
    let read = |event: &str, payload: &Payload| {
        (agent.decode_event)(&Told { event: Some(event.to_owned()), payload: payload.clone() }).ok()
    };
    let mut nameless = payload.clone();
    EVENT_NAMES.iter().for_each(|name| nameless.remove(name));
    if let Some(happened) = read(&named, &nameless) {
        let is_gate = matches!(happened.moment, Moment::BeforeTool { .. } | Moment::Prompt { .. });
        let is_same = |other: Option<Happening>| other.is_some_and(|other| other.event == happened.event);
        // Some agents have two names for the same, and of some the payload counts anyway.
        if is_same(read(typed, &nameless)) || (!is_gate && is_same(read(typed, payload))) {
            return None;
        }
    }
    Some(NotUnderstood(format!(
        "the payload is of the event `{}`, and `{}` was typed",
        named.escape_default(),
        typed.escape_default()
    )))
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
    use super::super::named;
    use super::*;

    #[test]
    fn what_was_typed_counts_only_where_the_payload_names_nothing_else() {
        let shell = r#""tool_name":"Bash","tool_input":{"command":"ls"},"toolName":"bash","toolArgs":"{}""#;
        let cases = [
            // The agent, what was typed, the event in the payload; what is heard.
            ("claude", None, r#""hook_event_name":"PreToolUse""#, Ok("PreToolUse")),
            ("claude", Some("PreToolUse"), r#""hook_event_name":"PreToolUse""#, Ok("PreToolUse")),
            ("claude", Some("PreToolUse"), r#""a":1"#, Ok("PreToolUse")),
            ("claude", Some("PreToolUse"), r#""hook_event_name":"""#, Ok("PreToolUse")),
            ("claude", Some("Stop"), r#""hook_event_name":"PreToolUse""#, Err(Some("PreToolUse"))),
            ("claude", Some("nothing"), r#""hook_event_name":"PreToolUse""#, Err(Some("PreToolUse"))),
            ("claude", Some("PreToolUse"), r#""hook_event_name":"Stop""#, Err(Some("Stop"))),
            ("copilot", Some("preToolUse"), r#""a":1"#, Ok("preToolUse")),
            ("copilot", Some("preToolUse"), r#""hook_event_name":"PreToolUse""#, Ok("preToolUse")),
            ("copilot", Some("agentStop"), r#""hook_event_name":"PreToolUse""#, Err(Some("PreToolUse"))),
            (
                "windsurf",
                Some("pre_run_command"),
                r#""agent_action_name":"pre_run_command""#,
                Ok("pre_run_command"),
            ),
            (
                "windsurf",
                Some("post_cascade_response"),
                r#""agent_action_name":"pre_run_command""#,
                Err(Some("pre_run_command")),
            ),
        ];
        for (name, typed, event, expected) in cases {
            let tool_info = r#""tool_info":{"command_line":"ls","cwd":"/"}"#;
            let payload = format!("{{{event},{shell},{tool_info}}}");
            let heard = hear(named(name).expect(name), payload.as_bytes(), typed, &[]);
            let found = match &heard {
                Heard::Happened(happening) => Ok(happening.event.as_str()),
                Heard::Unclear { event, .. } => Err(event.as_deref()),
                Heard::FromCursor => panic!("{name}: no payload of Cursor"),
            };
            assert_eq!(found, expected, "{name} {typed:?} {event}: {heard:?}");
        }
    }

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

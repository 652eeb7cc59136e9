//! One hook run as one line of the log.

mod json_text;
mod redact;
mod words;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use self::redact::{redacted, text_length};
use crate::ids;
use crate::payload::Payload;
pub use json_text::JsonText;
pub use words::{permission_word, took};

/// This many records are kept in memory.
pub const KEPT_IN_MEMORY: usize = 100;
/// A payload or an answer longer than this is cut in the log.
pub const LONGEST_TEXT: usize = 1024 * 1024;
/// An agent may call its events what it likes; a row of the log has no room.
const LONGEST_NAME: usize = 32;

/// One hook run; or an event for which no hook was found, or none could be
/// asked; or a change of the user's hooks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Timestamp and random text: unique.
    pub id: String,
    /// When it began, RFC 3339.
    pub timestamp: String,
    /// The event; an agent's own name for it, or `unknown`, when no hook could
    /// be asked; `hooks` for a change of the user's hooks.
    pub step: String,
    /// How many hooks had a say on this event.
    pub found: usize,
    /// How many are configured for it and had none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: usize,
    /// The hook's command or prompt; none for an event without a hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The word for the hook's source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The file and line the hook stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The directory it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Its timeout in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The agent that told of the event; none when nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What the hook was given.
    pub request: JsonText,
    /// What it printed: an object when it was JSON, else text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Box<RawValue>>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// `stayed` or `ahead`; none when its process was started for this event alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// What it wrote to stderr.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// `answer`, `no_opinion`, `failed_open`, `failed_closed`, `withheld`, `skipped`;
    /// `undecided` when somebody else was to ask the hooks; `changed` for the
    /// user's hooks.
    pub outcome: String,
    /// How it failed, or why it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<String>,
    /// What it would have done, when it is only watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would: Option<String>,
    /// Whether the event as a whole was refused.
    pub blocked: bool,
    /// Whether the answer of the event sends a follow-up by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub automatic_followup: bool,
    /// What lost, and what its author should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// On the first record of an event: hooks of it that did not apply, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
}

/// How much of a payload a record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptPayload {
    /// All of it.
    Whole,
    /// Its beginning; it had so many bytes.
    Cut(u64),
    /// Names and sizes.
    Redacted,
    /// Nothing.
    Nothing,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How much of payloads and answers the log on disk keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// All of it.
    #[default]
    Full,
    /// Names and sizes, no text.
    Redacted,
    /// Nothing.
    None,
}

impl Keep {
    /// The setting of this name.
    pub fn named(name: &str) -> Option<Keep> {
        match name {
            "full" => Some(Keep::Full),
            "redacted" => Some(Keep::Redacted),
            "none" => Some(Keep::None),
            _ => None,
        }
    }
}

impl Record {
    /// Nothing but what it was about, what came of it, and now.
    pub fn blank(step: &str, outcome: &str) -> Record {
        Record::begun(ids::now_text(), step, outcome)
    }

    /// The same of something that began at another time.
    pub fn begun(timestamp: String, step: &str, outcome: &str) -> Record {
        Record {
            id: ids::record_id(),
            timestamp,
            step: step.to_owned(),
            found: 0,
            skipped: 0,
            command: None,
            source: None,
            place: None,
            directory: None,
            timeout_ms: None,
            conversation: None,
            agent: None,
            request: JsonText::nothing(),
            response: None,
            duration: None,
            exit_code: None,
            process: None,
            stderr: String::new(),
            outcome: outcome.to_owned(),
            reason: None,
            permission: None,
            would: None,
            blocked: false,
            automatic_followup: false,
            notes: Vec::new(),
            not_run: Vec::new(),
        }
    }

    /// An agent told something that no hook could be asked about: the event by
    /// the agent's own name, as far as it is known.
    pub fn unasked(agent: &str, event: Option<&str>, told: &[u8], reason: &str, blocked: bool) -> Record {
        let name = event.map(|event| event.chars().take(LONGEST_NAME).collect::<String>());
        let step = name.filter(|name| !name.trim().is_empty());
        Record {
            agent: Some(agent.to_owned()),
            request: response_of(told).map_or_else(JsonText::nothing, |told| shortened(&told).into()),
            reason: Some(reason.to_owned()),
            blocked,
            ..Record::blank(
                step.as_deref().unwrap_or("unknown"),
                if blocked { "failed_closed" } else { "failed_open" },
            )
        }
    }

    /// How much of the payload is here.
    pub fn kept_payload(&self) -> KeptPayload {
        let payload = Payload::parse(self.request.get().as_bytes()).unwrap_or_default();
        if payload.is_empty() {
            return KeptPayload::Nothing;
        }
        if payload.get("truncated").is_some_and(|value| value.get() == "true") && payload.has("head") {
            let bytes = payload.get("bytes").and_then(|bytes| serde_json::from_str(bytes.get()).ok());
            return KeptPayload::Cut(bytes.unwrap_or_default());
        }
        // Every event has its workspace, whose name is no sizes.
        let roots = payload.texts("workspace_roots").unwrap_or_default();
        let is_size = |root: &String| root.starts_with('[') && root.ends_with(" characters]");
        if roots.iter().any(is_size) { KeptPayload::Redacted } else { KeptPayload::Whole }
    }

    /// The record as it is written to disk.
    pub fn kept(&self, keep: Keep) -> Record {
        let mut record = self.clone();
        match keep {
            Keep::Full => {
                record.response = record.response.as_deref().map(shortened);
            }
            Keep::Redacted => {
                record.request = redacted(record.request.get()).into();
                record.response = record.response.as_deref().map(|response| redacted(response.get()));
                record.stderr = text_length(&record.stderr);
                record.notes.clear();
                record.not_run.clear();
            }
            Keep::None => {
                record.request = JsonText::nothing();
                record.response = None;
                record.stderr = String::new();
                record.notes.clear();
                record.not_run.clear();
            }
        }
        record
    }
}

/// What a hook printed, as it stands in a record.
pub fn response_of(stdout: &[u8]) -> Option<Box<RawValue>> {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let object = serde_json::from_str::<&RawValue>(text).ok().map(|object| object.get());
    let compact = object.map(|object| crate::payload::compact(object).into_owned());
    compact.and_then(|object| RawValue::from_string(object).ok()).or_else(|| Some(raw(&json!(text))))
}

/// The request of an event, from the line its hooks read.
pub fn request_of(line: &[u8]) -> JsonText {
    let line = line.trim_ascii_end();
    // Lossy reading goes from byte to byte, and a line of ours is text.
    let line = std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
    if line.len() > LONGEST_TEXT { cut(&line).into() } else { JsonText::written(&line) }
}

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("a value is always JSON")
}

fn shortened(value: &RawValue) -> Box<RawValue> {
    let text = value.get();
    if text.len() <= LONGEST_TEXT { value.to_owned() } else { cut(text) }
}

fn cut(text: &str) -> Box<RawValue> {
    let cut = (0..=LONGEST_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    raw(&json!({ "truncated": true, "bytes": text.len(), "head": &text[..cut] }))
}

/// The last records, oldest first.
#[derive(Debug, Default)]
pub struct RecentRecords(VecDeque<Arc<Record>>);

impl RecentRecords {
    /// Keeps a record and forgets the oldest when there are too many.
    pub fn push(&mut self, record: Arc<Record>) {
        if self.0.len() == KEPT_IN_MEMORY {
            self.0.pop_front();
        }
        self.0.push_back(record);
    }

    /// All of them, oldest first.
    pub fn all(&self) -> Vec<Arc<Record>> {
        self.0.iter().cloned().collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn record(request: &str) -> Record {
        Record {
            timestamp: String::new(),
            found: 1,
            command: Some("x".to_owned()),
            request: request_of(request.as_bytes()),
            response: response_of(b"secret-1 \x1b[31m"),
            exit_code: Some(0),
            stderr: "secret-2".to_owned(),
            notes: vec!["secret-3".to_owned()],
            not_run: vec!["secret-5".to_owned()],
            ..Record::blank("stop", "answer")
        }
    }

    #[test]
    fn what_no_hook_could_be_asked_about_has_its_record() {
        let long = "x".repeat(100);
        let cases: [(Option<&str>, &[u8], &str, &str); 4] = [
            (Some("PreToolUse"), br#"{"a": [1,  2]}"#, "PreToolUse", r#"{"a":[1,2]}"#),
            (None, b"{\"a\":\n", "unknown", r#""{\"a\":""#),
            (Some(" "), b"", "unknown", "{}"),
            (Some(&long), b"\xff", &long[..32], "\"\u{fffd}\""),
        ];
        for (event, told, step, request) in cases {
            let record = Record::unasked("claude", event, told, "why", true);
            assert_eq!((record.step.as_str(), record.request.get()), (step, request));
            assert_eq!((record.outcome.as_str(), record.blocked), ("failed_closed", true));
        }
        let record = Record::unasked("claude", None, b"{}", "why", false);
        assert_eq!((record.outcome.as_str(), record.blocked), ("failed_open", false));
    }

    #[test]
    fn memory_keeps_the_last_hundred() {
        let mut recent = RecentRecords::default();
        for number in 0..150 {
            recent.push(Arc::new(Record { found: number, ..record("{}") }));
        }
        assert_eq!(recent.all().len(), 100);
        assert_eq!(recent.all()[0].found, 50);
    }

    #[test]
    fn what_is_redacted_is_gone() {
        let full = record(r#"{"tool_name":"Shell","tool_input":{"command":"secret-4"},"n":5}"#);
        for keep in [Keep::Redacted, Keep::None] {
            let line = serde_json::to_string(&full.kept(keep)).expect("a record");
            assert!(!line.contains("secret"), "{line}");
        }
        let line = serde_json::to_string(&full.kept(Keep::Redacted)).expect("a record");
        assert!(
            line.contains(
                r#""tool_name":"Shell","tool_input":{"command":"[8 characters]"},"[1 characters]":5"#
            ),
            "{line}"
        );
    }

    #[test]
    fn a_record_knows_how_much_of_the_payload_it_has() {
        let whole = r#"{"command":"[3 characters]","workspace_roots":["/w"]}"#;
        let long = json!({ "content": "x".repeat(LONGEST_TEXT) }).to_string();
        let cases = [
            (whole, Keep::Full, KeptPayload::Whole),
            (whole, Keep::Redacted, KeptPayload::Redacted),
            (whole, Keep::None, KeptPayload::Nothing),
            (&long, Keep::Full, KeptPayload::Cut(long.len() as u64)),
            (r#"{"truncated":true}"#, Keep::Full, KeptPayload::Whole),
        ];
        for (request, keep, expected) in cases {
            assert_eq!(record(request).kept(keep).kept_payload(), expected, "{keep:?} {request:.40}");
        }
    }

    #[test]
    fn a_long_payload_is_cut_and_says_so() {
        let long = record(&json!({ "content": "ä".repeat(LONGEST_TEXT) }).to_string());
        let kept = long.kept(Keep::Full);
        assert!(kept.request.get().len() < LONGEST_TEXT + 100);
        assert!(kept.request.get().starts_with(r#"{"truncated":true,"bytes":"#));
    }
}

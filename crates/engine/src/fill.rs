//! One event on its way to hooks: missing common fields are put in the
//! product's places, and an edition's field names are applied.
//!
//! Pure: what comes from outside stands in `Facts`.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::edition::Rules;
use crate::event::{EventKind, Subject};
use crate::ids;
use crate::input::Input;
use crate::payload::{FieldValue, Payload};

/// Something that happened in an agent's loop.
#[derive(Debug, Clone)]
pub struct Event {
    /// What kind of thing.
    pub kind: EventKind,
    /// The JSON object hooks are given.
    pub payload: Payload,
}

/// What is known beside the payload, as it is put there. The payload wins where
/// both speak.
#[derive(Debug, Clone)]
pub struct Facts {
    cursor_version: Option<Arc<RawValue>>,
    user_email: Arc<RawValue>,
    workspace_roots: Arc<RawValue>,
    nothing: Arc<RawValue>,
}

impl Facts {
    /// The version of the host, else a constant of the edition; the signed-in
    /// user; the workspace's root folders.
    pub fn new(cursor_version: Option<&str>, user_email: Option<&str>, workspace_roots: &[String]) -> Facts {
        Facts {
            cursor_version: cursor_version.map(|version| raw(&version).into()),
            user_email: raw(&user_email).into(),
            workspace_roots: raw(&workspace_roots).into(),
            nothing: RawValue::NULL.to_owned().into(),
        }
    }
}

impl Event {
    /// An event of this kind with this payload.
    pub fn new(kind: EventKind, payload: Payload) -> Event {
        Event { kind, payload }
    }

    /// An event from its typed input.
    pub fn of<I: Input>(input: &I) -> Event {
        Event::new(I::KIND, Payload::of(input))
    }

    /// The conversation the event belongs to.
    pub fn conversation(&self) -> Option<Cow<'_, str>> {
        self.payload.text_ref("conversation_id").or_else(|| self.payload.text_ref("session_id"))
    }

    /// The text a matcher is applied to; none when every hook runs.
    pub fn subject(&self) -> Option<Cow<'_, str>> {
        match self.kind.spec().subject {
            Subject::None => None,
            Subject::Constant(word) => Some(Cow::Borrowed(word)),
            Subject::Field(name) => Some(self.payload.text_ref(name).unwrap_or_default()),
            Subject::McpTool => {
                let tool = self.payload.text_ref("tool_name").unwrap_or_default();
                Some(if tool.starts_with("MCP:") { tool } else { Cow::Owned(format!("MCP:{tool}")) })
            }
        }
    }
}

/// Before the event's own fields.
const HEAD: &[&str] = &["conversation_id", "generation_id", "model"];
/// Behind them.
const TAIL: &[&str] =
    &["session_id", "hook_event_name", "cursor_version", "workspace_roots", "user_email", "transcript_path"];
/// All that an event outside conversations has.
pub(crate) const WORKSPACE_TAIL: &[&str] =
    &["hook_event_name", "cursor_version", "workspace_roots", "user_email"];

/// Fills what is missing and applies the edition's names.
pub fn fill(mut event: Event, facts: &Facts, rules: &Rules) -> Event {
    let (head, tail) =
        if event.kind.spec().in_conversation { (HEAD, TAIL) } else { (&[][..], WORKSPACE_TAIL) };
    // Whoever told us of the event may call it by another name.
    if event.payload.has("hook_event_name") {
        event.payload.set("hook_event_name", event.kind.name());
    }
    let mut conversation = None;
    let mut value_of = |name: &str, payload: &Payload| match name {
        "conversation_id" | "session_id" => {
            conversation.get_or_insert_with(|| conversation_of(payload)).clone().into()
        }
        "generation_id" => raw(&ids::uuid()).into(),
        "model" => raw(&"default").into(),
        "hook_event_name" => raw(&event.kind.name()).into(),
        "cursor_version" => match &facts.cursor_version {
            Some(version) => Arc::clone(version).into(),
            None => raw(&rules.cursor_version).into(),
        },
        "workspace_roots" => Arc::clone(&facts.workspace_roots).into(),
        "user_email" => Arc::clone(&facts.user_email).into(),
        _ => FieldValue::from(Arc::clone(&facts.nothing)),
    };
    let payload = &mut event.payload;
    // Behind those that stand before it,
    let mut behind = None;
    for name in head {
        let at = payload.position(name).unwrap_or_else(|| {
            let (at, value) = (behind.map_or(0, |at: usize| at + 1), value_of(name, payload));
            payload.add(at, *name, value);
            at
        });
        behind = behind.max(Some(at));
    }
    // and before those that stand behind it.
    let mut before = usize::MAX;
    for name in tail.iter().rev() {
        let at = payload.position(name);
        if at.is_none() {
            let value = value_of(name, payload);
            payload.add(before, *name, value);
        }
        before = before.min(at.unwrap_or(payload.len() - 1));
    }
    if rules.first_field_names {
        use_first_names(&mut event);
    }
    event
}

/// The conversation as it is written in one of its two fields, else a new one.
fn conversation_of(payload: &Payload) -> Box<RawValue> {
    let written = ["conversation_id", "session_id"].into_iter().find_map(|name| {
        let value = payload.get(name)?;
        value.get().starts_with('"').then(|| value.to_owned())
    });
    written.unwrap_or_else(|| raw(&ids::uuid()))
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// `prompt_text`, `filePath`, and seconds for the duration of an MCP call.
fn use_first_names(event: &mut Event) {
    event.payload.rename("prompt", "prompt_text");
    if let Some(Ok(Value::Array(mut attachments))) =
        event.payload.get("attachments").map(|list| serde_json::from_str(list.get()))
    {
        for attachment in &mut attachments {
            let Value::Object(fields) = attachment else { continue };
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, value)| (if name == "file_path" { "filePath".to_owned() } else { name }, value))
                .collect();
        }
        event.payload.set("attachments", attachments);
    }
    let milliseconds =
        event.payload.get("duration").and_then(|value| serde_json::from_str::<f64>(value.get()).ok());
    if let (Subject::McpTool, Some(milliseconds)) = (event.kind.spec().subject, milliseconds) {
        event.payload.set("duration", milliseconds / 1000.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edition::Edition;

    fn keys(kind: EventKind, json: &str) -> String {
        let event = Event::new(kind, Payload::parse(json.as_bytes()).expect(json));
        let filled = fill(event, &Facts::new(None, None, &[]), Edition::Docs.rules());
        filled.payload.fields().map(|(key, _)| key.to_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn missing_fields_are_put_in_the_products_places() {
        let all = "session_id hook_event_name cursor_version workspace_roots user_email transcript_path";
        let cases = [
            (EventKind::Stop, r#"{"status":"completed"}"#, format!("conversation_id generation_id model status {all}")),
            (EventKind::Stop, r#"{"x":1,"model":"m","status":"c"}"#, format!("conversation_id generation_id x model status {all}")),
            (EventKind::Stop, r#"{"status":"c","user_email":null,"y":1}"#,
                "conversation_id generation_id model status session_id hook_event_name cursor_version workspace_roots user_email y transcript_path".to_owned()),
            (EventKind::WorkspaceOpen, "{}", "hook_event_name cursor_version workspace_roots user_email".to_owned()),
        ];
        for (kind, json, expected) in cases {
            assert_eq!(keys(kind, json), expected, "{json}");
        }
    }

    #[test]
    fn the_session_is_the_conversation_as_it_is_written() {
        let cases = [
            (r#"{"session_id":"s"}"#, r#""s""#),
            (r#"{"conversation_id":"c"}"#, r#""c""#),
            (r#"{"conversation_id":"\ud800 \u0063"}"#, r#""\ud800 \u0063""#),
        ];
        for (json, expected) in cases {
            let event = Event::new(EventKind::Stop, Payload::parse(json.as_bytes()).expect(json));
            let filled = fill(event, &Facts::new(None, None, &[]), Edition::Docs.rules()).payload;
            for name in ["conversation_id", "session_id"] {
                assert_eq!(filled.get(name).map(|value| value.get()), Some(expected), "{json}: {name}");
            }
        }
        let event =
            Event::new(EventKind::Stop, Payload::parse(br#"{"conversation_id":7}"#).expect("an object"));
        let filled = fill(event, &Facts::new(None, None, &[]), Edition::Docs.rules()).payload;
        assert_eq!(filled.text("session_id").map(|id| id.len()), Some(36), "a number names no conversation");
    }

    #[test]
    fn edition_2_3_has_its_own_names() {
        let json = br#"{"prompt":"hi","attachments":[{"type":"file","file_path":"/a"}]}"#;
        let event = Event::new(EventKind::BeforeSubmitPrompt, Payload::parse(json).expect("an object"));
        let filled = fill(event, &Facts::new(None, None, &[]), Edition::V2_3.rules()).payload;
        assert_eq!(filled.text("prompt_text").as_deref(), Some("hi"));
        assert_eq!(
            filled.get("attachments").map(|list| list.get()),
            Some(r#"[{"type":"file","filePath":"/a"}]"#)
        );
        let event = Event::new(
            EventKind::AfterMcpExecution,
            Payload::parse(br#"{"duration":1500}"#).expect("an object"),
        );
        let filled = fill(event, &Facts::new(None, None, &[]), Edition::V2_3.rules()).payload;
        assert_eq!(filled.get("duration").map(|value| value.get()), Some("1.5"));
    }
}

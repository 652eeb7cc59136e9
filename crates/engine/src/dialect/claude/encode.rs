//! An event as Claude Code would have told it: its fields first and in its
//! order, then ours that have another name.

use super::events::{Origin, of_kind};
use super::matcher::{end_reason, hyphenated};
use super::{Options, Shape, tools};
use crate::fill::Event;
use crate::payload::Payload;

/// The payload a hook reads. The native one where the setting or the event
/// wants it so.
pub fn encode_event(event: &Event, options: &Options) -> Payload {
    let Some(claude) = of_kind(event.kind).filter(|_| options.shape == Shape::Claude) else {
        return event.payload.clone();
    };
    let text = |name: &str| event.payload.text(name).filter(|text| !text.is_empty());
    let mut payload = Payload::default();
    payload.set("session_id", event.conversation().unwrap_or_default());
    payload.set("transcript_path", text("transcript_path").unwrap_or_default());
    payload.set("cwd", cwd(event));
    payload.set("permission_mode", text("permission_mode").unwrap_or_else(|| "default".to_owned()));
    payload.set("hook_event_name", claude.name);
    for (name, from) in claude.own {
        add(&mut payload, name, *from, event, options);
    }
    for (name, value) in event.payload.fields() {
        if !payload.has(name) {
            payload.set(name, value);
        }
    }
    payload
}

fn add(payload: &mut Payload, name: &str, from: Origin, event: &Event, options: &Options) {
    let given = &event.payload;
    match from {
        Origin::Field("subagent_type") => {
            if let Some(agent) = given.text("subagent_type") {
                payload.set(name, hyphenated(&agent));
            }
        }
        Origin::Field(field) => {
            if let Some(value) = given.get(field) {
                payload.set(name, value);
            }
        }
        Origin::TextOr(field, other) => match given.get(field).filter(|value| value.get() != "null") {
            Some(value) => payload.set(name, value),
            None => payload.set(name, other),
        },
        Origin::ToolName => payload.set(name, tools::name(event, options.matcher.as_ref())),
        Origin::ToolInput => {
            let tool = tools::name(event, options.matcher.as_ref());
            payload.set(name, tools::input(event, &tool));
        }
        Origin::ToolResponse => payload.set(name, tools::response(event)),
        Origin::Looping => payload.set(name, given.count("loop_count").unwrap_or(0) > 0),
        Origin::EndReason => payload.set(name, end_reason(&given.text("reason").unwrap_or_default())),
    }
}

/// Where the agent is: an empty `cwd` is the workspace's root.
fn cwd(event: &Event) -> String {
    let given = event.payload.text("cwd").filter(|cwd| !cwd.is_empty());
    let root = || event.payload.texts("workspace_roots").unwrap_or_default().into_iter().next();
    given.or_else(root).unwrap_or_default()
}

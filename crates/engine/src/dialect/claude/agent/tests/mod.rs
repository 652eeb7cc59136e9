//! What Claude Code really sent, and the exact answers it is given.

mod answers;
mod decoding;

use serde_json::Value;

use super::AGENT;
use crate::agent::recorded::{decoded, payloads};
use crate::agent::{Happening, Moment, ToolCall};
use crate::payload::Payload;

/// The first recorded payload of this name, whatever its number.
fn recorded(name: &str) -> Happening {
    let found = payloads("claude").into_iter().find(|(file, _)| what(file) == name);
    decoded(&AGENT, &found.unwrap_or_else(|| panic!("no payload {name}")).1)
}

/// A file's name without its number.
fn what(file: &str) -> &str {
    file.split_once('-').map_or(file, |(_, what)| what)
}

fn told(value: Value) -> Happening {
    decoded(&AGENT, &Payload::of(&value))
}

fn calls(happening: &Happening) -> &[ToolCall] {
    match &happening.moment {
        Moment::BeforeTool { calls } | Moment::AfterTool { calls, .. } | Moment::ToolFailed { calls, .. } => {
            calls
        }
        other => panic!("no calls in {other:?}"),
    }
}

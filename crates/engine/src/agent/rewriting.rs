//! What is said when hooks want a call to have another input and its agent
//! cannot be given it: the call is refused, and the model may make the one that
//! is wanted.
//!
//! Pure.

use serde_json::{Map, Value};

use super::Agent;
use super::fan_in::shortened;
use super::happening::{Happening, NativeCall, ToolCall};
use super::verdict::Words;

/// An input that is longer is cut in what the model is told.
const LONGEST_INPUT: usize = 16 * 1024;

/// The call that is to be made in place of a refused one.
pub fn call_instead(
    agent: &Agent,
    happening: &Happening,
    calls: &[ToolCall],
    wanted: &[Option<Map<String, Value>>],
) -> Words {
    let native = happening.call.as_ref();
    let first = calls.first().map_or("it", |call| call.name.as_str());
    let name = native.map_or(first, |native| native.name.as_str());
    let title = agent.title;
    let user = format!(
        "A hook wants `{name}` to run with another input, and {title} cannot change it, so the call was refused."
    );
    let (how, inputs) = match (calls, wanted) {
        ([call], [Some(wanted)]) if native.is_none_or(|native| is_one(native, call)) => {
            ("with exactly this input", as_json(native_names(native, call, wanted)))
        }
        _ => ("so that it does exactly this", all(calls, wanted)),
    };
    let (inputs, note) = shortened(&inputs, LONGEST_INPUT);
    let model = format!("{user} If the task still needs it, call `{name}` again {how}{note}: {inputs}");
    Words { user, model }
}

/// What all calls of ours would do, those that stay as they are too.
fn all(calls: &[ToolCall], wanted: &[Option<Map<String, Value>>]) -> String {
    let input = |(call, wanted): (&ToolCall, &Option<Map<String, Value>>)| {
        format!("{} {}", call.name, as_json(wanted.clone().unwrap_or_else(|| call.input.clone())))
    };
    calls.iter().zip(wanted).map(input).collect::<Vec<_>>().join("\n")
}

/// Whether our call is the agent's with other names, and not read out of it.
fn is_one(native: &NativeCall, call: &ToolCall) -> bool {
    native_names(Some(native), call, &call.input) == native.input
}

/// The input by the names the model used: a field that has another name with
/// the same value there has that name.
fn native_names(
    native: Option<&NativeCall>,
    call: &ToolCall,
    wanted: &Map<String, Value>,
) -> Map<String, Value> {
    let Some(native) = native else { return wanted.clone() };
    let name_of = |name: &String| {
        if native.input.contains_key(name) {
            return name.clone();
        }
        let same = |(other, value): &(&String, &Value)| {
            call.input.get(name) == Some(*value) && !call.input.contains_key(*other)
        };
        native.input.iter().find(same).map_or(name.clone(), |(other, _)| other.clone())
    };
    wanted.iter().map(|(name, value)| (name_of(name), value.clone())).collect()
}

fn as_json(input: Map<String, Value>) -> String {
    Value::Object(input).to_string()
}

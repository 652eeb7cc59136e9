//! Payloads that real agents sent, and what must hold for each of them.

use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::rewriting::call_instead;
use super::{Agent, Happening, Moment, Told, Verdict};
use crate::payload::Payload;

/// What an agent sent, by the name of the file, in the order it came.
pub(crate) fn payloads(agent: &str) -> Vec<(String, Payload)> {
    let directory =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/agents/payloads").join(agent);
    let entries = std::fs::read_dir(&directory).expect("recorded payloads");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let read = |path: &Path| Payload::parse(&std::fs::read(path).expect("a file")).expect("a JSON object");
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), read(path))).collect()
}

/// What an agent told by a payload that names its event.
pub(crate) fn decoded(agent: &Agent, payload: &Payload) -> Happening {
    let told = Told { event: None, payload: payload.clone() };
    (agent.decode_event)(&told).unwrap_or_else(|error| panic!("{error}: {}", payload.to_json()))
}

/// What becomes of a call for which hooks want other inputs.
pub(crate) fn rewriting(
    agent: &Agent,
    happening: &Happening,
    wanted: &[Option<Map<String, Value>>],
) -> Verdict {
    let Moment::BeforeTool { calls } = &happening.moment else { panic!("no call in {happening:?}") };
    match (agent.fold)(happening, wanted) {
        Some(input) => Verdict { input: Some(input), ..Verdict::default() },
        None => {
            let refused = Some(call_instead(agent, happening, calls, wanted));
            Verdict { refused, ..Verdict::default() }
        }
    }
}

/// Every payload is understood, and means the same when it was written again.
pub(crate) fn assert_stable(agent: &Agent) {
    let payloads = payloads(agent.name);
    assert!(payloads.len() > 20, "{} of {}", payloads.len(), agent.name);
    for (name, payload) in payloads {
        let happening = decoded(agent, &payload);
        let again = (agent.encode_event)(&happening);
        assert_eq!(decoded(agent, &again), happening, "{name}");
    }
}

/// Whatever one field of it becomes, a call that is about to run is still a
/// call, or not understood: never nothing.
pub(crate) fn assert_gate_stays_one(agent: &Agent, event: &str) {
    let odd = [
        "null",
        "true",
        "0",
        "-1.5e300",
        "\"\"",
        "\"x\"",
        "[]",
        "[{}]",
        "{}",
        r#"{"a":null}"#,
        r#""\ud800""#,
    ];
    let gates: Vec<(String, Payload)> =
        payloads(agent.name).into_iter().filter(|(_, payload)| names(payload, event)).collect();
    assert!(!gates.is_empty(), "no {event} of {}", agent.name);
    for (name, payload) in gates {
        let fields: Vec<String> = payload.fields().map(|(field, _)| field.to_owned()).collect();
        for field in fields.iter().filter(|field| payload.text(field).as_deref() != Some(event)) {
            for value in odd {
                let mut told = Told { event: None, payload: payload.clone() };
                told.payload.set(field, RawValue::from_string(value.to_owned()).expect("JSON"));
                let Ok(happening) = (agent.decode_event)(&told) else { continue };
                let held = matches!(&happening.moment, Moment::BeforeTool { calls } if !calls.is_empty());
                assert!(held, "{name} with {value} in {field} is {:?}", happening.moment);
            }
        }
    }
}

fn names(payload: &Payload, event: &str) -> bool {
    payload.fields().any(|(name, _)| payload.text(name).as_deref() == Some(event))
}

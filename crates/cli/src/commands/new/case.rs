//! The test cases that go with a new hook: one for its example, one for
//! everything else.

use boathook_engine::event::{EventSpec, Gate};
use boathook_engine::fill::Event;
use boathook_engine::matcher::{Matcher, Verdict};
use boathook_engine::payload::Payload;
use serde_json::{Map, Value, json};

use super::script::{Act, EXAMPLE, act, expected_answer, watched};

/// The file of cases of a hook with this name. Which hooks run is not said:
/// the next one on the same event would break them.
pub fn text(spec: &EventSpec, name: &str, matcher: &Matcher) -> String {
    let mut cases = Vec::new();
    let others: Vec<String> =
        candidates(matcher).into_iter().filter(|value| !value.contains(EXAMPLE)).collect();
    let fitting = |values: Vec<String>| values.into_iter().find(|value| fits(spec, value, matcher));
    let found = fitting(vec![EXAMPLE.to_owned()])
        .or_else(|| fitting(candidates(matcher)).filter(|value| value.contains(EXAMPLE)));
    if let (Some(value), false) = (&found, matches!(act(spec), Act::Nothing)) {
        let mut expect = Map::new();
        expect.insert("exit".into(), json!(if spec.gate == Gate::None { 0 } else { 2 }));
        expect.extend(expected_answer(spec).map(|answer| ("answer".to_owned(), answer)));
        cases.push(case(&format!("{name}: the example is found"), spec, value, expect));
    }
    if let Some(value) = fitting([vec!["anything else".to_owned()], others].concat()) {
        cases.push(case(&format!("{name}: anything else is let through"), spec, &value, quiet()));
    }
    if cases.is_empty() {
        // No text that fits is at hand: what can be said is that others do not.
        cases.push(case(&format!("{name}: the matcher does not fit this"), spec, EXAMPLE, quiet()));
    }
    let text = serde_json::to_string_pretty(&cases).unwrap_or_default();
    format!("{text}\n")
}

fn quiet() -> Map<String, Value> {
    Map::from_iter([("exit".to_owned(), json!(0)), ("answer".to_owned(), json!({}))])
}

fn case(name: &str, spec: &EventSpec, value: &str, expect: Map<String, Value>) -> Value {
    json!({ "name": name, "event": spec.name, "payload": payload(spec, value), "expect": expect })
}

/// A follow-up to a subagent counts only when that has completed.
fn payload(spec: &EventSpec, value: &str) -> Map<String, Value> {
    let mut payload = Map::new();
    if spec.inputs.iter().any(|field| field.name == "status") {
        payload.insert("status".to_owned(), json!("completed"));
    }
    payload.extend(watched(spec).map(|field| (field.to_owned(), json!(value))));
    payload
}

/// Whether a hook with this matcher is asked about this payload.
pub fn fits(spec: &EventSpec, value: &str, matcher: &Matcher) -> bool {
    let event = Event::new(spec.kind, Payload::of(&payload(spec, value)));
    event.subject().is_none_or(|subject| matcher.matches(&subject) == Verdict::Match)
}

/// Texts that a simple matcher fits: its first alternative, with and without
/// the example behind it.
fn candidates(matcher: &Matcher) -> Vec<String> {
    let pattern = matcher.pattern().trim_start_matches(['^', '(']);
    let first = pattern.split('|').next().unwrap_or_default().trim_end_matches([')', '$']);
    let first = first.strip_prefix("MCP:").unwrap_or(first).replace("\\b", "").replace('\\', "");
    if first.is_empty() {
        return Vec::new();
    }
    vec![format!("{first} {EXAMPLE}"), format!("{first}{EXAMPLE}"), first]
}

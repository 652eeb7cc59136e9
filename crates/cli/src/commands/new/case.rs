//! The test cases that go with a new hook: one for its example, one for
//! everything else.

use boathook_engine::event::{EventSpec, Gate};
use boathook_engine::fill::Event;
use boathook_engine::matcher::{Matcher, Verdict};
use boathook_engine::payload::Payload;
use serde_json::{Map, Value, json};

use super::script::{Act, EXAMPLE, act, expected_answer, watched};

/// The file of cases. With other hooks on the event it is not said which run.
pub fn text(spec: &EventSpec, command: &str, matcher: &Matcher, alone: bool) -> String {
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
        cases.push(case("the example is found", spec, value, expect, alone.then_some(command)));
    }
    if let Some(value) = fitting([vec!["anything else".to_owned()], others].concat()) {
        let expect = quiet();
        cases.push(case("anything else is let through", spec, &value, expect, alone.then_some(command)));
    }
    if cases.is_empty() {
        // No text that fits is at hand: what can be said is that others do not.
        let mut expect = quiet();
        expect.extend(alone.then(|| ("ran".to_owned(), json!([]))));
        cases.push(case("the matcher does not fit this", spec, EXAMPLE, expect, None));
    }
    let text = serde_json::to_string_pretty(&cases).unwrap_or_default();
    format!("{text}\n")
}

fn quiet() -> Map<String, Value> {
    Map::from_iter([("exit".to_owned(), json!(0)), ("answer".to_owned(), json!({}))])
}

fn case(
    name: &str,
    spec: &EventSpec,
    value: &str,
    mut expect: Map<String, Value>,
    command: Option<&str>,
) -> Value {
    expect.extend(command.map(|command| ("ran".to_owned(), json!([command]))));
    json!({ "name": format!("{}: {name}", spec.name), "event": spec.name, "payload": payload(spec, value), "expect": expect })
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
    let subject = Event::new(spec.kind, Payload::of(&payload(spec, value))).subject();
    subject.is_none_or(|subject| matcher.matches(&subject) == Verdict::Match)
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

//! Compares what was expected with what happened.

use std::time::Duration;

use serde_json::{Map, Value};

use super::case::Expect;
use super::layout::Layout;

/// What one step did.
pub struct Observed {
    /// The line on stdout, without its newline; none when there was none.
    pub line: Option<String>,
    /// The exit code, or what it would be.
    pub exit: i32,
    /// What was printed on stderr; a library prints nothing.
    pub stderr: Option<String>,
    /// The decision in full, when it was asked for.
    pub trace: Option<Value>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Every difference, one line each.
pub fn differences(expect: &Expect, seen: &Observed, layout: &Layout) -> Vec<String> {
    let mut found = Vec::new();
    compare_answer(expect, seen, layout, &mut found);
    if let Some(ran) = &expect.ran
        && *ran != layout.ran()
    {
        found.push(format!("ran: expected {ran:?}, got {:?}", layout.ran()));
    }
    compare_hooks(expect, layout, &mut found);
    for (name, text) in &expect.files {
        let got = layout.text(name).map_or(Value::Null, Value::String);
        exact(&format!("file {name}"), &layout.fill_value(text), Some(&got), &mut found);
    }
    compare_extras(expect, seen, layout, &mut found);
    found
}

fn compare_answer(expect: &Expect, seen: &Observed, layout: &Layout, found: &mut Vec<String>) {
    let line = seen.line.as_deref().unwrap_or("(nothing)");
    if seen.exit != expect.exit {
        let stderr = seen.stderr.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
        found.push(format!("exit: expected {}, got {} with {line} {stderr}", expect.exit, seen.exit));
    }
    if let Some(text) = &expect.answer_text
        && layout.fill(text) != line
    {
        found.push(format!("answer: expected {text}, got {line}"));
    }
    if let Some(answer) = &expect.answer {
        match serde_json::from_str(line) {
            Ok(got) => exact("answer", &layout.fill_value(answer), Some(&got), found),
            Err(error) => found.push(format!("answer: not JSON ({error}): {line}")),
        }
    }
}

fn compare_hooks(expect: &Expect, layout: &Layout, found: &mut Vec<String>) {
    for (hook, fields) in &expect.payload_seen {
        match saved_payload(layout, hook) {
            Some(got) => subset(&format!("payload of {hook}"), &layout.fill_value(fields), Some(&got), found),
            None => found.push(format!("payload of {hook}: it saved none")),
        }
    }
    for (hook, keys) in &expect.keys_seen {
        let got = saved_payload(layout, hook).unwrap_or_default();
        let got: Vec<&String> = got.as_object().map(|fields| fields.keys().collect()).unwrap_or_default();
        if !keys.iter().eq(got.iter().copied()) {
            found.push(format!("keys of {hook}: expected {keys:?}, got {got:?}"));
        }
    }
    for (hook, text) in &expect.stdin_text {
        let got = layout.text(&format!("case/{hook}.json")).unwrap_or_default();
        let got = Value::String(got.strip_suffix('\n').unwrap_or(&got).to_owned());
        exact(&format!("stdin of {hook}"), &layout.fill_value(text), Some(&got), found);
    }
    for (hook, variables) in &expect.env_seen {
        let Some(env) = layout.text(&format!("case/{hook}.env")) else {
            found.push(format!("environment of {hook}: it saved none"));
            continue;
        };
        for (name, value) in variables {
            let got = variable(&env, name);
            exact(&format!("{name} of {hook}"), &layout.fill_value(value), Some(&got), found);
        }
    }
}

fn compare_extras(expect: &Expect, seen: &Observed, layout: &Layout, found: &mut Vec<String>) {
    if let Some(stderr) = &seen.stderr {
        for piece in &expect.stderr_contains {
            if !stderr.contains(&layout.fill(piece)) {
                found.push(format!("stderr: expected {piece:?} in {stderr:?}"));
            }
        }
    }
    if let Some(trace) = &expect.trace {
        subset("trace", &layout.fill_value(trace), seen.trace.as_ref(), found);
    }
    if let Some(limit) = expect.within_seconds
        && seen.elapsed > Duration::from_secs(limit)
    {
        found.push(format!("took {:?}, more than {limit} s", seen.elapsed));
    }
}

fn saved_payload(layout: &Layout, hook: &str) -> Option<Value> {
    serde_json::from_str(&layout.text(&format!("case/{hook}.json"))?).ok()
}

fn variable(env: &str, name: &str) -> Value {
    let value = env.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    value.map_or(Value::Null, |value| Value::String(value.to_owned()))
}

/// Equal, key for key, conditions aside.
fn exact(what: &str, expected: &Value, got: Option<&Value>, found: &mut Vec<String>) {
    if let Some(holds) = condition(expected, got) {
        if !holds {
            found.push(mismatch(what, expected, got));
        }
        return;
    }
    match (expected, got) {
        (Value::Object(expected), Some(Value::Object(got))) => {
            for key in got.keys().filter(|key| !expected.contains_key(*key)) {
                found.push(format!("{what}: unexpected `{key}`: {}", shortened(&got[key])));
            }
            for (key, value) in expected {
                exact(&format!("{what}.{key}"), value, got.get(key), found);
            }
        }
        _ if Some(expected) == got => {}
        _ => found.push(mismatch(what, expected, got)),
    }
}

/// Every expected key is there; others may be too.
fn subset(what: &str, expected: &Value, got: Option<&Value>, found: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(fields), Some(Value::Object(got))) if condition(expected, None).is_none() => {
            for (key, value) in fields {
                subset(&format!("{what}.{key}"), value, got.get(key), found);
            }
        }
        (Value::Array(items), Some(Value::Array(got))) if items.len() == got.len() => {
            for (index, (expected, got)) in items.iter().zip(got).enumerate() {
                subset(&format!("{what}[{index}]"), expected, Some(got), found);
            }
        }
        _ => exact(what, expected, got, found),
    }
}

/// Whether a condition holds; none when the value is no condition.
fn condition(expected: &Value, got: Option<&Value>) -> Option<bool> {
    let fields: &Map<String, Value> = expected.as_object().filter(|fields| fields.len() == 1)?;
    let (name, argument) = fields.iter().next()?;
    let text = got.and_then(Value::as_str);
    match name.as_str() {
        "$any" => Some(got.is_some_and(|got| !got.is_null())),
        "$absent" => Some(got.is_none()),
        "$starts" => Some(text.is_some_and(|text| pieces(argument).all(|piece| text.starts_with(piece)))),
        "$length" => Some(text.map(|text| text.chars().count() as u64) == argument.as_u64()),
        "$contains" => Some(text.is_some_and(|text| pieces(argument).all(|piece| text.contains(piece)))),
        _ => None,
    }
}

fn pieces(argument: &Value) -> impl Iterator<Item = &str> {
    let one = argument.as_str();
    let many = argument.as_array().into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(many)
}

fn mismatch(what: &str, expected: &Value, got: Option<&Value>) -> String {
    let got = got.map_or("nothing".to_owned(), shortened);
    format!("{what}: expected {}, got {got}", shortened(expected))
}

/// A table is no place for a megabyte.
fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

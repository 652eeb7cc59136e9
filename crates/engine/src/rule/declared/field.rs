//! The path to a field of a payload: `tool_input.path`, `attachments[].file_path`.

use std::fmt;

use serde_json::Value;

use crate::payload::Payload;

/// A path into a payload.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldPath {
    text: String,
    name: String,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
    Each,
}

/// What stands at a path.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// These values; none when the field is not there.
    Values(Vec<Value>),
    /// It is there and nested too deep to be read.
    Unreadable,
}

impl FieldPath {
    /// Reads a path; an error says what is wrong with it.
    pub fn parse(text: &str) -> Result<FieldPath, String> {
        let mut steps = Vec::new();
        for (number, part) in text.split('.').enumerate() {
            let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
            if key.is_empty() {
                let wrong = if number == 0 { "begins without a name" } else { "has an empty part" };
                return Err(format!("the path `{text}` {wrong}"));
            }
            steps.push(Step::Key(key.to_owned()));
            while !rest.is_empty() {
                let inside = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                let Some((inside, behind)) = inside else {
                    return Err(format!("a `[` of the path `{text}` is not closed"));
                };
                steps.push(match inside {
                    "" => Step::Each,
                    number => Step::Index(number.parse().map_err(|_| {
                        format!("`[{number}]` in the path `{text}` is neither a number nor `[]`")
                    })?),
                });
                rest = behind;
            }
        }
        let Step::Key(name) = steps.remove(0) else { return Err("a path begins with a name".to_owned()) };
        Ok(FieldPath { text: text.to_owned(), name, steps })
    }

    /// The field of the payload that it begins with.
    pub fn field(&self) -> &str {
        &self.name
    }

    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn find(&self, payload: &Payload) -> Found {
        let Some(raw) = payload.get(&self.name) else { return Found::Values(Vec::new()) };
        let whole = match serde_json::from_str(raw.get()) {
            Ok(value) => value,
            // A lone surrogate, which is text, or nesting without end.
            Err(_) => match crate::payload::text_of(raw) {
                Some(text) => Value::String(text),
                None => return Found::Unreadable,
            },
        };
        let mut values = vec![whole];
        for step in &self.steps {
            values = values.into_iter().flat_map(|value| step.take(value)).collect();
        }
        // A list at the end is asked by its elements.
        Found::Values(values.into_iter().flat_map(elements).collect())
    }
}

fn elements(value: Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list,
        other => vec![other],
    }
}

impl Step {
    fn take(&self, value: Value) -> Vec<Value> {
        match (self, unpacked(value)) {
            (Step::Key(key), Value::Object(mut object)) => object.remove(key).into_iter().collect(),
            (Step::Index(index), Value::Array(list)) => list.into_iter().nth(*index).into_iter().collect(),
            (Step::Each, Value::Array(list)) => list,
            (Step::Each | Step::Index(_) | Step::Key(_), _) => Vec::new(),
        }
    }
}

/// Some tools send their input as JSON in a text.
fn unpacked(value: Value) -> Value {
    match &value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or(value)
        }
        _ => value,
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_into_objects_lists_and_texts_that_are_json() {
        let payload = Payload::parse(
            br#"{"a":{"b":[{"c":1},{"c":2},3]},"list":["x","y"],"text":"{\"in\":{\"side\":\"z\"}}","none":null,"lone":"\ud800"}"#,
        )
        .expect("an object");
        let cases = [
            ("a.b[].c", "[1,2]"),
            ("a.b[1].c", "[2]"),
            ("a.b[7].c", "[]"),
            ("a.b", r#"[{"c":1},{"c":2},3]"#),
            ("list", r#"["x","y"]"#),
            ("list[0]", r#"["x"]"#),
            ("text.in.side", r#"["z"]"#),
            ("none", "[null]"),
            ("none.x", "[]"),
            ("missing", "[]"),
            ("missing[].x", "[]"),
        ];
        for (path, expected) in cases {
            let found = FieldPath::parse(path).expect(path).find(&payload);
            let Found::Values(values) = found else { panic!("{path}: {found:?}") };
            assert_eq!(Value::from(values).to_string(), expected, "{path}");
        }
        let deep = format!(r#"{{"deep":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        let payload = Payload::parse(deep.as_bytes()).expect("an object");
        assert_eq!(FieldPath::parse("deep").expect("a path").find(&payload), Found::Unreadable);
    }

    #[test]
    fn what_is_no_path_is_told() {
        for path in ["", ".a", "a..b", "a[", "a[x]", "a[-1]", "[0]", "a[0]b"] {
            assert!(FieldPath::parse(path).is_err(), "{path}");
        }
    }
}

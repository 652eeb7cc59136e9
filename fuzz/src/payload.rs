//! The JSON object of an event: what is read is written back as it was.

use boathook_engine::payload::{self, Payload};
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of a JSON object as they are written, repeated keys included.
struct WrittenFields(Vec<(String, Box<RawValue>)>);

impl<'de> Visitor<'de> for WrittenFields {
    type Value = WrittenFields;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<WrittenFields, A::Error> {
        while let Some(field) = map.next_entry()? {
            self.0.push(field);
        }
        Ok(self)
    }
}

/// A payload that parses keeps its keys, their order and its values as written, on one line.
pub fn check(bytes: &[u8]) {
    let written = written_fields(bytes);
    let Ok(payload) = Payload::parse(bytes) else {
        assert!(written.is_none(), "an object of JSON is rejected");
        return;
    };
    let line = payload.to_json();
    assert!(!line.contains(['\n', '\r']), "a payload is one line");
    serde_json::from_str::<IgnoredAny>(&line).expect("what is written is JSON");
    let again = Payload::parse(line.as_bytes()).expect("what is written can be read");
    assert_eq!(again.to_json(), line, "what is written stays the same");
    assert!(!again.has_repeats() && again.len() == payload.len(), "each key is written once");
    if let Some(written) = written {
        check_fields(&payload, &written);
    }
    for (name, value) in payload.written() {
        drop((payload.text_ref(name), payload.texts(name), payload.count(name)));
        drop(payload::spread(value.get()));
    }
}

fn check_fields(payload: &Payload, written: &[(String, Box<RawValue>)]) {
    assert_eq!(payload.written().count(), written.len(), "every field is counted");
    for (name, last) in written {
        let values: Vec<&str> = payload.values(name).map(RawValue::get).collect();
        let expected = written.iter().filter(|(other, _)| other == name).map(|(_, value)| value.get());
        assert_eq!(values, expected.collect::<Vec<_>>(), "the values of {name:?}");
        assert!(payload.get(name).is_some() && !last.get().is_empty());
    }
    let mut names: Vec<&str> = Vec::new();
    written.iter().filter(|(name, _)| payload.values(name).next().is_some()).for_each(|(name, _)| {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    });
    assert_eq!(payload.fields().map(|(name, _)| name).collect::<Vec<_>>(), names, "the order of the keys");
    // Numbers, escapes and nested objects are written as they were; only space goes.
    let expected: Vec<String> =
        names.iter().filter_map(|name| payload.get(name)).map(|value| without_space(value.get())).collect();
    let line = payload.to_json();
    let again = written_fields(line.as_bytes()).expect("an object");
    assert_eq!(again.iter().map(|(_, value)| value.get()).collect::<Vec<_>>(), expected, "values as written");
}

/// The fields of one JSON object as another reader sees them.
fn written_fields(bytes: &[u8]) -> Option<Vec<(String, Box<RawValue>)>> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let fields = reader.deserialize_map(WrittenFields(Vec::new())).ok()?;
    reader.end().ok()?;
    Some(fields.0)
}

/// JSON without the space between its tokens.
fn without_space(json: &str) -> String {
    let (mut in_text, mut is_escaped) = (false, false);
    let keep = |character: &char| {
        let keeps = in_text || !matches!(character, ' ' | '\t' | '\n' | '\r');
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if in_text => is_escaped = true,
            '"' => in_text = !in_text,
            _ => {}
        }
        keeps
    };
    json.chars().filter(keep).collect()
}

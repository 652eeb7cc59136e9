//! The event's JSON object.
//!
//! Keys keep their order and values are kept as they were written, so that
//! numbers, nested objects and fields we never heard of reach a hook unchanged.
//! Only white space between tokens is removed: a payload is one line.

mod flaw;
mod name;
mod spread;
mod value;

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use flaw::Flaw;
use name::Name;
pub use spread::spread;
pub(crate) use value::FieldValue;

/// A JSON object whose values are kept as written.
#[derive(Debug, Clone, Default)]
pub struct Payload {
    fields: Vec<(Name, FieldValue)>,
    /// Values of repeated keys that a later one replaced, in order.
    replaced: Vec<(Name, FieldValue)>,
}

/// Room for the fields of most events, with those that are filled in.
const MOST_HAVE: usize = 16;

/// Why bytes are not a payload.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// Not JSON, or not an object.
    #[error("the payload is not a JSON object: {0}")]
    NotAnObject(#[from] serde_json::Error),
}

impl Payload {
    /// Reads one JSON object. Nothing at all is an object without fields.
    pub fn parse(bytes: &[u8]) -> Result<Payload, PayloadError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Ok(Payload::default());
        }
        // What is known to be text as a whole is not looked at value by value.
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(serde_json::from_str(text)?),
            Err(_) => Ok(serde_json::from_slice(bytes)?),
        }
    }

    /// The fields of a value that serialises as an object.
    pub fn of(value: &impl Serialize) -> Payload {
        let text = serde_json::to_vec(value).unwrap_or_default();
        Payload::parse(&text).unwrap_or_default()
    }

    /// The value of a field, as written.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.fields.iter().find(|(key, _)| **key == *name).map(|(_, value)| &**value)
    }

    /// The value of a field that is a string. A lone surrogate, which JSON can
    /// hold and Rust cannot, reads as the replacement character.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(text_of)
    }

    /// The same, copied only where it has to be.
    pub fn text_ref(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get(name).and_then(text_ref)
    }

    /// The value of a field that is a list of strings.
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// The value of a field that is a count.
    pub fn count(&self, name: &str) -> Option<u32> {
        let number: f64 = serde_json::from_str(self.get(name)?.get()).ok()?;
        (number >= 0.0).then_some(number.min(f64::from(u32::MAX)) as u32)
    }

    /// Whether the field is there.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a field, in place when it is there and else at the end.
    pub fn set(&mut self, name: &str, value: impl Serialize) {
        self.insert(self.fields.len(), name, value);
    }

    /// Sets a field, in place when it is there and else at this position.
    pub fn insert(&mut self, position: usize, name: &str, value: impl Serialize) {
        let Ok(value) = serde_json::value::to_raw_value(&value) else { return };
        match self.fields.iter_mut().find(|(key, _)| **key == *name) {
            Some((_, old)) => *old = value.into(),
            None => self.add(position, Name::of(name), value),
        }
    }

    /// Adds a field that is not there yet, at this position.
    pub(crate) fn add(&mut self, position: usize, name: impl Into<Name>, value: impl Into<FieldValue>) {
        self.fields.insert(position.min(self.fields.len()), (name.into(), value.into()));
    }

    /// Gives a field another name, in place.
    pub fn rename(&mut self, from: &str, to: &str) {
        if let Some((key, _)) = self.fields.iter_mut().find(|(key, _)| **key == *from) {
            *key = Name::of(to);
        }
    }

    /// Takes a field away.
    pub fn remove(&mut self, name: &str) {
        self.retain(|key, _| key != name);
    }

    /// Where a field stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|(key, _)| **key == *name)
    }

    /// Every field in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.fields.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Every field as it was written, those of repeated keys too: first the values
    /// that a later one replaced, then the fields in order.
    pub fn written(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.replaced.iter().chain(&self.fields).map(|(key, value)| (&**key, &**value))
    }

    /// Every value that was written for a field: more than one when its key is
    /// repeated.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a RawValue> {
        self.written().filter(move |(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Whether a key is repeated. `get` returns its last value.
    pub fn has_repeats(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// Keeps what this function selects, of repeated keys each value by itself.
    pub(crate) fn retain(&mut self, mut select: impl FnMut(&str, &RawValue) -> bool) {
        self.replaced.retain(|(key, value)| select(key, value));
        self.fields.retain(|(key, value)| select(key, value));
    }

    /// Adds a field as a parser does: the last value of a repeated key is the
    /// field's value.
    pub(crate) fn push(&mut self, name: Name, value: FieldValue) {
        match self.fields.iter_mut().find(|(known, _)| **known == *name) {
            Some((_, old)) => self.replaced.push((name, std::mem::replace(old, value))),
            None => self.fields.push((name, value)),
        }
    }

    /// Adds everything that was written in another object.
    pub(crate) fn push_all(&mut self, other: Payload) {
        for (name, value) in other.replaced.into_iter().chain(other.fields) {
            self.push(name, value);
        }
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The object as one compact line without its newline.
    pub fn to_json(&self) -> String {
        let size: usize = self.fields.iter().map(|(key, value)| key.len() + value.get().len() + 4).sum();
        let mut line = String::with_capacity(size + 2);
        line.push('{');
        for (number, (key, value)) in self.fields.iter().enumerate() {
            if number > 0 {
                line.push(',');
            }
            push_key(&mut line, key);
            line.push(':');
            line.push_str(&compact(value.get()));
        }
        line.push('}');
        line
    }
}

/// Most keys are plain words, which are written as they are.
fn push_key(line: &mut String, key: &Name) {
    if key.is_known() || key.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        line.push('"');
        line.push_str(key);
        line.push('"');
    } else {
        line.push_str(&serde_json::to_string(&**key).unwrap_or_default());
    }
}

/// The text of a JSON string; none when it is something else.
pub fn text_of(value: &RawValue) -> Option<String> {
    text_ref(value).map(Cow::into_owned)
}

fn text_ref(value: &RawValue) -> Option<Cow<'_, str>> {
    let text = value.get();
    if let Some(plain) = plain(text) {
        return Some(Cow::Borrowed(plain));
    }
    // To make an error of a `null`, which is not rare, would take longer than
    // all else: where it stands is found with instructions that the processor is
    // first asked about.
    if !text.trim_ascii_start().starts_with('"') {
        return None;
    }
    if let Ok(text) = serde_json::from_str::<String>(text) {
        return Some(Cow::Owned(text));
    }
    let bytes: Vec<u8> = LoneSurrogates.deserialize(&mut serde_json::Deserializer::from_str(text)).ok()?;
    Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
}

/// What stands between the quotes, when it is written as it is meant.
fn plain(json: &str) -> Option<&str> {
    let inside = json.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.as_bytes().contains(&b'\\')).then_some(inside)
}

/// Gives a field another name, in its place, where that is free.
pub(crate) fn rename_key(fields: &mut serde_json::Map<String, serde_json::Value>, from: &str, to: &str) {
    if !fields.contains_key(from) || fields.contains_key(to) {
        return;
    }
    let renamed = |name: String| if name == from { to.to_owned() } else { name };
    *fields = std::mem::take(fields).into_iter().map(|(name, value)| (renamed(name), value)).collect();
}

/// Removes white space between tokens. Scalars hold none.
pub fn compact(json: &str) -> Cow<'_, str> {
    let is_compound = matches!(json.as_bytes().first(), Some(b'{' | b'['));
    if !is_compound || !json.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let (mut in_text, mut escaped) = (false, false);
    for character in json.chars() {
        if in_text {
            in_text = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            in_text = character == '"';
        }
        out.push(character);
    }
    Cow::Owned(out)
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Payload, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Payload;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Payload, A::Error> {
                let mut payload = Payload { fields: Vec::with_capacity(MOST_HAVE), replaced: Vec::new() };
                while let Some((key, value)) = map.next_entry::<Name, Box<RawValue>>()? {
                    payload.push(key, value.into());
                }
                Ok(payload)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// Reads a JSON string as bytes: the one way serde_json lets a lone surrogate through.
struct LoneSurrogates;

impl<'de> DeserializeSeed<'de> for LoneSurrogates {
    type Value = Vec<u8>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for LoneSurrogates {
    type Value = Vec<u8>;
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }
    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> String {
        Payload::parse(json.as_bytes()).expect(json).to_json()
    }

    #[test]
    fn what_was_given_is_kept_as_written() {
        let cases = [
            ("numbers", r#"{"a":1.0,"b":1e3,"c":12345678901234567890,"d":-0}"#),
            ("order and unknown keys", r#"{"z":1,"a":{"y":[1,2],"b":null}}"#),
            ("escapes", r#"{"a":"caf\u00e9 \/ \n","b":"é"}"#),
            ("a lone surrogate", r#"{"a":"x\ud800y"}"#),
        ];
        for (name, json) in cases {
            assert_eq!(line(json), json, "{name}");
        }
    }

    #[test]
    fn a_payload_is_one_line() {
        assert_eq!(
            line("{ \"a\" : { \"b c\" : [ 1,\n\t2 ] , \"d\":\"x \\\" y\" } }\n"),
            r#"{"a":{"b c":[1,2],"d":"x \" y"}}"#
        );
        assert_eq!(line("\u{feff}{}"), "{}");
        assert_eq!(line(""), "{}");
    }

    #[test]
    fn the_last_of_two_equal_keys_counts() {
        assert_eq!(line(r#"{"a":1,"b":2,"a":3}"#), r#"{"a":3,"b":2}"#);
        for (json, repeats) in [(r#"{"a":1,"b":{"a":2}}"#, false), (r#"{"a":1,"a":1}"#, true)] {
            assert_eq!(Payload::parse(json.as_bytes()).expect(json).has_repeats(), repeats, "{json}");
        }
    }

    #[test]
    fn what_is_not_an_object_is_refused_with_a_place() {
        for json in ["[]", "1", "\"x\"", "{\"a\":}", "{\"a\":1} x", "{\"a\":\"\u{1}\"}"] {
            let error = Payload::parse(json.as_bytes()).expect_err(json).to_string();
            assert!(error.contains("line 1 column"), "{error}");
        }
        assert!(Payload::parse(b"{\"a\":\"\xff\"}").is_err());
    }

    #[test]
    fn a_lone_surrogate_can_be_read() {
        let payload = Payload::parse(br#"{"a":"x\ud800y"}"#).expect("valid JSON");
        assert_eq!(payload.text("a").map(|text| text.replace('\u{fffd}', "?")), Some("x???y".to_owned()));
    }
}

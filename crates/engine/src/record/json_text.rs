//! JSON as it was written. To look at every event's payload once more, only to
//! keep it, would take longer than most of what is decided about it.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The text of a JSON value. It is shared, and it is read when it is written
/// somewhere: what is no JSON by mistake is an empty object there.
#[derive(Debug, Clone)]
pub struct JsonText(Arc<str>);

impl JsonText {
    /// An object without fields.
    pub fn nothing() -> JsonText {
        JsonText(Arc::from("{}"))
    }

    /// Of text that somebody wrote as JSON.
    pub(super) fn written(text: &str) -> JsonText {
        JsonText(Arc::from(text))
    }

    /// The text.
    pub fn get(&self) -> &str {
        &self.0
    }
}

impl From<Box<RawValue>> for JsonText {
    fn from(value: Box<RawValue>) -> JsonText {
        JsonText::written(value.get())
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<&RawValue>(&self.0) {
            Ok(value) => value.serialize(serializer),
            Err(_) => serializer.serialize_map(Some(0))?.end(),
        }
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonText, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(JsonText::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_it_is_and_never_as_something_else_than_json() {
        let cases = [
            (r#"{"a":1.0,"b":"é"}"#, r#"{"a":1.0,"b":"é"}"#),
            ("[1, 2]", "[1, 2]"),
            ("{}", "{}"),
            (r#"{"a":"#, "{}"),
            ("", "{}"),
            ("{} {}", "{}"),
        ];
        for (text, expected) in cases {
            let written = serde_json::to_string(&JsonText::written(text)).expect("JSON");
            assert_eq!(written, expected, "{text}");
            let again: JsonText = serde_json::from_str(&written).expect("JSON");
            assert_eq!(again.get(), expected, "{text}");
        }
    }
}

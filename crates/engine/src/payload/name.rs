//! The name of a field. Those of events and answers are known, and are not
//! copied for every payload.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A name, in text that is ours or the payload's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name(Cow<'static, str>);

/// Names that nearly every event or answer has, by their length: there are few
/// of each, so that a name is soon found or known to be none of them.
const KNOWN: [&[&str]; 16] = [
    &[],
    &[],
    &["id"],
    &["cwd"],
    &[],
    &["input", "model"],
    &["output", "prompt", "status"],
    &["command", "content"],
    &["duration"],
    &["exit_code", "file_path", "tool_name"],
    &["permission", "session_id", "tool_input", "user_email"],
    &["tool_output"],
    &[],
    &["generation_id"],
    &["cursor_version"],
    &["conversation_id", "hook_event_name", "transcript_path", "workspace_roots"],
];

impl Name {
    /// This text as a name.
    pub(crate) fn of(text: &str) -> Name {
        let known = KNOWN.get(text.len()).and_then(|alike| alike.iter().find(|known| **known == text));
        Name(known.map_or_else(|| Cow::Owned(text.to_owned()), |known| Cow::Borrowed(*known)))
    }

    /// One of ours, which are plain words.
    pub(crate) fn is_known(&self) -> bool {
        matches!(self.0, Cow::Borrowed(_))
    }
}

impl From<&'static str> for Name {
    fn from(text: &'static str) -> Name {
        Name(Cow::Borrowed(text))
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Name;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Name, E> {
                Ok(Name::of(text))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_was_written_whether_it_is_known_or_not() {
        assert!(
            KNOWN.iter().enumerate().all(|(length, names)| names.iter().all(|name| name.len() == length))
        );
        for text in KNOWN.concat().into_iter().chain(["", "comman", "commands", "Permission", "caf\u{e9}"]) {
            assert_eq!(&*Name::of(text), text);
            let json = serde_json::to_string(text).expect("a text");
            assert_eq!(&*serde_json::from_str::<Name>(&json).expect("a name"), text);
        }
    }
}

//! Finds refusals below the top level of an answer.
//!
//! A hook that pastes two values of a payload into its JSON can have its own `"permission": "deny"` moved into an object
//! that the first value opens and the second one closes. So a deciding key counts wherever it is, when it refuses.
//!
//! Pure: a value in, a permission out. Work is linear in the value; nesting is bounded where answers are parsed.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Permission;
use super::refusal::refusing_word;

/// Keys whose value is a permission. A misspelt one is as little an answer here as it is at the top level.
const PERMISSION_KEYS: [&str; 3] = ["permission", "permissionDecision", "decision"];
/// The key whose `false` refuses.
const PROCEED_KEY: &str = "continue";

/// The strictest refusal inside an object or a list, and none in any other value. In the data of a tool, `continue: false`
/// is an ordinary argument.
pub(super) fn nested_refusal(value: &RawValue, is_tool_data: bool) -> Option<Permission> {
    if !value.get().starts_with(['{', '[']) {
        return None;
    }
    let search = Search { is_tool_data, key: Key::Other };
    search.deserialize(&mut serde_json::Deserializer::from_str(value.get())).ok().flatten()
}

/// What a member's key decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Permission,
    Proceed,
    Other,
}

impl Key {
    fn named(key: &str) -> Key {
        match key {
            PROCEED_KEY => Key::Proceed,
            _ if PERMISSION_KEYS.contains(&key) => Key::Permission,
            _ => Key::Other,
        }
    }
}

/// Searches one value, which is the value of this key. `serde_json::Value` would drop repeated keys.
#[derive(Clone, Copy)]
struct Search {
    is_tool_data: bool,
    key: Key,
}

impl<'de> DeserializeSeed<'de> for Search {
    type Value = Option<Permission>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search {
    type Value = Option<Permission>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_str<E>(self, word: &str) -> Result<Self::Value, E> {
        Ok(refusing_word(word).filter(|_| self.key == Key::Permission))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        let refuses = self.key == Key::Proceed && !value && !self.is_tool_data;
        Ok(refuses.then_some(Permission::Deny))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut strictest = None;
        while let Some(found) = items.next_element_seed(Search { key: Key::Other, ..self })? {
            strictest = strictest.max(found);
        }
        Ok(strictest)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut strictest = None;
        while let Some(key) = members.next_key::<String>()? {
            if strictest == Some(Permission::Deny) {
                members.next_value::<IgnoredAny>()?;
            } else {
                let found = members.next_value_seed(Search { key: Key::named(&key), ..self })?;
                strictest = strictest.max(found);
            }
        }
        Ok(strictest)
    }
}

//! Which records somebody wants to see.

use std::collections::HashMap;

use boathook_engine::ids::now_millis;
use boathook_engine::record::Record;

use super::text::{encoded, millis};

/// Spans of the past that can be chosen: name, words, milliseconds.
pub const SPANS: [(&str, &str, i64); 5] = [
    ("10m", "10 minutes", 600_000),
    ("1h", "hour", 3_600_000),
    ("24h", "24 hours", 86_400_000),
    ("7d", "7 days", 604_800_000),
    ("30d", "30 days", 2_592_000_000),
];

/// What came out, by the words that rows have.
pub const RESULTS: [&str; 11] = [
    "allowed",
    "denied",
    "asked",
    "answered",
    "no opinion",
    "failed open",
    "failed closed",
    "withheld",
    "none fits",
    "no hook",
    "changed",
];

/// What is chosen; an empty text chooses everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub event: String,
    pub hook: String,
    pub result: String,
    pub agent: String,
    pub source: String,
    pub conversation: String,
    /// `failures` or `blocked`.
    pub only: String,
    pub since: String,
    /// `all`, or nothing for the one the panel is about.
    pub workspace: String,
}

impl Filter {
    /// From the query of a page.
    pub fn of(asked: &HashMap<String, String>) -> Filter {
        let get = |name: &str| asked.get(name).map(|value| value.trim().to_owned()).unwrap_or_default();
        Filter {
            event: get("event"),
            hook: get("hook"),
            result: get("result"),
            agent: get("agent"),
            source: get("source"),
            conversation: get("conversation"),
            only: get("only"),
            since: get("since"),
            workspace: get("workspace"),
        }
    }

    /// As a query, with a `&` behind each part.
    pub fn query(&self) -> String {
        let parts = self.parts().into_iter().filter(|(_, value)| !value.is_empty());
        parts.map(|(name, value)| format!("{name}={}&", encoded(value))).collect()
    }

    /// Whether everything is wanted.
    pub fn is_empty(&self) -> bool {
        self.parts().iter().all(|(_, value)| value.is_empty())
    }

    /// Whether a record is wanted.
    pub fn takes(&self, record: &Record) -> bool {
        let is = |wanted: &str, value: Option<&str>| wanted.is_empty() || value == Some(wanted);
        is(&self.event, Some(&record.step))
            && is(&self.result, Some(record.result()))
            && is(&self.agent, record.agent.as_deref())
            && is(&self.source, record.source.as_deref())
            && is(&self.conversation, record.conversation.as_deref())
            && self.takes_hook(record)
            && match self.only.as_str() {
                "failures" => is_failure(record),
                "blocked" => record.blocked,
                _ => true,
            }
            && self.is_recent(record)
    }

    fn takes_hook(&self, record: &Record) -> bool {
        let wanted = self.hook.to_lowercase();
        let holds =
            |text: &Option<String>| text.as_ref().is_some_and(|text| text.to_lowercase().contains(&wanted));
        wanted.is_empty() || holds(&record.command) || holds(&record.place)
    }

    /// A record without a readable time is shown.
    fn is_recent(&self, record: &Record) -> bool {
        let span = SPANS.iter().find(|(name, _, _)| *name == self.since);
        let (Some((_, _, span)), Some(when)) = (span, millis(&record.timestamp)) else { return true };
        when >= now_millis() - span
    }

    fn parts(&self) -> [(&'static str, &str); 9] {
        [
            ("event", &self.event),
            ("hook", &self.hook),
            ("result", &self.result),
            ("agent", &self.agent),
            ("source", &self.source),
            ("conversation", &self.conversation),
            ("only", &self.only),
            ("since", &self.since),
            ("workspace", &self.workspace),
        ]
    }
}

/// Whether a hook failed, or none could be asked.
pub fn is_failure(record: &Record) -> bool {
    matches!(record.outcome.as_str(), "failed_open" | "failed_closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_takes_what_its_words_say() {
        let record = Record {
            command: Some("./Guard.sh".to_owned()),
            agent: Some("claude".to_owned()),
            permission: Some("deny".to_owned()),
            blocked: true,
            ..Record::blank("stop", "answer")
        };
        let cases = [
            ("", "", true),
            ("event", "stop", true),
            ("event", "preToolUse", false),
            ("hook", "guard", true),
            ("hook", "other", false),
            ("result", "denied", true),
            ("result", "allowed", false),
            ("agent", "claude", true),
            ("agent", "codex", false),
            ("only", "blocked", true),
            ("only", "failures", false),
            ("since", "10m", true),
            ("since", "whenever", true),
            ("conversation", "x", false),
        ];
        for (name, value, expected) in cases {
            let filter = Filter::of(&HashMap::from([(name.to_owned(), value.to_owned())]));
            assert_eq!(filter.takes(&record), expected, "{name}={value}");
            assert_eq!(filter.is_empty(), name.is_empty(), "{name}");
        }
        let old = Record { timestamp: "2020-01-01T00:00:00Z".to_owned(), ..record };
        assert!(!Filter { since: "1h".to_owned(), ..Filter::default() }.takes(&old));
    }
}

//! The words for what a record says, and how they look.

use boathook_engine::record::{Record, permission_word};

use crate::ui::Style;

/// The random part of a record's id: short, and enough to name it.
pub fn short_id(record: &Record) -> &str {
    record.short_id()
}

/// The word for an answer.
pub fn permission(permission: Option<&str>) -> (&'static str, Style) {
    let style = match permission {
        Some("deny") => Style::Red,
        Some("ask") => Style::Yellow,
        _ => Style::Green,
    };
    (permission_word(permission), style)
}

/// What came out, in a word or two.
pub fn result(record: &Record) -> (&str, Style) {
    let style = match (record.outcome.as_str(), record.permission.as_deref()) {
        _ if record.would.is_some() => Style::Yellow,
        ("answer", said) => permission(said).1,
        ("failed_open" | "undecided" | "withheld" | "changed", _) => Style::Yellow,
        ("failed_closed", _) => Style::Red,
        _ => Style::Dim,
    };
    (record.result(), style)
}

/// What a record lacks of the payload.
pub fn lack(record: &Record) -> Option<String> {
    record.lack()
}

/// How many hooks an event had.
pub fn found(record: &Record) -> String {
    record.found_words()
}

//! The words for what a record says.

use boathook_engine::record::{KeptPayload, LONGEST_TEXT, Record};

use crate::ui::Style;

/// The random part of a record's id: short, and enough to name it.
pub fn short_id(record: &Record) -> &str {
    record.id.rsplit('-').next().unwrap_or(&record.id)
}

/// The word for an answer.
pub fn permission(permission: Option<&str>) -> (&'static str, Style) {
    match permission {
        Some("deny") => ("denied", Style::Red),
        Some("ask") => ("asked", Style::Yellow),
        Some("allow") => ("allowed", Style::Green),
        _ => ("answered", Style::Green),
    }
}

/// What came out, in a word or two.
pub fn result(record: &Record) -> (&str, Style) {
    match (record.outcome.as_str(), record.permission.as_deref()) {
        ("answer", said) => permission(said),
        ("no_opinion", _) => ("no opinion", Style::Dim),
        ("failed_open", _) => ("failed open", Style::Yellow),
        ("failed_closed", _) => ("failed closed", Style::Red),
        ("withheld", _) => ("withheld", Style::Yellow),
        ("skipped", _) => ("skipped", Style::Dim),
        ("changed", _) => ("changed", Style::Yellow),
        ("none", _) if record.skipped > 0 => ("none fits", Style::Dim),
        ("none", _) => ("no hook", Style::Dim),
        (other, _) => (other, Style::Dim),
    }
}

/// What a record lacks of the payload.
pub fn lack(record: &Record) -> Option<String> {
    match record.kept_payload() {
        KeptPayload::Whole => None,
        KeptPayload::Cut(bytes) => {
            Some(format!("cut: of {bytes} bytes the log keeps the first {LONGEST_TEXT}"))
        }
        KeptPayload::Redacted => Some("redacted: log.payload in config.toml is \"redacted\"".to_owned()),
        KeptPayload::Nothing => Some("not kept: log.payload in config.toml is \"none\"".to_owned()),
    }
}

/// What was recorded beside events that hooks were asked about.
pub fn aside(record: &Record) -> Option<&'static str> {
    match (record.command.as_deref(), record.outcome.as_str()) {
        (None, "failed_open" | "failed_closed") => Some("no hook could be asked"),
        (None, "changed") => Some("not what they were"),
        _ => None,
    }
}

/// How many hooks an event had.
pub fn found(record: &Record) -> String {
    if let Some(aside) = aside(record) {
        return aside.to_owned();
    }
    match record.found {
        0 if record.command.is_some() => "no hook may run".to_owned(),
        0 if record.skipped > 0 => match record.skipped {
            1 => "1 hook is configured and does not apply".to_owned(),
            number => format!("{number} hooks are configured and none applies"),
        },
        0 => "no hook found".to_owned(),
        1 => "1 hook found".to_owned(),
        number => format!("{number} hooks found"),
    }
}

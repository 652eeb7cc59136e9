//! The words for what a record says.

use boathook_engine::record::Record;

use crate::ui::Style;

/// The random part of a record's id: short, and enough to name it.
pub fn short_id(record: &Record) -> &str {
    record.id.rsplit('-').next().unwrap_or(&record.id)
}

/// What came out, in a word or two.
pub fn result(record: &Record) -> (&str, Style) {
    match (record.outcome.as_str(), record.permission.as_deref()) {
        ("answer", Some("deny")) => ("denied", Style::Red),
        ("answer", Some("ask")) => ("asked", Style::Yellow),
        ("answer", Some("allow")) => ("allowed", Style::Green),
        ("answer", _) => ("answered", Style::Green),
        ("no_opinion", _) => ("no opinion", Style::Dim),
        ("failed_open", _) => ("failed open", Style::Yellow),
        ("failed_closed", _) => ("failed closed", Style::Red),
        ("withheld", _) => ("withheld", Style::Yellow),
        ("skipped", _) => ("skipped", Style::Dim),
        ("none", _) if record.skipped > 0 => ("none fits", Style::Dim),
        ("none", _) => ("no hook", Style::Dim),
        (other, _) => (other, Style::Dim),
    }
}

/// How many hooks an event had.
pub fn found(record: &Record) -> String {
    match record.found {
        0 if record.command.is_some() => "no hook may run".to_owned(),
        0 if record.skipped > 0 => {
            format!("none of {} hooks fits; `boathook explain` says why", record.skipped)
        }
        0 => "no hook found".to_owned(),
        1 => "1 hook found".to_owned(),
        number => format!("{number} hooks found"),
    }
}

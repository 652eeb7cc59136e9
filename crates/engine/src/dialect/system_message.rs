//! Answers of agents that show a person what stands in `systemMessage`, and
//! that take exit code 2 with words on stderr for a refusal.

use serde_json::{Map, Value};

use crate::agent::saying::said;
use crate::agent::{EventRow, Reply};

/// What the person is shown; nothing where there is nothing to say.
pub(super) fn noticed(notice: Option<&str>) -> Map<String, Value> {
    let notice = notice.filter(|text| !text.trim().is_empty());
    notice.map(|text| ("systemMessage".to_owned(), text.into())).into_iter().collect()
}

/// A refusal at one of these gates, and at an event that nobody knows. Where
/// nothing can be held back, the words are only shown.
pub(super) fn refuse_at(gates: &[&str], rows: &[EventRow], event: Option<&str>, reason: &str) -> Reply {
    let reason = said(reason);
    let known = |name: &&str| rows.iter().any(|row| row.name == *name);
    match event.filter(known).filter(|name| !gates.contains(name)) {
        None => Reply { stderr: reason.to_owned(), code: 2, ..Reply::default() },
        Some(_) => Reply { stderr: reason.to_owned(), ..Reply::json(noticed(Some(reason))) },
    }
}

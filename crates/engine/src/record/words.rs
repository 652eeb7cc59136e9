//! The words for what a record says.

use super::{KeptPayload, LONGEST_TEXT, Record};

impl Record {
    /// The random part of the id: short, and enough to name it.
    pub fn short_id(&self) -> &str {
        self.id.rsplit('-').next().unwrap_or(&self.id)
    }

    /// What came out, in a word or two.
    pub fn result(&self) -> &str {
        if let Some(would) = &self.would {
            return would_word(would);
        }
        match (self.outcome.as_str(), self.permission.as_deref()) {
            ("answer", said) => permission_word(said),
            ("no_opinion", _) => "no opinion",
            ("failed_open", _) => "failed open",
            ("failed_closed", _) => "failed closed",
            ("none", _) if self.skipped > 0 => "none fits",
            ("none", _) => "no hook",
            (other, _) => other,
        }
    }

    /// What it lacks of the payload.
    pub fn lack(&self) -> Option<String> {
        match self.kept_payload() {
            KeptPayload::Whole => None,
            KeptPayload::Cut(bytes) => {
                Some(format!("cut: of {bytes} bytes the log keeps the first {LONGEST_TEXT}"))
            }
            KeptPayload::Redacted => Some("redacted: log.payload in config.toml is \"redacted\"".to_owned()),
            KeptPayload::Nothing => Some("not kept: log.payload in config.toml is \"none\"".to_owned()),
        }
    }

    /// What was recorded beside events that hooks were asked about.
    pub fn aside(&self) -> Option<&'static str> {
        match (self.command.as_deref(), self.outcome.as_str()) {
            (None, "failed_open" | "failed_closed") => Some("no hook could be asked"),
            (None, "changed") => Some("not what they were"),
            _ => None,
        }
    }

    /// How many hooks the event had.
    pub fn found_words(&self) -> String {
        if let Some(aside) = self.aside() {
            return aside.to_owned();
        }
        match self.found {
            0 if self.command.is_some() => "no hook may run".to_owned(),
            0 if self.skipped > 0 => match self.skipped {
                1 => "1 hook is configured and does not apply".to_owned(),
                number => format!("{number} hooks are configured and none applies"),
            },
            0 => "no hook found".to_owned(),
            1 => "1 hook found".to_owned(),
            number => format!("{number} hooks found"),
        }
    }
}

/// The words for a hook that is only watched.
fn would_word(would: &str) -> &'static str {
    match would {
        "deny" => "would deny",
        "ask" => "would ask",
        "allow" => "would allow",
        "rewrite" => "would rewrite",
        "follow up" => "would follow up",
        "add" => "would add",
        _ => "only watched",
    }
}

/// The word for an answer with this permission.
pub fn permission_word(permission: Option<&str>) -> &'static str {
    match permission {
        Some("deny") => "denied",
        Some("ask") => "asked",
        Some("allow") => "allowed",
        _ => "answered",
    }
}

/// A span of time in the unit that suits it.
pub fn took(millis: f64) -> String {
    match millis {
        ..0.1 => format!("{:.0} µs", millis * 1000.0),
        ..10.0 => format!("{millis:.1} ms"),
        ..1000.0 => format!("{millis:.0} ms"),
        ..100_000.0 => format!("{:.1} s", millis / 1000.0),
        _ => format!("{:.0} s", millis / 1000.0),
    }
}

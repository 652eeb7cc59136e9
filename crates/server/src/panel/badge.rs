//! Small words with a colour. The word says it all; the colour only helps to find it.

use boathook_engine::engine::Standing;
use boathook_engine::load::{SourceReport, SourceState};
use boathook_engine::problem::Severity;
use boathook_engine::record::Record;
use boathook_engine::trust::TrustState;
use maud::{Markup, html};

use super::text::safe;

/// What a colour stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    Warn,
    Bad,
    Quiet,
}

impl Tone {
    /// The class of it.
    pub fn class(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Warn => "warn",
            Tone::Bad => "bad",
            Tone::Quiet => "quiet",
        }
    }
}

/// A word.
pub fn badge(tone: Tone, words: &str) -> Markup {
    html! { span class={ "badge " (tone.class()) } { (safe(words)) } }
}

/// How a hook stands.
pub fn standing(standing: &Standing) -> Markup {
    let tone = match standing {
        Standing::Ready => Tone::Good,
        Standing::Withheld(_) | Standing::NoModel(_) => Tone::Warn,
        Standing::Broken(_) => Tone::Bad,
    };
    badge(tone, standing.name())
}

/// What a run came to.
pub fn tone_of(record: &Record) -> Tone {
    match (record.outcome.as_str(), record.permission.as_deref()) {
        _ if record.would.is_some() => Tone::Warn,
        ("answer", Some("deny")) | ("failed_closed", _) => Tone::Bad,
        ("answer", Some("ask")) | ("failed_open" | "undecided" | "withheld" | "changed", _) => Tone::Warn,
        ("answer", _) => Tone::Good,
        _ => Tone::Quiet,
    }
}

/// What a run came to.
pub fn result(record: &Record) -> Markup {
    badge(tone_of(record), record.result())
}

/// How bad a problem is.
pub fn severity(severity: Severity) -> Markup {
    match severity {
        Severity::Error => badge(Tone::Bad, "error"),
        Severity::Warning => badge(Tone::Warn, "warning"),
        Severity::Hint => badge(Tone::Quiet, "hint"),
    }
}

/// How a source stands.
pub fn source(report: &SourceReport) -> Markup {
    match &report.state {
        SourceState::Absent => badge(Tone::Quiet, "absent"),
        SourceState::Unreadable(_) => badge(Tone::Bad, "cannot be read"),
        SourceState::LastGood(_) => badge(Tone::Bad, "broken, last good copy in force"),
        SourceState::Read if report.named_elsewhere => badge(Tone::Good, "named by hooks.json"),
        SourceState::Read => badge(Tone::Good, "read"),
    }
}

/// Whether a source is trusted.
pub fn trust(state: &TrustState) -> Markup {
    match state {
        TrustState::Trusted => badge(Tone::Good, "trusted"),
        TrustState::New => badge(Tone::Warn, "not trusted"),
        TrustState::Changed(_) => badge(Tone::Warn, "changed since trusted"),
        TrustState::Broken(_) => badge(Tone::Bad, "trust cannot be read"),
    }
}

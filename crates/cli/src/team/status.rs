//! How the last sync went: `status.json`, for those who ask and for the next
//! sync.

use boathook_engine::bundle::EXPECTED;
use boathook_engine::state::{Durability, StateError};
use serde::{Deserialize, Serialize};

use super::Place;

const FILE: &str = "status.json";

/// Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// The team it is about.
    pub team: i64,
    /// When the last attempt was.
    pub tried_at: i64,
    /// When the server's newest word was last verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub succeeded_at: Option<i64>,
    /// `applied`, `unchanged`, `stale`, or why it was refused.
    pub code: String,
    /// What was wrong, in a sentence.
    pub detail: String,
    /// The manifest in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// The release in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<u64>,
    /// Since when the newest signed word is too old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_since: Option<i64>,
    /// When to try again.
    pub next_at: i64,
    /// How many attempts failed since the last success.
    pub failures: u32,
    /// What the server was last told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<Told>,
}

/// A report that the server took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The manifest.
    pub sequence: u64,
    /// The release.
    pub release: u64,
    /// How it went.
    pub code: String,
}

impl Status {
    /// Nothing when there was no attempt, or none that can be read: the next
    /// one writes it anew.
    pub fn read(place: &Place) -> Option<Status> {
        let bytes = place.folder().read("", FILE).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Whether what the server signed last is in force and not too old.
    pub fn is_good(&self) -> bool {
        matches!(self.code.as_str(), "applied" | "unchanged")
    }

    pub(super) fn write(&self, place: &Place) -> Result<(), StateError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        place.folder().write("", FILE, text.as_bytes(), Durability::Relaxed)
    }

    /// Removes what a round that was killed left half written. The caller holds
    /// the lock.
    pub(super) fn tidy(place: &Place) {
        place.folder().forget_unfinished("", |name| [FILE, EXPECTED].contains(&name));
    }

    /// Forgets how it went, after a log-out.
    pub fn remove(place: &Place) -> Result<bool, StateError> {
        place.folder().remove("", FILE)
    }
}

//! Whether a person switched self-protection off for a limited time.
//!
//! The record is a file in the state directory, which self-protection covers: an agent cannot write it without being
//! asked about. A record that cannot be read, that has expired, or that lasts longer than [`MAX_MINUTES`] has no effect.

use serde::{Deserialize, Serialize};

use crate::ids::now_millis;
use crate::state::{Durability, StateDir, StateError};

/// How long an unlock lasts unless the person says otherwise.
pub const DEFAULT_MINUTES: u64 = 15;
/// The longest unlock.
pub const MAX_MINUTES: u64 = 8 * 60;

const FILE: &str = "unlock.json";
const MILLIS_PER_MINUTE: i64 = 60_000;

#[derive(Debug, Serialize, Deserialize)]
struct UnlockRecord {
    /// Milliseconds since 1970.
    since: i64,
    until: i64,
}

/// Until when self-protection is off, in milliseconds since 1970; none while it is on.
pub fn until(state: &StateDir) -> Option<i64> {
    let bytes = state.read("", FILE).ok()??;
    let UnlockRecord { since, until } = serde_json::from_slice(&bytes).ok()?;
    let now = now_millis();
    let longest = MAX_MINUTES as i64 * MILLIS_PER_MINUTE;
    // A clock that was set back must not prolong an unlock, so its beginning is checked, too.
    let is_valid = since <= now && now < until && until.checked_sub(since)? <= longest;
    is_valid.then_some(until)
}

/// Switches self-protection off for so many minutes, and returns until when.
pub fn unlock(state: &StateDir, minutes: u64) -> Result<i64, StateError> {
    let since = now_millis();
    let until = since + minutes.min(MAX_MINUTES) as i64 * MILLIS_PER_MINUTE;
    let bytes = serde_json::to_vec(&UnlockRecord { since, until }).unwrap_or_default();
    state.write("", FILE, &bytes, Durability::Synced)?;
    Ok(until)
}

/// Switches self-protection on again; whether it was off.
pub fn lock(state: &StateDir) -> Result<bool, StateError> {
    state.remove("", FILE)
}

//! The one place that asks what time it is.

use std::time::{SystemTime, UNIX_EPOCH};

/// Wall-clock time in nanoseconds since 1970, as file systems count it.
#[allow(clippy::disallowed_methods)] // this module owns the clock
pub(crate) fn nanoseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Wall-clock time in seconds since 1970.
pub(crate) fn seconds() -> u64 {
    (nanoseconds() / 1_000_000_000).unsigned_abs()
}

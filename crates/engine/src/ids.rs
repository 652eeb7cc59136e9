//! Ids, and times as text.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;

use crate::clock;

/// The time, as RFC 3339 in UTC with milliseconds.
pub fn now_text() -> String {
    Moment::now().text()
}

/// A time that is written down only when somebody wants to read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    nanoseconds: i64,
}

impl Moment {
    /// This one.
    pub(crate) fn now() -> Moment {
        Moment { nanoseconds: clock::nanoseconds() }
    }

    /// As RFC 3339 in UTC with milliseconds.
    pub(crate) fn text(self) -> String {
        let time = Timestamp::from_nanosecond(self.nanoseconds.into()).unwrap_or_default();
        format!("{time:.3}")
    }
}

/// Milliseconds since 1970.
pub fn now_millis() -> i64 {
    clock::nanoseconds() / 1_000_000
}

/// A unique id of timestamp and random text, as records carry it.
pub fn record_id() -> String {
    format!("{}-{:08x}", now_millis(), random() as u32)
}

/// Eight random hexadecimal digits.
pub(crate) fn eight_digits() -> String {
    format!("{:08x}", random() as u32)
}

/// A random id in the form of a UUID, version 4.
pub fn uuid() -> String {
    let (high, low) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | (low >> 48) & 0x3fff,
        low & 0xffff_ffff_ffff
    )
}

/// The standard library seeds its hasher from the system's random source;
/// the count keeps two calls apart.
fn random() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(COUNT.fetch_add(1, Ordering::Relaxed));
    hasher.write_u32(std::process::id());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_have_their_form() {
        assert_ne!(record_id(), record_id());
        let id = uuid();
        assert_eq!(id.len(), 36);
        assert_eq!(id.as_bytes()[14], b'4');
        assert!(now_text().ends_with('Z'));
    }
}

//! What time it is for signed files. A clock that was turned back does not
//! make old files young: it is not earlier than what was signed, nor than this
//! program was made. A clock that runs ahead makes everything look old, which
//! removes nothing and ends when the clock is put right.

use boathook_engine::bundle::Fresh;
use jiff::Timestamp;
use sigstore_tuf::Metadata;

use super::Verified;

/// No release of this program is older: 2026-11-01.
const BUILT: i64 = 1_793_491_200_000;
const DAY: i64 = 24 * 60 * 60 * 1000;
/// How long a timestamp counts, whatever it says.
const LONGEST: i64 = 7 * DAY;

/// The latest of the clock, the newest signed time, and the program's own.
pub fn now(clock: i64, fresh: Option<Fresh>) -> i64 {
    clock.max(BUILT).max(fresh.map_or(i64::MIN, |fresh| fresh.seen))
}

/// The signed time that is kept. One far ahead of a clock that may be right is
/// not believed: whoever signed it could make everything that follows look old.
pub fn seen(signed: i64, clock: i64) -> i64 {
    if clock >= BUILT { signed.min(clock.saturating_add(DAY)) } else { signed }
}

/// What was kept of the last time, unless somebody made it up: no time is newer
/// than the end of the newest timestamp that was verified, nor than tomorrow.
pub fn believed(fresh: Option<Fresh>, timestamp: Option<&[u8]>, clock: i64) -> Option<Fresh> {
    let end = timestamp.and_then(|bytes| Metadata::<sigstore_tuf::Timestamp>::from_slice(bytes).ok());
    let end = end.map_or(i64::MIN, |file| file.signed().expires.as_millisecond());
    fresh.filter(|fresh| fresh.seen <= clock.saturating_add(DAY).max(end))
}

/// A timestamp is for a day. Whoever stole its key may sign that it is good for
/// years, and is believed for days from when it was first seen: `known` is what
/// is known of this one from before.
pub fn limit(verified: &mut Verified, known: Option<Fresh>, now: i64) {
    let longest = now.saturating_add(LONGEST);
    if verified.until.as_millisecond() <= longest {
        return;
    }
    let until = known.map_or(longest, |fresh| fresh.until.min(longest));
    verified.until = point(until);
    // Its end says nothing of when it was signed.
    verified.signed_at = Timestamp::MIN;
    if until < now && verified.expired.is_none() {
        let message = "the timestamp is good for longer than any should be, and nothing newer was signed";
        verified.expired = Some(message.to_owned());
    }
}

/// As signed files have it.
pub fn point(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use boathook_engine::bundle::manifest::Stale;

    const YEAR: i64 = 365 * DAY;

    #[test]
    fn it_is_never_earlier_than_what_was_signed() {
        let today = BUILT + YEAR;
        let fresh = Fresh { until: today, seen: today, stale: Stale::default() };
        let cases = [
            ("a clock that is right", today + DAY, Some(fresh), today + DAY),
            ("a clock that was turned back", today - 20 * YEAR, Some(fresh), today),
            ("a clock that was turned back, and nothing known", today - 20 * YEAR, None, BUILT),
            ("a clock far ahead", today + 20 * YEAR, Some(fresh), today + 20 * YEAR),
        ];
        for (name, clock, fresh, expected) in cases {
            assert_eq!(now(clock, fresh), expected, "{name}");
        }
    }

    #[test]
    fn a_signed_time_far_ahead_of_a_good_clock_is_not_believed() {
        let today = BUILT + YEAR;
        let cases = [
            ("an hour ago", today - DAY / 24, today, today - DAY / 24),
            ("in seventy years", today + 70 * YEAR, today, today + DAY),
            ("today, and the clock is twenty years behind", today, today - 20 * YEAR, today),
        ];
        for (name, signed, clock, expected) in cases {
            assert_eq!(seen(signed, clock), expected, "{name}");
        }
    }

    #[test]
    fn the_program_is_not_older_than_it_says() {
        assert_eq!(point(BUILT).to_string(), "2026-11-01T00:00:00Z");
    }
}

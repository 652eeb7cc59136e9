//! Times as people write and read them: in their own time zone.

use boathook_engine::ids::now_millis;
pub use boathook_engine::record::took;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A moment from which on records are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since(i64);

impl Since {
    /// `10m`, `2h`, or a time.
    pub fn parse(text: &str) -> Result<Since, String> {
        let ago = duration(text).and_then(|millis| now_millis().checked_sub(millis));
        let moment = ago.or_else(|| moment(text).map(|time| time.as_millisecond()));
        moment
            .map(Since)
            .ok_or_else(|| "write 30s, 10m, 2h, 3d, or a time like 2026-11-15 or 2026-11-15T10:30".to_owned())
    }

    /// Whether a record of this time is wanted. One without a readable time is.
    pub fn includes(self, timestamp: &str) -> bool {
        timestamp.parse::<Timestamp>().map_or(true, |time| time.as_millisecond() >= self.0)
    }
}

/// Month and day, for lists.
pub fn day(timestamp: &str) -> String {
    shown(timestamp, "%m-%d")
}

/// The time of day, for lists.
pub fn of_day(timestamp: &str) -> String {
    shown(timestamp, "%H:%M:%S")
}

/// The day and the time of day of a moment in milliseconds since 1970.
pub fn minute(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).map(|time| time.to_zoned(TimeZone::system()));
    time.map_or_else(|_| millis.to_string(), |time| time.strftime("%Y-%m-%d %H:%M").to_string())
}

/// All of it.
pub fn long(timestamp: &str) -> String {
    shown(timestamp, "%Y-%m-%d %H:%M:%S%.3f %:z")
}

fn shown(timestamp: &str, format: &str) -> String {
    let time = timestamp.parse::<Timestamp>().ok().map(|time| time.to_zoned(TimeZone::system()));
    time.map_or_else(|| timestamp.to_owned(), |time| time.strftime(format).to_string())
}

fn duration(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok().filter(|number| *number >= 0)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    number.checked_mul(seconds * 1_000)
}

/// A time with its zone, or one of this place; a day is its first moment.
fn moment(text: &str) -> Option<Timestamp> {
    let local = || Some(text.parse::<DateTime>().ok()?.to_zoned(TimeZone::system()).ok()?.timestamp());
    text.parse().ok().or_else(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_reads_spans_and_times() {
        let now = now_millis();
        let spans = [("30s", 30), ("10m", 600), ("2h", 7_200), ("3d", 259_200), ("1w", 604_800), ("0s", 0)];
        for (text, seconds) in spans {
            let Since(moment) = Since::parse(text).expect(text);
            assert!((moment - (now - seconds * 1_000)).abs() < 10_000, "{text}");
        }
        assert_eq!(Since::parse("2026-11-15T10:30:00Z"), Ok(Since(1_794_738_600_000)));
        for text in ["2026-11-15", "2026-11-15T10:30", "2026-11-15 10:30:05"] {
            assert!(Since::parse(text).is_ok(), "{text}");
        }
        for text in
            ["", "m", "10", "10x", "-5m", "yesterday", "99999999999999999999h", "9223372036854775807w", "é"]
        {
            assert!(Since::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_of_time_are_short() {
        let cases =
            [(0.043, "43 µs"), (9.94, "9.9 ms"), (47.2, "47 ms"), (1_234.0, "1.2 s"), (600_000.0, "600 s")];
        for (millis, expected) in cases {
            assert_eq!(took(millis), expected);
        }
    }
}

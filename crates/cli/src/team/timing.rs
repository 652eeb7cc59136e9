//! When to ask the server again. Pure: the chance is an argument.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// How long after a success.
pub const POLL: Duration = Duration::from_secs(1800);
/// The longest wait, whatever happened or the server says.
pub const LONGEST: Duration = Duration::from_secs(2 * 60 * 60);
/// The wait after the first failure.
const FIRST: Duration = Duration::from_secs(60);

/// The wait after a success: shortened by up to a fifth, so that devices that
/// started together do not ask together. `chance` is from 0 to 1.
pub fn after_success(chance: f64) -> Duration {
    POLL.mul_f64(1.0 - 0.2 * within(chance))
}

/// The wait after so many failures in a row: anything up to a bound that
/// doubles each time. When the server said how long it wants to be left alone,
/// at least that long, and spread behind it; never longer than two hours.
pub fn after_failure(failures: u32, retry_after: Option<Duration>, chance: f64) -> Duration {
    let chance = within(chance);
    let doubled = FIRST.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST);
    let wanted = retry_after.unwrap_or_default();
    // Those who are all told to wait for long do not come back together.
    let longest = LONGEST.mul_f64(1.0 - chance / 6.0);
    wanted.saturating_add(doubled.mul_f64(chance)).min(longest)
}

/// From 0 to 1, and nobody knows which.
pub fn chance() -> f64 {
    // The standard library seeds its hash tables from the system's random source.
    RandomState::new().hash_one(std::process::id()) as f64 / u64::MAX as f64
}

fn within(chance: f64) -> f64 {
    if chance.is_finite() { chance.clamp(0.0, 1.0) } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(wait: Duration) -> u64 {
        wait.as_secs()
    }

    #[test]
    fn a_success_is_followed_by_a_poll_within_the_half_hour() {
        for (chance, expected) in [(0.0, 1800), (0.5, 1620), (1.0, 1440), (7.0, 1440), (f64::NAN, 1620)] {
            assert_eq!(seconds(after_success(chance)), expected, "{chance}");
        }
    }

    #[test]
    fn the_wait_doubles_and_never_exceeds_two_hours() {
        let ten_years = Some(Duration::from_secs(315_360_000));
        let cases = [
            ("the first", 1, None, 1.0, 60),
            ("the second", 2, None, 1.0, 120),
            ("the second, with luck", 2, None, 0.0, 0),
            ("the seventh", 7, None, 1.0, 3840),
            ("the twentieth", 20, None, 1.0, 6000),
            ("the last that can be counted", u32::MAX, None, 0.5, 3600),
            ("the server wants a minute", 1, Some(Duration::from_secs(60)), 0.5, 90),
            ("the server wants ten years", 1, ten_years, 0.0, 7200),
            ("the server wants ten years, spread", 1, ten_years, 1.0, 6000),
        ];
        for (name, failures, retry_after, chance, expected) in cases {
            assert_eq!(seconds(after_failure(failures, retry_after, chance)), expected, "{name}");
        }
    }

    /// A sequence of chances that is the same in every run.
    struct Chances(u64);

    impl Chances {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    #[test]
    fn s22_a_hundred_thousand_devices_come_back_over_twenty_minutes_and_more() {
        const CLIENTS: usize = 100_000;
        const OUTAGE: f64 = 4.0 * 3600.0;
        let mut chances = Chances(22);
        let mut back: Vec<f64> = (0..CLIENTS)
            .map(|_| {
                // Somewhere between two polls when the outage begins.
                let mut at = after_success(chances.next()).as_secs_f64() * chances.next();
                let mut failures = 0;
                while at < OUTAGE {
                    failures += 1;
                    at += after_failure(failures, None, chances.next()).as_secs_f64();
                }
                at - OUTAGE
            })
            .collect();
        back.sort_by(f64::total_cmp);
        let spread = back[CLIENTS * 95 / 100] - back[CLIENTS * 5 / 100];
        assert!(spread >= 1200.0, "nine in ten come within {spread} s");
        let mut minutes = vec![0; 121];
        for at in &back {
            minutes[(at / 60.0) as usize] += 1;
        }
        let most = minutes.iter().max().copied().unwrap_or_default();
        assert!(most <= CLIENTS / 20, "{most} of {CLIENTS} come in one minute");
    }
}

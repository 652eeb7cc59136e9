//! When to ask the server again. Pure: the chance is an argument.

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
/// at least that long, and spread behind it.
pub fn after_failure(failures: u32, retry_after: Option<Duration>, chance: f64) -> Duration {
    let doubled = FIRST.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST);
    let wait = doubled.mul_f64(within(chance));
    let wanted = retry_after.unwrap_or_default();
    (wanted.saturating_add(wait)).min(LONGEST)
}

fn within(chance: f64) -> f64 {
    if chance.is_finite() { chance.clamp(0.0, 1.0) } else { 0.5 }
}

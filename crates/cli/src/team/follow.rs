//! Stays with the team's server: syncs when it is due, and as soon as the
//! server says that something was published.

use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::ids::now_millis;
use boathook_engine::run::Cancel;

use super::timing::LONGEST;
use super::{How, Login, Place, Refusal, Status, sync, wait_for_hint};

/// One machine that follows its team.
pub struct Follower {
    pub place: Place,
    pub login: Login,
    /// How long one question for news waits.
    pub patience: Duration,
}

/// A server that cannot be asked for news is asked again after this,
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// and at most after this.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often it is looked whether to end.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Whether to ask again. A clock that was turned back must not stop it.
pub fn is_due(status: Option<&Status>, now: i64) -> bool {
    let longest = i64::try_from(LONGEST.as_millis()).unwrap_or(i64::MAX);
    status.is_none_or(|status| {
        let wait = status.next_at.saturating_sub(now);
        wait <= 0 || wait > longest
    })
}

impl Follower {
    /// Until it should end, or until this machine is somebody else's. Every
    /// sync is told; the first is at once when it is not known what was missed.
    pub fn run(&self, at_once: bool, ending: &Cancel, mut tell: impl FnMut(&Status)) {
        if at_once {
            tell(&sync(&self.place, &self.login, How::Poll));
        }
        let mut known = 0;
        let mut pause = FIRST_PAUSE;
        while !ending.is_cancelled() && self.is_still_ours() {
            let status = Status::read(&self.place).filter(|status| status.team == self.login.team);
            if is_due(status.as_ref(), now_millis()) {
                tell(&sync(&self.place, &self.login, How::Poll));
                continue;
            }
            known = known.max(status.as_ref().and_then(|status| status.sequence).unwrap_or(0));
            let due = status.map_or(0, |status| status.next_at.saturating_sub(now_millis()));
            let due = Duration::from_millis(due.unsigned_abs());
            let asked = Instant::now();
            match wait_for_hint(&self.place, &self.login, known, self.patience.min(due)) {
                Ok(sequence) if sequence > known => {
                    // One hint, one sync: when that fails, the next one is due
                    // by the clock and not at once.
                    known = sequence;
                    pause = FIRST_PAUSE;
                    if self.is_still_ours() {
                        tell(&sync(&self.place, &self.login, How::Poll));
                    }
                }
                Ok(_) => {
                    pause = FIRST_PAUSE;
                    rest(FIRST_PAUSE.saturating_sub(asked.elapsed()), ending);
                }
                Err(refusal) => {
                    rest(after(&refusal, pause).min(due), ending);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    fn is_still_ours(&self) -> bool {
        Login::read(&self.place).is_ok_and(|login| login.as_ref() == Some(&self.login))
    }
}

/// How long to leave a server alone that did not answer.
fn after(refusal: &Refusal, pause: Duration) -> Duration {
    refusal.retry_after.map_or(pause, |wanted| wanted.max(pause))
}

/// Waits, unless it should end.
pub fn rest(pause: Duration, ending: &Cancel) {
    let until = Instant::now() + pause;
    while Instant::now() < until && !ending.is_cancelled() {
        thread::sleep(LOOK_UP.min(until.saturating_duration_since(Instant::now())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_is_due_by_the_clock_whichever_way_that_jumps() {
        let hour = 60 * 60 * 1000;
        let cases = [
            ("never tried", None, true),
            ("planned for now", Some(0), true),
            ("overdue", Some(-hour), true),
            ("planned for later", Some(hour), false),
            ("planned for later than ever: the clock went back", Some(3 * hour), true),
            ("absurd", Some(i64::MAX), true),
        ];
        for (name, next, expected) in cases {
            let status = next.map(|next_at| Status { next_at, ..Status::default() });
            assert_eq!(is_due(status.as_ref(), 0), expected, "{name}");
        }
    }

    #[test]
    fn a_server_that_wants_to_be_left_alone_is() {
        let refusal = |retry_after| Refusal { code: "throttled".into(), message: String::new(), retry_after };
        let second = Duration::from_secs(1);
        assert_eq!(after(&refusal(None), second), second);
        assert_eq!(after(&refusal(Some(second * 30)), second), second * 30);
        assert_eq!(after(&refusal(Some(second)), second * 30), second * 30);
    }
}

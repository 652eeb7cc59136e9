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
    /// sync is told; the first is at once when it is not known what was missed,
    /// unless the server is to be left alone.
    pub fn run(&self, at_once: bool, ending: &Cancel, mut tell: impl FnMut(&Status)) {
        let mut last = self.kept();
        let left_alone = |status: &Status| status.failures > 0 && !is_due(Some(status), now_millis());
        if at_once && !last.as_ref().is_some_and(left_alone) {
            last = Some(self.sync(&mut tell));
        }
        let mut known = 0;
        let mut pause = FIRST_PAUSE;
        while !ending.is_cancelled() && self.is_still_ours() {
            // Others sync, too; and where nothing can be kept, what we know
            // ourselves keeps us from asking without a pause.
            last = self.kept().into_iter().chain(last).max_by_key(|status| status.tried_at);
            if is_due(last.as_ref(), now_millis()) {
                last = Some(self.sync(&mut tell));
                continue;
            }
            known = known.max(last.as_ref().and_then(|status| status.sequence).unwrap_or(0));
            let due = last.as_ref().map_or(0, |status| status.next_at.saturating_sub(now_millis()));
            let due = Duration::from_millis(due.max(0).unsigned_abs());
            let asked = Instant::now();
            match wait_for_hint(&self.place, &self.login, known, self.patience.min(due)) {
                Ok(sequence) if sequence > known => {
                    // One hint, one sync: when that fails, the next one is due
                    // by the clock and not at once.
                    known = sequence;
                    pause = FIRST_PAUSE;
                    last = Some(self.sync(&mut tell));
                }
                Ok(_) => {
                    pause = FIRST_PAUSE;
                    rest(FIRST_PAUSE.saturating_sub(asked.elapsed()), ending);
                }
                Err(refusal) => {
                    // Whoever was turned away is told, which a sync does; once,
                    // because the next one says the same.
                    if is_turned_away(&refusal) && last.as_ref().is_none_or(|last| last.code != refusal.code)
                    {
                        last = Some(self.sync(&mut tell));
                    }
                    rest(after(&refusal, pause).min(due), ending);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// One that another process is at is that one's to tell.
    fn sync(&self, tell: &mut impl FnMut(&Status)) -> Status {
        let status = sync(&self.place, &self.login, How::Poll);
        if status.code != "locked" && self.is_still_ours() {
            tell(&status);
        }
        status
    }

    /// How the last sync went, whoever did it.
    fn kept(&self) -> Option<Status> {
        Status::read(&self.place).filter(|status| status.team == self.login.team)
    }

    fn is_still_ours(&self) -> bool {
        Login::read(&self.place).is_ok_and(|login| login.as_ref() == Some(&self.login))
    }
}

/// Whether the server answered that this machine is none of the team's.
fn is_turned_away(refusal: &Refusal) -> bool {
    matches!(refusal.code.as_str(), "unauthorized" | "forbidden")
}

/// How long to leave a server alone that did not answer.
fn after(refusal: &Refusal, pause: Duration) -> Duration {
    refusal.retry_after.map_or(pause, |wanted| wanted.max(pause))
}

/// Waits, unless it should end.
fn rest(pause: Duration, ending: &Cancel) {
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

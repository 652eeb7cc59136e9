//! The line of a team's releases: what each step does to it, and which
//! releases devices are offered.
//!
//! Pure: releases in, releases out. Nothing is signed or stored here.

use boathook_engine::bundle::manifest;

use crate::team::wire::{Publish, Release, ReleaseState};

/// What stands for the hooks of a team before its first stable release.
const NOTHING_YET: u64 = 0;

/// Why a release cannot go where it was told to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// There is no such release.
    #[error("there is no release {0}")]
    Missing(i64),
    /// More than everybody.
    #[error("{0} in a hundred is no share: say a number up to 100")]
    Share(u8),
    /// It would reach no device.
    #[error("nobody would get it: say how many in a hundred get it, or put members into the canary group")]
    Nobody,
    /// It is not rolling out.
    #[error("release {number} is {state}, and only one that rolls out can be {verb}; {instead}")]
    State {
        /// The release.
        number: i64,
        /// How far it has come.
        state: &'static str,
        /// What was asked.
        verb: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// It would take a release away from devices that have it.
    #[error("{to} in a hundred is not more than the {from} that have it; halt the release to take it back")]
    Narrower {
        /// How many have it.
        from: u8,
        /// How many were asked for.
        to: u8,
    },
}

/// All releases of a team, and who is in its canary group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// In the order of their numbers.
    pub releases: Vec<Release>,
    /// Members of the canary group.
    pub canaries: Vec<i64>,
}

/// Who does something, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct By {
    /// The address of the member, or `boathook`.
    pub who: String,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl Line {
    /// Adds a release; gives its number.
    pub fn publish(&mut self, hooks: Vec<manifest::Hook>, how: &Publish, by: &By) -> Result<i64, LineError> {
        share(how.percent)?;
        let canaries = how.canary && !self.canaries.is_empty();
        if how.percent == 0 && !canaries {
            return Err(LineError::Nobody);
        }
        let number = self.next_number();
        self.releases.push(Release {
            number,
            state: ReleaseState::Waiting,
            canary: how.canary,
            percent: how.percent,
            published_by: by.who.clone(),
            published_at: by.at,
            note: how.note.clone(),
            restores: None,
            halted_because: None,
            hooks,
        });
        Ok(number)
    }

    /// Adds a release for everybody with the content of an older one.
    pub fn restore(&mut self, number: i64, by: &By) -> Result<i64, LineError> {
        let hooks = self.find(number)?.hooks.clone();
        // What it restores is a field of its own, which lists show beside the note.
        let note = String::new();
        let added = self.publish(hooks, &Publish { note, canary: false, percent: 100 }, by)?;
        self.find(added)?.restores = Some(number);
        Ok(added)
    }

    /// Widens a release.
    pub fn advance(&mut self, number: i64, percent: u8) -> Result<(), LineError> {
        share(percent)?;
        let release = self.find(number)?;
        release.must_roll("widened", "publish a new one")?;
        if percent <= release.percent {
            return Err(LineError::Narrower { from: release.percent, to: percent });
        }
        release.percent = percent;
        release.state = ReleaseState::Waiting;
        Ok(())
    }

    /// Stops a release.
    pub fn halt(&mut self, number: i64, reason: &str) -> Result<(), LineError> {
        let release = self.find(number)?;
        release.must_roll("halted", "restore the release before it instead")?;
        release.state = ReleaseState::Halted;
        release.halted_because = Some(reason.to_owned());
        Ok(())
    }

    /// What devices are offered, newest first; the last is for everybody.
    /// Releases that wait are among it: this is what has to be signed.
    pub fn offered(&self) -> Vec<manifest::Release> {
        let mut offered = Vec::new();
        for release in self.releases.iter().rev() {
            match release.state {
                ReleaseState::Halted | ReleaseState::Superseded => {}
                ReleaseState::Waiting | ReleaseState::Rolling if release.percent < 100 => {
                    offered.push(release.offer(Some(self.rollout(release))));
                }
                ReleaseState::Waiting | ReleaseState::Rolling | ReleaseState::Stable => {
                    offered.push(release.offer(None));
                    return offered;
                }
            }
        }
        offered.push(manifest::Release { number: NOTHING_YET, rollout: None, hooks: Vec::new() });
        offered
    }

    /// What is offered without the newest release: the way back from it.
    /// Nothing when everybody has it.
    pub fn way_back(&self) -> Option<Vec<manifest::Release>> {
        let offered = self.offered();
        (offered.len() > 1).then(|| offered[1..].to_vec())
    }

    /// Notes that what was offered is signed and out.
    pub fn went_out(&mut self) {
        let offered = self.offered();
        let stable = offered.last().map_or(NOTHING_YET, |last| last.number);
        for release in &mut self.releases {
            let number = release.number.unsigned_abs();
            release.state = match release.state {
                ReleaseState::Halted => ReleaseState::Halted,
                ReleaseState::Superseded => ReleaseState::Superseded,
                _ if number < stable => ReleaseState::Superseded,
                _ if number == stable => ReleaseState::Stable,
                ReleaseState::Waiting | ReleaseState::Rolling | ReleaseState::Stable => ReleaseState::Rolling,
            };
        }
    }

    /// The releases that differ from those of another state of the same line.
    pub fn changed_since(&self, before: &Line) -> Vec<Release> {
        self.releases.iter().filter(|release| !before.releases.contains(release)).cloned().collect()
    }

    /// A release by its number.
    pub fn get(&self, number: i64) -> Option<&Release> {
        self.releases.iter().find(|release| release.number == number)
    }

    fn find(&mut self, number: i64) -> Result<&mut Release, LineError> {
        let found = self.releases.iter_mut().find(|release| release.number == number);
        found.ok_or(LineError::Missing(number))
    }

    /// Takes a member into the canary group, or out of it.
    pub fn set_canary(&mut self, member: i64, canary: bool) {
        self.canaries.retain(|known| *known != member);
        if canary {
            self.canaries.push(member);
            self.canaries.sort_unstable();
        }
    }

    /// Whether a release is out for the canary group.
    pub fn is_out_for_canaries(&self) -> bool {
        self.releases.iter().any(|release| release.state == ReleaseState::Rolling && release.canary)
    }

    fn next_number(&self) -> i64 {
        self.releases.iter().map(|release| release.number).max().unwrap_or(0) + 1
    }

    fn rollout(&self, release: &Release) -> manifest::Rollout {
        let members = if release.canary { self.canaries.clone() } else { Vec::new() };
        manifest::Rollout { members, percent: release.percent }
    }
}

impl Release {
    fn offer(&self, rollout: Option<manifest::Rollout>) -> manifest::Release {
        manifest::Release { number: self.number.unsigned_abs(), rollout, hooks: self.hooks.clone() }
    }

    fn must_roll(&self, verb: &'static str, instead: &'static str) -> Result<(), LineError> {
        let state = match self.state {
            ReleaseState::Waiting | ReleaseState::Rolling => return Ok(()),
            ReleaseState::Stable => "everybody's",
            ReleaseState::Halted => "halted",
            ReleaseState::Superseded => "superseded",
        };
        Err(LineError::State { number: self.number, state, verb, instead })
    }
}

fn share(percent: u8) -> Result<(), LineError> {
    if percent > 100 { Err(LineError::Share(percent)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReleaseState::{Halted, Rolling, Stable, Superseded, Waiting};

    fn by() -> By {
        By { who: "ann@example.com".into(), at: 0 }
    }

    fn how(canary: bool, percent: u8) -> Publish {
        Publish { note: String::new(), canary, percent }
    }

    fn line() -> Line {
        Line { releases: Vec::new(), canaries: vec![7] }
    }

    fn publish(line: &mut Line, canary: bool, percent: u8) {
        line.publish(Vec::new(), &how(canary, percent), &by()).expect("a release");
        line.went_out();
    }

    fn states(line: &Line) -> Vec<ReleaseState> {
        line.releases.iter().map(|release| release.state).collect()
    }

    fn offered(line: &Line) -> Vec<(u64, Option<u8>)> {
        let percent = |release: &manifest::Release| release.rollout.as_ref().map(|rollout| rollout.percent);
        line.offered().iter().map(|release| (release.number, percent(release))).collect()
    }

    #[test]
    fn a_release_goes_from_some_to_everybody() {
        let mut line = line();
        assert_eq!(offered(&line), [(0, None)], "before the first, no hooks are everybody's");
        publish(&mut line, true, 10);
        assert_eq!((offered(&line), states(&line)), (vec![(1, Some(10)), (0, None)], vec![Rolling]));
        assert_eq!(line.offered()[0].rollout.as_ref().map(|rollout| rollout.members.clone()), Some(vec![7]));
        line.advance(1, 50).expect("wider");
        assert_eq!(states(&line), [Waiting]);
        line.went_out();
        assert_eq!(offered(&line), [(1, Some(50)), (0, None)]);
        line.advance(1, 100).expect("everybody");
        line.went_out();
        assert_eq!((offered(&line), states(&line)), (vec![(1, None)], vec![Stable]));
        publish(&mut line, false, 100);
        assert_eq!((offered(&line), states(&line)), (vec![(2, None)], vec![Superseded, Stable]));
    }

    #[test]
    fn a_halted_release_is_no_longer_offered() {
        let mut line = line();
        publish(&mut line, false, 100);
        publish(&mut line, false, 10);
        assert_eq!(line.way_back().map(|back| back[0].number), Some(1));
        line.halt(2, "it fails").expect("halted");
        line.went_out();
        assert_eq!((offered(&line), states(&line)), (vec![(1, None)], vec![Stable, Halted]));
        assert_eq!(line.way_back(), None);
    }

    #[test]
    fn an_older_candidate_gives_way_to_a_newer_stable_release() {
        let mut line = line();
        publish(&mut line, false, 10);
        publish(&mut line, false, 20);
        assert_eq!(offered(&line), [(2, Some(20)), (1, Some(10)), (0, None)]);
        line.advance(2, 100).expect("everybody");
        line.went_out();
        assert_eq!((offered(&line), states(&line)), (vec![(2, None)], vec![Superseded, Stable]));
    }

    #[test]
    fn a_roll_back_is_a_new_release_with_old_content() {
        let mut line = line();
        publish(&mut line, false, 100);
        publish(&mut line, false, 100);
        assert_eq!(line.restore(1, &by()), Ok(3));
        line.went_out();
        assert_eq!(line.get(3).map(|release| (release.state, release.restores)), Some((Stable, Some(1))));
        assert_eq!(line.get(3).map(|release| release.note.as_str()), Some(""), "lists say it once");
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_to_do_instead() {
        let mut stable = line();
        publish(&mut stable, false, 100);
        publish(&mut stable, false, 30);
        let mut nobody = Line { canaries: Vec::new(), ..line() };
        let cases = [
            (stable.clone().advance(9, 50), "there is no release 9"),
            (stable.clone().advance(2, 101), "101 in a hundred is no share: say a number up to 100"),
            (
                stable.clone().advance(2, 30),
                "30 in a hundred is not more than the 30 that have it; halt the release to take it back",
            ),
            (
                stable.clone().halt(1, ""),
                "release 1 is everybody's, and only one that rolls out can be halted; restore the release before it instead",
            ),
            (
                nobody.publish(Vec::new(), &how(true, 0), &by()).map(drop),
                "nobody would get it: say how many in a hundred get it, or put members into the canary group",
            ),
        ];
        for (found, expected) in cases {
            assert_eq!(found.map_err(|error| error.to_string()), Err(expected.to_owned()));
        }
    }
}

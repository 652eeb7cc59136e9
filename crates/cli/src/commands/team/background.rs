//! Keeps the team's hooks fresh where no daemon does: an event starts a sync
//! after its answer, when the last try is old.
//!
//! A machine in no team pays for one look at a file that is not there.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use boathook_engine::bundle::Expected;
use boathook_engine::ids::now_millis;
use boathook_engine::state::{Durability, StateDir};

use crate::settings::start_sync;
use crate::team::timing::POLL;

/// File systems and clocks count in steps of their own.
const SLACK: Duration = Duration::from_secs(60);
/// Tells by its time when somebody last asked for hooks that are gone.
const REPAIR: &str = "repair";
/// So often at most.
pub const REPAIR_PAUSE: Duration = Duration::from_secs(30);

/// Starts a sync when it is time for one. Nothing here is waited for, and
/// nothing that fails here matters to the event.
pub fn refresh(state: &Path, home: &Path) {
    let folder = state.join("team");
    if fs::symlink_metadata(folder.join("login.json")).is_err() {
        return;
    }
    let lost = || Expected::read(state).is_some_and(|expected| expected.lost(home).is_some());
    if lost() && is_first_to_repair(&folder) {
        start_sync(state, home, true);
    } else if is_ours_to_do(&folder) {
        start_sync(state, home, false);
    }
}

/// Hooks that are gone are not waited for; only a server that does not give
/// them back is not asked with every event.
fn is_first_to_repair(folder: &Path) -> bool {
    let now = Duration::from_millis(now_millis().unsigned_abs());
    let tried = fs::symlink_metadata(folder.join(REPAIR)).and_then(|facts| facts.modified());
    let tried = tried.ok().and_then(|tried| tried.duration_since(UNIX_EPOCH).ok());
    let is_recent =
        tried.is_some_and(|tried| tried <= now + SLACK && now.saturating_sub(tried) < REPAIR_PAUSE);
    !is_recent && StateDir::new(folder).write("", REPAIR, b"", Durability::Relaxed).is_ok()
}

/// Whether the last try is old, and nobody else noticed that just now: whoever
/// starts a sync marks the file that tells of it first.
fn is_ours_to_do(folder: &Path) -> bool {
    let file = folder.join("status.json");
    let Ok(facts) = fs::symlink_metadata(&file) else {
        return StateDir::new(folder).write("", "status.json", b"{}", Durability::Relaxed).is_ok();
    };
    let now = Duration::from_millis(now_millis().unsigned_abs());
    let tried = facts.modified().ok().and_then(|tried| tried.duration_since(UNIX_EPOCH).ok());
    // A time in the future was written by a clock that has been put right.
    let is_old = tried.is_none_or(|tried| tried > now + SLACK || now.saturating_sub(tried) > POLL);
    is_old && mark(&file, now)
}

fn mark(file: &Path, now: Duration) -> bool {
    let opened = File::options().write(true).open(file);
    opened.and_then(|file| file.set_modified(UNIX_EPOCH + now)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_events_starts_a_sync_and_only_when_the_last_is_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("status.json");
        let at = |seconds: i64| {
            let moment = now_millis() / 1000 + seconds;
            let opened = File::options().write(true).open(&file).expect("it is there");
            opened.set_modified(UNIX_EPOCH + Duration::from_secs(moment.unsigned_abs())).expect("a time");
        };
        assert!(is_ours_to_do(folder.path()), "never tried");
        assert!(!is_ours_to_do(folder.path()), "somebody is at it");
        for (seconds, expected) in [(-1700, false), (-1900, true), (3600, true)] {
            at(seconds);
            assert_eq!(is_ours_to_do(folder.path()), expected, "{seconds}");
            assert!(!is_ours_to_do(folder.path()), "{seconds}: somebody is at it");
        }
    }
}

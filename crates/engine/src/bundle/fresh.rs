//! `fresh.json`: until when the newest signed word is good, and what happens
//! on gates when nothing new was signed for long.

use serde::{Deserialize, Serialize};

use super::manifest::{Stale, StalePolicy};

/// Its name in a team's folder.
pub(crate) const NAME: &str = "fresh.json";

const DAY: i64 = 24 * 60 * 60 * 1000;

/// What a device knows of the age of its hooks. Times are milliseconds since
/// 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fresh {
    /// When the newest signed timestamp expires.
    pub until: i64,
    /// The newest signed time that was ever seen: it is certainly not earlier.
    pub seen: i64,
    /// What to do when it is too old.
    pub stale: Stale,
}

/// How old the hooks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// The newest signed word is good.
    Fresh,
    /// It has expired, this many days ago.
    Stale(i64),
    /// It has expired for longer than the team allows: this many days ago.
    TooOld(i64, StalePolicy),
}

/// What a person should know of the age of a team's hooks, which may not be
/// known; nothing while all is well.
pub fn age_in_words(age: Option<Age>) -> Option<String> {
    let since = |days: i64| match days {
        0 => "less than a day ago".to_owned(),
        1 => "a day ago".to_owned(),
        days => format!("{days} days ago"),
    };
    let expired = |days: i64| format!("the last signed word about them expired {}", since(days));
    let what = match age {
        Some(Age::Fresh) => return None,
        Some(Age::Stale(days)) => format!("the team's hooks are stale: {}", expired(days)),
        Some(Age::TooOld(days, _)) => format!("the team's hooks are too old: {}", expired(days)),
        None => "it is not known how old the team's hooks are: fresh.json cannot be read".to_owned(),
    };
    Some(format!("{what}; they stay in force"))
}

/// The year 2200: a record that names a later time was not written by a sync.
const NEVER: i64 = 7_258_118_400_000;

impl Fresh {
    /// Whether its times can be times.
    pub(super) fn is_possible(&self) -> bool {
        self.until < NEVER && self.seen < NEVER
    }

    /// What is kept after what was kept before: the newest time that was seen
    /// does not go back. One later than the end of the newest signed word was
    /// never signed.
    pub fn after(&self, before: Option<Fresh>) -> Fresh {
        let seen = before.map(|before| before.seen).filter(|seen| *seen <= self.until);
        Fresh { seen: seen.map_or(self.seen, |seen| seen.max(self.seen)), ..*self }
    }

    /// How old the hooks are when the clock says this. A clock that was turned
    /// back does not make them younger than the newest signed time.
    pub fn age(&self, clock: i64) -> Age {
        let now = clock.max(self.seen);
        let late = now.saturating_sub(self.until);
        if late <= 0 {
            Age::Fresh
        } else if late > i64::from(self.stale.days).saturating_mul(DAY) {
            Age::TooOld(late / DAY, self.stale.policy)
        } else {
            Age::Stale(late / DAY)
        }
    }
}

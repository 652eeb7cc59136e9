//! Tells those who wait that something newer is out.
//!
//! One task of a process looks at the database every second, so that a
//! publication by any process on the same database wakes the waiting of all. A
//! hint is no more than a reason to ask: what a device takes is what is signed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use crate::team::store::{Store, StoreError};

/// How long an answer waits at most.
pub const PATIENCE: Duration = Duration::from_secs(50);
/// How often the database is asked.
const EVERY: Duration = Duration::from_secs(1);

/// The newest sequences, and those who wait for newer ones. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Hints {
    teams: Arc<Mutex<Option<BTreeMap<i64, watch::Sender<u64>>>>>,
    places: Arc<Semaphore>,
}

/// Too many wait already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many devices wait for hints; ask again later")]
pub struct TooMany;

impl Hints {
    /// For at most this many who wait at once.
    pub fn new(most: usize) -> Hints {
        let places = Semaphore::new(most.min(Semaphore::MAX_PERMITS));
        Hints { teams: Arc::new(Mutex::new(Some(BTreeMap::new()))), places: Arc::new(places) }
    }

    /// Looks every second, until the hints are closed.
    pub async fn watch(&self, store: &Store) {
        let mut beat = tokio::time::interval(EVERY);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while self.is_open() {
            beat.tick().await;
            if let Err(error) = self.look(store).await {
                tracing::warn!(%error, "no hints: the database does not answer");
            }
        }
    }

    /// Looks once.
    pub async fn look(&self, store: &Store) -> Result<(), StoreError> {
        for (team, sequence) in store.sequences().await? {
            self.saw(team, sequence);
        }
        Ok(())
    }

    /// Wakes those who wait for something older than this.
    pub fn saw(&self, team: i64, sequence: u64) {
        self.with(team, |sender| {
            sender.send_if_modified(|newest| {
                let newer = sequence > *newest;
                *newest = (*newest).max(sequence);
                newer
            });
        });
    }

    /// The newest sequence: at once when it is above the given one, else as
    /// soon as it is, or when patience ends.
    pub async fn newer(&self, team: i64, than: u64, patience: Duration) -> Result<u64, TooMany> {
        let Ok(_place) = self.places.try_acquire() else { return Err(TooMany) };
        let Some(mut receiver) = self.with(team, |sender| sender.subscribe()) else { return Ok(than) };
        let waited = tokio::time::timeout(patience, receiver.wait_for(|newest| *newest > than)).await;
        Ok(match waited {
            Ok(Ok(newest)) => *newest,
            // Closed, or nothing newer came.
            Ok(Err(_)) | Err(_) => than,
        })
    }

    /// Answers everybody who waits, and nobody waits any more.
    pub fn close(&self) {
        self.lock().take();
    }

    fn is_open(&self) -> bool {
        self.lock().is_some()
    }

    fn with<T>(&self, team: i64, act: impl FnOnce(&watch::Sender<u64>) -> T) -> Option<T> {
        let mut teams = self.lock();
        let sender = teams.as_mut()?.entry(team).or_insert_with(|| watch::channel(0).0);
        Some(act(sender))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<BTreeMap<i64, watch::Sender<u64>>>> {
        // Nothing that holds the lock can leave the map half changed.
        self.teams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn an_answer_comes_at_once_or_when_something_newer_is_out() {
        let hints = Hints::new(2);
        hints.saw(1, 7);
        assert_eq!(hints.newer(1, 6, LONG).await, Ok(7), "newer already");
        let (waited, ()) = tokio::join!(hints.newer(1, 7, LONG), async {
            hints.saw(2, 9);
            hints.saw(1, 5);
            hints.saw(1, 8);
        });
        assert_eq!(waited, Ok(8), "another team's, and an older, wake nobody");
        assert_eq!(hints.newer(1, 8, Duration::from_millis(1)).await, Ok(8), "the same number after a while");
    }

    #[tokio::test]
    async fn no_more_wait_than_there_are_places_and_closing_answers_them() {
        let hints = Hints::new(1);
        let (first, second) = tokio::join!(hints.newer(1, 0, LONG), async {
            let second = hints.newer(1, 0, LONG).await;
            hints.close();
            second
        });
        assert_eq!((first, second), (Ok(0), Err(TooMany)));
        assert_eq!(hints.newer(1, 3, LONG).await, Ok(3), "nobody waits after closing");
    }
}

//! Places for events at work: so many events, so many processes, first come
//! first served.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::room::Room;

/// An event's own processes run in turns of so many.
const MOST_OF_ONE: usize = boathook_engine::run::AT_ONCE;
/// How often somebody who waits looks whether it is still worth it.
const LOOK_UP: Duration = Duration::from_millis(50);

/// All places.
#[derive(Debug, Default)]
pub struct Places {
    room: Room,
    taken: Mutex<Taken>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Taken {
    events: usize,
    processes: usize,
    /// Who waits, in order.
    queue: VecDeque<u64>,
    tickets: u64,
}

/// One of them, until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Place {
    places: Arc<Places>,
    processes: usize,
}

impl Places {
    pub fn of(room: Room) -> Places {
        Places { room, ..Places::default() }
    }

    /// Waits for room for an event with so many processes. None when the caller
    /// gave up.
    pub fn take(self: &Arc<Places>, processes: usize, gives_up: impl Fn() -> bool) -> Option<Place> {
        let processes = processes.clamp(1, MOST_OF_ONE.min(self.room.processes));
        let mut taken = self.lock();
        let ticket = taken.tickets;
        taken.tickets += 1;
        taken.queue.push_back(ticket);
        loop {
            if taken.queue.front() == Some(&ticket) && taken.has_room_for(processes, &self.room) {
                taken.queue.pop_front();
                taken.events += 1;
                taken.processes += processes;
                // There may be room for the next one, too.
                self.changed.notify_all();
                return Some(Place { places: Arc::clone(self), processes });
            }
            if gives_up() {
                taken.queue.retain(|other| *other != ticket);
                self.changed.notify_all();
                return None;
            }
            taken = self.changed.wait_timeout(taken, LOOK_UP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// How many events are at work, and how many wait.
    pub fn count(&self) -> (usize, usize) {
        let taken = self.lock();
        (taken.events, taken.queue.len())
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn has_room_for(&self, processes: usize, room: &Room) -> bool {
        self.events < room.events && self.processes + processes <= room.processes
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.events -= 1;
        taken.processes -= self.processes;
        self.places.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_processes_are_counted_and_nobody_is_passed() {
        let places = Arc::new(Places::default());
        let held: Vec<Place> =
            (0..2).map(|_| places.take(1_000, || false).expect("room for 64 processes")).collect();
        assert_eq!(places.count(), (2, 0), "two events of 64 processes fill it");
        assert!(places.take(1, || true).is_none(), "there is no room for a third");
        assert_eq!(places.count(), (2, 0), "who gave up does not wait");
        drop(held);
        let many: Vec<Place> = (0..Room::default().events).filter_map(|_| places.take(1, || true)).collect();
        assert_eq!(many.len(), Room::default().events);
        assert!(places.take(1, || true).is_none());
        drop(many);
        assert_eq!(places.count(), (0, 0));
    }
}

//! How much there may be of everything, in a process that may open so many
//! files; and the watch that a decision was not made for want of them.

use std::sync::atomic::{AtomicU64, Ordering};

use boathook_engine::remote::wire::{RpcError, codes};
use boathook_engine::shortage::{self, Watch};

/// With room for so many files there may be as much as is documented: every
/// connection has one, every process four.
const FILES: u64 = 1536;

/// How much there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// So many are connected at once.
    pub connections: usize,
    /// So many events that run processes are at work together,
    pub events: usize,
    /// and so many processes.
    pub processes: usize,
    /// So many processes outlive their event.
    pub kept: usize,
    /// So many files stay free for those who were let in.
    spare: u64,
}

impl Default for Room {
    fn default() -> Room {
        Room { connections: 256, events: 64, processes: 128, kept: 64, spare: 128 }
    }
}

impl Room {
    /// As much as goes with so many open files.
    pub fn of(files: u64) -> Room {
        let Room { connections, events, processes, kept, spare } = Room::default();
        let files = files.min(FILES);
        let part = |most: usize| (most as u64 * files / FILES).max(1) as usize;
        Room {
            connections: part(connections).max(4),
            events: part(events),
            processes: part(processes),
            kept: part(kept),
            spare: (spare * files / FILES).max(16),
        }
    }
}

/// What is known to have been read while nothing was short.
#[derive(Debug, Default)]
pub struct Supply {
    spare: u64,
    /// Until then.
    sound: AtomicU64,
}

impl Supply {
    pub fn of(room: &Room) -> Supply {
        Supply { spare: room.spare, sound: AtomicU64::new(shortage::times()) }
    }

    /// Begins to look, unless too little is free already. `doubt` forgets what
    /// may have been read when something was short.
    pub fn watch(&self, doubt: impl FnOnce()) -> Result<Watch, RpcError> {
        let watch = Watch::begin();
        if !shortage::has_room_for_files(self.spare) {
            return Err(short());
        }
        if self.sound.load(Ordering::SeqCst) != watch.since() {
            doubt();
            self.sound.store(watch.since(), Ordering::SeqCst);
        }
        Ok(watch)
    }
}

/// What was decided counts only if nothing was short meanwhile: a hook that
/// could not be started would have failed for our sake.
pub fn is_sound(watch: Watch) -> Result<(), RpcError> {
    if watch.holds() { Ok(()) } else { Err(short()) }
}

/// Why nothing was decided.
pub fn short() -> RpcError {
    let message = "the daemon is short of open files, processes or memory; ask the engine in process";
    RpcError { code: codes::BUSY, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_less_of_everything_where_few_files_may_be_open() {
        assert_eq!(Room::of(4096), Room::default());
        assert_eq!(Room::of(FILES), Room::default());
        for files in [0, 20, 64, 256, 1024] {
            let room = Room::of(files);
            let needed = room.connections + 4 * (room.processes + room.kept);
            assert!(room.events >= 1 && room.processes >= 1 && room.kept >= 1, "{room:?}");
            assert!(files < 64 || needed as u64 <= files, "{files}: {room:?}");
        }
    }
}

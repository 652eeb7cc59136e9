//! How many processes are kept, for how long, and with how much patience.

use std::time::Duration;

/// How much is kept, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A process that nobody asked for so long is ended.
    pub idle: Duration,
    /// At most so many processes at once; the oldest idle one makes room.
    pub total: usize,
    /// At most so many that stay for the same hook in the same surroundings.
    pub alike: usize,
    /// After so many faults in a row a hook has a process per event,
    pub faults: u32,
    /// for so long.
    pub rest: Duration,
    /// How often idle processes are looked at.
    pub look: Duration,
    /// When the next process is started ahead, counted from the end of the last.
    pub ahead: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            idle: Duration::from_secs(600),
            total: 64,
            alike: 4,
            faults: 3,
            rest: Duration::from_secs(60),
            look: Duration::from_secs(1),
            ahead: Duration::from_millis(20),
        }
    }
}

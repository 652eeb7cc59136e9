//! Live records for those who asked for them: whatever is added to the log, by
//! the daemon or by anybody else.
//!
//! A subscriber that does not read has no queue without end: records that
//! do not fit are counted, and it is told how many it missed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use boathook_engine::log_file::LogFile;
use boathook_engine::log_tail::LogTail;
use boathook_engine::record::Record;
use serde_json::{Value, json};

use super::outbox::Outbox;
use crate::commands::log::filter::Filter;

/// How often the log is looked at while anybody listens.
const PAUSE: Duration = Duration::from_millis(200);

/// All subscribers.
pub struct Feed {
    log: LogFile,
    listening: Mutex<Listening>,
}

#[derive(Default)]
struct Listening {
    subscribers: Vec<Subscriber>,
    /// How far the log was read; none while nobody listens.
    tail: Option<LogTail>,
}

struct Subscriber {
    connection: u64,
    /// Of the call that subscribed.
    id: Value,
    outbox: Arc<Outbox>,
    filter: Filter,
    lost: u64,
}

impl Feed {
    pub fn of(log: LogFile) -> Feed {
        Feed { log, listening: Mutex::default() }
    }

    /// From now on this connection hears of every such record, by this call.
    pub fn add(self: &Arc<Feed>, (connection, id): (u64, Value), outbox: &Arc<Outbox>, filter: Filter) {
        let mut listening = self.lock();
        listening.subscribers.retain(|known| known.connection != connection);
        let outbox = Arc::clone(outbox);
        listening.subscribers.push(Subscriber { connection, id, outbox, filter, lost: 0 });
        if listening.tail.is_none() {
            listening.tail = Some(LogTail::from_now(self.log.clone()));
            let feed = Arc::clone(self);
            // Without it the writer's own looks are left.
            let _ = thread::Builder::new().name("feed".to_owned()).spawn(move || feed.run());
        }
    }

    /// Whether it does.
    pub fn has(&self, connection: u64) -> bool {
        self.lock().subscribers.iter().any(|known| known.connection == connection)
    }

    /// Ends what this call began; says whether there was such a call.
    pub fn cancel(&self, connection: u64, id: &Value) -> bool {
        let subscribers = &mut self.lock().subscribers;
        let before = subscribers.len();
        subscribers.retain(|known| known.connection != connection || known.id != *id);
        subscribers.len() < before
    }

    /// A connection is gone.
    pub fn remove(&self, connection: u64) {
        self.lock().subscribers.retain(|known| known.connection != connection);
    }

    /// How many listen.
    pub fn count(&self) -> usize {
        self.lock().subscribers.len()
    }

    /// Looks whether there is news, and tells it.
    pub fn look(&self) {
        let mut listening = self.lock();
        let Listening { subscribers, tail: Some(tail) } = &mut *listening else { return };
        // A log that cannot be read now may be readable later.
        for record in tail.read().unwrap_or_default() {
            let line = notice("record", &record);
            subscribers.iter_mut().for_each(|subscriber| subscriber.tell(&record, &line));
        }
    }

    fn run(&self) {
        loop {
            thread::sleep(PAUSE);
            self.look();
            let mut listening = self.lock();
            if listening.subscribers.is_empty() {
                listening.tail = None;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Listening> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriber {
    fn tell(&mut self, record: &Record, line: &[u8]) {
        if !self.filter.takes(record) {
            return;
        }
        if self.outbox.is_full() {
            self.lost += 1;
            return;
        }
        if self.lost > 0 {
            self.outbox.offer(&notice("lost", &json!({ "records": self.lost })));
            self.lost = 0;
        }
        self.outbox.offer(line);
    }
}

/// A notice as a line.
pub fn notice(method: &str, params: &impl serde::Serialize) -> Vec<u8> {
    #[derive(serde::Serialize)]
    struct Notice<'n, P> {
        jsonrpc: &'n str,
        method: &'n str,
        params: &'n P,
    }
    serde_json::to_vec(&Notice { jsonrpc: "2.0", method, params }).unwrap_or_default()
}

//! Who is connected. When too many are, those that said nothing go first.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::remote::stream::Stream;
use boathook_engine::remote::wire::{Response, RpcError, codes};
use serde_json::Value;

use super::connection::Connection;
use super::room::Room;
use super::service::Service;

/// Who said nothing for so long may be sent away for somebody else.
const IDLE: Duration = Duration::from_secs(5);
/// Who comes in waits this long for a place, and those behind wait, too.
const PATIENCE: Duration = Duration::from_millis(250);

/// How many threads read.
static READERS: AtomicUsize = AtomicUsize::new(0);

/// All connections.
#[derive(Default)]
pub struct Crowd {
    room: Room,
    connected: Mutex<Vec<Arc<Connection>>>,
    numbers: AtomicU64,
}

/// How many are connected.
pub fn count() -> usize {
    READERS.load(Ordering::Relaxed)
}

impl Crowd {
    pub fn of(room: Room) -> Crowd {
        Crowd { room, ..Crowd::default() }
    }

    /// Lets somebody in, in place of somebody else if need be.
    pub fn admit(self: &Arc<Crowd>, service: &Arc<Service>, stream: Stream) {
        // Threads of those that were sent away need a moment to end.
        let most_threads = self.room.connections + self.room.connections / 4;
        while READERS.load(Ordering::Relaxed) >= most_threads {
            thread::sleep(Duration::from_millis(1));
        }
        let came = Instant::now();
        while !self.make_room() {
            if came.elapsed() > PATIENCE {
                return refuse(stream, self.room.connections);
            }
            thread::sleep(Duration::from_millis(1));
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(Connection::new(number, Arc::clone(service), stream));
        self.lock().push(Arc::clone(&connection));
        let (crowd, reader) = (Arc::clone(self), Arc::clone(&connection));
        READERS.fetch_add(1, Ordering::Relaxed);
        let spawned = thread::Builder::new().name("connection".to_owned()).spawn(move || {
            // Whatever happens, its place and its descriptor are free again.
            if catch_unwind(AssertUnwindSafe(|| reader.run())).is_err() {
                reader.close();
            }
            crowd.leave(&reader);
            drop(reader);
            READERS.fetch_sub(1, Ordering::Relaxed);
        });
        if spawned.is_err() {
            READERS.fetch_sub(1, Ordering::Relaxed);
            connection.close();
            self.leave(&connection);
        }
    }

    /// Gives those who still read a moment for what they were told last.
    pub fn finish(&self, patience: Duration) {
        let (connected, start) = (self.lock().clone(), Instant::now());
        for connection in connected {
            connection.outbox.finish(patience.saturating_sub(start.elapsed()));
        }
    }

    fn make_room(&self) -> bool {
        let mut connected = self.lock();
        if connected.len() < self.room.connections {
            return true;
        }
        let silent = connected.iter().position(|connection| connection.is_silent());
        let idle = || {
            let idle = connected.iter().enumerate();
            let idle =
                idle.filter_map(|(at, it)| it.idle_for().filter(|idle| *idle >= IDLE).map(|idle| (idle, at)));
            idle.max().map(|(_, at)| at)
        };
        let Some(at) = silent.or_else(idle) else { return false };
        connected.remove(at).close();
        true
    }

    fn leave(&self, connection: &Connection) {
        self.lock().retain(|known| known.number != connection.number);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Connection>>> {
        self.connected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refuse(mut stream: Stream, most: usize) {
    let message = format!("{most} are connected and busy; ask the engine in process");
    let error = Some(RpcError { code: codes::BUSY, message });
    let response = Response { jsonrpc: "2.0".to_owned(), id: Value::Null, result: None, error };
    let line = serde_json::to_string(&response).unwrap_or_default() + "\n";
    // A fresh connection has room for one line.
    let _ = stream.write_all(line.as_bytes());
}

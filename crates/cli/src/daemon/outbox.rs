//! What one connection still has to be told. Nobody waits for a reader that
//! does not read: what does not fit is kept for a thread of its own, and who
//! takes nothing for too long is cut off.

use std::collections::VecDeque;
use std::io::Write;
use std::net::Shutdown;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use boathook_engine::remote::stream::{Stream, send_now};

/// A reader that takes nothing for so long is cut off.
const PATIENCE: Duration = Duration::from_secs(60);
/// With more than this unread, nothing more is taken from that side.
const FULL: usize = 1024 * 1024;

/// The side of a connection that is written to.
#[derive(Debug)]
pub struct Outbox {
    stream: Arc<Stream>,
    waiting: Mutex<Waiting>,
    emptied: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// A thread writes them.
    draining: bool,
    broken: bool,
}

impl Outbox {
    pub fn of(stream: Arc<Stream>) -> Outbox {
        Outbox { stream, waiting: Mutex::default(), emptied: Condvar::new() }
    }

    /// Tells a line, which needs no end of its own.
    pub fn send(self: &Arc<Outbox>, mut line: Vec<u8>) {
        line.push(b'\n');
        let mut waiting = self.lock();
        if waiting.broken {
            return;
        }
        if waiting.draining {
            return waiting.add(line);
        }
        let mut sent = 0;
        while sent < line.len() {
            match send_now(&self.stream, &line[sent..]) {
                Ok(0) => break,
                Ok(count) => sent += count,
                Err(_) => return self.break_off(&mut waiting),
            }
        }
        if sent < line.len() {
            waiting.add(line.split_off(sent));
            let outbox = Arc::clone(self);
            let drains = thread::Builder::new().name("outbox".to_owned()).spawn(move || outbox.drain());
            match drains {
                Ok(_) => waiting.draining = true,
                Err(_) => self.break_off(&mut waiting),
            }
        }
    }

    /// The same where it may be left out: false when there is no room.
    pub fn offer(self: &Arc<Outbox>, line: &[u8]) -> bool {
        let room = !self.is_full();
        if room {
            self.send(line.to_vec());
        }
        room
    }

    /// Whether the other side should read before it says more.
    pub fn is_full(&self) -> bool {
        let waiting = self.lock();
        !waiting.broken && waiting.bytes > FULL
    }

    /// Waits a while for the other side to read.
    pub fn wait_for_room(&self, patience: Duration) {
        let full = |waiting: &mut Waiting| !waiting.broken && waiting.bytes > FULL;
        let _ = self.emptied.wait_timeout_while(self.lock(), patience, full);
    }

    /// Waits a while until everything is told.
    pub fn finish(&self, patience: Duration) {
        let busy = |waiting: &mut Waiting| waiting.draining;
        let _ = self.emptied.wait_timeout_while(self.lock(), patience, busy);
    }

    fn drain(&self) {
        let _ = self.stream.set_write_timeout(Some(PATIENCE));
        loop {
            let mut waiting = self.lock();
            let Some(line) = waiting.lines.pop_front() else {
                waiting.draining = false;
                self.emptied.notify_all();
                return;
            };
            drop(waiting);
            let mut stream = &*self.stream;
            // A pipe may still be writing when it comes back.
            let written = stream.write_all(&line).and_then(|()| stream.flush());
            let mut waiting = self.lock();
            waiting.bytes = waiting.bytes.saturating_sub(line.len());
            self.emptied.notify_all();
            if written.is_err() {
                return self.break_off(&mut waiting);
            }
        }
    }

    fn break_off(&self, waiting: &mut Waiting) {
        *waiting = Waiting { broken: true, ..Waiting::default() };
        let _ = self.stream.shutdown(Shutdown::Both);
        self.emptied.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn add(&mut self, line: Vec<u8>) {
        self.bytes += line.len();
        self.lines.push_back(line);
    }
}

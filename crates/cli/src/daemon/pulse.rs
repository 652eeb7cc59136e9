//! Tells callers that want to know it that their events are being worked on.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::remote::wire::BEAT;
use serde_json::{Value, json};

use super::feed::notice;
use super::outbox::Outbox;

/// How often it is looked who is next: callers begin at any time.
const STEP: Duration = Duration::from_millis(100);

/// All who wait.
#[derive(Default)]
pub struct Pulse {
    waiting: Mutex<Waiting>,
    wake: Condvar,
}

#[derive(Default)]
struct Waiting {
    callers: Vec<Caller>,
    numbers: u64,
}

struct Caller {
    number: u64,
    outbox: Arc<Outbox>,
    line: Vec<u8>,
    last: Instant,
}

/// One who waits, until this is dropped.
pub struct Beating {
    pulse: Arc<Pulse>,
    number: u64,
}

impl Pulse {
    /// Beats until the process ends.
    pub fn start(self: &Arc<Pulse>) -> std::io::Result<()> {
        let pulse = Arc::clone(self);
        thread::Builder::new().name("pulse".to_owned()).spawn(move || pulse.run()).map(|_| ())
    }

    /// From now on the caller hears that its call is worked on.
    pub fn begin(self: &Arc<Pulse>, outbox: &Arc<Outbox>, id: &Value) -> Beating {
        let mut waiting = self.lock();
        waiting.numbers += 1;
        let number = waiting.numbers;
        let line = notice("working", &json!({ "id": id }));
        let caller = Caller { number, outbox: Arc::clone(outbox), line, last: Instant::now() };
        waiting.callers.push(caller);
        self.wake.notify_one();
        Beating { pulse: Arc::clone(self), number }
    }

    fn run(&self) {
        loop {
            let idle = |waiting: &mut Waiting| waiting.callers.is_empty();
            drop(self.wake.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner));
            thread::sleep(STEP);
            for caller in &mut self.lock().callers {
                if caller.last.elapsed() + STEP / 2 >= BEAT {
                    caller.last = Instant::now();
                    caller.outbox.offer(&caller.line);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Beating {
    fn drop(&mut self) {
        self.pulse.lock().callers.retain(|caller| caller.number != self.number);
    }
}

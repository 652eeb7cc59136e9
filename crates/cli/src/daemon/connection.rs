//! One connection: reads what it says, and sees to it that everything is
//! answered. Answers come in any order; each has the id of its call.

use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::remote::place::is_inside_hook;
use boathook_engine::remote::stream::{Stream, has_input, is_gone};
use boathook_engine::remote::wire::{HandleParams, LONGEST_LINE, Response, RpcError, codes};
use boathook_engine::run::Cancel;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::budget::Share;
use super::lines::{Lines, Next, SLOWEST_LINE};
use super::outbox::Outbox;
use super::service::{Begun, Prepared, Service};
use super::verbs::{self, Asked};

/// So many events of one connection are at work together; the next line waits.
const MOST_AT_ONCE: usize = 32;
/// How often a reader that waits looks whether its caller is still there.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Who comes in has this long for a first line before somebody else may have
/// the place. On a busy machine it lies between connecting and writing.
const GREETING: Duration = Duration::from_millis(200);

/// One who is connected.
pub struct Connection {
    pub number: u64,
    pub service: Arc<Service>,
    pub outbox: Arc<Outbox>,
    stream: Arc<Stream>,
    at_work: Mutex<Vec<(Value, Cancel)>>,
    ended: Condvar,
    gone: Arc<AtomicBool>,
    inside_hook: OnceLock<bool>,
    /// How many whole lines came,
    lines: AtomicU64,
    /// and when the last did.
    last: Mutex<Instant>,
}

impl Connection {
    pub fn new(number: u64, service: Arc<Service>, stream: Stream) -> Connection {
        // One descriptor for both directions: there are few.
        let stream = Arc::new(stream);
        Connection {
            number,
            service,
            outbox: Arc::new(Outbox::of(Arc::clone(&stream))),
            stream,
            at_work: Mutex::default(),
            ended: Condvar::new(),
            gone: Arc::default(),
            inside_hook: OnceLock::new(),
            lines: AtomicU64::new(0),
            last: Mutex::new(Instant::now()),
        }
    }

    /// Reads until there is nothing more to read.
    pub fn run(self: &Arc<Connection>) {
        let mut lines = Lines::of(&self.stream, &self.service.budget);
        loop {
            match lines.next() {
                Next::Line(line, share) => {
                    self.lines.fetch_add(1, Ordering::Relaxed);
                    self.take(line, share);
                    *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                    self.wait_for_reader();
                }
                Next::End => break self.finish(),
                Next::TooLong => {
                    let message =
                        format!("a line has {LONGEST_LINE} bytes at most; ask the engine in process");
                    break self.refuse(codes::TOO_LONG, message);
                }
                Next::TooSlow => {
                    let message = format!("a line must be whole within {} seconds", SLOWEST_LINE.as_secs());
                    break self.refuse(codes::REQUEST, message);
                }
                Next::NoRoom => {
                    let message =
                        "there is no memory for a line of this length now; ask the engine in process";
                    break self.refuse(codes::BUSY, message.to_owned());
                }
            }
        }
        self.close();
    }

    /// Answers a call.
    pub fn answer(&self, id: &Value, result: Result<Box<RawValue>, RpcError>) {
        let (result, error) = match result {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        let response = Response { jsonrpc: "2.0".to_owned(), id: id.clone(), result, error };
        self.outbox.send(serde_json::to_vec(&response).unwrap_or_default());
    }

    /// Ends a call that is at work, or a subscription; says whether there is one.
    pub fn cancel(&self, id: &Value) -> bool {
        let at_work = self.lock();
        let found = at_work.iter().find(|(known, _)| known == id);
        found.iter().for_each(|(_, cancel)| cancel.cancel());
        found.is_some() || self.service.feed.cancel(self.number, id)
    }

    /// Nothing more is read or written, and what runs for it ends.
    pub fn close(&self) {
        self.gone.store(true, Ordering::SeqCst);
        self.service.feed.remove(self.number);
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Never said a whole line, has none on the way, and had the time for one.
    pub fn is_silent(&self) -> bool {
        self.lines.load(Ordering::Relaxed) == 0 && !has_input(&self.stream) && self.quiet_for() >= GREETING
    }

    /// For how long nothing happens here that anybody waits for.
    pub fn idle_for(&self) -> Option<Duration> {
        let busy = !self.lock().is_empty() || self.service.feed.has(self.number) || has_input(&self.stream);
        (!busy).then(|| self.quiet_for())
    }

    fn quiet_for(&self) -> Duration {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    fn take(self: &Arc<Connection>, line: Vec<u8>, share: Option<Share>) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let asked = match Asked::read(&line) {
            Ok(asked) => asked,
            Err((id, error)) => return self.answer(&id, Err(error)),
        };
        if asked.method != "handle" {
            self.service.requests.fetch_add(1, Ordering::Relaxed);
            return verbs::answer(self, &asked);
        }
        let Some(id) = asked.id.clone() else {
            let message = "`handle` needs an id: its answer must reach somebody".to_owned();
            return self.answer(&Value::Null, Err(RpcError { code: codes::REQUEST, message }));
        };
        if self.is_inside_hook() {
            let message = "inside a hook the engine in process is asked: those whose places it would need may wait for it";
            return self.answer(&id, Err(RpcError { code: codes::OTHER, message: message.to_owned() }));
        }
        let begun = self.service.begin();
        let understood = verbs::guarded(|| {
            let params = asked.params::<HandleParams>()?;
            let beat = params.beat;
            Ok((beat, self.service.prepare(params)?))
        });
        // A long line is not needed twice.
        drop(line);
        match understood {
            Err(error) => self.answer(&id, Err(error)),
            Ok((beat, prepared)) => match prepared.slow_hooks() {
                0 => {
                    let engine = prepared.engine();
                    self.answer(&id, self.decide(prepared, &Cancel::default()));
                    self.service.writer.note(&engine);
                }
                slow => self.work(id, prepared, slow, beat, (begun, share)),
            },
        }
    }

    fn decide(&self, prepared: Prepared, cancel: &Cancel) -> Result<Box<RawValue>, RpcError> {
        verbs::guarded(|| to_raw(&self.service.decide(prepared, cancel)?))
    }

    /// Who was started by a hook holds a place already, and so do those above.
    fn is_inside_hook(&self) -> bool {
        *self.inside_hook.get_or_init(|| is_inside_hook(&self.stream))
    }

    /// Hands an event that takes time to a thread of its own, when there is a
    /// place for it. Until then nothing more is read: whoever asks for more than
    /// there is room for waits.
    fn work(
        self: &Arc<Connection>,
        id: Value,
        prepared: Prepared,
        slow: usize,
        beat: bool,
        held: (Begun, Option<Share>),
    ) {
        let gone = Arc::clone(&self.gone);
        let cancel = self.service.cancel(move || gone.load(Ordering::SeqCst));
        if !self.begin(&id, &cancel) {
            let message = "a call with this id is at work; take another id".to_owned();
            return self.answer(&id, Err(RpcError { code: codes::REQUEST, message }));
        }
        let beating = beat.then(|| self.service.pulse.begin(&self.outbox, &id));
        let place = self.service.places.take(slow, || self.service.is_ending() || self.is_hung_up());
        let Some(place) = place else {
            return self.end(&id, Err(self.service.gave_up()));
        };
        let connection = Arc::clone(self);
        let work = move || {
            let engine = prepared.engine();
            let prepared = verbs::guarded(|| Ok(prepared.again()));
            let decided = prepared.and_then(|prepared| connection.decide(prepared, &cancel));
            connection.end(&id, decided);
            connection.service.writer.note(&engine);
            drop((beating, place, held));
        };
        if let Err(work) = spawn("event", work) {
            // There is no thread for it: then it is done here.
            work();
        }
    }

    fn begin(&self, id: &Value, cancel: &Cancel) -> bool {
        let mut at_work = self.lock();
        while at_work.len() >= MOST_AT_ONCE && !self.is_hung_up() {
            at_work = self.ended.wait_timeout(at_work, LOOK_UP).unwrap_or_else(PoisonError::into_inner).0;
        }
        let free = !at_work.iter().any(|(known, _)| known == id);
        if free {
            at_work.push((id.clone(), cancel.clone()));
        }
        free
    }

    /// Answers a call that is at work. Its id is free when the answer arrives,
    /// and nobody takes the connection for done before it is on its way.
    fn end(&self, id: &Value, result: Result<Box<RawValue>, RpcError>) {
        let mut at_work = self.lock();
        at_work.retain(|(known, _)| known != id);
        self.answer(id, result);
        drop(at_work);
        self.ended.notify_all();
    }

    /// Whether the caller closed the connection; what runs for it ends then.
    fn is_hung_up(&self) -> bool {
        if !self.gone.load(Ordering::SeqCst) && is_gone(&self.stream) {
            self.gone.store(true, Ordering::SeqCst);
        }
        self.gone.load(Ordering::SeqCst)
    }

    /// Who does not read is not read from.
    fn wait_for_reader(&self) {
        while self.outbox.is_full() && !self.is_hung_up() {
            self.outbox.wait_for_room(LOOK_UP);
        }
    }

    /// The caller says nothing more, but may still listen.
    fn finish(&self) {
        let mut at_work = self.lock();
        while (!at_work.is_empty() || self.service.feed.has(self.number)) && !self.is_hung_up() {
            at_work = self.ended.wait_timeout(at_work, LOOK_UP).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(at_work);
        self.outbox.finish(SLOWEST_LINE);
    }

    fn refuse(&self, code: i32, message: String) {
        self.answer(&Value::Null, Err(RpcError { code, message }));
        self.outbox.finish(LOOK_UP);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Value, Cancel)>> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A result as it travels.
pub fn to_raw(value: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    serde_json::value::to_raw_value(value)
        .map_err(|error| RpcError { code: codes::INTERNAL, message: error.to_string() })
}

/// Starts a thread; gives the work back when there is none.
fn spawn<W: FnOnce() + Send + 'static>(name: &str, work: W) -> Result<(), W> {
    let held = Arc::new(Mutex::new(Some(work)));
    let taken = Arc::clone(&held);
    let take = |held: &Mutex<Option<W>>| held.lock().unwrap_or_else(PoisonError::into_inner).take();
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(move || {
        if let Some(work) = take(&taken) {
            work();
        }
    });
    match spawned {
        Ok(_) => Ok(()),
        Err(_) => take(&held).map_or(Ok(()), Err),
    }
}

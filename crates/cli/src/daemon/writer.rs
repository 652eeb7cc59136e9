//! Writes the log and the last good copies soon after answers are out, so that
//! no answer waits for the disk.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use boathook_engine::engine::Engine;
use clap::ColorChoice;

use super::feed::Feed;
use crate::ui::Ui;

/// Answers that come together are written together.
const GATHER: Duration = Duration::from_millis(10);
/// How often it is looked whether `async` hooks have ended.
const LOOK_UP: Duration = Duration::from_millis(200);
/// How often the last records are tried to be written before they are lost.
const LAST_TRIES: usize = 5;
/// With more records than this unwritten, whoever made them writes them.
const MANY: usize = 500;

/// The thread that writes, and what it has to do.
pub struct Writer {
    work: Mutex<Work>,
    wake: Condvar,
    feed: Arc<Feed>,
    /// One of us writes at a time: the log's own lock is for other processes.
    pen: Mutex<()>,
    /// What was last said about a log that cannot be written.
    trouble: Mutex<Option<String>>,
}

#[derive(Default)]
struct Work {
    /// Engines that have something to write,
    dirty: Vec<Arc<Engine>>,
    /// and those that nobody asks any more.
    retired: Vec<Arc<Engine>>,
}

impl Writer {
    pub fn new(feed: Arc<Feed>) -> Writer {
        Writer {
            work: Mutex::default(),
            wake: Condvar::new(),
            feed,
            pen: Mutex::default(),
            trouble: Mutex::default(),
        }
    }

    /// Works until the process ends.
    pub fn start(self: &Arc<Writer>) -> std::io::Result<()> {
        let writer = Arc::clone(self);
        thread::Builder::new().name("writer".to_owned()).spawn(move || writer.run()).map(|_| ())
    }

    /// An engine has answered.
    pub fn note(&self, engine: &Arc<Engine>) {
        if engine.unwritten().0 > MANY {
            let _pen = self.pen();
            self.write(engine);
        }
        let mut work = self.lock();
        if !work.dirty.iter().any(|known| Arc::ptr_eq(known, engine)) {
            work.dirty.push(Arc::clone(engine));
            self.wake.notify_one();
        }
    }

    /// Nobody asks this engine any more; what its `async` hooks do is awaited.
    pub fn retire(&self, engine: Arc<Engine>) {
        self.lock().retired.push(engine);
        self.wake.notify_one();
    }

    /// Writes everything there is, now.
    pub fn flush(&self) {
        let _pen = self.pen();
        let dirty = std::mem::take(&mut self.lock().dirty);
        dirty.iter().for_each(|engine| self.write(engine));
        let mut work = self.lock();
        for engine in dirty.into_iter().filter(|engine| has_more(engine)) {
            if !work.dirty.iter().any(|known| Arc::ptr_eq(known, &engine)) {
                work.dirty.push(engine);
            }
        }
    }

    /// Writes everything and waits for `async` hooks, which were told to end.
    pub fn finish(&self) {
        // Whoever writes now has engines in hand that are in neither list.
        let _pen = self.pen();
        let Work { dirty, retired } = std::mem::take(&mut *self.lock());
        for engine in dirty.iter().chain(&retired) {
            // Somebody else may be writing to the log for a moment.
            let mut written = engine.write_out().map(|_| ());
            for _ in 0..LAST_TRIES {
                if written.is_ok() {
                    break;
                }
                written = engine.write_out().map(|_| ());
            }
            self.tell(written.map_err(|error| error.to_string()));
        }
    }

    fn run(&self) {
        loop {
            let idle = |work: &mut Work| work.dirty.is_empty() && work.retired.is_empty();
            drop(self.wake.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner));
            thread::sleep(GATHER);
            self.flush();
            self.let_go();
            self.feed.look();
            let running = !idle(&mut self.lock());
            if running {
                // Only `async` hooks are left to wait for, or something new came.
                let work = self.lock();
                drop(self.wake.wait_timeout(work, LOOK_UP).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    fn let_go(&self) {
        let _pen = self.pen();
        let retired = std::mem::take(&mut self.lock().retired);
        retired.iter().for_each(|engine| self.write(engine));
        let busy = |engine: &Arc<Engine>| has_more(engine) || Arc::strong_count(engine) > 1;
        let (busy, idle): (Vec<_>, Vec<_>) = retired.into_iter().partition(busy);
        self.lock().retired.extend(busy);
        drop(idle);
    }

    fn write(&self, engine: &Engine) {
        self.tell(engine.write_ready().map(|_| ()).map_err(|error| error.to_string()));
    }

    /// Says once what is wrong, and not for every record.
    fn tell(&self, result: Result<(), String>) {
        let mut told = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let trouble = result.err();
        if *told != trouble {
            if let Some(trouble) = &trouble {
                Ui::new(ColorChoice::Auto).warning(&format!("the log was not written: {trouble}"));
            }
            *told = trouble;
        }
    }

    fn pen(&self) -> MutexGuard<'_, ()> {
        self.pen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether there is something left to write, now or later.
fn has_more(engine: &Engine) -> bool {
    let (records, running) = engine.unwritten();
    records > 0 || running
}

//! The thread that starts processes and ends those that nobody needs.
//!
//! The kernel ends a process with the thread that made it, so all of them are
//! made by one that lives as long as the keeper. It sleeps while there is none.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::super::os::{Guard, Left, Waiting};
use super::last_word::LastWord;
use super::pool::{Idle, Slot};
use super::{Shared, Unchanged, end, lock};

/// A handle for those who want something of the thread.
#[derive(Clone)]
pub struct Worker {
    jobs: Sender<Job>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

enum Job {
    Start(Arc<Slot>, SyncSender<Result<Waiting, String>>),
    Prepare(Later),
    Left(Left),
    Stop,
}

/// A process to be started when its time has come.
struct Later {
    slot: Arc<Slot>,
    unchanged: Unchanged,
    at: Instant,
}

impl Worker {
    /// Starts the thread; none when there can be no more.
    pub fn new(shared: &Arc<Shared>) -> Option<Worker> {
        let (jobs, receiver) = mpsc::channel();
        let state = State {
            shared: Arc::clone(shared),
            jobs: jobs.clone(),
            later: Vec::new(),
            left: Vec::new(),
            guard: None,
            count: AtomicUsize::new(0),
        };
        let thread = thread::Builder::new().name("keeper".to_owned()).spawn(move || state.work(&receiver));
        Some(Worker { jobs, thread: Arc::new(Mutex::new(Some(thread.ok()?))) })
    }

    /// Starts a process and waits until it is there; none when the thread is gone.
    pub fn start(&self, slot: &Arc<Slot>) -> Option<Result<Waiting, String>> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.jobs.send(Job::Start(Arc::clone(slot), sender)).ok()?;
        receiver.recv().ok()
    }

    /// Starts a process that nobody waits for.
    pub fn prepare(&self, slot: Arc<Slot>, unchanged: Unchanged, at: Instant) {
        // Without the thread there is none, and its event starts one.
        let _ = self.jobs.send(Job::Prepare(Later { slot, unchanged, at }));
    }

    /// Ends everything.
    pub fn finish(self) {
        let _ = self.jobs.send(Job::Stop);
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
    }
}

struct State {
    shared: Arc<Shared>,
    jobs: Sender<Job>,
    later: Vec<Later>,
    /// Those that gave their answer and have not ended yet, the oldest first.
    left: Vec<Left>,
    /// Ends what the processes have started, should this host be killed.
    guard: Option<Guard>,
    count: AtomicUsize,
}

impl State {
    fn work(mut self, jobs: &Receiver<Job>) {
        loop {
            match self.next(jobs) {
                Some(Job::Start(slot, reply)) => {
                    if let Err(mpsc::SendError(Ok(process))) = reply.send(self.start(&slot, false)) {
                        Waiting::end_all(vec![process]);
                    }
                }
                // Whoever sent it is about to answer: nothing happens before its time.
                Some(Job::Prepare(later)) => {
                    self.later.push(later);
                    continue;
                }
                Some(Job::Left(left)) => self.left.push(left),
                Some(Job::Stop) => break,
                None => {}
            }
            self.start_those_whose_time_has_come();
            self.tidy();
        }
        for job in jobs.try_iter() {
            if let Job::Left(left) = job {
                self.left.push(left);
            }
        }
        Left::end_all(self.left);
        end(lock(&self.shared.pool).remove(|_| true));
    }

    /// The next job, or none when it is time to look around. While there is no
    /// process there is nothing to look at.
    fn next(&self, jobs: &Receiver<Job>) -> Option<Job> {
        if self.later.is_empty() && self.left.is_empty() && lock(&self.shared.pool).is_empty() {
            return Some(jobs.recv().unwrap_or(Job::Stop));
        }
        let now = Instant::now();
        let due = self.later.iter().map(|later| later.at.saturating_duration_since(now)).min();
        let sleep = due.map_or(self.shared.limits.look, |due| due.min(self.shared.limits.look));
        match jobs.recv_timeout(sleep) {
            Ok(job) => Some(job),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Job::Stop),
        }
    }

    fn start(&self, slot: &Slot, may_say_done: bool) -> Result<Waiting, String> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let marker = self.shared.marker.of(number, slot.env());
        let jobs = self.jobs.clone();
        let last_word = may_say_done.then(|| {
            LastWord::new(move |left| {
                // Without the thread it ends with its maker.
                let _ = jobs.send(Job::Left(left));
            })
        });
        Waiting::start(&slot.invocation(last_word.as_ref()), marker, last_word)
    }

    fn start_those_whose_time_has_come(&mut self) {
        let now = Instant::now();
        let due: Vec<Later> = self.later.extract_if(.., |later| later.at <= now).collect();
        for mut later in due {
            let limits = self.shared.limits;
            let mut pool = lock(&self.shared.pool);
            pool.awaits_no_more(&later.slot);
            if later.slot.is_revoked() || pool.has_like(&later.slot) || !pool.has_room(limits.total) {
                continue;
            }
            let evicted = pool.reserve(&later.slot, limits.total);
            drop(pool);
            end(evicted);
            // What nobody has looked at since must not be started.
            let started = if later.unchanged.is_unchanged_throughout() {
                self.start(&later.slot, later.unchanged.may_say_done()).ok()
            } else {
                None
            };
            match started {
                Some(process) => {
                    let Later { slot, unchanged, .. } = later;
                    let idle = Idle { slot, process, unchanged, since: Instant::now() };
                    let doomed = lock(&self.shared.pool).give_back(idle);
                    end(doomed.into_iter().collect());
                }
                None => self.shared.release(&later.slot),
            }
        }
    }

    fn tidy(&mut self) {
        self.tidy_left();
        let mut pool = lock(&self.shared.pool);
        let stale = pool.stale(self.shared.limits.idle, Instant::now());
        let empty = pool.is_empty() && self.later.is_empty() && self.left.is_empty();
        // Whoever finds that a process is gone finds what is said of it, too.
        let processes: Vec<Waiting> = stale.into_iter().map(|stale| self.note(stale)).collect();
        drop(pool);
        if !processes.is_empty() {
            Waiting::end_all(processes);
        }
        match (&self.guard, empty) {
            (Some(_), true) => self.guard = None,
            (None, false) => self.guard = Guard::new(&self.shared.marker),
            (Some(_), false) | (None, true) => {}
        }
    }

    /// The next event of a hook is told what its process did meanwhile.
    fn note(&self, (idle, told): (Idle, Option<String>)) -> Waiting {
        let Idle { slot, process, unchanged, .. } = idle;
        if let Some(told) = told {
            lock(&self.shared.faults).add_untold(slot.whose(), told, unchanged);
        }
        process
    }

    /// Reaps those that have ended; ends those whose time is over, and the
    /// oldest when they are too many.
    fn tidy_left(&mut self) {
        let now = Instant::now();
        self.left.retain(|left| !left.is_over());
        let surplus = self.left.len().saturating_sub(self.shared.limits.total);
        let mut doomed: Vec<Left> = self.left.drain(..surplus).collect();
        doomed.extend(self.left.extract_if(.., |left| left.is_late(now)));
        Left::end_all(doomed);
    }
}

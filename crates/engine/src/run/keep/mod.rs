//! Processes that outlive an event: those that stay and are asked one line
//! after another, and those that were started ahead of their one event.
//!
//! Whoever lives long enough has one `Keeper`, and shares it. It knows neither
//! events nor JSON: a line goes in, a line comes out, and the caller says what
//! it means. Only what a plan let run is ever given to it.
//!
//! A process is kept for one command, directory and environment, and for the
//! state of files that the caller names: when one of them changed, the process
//! is ended and another one started. Nothing here starts a process by itself.
//!
//! `pool` has the processes, `worker` is the thread that starts and ends them:
//! a process dies with the thread that made it, so that must be one that stays.

mod faults;
mod helper;
mod last_word;
mod limits;
mod pool;
mod said;
mod wish;
mod worker;

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::os::{KEEPS, Marker, Waiting};
use super::{Cancel, Exit, Invocation, Status};
use faults::Faults;
pub use helper::{HELPER, helper_beside, names_who_answers, speaks_no_lines};
pub use last_word::DONE;
pub(super) use last_word::LastWord;
pub use limits::Limits;
use pool::{Found, Idle, Pool, Slot, Stay};
pub use said::{Asked, Read};
pub(super) use said::{Exchange, Reply};
pub use wish::{Origin, Unchanged, Wish};
use worker::Worker;

/// A process that stays finds this in its environment, as `1`.
pub const PERSISTENT: &str = "BOATHOOK_PERSISTENT";

/// One that answers soon is waited for so long before another one is started.
const SOON: Duration = Duration::from_millis(3);
/// When all are busy, one is waited for so long before the event gets a process
/// of its own.
const PATIENCE: Duration = Duration::from_millis(50);

/// A process that waits for its one event.
pub struct Prepared(Waiting);

impl Prepared {
    pub(super) fn into_waiting(self) -> Waiting {
        self.0
    }
}

/// What there is for an event of a hook that starts ahead.
pub struct Ahead {
    /// The process, when one waits.
    pub prepared: Option<Prepared>,
    /// What the next one is started from.
    pub next: Unchanged,
    /// What the hook's author should know.
    pub warnings: Vec<String>,
}

/// Keeps processes from event to event. Ends them all when it goes.
pub struct Keeper {
    shared: Arc<Shared>,
    worker: Mutex<Option<Worker>>,
}

struct Shared {
    limits: Limits,
    marker: Marker,
    pool: Mutex<Pool>,
    /// One came back, or one is gone.
    freed: Condvar,
    faults: Mutex<Faults>,
}

impl Keeper {
    /// Keeps nothing yet.
    pub fn new(limits: Limits) -> Keeper {
        let shared = Shared {
            limits,
            marker: Marker::new(),
            pool: Mutex::default(),
            freed: Condvar::new(),
            faults: Mutex::default(),
        };
        Keeper { shared: Arc::new(shared), worker: Mutex::default() }
    }

    /// Asks the process that stays for this wish, on the caller's thread; the
    /// first time, and when the last one is gone, one is started. The time that
    /// its invocation has counts from now.
    pub fn ask(
        &self,
        wish: &Wish<'_>,
        line: &[u8],
        cancel: &Cancel,
        read: impl FnOnce(&[u8]) -> Result<Read, String>,
    ) -> Asked {
        if !KEEPS {
            return Asked::NotKept(Vec::new());
        }
        let (mut warnings, resting) = self.past(wish);
        if let Some(why) = resting {
            warnings.push(why);
            return Asked::NotKept(warnings);
        }
        let started = Instant::now();
        let mut held = match self.hold(wish, &mut warnings) {
            Hold::Process(held) => held,
            Hold::NotKept(why) => {
                warnings.push(why);
                return Asked::NotKept(warnings);
            }
            Hold::NotStarted(reason) => {
                self.fault(wish);
                return Asked::Told(Exit::without_process(Status::NotStarted(reason)), warnings);
            }
        };
        // The keeper's round may have found the last one since.
        warnings.extend(lock(&self.shared.faults).tell(wish.whose()));
        let said = held.exchange(line, started, wish.invocation, cancel);
        // One that was on its way out when it was asked never saw the question.
        if held.answered && matches!(said.reply, Reply::Ended(Status::Code(0))) {
            held.end();
            self.fault(wish);
            warnings.push("its process ended when it was asked; this event got one of its own".to_owned());
            return Asked::NotKept(warnings);
        }
        let Exchange { reply, mut stderr } = said;
        let mut stdout = Vec::new();
        let (status, after) = match reply {
            Reply::Line { bytes, rest } => match read(&bytes) {
                Ok(said) => {
                    stdout = said.stdout;
                    stderr.extend(said.stderr);
                    (Status::Code(said.exit_code), if rest { After::Ended } else { After::Stays })
                }
                Err(problem) => {
                    stdout = bytes;
                    (Status::NoAnswer(problem), After::Failed)
                }
            },
            // Silence would be no opinion, and it was in the middle of something.
            Reply::Ended(Status::Code(0)) => {
                (Status::NoAnswer("it ended, with code 0".to_owned()), After::Failed)
            }
            Reply::Ended(status) => (status, After::Failed),
            Reply::Closed => (Status::NoAnswer("it closed its stdout".to_owned()), After::Failed),
            Reply::Nothing(Status::Cancelled) => (Status::Cancelled, After::Ended),
            Reply::Nothing(status) => (status, After::Failed),
        };
        // Code 2 is an answer, however it came.
        let mute = !held.answered && matches!(after, After::Failed) && status != Status::Code(2);
        match after {
            After::Stays => lock(&self.shared.faults).forget(wish.whose()),
            After::Failed => {
                held.end();
                self.fault(wish);
            }
            After::Ended => {
                held.end();
                if matches!(status, Status::Code(_)) {
                    warnings.push("it printed more than one line for one event, so it was ended".to_owned());
                }
            }
        }
        let exit = Exit { status, stdout, stderr, duration: started.elapsed(), leaked: false };
        if mute { Asked::Mute(exit, warnings) } else { Asked::Told(exit, warnings) }
    }

    /// This hook does not answer lines: until one of its files changes nobody
    /// asks it for one, and this says why. False of one that names who answers
    /// for it: that was late, or did something else wrong.
    pub fn speaks_no_lines(&self, wish: &Wish<'_>, why: &str) -> bool {
        let files = (wish.look)();
        let unknown = !files.names_who_answers();
        if unknown {
            lock(&self.shared.faults).speaks_no_lines(wish.whose(), why.to_owned(), files);
        }
        unknown
    }

    /// The process that was started ahead for this wish, if there is one that
    /// did nothing yet.
    pub fn take(&self, wish: &Wish<'_>) -> Ahead {
        let mut spoiled = None;
        // Others must not wait for the looks at it, and for its end.
        let waiting = lock(&self.shared.pool).take(wish, Stay::Ahead);
        if let Some(mut idle) = waiting {
            match idle.look() {
                Found::Good => {
                    let mut faults = lock(&self.shared.faults);
                    let warnings = faults.tell(wish.whose()).into_iter().collect();
                    faults.forget(wish.whose());
                    let prepared = Some(Prepared(idle.process));
                    return Ahead { prepared, next: idle.unchanged, warnings };
                }
                Found::Outdated => {}
                Found::Spoiled(told) => {
                    spoiled = Some(told);
                    self.fault(wish);
                }
            }
            Waiting::end_all(vec![idle.process]);
        }
        let (mut warnings, resting) = self.past(wish);
        warnings.extend(spoiled.into_iter().chain(resting));
        Ahead { prepared: None, next: (wish.look)(), warnings }
    }

    /// Starts the process of the next event, a little later, unless the files
    /// it starts from have changed by then.
    pub fn prepare(&self, wish: &Wish<'_>, next: Unchanged) {
        if !KEEPS || lock(&self.shared.faults).resting(wish.whose(), &self.shared.limits).is_some() {
            return;
        }
        let slot = Arc::new(Slot::of(wish, Stay::Ahead));
        lock(&self.shared.pool).awaits(&slot);
        self.with_worker(|worker| worker.prepare(slot, next, Instant::now() + self.shared.limits.ahead));
    }

    /// Ends what these owners may no longer have: `may_stay` is given owner,
    /// command and directory. Others are left alone.
    pub fn keep_only(&self, owners: &[&Path], may_stay: &dyn Fn(&Path, &str, &Path) -> bool) {
        let doomed = lock(&self.shared.pool).remove(|slot| {
            owners.contains(&&*slot.owner) && !may_stay(&slot.owner, &slot.command, &slot.run_dir)
        });
        end(doomed);
    }

    /// How many processes there are now, busy or idle; also those that are just
    /// being started.
    pub fn count(&self) -> usize {
        lock(&self.shared.pool).count()
    }

    /// How many of these wait for an event.
    pub fn idle(&self) -> usize {
        lock(&self.shared.pool).idle()
    }

    /// A process of its own for the caller, until it lets go.
    fn hold(&self, wish: &Wish<'_>, warnings: &mut Vec<String>) -> Hold<'_> {
        let begun = Instant::now();
        let mut pool = lock(&self.shared.pool);
        loop {
            if let Some(idle) = pool.hold(wish, Stay::Stays) {
                drop(pool);
                if let Some(held) = self.check(idle, wish, warnings) {
                    return Hold::Process(held);
                }
                pool = lock(&self.shared.pool);
                continue;
            }
            let alike = pool.busy_alike(wish);
            let room = alike < self.shared.limits.alike && pool.has_room(self.shared.limits.total);
            let patience = if room { SOON } else { PATIENCE };
            let waited = begun.elapsed();
            if alike > 0 && waited < patience {
                pool.sleepers += 1;
                let freed = self.shared.freed.wait_timeout(pool, patience - waited);
                pool = freed.unwrap_or_else(PoisonError::into_inner).0;
                pool.sleepers -= 1;
                continue;
            }
            if !room {
                return Hold::NotKept("all processes that stay were busy; it got one of its own".to_owned());
            }
            let slot = Arc::new(Slot::of(wish, Stay::Stays));
            let evicted = pool.reserve(&slot, self.shared.limits.total);
            drop(pool);
            end(evicted);
            return self.start(slot, wish);
        }
    }

    /// Whether an idle process can be asked; else it is ended.
    fn check(&self, mut idle: Idle, wish: &Wish<'_>, warnings: &mut Vec<String>) -> Option<Held<'_>> {
        let found = idle.look();
        let held = Held { shared: &self.shared, idle: Some(idle), answered: true };
        match found {
            Found::Good => return Some(held),
            Found::Outdated => {}
            Found::Spoiled(told) => {
                warnings.push(told);
                self.fault(wish);
            }
        }
        held.end();
        None
    }

    /// What its next event has to be told, and why it has a process of its own.
    fn past(&self, wish: &Wish<'_>) -> (Vec<String>, Option<String>) {
        let mut faults = lock(&self.shared.faults);
        let untold = faults.tell(wish.whose());
        (untold.into_iter().collect(), faults.resting(wish.whose(), &self.shared.limits))
    }

    /// What its process did wrong counts until its files change.
    fn fault(&self, wish: &Wish<'_>) {
        let files = (wish.look)();
        lock(&self.shared.faults).add(wish.whose(), files);
    }

    fn start(&self, slot: Arc<Slot>, wish: &Wish<'_>) -> Hold<'_> {
        let unchanged = (wish.look)();
        if let Some(why) = unchanged.why_not_asked() {
            self.shared.release(&slot);
            lock(&self.shared.faults).speaks_no_lines(wish.whose(), why.clone(), unchanged);
            return Hold::NotKept(why);
        }
        let started = self.with_worker(|worker| worker.start(&slot));
        match started.flatten() {
            Some(Ok(process)) => {
                let idle = Idle { slot, process, unchanged, since: Instant::now() };
                Hold::Process(Held { shared: &self.shared, idle: Some(idle), answered: false })
            }
            Some(Err(reason)) => {
                self.shared.release(&slot);
                Hold::NotStarted(reason)
            }
            None => {
                self.shared.release(&slot);
                Hold::NotKept("no thread could be started that keeps it".to_owned())
            }
        }
    }

    /// The worker is started when it is first needed.
    fn with_worker<T>(&self, work: impl FnOnce(&Worker) -> T) -> Option<T> {
        let mut worker = lock(&self.worker);
        if worker.is_none() {
            *worker = Worker::new(&self.shared);
        }
        // Others must not wait while this one's process is started.
        let own = worker.as_ref()?.clone();
        drop(worker);
        Some(work(&own))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(worker) = lock(&self.worker).take() {
            worker.finish();
        }
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Keeper").field("limits", &self.shared.limits).finish_non_exhaustive()
    }
}

/// What becomes of a process that was asked.
enum After {
    Stays,
    Ended,
    Failed,
}

enum Hold<'k> {
    Process(Held<'k>),
    NotKept(String),
    NotStarted(String),
}

/// A process while somebody has it. It goes back when it is let go.
struct Held<'k> {
    shared: &'k Shared,
    /// None once it was let go.
    idle: Option<Idle>,
    /// It answered somebody before.
    answered: bool,
}

impl Held<'_> {
    fn exchange(
        &mut self,
        line: &[u8],
        started: Instant,
        invocation: &Invocation,
        cancel: &Cancel,
    ) -> Exchange {
        match &mut self.idle {
            Some(idle) => idle.process.exchange(line, started, invocation, cancel),
            None => Exchange { reply: Reply::Closed, stderr: Vec::new() },
        }
    }

    fn end(mut self) {
        if let Some(idle) = self.idle.take() {
            Waiting::end_all(vec![idle.process]);
            self.shared.release(&idle.slot);
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(mut idle) = self.idle.take() {
            idle.since = Instant::now();
            let mut pool = lock(&self.shared.pool);
            let doomed = pool.give_back(idle);
            self.shared.wake(pool);
            end(doomed.into_iter().collect());
        }
    }
}

impl Shared {
    /// A place that was reserved is free again.
    fn release(&self, slot: &Arc<Slot>) {
        let mut pool = lock(&self.pool);
        pool.release(slot);
        self.wake(pool);
    }

    /// Wakes those who wait for a process. Mostly there are none, and waking
    /// nobody is a call to the kernel, too.
    fn wake(&self, pool: MutexGuard<'_, Pool>) {
        let sleepers = pool.sleepers;
        drop(pool);
        if sleepers > 0 {
            self.freed.notify_all();
        }
    }
}

fn end(doomed: Vec<Idle>) {
    if !doomed.is_empty() {
        Waiting::end_all(doomed.into_iter().map(|idle| idle.process).collect());
    }
}

/// A panic somewhere else must not take all others with it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

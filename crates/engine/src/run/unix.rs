//! The runner on Unix: one thread, one poll over all pipes and processes.

// Where the kernel's own way to make a process is known to us, and where not.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "unix/clone.rs"]
mod clone;
#[cfg(any(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))), test))]
#[path = "unix/command.rs"]
mod command;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "unix/block.rs"]
mod block;
#[cfg(target_os = "linux")]
#[path = "unix/guard.rs"]
mod guard;
#[cfg(not(target_os = "linux"))]
#[path = "unix/no_guard.rs"]
mod guard;
#[path = "unix/marker.rs"]
mod marker;
#[path = "unix/process.rs"]
mod process;
#[path = "unix/spawn.rs"]
mod spawn;
#[path = "unix/start.rs"]
mod start;
#[path = "unix/tree.rs"]
mod tree;
#[path = "unix/waiting.rs"]
mod waiting;

#[cfg(test)]
pub use spawn::without_clone;

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::child::Next;
use super::{AT_ONCE, Cancel, Exit, Invocation, IsAnswer, Status};
use guard::GUARD_AFTER;
use process::Process;
use start::Failure;

/// How long a cancelled run may go unnoticed.
const CANCEL_CHECK: Duration = Duration::from_millis(50);
/// How long killed processes may take to die before they are left to a later run.
const DYING: Duration = Duration::from_secs(1);
/// The pause before a start is tried again when the machine had no room for it.
const NO_ROOM_PAUSE: Duration = Duration::from_millis(10);
/// Each process has three pipes and its end.
const MOST_WATCHED: usize = 4 * AT_ONCE;

pub use guard::Guard;
pub use marker::Marker;
pub use start::first_way;
pub use waiting::{Idleness, KEEPS, Left, Waiting};

/// Those that wait already are taken instead of new ones; `waiting` ends where
/// no more do.
pub fn run_all(
    invocations: &[Invocation],
    waiting: Vec<Option<Waiting>>,
    is_answer: IsAnswer,
    cancel: &Cancel,
) -> Vec<Exit> {
    process::reap_abandoned();
    let mut run = Run {
        invocations,
        waiting,
        is_answer,
        marker: Marker::new(),
        started: 0,
        places: AT_ONCE,
        running: Vec::with_capacity(invocations.len().min(AT_ONCE)),
        exits: vec![None; invocations.len()],
        buffer: Vec::new(),
        guard: None,
        guarded: false,
    };
    while run.step(cancel) {}
    Waiting::end_all(std::mem::take(&mut run.waiting).into_iter().flatten().collect());
    run.exits
        .into_iter()
        .map(|exit| exit.unwrap_or_else(|| Exit::without_process(Status::Cancelled)))
        .collect()
}

/// A run of several processes. Those that were not started yet follow as
/// places become free.
struct Run<'a> {
    invocations: &'a [Invocation],
    waiting: Vec<Option<Waiting>>,
    is_answer: IsAnswer,
    marker: Marker,
    started: usize,
    /// How many may run together: fewer while the machine has no room.
    places: usize,
    running: Vec<Process<'a>>,
    exits: Vec<Option<Exit>>,
    buffer: Vec<u8>,
    guard: Option<Guard>,
    /// A guard was set up, or could not be.
    guarded: bool,
}

impl Run<'_> {
    /// One turn of the loop; false when nothing is left to do.
    fn step(&mut self, cancel: &Cancel) -> bool {
        if cancel.is_cancelled() {
            let running = std::mem::take(&mut self.running);
            self.kill(running.into_iter().map(|process| (process, Status::Cancelled)).collect());
            return false;
        }
        self.start_more();
        if self.running.is_empty() {
            return false;
        }
        let now = self.wait();
        self.settle(now);
        self.keep_guard(now);
        true
    }

    fn keep_guard(&mut self, now: Instant) {
        let long = |process: &Process| process.age(now) >= GUARD_AFTER;
        if !self.guarded && self.running.iter().any(long) {
            self.guarded = true;
            self.guard = Guard::new(&self.marker);
        }
    }

    /// Starts what there is room for. Where the machine has none, the next one
    /// waits until one of ours has ended; if none runs, it is tried once again
    /// after a moment.
    fn start_more(&mut self) {
        let mut paused = false;
        while self.running.len() < self.places && self.started < self.invocations.len() {
            let index = self.started;
            let invocation = &self.invocations[index];
            let started = match self.waiting.get_mut(index).and_then(Option::take) {
                Some(waiting) => Ok(waiting.into_process(index, invocation)),
                None => start::start(index, invocation, &self.marker),
            };
            match started {
                Err(Failure::Process(_)) if !self.running.is_empty() => {
                    self.places = self.running.len();
                    return;
                }
                Err(Failure::Process(_)) if !paused => {
                    paused = true;
                    std::thread::sleep(NO_ROOM_PAUSE);
                    continue;
                }
                Ok(process) => self.running.push(process),
                Err(failure) => {
                    let cause = start::explain(failure, invocation);
                    self.exits[index] = Some(Exit::without_process(Status::NotStarted(cause)));
                }
            }
            self.places = AT_ONCE;
            self.started += 1;
        }
    }

    /// Sleeps until something happens, takes note of it, and says when it was.
    fn wait(&mut self) -> Instant {
        let mut happened = [PollFlags::empty(); MOST_WATCHED];
        self.sleep(&mut happened);
        let now = Instant::now();
        let mut happened = happened.iter().copied();
        for process in &mut self.running {
            process.take(&mut happened, &mut self.buffer, now);
            process.look_for_its_end(&mut self.buffer, now);
        }
        now
    }

    /// Notes what happened on the descriptors of all processes, in their order.
    fn sleep(&self, happened: &mut [PollFlags; MOST_WATCHED]) {
        let sleep = self.longest_sleep();
        let sleep = Timespec { tv_sec: sleep.as_secs() as i64, tv_nsec: sleep.subsec_nanos().into() };
        let watched = self.running.iter().flat_map(Process::watched);
        let mut fds: Vec<PollFd> =
            watched.map(|(role, fd)| PollFd::from_borrowed_fd(fd, role.awaits())).collect();
        // A signal that interrupts is as good as a wake: everything is looked
        // at again. No other error can last.
        if poll(&mut fds, Some(&sleep)).is_ok() {
            happened.iter_mut().zip(&fds).for_each(|(happened, fd)| *happened = fd.revents());
        }
    }

    fn longest_sleep(&self) -> Duration {
        let now = Instant::now();
        let wakes = self.running.iter().filter_map(|process| process.wake(now));
        wakes.fold(CANCEL_CHECK, |least, wake| least.min(wake.saturating_duration_since(now)))
    }

    /// Finishes what is over and kills what has to be killed.
    fn settle(&mut self, now: Instant) {
        let mut doomed = Vec::new();
        let mut place = 0;
        while let Some(process) = self.running.get_mut(place) {
            match process.next(now, self.is_answer) {
                Next::Wait(until) => {
                    process.sleep_until(until);
                    place += 1;
                }
                Next::Kill(status) => doomed.push((self.running.remove(place), status)),
                Next::Leave(code) => {
                    let process = self.running.remove(place);
                    let index = process.index();
                    self.exits[index] = Some(process.leave(code, &mut self.buffer, now));
                }
                Next::Finish { leaked } => {
                    let process = self.running.remove(place);
                    let index = process.index();
                    self.exits[index] = Some(process.finish(leaked, now));
                }
            }
        }
        self.kill(doomed);
    }

    /// Kills trees, all of them in one go: a look at every process of the
    /// machine is what it costs.
    fn kill(&mut self, doomed: Vec<(Process, Status)>) {
        if doomed.is_empty() {
            return;
        }
        let roots: Vec<_> = doomed.iter().map(|(process, _)| process.root()).collect();
        tree::kill(&roots);
        let limit = Instant::now() + DYING;
        for (process, status) in doomed {
            let index = process.index();
            self.exits[index] = Some(process.finish_killed(status, &mut self.buffer, limit));
        }
    }
}

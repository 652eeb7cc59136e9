//! The runner on Unix: one thread, one poll over all pipes and processes.

#[path = "unix/marker.rs"]
mod marker;
#[path = "unix/process.rs"]
mod process;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "unix/clone.rs"]
mod spawn;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[path = "unix/command.rs"]
mod spawn;
#[cfg(target_os = "linux")]
#[path = "unix/block.rs"]
mod block;
#[path = "unix/start.rs"]
mod start;
#[path = "unix/tree.rs"]
mod tree;

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::child::Next;
use super::shell::Way;
use super::{AT_ONCE, Cancel, Exit, Invocation, IsAnswer, Status};
use marker::Marker;
use process::{Process, Role};

/// How long a cancelled run may go unnoticed.
const CANCEL_CHECK: Duration = Duration::from_millis(50);
/// How much is read at once, until a process prints more than that.
const SMALL_READ: usize = 1024;

/// The way this is tried first.
pub fn first_way(invocation: &Invocation) -> Result<Way, String> {
    let mut ways = start::ways(invocation)?;
    Ok(ways.remove(0))
}

pub fn run_all(invocations: &[Invocation], is_answer: IsAnswer, cancel: &Cancel) -> Vec<Exit> {
    process::reap_abandoned();
    let mut run = Run {
        invocations,
        is_answer,
        marker: Marker::new(),
        started: 0,
        running: Vec::with_capacity(invocations.len().min(AT_ONCE)),
        exits: vec![None; invocations.len()],
        buffer: Vec::with_capacity(SMALL_READ),
    };
    while run.step(cancel) {}
    run.exits
        .into_iter()
        .map(|exit| exit.unwrap_or_else(|| Exit::without_process(Status::Cancelled)))
        .collect()
}

/// A run of several processes. Those that were not started yet follow as
/// places become free.
struct Run<'a> {
    invocations: &'a [Invocation],
    is_answer: IsAnswer,
    marker: Marker,
    started: usize,
    running: Vec<Process<'a>>,
    exits: Vec<Option<Exit>>,
    buffer: Vec<u8>,
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
        self.wait();
        self.settle();
        true
    }

    fn start_more(&mut self) {
        while self.running.len() < AT_ONCE && self.started < self.invocations.len() {
            let index = self.started;
            self.started += 1;
            match start::start(index, &self.invocations[index], &self.marker) {
                Ok(process) => self.running.push(process),
                Err(cause) => self.exits[index] = Some(Exit::without_process(Status::NotStarted(cause))),
            }
        }
    }

    /// Sleeps until something happens, and takes note of it.
    fn wait(&mut self) {
        let happened = happenings(&self.running, self.longest_sleep());
        let now = Instant::now();
        for (place, role, flags) in happened {
            self.running[place].take(role, flags, &mut self.buffer, now);
        }
        for process in &mut self.running {
            process.look_for_its_end(&mut self.buffer, now);
        }
    }

    fn longest_sleep(&self) -> Duration {
        let now = Instant::now();
        let wakes = self.running.iter().filter_map(|process| process.wake(now));
        wakes.fold(CANCEL_CHECK, |least, wake| least.min(wake.saturating_duration_since(now)))
    }

    /// Finishes what is over and kills what has to be killed.
    fn settle(&mut self) {
        let now = Instant::now();
        let mut doomed = Vec::new();
        for mut process in std::mem::take(&mut self.running) {
            match process.next(now, self.is_answer) {
                Next::Wait(until) => {
                    process.sleep_until(until);
                    self.running.push(process);
                }
                Next::Kill(status) => doomed.push((process, status)),
                Next::Finish { leaked } => {
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
        for (process, status) in doomed {
            let index = process.index();
            self.exits[index] = Some(process.finish_killed(status, &mut self.buffer));
        }
    }
}

fn happenings(running: &[Process], sleep: Duration) -> Vec<(usize, Role, PollFlags)> {
    let watched: Vec<(usize, Role, BorrowedFd)> = running
        .iter()
        .enumerate()
        .flat_map(|(place, process)| process.watched().map(move |(role, fd)| (place, role, fd)))
        .collect();
    let mut fds: Vec<PollFd> =
        watched.iter().map(|(_, role, fd)| PollFd::from_borrowed_fd(*fd, role.awaits())).collect();
    let sleep = Timespec { tv_sec: sleep.as_secs() as i64, tv_nsec: sleep.subsec_nanos().into() };
    // A signal that interrupts is as good as a wake: the caller looks at
    // everything again. No other error can last.
    if poll(&mut fds, Some(&sleep)).is_err() {
        return Vec::new();
    }
    let happened = watched.iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
    happened.map(|((place, role, _), fd)| (*place, *role, fd.revents())).collect()
}

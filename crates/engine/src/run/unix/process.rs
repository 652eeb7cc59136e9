//! A process that runs, with its pipes: what happens on them, and its end.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};

use super::super::child::{Child, Next};
use super::super::keep::LastWord;
use super::super::{Exit, IsAnswer, Status};
use super::DYING;
use super::start::{Started, set_nonblocking};
use super::tree::{self, Root};
use super::waiting::Left;

/// How often an end is looked for where nothing announces it.
const LOOK: Duration = Duration::from_millis(5);
/// The same once its output is closed: the end is near.
const LOOK_CLOSELY: Duration = Duration::from_millis(1);
/// How much is read at once, until a process prints more than that.
const SMALL_READ: usize = 2048;
/// What a pipe holds; so much is read at once from then on.
const PIPE_SIZE: usize = 64 * 1024;
/// A flood that never ends must not hold the drain of a pipe.
const DRAIN_READS: usize = 64;

/// Killed processes that did not die in time (they hang in the kernel). They
/// are reaped when they are found dead, at the beginning of a later run.
static ABANDONED: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// A process that runs.
pub struct Process<'a> {
    index: usize,
    pid: Pid,
    pidfd: Option<OwnedFd>,
    marker: String,
    child: Child,
    feed: Option<Feed<'a>>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    wake: Option<Instant>,
    /// How it may say that it is done before it ends.
    pub last_word: Option<LastWord>,
}

/// Input that is still being written.
///
/// The reading end is kept open here as well. A process that closes its stdin
/// can then never make a write fail, and so never send the host a SIGPIPE,
/// whatever the host's way with that signal. What nobody reads stays in the
/// pipe and ends with it.
pub struct Feed<'a> {
    writer: OwnedFd,
    _reader: OwnedFd,
    rest: &'a [u8],
}

/// What a descriptor is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Role {
    End,
    Stdin,
    Stdout,
    Stderr,
}

impl Role {
    pub fn awaits(self) -> PollFlags {
        match self {
            Role::Stdin => PollFlags::OUT,
            Role::End | Role::Stdout | Role::Stderr => PollFlags::IN,
        }
    }
}

impl<'a> Feed<'a> {
    pub fn new((writer, written): (OwnedFd, usize), reader: OwnedFd, input: &'a [u8]) -> Feed<'a> {
        Feed { writer, _reader: reader, rest: &input[written..] }
    }

    /// Writes what fits; false when there is nothing more to write.
    fn write(&mut self) -> bool {
        match rustix::io::write(&self.writer, self.rest) {
            Ok(written) => self.rest = &self.rest[written..],
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return false,
        }
        !self.rest.is_empty()
    }
}

impl<'a> Process<'a> {
    pub fn new(
        index: usize,
        started: Started,
        child: Child,
        marker: String,
        feed: Option<Feed<'a>>,
        stdout: OwnedFd,
        stderr: Option<OwnedFd>,
    ) -> Process<'a> {
        let wake = child.deadline();
        let (stdout, last_word) = (Some(stdout), None);
        let Started { pid, pidfd } = started;
        Process { index, pid, pidfd, marker, child, feed, stdout, stderr, wake, last_word }
    }

    pub fn index(&self) -> usize {
        self.index
    }

    pub fn age(&self, now: Instant) -> Duration {
        self.child.age(now)
    }

    pub fn root(&self) -> Root<'_> {
        Root { pid: self.pid, marker: &self.marker }
    }

    /// The descriptors on which something may happen. The end comes last: what
    /// was printed before is read before it is noted.
    pub fn watched(&self) -> impl Iterator<Item = (Role, BorrowedFd<'_>)> {
        let end = self.pidfd.as_ref().filter(|_| !self.child.has_ended());
        let all = [
            (Role::Stdin, self.feed.as_ref().map(|feed| &feed.writer)),
            (Role::Stdout, self.stdout.as_ref()),
            (Role::Stderr, self.stderr.as_ref()),
            (Role::End, end),
        ];
        all.into_iter().filter_map(|(role, fd)| Some((role, fd?.as_fd())))
    }

    fn watched_roles(&self) -> [Option<Role>; 4] {
        let mut watched = self.watched().map(|(role, _)| role);
        std::array::from_fn(|_| watched.next())
    }

    /// When it wants to be looked at, even if nothing happens.
    pub fn wake(&self, now: Instant) -> Option<Instant> {
        let look = match (&self.pidfd, self.child.has_ended(), self.is_open()) {
            (Some(_), _, _) | (None, true, _) => None,
            (None, false, true) => Some(now + LOOK),
            (None, false, false) => Some(now + LOOK_CLOSELY),
        };
        self.wake.into_iter().chain(look).min()
    }

    pub fn sleep_until(&mut self, wake: Option<Instant>) {
        self.wake = wake;
    }

    pub fn next(&self, now: Instant, is_answer: IsAnswer) -> Next {
        self.child.next(now, self.is_open(), is_answer)
    }

    /// Takes note of what happened on the watched descriptors, in their order.
    pub fn take(
        &mut self,
        happened: &mut impl Iterator<Item = PollFlags>,
        buffer: &mut Vec<u8>,
        now: Instant,
    ) {
        let roles = self.watched_roles();
        for role in roles.into_iter().flatten() {
            let flags = happened.next().unwrap_or(PollFlags::empty());
            if !flags.is_empty() {
                self.take_one(role, flags, buffer, now);
            }
        }
    }

    fn take_one(&mut self, role: Role, flags: PollFlags, buffer: &mut Vec<u8>, now: Instant) {
        match role {
            Role::Stdin => {
                if self.feed.as_mut().is_some_and(|feed| !feed.write()) {
                    self.feed = None;
                }
            }
            Role::Stdout | Role::Stderr => {
                // Hung up without anything to read, or with the rest just read.
                let last = flags.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
                let empty = !flags.contains(PollFlags::IN) || self.read(role, buffer, now) == More::NotNow;
                if last && empty {
                    self.close(role);
                }
            }
            Role::End => self.end(buffer, now),
        }
    }

    /// Asks whether it ended, where nothing announces it.
    pub fn look_for_its_end(&mut self, buffer: &mut Vec<u8>, now: Instant) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let silent = self.pidfd.is_none() && !self.child.has_ended();
        if silent && !matches!(waitid(WaitId::Pid(self.pid), look), Ok(None) | Err(Errno::INTR)) {
            self.end(buffer, now);
        }
    }

    /// Reaps it and says what became of it.
    pub fn finish(self, leaked: bool, now: Instant) -> Exit {
        let status = match waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(Some(status)) => status_of(&status),
            // A host that ignores SIGCHLD, or waits for every child, takes the
            // status away. Nobody knows it then, and it must not pass for success.
            Ok(None) | Err(_) => Status::NotStarted(
                "its exit code was lost: the program around us waits for all children".to_owned(),
            ),
        };
        self.child.into_exit(status, leaked, now)
    }

    /// Says what it answered, and leaves the rest of it to its keeper.
    pub fn leave(mut self, code: i32, buffer: &mut Vec<u8>, now: Instant) -> Exit {
        // What it prints behind its last word is no part of its answer.
        let stdout = self.stdout.take();
        self.drain(buffer, now);
        if let Some(last_word) = self.last_word {
            (last_word.leave)(Left {
                pid: self.pid,
                pidfd: self.pidfd,
                marker: self.marker,
                _pipes: [stdout, self.stderr],
                until: self.child.deadline(),
            });
        }
        self.child.into_exit(Status::Code(code), false, now)
    }

    /// The same for one whose tree was killed, and which should be dead by that
    /// moment. The reason counts, not the exit code it may have found time for.
    pub fn finish_killed(mut self, status: Status, buffer: &mut Vec<u8>, limit: Instant) -> Exit {
        self.drain(buffer, Instant::now());
        if !wait_for_end(self.pid, self.pidfd.as_ref(), limit) {
            abandon(self.pid);
        }
        self.child.into_exit(status, false, Instant::now())
    }

    fn is_open(&self) -> bool {
        self.stdout.is_some() || self.stderr.is_some()
    }

    fn end(&mut self, buffer: &mut Vec<u8>, now: Instant) {
        self.drain(buffer, now);
        self.child.ended(now);
    }

    /// Reads what is in the pipes. What was printed before an end is in them
    /// by then, so nothing of it is lost.
    fn drain(&mut self, buffer: &mut Vec<u8>, now: Instant) {
        for role in [Role::Stdout, Role::Stderr] {
            let pipe = if role == Role::Stdout { &self.stdout } else { &self.stderr };
            // Until now it was read only when it had something to read.
            if pipe.as_ref().is_some_and(|pipe| set_nonblocking(pipe).is_ok()) {
                let _ = (0..DRAIN_READS).find(|_| self.read(role, buffer, now) == More::NotNow);
            }
        }
    }

    fn read(&mut self, role: Role, buffer: &mut Vec<u8>, now: Instant) -> More {
        let pipe = if role == Role::Stdout { &self.stdout } else { &self.stderr };
        let Some(pipe) = pipe else { return More::NotNow };
        let mut small = [MaybeUninit::uninit(); SMALL_READ];
        buffer.clear();
        let room = if buffer.capacity() == 0 { &mut small[..] } else { buffer.spare_capacity_mut() };
        match rustix::io::read(pipe, room) {
            Err(Errno::AGAIN) => return More::NotNow,
            Err(Errno::INTR) => return More::Perhaps,
            Ok(([], _)) | Err(_) => self.close(role),
            Ok((bytes, rest)) => {
                match role {
                    Role::Stdout => {
                        self.child.printed(bytes, now);
                        if let Some(last_word) = &self.last_word {
                            self.child.hear_code(&last_word.word);
                        }
                    }
                    Role::Stderr | Role::Stdin | Role::End => self.child.complained(bytes, now),
                }
                if rest.is_empty() {
                    buffer.reserve_exact(PIPE_SIZE);
                    return More::Perhaps;
                }
            }
        }
        More::NotNow
    }

    fn close(&mut self, role: Role) {
        match role {
            Role::Stdin => self.feed = None,
            Role::Stdout => self.stdout = None,
            Role::Stderr => self.stderr = None,
            Role::End => self.pidfd = None,
        }
    }
}

/// Whether a pipe may hold more.
#[derive(Debug, Clone, Copy, PartialEq)]
enum More {
    Perhaps,
    NotNow,
}

/// Kills processes with everything they started, and reaps them.
pub fn end_trees(trees: Vec<(Root<'_>, Option<&OwnedFd>)>) {
    if trees.is_empty() {
        return;
    }
    let (roots, pidfds): (Vec<Root>, Vec<_>) = trees.into_iter().unzip();
    tree::kill(&roots);
    let limit = Instant::now() + DYING;
    for (root, pidfd) in roots.iter().zip(pidfds) {
        if !wait_for_end(root.pid, pidfd, limit) {
            abandon(root.pid);
        }
    }
}

/// Leaves a killed process that does not die to a later run.
fn abandon(pid: Pid) {
    ABANDONED.lock().unwrap_or_else(PoisonError::into_inner).push(pid);
}

/// Reaps those that were given up and have died since.
pub fn reap_abandoned() {
    let mut abandoned = ABANDONED.lock().unwrap_or_else(PoisonError::into_inner);
    abandoned.retain(|pid| !reap(*pid));
}

/// Waits, within limits, until a killed process is dead, and reaps it.
fn wait_for_end(pid: Pid, pidfd: Option<&OwnedFd>, limit: Instant) -> bool {
    while !reap(pid) {
        let left = limit.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        match pidfd {
            Some(pidfd) => {
                let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
                let _ = poll(&mut [PollFd::new(pidfd, PollFlags::IN)], Some(&left));
            }
            None => std::thread::sleep(LOOK_CLOSELY),
        }
    }
    true
}

/// Whether there is nothing left to reap.
pub fn reap(pid: Pid) -> bool {
    !matches!(
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG),
        Ok(None) | Err(Errno::INTR)
    )
}

pub fn status_of(status: &WaitIdStatus) -> Status {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Status::Code(code),
        (None, Some(signal)) => Status::Signal(signal),
        (None, None) => Status::NotStarted("its exit code could not be read".to_owned()),
    }
}

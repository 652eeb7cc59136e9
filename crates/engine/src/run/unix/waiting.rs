//! A process that was started before there is anything for it to read.
//!
//! It is given its input once (`into_process`), or line after line (`exchange`).
//! Between two of these it is idle, and nobody looks at it but its keeper.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::super::child::Child;
use super::super::keep::{Exchange, LastWord, Reply};
use super::super::output::{Stderr, Stdout};
use super::super::{Cancel, Invocation, Status};
use super::CANCEL_CHECK;
use super::process::{Feed, Process, end_trees, reap, status_of};
use super::start::{self, Failure, Started};
use super::tree::Root;

/// Whether there are such processes here.
pub const KEEPS: bool = true;

/// So long an answer is waited for awake: what sleeps on another processor may
/// take half of that until it runs at all.
const AWAKE: Duration = Duration::from_millis(1);
/// Whether somebody does. Many at once would be in each other's way.
static SOMEBODY_IS_AWAKE: AtomicBool = AtomicBool::new(false);
/// How often to ask for the end of a process that nothing announces.
const END_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How much is read at once.
const READ: usize = 16 * 1024;
/// A flood that never ends must not hold anybody: so many pieces of it are read.
const READS: usize = 64;

/// A process that waits for its input.
pub struct Waiting {
    pid: Pid,
    pidfd: Option<OwnedFd>,
    marker: String,
    stdin: OwnedFd,
    /// Kept open here as well, so that a write never meets a closed pipe.
    reader: OwnedFd,
    stdout: OwnedFd,
    /// None once its other end was closed.
    stderr: Option<OwnedFd>,
    /// How it may say that it is done, when it is for one event.
    last_word: Option<LastWord>,
}

/// A process that gave its answer and was left to end by itself.
pub struct Left {
    pub pid: Pid,
    pub pidfd: Option<OwnedFd>,
    pub marker: String,
    /// What it may still write to, so that no write of it fails.
    pub _pipes: [Option<OwnedFd>; 2],
    /// How long it may take.
    pub until: Option<Instant>,
}

/// What an idle process did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Idleness {
    /// Nothing that matters.
    Quiet,
    /// It printed something on stdout, and nobody had asked.
    Printed,
    /// It ended.
    Ended,
}

impl Waiting {
    /// Starts it. Where it dies with its host, it dies with this very thread.
    pub fn start(
        invocation: &Invocation,
        marker: String,
        last_word: Option<LastWord>,
    ) -> Result<Waiting, String> {
        try_start(invocation, marker, last_word).map_err(|failure| start::explain(failure, invocation))
    }

    /// What it did since somebody asked. What it wrote to stderr belongs to no
    /// event and is let go.
    pub fn idleness(&mut self) -> Idleness {
        let nothing = Timespec { tv_sec: 0, tv_nsec: 0 };
        let happened = self.poll(false, Some(&nothing));
        if happened.stderr {
            for _ in 0..READS {
                if !self.read_stderr(&mut |_| {}) {
                    break;
                }
            }
        }
        match (happened.stdout, happened.end || self.has_ended_silently()) {
            (Some(flags), _) if flags.contains(PollFlags::IN) => Idleness::Printed,
            (Some(_), _) | (None, true) => Idleness::Ended,
            (None, false) => Idleness::Quiet,
        }
    }

    /// One line in, one line out. Whatever the reply, what it wrote to stderr
    /// until then comes with it.
    pub fn exchange(
        &mut self,
        line: &[u8],
        started: Instant,
        invocation: &Invocation,
        cancel: &Cancel,
    ) -> Exchange {
        let mut talk = Talk {
            rest: line,
            stdout: Stdout::default(),
            stderr: Stderr::default(),
            deadline: started.checked_add(invocation.timeout),
        };
        let reply = loop {
            if let Some(reply) = self.turn(&mut talk, invocation.timeout, cancel) {
                break reply;
            }
        };
        for _ in 0..READS {
            if !self.read_stderr(&mut |bytes| talk.stderr.add(bytes)) {
                break;
            }
        }
        Exchange { reply, stderr: talk.stderr.into_bytes() }
    }

    /// Kills them with everything they started.
    pub fn end_all(all: Vec<Waiting>) {
        let trees = all.iter().map(|one| (Root { pid: one.pid, marker: &one.marker }, one.pidfd.as_ref()));
        end_trees(trees.collect());
    }

    /// Gives it its whole input, and lets it run to its end like any other.
    pub(super) fn into_process(self, index: usize, invocation: &Invocation) -> Process<'_> {
        let child = Child::starting(invocation, Instant::now());
        let input = &invocation.stdin[..];
        let written = rustix::io::write(&self.stdin, input).unwrap_or(0);
        let feed = (written < input.len()).then(|| Feed::new((self.stdin, written), self.reader, input));
        let started = Started { pid: self.pid, pidfd: self.pidfd };
        let mut process = Process::new(index, started, child, self.marker, feed, self.stdout, self.stderr);
        process.last_word = self.last_word;
        process
    }

    /// Writes what fits, waits until something happens, and takes note of it.
    fn turn(&mut self, talk: &mut Talk, timeout: Duration, cancel: &Cancel) -> Option<Reply> {
        if talk.write(&self.stdin)
            && let Some(reply) = self.wait_awake(talk)
        {
            return Some(reply);
        }
        let now = Instant::now();
        if talk.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Reply::Nothing(Status::TimedOut(timeout)));
        }
        if cancel.is_cancelled() {
            return Some(Reply::Nothing(Status::Cancelled));
        }
        let left = talk.deadline.map_or(CANCEL_CHECK, |deadline| deadline.saturating_duration_since(now));
        let happened = self.poll(!talk.rest.is_empty(), Some(&span(left.min(CANCEL_CHECK))));
        if happened.stderr {
            self.read_stderr(&mut |bytes| talk.stderr.add(bytes));
        }
        // What was printed before an end is in the pipe by then.
        while happened.stdout.is_some() || happened.end {
            match self.read_stdout(talk) {
                Read::Line { rest } => return Some(talk.line(rest)),
                Read::Some if talk.stdout.overflowed() => {
                    return Some(Reply::Nothing(Status::TooMuchOutput));
                }
                Read::Some => {}
                Read::NothingNow if happened.end => return Some(self.wait_for_end(talk, cancel)),
                Read::NothingNow => break,
                Read::Closed => return Some(self.wait_for_end(talk, cancel)),
            }
        }
        self.has_ended_silently().then(|| self.wait_for_end(talk, cancel))
    }

    /// Mostly the kernel lets it run at once, on our processor or on another,
    /// and its answer is there before we would have fallen asleep and been woken.
    fn wait_awake(&self, talk: &mut Talk) -> Option<Reply> {
        if SOMEBODY_IS_AWAKE.swap(true, Ordering::Acquire) {
            return None;
        }
        let reply = self.answer_while_awake(talk);
        SOMEBODY_IS_AWAKE.store(false, Ordering::Release);
        reply
    }

    fn answer_while_awake(&self, talk: &mut Talk) -> Option<Reply> {
        let begun = Instant::now();
        while begun.elapsed() < AWAKE {
            std::thread::yield_now();
            match self.read_stdout(talk) {
                Read::Line { rest } => return Some(talk.line(rest)),
                Read::NothingNow => {}
                Read::Some | Read::Closed => return None,
            }
        }
        None
    }

    /// Waits for the exit code of a process that closed its output: code 2 denies,
    /// so it has until its timeout to say it.
    fn wait_for_end(&mut self, talk: &mut Talk, cancel: &Cancel) -> Reply {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid), look) {
                Ok(Some(status)) => return Reply::Ended(status_of(&status)),
                Ok(None) | Err(Errno::INTR) => {}
                Err(_) => return Reply::Closed,
            }
            let now = Instant::now();
            if talk.deadline.is_some_and(|deadline| now >= deadline) {
                return Reply::Closed;
            }
            if cancel.is_cancelled() {
                return Reply::Nothing(Status::Cancelled);
            }
            let interval = if self.pidfd.is_some() { CANCEL_CHECK } else { END_POLL_INTERVAL };
            let left = talk.deadline.map_or(interval, |deadline| deadline.saturating_duration_since(now));
            let ends = [self.pidfd.as_ref(), self.stderr.as_ref()].into_iter().flatten();
            let mut ends: Vec<_> =
                ends.map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)).collect();
            // An error is as good as an interval that ended: the loop looks again.
            let _ = poll(&mut ends, Some(&span(left.min(interval))));
            drop(ends);
            // A full stderr would keep it from ending.
            self.read_stderr(&mut |bytes| talk.stderr.add(bytes));
        }
    }

    /// Asks whether it ended, where nothing announces it.
    fn has_ended_silently(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.pidfd.is_none() && !matches!(waitid(WaitId::Pid(self.pid), look), Ok(None) | Err(Errno::INTR))
    }

    fn poll(&self, writing: bool, timeout: Option<&Timespec>) -> Happened {
        let mut fds = [
            Some((self.stdout.as_fd(), PollFlags::IN)),
            self.stderr.as_ref().map(|fd| (fd.as_fd(), PollFlags::IN)),
            self.pidfd.as_ref().map(|fd| (fd.as_fd(), PollFlags::IN)),
            writing.then(|| (self.stdin.as_fd(), PollFlags::OUT)),
        ]
        // What is absent stands as stdout, asked about nothing.
        .map(|fd| fd.unwrap_or((self.stdout.as_fd(), PollFlags::empty())))
        .map(|(fd, awaits)| PollFd::from_borrowed_fd(fd, awaits));
        let asked = if writing { 4 } else { 3 };
        if poll(&mut fds[..asked], timeout).is_err() {
            return Happened::default();
        }
        let of = |place: usize| Some(fds[place].revents()).filter(|flags| !flags.is_empty());
        Happened {
            stdout: of(0),
            stderr: self.stderr.is_some() && of(1).is_some(),
            end: self.pidfd.is_some() && of(2).is_some(),
        }
    }

    fn read_stdout(&self, talk: &mut Talk) -> Read {
        let mut room = [MaybeUninit::uninit(); READ];
        match rustix::io::read(&self.stdout, &mut room) {
            Err(Errno::AGAIN) => Read::NothingNow,
            Err(Errno::INTR) => Read::Some,
            Ok(([], _)) | Err(_) => Read::Closed,
            Ok((bytes, _)) => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                talk.stdout.add(&bytes[..end.unwrap_or(bytes.len())]);
                match end {
                    Some(_) if talk.stdout.overflowed() => Read::Some,
                    Some(end) => Read::Line { rest: end + 1 < bytes.len() },
                    None => Read::Some,
                }
            }
        }
    }

    /// Reads a piece of stderr; false when there is nothing to read now.
    fn read_stderr(&mut self, take: &mut dyn FnMut(&[u8])) -> bool {
        let Some(stderr) = &self.stderr else { return false };
        let mut room = [MaybeUninit::uninit(); READ];
        match rustix::io::read(stderr, &mut room) {
            Err(Errno::AGAIN) => false,
            Err(Errno::INTR) => true,
            Ok(([], _)) | Err(_) => {
                self.stderr = None;
                false
            }
            Ok((bytes, _)) => {
                take(bytes);
                true
            }
        }
    }
}

impl Left {
    /// Whether it has ended; then nothing is left of it.
    pub fn is_over(&self) -> bool {
        reap(self.pid)
    }

    pub fn is_late(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now >= until)
    }

    /// Kills them with everything they started.
    pub fn end_all(all: Vec<Left>) {
        let trees = all.iter().map(|one| (Root { pid: one.pid, marker: &one.marker }, one.pidfd.as_ref()));
        end_trees(trees.collect());
    }
}

/// One exchange while it goes on.
struct Talk<'a> {
    rest: &'a [u8],
    stdout: Stdout,
    stderr: Stderr,
    deadline: Option<Instant>,
}

impl Talk<'_> {
    /// Writes what fits; true when that was the last of it.
    fn write(&mut self, stdin: &OwnedFd) -> bool {
        if !self.rest.is_empty()
            && let Ok(written) = rustix::io::write(stdin, self.rest)
        {
            self.rest = &self.rest[written..];
            return self.rest.is_empty();
        }
        false
    }

    fn line(&mut self, rest: bool) -> Reply {
        // An answer to a question that was not read whole answers another one.
        let rest = rest || !self.rest.is_empty();
        Reply::Line { bytes: std::mem::take(&mut self.stdout).into_bytes(), rest }
    }
}

#[derive(Default)]
struct Happened {
    stdout: Option<PollFlags>,
    stderr: bool,
    end: bool,
}

enum Read {
    /// The line is whole; whether more stood behind it.
    Line {
        rest: bool,
    },
    Some,
    NothingNow,
    Closed,
}

fn span(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs() as i64, tv_nsec: duration.subsec_nanos().into() }
}

fn try_start(
    invocation: &Invocation,
    marker: String,
    last_word: Option<LastWord>,
) -> Result<Waiting, Failure> {
    let (reader, stdin) = start::pipe()?;
    let (stdout, child_stdout) = start::pipe()?;
    let (stderr, child_stderr) = start::pipe()?;
    for ours in [&stdin, &stdout, &stderr] {
        start::set_nonblocking(ours)?;
    }
    let stdio = [reader.as_fd(), child_stdout.as_fd(), child_stderr.as_fd()];
    let started = start::spawn_either_way(invocation, &marker, stdio)?;
    let (pid, pidfd) = (started.pid, started.pidfd);
    Ok(Waiting { pid, pidfd, marker, stdin, reader, stdout, stderr: Some(stderr), last_word })
}

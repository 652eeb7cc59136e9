//! One process while it runs: what it printed so far, its clocks, and what is
//! to be done with it next.
//!
//! Pure: the time is an argument, and both platforms ask here when a run is
//! over.

use std::time::{Duration, Instant};

use super::output::{Stderr, Stdout};
use super::{Exit, Invocation, IsAnswer, Status};

/// How long the pipes of an ended process may stay silent before they are closed.
const QUIET: Duration = Duration::from_millis(50);
/// How long they may stay open at most.
const LATEST: Duration = Duration::from_millis(150);

/// What is known of a process.
#[derive(Debug)]
pub struct Child {
    started: Instant,
    timeout: Duration,
    /// None where the timeout lies beyond the end of the clock.
    deadline: Option<Instant>,
    stdout: Stdout,
    stderr: Stderr,
    end: Option<End>,
    /// The exit code that it says it will have.
    code: Option<i32>,
}

/// A process that ended by itself, whose pipes may still be open.
#[derive(Debug, Clone, Copy)]
struct End {
    at: Instant,
    last_output: Instant,
}

/// What is to be done with a process.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// Nothing before this moment, unless something happens.
    Wait(Option<Instant>),
    /// Its tree must die; this is how it ended.
    Kill(Status),
    /// It has given its answer, with this exit code; nobody waits for its end.
    Leave(i32),
    /// It is over.
    Finish {
        /// Somebody else still holds one of its pipes.
        leaked: bool,
    },
}

impl Child {
    /// Starts the clock. Called before the first byte of stdin is written: a
    /// process that never reads must not hold the agent beyond its timeout.
    pub fn starting(invocation: &Invocation, now: Instant) -> Child {
        Child {
            started: now,
            timeout: invocation.timeout,
            deadline: now.checked_add(invocation.timeout),
            stdout: Stdout::default(),
            stderr: Stderr::default(),
            end: None,
            code: None,
        }
    }

    #[cfg(unix)]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    #[cfg(unix)]
    pub fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }

    pub fn printed(&mut self, bytes: &[u8], now: Instant) {
        self.stdout.add(bytes);
        self.heard(now);
    }

    /// Looks for the exit code that it names behind this word. The line is no
    /// part of its answer.
    #[cfg(unix)]
    pub fn hear_code(&mut self, word: &str) {
        self.code = self.stdout.take_code(word).or(self.code);
    }

    pub fn complained(&mut self, bytes: &[u8], now: Instant) {
        self.stderr.add(bytes);
        self.heard(now);
    }

    pub fn ended(&mut self, now: Instant) {
        self.end.get_or_insert(End { at: now, last_output: now });
    }

    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Decides what happens next. `open` says whether a pipe of its output is
    /// still open. All that was in the pipes must have been read.
    pub fn next(&self, now: Instant, open: bool, is_answer: IsAnswer) -> Next {
        match self.end {
            _ if self.stdout.overflowed() => Next::Kill(Status::TooMuchOutput),
            None if let Some(code) = self.code => Next::Leave(code),
            None if self.deadline.is_some_and(|deadline| now >= deadline) => {
                Next::Kill(Status::TimedOut(self.timeout))
            }
            None => Next::Wait(self.deadline),
            Some(_) if !open => Next::Finish { leaked: false },
            Some(end) => self.wait_for_the_rest(end, now, is_answer),
        }
    }

    /// What became of it. `killed` says why it was killed; then the clock or
    /// the limit decides, whatever exit code the dying process chose.
    pub fn into_exit(self, status: Status, leaked: bool, now: Instant) -> Exit {
        let end = self.end.map_or(now, |end| end.at);
        Exit {
            status,
            stdout: self.stdout.into_bytes(),
            stderr: self.stderr.into_bytes(),
            duration: end.saturating_duration_since(self.started),
            leaked,
        }
    }

    // A descendant holds a pipe. Its process may have handed work to it whose
    // output is still on the way, so it gets a moment, unless the answer is
    // already whole.
    fn wait_for_the_rest(&self, end: End, now: Instant, is_answer: IsAnswer) -> Next {
        let until = (end.last_output + QUIET).min(end.at + LATEST);
        if now >= until || is_answer(self.stdout.bytes()) {
            return Next::Finish { leaked: true };
        }
        Next::Wait(Some(until))
    }

    fn heard(&mut self, now: Instant) {
        if let Some(end) = &mut self.end {
            end.last_output = now;
        }
    }
}

impl Exit {
    /// Of a process that never was.
    pub(super) fn without_process(status: Status) -> Exit {
        Exit { status, stdout: Vec::new(), stderr: Vec::new(), duration: Duration::ZERO, leaked: false }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::STDOUT_LIMIT;
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn child(now: Instant, timeout: Duration) -> Child {
        let invocation = Invocation {
            command: String::new(),
            args: None,
            run_dir: "/".into(),
            env: Arc::default(),
            stdin: Arc::default(),
            timeout,
        };
        Child::starting(&invocation, now)
    }

    fn is_braces(bytes: &[u8]) -> bool {
        bytes == b"{}"
    }

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn a_running_process_waits_for_its_deadline() {
        let start = Instant::now();
        let running = child(start, SECOND);
        let cases = [
            ("at once", ms(0), Next::Wait(Some(start + SECOND))),
            ("just before", ms(999), Next::Wait(Some(start + SECOND))),
            ("at the deadline", ms(1000), Next::Kill(Status::TimedOut(SECOND))),
            ("long after", ms(60_000), Next::Kill(Status::TimedOut(SECOND))),
        ];
        for (name, later, expected) in cases {
            assert_eq!(running.next(start + later, true, is_braces), expected, "{name}");
            assert_eq!(running.next(start + later, false, is_braces), expected, "{name}, pipes closed");
        }
        assert_eq!(child(start, Duration::MAX).next(start, true, is_braces), Next::Wait(None));
    }

    #[test]
    fn an_ended_process_waits_only_for_output_that_may_still_come() {
        let start = Instant::now();
        let ended = |stdout: &[u8], heard_after: u64| {
            let mut child = child(start, SECOND);
            child.printed(stdout, start);
            child.ended(start);
            if heard_after > 0 {
                child.complained(b"more", start + ms(heard_after));
            }
            child
        };
        let (whole, leaked) = (Next::Finish { leaked: false }, Next::Finish { leaked: true });
        let until = |n| Next::Wait(Some(start + ms(n)));
        let cases = [
            ("closed pipes", ended(b"text", 0), 0, false, whole),
            ("an open pipe, but a whole answer", ended(b"{}", 0), 0, true, leaked),
            ("an open pipe and half an answer", ended(b"{", 0), 0, true, until(50)),
            ("50 ms of silence", ended(b"{", 0), 50, true, Next::Finish { leaked: true }),
            ("output prolongs it", ended(b"{", 40), 60, true, until(90)),
            ("not for ever", ended(b"{", 140), 141, true, until(150)),
            ("not for ever, over", ended(b"{", 140), 150, true, Next::Finish { leaked: true }),
        ];
        for (name, child, at, open, expected) in cases {
            assert_eq!(child.next(start + ms(at), open, is_braces), expected, "{name}");
        }
    }

    #[test]
    fn too_much_output_kills_a_process_whatever_its_state() {
        let start = Instant::now();
        let mut running = child(start, SECOND);
        running.printed(&vec![b'x'; STDOUT_LIMIT + 1], start);
        assert_eq!(running.next(start, true, is_braces), Next::Kill(Status::TooMuchOutput));
        running.ended(start);
        assert_eq!(running.next(start, false, is_braces), Next::Kill(Status::TooMuchOutput));
    }

    #[test]
    fn the_duration_ends_with_the_process_not_with_its_pipes() {
        let start = Instant::now();
        let mut process = child(start, SECOND);
        process.ended(start + ms(10));
        let exit = process.into_exit(Status::Code(0), true, start + ms(60));
        assert_eq!(exit.duration, ms(10));
    }
}

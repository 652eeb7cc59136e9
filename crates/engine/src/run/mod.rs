//! Runs command lines within limits: invocations in, exits out, in plan order.
//!
//! Knows nothing of JSON or decisions. Processes run in their own group, the
//! deadline starts before the first byte is written, and whatever a hook does
//! the run ends within its timeout and a little more.
//!
//! `child` decides when a process is over, `shell` how it is started; `os` has
//! one face on all systems and does the rest.

mod child;
mod interrupt;
mod keep;
mod last_answer;
#[cfg(windows)]
mod named_pipe;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod os; // both give: run_all, first_way, Waiting, Marker, Guard
mod output;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod peer;
mod shell;
mod signal;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use interrupt::{cancel_on_signals, ignore_file_size_signal, outlive_hangups};
pub use keep::{
    Ahead, Asked, DONE, HELPER, Keeper, Limits, Origin, PERSISTENT, Prepared, Read, Unchanged, Wish,
    helper_beside, names_who_answers, speaks_no_lines,
};
pub use last_answer::LastAnswer;
#[cfg(windows)]
pub use named_pipe::{Pipe, PipeListener};
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
pub(crate) use peer::peer_uid;
pub use signal::signal_name;

/// One process to run.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The command line, handed to a shell untouched.
    pub command: String,
    /// Its arguments, when the command is a program that no shell shall start.
    pub args: Option<Vec<String>>,
    /// Where it runs.
    pub run_dir: PathBuf,
    /// Its whole environment.
    pub env: Arc<Vec<(OsString, OsString)>>,
    /// What it reads from stdin; shared by all hooks of an event.
    pub stdin: Arc<Vec<u8>>,
    /// How long it may take.
    pub timeout: Duration,
}

/// What became of a process.
#[derive(Debug, Clone, PartialEq)]
pub struct Exit {
    /// How it ended.
    pub status: Status,
    /// What it printed, at most `STDOUT_LIMIT`.
    pub stdout: Vec<u8>,
    /// Head and tail of what it printed on stderr.
    pub stderr: Vec<u8>,
    /// From the start of the process to its end.
    pub duration: Duration,
    /// A descendant still holds one of its pipes.
    pub leaked: bool,
}

impl Exit {
    /// How long it took, to the microsecond: a number of so few digits is read
    /// by everybody as it was written.
    pub fn milliseconds(&self) -> f64 {
        self.duration.as_micros() as f64 / 1000.0
    }
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It was killed at its timeout.
    TimedOut(Duration),
    /// It was killed because it printed more than `STDOUT_LIMIT`.
    TooMuchOutput,
    /// The caller cancelled.
    Cancelled,
    /// It did not start, for this reason.
    NotStarted(String),
    /// It stays from event to event and gave no answer to this one, for this
    /// reason.
    NoAnswer(String),
}

/// More than this on stdout is a failure.
pub const STDOUT_LIMIT: usize = 16 * 1024 * 1024;
/// This much of stderr is kept from its head, and as much from its tail.
pub const STDERR_KEPT: usize = 64 * 1024;
/// At most this many processes at once.
pub const AT_ONCE: usize = 64;
/// Every process finds the name of its run in this variable, and so does what
/// it starts: the way to find a tree whose members hide from their ancestors.
pub const MARKER: &str = "BOATHOOK_RUN";

/// Says whether an output is a whole answer already. When a process has ended
/// and a descendant of it keeps its stdout open, nobody needs to wait then.
pub type IsAnswer = fn(&[u8]) -> bool;

/// Lets another thread, a signal handler or the end of the host end a run: all
/// trees die.
#[derive(Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    watch: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Cancel {
    /// Ends runs when this flag is set, as a signal handler can.
    pub fn on(flag: Arc<AtomicBool>) -> Cancel {
        Cancel { flag, watch: None }
    }

    /// Ends runs when this says so, too. It is asked often while hooks run.
    pub fn or_when(self, watch: impl Fn() -> bool + Send + Sync + 'static) -> Cancel {
        Cancel { watch: Some(Arc::new(watch)), ..self }
    }

    /// Ends every run that was given this value.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::SeqCst) || self.watch.as_ref().is_some_and(|watch| watch())
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Cancel").field("flag", &self.flag).finish_non_exhaustive()
    }
}

/// Runs all of them together and waits for every one.
pub fn run_all(invocations: &[Invocation], is_answer: IsAnswer, cancel: &Cancel) -> Vec<Exit> {
    os::run_all(invocations, Vec::new(), is_answer, cancel)
}

/// The same; where a process waits for its event already, it gets it.
pub fn run_prepared(
    invocations: &[Invocation],
    prepared: Vec<Option<Prepared>>,
    is_answer: IsAnswer,
    cancel: &Cancel,
) -> Vec<Exit> {
    let waiting = prepared.into_iter().map(|one| one.map(Prepared::into_waiting)).collect();
    os::run_all(invocations, waiting, is_answer, cancel)
}

/// How this invocation would be started, for people who ask.
pub fn how_it_starts(invocation: &Invocation) -> String {
    match os::first_way(invocation) {
        Ok(way) if way.direct => format!("{} (no shell is needed)", way.program.to_string_lossy()),
        Ok(way) => match way.args {
            shell::Args::Words(words) => {
                let options = words.into_iter().skip(1).filter(|word| *word != invocation.command);
                format!("{} {} …", way.program.to_string_lossy(), options.collect::<Vec<_>>().join(" "))
            }
            shell::Args::Text(text) => text,
        },
        Err(problem) => format!("it cannot be started: {problem}"),
    }
}

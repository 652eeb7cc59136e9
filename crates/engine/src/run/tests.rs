//! The runner with real processes.

mod end;
mod pipes;
#[cfg(target_os = "linux")]
mod resources;
mod start;
#[cfg(target_os = "linux")]
mod tree;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Cancel, Exit, Invocation, Status, run_all};

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// An invocation with a small environment, no input and plenty of time.
fn hook(dir: &Path, command: &str) -> Invocation {
    Invocation {
        command: command.to_owned(),
        run_dir: dir.to_owned(),
        env: Arc::new(vec![("PATH".into(), PATH.into()), ("HOME".into(), dir.into())]),
        stdin: Arc::default(),
        timeout: Duration::from_secs(20),
    }
}

impl Invocation {
    fn reading(mut self, stdin: impl Into<Vec<u8>>) -> Invocation {
        self.stdin = Arc::new(stdin.into());
        self
    }

    fn within(mut self, timeout: u64) -> Invocation {
        self.timeout = Duration::from_millis(timeout);
        self
    }

    fn with(mut self, name: &str, value: &str) -> Invocation {
        Arc::make_mut(&mut self.env).push((name.into(), value.into()));
        self
    }

    fn run(self) -> Exit {
        run_all(&[self], is_answer, &Cancel::default()).remove(0)
    }
}

impl Exit {
    fn out(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("text on stdout")
    }

    fn err(&self) -> &str {
        std::str::from_utf8(&self.stderr).expect("text on stderr")
    }
}

/// Stands for whatever the caller takes for an answer.
fn is_answer(bytes: &[u8]) -> bool {
    bytes.trim_ascii().starts_with(b"{") && bytes.trim_ascii().ends_with(b"}")
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Runs and also says how long the caller waited.
fn timed(hook: Invocation) -> (Exit, Duration) {
    let start = Instant::now();
    (hook.run(), start.elapsed())
}

fn timed_out(timeout: u64) -> Status {
    Status::TimedOut(ms(timeout))
}

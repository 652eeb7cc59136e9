//! The runner with real processes.

#[cfg(unix)]
mod end;
#[cfg(target_os = "linux")]
mod keep;
#[cfg(windows)]
mod on_windows;
#[cfg(unix)]
mod pipes;
#[cfg(target_os = "linux")]
mod resources;
#[cfg(unix)]
mod start;
#[cfg(target_os = "linux")]
mod tree;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Cancel, Exit, Invocation, Status, run_all};

/// Whoever waits for a hook that should not be waited for takes longer than
/// this, in milliseconds; a busy machine does not.
#[cfg(unix)]
const SOON: u64 = 20_000;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// An invocation with a small environment, no input and plenty of time.
fn hook(dir: &Path, command: &str) -> Invocation {
    let env = match cfg!(windows) {
        // Programs there do not start without some of it.
        true => std::env::vars_os().collect(),
        false => vec![("PATH".into(), PATH.into()), ("HOME".into(), dir.into())],
    };
    Invocation {
        command: command.to_owned(),
        args: None,
        run_dir: dir.to_owned(),
        env: Arc::new(env),
        stdin: Arc::default(),
        timeout: Duration::from_secs(60),
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

/// Two of these are shorter than what sleeps in a test.
#[cfg(unix)]
fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let limit = Instant::now() + ms(15_000);
    while !so() {
        assert!(Instant::now() < limit, "not within 15 seconds: {what}");
        std::thread::sleep(ms(5));
    }
}

#[cfg(target_os = "linux")]
fn lives(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Whether it is dead, soon. Whoever kills it waits a second for its death; on a
/// busy machine that may take longer. What it is asked of does not end by itself.
#[cfg(target_os = "linux")]
fn dies(pid: &str) -> bool {
    let limit = Instant::now() + ms(15_000);
    while lives(pid) && Instant::now() < limit {
        std::thread::sleep(ms(5));
    }
    !lives(pid)
}

/// Runs and also says how long the caller waited.
fn timed(hook: Invocation) -> (Exit, Duration) {
    let start = Instant::now();
    (hook.run(), start.elapsed())
}

fn timed_out(timeout: u64) -> Status {
    Status::TimedOut(ms(timeout))
}

#[test]
fn how_long_it_took_is_read_as_it_was_written() {
    for nanoseconds in (0..3_000_000_000).step_by(923_803) {
        let duration = Duration::from_nanos(nanoseconds);
        let exit = Exit { duration, ..Exit::without_process(Status::Code(0)) };
        let written = serde_json::to_string(&exit.milliseconds()).expect("a number");
        let read: f64 = serde_json::from_str(&written).expect("a number");
        assert_eq!(read.to_string(), exit.milliseconds().to_string(), "{written}");
    }
}

/// On other systems the standard library makes the processes, and nothing
/// announces their end. The essential holds there too.
#[cfg(unix)]
#[test]
fn all_this_holds_without_the_kernels_own_way() {
    let tests: [fn(); 9] = [
        start::a_command_does_what_it_does_in_a_shell,
        start::a_directory_that_cannot_be_entered_is_named_and_no_other_is_used,
        start::a_nul_character_is_refused_and_named,
        start::an_environment_beyond_the_systems_limit_does_not_start,
        start::hooks_run_together_and_answer_in_order,
        end::exit_codes_and_signals_are_told_apart,
        end::what_was_printed_before_the_clock_ran_out_is_kept,
        pipes::writing_before_reading_is_no_deadlock,
        pipes::a_background_child_cannot_hold_the_answer,
    ];
    tests.into_iter().for_each(super::os::without_clone);
}

//! The runner on Windows: a thread per process, a job object per tree.
//!
//! Pipes here cannot be waited for together with a process, so each thread
//! looks at its pipes in short turns; it wakes at once when its process ends.

#[path = "windows/job.rs"]
mod job;
#[path = "windows/pipe.rs"]
mod pipe;
#[path = "windows/waiting.rs"]
mod waiting;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child as Spawned, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED};

use super::child::{Child, Next};
use super::shell::{self, Args, Machine, Way};
use super::{AT_ONCE, Cancel, Exit, Invocation, IsAnswer, MARKER, Status};
use crate::source::Os;
use job::Job;
use pipe::{Feed, Output};
pub use waiting::{Guard, Idleness, KEEPS, Left, Marker, Waiting};

/// The pause between two looks at silent pipes.
const TURN: Duration = Duration::from_millis(5);
/// How long a killed process may take to die.
const DYING: Duration = Duration::from_secs(1);

pub fn run_all(
    invocations: &[Invocation],
    _waiting: Vec<Option<Waiting>>,
    is_answer: IsAnswer,
    cancel: &Cancel,
) -> Vec<Exit> {
    let next = AtomicUsize::new(0);
    let exits = Mutex::new(vec![None; invocations.len()]);
    let work = || {
        while let Some((index, invocation)) = take(invocations, &next) {
            let exit = run(invocation, is_answer, cancel);
            exits.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(exit);
        }
    };
    thread::scope(|scope| {
        for _ in 0..invocations.len().min(AT_ONCE) {
            scope.spawn(work);
        }
    });
    let exits = exits.into_inner().unwrap_or_else(PoisonError::into_inner);
    exits.into_iter().map(|exit| exit.unwrap_or_else(|| Exit::without_process(Status::Cancelled))).collect()
}

fn take<'a>(invocations: &'a [Invocation], next: &AtomicUsize) -> Option<(usize, &'a Invocation)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    invocations.get(index).map(|invocation| (index, invocation))
}

fn run(invocation: &Invocation, is_answer: IsAnswer, cancel: &Cancel) -> Exit {
    if cancel.is_cancelled() {
        return Exit::without_process(Status::Cancelled);
    }
    match Process::start(invocation) {
        Ok(process) => process.run(is_answer, cancel),
        Err(cause) => Exit::without_process(Status::NotStarted(cause)),
    }
}

/// A process that runs, with its pipes.
struct Process<'a> {
    child: Child,
    spawned: Spawned,
    job: Job,
    feed: Option<Feed<'a>>,
    stdout: Output,
    stderr: Output,
}

impl<'a> Process<'a> {
    fn start(invocation: &'a Invocation) -> Result<Process<'a>, String> {
        if !invocation.run_dir.is_dir() {
            return Err(format!("its directory {} cannot be entered", invocation.run_dir.display()));
        }
        let way = first_way(invocation)?;
        let child = Child::starting(invocation, Instant::now());
        let cannot = |error| format!("{} cannot be executed: {error}", way.program.to_string_lossy());
        let (stdin, feed) = Feed::new(&invocation.stdin).map_err(cannot)?;
        let (stdout, child_stdout) = Output::new().map_err(cannot)?;
        let (stderr, child_stderr) = Output::new().map_err(cannot)?;
        let job = Job::new().map_err(cannot)?;
        let mut command = command(invocation, &way);
        command.stdin(stdin).stdout(child_stdout).stderr(child_stderr);
        let spawned = command.spawn().map_err(cannot)?;
        let mut process = Process { child, spawned, job, feed: Some(feed), stdout, stderr };
        // It was started asleep, so that it can start nothing outside the job.
        if let Err(error) = process.job.adopt(&process.spawned) {
            let _ = process.spawned.kill();
            let _ = process.spawned.wait();
            return Err(cannot(error));
        }
        Ok(process)
    }

    fn run(mut self, is_answer: IsAnswer, cancel: &Cancel) -> Exit {
        loop {
            let moved = self.turn();
            let next = if cancel.is_cancelled() {
                Next::Kill(Status::Cancelled)
            } else {
                self.child.next(Instant::now(), self.stdout.is_open() || self.stderr.is_open(), is_answer)
            };
            match next {
                Next::Kill(status) => return self.finish_killed(status),
                Next::Finish { leaked } => return self.finish(leaked),
                Next::Wait(until) if !moved => self.wait(until),
                Next::Leave(_) | Next::Wait(_) => {}
            }
        }
    }

    /// Moves what can be moved through the pipes; true if anything was.
    fn turn(&mut self) -> bool {
        // Before the pipes are looked at: what was printed before an end is in
        // them by then.
        let ended = job::has_ended(&self.spawned);
        let fed = self.feed.as_mut().is_some_and(Feed::write);
        if self.feed.as_ref().is_some_and(Feed::is_done) {
            self.feed = None;
        }
        let now = Instant::now();
        let printed = self.stdout.read(|bytes| self.child.printed(bytes, now));
        let complained = self.stderr.read(|bytes| self.child.complained(bytes, now));
        if ended && !printed && !complained {
            self.child.ended(now);
        }
        fed || printed || complained
    }

    fn wait(&self, until: Option<Instant>) {
        let left = until.map_or(TURN, |until| until.saturating_duration_since(Instant::now()));
        if self.child.has_ended() {
            thread::sleep(left.min(TURN));
        } else {
            job::wait(&self.spawned, left.min(TURN));
        }
    }

    fn finish(mut self, leaked: bool) -> Exit {
        let status = match self.spawned.wait().map(|status| status.code()) {
            Ok(Some(code)) => Status::Code(code),
            Ok(None) | Err(_) => Status::NotStarted("its exit code could not be read".to_owned()),
        };
        // What it left in the background goes on.
        self.job.release();
        self.child.into_exit(status, leaked, Instant::now())
    }

    fn finish_killed(mut self, status: Status) -> Exit {
        self.job.kill();
        job::wait(&self.spawned, DYING);
        self.turn();
        self.child.into_exit(status, false, Instant::now())
    }
}

/// The way it is started.
pub fn first_way(invocation: &Invocation) -> Result<Way<'_>, String> {
    let machine = Machine {
        os: Os::Windows,
        env: &invocation.env,
        is_program: &|file: &OsStr| Path::new(file).is_file(),
        has_shebang: &|word| has_shebang(&invocation.run_dir.join(word)),
    };
    if let Some(args) = &invocation.args {
        return shell::exec(&invocation.command, args, &machine);
    }
    shell::direct(&invocation.command, &machine)
        .map_or_else(|| shell::by_shell(&invocation.command, &machine), Ok)
}

fn command(invocation: &Invocation, way: &Way) -> Command {
    let mut command = Command::new(&way.program);
    match &way.args {
        Args::Text(text) => command.raw_arg(text),
        Args::Words(words) => command.args(words.iter().skip(1)),
    };
    command
        .env_clear()
        .envs(invocation.env.iter().map(|(name, value)| (name, value)))
        .env(MARKER, "1")
        // A bare name must not find a program in the workspace.
        .env("NoDefaultCurrentDirectoryInExePath", "1")
        .current_dir(plain(&invocation.run_dir))
        .creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP);
    command
}

/// `cmd` takes the long form of a path for one in the network, and goes to
/// another directory.
fn plain(path: &Path) -> &Path {
    let short = path.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    short.filter(|short| short.as_bytes().get(1) == Some(&b':')).map_or(path, Path::new)
}

fn has_shebang(file: &Path) -> bool {
    let mut start = [0; 2];
    File::open(file).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && &start == b"#!"
}

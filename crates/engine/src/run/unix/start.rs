//! Starts one process: its pipes, its environment, the way it is started.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Access, OFlags, access, fcntl_setfl};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::Pid;

use super::super::child::Child;
use super::super::shell::{self, Machine, Way};
use super::super::{Invocation, MARKER};
use super::marker::Marker;
use super::process::{Feed, Process};
use super::spawn;
use crate::source::Os;

/// The pause before a start is tried again when the machine had no room for it.
const NO_ROOM_PAUSE: Duration = Duration::from_millis(10);
/// How often a program that somebody is still writing is tried.
const BUSY_TRIES: u32 = 6;

/// What a new process is given.
pub struct Start<'a> {
    pub way: &'a Way,
    pub run_dir: &'a Path,
    pub env: Environment<'a>,
    pub stdin: BorrowedFd<'a>,
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
}

/// A new process, and a descriptor that becomes readable when it ends, where
/// the system has such.
#[derive(Debug)]
pub struct Started {
    pub pid: Pid,
    pub pidfd: Option<OwnedFd>,
}

/// Why there is no new process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Failure {
    /// There was no room for a process.
    Process(Errno),
    /// Its directory cannot be entered.
    Directory(Errno),
    /// Its program cannot be executed. Nothing of it ran.
    Program(Errno),
}

/// The environment of a process: the caller's, and what is ours to say.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    pub given: &'a [(OsString, OsString)],
    pub marker: &'a str,
    pub pwd: Option<&'a Path>,
}

/// Starts a process, or says why it cannot be started.
pub fn start<'a>(index: usize, invocation: &'a Invocation, marker: &Marker) -> Result<Process<'a>, String> {
    refuse_nul(invocation)?;
    let marker = marker.of(index, &invocation.env);
    let ways = ways(invocation)?;
    match try_start(index, invocation, &marker, &ways) {
        Err(Failure::Process(_)) => {
            thread::sleep(NO_ROOM_PAUSE);
            try_start(index, invocation, &marker, &ways)
        }
        result => result,
    }
    .map_err(|failure| explain(failure, invocation, &ways))
}

impl<'a> Environment<'a> {
    pub fn entries(&self) -> impl Iterator<Item = (&'a OsStr, &'a OsStr)> {
        let pwd = self.pwd;
        let given = self.given.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        given
            .filter(move |(name, _)| *name != MARKER && (pwd.is_none() || *name != "PWD"))
            .chain([(OsStr::new(MARKER), OsStr::new(self.marker))])
            .chain(pwd.map(|pwd| (OsStr::new("PWD"), pwd.as_os_str())))
    }
}

/// The kernel ends every text at a NUL: a program would be given half of it.
fn refuse_nul(invocation: &Invocation) -> Result<(), String> {
    let has_nul = |text: &OsStr| text.as_bytes().contains(&0);
    let variable = invocation.env.iter().find(|(name, value)| has_nul(name) || has_nul(value));
    let place = match variable {
        _ if has_nul(invocation.command.as_ref()) => "the command".to_owned(),
        _ if has_nul(invocation.run_dir.as_os_str()) => "the directory".to_owned(),
        Some((name, _)) => format!("the environment variable {}", name.to_string_lossy()),
        None => return Ok(()),
    };
    Err(format!("{place} holds a NUL character, which no program can be given"))
}

/// The ways to start it, the first one first; there is at least one.
pub fn ways(invocation: &Invocation) -> Result<Vec<Way>, String> {
    let machine = Machine {
        os: Os::current(),
        env: &invocation.env,
        is_program: &is_program,
        has_shebang: &|_| false, // Here the kernel looks for it.
    };
    shell::ways(&invocation.command, &machine)
}

fn try_start<'a>(
    index: usize,
    invocation: &'a Invocation,
    marker: &str,
    ways: &[Way],
) -> Result<Process<'a>, Failure> {
    // The deadline starts before stdin is written: a hook that never reads its
    // input must not hold the agent for longer than its timeout.
    let child = Child::starting(invocation, Instant::now());
    let (stdin, feed) = filled_pipe(&invocation.stdin)?;
    let (stdout, child_stdout) = output_pipe()?;
    let (stderr, child_stderr) = output_pipe()?;
    let mut result = Err(Failure::Program(Errno::NOENT));
    for way in ways {
        let pwd = if way.direct { pwd(invocation) } else { None };
        let env = Environment { given: &invocation.env, marker, pwd: pwd.as_deref() };
        let (stdin, stdout, stderr) = (stdin.as_fd(), child_stdout.as_fd(), child_stderr.as_fd());
        result = spawn_ready(&Start { way, run_dir: &invocation.run_dir, env, stdin, stdout, stderr });
        if !matches!(result, Err(Failure::Program(_))) {
            break;
        }
    }
    let started = result?;
    let feed = feed.map(|writer| Feed::new(writer, stdin, &invocation.stdin));
    Ok(Process::new(index, started, child, marker.to_owned(), feed, stdout, stderr))
}

/// A program that was just written may still be open in a process that another
/// thread is about to start; that lasts for moments.
fn spawn_ready(start: &Start) -> Result<Started, Failure> {
    for attempt in 0..BUSY_TRIES {
        match spawn::spawn(start) {
            Err(Failure::Program(Errno::TXTBSY)) => thread::sleep(Duration::from_millis(1 << attempt)),
            result => return result,
        }
    }
    spawn::spawn(start)
}

/// A pipe that holds the input already, or as much as fits into it: then its
/// writing end is returned as well, with how much it holds.
///
/// Input that fits never meets a closed pipe, and needs nobody to write it.
fn filled_pipe(input: &[u8]) -> Result<(OwnedFd, Option<(OwnedFd, usize)>), Failure> {
    let (reader, writer) = pipe()?;
    set_nonblocking(&writer)?;
    let written = match rustix::io::write(&writer, input) {
        Ok(written) => written,
        Err(Errno::AGAIN | Errno::INTR) => 0,
        Err(error) => return Err(Failure::Process(error)),
    };
    let rest = written < input.len();
    Ok((reader, rest.then_some((writer, written))))
}

fn output_pipe() -> Result<(OwnedFd, OwnedFd), Failure> {
    let (reader, writer) = pipe()?;
    // Only our end: the other is a file of the child's, and programs do not
    // expect a stdout that refuses.
    set_nonblocking(&reader)?;
    Ok((reader, writer))
}

/// A pipe that no program inherits, neither end of it among the first three
/// descriptors, which a host may have closed.
fn pipe() -> Result<(OwnedFd, OwnedFd), Failure> {
    let (reader, writer) = io::pipe().map_err(|error| Failure::Process(errno(&error)))?;
    Ok((above_stdio(reader.into())?, above_stdio(writer.into())?))
}

fn above_stdio(fd: OwnedFd) -> Result<OwnedFd, Failure> {
    if fd.as_raw_fd() > 2 { Ok(fd) } else { fcntl_dupfd_cloexec(&fd, 3).map_err(Failure::Process) }
}

fn set_nonblocking(fd: &OwnedFd) -> Result<(), Failure> {
    // A new pipe has no other flags that could be lost.
    fcntl_setfl(fd, OFlags::NONBLOCK).map_err(Failure::Process)
}

/// The directory as a shell would put it into `PWD`: what it inherited where
/// that is the same directory, else its real name.
fn pwd(invocation: &Invocation) -> Option<PathBuf> {
    let run_dir = fs::metadata(&invocation.run_dir).ok()?;
    let inherited = invocation.env.iter().find(|(name, _)| name == "PWD").map(|(_, value)| Path::new(value));
    let same = |path: &&Path| {
        path.is_absolute()
            && fs::metadata(path).is_ok_and(|pwd| (pwd.dev(), pwd.ino()) == (run_dir.dev(), run_dir.ino()))
    };
    match inherited.filter(same) {
        Some(path) => Some(path.to_owned()),
        None => fs::canonicalize(&invocation.run_dir).ok(),
    }
}

fn is_program(file: &OsStr) -> bool {
    fs::metadata(file).is_ok_and(|metadata| metadata.is_file()) && access(file, Access::EXEC_OK).is_ok()
}

fn explain(failure: Failure, invocation: &Invocation, ways: &[Way]) -> String {
    let program = ways.last().map(|way| way.program.to_string_lossy()).unwrap_or_default();
    match failure {
        Failure::Process(error) => format!("no new process could be made: {}", io::Error::from(error)),
        Failure::Directory(error) => {
            format!(
                "its directory {} cannot be entered: {}",
                invocation.run_dir.display(),
                io::Error::from(error)
            )
        }
        Failure::Program(error) => format!("{program} cannot be executed: {}", io::Error::from(error)),
    }
}

pub fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

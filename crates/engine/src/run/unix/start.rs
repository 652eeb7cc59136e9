//! Starts one process: its pipes, its environment, the way it is started.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Access, OFlags, access, fcntl_setfl};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::Pid;

use super::super::Invocation;
use super::super::child::Child;
use super::super::shell::{self, Machine, Way};
use super::marker::Marker;
use super::process::{Feed, Process};
use super::spawn;
use crate::shortage;
use crate::source::Os;

/// What every pipe holds, even where many pipes made room scarce; elsewhere
/// that is not much.
const SMALLEST_PIPE: usize = if cfg!(target_os = "linux") { 4096 } else { 0 };
/// How often a program that somebody is still writing is tried.
const BUSY_TRIES: u32 = 6;

/// What a new process is given.
pub struct Start<'a> {
    pub way: &'a Way<'a>,
    pub run_dir: &'a Path,
    pub env: Environment<'a>,
    /// Its stdin, stdout and stderr.
    pub stdio: [BorrowedFd<'a>; 3],
    pub fate: Fate,
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
    /// There was no room for a process. There may be later.
    Process(Errno),
    /// Its directory cannot be entered.
    Directory(Errno),
    /// Its program cannot be executed. Nothing of it ran.
    Program(Errno),
    /// A text for it holds a NUL, at which the kernel would end it.
    Nul,
}

/// The environment of a process: the caller's, and what is ours to say.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    pub given: &'a Arc<Vec<(OsString, OsString)>>,
    pub marker: &'a str,
    pub pwd: Pwd,
}

/// What happens to a process when the thread that started it ends, where the
/// system can see to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    DiesWithHost,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    OutlivesHost,
}

/// What becomes of `PWD`. A shell keeps what it inherited where that is the
/// directory it runs in, and else puts the directory's real name there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pwd {
    /// It stays as it is: it is right, or a shell will see to it.
    Given,
    /// It becomes the real name of the run directory.
    Real,
}

/// Starts a process.
pub fn start<'a>(index: usize, invocation: &'a Invocation, marker: &Marker) -> Result<Process<'a>, Failure> {
    let marker = marker.of(index, &invocation.env);
    // The deadline starts before stdin is written: a hook that never reads its
    // input must not hold the agent for longer than its timeout.
    let child = Child::starting(invocation, Instant::now());
    let (stdin, feed) = filled_pipe(&invocation.stdin)?;
    let (stdout, child_stdout) = pipe()?;
    let (stderr, child_stderr) = pipe()?;
    let stdio = [stdin.as_fd(), child_stdout.as_fd(), child_stderr.as_fd()];
    let started = spawn_either_way(invocation, &marker, stdio)?;
    let feed = feed.map(|writer| Feed::new(writer, stdin, &invocation.stdin));
    Ok(Process::new(index, started, child, marker, feed, stdout, Some(stderr)))
}

/// The way that is tried first.
pub fn first_way(invocation: &Invocation) -> Result<Way<'_>, String> {
    let machine = machine(invocation);
    if let Some(args) = &invocation.args {
        return shell::exec(&invocation.command, args, &machine);
    }
    match shell::direct(&invocation.command, &machine) {
        Some(way) => Ok(way),
        None => shell::by_shell(&invocation.command, &machine),
    }
}

fn machine(invocation: &Invocation) -> Machine<'_> {
    Machine {
        os: Os::current(),
        env: &invocation.env,
        is_program: &is_program,
        has_shebang: &|_| false, // Here the kernel looks for it.
    }
}

/// Without a shell where that is the same; else, or where the program cannot be
/// executed and therefore nothing ran yet, by the shell.
pub fn spawn_either_way(
    invocation: &Invocation,
    marker: &str,
    stdio: [BorrowedFd; 3],
) -> Result<Started, Failure> {
    let machine = machine(invocation);
    let spawn = |way: &Way| {
        let pwd = if way.direct { pwd(invocation) } else { Pwd::Given };
        let env = Environment { given: &invocation.env, marker, pwd };
        spawn_ready(&Start { way, run_dir: &invocation.run_dir, env, stdio, fate: Fate::DiesWithHost })
    };
    if let Some(args) = &invocation.args {
        let way = shell::exec(&invocation.command, args, &machine);
        return spawn(&way.map_err(|_| Failure::Program(Errno::NOENT))?);
    }
    match shell::direct(&invocation.command, &machine).map(|way| spawn(&way)) {
        None | Some(Err(Failure::Program(_))) => {}
        Some(result) => return result,
    }
    spawn(&shell::by_shell(&invocation.command, &machine).map_err(|_| Failure::Program(Errno::NOENT))?)
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
    if input.len() > SMALLEST_PIPE {
        set_nonblocking(&writer)?;
    }
    let written = match rustix::io::write(&writer, input) {
        Ok(written) => written,
        Err(Errno::AGAIN | Errno::INTR) => 0,
        Err(error) => return Err(Failure::Process(error)),
    };
    let rest = written < input.len();
    Ok((reader, rest.then_some((writer, written))))
}

/// A pipe that no program inherits, neither end of it among the first three
/// descriptors, which a host may have closed.
pub fn pipe() -> Result<(OwnedFd, OwnedFd), Failure> {
    let (reader, writer) = io::pipe().map_err(|error| Failure::Process(errno(&error)))?;
    Ok((above_stdio(reader.into())?, above_stdio(writer.into())?))
}

fn above_stdio(fd: OwnedFd) -> Result<OwnedFd, Failure> {
    if fd.as_raw_fd() > 2 { Ok(fd) } else { fcntl_dupfd_cloexec(&fd, 3).map_err(Failure::Process) }
}

pub fn set_nonblocking(fd: &OwnedFd) -> Result<(), Failure> {
    // A new pipe has no other flags that could be lost.
    fcntl_setfl(fd, OFlags::NONBLOCK).map_err(Failure::Process)
}

fn pwd(invocation: &Invocation) -> Pwd {
    let given = invocation.env.iter().find(|(name, _)| name == "PWD").map(|(_, value)| Path::new(value));
    match given {
        Some(given) if given.is_absolute() && is_same_directory(given, &invocation.run_dir) => Pwd::Given,
        Some(_) | None => Pwd::Real,
    }
}

fn is_same_directory(one: &Path, other: &Path) -> bool {
    let identity = |path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino())).ok();
    one.as_os_str() == other.as_os_str() || identity(one).is_some_and(|one| Some(one) == identity(other))
}

fn is_program(file: &OsStr) -> bool {
    fs::metadata(file).is_ok_and(|metadata| metadata.is_file()) && access(file, Access::EXEC_OK).is_ok()
}

/// Why a process did not start, for people. Said once nothing more is tried.
pub fn explain(failure: Failure, invocation: &Invocation) -> String {
    let words = |error: Errno| shortage::noted(io::Error::from(error));
    match failure {
        Failure::Process(error) => format!("no new process could be made: {}", words(error)),
        Failure::Directory(error) => {
            format!("its directory {} cannot be entered: {}", invocation.run_dir.display(), words(error))
        }
        Failure::Program(error) if invocation.args.is_some() => {
            format!("`{}` cannot be executed: {}", invocation.command, words(error))
        }
        Failure::Program(error) => format!("the shell cannot be executed: {}", words(error)),
        Failure::Nul => {
            format!("{} holds a NUL character, which no program can be given", place_of_nul(invocation))
        }
    }
}

fn place_of_nul(invocation: &Invocation) -> String {
    let has_nul = |text: &OsStr| text.as_bytes().contains(&0);
    let variable = invocation.env.iter().find(|(name, value)| has_nul(name) || has_nul(value));
    match variable {
        _ if has_nul(invocation.command.as_ref()) => "the command".to_owned(),
        _ if has_nul(invocation.run_dir.as_os_str()) => "the directory".to_owned(),
        Some((name, _)) => format!("the environment variable {}", name.to_string_lossy()),
        None => "a text".to_owned(),
    }
}

pub fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

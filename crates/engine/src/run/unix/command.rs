//! Makes a process where there is no better way than the standard library's.
//!
//! It uses `posix_spawn` as long as nothing but the group, the directory and
//! the environment is asked for.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::process::Pid;

use super::super::MARKER;
use super::super::shell::Args;
use super::start::{Failure, Fate, Pwd, Start, Started, errno};

/// Starts a program. Its end announces itself on no descriptor, and nothing
/// ties its life to the host's.
pub fn spawn(start: &Start) -> Result<Started, Failure> {
    match start.fate {
        Fate::DiesWithHost | Fate::OutlivesHost => {}
    }
    let words = match &start.way.args {
        Args::Words(words) => words.as_slice(),
        // Only Windows has programs that divide their arguments themselves.
        Args::Text(_) => return Err(Failure::Program(Errno::INVAL)),
    };
    let mut command = Command::new(&start.way.program);
    if let Some((name, rest)) = words.split_first() {
        command.arg0(name).args(rest);
    }
    command
        .env_clear()
        .envs(start.env.given.iter().map(|(name, value)| (name, value)))
        .env(MARKER, start.env.marker);
    match start.env.pwd {
        Pwd::Given => {}
        Pwd::Real => {
            command.envs(std::fs::canonicalize(start.run_dir).map(|real| ("PWD", real)));
        }
    }
    command.current_dir(start.run_dir).process_group(0);
    let [stdin, stdout, stderr] = start.stdio.map(|fd| fd.try_clone_to_owned());
    let own = |fd: io::Result<OwnedFd>| fd.map(Stdio::from).map_err(|error| Failure::Process(errno(&error)));
    command.stdin(own(stdin)?).stdout(own(stdout)?).stderr(own(stderr)?);
    let child = command.spawn().map_err(|error| failure(&error, start))?;
    Ok(Started { pid: Pid::from_child(&child), pidfd: None })
}

// The library does not say which step failed.
fn failure(error: &io::Error, start: &Start) -> Failure {
    // Only a NUL is found before the kernel is asked.
    let Some(number) = Errno::from_io_error(error) else { return Failure::Nul };
    if [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE].contains(&number) {
        return Failure::Process(number);
    }
    match std::fs::read_dir(start.run_dir) {
        Err(error) => Failure::Directory(errno(&error)),
        Ok(_) => Failure::Program(number),
    }
}

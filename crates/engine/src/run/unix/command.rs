//! Makes a process where there is no better way than the standard library's.
//!
//! It uses `posix_spawn` as long as nothing but the group, the directory and
//! the environment is asked for.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::process::Pid;

use super::super::shell::Args;
use super::start::{Failure, Start, Started, errno};

/// Starts a program. Its end announces itself on no descriptor.
pub fn spawn(start: &Start) -> Result<Started, Failure> {
    let words = match &start.way.args {
        Args::Words(words) => words.as_slice(),
        // Only Windows has programs that divide their arguments themselves.
        Args::Text(_) => return Err(Failure::Program(Errno::INVAL)),
    };
    let mut command = Command::new(&start.way.program);
    if let Some((name, rest)) = words.split_first() {
        command.arg0(name).args(rest);
    }
    command.env_clear().envs(start.env.entries()).current_dir(start.run_dir).process_group(0);
    for (set, fd) in [
        (Command::stdin as fn(&mut Command, Stdio) -> &mut Command, start.stdin),
        (Command::stdout, start.stdout),
        (Command::stderr, start.stderr),
    ] {
        let own = fd.try_clone_to_owned().map_err(|error| Failure::Process(errno(&error)))?;
        set(&mut command, own.into());
    }
    let child = command.spawn().map_err(|error| failure(&error, start))?;
    Ok(Started { pid: Pid::from_child(&child), pidfd: None })
}

// The library does not say which step failed.
fn failure(error: &io::Error, start: &Start) -> Failure {
    let number = errno(error);
    if [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE].contains(&number) {
        return Failure::Process(number);
    }
    match std::fs::read_dir(start.run_dir) {
        Err(error) => Failure::Directory(errno(&error)),
        Ok(_) => Failure::Program(number),
    }
}

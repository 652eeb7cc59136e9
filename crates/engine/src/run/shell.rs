//! How a command line is started: by which program, with which arguments.
//!
//! A command string belongs to a shell, untouched. Where a shell would do
//! nothing but start one program, that program is started without it: a shell
//! costs more than everything else the engine does.
//!
//! Pure: the operating system is a value and the machine is asked through
//! `Machine`, so that all systems are tested on one.

mod posix;
mod windows;

use std::ffi::{OsStr, OsString};

use crate::source::Os;

/// What is asked of the machine.
pub struct Machine<'a> {
    /// Whose shells apply.
    pub os: Os,
    /// The environment the command gets.
    pub env: &'a [(OsString, OsString)],
    /// Whether this is a file that can be executed.
    pub is_program: &'a dyn Fn(&OsStr) -> bool,
    /// Whether this file, seen from the run directory, begins with `#!`.
    pub has_shebang: &'a dyn Fn(&str) -> bool,
}

/// One way to start a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// What is executed; relative to the run directory where it is not absolute.
    pub program: OsString,
    /// What it is given.
    pub args: Args,
    /// There is no shell in between, so what a shell would do is ours to do.
    pub direct: bool,
}

/// The arguments of a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Args {
    /// Word by word, the program's own name first.
    Words(Vec<String>),
    /// As one text, which the program divides itself (Windows).
    Text(String),
}

/// The ways to start a command. A later one is for when an earlier one's
/// program cannot be executed: then nothing ran yet, and the shell says why.
pub fn ways(command: &str, machine: &Machine) -> Result<Vec<Way>, String> {
    match machine.os {
        Os::Linux | Os::Macos => Ok(posix::ways(command, machine)),
        Os::Windows => windows::way(command, machine).map(|way| vec![way]),
    }
}

impl Machine<'_> {
    // Names are case-sensitive everywhere but on Windows.
    fn var(&self, name: &str) -> Option<&OsStr> {
        let same = |key: &OsStr| match self.os {
            Os::Linux | Os::Macos => key == name,
            Os::Windows => key.eq_ignore_ascii_case(name),
        };
        self.env.iter().find(|(key, _)| same(key)).map(|(_, value)| value.as_os_str())
    }
}

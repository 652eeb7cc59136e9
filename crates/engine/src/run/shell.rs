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

use std::borrow::Cow;
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
pub struct Way<'a> {
    /// What is executed; relative to the run directory where it is not absolute.
    pub program: Cow<'a, OsStr>,
    /// What it is given.
    pub args: Args<'a>,
    /// There is no shell in between, so what a shell would do is ours to do.
    pub direct: bool,
}

/// The arguments of a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Args<'a> {
    /// Word by word, the program's own name first.
    Words(Vec<&'a str>),
    /// As one text, which the program divides itself (Windows).
    Text(String),
}

/// The way without a shell, where a shell would do nothing else. When its
/// program cannot be executed nothing ran yet, and the shell is asked after all:
/// it knows best what to say.
pub fn direct<'a>(command: &'a str, machine: &Machine) -> Option<Way<'a>> {
    match machine.os {
        Os::Linux | Os::Macos => posix::without_shell(command, machine),
        Os::Windows => None,
    }
}

/// The way of a program with its arguments, word by word: no shell sees them.
pub fn exec<'a>(program: &'a str, args: &'a [String], machine: &Machine) -> Result<Way<'a>, String> {
    let found = match machine.os {
        Os::Linux | Os::Macos => posix::find(program, machine)?,
        Os::Windows => Cow::Borrowed(program.as_ref()),
    };
    let words = std::iter::once(program).chain(args.iter().map(String::as_str)).collect();
    Ok(Way { program: found, args: Args::Words(words), direct: true })
}

/// The way through a shell, or why there is none.
pub fn by_shell<'a>(command: &'a str, machine: &Machine) -> Result<Way<'a>, String> {
    match machine.os {
        Os::Linux | Os::Macos => Ok(posix::by_shell(command)),
        Os::Windows => windows::way(command, machine),
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

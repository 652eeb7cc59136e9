//! A process that somebody wants, and what it is started from.

use std::path::Path;

use super::super::Invocation;

/// What a process was started from, as it was then.
pub trait Origin: Send {
    /// Whether it still is what it was. Asked at every event.
    fn is_unchanged(&mut self) -> bool;

    /// Whether that is so of the system below it, too, at which not every event looks.
    fn is_unchanged_below(&mut self) -> bool {
        true
    }

    /// Both.
    fn is_unchanged_throughout(&mut self) -> bool {
        self.is_unchanged() && self.is_unchanged_below()
    }

    /// Whether it names the helper or the variable by which a process says that
    /// it is done. No other is told the word: what a script starts could say it.
    fn may_say_done(&self) -> bool {
        false
    }

    /// Whether it names who answers lines for it.
    fn names_who_answers(&self) -> bool {
        false
    }

    /// Why nobody need ask it for a line, where that can be seen beforehand.
    fn why_not_asked(&self) -> Option<String> {
        None
    }
}

impl<F: FnMut() -> bool + Send> Origin for F {
    fn is_unchanged(&mut self) -> bool {
        self()
    }
}

/// The files that a process was started from.
pub type Unchanged = Box<dyn Origin>;

/// A process that somebody wants.
pub struct Wish<'a> {
    /// Where the hook stands: what `keep_only` goes by.
    pub owner: &'a Path,
    /// The process.
    pub invocation: &'a Invocation,
    /// Looks at the files it starts from. Called before a process is started.
    pub look: &'a dyn Fn() -> Unchanged,
}

/// The hook that a process is for, in whatever surroundings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Whose<'a> {
    pub owner: &'a Path,
    pub command: &'a str,
    pub run_dir: &'a Path,
}

impl<'a> Wish<'a> {
    pub(super) fn whose(&self) -> Whose<'a> {
        let Invocation { command, run_dir, .. } = self.invocation;
        Whose { owner: self.owner, command, run_dir }
    }
}

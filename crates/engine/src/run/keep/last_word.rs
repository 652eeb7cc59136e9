//! How a process that was started ahead may say that it is done.
//!
//! A process is waited for until its end, because its exit code is a part of its
//! answer, and an interpreter takes its time to end. One that knows its code
//! names it behind its answer, in a line that begins with a word which it finds
//! in its environment. The word is random: what a hook merely repeats, of a
//! command or of a file, cannot speak for it.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::super::os::Left;

/// One that was started ahead finds the number of our process and its word
/// here, as `number:word`. Only a child of that process may say the word: the
/// exit code of anybody else is not the hook's.
pub const DONE: &str = "BOATHOOK_DONE";

/// The word of one process, and who gets the process when it was said.
pub struct LastWord {
    pub word: String,
    #[cfg_attr(windows, allow(dead_code))] // nobody says it there
    pub leave: Box<dyn FnOnce(Left) + Send>,
}

impl LastWord {
    /// A word that nobody can guess.
    pub fn new(leave: impl FnOnce(Left) + Send + 'static) -> LastWord {
        let random = || RandomState::new().build_hasher().finish();
        LastWord { word: format!("{:016x}{:016x}", random(), random()), leave: Box::new(leave) }
    }

    /// What stands in the environment.
    pub fn announced(&self) -> String {
        format!("{}:{}", std::process::id(), self.word)
    }
}

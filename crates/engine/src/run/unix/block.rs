//! The texts of a new process as `execve` wants them: ended by NUL, and arrays
//! of pointers to them.
//!
//! The memory is kept per thread and used again: the environment is most of
//! what is laid out for a process, and a small allocator asks the kernel for
//! such a piece every time.

use std::cell::RefCell;
use std::ffi::{OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use rustix::io::Errno;

use super::super::shell::Args;
use super::start::{Failure, Start};

thread_local! {
    static KEPT: RefCell<Block> = RefCell::new(Block::default());
}

/// Texts, and where each begins. The program comes first, then the directory,
/// then the words, then the environment.
#[derive(Default)]
pub struct Block {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    words: usize,
    /// Valid as long as nothing is added.
    pointers: Vec<*const c_char>,
}

const PROGRAM: usize = 0;
const RUN_DIR: usize = 1;
const ARGV: usize = 2;

impl Block {
    /// Lays everything out and lends it.
    pub fn with<T>(start: &Start, lend: impl FnOnce(&Block) -> T) -> Result<T, Failure> {
        // Only Windows has programs that divide their arguments themselves.
        let Args::Words(words) = &start.way.args else { return Err(Failure::Program(Errno::INVAL)) };
        KEPT.with_borrow_mut(|block| {
            block.lay_out(start, words);
            Ok(lend(block))
        })
    }

    pub fn program(&self) -> *const c_char {
        self.pointers[PROGRAM]
    }

    pub fn run_dir(&self) -> *const c_char {
        self.pointers[RUN_DIR]
    }

    /// The words and a null pointer.
    pub fn argv(&self) -> *const *const c_char {
        self.pointers[ARGV..].as_ptr()
    }

    /// The environment and a null pointer.
    pub fn envp(&self) -> *const *const c_char {
        self.pointers[ARGV + self.words + 1..].as_ptr()
    }

    fn lay_out(&mut self, start: &Start, words: &[String]) {
        self.bytes.clear();
        self.starts.clear();
        self.words = words.len();
        self.add([&start.way.program, OsStr::new(""), OsStr::new("")]);
        self.add([start.run_dir.as_os_str(), OsStr::new(""), OsStr::new("")]);
        for word in words {
            self.add([word.as_ref(), OsStr::new(""), OsStr::new("")]);
        }
        for (name, value) in start.env.entries() {
            self.add([name, OsStr::new("="), value]);
        }
        self.point();
    }

    fn add(&mut self, parts: [&OsStr; 3]) {
        self.starts.push(self.bytes.len());
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part.as_bytes()));
        self.bytes.push(0);
    }

    fn point(&mut self) {
        let texts = self.starts.iter().map(|start| self.bytes[*start..].as_ptr().cast());
        self.pointers.clear();
        self.pointers.extend(texts.chain([ptr::null()]));
        self.pointers.insert(ARGV + self.words, ptr::null());
    }
}

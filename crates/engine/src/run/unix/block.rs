//! The texts of a new process as `execve` wants them: ended by NUL, and arrays
//! of pointers to them.
//!
//! The environment is most of it, and it stays the same from hook to hook: each
//! thread keeps the last one as it was laid out. Collecting it again from all
//! over the heap would cost a tenth of what starting a small program costs.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::Arc;

use rustix::io::Errno;

use super::super::MARKER;
use super::super::shell::Args;
use super::start::{Failure, Pwd, Start};

thread_local! {
    static KEPT: RefCell<Block> = RefCell::new(Block::default());
}

/// All texts of a process, and pointers to them.
#[derive(Default)]
pub struct Block {
    own: Texts,
    shared: Shared,
    /// The program, the directory, the words, null, the environment, null.
    /// Valid until something is added to the texts.
    pointers: Vec<*const c_char>,
    words: usize,
    /// `PWD=` and the run directory, with room for the child to write the real
    /// name over it; empty when it is not to.
    pwd: Vec<u8>,
}

/// Texts in one piece of memory.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    /// One of them holds a NUL, and would end there.
    nul: bool,
}

/// An environment that was laid out. Nobody can change it while it is held here.
#[derive(Default)]
struct Shared {
    env: Arc<Vec<(OsString, OsString)>>,
    texts: Texts,
    /// Which of the texts gives the directory.
    pwd: Option<usize>,
}

/// As long as the kernel's paths get, with their NUL.
pub const PATH_ROOM: usize = 4096;

const PWD: &[u8] = b"PWD=";

const PROGRAM: usize = 0;
const RUN_DIR: usize = 1;
const ARGV: usize = 2;

impl Block {
    /// Lays everything out and lends it.
    pub fn with<T>(start: &Start, lend: impl FnOnce(&mut Block) -> T) -> Result<T, Failure> {
        // Only Windows has programs that divide their arguments themselves.
        let Args::Words(words) = &start.way.args else { return Err(Failure::Program(Errno::INVAL)) };
        KEPT.with_borrow_mut(|block| {
            block.lay_out(start, words);
            if block.own.nul || block.shared.texts.nul { Err(Failure::Nul) } else { Ok(lend(block)) }
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

    /// Room for a path of `PATH_ROOM` bytes where the child is to write its
    /// directory, or null.
    pub fn pwd_room(&mut self) -> *mut c_char {
        if self.pwd.is_empty() {
            return ptr::null_mut();
        }
        self.pwd.as_mut_ptr().wrapping_add(PWD.len()).cast()
    }

    fn lay_out(&mut self, start: &Start, words: &[&str]) {
        self.shared.keep(start.env.given);
        self.own.clear();
        self.own.add(start.way.program.as_bytes());
        self.own.add(start.run_dir.as_os_str().as_bytes());
        words.iter().for_each(|word| self.own.add(word.as_bytes()));
        self.own.add_pair(MARKER.as_ref(), start.env.marker.as_ref());
        self.words = words.len();
        self.pwd.clear();
        match start.env.pwd {
            Pwd::Given => {}
            Pwd::Real => self.make_room_for_pwd(start.run_dir.as_os_str()),
        }
        self.point();
    }

    fn make_room_for_pwd(&mut self, run_dir: &OsStr) {
        self.pwd.reserve(PWD.len() + PATH_ROOM.max(run_dir.len() + 1));
        self.pwd.extend_from_slice(PWD);
        self.pwd.extend_from_slice(run_dir.as_bytes());
        self.pwd.push(0);
    }

    fn point(&mut self) {
        let replaced = self.shared.pwd.filter(|_| !self.pwd.is_empty());
        let shared = self.shared.texts.pointers().enumerate().filter(|(place, _)| Some(*place) != replaced);
        self.pointers.clear();
        self.pointers.extend(self.own.pointers());
        self.pointers.insert(ARGV + self.words, ptr::null());
        if !self.pwd.is_empty() {
            self.pointers.push(self.pwd.as_ptr().cast());
        }
        self.pointers.extend(shared.map(|(_, pointer)| pointer));
        self.pointers.push(ptr::null());
    }
}

impl Shared {
    fn keep(&mut self, env: &Arc<Vec<(OsString, OsString)>>) {
        if Arc::ptr_eq(&self.env, env) {
            return;
        }
        self.env = Arc::clone(env);
        self.texts.clear();
        self.pwd = None;
        for (name, value) in env.iter().filter(|(name, _)| name != MARKER) {
            if name == "PWD" {
                self.pwd = Some(self.texts.starts.len());
            }
            self.texts.add_pair(name, value);
        }
    }
}

impl Texts {
    fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
        self.nul = false;
    }

    fn add(&mut self, text: &[u8]) {
        self.starts.push(self.bytes.len());
        self.copy(text);
        self.bytes.push(0);
    }

    fn add_pair(&mut self, name: &OsStr, value: &OsStr) {
        self.starts.push(self.bytes.len());
        self.copy(name.as_bytes());
        self.bytes.push(b'=');
        self.copy(value.as_bytes());
        self.bytes.push(0);
    }

    fn copy(&mut self, text: &[u8]) {
        self.nul |= text.contains(&0);
        self.bytes.extend_from_slice(text);
    }

    fn pointers(&self) -> impl Iterator<Item = *const c_char> + '_ {
        self.starts.iter().map(|start| self.bytes[*start..].as_ptr().cast())
    }
}

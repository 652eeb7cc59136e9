//! The lower bound: the leanest way to start a program, hand it its input and
//! take its answer.
//!
//! One `vfork`-like clone, two pipes, no poll, no stderr, no deadline. An engine
//! cannot be faster than this and still run a hook.

// A clone that shares memory has no face in std; it is the point of this file.
#![allow(unsafe_code)]

use std::ffi::{CString, OsStr, c_void};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::time::Instant;

/// A program with its arguments and environment in the form the kernel wants.
pub struct Program {
    words: Vec<CString>,
    environment: Vec<CString>,
}

/// How the input reaches the program.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// It fits into the pipe and lies there before the program starts.
    Ready(&'a [u8]),
    /// It is written while the program runs.
    Written(&'a [u8]),
}

/// What came of one start.
pub struct Run {
    /// From before the pipes were made until the program was reaped.
    pub nanos: u64,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// Its exit code, or 128 and more for a signal.
    pub code: i32,
}

/// What the child needs between clone and exec.
struct Start {
    stdin: RawFd,
    stdout: RawFd,
    argv: Vec<*const libc::c_char>,
    envp: Vec<*const libc::c_char>,
}

impl Program {
    /// A program by its path, with its arguments.
    pub fn new<S: AsRef<OsStr>>(words: &[S], environment: &[(&str, &OsStr)]) -> io::Result<Program> {
        let words = words.iter().map(|word| CString::new(word.as_ref().as_bytes()));
        let pairs = environment.iter().map(|(name, value)| {
            let mut pair = format!("{name}=").into_bytes();
            pair.extend_from_slice(value.as_bytes());
            CString::new(pair)
        });
        Ok(Program { words: words.collect::<Result<_, _>>()?, environment: pairs.collect::<Result<_, _>>()? })
    }

    /// Starts it and waits for its end.
    pub fn run(&self, input: Input<'_>) -> io::Result<Run> {
        let mut start =
            Start { stdin: -1, stdout: -1, argv: pointers(&self.words), envp: pointers(&self.environment) };
        let mut stack = vec![0_u8; 32 * 1024];
        let begin = Instant::now();
        let (to_read, mut to_write) = pipe()?;
        if let Input::Ready(bytes) = input {
            to_write.write_all(bytes)?;
        }
        let (mut answer, answer_end) = pipe()?;
        (start.stdin, start.stdout) = (to_read.as_raw_fd(), answer_end.as_raw_fd());
        let child = match input {
            Input::Ready(_) => {
                drop(to_write);
                clone(&mut stack, &start)?
            }
            Input::Written(bytes) => {
                let child = clone(&mut stack, &start)?;
                to_write.write_all(bytes)?;
                drop(to_write);
                child
            }
        };
        drop((to_read, answer_end));
        let mut stdout = Vec::with_capacity(256);
        answer.read_to_end(&mut stdout)?;
        let code = reap(child)?;
        Ok(Run { nanos: begin.elapsed().as_nanos() as u64, stdout, code })
    }
}

fn pointers(words: &[CString]) -> Vec<*const libc::c_char> {
    words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect()
}

fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both descriptors, which nobody else owns yet.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        let own = |end| File::from(OwnedFd::from_raw_fd(end));
        Ok((own(ends[0]), own(ends[1])))
    }
}

fn clone(stack: &mut [u8], start: &Start) -> io::Result<libc::pid_t> {
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the parent sleeps until the child has called exec or ended, so the
    // stack and `start` outlive every use; the child calls system calls only.
    let child = unsafe {
        let top = stack.as_mut_ptr().add(stack.len() & !15);
        libc::clone(
            become_program,
            top.cast::<c_void>(),
            flags,
            ptr::from_ref(start).cast_mut().cast::<c_void>(),
        )
    };
    if child > 0 { Ok(child) } else { Err(io::Error::last_os_error()) }
}

extern "C" fn become_program(start: *mut c_void) -> libc::c_int {
    // SAFETY: `clone` was given a `Start`, and every list in it ends with a null.
    unsafe {
        let start = &*start.cast::<Start>();
        libc::dup2(start.stdin, 0);
        libc::dup2(start.stdout, 1);
        libc::execve(start.argv[0], start.argv.as_ptr(), start.envp.as_ptr());
        libc::_exit(127)
    }
}

fn reap(child: libc::pid_t) -> io::Result<i32> {
    let mut status = 0;
    // SAFETY: the child is ours and not reaped yet.
    if unsafe { libc::waitpid(child, &mut status, 0) } != child {
        return Err(io::Error::last_os_error());
    }
    Ok(if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 128 + libc::WTERMSIG(status) })
}

//! The answer that is given when nothing else can be done any more: memory is exhausted, or a
//! signal asked the process to end and it did not within a moment.
//!
//! A program prepares it before it works and replaces it once its real answer is written. It is
//! complete in memory beforehand, because neither a signal handler nor an allocator that has
//! nothing left can allocate.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What to write, and how to end.
#[derive(Debug, Default)]
pub struct LastAnswer {
    /// The whole of stdout.
    pub stdout: Vec<u8>,
    /// The reason, in a line.
    pub stderr: Vec<u8>,
    /// The exit code.
    pub code: i32,
}

static PREPARED: AtomicPtr<LastAnswer> = AtomicPtr::new(ptr::null_mut());

impl LastAnswer {
    /// From now on this is the last answer of the process. The memory of the one before is not
    /// freed: a handler may be writing it at this moment.
    pub fn prepare(self) {
        PREPARED.store(Box::into_raw(Box::new(self)), Ordering::Release);
    }

    /// Whether a last answer is prepared.
    #[cfg(unix)]
    pub(super) fn is_prepared() -> bool {
        !PREPARED.load(Ordering::Acquire).is_null()
    }

    /// Writes the prepared answer and ends the process; returns when there is none. Only makes
    /// system calls, so a signal handler and an allocator may call it.
    pub fn give() {
        let prepared = PREPARED.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: a pointer that `prepare` leaked, so it is valid for ever and never changed.
        let Some(answer) = (unsafe { prepared.as_ref() }) else { return };
        #[cfg(unix)]
        {
            write_all(2, &answer.stderr);
            write_all(1, &answer.stdout);
            // SAFETY: ends the process without running anything of it.
            unsafe { libc::_exit(answer.code) };
        }
        #[cfg(not(unix))]
        std::process::exit(answer.code);
    }
}

#[cfg(unix)]
fn write_all(descriptor: libc::c_int, bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: a buffer of the length that is named.
        let written = unsafe { libc::write(descriptor, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => rest = rest.get(written..).unwrap_or_default(),
            _ => return,
        }
    }
}

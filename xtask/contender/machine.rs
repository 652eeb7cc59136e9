//! What a request may change about this process: its processor, its memory.

// Affinity and limits have no face in std.
#![allow(unsafe_code)]

use std::io;
use std::mem;

/// A measurement that eats the machine's memory fails instead of swapping.
const MEMORY_LIMIT: u64 = 4 << 30;

/// Limits the address space of this process and of what it starts.
pub fn limit_memory() -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: MEMORY_LIMIT, rlim_max: MEMORY_LIMIT };
    // SAFETY: the limit is a plain value that outlives the call.
    done(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) })
}

/// The processors this process may use, as it found them.
pub struct Processors(libc::cpu_set_t);

impl Processors {
    /// Asked once: while pinned, some C libraries count only the one.
    pub fn found() -> io::Result<Processors> {
        // SAFETY: an empty set is all zeroes, and the call fills no more than its size.
        unsafe {
            let mut set: libc::cpu_set_t = mem::zeroed();
            done(libc::sched_getaffinity(0, mem::size_of_val(&set), &mut set))?;
            Ok(Processors(set))
        }
    }

    /// Keeps this process, and what it starts, on the last one.
    pub fn pin(&self) -> io::Result<()> {
        // SAFETY: every index is below the size of a set.
        unsafe {
            let mut one: libc::cpu_set_t = mem::zeroed();
            let last = (0..libc::CPU_SETSIZE as usize).rev().find(|&index| libc::CPU_ISSET(index, &self.0));
            libc::CPU_SET(last.unwrap_or(0), &mut one);
            done(libc::sched_setaffinity(0, mem::size_of_val(&one), &one))
        }
    }

    /// Lets it run anywhere again.
    pub fn unpin(&self) -> io::Result<()> {
        // SAFETY: the set was filled by the system.
        unsafe { done(libc::sched_setaffinity(0, mem::size_of_val(&self.0), &self.0)) }
    }
}

/// Makes this process large: every page is touched, so every page is there.
pub fn grow(bytes: usize) -> Vec<u8> {
    vec![1; bytes]
}

fn done(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

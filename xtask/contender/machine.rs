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

/// Keeps this process, and what it starts, on the last processor.
pub fn pin() -> io::Result<()> {
    let last = processors() - 1;
    allow(|processor| processor == last)
}

/// Lets it run anywhere again.
pub fn unpin() -> io::Result<()> {
    allow(|_| true)
}

/// Makes this process large: every page is touched, so every page is there.
pub fn grow(bytes: usize) -> Vec<u8> {
    vec![1; bytes]
}

fn allow(wanted: impl Fn(usize) -> bool) -> io::Result<()> {
    // SAFETY: an empty set is all zeroes, and every index is below its size.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        (0..processors())
            .filter(|&processor| wanted(processor))
            .for_each(|processor| libc::CPU_SET(processor, &mut set));
        done(libc::sched_setaffinity(0, mem::size_of_val(&set), &set))
    }
}

fn processors() -> usize {
    // SAFETY: takes and gives plain numbers.
    let configured = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(configured).unwrap_or(1).clamp(1, 1024)
}

fn done(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

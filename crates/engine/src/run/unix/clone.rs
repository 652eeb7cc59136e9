//! Makes a process on Linux, in the way `posix_spawn` does it: the child
//! borrows our memory until it executes its program (`CLONE_VM | CLONE_VFORK`),
//! so that the price does not depend on the size of the host.
//!
//! Why not `std::process::Command`: it sorts the environment into a map anew
//! for every process, and glibc's `posix_spawn` looks at every signal twice;
//! together that costs half of what starting a small program costs. And it can
//! neither close what the host left open nor tie a hook's life to the host's.
//!
//! Here and in `fork3` is the only `unsafe` code on Unix outside tests. What
//! makes it sound: all memory the child touches is laid out before it exists
//! and outlives it, since we sleep until it has executed its program or
//! exited; it runs on a stack of its own; signals are blocked until no handler
//! of ours is left in it; and between its birth and its program it makes
//! system calls and nothing else.
#![allow(unsafe_code)]

#[path = "fork3.rs"]
mod fork3;

use std::ffi::{c_char, c_int, c_long, c_void};
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};

use super::block::{Block, PATH_ROOM};
use super::start::{Failure, Fate, Start, Started, errno};
use crate::run::interrupt::restores_file_size_signal;

const LAST_SIGNAL: c_int = 64;
/// The kernel's signal set has one bit per signal.
const SIGNAL_SET: usize = 8;
const CLOSE_RANGE_CLOEXEC: c_int = 4;

/// Starts a program.
pub fn spawn(start: &Start) -> Result<Started, Failure> {
    Block::with(start, |block| spawn_block(start, block))?
}

fn spawn_block(start: &Start, block: &mut Block) -> Result<Started, Failure> {
    let plan = Plan {
        pwd: block.pwd_room(),
        program: block.program(),
        run_dir: block.run_dir(),
        argv: block.argv(),
        envp: block.envp(),
        stdio: start.stdio.map(|fd| fd.as_raw_fd()),
        // SAFETY: takes nothing and cannot fail.
        host: (start.fate == Fate::DiesWithHost).then(|| unsafe { libc::getpid() }),
        failed_step: AtomicI32::new(0),
        error: AtomicI32::new(0),
    };
    let mask = set_signal_mask(u64::MAX);
    // SAFETY: `child` keeps to what the head of this file promises, and `plan`
    // outlives it.
    let born = unsafe { fork3::run_child(child, ptr::from_ref(&plan).cast_mut().cast()) };
    let born = born.map_err(|error| Failure::Process(errno(&error)));
    set_signal_mask(mask);
    let (pid, pidfd) = born?;
    match plan.failure() {
        None => Ok(Started { pid, pidfd }),
        Some(failure) => {
            // It exited, and nobody else knows of it.
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
            Err(failure)
        }
    }
}

/// What the child does, in terms of the kernel.
struct Plan {
    program: *const c_char,
    run_dir: *const c_char,
    argv: *const *const c_char,
    envp: *const *const c_char,
    /// Where the child writes the real name of its directory; null if it does not.
    pwd: *mut c_char,
    stdio: [c_int; 3],
    /// The process it must not outlive.
    host: Option<libc::pid_t>,
    /// Written by the child: the memory is shared.
    failed_step: AtomicI32,
    error: AtomicI32,
}

const PREPARING: i32 = 1;
const ENTERING: i32 = 2;
const EXECUTING: i32 = 3;

impl Plan {
    fn failure(&self) -> Option<Failure> {
        let step = self.failed_step.load(Ordering::SeqCst);
        if step == 0 {
            return None;
        }
        let error = Errno::from_raw_os_error(self.error.load(Ordering::SeqCst));
        let no_room = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE].contains(&error);
        Some(match step {
            ENTERING => Failure::Directory(error),
            EXECUTING if !no_room => Failure::Program(error),
            _ => Failure::Process(error),
        })
    }

    fn fail(&self, step: i32) {
        let error = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        self.error.store(error, Ordering::SeqCst);
        self.failed_step.store(step, Ordering::SeqCst);
    }
}

/// The child's whole life before its program. It never returns to us: when the
/// program cannot be executed it exits.
extern "C" fn child(argument: *mut c_void) -> c_int {
    // SAFETY: `spawn_block` passes a plan that outlives the child's use of it.
    let plan = unsafe { &*argument.cast::<Plan>() };
    let step = prepare(plan).and_then(|()| enter(plan)).map_or_else(|step| step, |()| execute(plan));
    plan.fail(step);
    // SAFETY: ends this process only, without the host's exit handlers.
    unsafe { libc::_exit(127) }
}

fn prepare(plan: &Plan) -> Result<(), i32> {
    // SAFETY: system calls on numbers. Descriptors that the host left open are
    // its own doing, so whether they can be closed decides nothing.
    unsafe {
        if let Some(host) = plan.host {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // A host that was killed before this call sends no signal any more.
            if libc::getppid() != host {
                libc::_exit(127);
            }
        }
        let done = libc::setpgid(0, 0) == 0
            && libc::dup2(plan.stdio[0], 0) == 0
            && libc::dup2(plan.stdio[1], 1) == 1
            && libc::dup2(plan.stdio[2], 2) == 2;
        libc::syscall(libc::SYS_close_range, 3, c_int::MAX, CLOSE_RANGE_CLOEXEC);
        if done { Ok(()) } else { Err(PREPARING) }
    }
}

fn enter(plan: &Plan) -> Result<(), i32> {
    // SAFETY: a string of the plan, which ends in NUL, and room of the size
    // that is named. Where there is no name, the room keeps the one it has.
    unsafe {
        if libc::chdir(plan.run_dir) != 0 {
            return Err(ENTERING);
        }
        if !plan.pwd.is_null() {
            libc::syscall(libc::SYS_getcwd, plan.pwd, PATH_ROOM);
        }
    }
    Ok(())
}

fn execute(plan: &Plan) -> i32 {
    // Rust programs ignore SIGPIPE, and a program inherits that; hooks rely on it.
    set_to_default(libc::SIGPIPE);
    if restores_file_size_signal() {
        set_to_default(libc::SIGXFSZ);
    }
    set_signal_mask(0);
    // SAFETY: strings and arrays of the plan, all ended as `execve` expects.
    unsafe { libc::execve(plan.program, plan.argv, plan.envp) };
    EXECUTING
}

/// Sets every signal that has a handler back to its default, so that none of
/// the host's code can run in the child once signals are let through. Only for
/// kernels that do not do it themselves: it costs a call per signal.
fn forget_handlers() {
    for signal in 1..=LAST_SIGNAL {
        if handler(signal) > libc::SIG_IGN {
            set_to_default(signal);
        }
    }
}

fn handler(signal: c_int) -> libc::sighandler_t {
    let mut action = [0usize; 8];
    // SAFETY: the kernel's structure is no longer than this, and begins with
    // the handler on the architectures this file is built for.
    unsafe { signal_action(signal, ptr::null(), action.as_mut_ptr()) };
    action[0]
}

fn set_to_default(signal: c_int) {
    let default = [0usize; 8];
    // SAFETY: all zeros is the default action in the kernel's layout.
    unsafe { signal_action(signal, default.as_ptr(), ptr::null_mut()) };
}

// Not through libc: its functions refuse some signals and take locks that
// another thread of the host may hold.
unsafe fn signal_action(signal: c_int, new: *const usize, old: *mut usize) -> c_long {
    // SAFETY: the caller gives pointers to what the kernel reads and writes.
    unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, new, old, SIGNAL_SET) }
}

fn set_signal_mask(mask: u64) -> u64 {
    let mut old = 0u64;
    let (new, old_set) = (&raw const mask, &raw mut old);
    // SAFETY: two signal sets of the kernel's size.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, new, old_set, SIGNAL_SET) };
    old
}

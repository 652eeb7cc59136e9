//! Makes a process on Linux, in the way `posix_spawn` does it: the child
//! borrows our memory until it executes its program (`CLONE_VM | CLONE_VFORK`),
//! so that the price does not depend on the size of the host.
//!
//! Why not `std::process::Command`: it sorts the environment into a map anew
//! for every process, which alone costs a third of what starting a small
//! program costs; and it can neither close what the host left open nor tie the
//! life of a hook to the life of the host.
//!
//! This file and its tests are the only place with `unsafe` code on Unix. What
//! makes it sound: all memory the child touches is laid out before it exists
//! and outlives it, since we sleep until it has executed its program or
//! exited; it runs on a stack of its own; signals are blocked until no handler
//! of ours is left in it; and between its birth and its program it makes
//! system calls and nothing else.
#![allow(unsafe_code)]

use std::ffi::{CString, OsStr, c_char, c_int, c_long, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::super::shell::{Args, Way};
use super::start::{Environment, Failure, Start, Started};

const FLAGS: c_int = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
/// Enough for a few small frames; memory that is not touched costs nothing.
const STACK: usize = 64 * 1024;
const LAST_SIGNAL: c_int = 64;
/// The kernel's signal set has one bit per signal.
const SIGNAL_SET: usize = 8;
const CLOSE_RANGE_CLOEXEC: c_int = 4;

/// Starts a program. The returned descriptor is not inherited by anything.
pub fn spawn(start: &Start) -> Result<Started, Failure> {
    let program = c_string(start.way.program.as_os_str())?;
    let run_dir = c_string(start.run_dir.as_os_str())?;
    let words = Strings::of_words(start.way)?;
    let env = Strings::of_environment(&start.env);
    let (argv, envp) = (words.pointers(), env.pointers());
    let plan = Plan {
        program: program.as_ptr(),
        run_dir: run_dir.as_ptr(),
        argv: argv.as_ptr(),
        envp: envp.as_ptr(),
        stdio: [start.stdin.as_raw_fd(), start.stdout.as_raw_fd(), start.stderr.as_raw_fd()],
        host: std::process::id() as libc::pid_t,
        failed_step: AtomicI32::new(0),
        error: AtomicI32::new(0),
    };
    let (pid, pidfd) = clone_into(&plan).map_err(Failure::Process)?;
    match plan.failure() {
        None => Ok(Started { pid, pidfd }),
        Some(failure) => {
            // It exited; nobody else knows of it.
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
    stdio: [c_int; 3],
    /// Zero is what the child sees of a host in another namespace.
    host: libc::pid_t,
    /// Written by the child: the memory is shared.
    failed_step: AtomicI32,
    error: AtomicI32,
}

const PREPARING: i32 = 1;
const ENTERING: i32 = 2;
const EXECUTING: i32 = 3;

impl Plan {
    fn failure(&self) -> Option<Failure> {
        let kind = match self.failed_step.load(Ordering::SeqCst) {
            0 => return None,
            ENTERING => Failure::Directory,
            EXECUTING => Failure::Program,
            _ => Failure::Process,
        };
        Some(kind(Errno::from_raw_os_error(self.error.load(Ordering::SeqCst))))
    }

    fn fail(&self, step: i32) {
        let error = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        self.error.store(error, Ordering::SeqCst);
        self.failed_step.store(step, Ordering::SeqCst);
    }
}

fn clone_into(plan: &Plan) -> Result<(Pid, Option<OwnedFd>), Errno> {
    let mut stack: Vec<MaybeUninit<u8>> = Vec::with_capacity(STACK);
    let mut pidfd: c_int = -1;
    let argument = ptr::from_ref(plan).cast_mut().cast::<c_void>();
    let mask = set_signal_mask(u64::MAX);
    // SAFETY: the top of the stack is aligned for both architectures and inside
    // the allocation, `plan` and `stack` outlive the call, and CLONE_VFORK keeps
    // this thread asleep until the child has left both.
    let pid = unsafe {
        let top = stack.as_mut_ptr().add(STACK);
        let top = top.sub(top.addr() % 16).cast::<c_void>();
        libc::clone(child, top, FLAGS, argument, &raw mut pidfd)
    };
    let error = std::io::Error::last_os_error();
    set_signal_mask(mask);
    let pid = Pid::from_raw(pid).filter(|_| pid > 0).ok_or_else(|| super::start::errno(&error))?;
    // A kernel before 5.2 leaves the number alone.
    // SAFETY: the kernel has just made this descriptor, for us alone.
    let pidfd = (pidfd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(pidfd) });
    Ok((pid, pidfd))
}

/// The child's whole life before its program. It never returns to us: when the
/// program cannot be executed it exits.
extern "C" fn child(argument: *mut c_void) -> c_int {
    // SAFETY: `clone_into` passes a plan that outlives the child's use of it.
    let plan = unsafe { &*argument.cast::<Plan>() };
    let step = prepare(plan).and_then(|()| enter(plan)).map_or_else(|step| step, |()| execute(plan));
    plan.fail(step);
    // SAFETY: ends this process only, without the host's exit handlers.
    unsafe { libc::_exit(127) }
}

fn prepare(plan: &Plan) -> Result<(), i32> {
    forget_handlers();
    // SAFETY: system calls on numbers. Descriptors that the host left open are
    // its own doing, so whether they can be closed decides nothing.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let host_died = ![plan.host, 0].contains(&libc::getppid());
        let done = !host_died
            && libc::setpgid(0, 0) == 0
            && libc::dup2(plan.stdio[0], 0) == 0
            && libc::dup2(plan.stdio[1], 1) == 1
            && libc::dup2(plan.stdio[2], 2) == 2;
        libc::syscall(libc::SYS_close_range, 3, c_int::MAX, CLOSE_RANGE_CLOEXEC);
        if done { Ok(()) } else { Err(PREPARING) }
    }
}

fn enter(plan: &Plan) -> Result<(), i32> {
    // SAFETY: a string of the plan, which ends in NUL.
    if unsafe { libc::chdir(plan.run_dir) } == 0 { Ok(()) } else { Err(ENTERING) }
}

fn execute(plan: &Plan) -> i32 {
    set_signal_mask(0);
    // SAFETY: strings and arrays of the plan, all ended as `execve` expects.
    unsafe { libc::execve(plan.program, plan.argv, plan.envp) };
    EXECUTING
}

/// Sets every signal that has a handler back to its default, so that none of
/// the host's code can run in the child once signals are let through; and
/// SIGPIPE too, which Rust programs ignore and hooks rely on.
fn forget_handlers() {
    for signal in 1..=LAST_SIGNAL {
        if handler(signal) > libc::SIG_IGN || signal == libc::SIGPIPE {
            let default = [0usize; 8];
            // SAFETY: all zeros is the default action in the kernel's layout,
            // which is no longer than this.
            unsafe { signal_action(signal, default.as_ptr(), ptr::null_mut()) };
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

// Not through libc: its functions refuse some signals and take locks that
// another thread of the host may hold.
unsafe fn signal_action(signal: c_int, new: *const usize, old: *mut usize) -> c_long {
    // SAFETY: the caller gives pointers to what the kernel reads and writes.
    unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, new, old, SIGNAL_SET) }
}

fn set_signal_mask(mask: u64) -> u64 {
    let mut old = 0u64;
    // SAFETY: two signal sets of the kernel's size.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const mask, &raw mut old, SIGNAL_SET)
    };
    old
}

/// Strings that end in NUL, in one piece of memory.
struct Strings {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Strings {
    fn of_words(way: &Way) -> Result<Strings, Failure> {
        match &way.args {
            Args::Words(words) => Ok(Strings::joined(words.iter().map(|word| [word.as_bytes(), b"", b""]))),
            // Only Windows has programs that divide their arguments themselves.
            Args::Text(_) => Err(Failure::Program(Errno::INVAL)),
        }
    }

    fn of_environment(env: &Environment) -> Strings {
        Strings::joined(env.entries().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()]))
    }

    // None of them holds a NUL: `start` looked.
    fn joined<'a>(strings: impl Iterator<Item = [&'a [u8]; 3]>) -> Strings {
        let mut all = Strings { bytes: Vec::with_capacity(4096), starts: Vec::with_capacity(64) };
        for parts in strings {
            all.starts.push(all.bytes.len());
            parts.iter().for_each(|part| all.bytes.extend_from_slice(part));
            all.bytes.push(0);
        }
        all
    }

    /// Pointers to each, and a null pointer behind them.
    fn pointers(&self) -> Vec<*const c_char> {
        let pointers = self.starts.iter().map(|start| self.bytes[*start..].as_ptr().cast());
        pointers.chain([ptr::null()]).collect()
    }
}

fn c_string(text: &OsStr) -> Result<CString, Failure> {
    CString::new(text.as_bytes()).map_err(|_| Failure::Process(Errno::INVAL))
}

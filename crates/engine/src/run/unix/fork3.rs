//! The birth of a child that shares our memory and runs on its own stack.
//!
//! `clone3` can set all signal handlers back by itself, which saves a system
//! call per signal. Where it is missing (kernels before 5.5, some sandboxes)
//! the older `clone` does the same with more calls.

use std::arch::asm;
use std::ffi::{c_int, c_long, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Pid;

/// Enough for a few small frames, on the stack of the caller.
const STACK: usize = 16 * 1024;
const FLAGS: c_int = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD;
const CLEAR_SIGHAND: u64 = 0x1_0000_0000;

/// Found out once; then the old way is taken at once.
static NO_CLONE3: AtomicBool = AtomicBool::new(false);

/// What a child does. It must not return.
pub type Body = extern "C" fn(*mut c_void) -> c_int;

#[repr(C, align(16))]
struct Stack([MaybeUninit<u8>; STACK]);

/// The kernel's `struct clone_args`, first version.
#[repr(C)]
#[derive(Default)]
struct Arguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
}

/// Runs `body` in a new process and returns when it has executed a program or
/// exited.
///
/// # Safety
///
/// All signals must be blocked. `body` must do nothing but system calls, and
/// `argument` must be what it expects.
pub unsafe fn run_child(body: Body, argument: *mut c_void) -> io::Result<(Pid, Option<OwnedFd>)> {
    let mut stack = Stack([MaybeUninit::uninit(); STACK]);
    let mut pidfd: c_int = -1;
    // SAFETY: the stack and the number outlive the child's use of them, since
    // CLONE_VFORK keeps this thread asleep until then; the rest is the caller's
    // promise.
    let pid = unsafe {
        match NO_CLONE3.load(Ordering::Relaxed) {
            false => by_clone3(body, argument, &mut stack, &mut pidfd)
                .or_else(|_| by_clone(body, argument, &mut stack, &mut pidfd)),
            true => by_clone(body, argument, &mut stack, &mut pidfd),
        }
    }?;
    // SAFETY: the kernel has just made this descriptor, for us alone. One
    // before 5.2 leaves the number as it was.
    let pidfd = (pidfd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(pidfd) });
    Pid::from_raw(pid).map(|pid| (pid, pidfd)).ok_or_else(|| io::ErrorKind::Other.into())
}

unsafe fn by_clone3(
    body: Body,
    argument: *mut c_void,
    stack: &mut Stack,
    pidfd: &mut c_int,
) -> io::Result<i32> {
    let arguments = Arguments {
        flags: FLAGS as u64 | CLEAR_SIGHAND,
        pidfd: ptr::from_mut(pidfd).addr() as u64,
        exit_signal: libc::SIGCHLD as u64,
        stack: stack.0.as_mut_ptr().addr() as u64,
        stack_size: STACK as u64,
        ..Arguments::default()
    };
    // SAFETY: as the caller promised.
    let result = unsafe { clone3(&arguments, body, argument) };
    if result > 0 {
        return Ok(result as i32);
    }
    let error = io::Error::from_raw_os_error(-result as i32);
    if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EINVAL)) {
        NO_CLONE3.store(true, Ordering::Relaxed);
    }
    Err(error)
}

unsafe fn by_clone(
    body: Body,
    argument: *mut c_void,
    stack: &mut Stack,
    pidfd: &mut c_int,
) -> io::Result<i32> {
    let mut wrapped = Wrapped { body, argument };
    // SAFETY: the top of the stack is aligned as the type is, and nobody but
    // the child uses it; `wrapped` lives as long as the child needs it.
    let pid = unsafe {
        let top = stack.0.as_mut_ptr().add(STACK).cast::<c_void>();
        let wrapped = (&raw mut wrapped).cast::<c_void>();
        libc::clone(forgetful, top, FLAGS | libc::SIGCHLD, wrapped, ptr::from_mut(pidfd))
    };
    if pid > 0 { Ok(pid) } else { Err(io::Error::last_os_error()) }
}

struct Wrapped {
    body: Body,
    argument: *mut c_void,
}

/// Does what `clone3` would have done, then the child's own work.
extern "C" fn forgetful(wrapped: *mut c_void) -> c_int {
    // SAFETY: `by_clone` passes this, and sleeps while we use it.
    let wrapped = unsafe { &*wrapped.cast::<Wrapped>() };
    super::forget_handlers();
    (wrapped.body)(wrapped.argument)
}

/// The call itself. The child comes back from it with nothing but its own
/// stack, so it must not come back into Rust: it goes into `body`, and dies if
/// that should ever return.
#[cfg(target_arch = "x86_64")]
unsafe fn clone3(arguments: &Arguments, body: Body, argument: *mut c_void) -> c_long {
    let result: c_long;
    // SAFETY: the kernel keeps every register but the three named; the parent
    // goes on behind the call as after any other.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r9",
            "call r8",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") arguments,
            in("rsi") size_of::<Arguments>(),
            in("r8") body,
            in("r9") argument,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

/// The same for the other architecture.
#[cfg(target_arch = "aarch64")]
unsafe fn clone3(arguments: &Arguments, body: Body, argument: *mut c_void) -> c_long {
    let result: c_long;
    // SAFETY: the kernel keeps every register but the result; the parent goes
    // on behind the call as after any other.
    unsafe {
        asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x10",
            "blr x9",
            "brk #1",
            "2:",
            inlateout("x0") arguments => result,
            in("x1") size_of::<Arguments>(),
            in("x8") libc::SYS_clone3,
            in("x9") body,
            in("x10") argument,
        );
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn exit_with_seven(_: *mut c_void) -> c_int {
        // SAFETY: ends the child.
        unsafe { libc::_exit(7) }
    }

    #[test]
    fn both_ways_give_birth_to_a_child() {
        type Way = unsafe fn(Body, *mut c_void, &mut Stack, &mut c_int) -> io::Result<i32>;
        let ways: [(&str, Way); 2] = [("clone3", by_clone3), ("clone", by_clone)];
        for (name, way) in ways {
            let mut stack = Stack([MaybeUninit::uninit(); STACK]);
            let (mut pidfd, mut status) = (-1, 0);
            // SAFETY: the child exits at once; then it is reaped and its
            // descriptor closed.
            unsafe {
                let pid = way(exit_with_seven, ptr::null_mut(), &mut stack, &mut pidfd).expect(name);
                assert_eq!(libc::waitpid(pid, &mut status, 0), pid, "{name}");
                drop(OwnedFd::from_raw_fd(pidfd));
            }
            assert_eq!(libc::WEXITSTATUS(status), 7, "{name}");
        }
    }
}

//! Signals that a person sends: they cancel what runs.
//!
//! Hooks have process groups of their own, so a Ctrl-C at the terminal reaches
//! only us. A program that owns its process asks for this once; a library in
//! somebody else's process leaves signals alone.
#![allow(unsafe_code)]

use std::sync::OnceLock;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

use super::Cancel;
#[cfg(unix)]
use super::LastAnswer;

static CANCEL: OnceLock<Cancel> = OnceLock::new();

/// From now on the signals that ask a program to end cancel the returned value.
/// A second one ends the program at once, and its hooks die with it.
pub fn cancel_on_signals() -> Cancel {
    let cancel = CANCEL.get_or_init(Cancel::default).clone();
    listen();
    cancel
}

/// For a program that outlives terminals: a hangup does not end it. To be said
/// before `cancel_on_signals`, which leaves alone what is ignored.
pub fn outlive_hangups() {
    #[cfg(unix)]
    // SAFETY: sets a signal to be ignored.
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
    }
}

#[cfg(unix)]
static RESTORES_FILE_SIZE_SIGNAL: AtomicBool = AtomicBool::new(false);

/// A write past the limit of a file's size (`ulimit -f`) fails from now on instead of ending the
/// process: a log that cannot be written must not take a refusal with it. Hooks get the default
/// back.
pub fn ignore_file_size_signal() {
    #[cfg(unix)]
    // SAFETY: sets a signal to be ignored.
    unsafe {
        let before = libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        RESTORES_FILE_SIZE_SIGNAL.store(before == libc::SIG_DFL, Ordering::Relaxed);
    }
}

/// Whether a program that is started gets the default of the signal for files over the limit back.
#[cfg(unix)]
pub(super) fn restores_file_size_signal() -> bool {
    RESTORES_FILE_SIZE_SIGNAL.load(Ordering::Relaxed)
}

// Loads and stores of atomics only: all that a handler may do.
fn cancel_now() {
    if let Some(cancel) = CANCEL.get() {
        cancel.cancel();
    }
}

#[cfg(unix)]
fn listen() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: queries and sets an action with a handler that keeps to the
        // rules of handlers. What `nohup` and its like ignore stays ignored.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut action);
            if action.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let handler: extern "C" fn(libc::c_int) = on_signal;
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_RESETHAND;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
    let handler: extern "C" fn(libc::c_int) = on_alarm;
    // SAFETY: sets a handler that keeps to the rules of handlers.
    unsafe { libc::signal(libc::SIGALRM, handler as libc::sighandler_t) };
    // A parent that ignored its children made us inherit that, and then the
    // kernel would throw exit codes away.
    // SAFETY: sets a signal to its default.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

#[cfg(unix)]
extern "C" fn on_signal(_signal: libc::c_int) {
    cancel_now();
    if LastAnswer::is_prepared() {
        let after = libc::timeval { tv_sec: 0, tv_usec: END_AFTER_MICROSECONDS };
        let once = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: after };
        // SAFETY: a system call with a value that lives until it returns.
        unsafe { libc::setitimer(libc::ITIMER_REAL, &once, std::ptr::null_mut()) };
    }
}

/// How long a process that was asked to end may take to end hooks and to answer.
#[cfg(unix)]
const END_AFTER_MICROSECONDS: libc::suseconds_t = 800_000;

#[cfg(unix)]
extern "C" fn on_alarm(_signal: libc::c_int) {
    LastAnswer::give();
}

#[cfg(windows)]
fn listen() {
    use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;

    // SAFETY: a function that lives as long as the program.
    unsafe { SetConsoleCtrlHandler(Some(on_control), 1) };
}

// The first is ours; a second one goes to whoever is next, which ends us.
#[cfg(windows)]
unsafe extern "system" fn on_control(_kind: u32) -> i32 {
    let first = CANCEL.get().is_some_and(|cancel| !cancel.is_cancelled());
    cancel_now();
    first.into()
}

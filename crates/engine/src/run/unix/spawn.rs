//! Chooses how a process is made.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
use super::clone as best;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
use super::command as best;
use super::start::{Failure, Start, Started};

/// Starts a program.
#[cfg(not(test))]
pub fn spawn(start: &Start) -> Result<Started, Failure> {
    best::spawn(start)
}

/// The same; tests choose.
#[cfg(test)]
pub fn spawn(start: &Start) -> Result<Started, Failure> {
    if WITHOUT_CLONE.get() { super::command::spawn(start) } else { best::spawn(start) }
}

#[cfg(test)]
thread_local! {
    static WITHOUT_CLONE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs a test with the standard library's processes, as on other systems.
#[cfg(test)]
pub fn without_clone(test: fn()) {
    WITHOUT_CLONE.set(true);
    test();
    WITHOUT_CLONE.set(false);
}

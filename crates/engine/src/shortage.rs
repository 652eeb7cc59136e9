//! Whether this process ran short of what the machine gives: open files,
//! processes, memory.
//!
//! A hook that could not be started for want of them failed, and failures are
//! open by default. In a process of its own that is the whole truth; a process
//! that serves many is short because of others, and must not decide then. It
//! looks at the count before an event and after it. What happened beside the
//! event counts as well: rather one refusal to decide too many.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

static TIMES: AtomicU64 = AtomicU64::new(0);

/// How often the machine had no more to give, since this process began.
pub fn times() -> u64 {
    TIMES.load(Ordering::SeqCst)
}

/// From before something is read until it is decided.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Watch(u64);

impl Watch {
    /// Begins now.
    pub fn begin() -> Watch {
        Watch(times())
    }

    /// The count when it began.
    pub fn since(self) -> u64 {
        self.0
    }

    /// Whether nothing was short since then. Once false, it stays so.
    pub fn holds(self) -> bool {
        times() == self.0
    }
}

/// Counts an error if it is one of these.
pub fn note(error: &io::Error) {
    if is_shortage(error) {
        TIMES.fetch_add(1, Ordering::SeqCst);
    }
}

/// The same for one that is handed on.
pub(crate) fn noted(error: io::Error) -> io::Error {
    note(&error);
    error
}

/// More open files than this are not looked for.
pub const MOST_FILES: u64 = 4096;

/// Whether about so many more files could be opened; half of them at least.
#[cfg(unix)]
pub fn has_room_for_files(spare: u64) -> bool {
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::sync::OnceLock;

    use rustix::process::{Resource, getrlimit};

    static ANY: OnceLock<Option<File>> = OnceLock::new();
    let Some(any) = ANY.get_or_init(|| File::open("/dev/null").ok()) else { return true };
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(MOST_FILES).min(MOST_FILES);
    let Some(lowest) = limit.checked_sub(spare).and_then(|lowest| i32::try_from(lowest).ok()) else {
        return false;
    };
    // The system gives the lowest number that is free, from this one on.
    match rustix::io::fcntl_dupfd_cloexec(any, lowest) {
        Ok(file) => i64::from(file.as_raw_fd() - lowest) * 2 < spare.cast_signed(),
        Err(_) => false,
    }
}

/// Elsewhere nobody limits them.
#[cfg(not(unix))]
pub fn has_room_for_files(_spare: u64) -> bool {
    true
}

#[cfg(unix)]
fn is_shortage(error: &io::Error) -> bool {
    use rustix::io::Errno;

    let none_left = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|error| none_left.contains(&error))
}

#[cfg(not(unix))]
fn is_shortage(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_want_of_the_machine_is_counted() {
        let before = times();
        for (number, counts) in [(libc::ENOENT, false), (libc::EACCES, false), (libc::EMFILE, true)] {
            let error = io::Error::from_raw_os_error(number);
            assert_eq!(is_shortage(&error), counts, "{error}");
        }
        noted(io::Error::from_raw_os_error(libc::ENFILE));
        assert!(times() > before);
    }

    #[test]
    fn there_is_room_for_few_files_and_none_for_more_than_there_may_be() {
        assert!(has_room_for_files(16));
        assert!(!has_room_for_files(MOST_FILES + 1));
    }
}

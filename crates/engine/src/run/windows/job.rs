//! A job object: all processes of a tree, which die together.
//!
//! It kills its members when its last handle is closed, and so also when the
//! host dies.
#![allow(unsafe_code)]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::ptr;
use std::time::Duration;

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE, WAIT_TIMEOUT};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    OpenThread, ResumeThread, THREAD_SUSPEND_RESUME, WaitForSingleObject,
};

/// A tree of processes.
pub struct Job(OwnedHandle);

impl Job {
    pub fn new() -> io::Result<Job> {
        // SAFETY: asks for a new object without a name.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        // SAFETY: the handle was made for us, or is null.
        let job = unsafe { owned(handle) }.map(Job)?;
        job.limit(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)?;
        Ok(job)
    }

    /// Takes in a process that was started asleep, and wakes it.
    pub fn adopt(&self, child: &Child) -> io::Result<()> {
        // SAFETY: both handles are open.
        let adopted = unsafe { AssignProcessToJobObject(self.handle(), child.as_raw_handle()) };
        if adopted == 0 {
            return Err(io::Error::last_os_error());
        }
        wake(child.id())
    }

    pub fn kill(&self) {
        // SAFETY: the handle is open.
        unsafe { TerminateJobObject(self.handle(), 1) };
    }

    /// Lets the members live on when this handle is closed.
    pub fn release(&self) {
        let _ = self.limit(0);
    }

    fn limit(&self, flags: JOB_OBJECT_LIMIT) -> io::Result<()> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = flags;
        let size = size_of_val(&limits) as u32;
        // SAFETY: a structure of the kind and size that are named.
        let set = unsafe {
            SetInformationJobObject(
                self.handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size,
            )
        };
        if set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    fn handle(&self) -> HANDLE {
        self.0.as_raw_handle()
    }
}

pub fn has_ended(child: &Child) -> bool {
    wait(child, Duration::ZERO)
}

/// Waits for the end of a process, at most so long; whether it came.
pub fn wait(child: &Child, limit: Duration) -> bool {
    let limit = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX - 1);
    // SAFETY: the handle is open.
    let result = unsafe { WaitForSingleObject(child.as_raw_handle(), limit) };
    result != WAIT_TIMEOUT
}

/// The standard library keeps a process's thread to itself, so it is looked up.
/// A process that sleeps since its birth has just one.
fn wake(process: u32) -> io::Result<()> {
    // SAFETY: asks for a snapshot; the handle is ours.
    let snapshot = unsafe { owned(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0)) }?;
    let mut entry = THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..Default::default() };
    // SAFETY: an open snapshot, and an entry that knows its size.
    let mut found = unsafe { Thread32First(snapshot.as_raw_handle(), &mut entry) };
    while found != 0 {
        if entry.th32OwnerProcessID == process {
            // SAFETY: the thread's handle is opened and closed here.
            let thread = unsafe { owned(OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID)) }?;
            let count = unsafe { ResumeThread(thread.as_raw_handle()) };
            return if count == u32::MAX { Err(io::Error::last_os_error()) } else { Ok(()) };
        }
        // SAFETY: as above.
        found = unsafe { Thread32Next(snapshot.as_raw_handle(), &mut entry) };
    }
    Err(io::Error::other("its thread was not found"))
}

/// # Safety
///
/// The handle must be one that nobody else closes, or none.
unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

//! One piece of work of the system's that goes on while nobody waits for it.
//!
//! What the system reads from or writes to while it works stands on the heap and
//! belongs to the operation, which ends the work before it lets go of that.
#![allow(unsafe_code)]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use windows_sys::Win32::Foundation::{
    ERROR_IO_PENDING, ERROR_OPERATION_ABORTED, ERROR_PIPE_CONNECTED, WAIT_OBJECT_0, WAIT_TIMEOUT,
};
use windows_sys::Win32::Storage::FileSystem::{ReadFile, WriteFile};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Pipes::ConnectNamedPipe;
use windows_sys::Win32::System::Threading::{CreateEventW, INFINITE, SetEvent, WaitForMultipleObjects};

/// Something that happens once.
#[derive(Debug)]
pub struct Event(OwnedHandle);

/// One piece of work on a pipe at a time.
pub struct Operation {
    pipe: Arc<OwnedHandle>,
    ended: Event,
    overlapped: Box<OVERLAPPED>,
    buffer: Vec<u8>,
    under_way: bool,
}

// SAFETY: the pointers in `overlapped` are the event's handle, which any thread
// may use, and numbers of the system's.
unsafe impl Send for Operation {}

impl Event {
    /// It has not happened.
    pub fn new() -> io::Result<Event> {
        // SAFETY: no attributes and no name.
        let handle = unsafe { CreateEventW(ptr::null(), 1, 0, ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was made just now and is nobody else's.
        Ok(Event(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    /// It happens.
    pub fn set(&self) {
        // SAFETY: an open event.
        unsafe { SetEvent(self.0.as_raw_handle()) };
    }

    /// Whether it has happened.
    pub fn is_set(&self) -> bool {
        matches!(first_of(&[self], Some(Duration::ZERO)), Ok(Some(_)))
    }
}

impl Operation {
    /// Nothing is under way.
    pub fn on(pipe: &Arc<OwnedHandle>) -> io::Result<Operation> {
        Ok(Operation {
            pipe: Arc::clone(pipe),
            ended: Event::new()?,
            overlapped: Box::default(),
            buffer: Vec::new(),
            under_way: false,
        })
    }

    /// Whether something was begun whose end nobody has seen.
    pub fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// What was read.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Begins to read so much at most.
    pub fn read(&mut self, most: usize) -> io::Result<()> {
        self.prepare();
        self.buffer.resize(most, 0);
        let (pipe, buffer) = (self.pipe.as_raw_handle(), self.buffer.as_mut_ptr());
        // SAFETY: buffer and overlapped stay where they are until the end was seen.
        let done = unsafe { ReadFile(pipe, buffer, most as u32, ptr::null_mut(), &mut *self.overlapped) };
        self.begun(done)
    }

    /// Begins to write a copy of this.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.prepare();
        self.buffer.clear();
        self.buffer.extend_from_slice(bytes);
        let (pipe, length) = (self.pipe.as_raw_handle(), bytes.len() as u32);
        // SAFETY: as above.
        let done =
            unsafe { WriteFile(pipe, self.buffer.as_ptr(), length, ptr::null_mut(), &mut *self.overlapped) };
        self.begun(done)
    }

    /// Begins to wait for somebody at the other end.
    pub fn connect(&mut self) -> io::Result<()> {
        self.prepare();
        // SAFETY: as above.
        let done = unsafe { ConnectNamedPipe(self.pipe.as_raw_handle(), &mut *self.overlapped) };
        match self.begun(done) {
            // He was quicker.
            Err(error) if is(&error, ERROR_PIPE_CONNECTED) => {
                *self.overlapped = OVERLAPPED { hEvent: self.ended.0.as_raw_handle(), ..Default::default() };
                self.ended.set();
                self.under_way = true;
                Ok(())
            }
            done => done,
        }
    }

    /// How many bytes it came to; none when it goes on after so long. An error,
    /// too, when `or` happens first: then it also goes on.
    pub fn end(&mut self, patience: Option<Duration>, or: Option<&Event>) -> io::Result<Option<usize>> {
        let events: Vec<&Event> = std::iter::once(&self.ended).chain(or).collect();
        match first_of(&events, patience)? {
            None => Ok(None),
            Some(0) => self.result(false).map(Some),
            Some(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Ends it; what it came to all the same, if it was quicker.
    pub fn cancel(&mut self) -> io::Result<Option<usize>> {
        if !self.under_way {
            return Ok(None);
        }
        // SAFETY: an open pipe and the work that is under way on it.
        unsafe { CancelIoEx(self.pipe.as_raw_handle(), &*self.overlapped) };
        match self.result(true) {
            Ok(count) => Ok(Some(count)),
            Err(error) if is(&error, ERROR_OPERATION_ABORTED) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn prepare(&mut self) {
        // Whoever begins anew has no use for the old.
        let _ = self.cancel();
        *self.overlapped = OVERLAPPED { hEvent: self.ended.0.as_raw_handle(), ..Default::default() };
    }

    fn begun(&mut self, done: i32) -> io::Result<()> {
        if done == 0 {
            let error = io::Error::last_os_error();
            if !is(&error, ERROR_IO_PENDING) {
                return Err(error);
            }
        }
        self.under_way = true;
        Ok(())
    }

    fn result(&mut self, wait: bool) -> io::Result<usize> {
        let mut count = 0;
        // SAFETY: an open pipe and the work that was begun on it.
        let good = unsafe {
            GetOverlappedResult(self.pipe.as_raw_handle(), &*self.overlapped, &mut count, wait.into())
        };
        let error = io::Error::last_os_error();
        self.under_way = false;
        if good == 0 { Err(error) } else { Ok(count as usize) }
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        let _ = self.cancel();
    }
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Operation").field("under_way", &self.under_way).finish_non_exhaustive()
    }
}

/// Which of these happens first; none when none does for so long.
fn first_of(events: &[&Event], patience: Option<Duration>) -> io::Result<Option<usize>> {
    let handles: Vec<_> = events.iter().map(|event| event.0.as_raw_handle()).collect();
    // What is less than a millisecond and not nothing is one.
    let millis = |time: Duration| time.as_micros().div_ceil(1000).min(u128::from(INFINITE - 1)) as u32;
    let patience = patience.map_or(INFINITE, millis);
    // SAFETY: open events, as many as are said.
    let first = unsafe { WaitForMultipleObjects(handles.len() as u32, handles.as_ptr(), 0, patience) };
    match first.checked_sub(WAIT_OBJECT_0) {
        Some(at) if (at as usize) < handles.len() => Ok(Some(at as usize)),
        _ if first == WAIT_TIMEOUT => Ok(None),
        _ => Err(io::Error::last_os_error()),
    }
}

fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error() == Some(code.cast_signed())
}

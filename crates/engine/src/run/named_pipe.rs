//! Named pipes of Windows as streams that know how long to wait, and the door
//! they come in by. For the user's own processes on this machine, and nobody else.
//!
//! The system goes on with a piece of work while nobody waits for it
//! (`operation`), so a caller can stop waiting without losing a byte; `owner`
//! says whom a pipe belongs to.
#![allow(unsafe_code)]

mod operation;
mod owner;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use windows_sys::Win32::Foundation::{ERROR_BROKEN_PIPE, ERROR_PIPE_NOT_CONNECTED, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_FIRST_PIPE_INSTANCE, FILE_FLAG_OVERLAPPED, PIPE_ACCESS_DUPLEX, SECURITY_IDENTIFICATION,
};
use windows_sys::Win32::System::Pipes::{
    CreateNamedPipeW, PIPE_READMODE_BYTE, PIPE_REJECT_REMOTE_CLIENTS, PIPE_TYPE_BYTE,
    PIPE_UNLIMITED_INSTANCES, PIPE_WAIT, PeekNamedPipe,
};

use operation::{Event, Operation};
use owner::{Security, owner_of, user};

/// So much is read or written at once, and so much the system keeps.
const PIECE: usize = 64 * 1024;
/// What was written last has so long to be taken when its pipe is closed.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// One end of a pipe. Several threads may use it.
#[derive(Debug)]
pub struct Pipe {
    handle: Arc<OwnedHandle>,
    reading: Mutex<Operation>,
    /// The piece that was written last may still be on its way.
    writing: Mutex<Operation>,
    closing: Event,
    patience: Mutex<Patience>,
}

/// None: for ever.
#[derive(Debug, Clone, Copy, Default)]
struct Patience {
    reading: Option<Duration>,
    writing: Option<Duration>,
}

/// Where pipes of one name come in.
#[derive(Debug)]
pub struct PipeListener {
    name: String,
    security: Security,
    next: Mutex<Option<Door>>,
}

/// One end that waits for its other.
#[derive(Debug)]
struct Door {
    handle: Arc<OwnedHandle>,
    connecting: Operation,
}

impl Pipe {
    /// Connects to a name. Whoever listens there learns who we are and cannot
    /// act in our name.
    pub fn open(name: &str) -> io::Result<Pipe> {
        let mut options = File::options();
        options.read(true).write(true);
        options.custom_flags(FILE_FLAG_OVERLAPPED).security_qos_flags(SECURITY_IDENTIFICATION);
        Pipe::of(Arc::new(options.open(name)?.into()))
    }

    fn of(handle: Arc<OwnedHandle>) -> io::Result<Pipe> {
        Ok(Pipe {
            reading: Mutex::new(Operation::on(&handle)?),
            writing: Mutex::new(Operation::on(&handle)?),
            closing: Event::new()?,
            patience: Mutex::default(),
            handle,
        })
    }

    /// Whether the user who runs this process made the pipe.
    pub fn is_ours(&self) -> io::Result<bool> {
        Ok(owner_of(&self.handle)? == user()?)
    }

    /// A read comes back after so long.
    pub fn set_read_timeout(&self, patience: Option<Duration>) -> io::Result<()> {
        lock(&self.patience).reading = patience;
        Ok(())
    }

    /// A write comes back after so long, with nothing of it written.
    pub fn set_write_timeout(&self, patience: Option<Duration>) -> io::Result<()> {
        lock(&self.patience).writing = patience;
        Ok(())
    }

    /// Nothing more is read or written here, and who waits comes back. A pipe
    /// has no halves to be closed.
    pub fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        self.closing.set();
        Ok(())
    }

    /// How many bytes wait to be read; none when the other end is closed.
    pub fn waiting(&self) -> Option<usize> {
        let mut length = 0;
        let none = ptr::null_mut();
        // SAFETY: an open pipe and a number; nothing else is asked for.
        let open = unsafe {
            PeekNamedPipe(self.handle.as_raw_handle(), none, 0, ptr::null_mut(), &mut length, ptr::null_mut())
        };
        (open != 0).then_some(length as usize)
    }

    /// Writes what can be taken now; 0 when nothing can.
    pub fn send_now(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.write_within(bytes, Some(Duration::ZERO)) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(0),
            done => done,
        }
    }

    /// Hands over one piece when the one before it was taken: a caller that
    /// stops waiting has said nothing twice.
    fn write_within(&self, bytes: &[u8], patience: Option<Duration>) -> io::Result<usize> {
        let mut writing = lock(&self.writing);
        self.settle(&mut writing, patience)?;
        let piece = &bytes[..bytes.len().min(PIECE)];
        if piece.is_empty() {
            return Ok(0);
        }
        writing.write(piece)?;
        // What went wrong at once is told at once.
        match self.settle(&mut writing, Some(Duration::ZERO)) {
            Err(error) if error.kind() != io::ErrorKind::TimedOut => Err(error),
            Ok(()) | Err(_) => Ok(piece.len()),
        }
    }

    /// Waits until the last piece was taken.
    fn settle(&self, writing: &mut Operation, patience: Option<Duration>) -> io::Result<()> {
        if !writing.is_under_way() {
            return if self.closing.is_set() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) };
        }
        match writing.end(patience, Some(&self.closing)) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(io::ErrorKind::TimedOut.into()),
            Err(error) => Err(broken(error)),
        }
    }

    fn read_piece(&self, into: &mut [u8]) -> io::Result<usize> {
        let patience = lock(&self.patience).reading;
        let mut reading = lock(&self.reading);
        if self.closing.is_set() || into.is_empty() {
            return Ok(0);
        }
        reading.read(into.len().min(PIECE))?;
        let count = match reading.end(patience, Some(&self.closing)) {
            Ok(Some(count)) => count,
            // What comes in this very moment is not lost.
            Ok(None) => reading.cancel()?.ok_or(io::ErrorKind::TimedOut)?,
            Err(error) => {
                let _ = reading.cancel();
                return Err(error);
            }
        };
        into[..count].copy_from_slice(&reading.bytes()[..count]);
        Ok(count)
    }
}

impl Read for &Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.read_piece(into).map_err(broken) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
            done => done,
        }
    }
}

impl Write for &Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let patience = lock(&self.patience).writing;
        self.write_within(bytes, patience).map_err(broken)
    }

    /// Waits until the other end has room for all that was written.
    fn flush(&mut self) -> io::Result<()> {
        let patience = lock(&self.patience).writing;
        self.settle(&mut lock(&self.writing), patience)
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        (&*self).read(into)
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self).flush()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let mut writing = lock(&self.writing);
        if writing.is_under_way() {
            let _ = writing.end(Some(LAST_WORDS), None);
        }
    }
}

impl PipeListener {
    /// Takes a name that nobody has.
    pub fn bind(name: &str) -> io::Result<PipeListener> {
        let security = Security::for_the_user_alone()?;
        let door = Door::open(name, &security, FILE_FLAG_FIRST_PIPE_INSTANCE)?;
        Ok(PipeListener { name: name.to_owned(), security, next: Mutex::new(Some(door)) })
    }

    /// The next one who comes; none when nobody did for so long.
    pub fn accept(&self, patience: Duration) -> io::Result<Option<Pipe>> {
        let mut next = lock(&self.next);
        let mut door = match next.take() {
            Some(door) => door,
            None => Door::open(&self.name, &self.security, 0)?,
        };
        match door.connecting.end(Some(patience), None) {
            Ok(None) => {
                *next = Some(door);
                Ok(None)
            }
            Ok(Some(_)) => {
                // The name is there all the time: who comes next finds a door.
                *next = Door::open(&self.name, &self.security, 0).ok();
                Pipe::of(door.handle).map(Some)
            }
            // Somebody came and left.
            Err(_) => {
                *next = Door::open(&self.name, &self.security, 0).ok();
                Ok(None)
            }
        }
    }

    /// Nobody comes in any more.
    pub fn close(&self) {
        *lock(&self.next) = None;
    }
}

impl Door {
    fn open(name: &str, security: &Security, flags: u32) -> io::Result<Door> {
        let name: Vec<u16> = name.encode_utf16().chain([0]).collect();
        let attributes = security.attributes();
        // SAFETY: a name with its zero, and attributes that outlive the call.
        let handle = unsafe {
            CreateNamedPipeW(
                name.as_ptr(),
                PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | flags,
                PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS,
                PIPE_UNLIMITED_INSTANCES,
                PIECE as u32,
                PIECE as u32,
                0,
                &attributes,
            )
        };
        if handle == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was made just now and is nobody else's.
        let handle = Arc::new(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut connecting = Operation::on(&handle)?;
        connecting.connect()?;
        Ok(Door { handle, connecting })
    }
}

/// The system has several words for an end that is gone.
fn broken(error: io::Error) -> io::Error {
    let gone = [ERROR_BROKEN_PIPE, ERROR_PIPE_NOT_CONNECTED];
    match error.raw_os_error().is_some_and(|code| gone.contains(&code.cast_unsigned())) {
        true => io::ErrorKind::BrokenPipe.into(),
        false => error,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Pipes that never make us wait.
#![allow(unsafe_code)]

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::windows::io::AsRawHandle;
use std::ptr;

use windows_sys::Win32::System::Pipes::{PIPE_NOWAIT, PeekNamedPipe, SetNamedPipeHandleState};

/// What is moved at once.
const PIECE: usize = 64 * 1024;
/// A pipe that does not wait takes a piece whole or not at all.
const SMALL_PIECE: usize = 4096;

/// What a process prints.
pub struct Output {
    pipe: Option<PipeReader>,
    buffer: Vec<u8>,
}

/// What a process reads.
pub struct Feed<'a> {
    pipe: Option<PipeWriter>,
    rest: &'a [u8],
}

impl Output {
    /// The pipe, and its end for the process.
    pub fn new() -> io::Result<(Output, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        Ok((Output { pipe: Some(reader), buffer: Vec::new() }, writer))
    }

    pub fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Reads what is there; true if there was something.
    pub fn read(&mut self, mut take: impl FnMut(&[u8])) -> bool {
        let Some(pipe) = &mut self.pipe else { return false };
        let length = match waiting(pipe) {
            Some(0) => return false,
            Some(length) => length.min(PIECE),
            None => {
                self.pipe = None;
                return false;
            }
        };
        self.buffer.resize(length, 0);
        let read = pipe.read(&mut self.buffer).unwrap_or(0);
        take(&self.buffer[..read]);
        read > 0
    }
}

impl<'a> Feed<'a> {
    /// The pipe, and its end for the process.
    pub fn new(input: &'a [u8]) -> io::Result<(PipeReader, Feed<'a>)> {
        let (reader, writer) = io::pipe()?;
        let mode = PIPE_NOWAIT;
        // SAFETY: an open pipe and a mode; the other two are not asked for.
        let set = unsafe { SetNamedPipeHandleState(writer.as_raw_handle(), &mode, ptr::null(), ptr::null()) };
        if set == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((reader, Feed { pipe: Some(writer), rest: input }))
    }

    pub fn is_done(&self) -> bool {
        self.rest.is_empty() || self.pipe.is_none()
    }

    /// Writes what fits; true if something did. A process that closed its end
    /// is given nothing more.
    pub fn write(&mut self) -> bool {
        let before = self.rest.len();
        while let Some(pipe) = &mut self.pipe {
            let piece = &self.rest[..self.rest.len().min(SMALL_PIECE)];
            match pipe.write(piece) {
                Ok(0) => break,
                Ok(written) => self.rest = &self.rest[written..],
                Err(_) => self.pipe = None,
            }
            if before - self.rest.len() >= PIECE {
                break;
            }
        }
        self.rest.len() < before
    }
}

/// How many bytes wait in a pipe; none when it is closed.
fn waiting(pipe: &PipeReader) -> Option<usize> {
    let mut length = 0;
    // SAFETY: an open pipe and a number; nothing else is asked for.
    let open = unsafe {
        PeekNamedPipe(pipe.as_raw_handle(), ptr::null_mut(), 0, ptr::null_mut(), &mut length, ptr::null_mut())
    };
    (open != 0).then_some(length as usize)
}

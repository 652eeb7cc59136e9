//! One connection to the daemon: a line out, lines in, and never an endless
//! wait for either.

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::place::{self, PlaceError};
use super::stream::{Stream, is_quiet, receive_awake};
use super::wire::LONGEST_LINE;
use super::{PATIENCE, Reason};
use crate::run::Cancel;

/// Reads and writes come back this often, to see whether somebody cancelled.
const SLICE: Duration = Duration::from_millis(100);
/// So long an answer is waited for awake: most need no more.
const AWAKE: Duration = Duration::from_micros(100);
/// A long answer is no silence while so much more of it arrives.
const PROGRESS: usize = 1024 * 1024;

/// One open connection.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    /// What arrived behind the last whole line.
    rest: Vec<u8>,
}

impl Connection {
    /// To the daemon of this state directory, and to nobody else.
    pub(super) fn open(state: &Path) -> Result<Connection, Reason> {
        Ok(Connection { stream: connect(state)?, rest: Vec::new() })
    }

    /// Whether it can be asked: open, and nothing left over. What a daemon says
    /// unasked answers nothing.
    pub(super) fn is_fresh(&self) -> bool {
        self.rest.is_empty() && is_quiet(&self.stream)
    }

    /// Sends one line. Its end is part of it.
    pub(super) fn send(&mut self, mut line: &[u8], cancel: &Cancel) -> Result<(), Reason> {
        let mut heard = Instant::now();
        while !line.is_empty() {
            match self.stream.write(line) {
                Ok(0) => return Err(Reason::Gone),
                Ok(count) => {
                    line = &line[count..];
                    heard = Instant::now();
                }
                Err(error) => wait_on(&error, heard, cancel)?,
            }
        }
        Ok(())
    }

    /// The next line, without its end.
    pub(super) fn line(&mut self, cancel: &Cancel) -> Result<Vec<u8>, Reason> {
        let mut heard = Instant::now();
        let (mut looked, mut counted) = (0, self.rest.len());
        let mut chunk = [0_u8; 16 * 1024];
        let mut awake = Some(AWAKE);
        loop {
            if let Some(end) = self.rest[looked..].iter().position(|byte| *byte == b'\n') {
                let behind = self.rest.split_off(looked + end + 1);
                let mut line = std::mem::replace(&mut self.rest, behind);
                line.pop();
                return Ok(line);
            }
            looked = self.rest.len();
            if looked > LONGEST_LINE {
                return Err(Reason::Garbled(format!("a line of more than {LONGEST_LINE} bytes")));
            }
            let soon = awake.take().and_then(|patience| receive_awake(&self.stream, &mut chunk, patience));
            match soon.map_or_else(|| self.stream.read(&mut chunk), Ok) {
                Ok(0) => return Err(Reason::Gone),
                Ok(count) => self.rest.extend_from_slice(&chunk[..count]),
                Err(error) => wait_on(&error, heard, cancel)?,
            }
            if self.rest.len() >= counted + PROGRESS {
                (counted, heard) = (self.rest.len(), Instant::now());
            } else if heard.elapsed() > PATIENCE {
                return Err(Reason::Silent(PATIENCE));
            }
        }
    }
}

fn connect(state: &Path) -> Result<Stream, Reason> {
    let stream = place::connect(state).map_err(reason)?;
    let sliced = stream.set_read_timeout(Some(SLICE)).and_then(|()| stream.set_write_timeout(Some(SLICE)));
    sliced.map_err(Reason::Unreachable)?;
    Ok(stream)
}

fn reason(error: PlaceError) -> Reason {
    match error {
        PlaceError::Absent(_) => Reason::Absent,
        PlaceError::Foreign(_, who) => Reason::Stranger(who),
        PlaceError::NotTaken(time) => Reason::NotTaken(time),
        PlaceError::State(error) => Reason::Folder(error),
        PlaceError::Io(_, error) => Reason::Unreachable(error),
        error @ (PlaceError::NoSocket(_)
        | PlaceError::Open(..)
        | PlaceError::TooLong(_)
        | PlaceError::Taken(_)) => Reason::Unreachable(io::Error::other(error)),
    }
}

/// Goes on after a slice of waiting, unless it was one too many.
fn wait_on(error: &std::io::Error, since: Instant, cancel: &Cancel) -> Result<(), Reason> {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut if cancel.is_cancelled() => Err(Reason::Cancelled),
        ErrorKind::WouldBlock | ErrorKind::TimedOut if since.elapsed() > PATIENCE => {
            Err(Reason::Silent(PATIENCE))
        }
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(()),
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Err(Reason::Gone),
        _ => Err(Reason::Unreachable(std::io::Error::from(error.kind()))),
    }
}

/// How long a daemon that was silent is not asked again by the same process.
pub(super) const REST: Duration = Duration::from_secs(30);

//! Lines from a connection: bounded in length, in time and in memory.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use boathook_engine::remote::stream::{Stream, receive_awake};
use boathook_engine::remote::wire::LONGEST_LINE;

use super::budget::{Budget, Share};

/// A line that has begun must be there as a whole by then.
pub const SLOWEST_LINE: Duration = Duration::from_secs(10);
/// So much is read at once; a shorter line costs nobody anything.
const CHUNK: usize = 64 * 1024;
/// A line that is longer may become as long as any.
const MUCH: usize = 1024 * 1024;
/// Who says one line after another is listened to awake, for so long after each.
const AWAKE: Duration = Duration::from_micros(100);
/// A line that comes sooner than this after the last is one of several: to be
/// woken for it is most of that.
const IN_A_RUN: Duration = Duration::from_micros(250);
/// How often somebody who waits for memory looks for it.
const PAUSE: Duration = Duration::from_millis(20);

/// What came.
#[derive(Debug)]
pub enum Next {
    /// A line without its end, and the memory it takes while it is worked on.
    Line(Vec<u8>, Option<Share>),
    /// Nothing more comes.
    End,
    /// A line that is too long.
    TooLong,
    /// A line that did not come to its end.
    TooSlow,
    /// There was no memory for it.
    NoRoom,
}

/// The lines of one connection.
pub struct Lines<'s> {
    stream: &'s Stream,
    budget: &'s Arc<Budget>,
    /// What was read and not yet given out.
    read: Vec<u8>,
    /// So much of it has no line end.
    looked_at: usize,
    share: Option<Share>,
    /// When the line at hand began.
    began: Option<Instant>,
    timed: bool,
    /// The last line came soon after the one before.
    in_a_run: bool,
    chunk: Box<[u8]>,
}

impl<'s> Lines<'s> {
    pub fn of(stream: &'s Stream, budget: &'s Arc<Budget>) -> Lines<'s> {
        Lines {
            stream,
            budget,
            read: Vec::new(),
            looked_at: 0,
            share: None,
            began: None,
            timed: false,
            in_a_run: false,
            chunk: vec![0; CHUNK].into(),
        }
    }

    /// The next one.
    pub fn next(&mut self) -> Next {
        loop {
            if let Some(line) = self.whole_line() {
                return Next::Line(line, self.share.take());
            }
            if self.read.len() > LONGEST_LINE {
                return Next::TooLong;
            }
            if !self.has_room() {
                return Next::NoRoom;
            }
            match self.read_more() {
                Ok(0) => return Next::End,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return Next::TooSlow;
                }
                Err(_) => return Next::End,
            }
        }
    }

    fn whole_line(&mut self) -> Option<Vec<u8>> {
        let end = self.read[self.looked_at..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|end| self.looked_at + end).filter(|end| *end <= LONGEST_LINE) else {
            self.looked_at = self.read.len();
            return None;
        };
        let rest = self.read.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.read, rest);
        line.pop();
        self.looked_at = 0;
        self.began = (!self.read.is_empty()).then(Instant::now);
        Some(line)
    }

    /// A line that outgrows the first chunk needs memory that others want, too.
    fn has_room(&mut self) -> bool {
        if self.read.len() + CHUNK <= self.read.capacity().max(2 * CHUNK) {
            return true;
        }
        let more = (self.read.len() / 2).max(CHUNK);
        // Who needs much is given all it may need: two that wait for each other's
        // memory would wait for ever.
        let wanted = if self.read.len() > MUCH { LONGEST_LINE } else { self.read.len() + more };
        let began = *self.began.get_or_insert_with(Instant::now);
        let share = self.share.get_or_insert_with(|| self.budget.share());
        while !share.grow_to(wanted) {
            if began.elapsed() >= SLOWEST_LINE {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
        self.read.reserve_exact(more);
        true
    }

    fn read_more(&mut self) -> io::Result<usize> {
        match self.began {
            Some(began) => {
                let left = SLOWEST_LINE.saturating_sub(began.elapsed());
                if left.is_zero() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                self.stream.set_read_timeout(Some(left))?;
                self.timed = true;
            }
            // Between lines anybody may take any time.
            None if self.timed => {
                self.stream.set_read_timeout(None)?;
                self.timed = false;
            }
            None => {}
        }
        let count = match self.began {
            Some(_) => self.stream.read(&mut self.chunk)?,
            None => self.read_next()?,
        };
        self.read.extend_from_slice(&self.chunk[..count]);
        if self.began.is_none() && self.chunk[..count].last() != Some(&b'\n') {
            self.began = Some(Instant::now());
        }
        Ok(count)
    }

    /// The beginning of a line. Its end may be there, too.
    fn read_next(&mut self) -> io::Result<usize> {
        let begun = Instant::now();
        let patience = Some(AWAKE).filter(|_| self.in_a_run);
        let soon = patience.and_then(|patience| receive_awake(self.stream, &mut self.chunk, patience));
        let count = soon.map_or_else(|| self.stream.read(&mut self.chunk), Ok)?;
        self.in_a_run = begun.elapsed() < IN_A_RUN;
        Ok(count)
    }
}

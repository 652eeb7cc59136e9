//! The bounded log on disk: JSON lines in a few segments, oldest removed first.
//!
//! Lines are appended under a lock. A line that a crash tore is passed over by
//! readers and counted.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::thread;
use std::time::{Duration, Instant};

use crate::record::Record;
use crate::state::{OpenFolder, StateDir, StateError};

/// Segments kept,
const SEGMENTS: u64 = 10;
/// records in each,
const RECORDS: u64 = 1_000;
/// and bytes in each: 10,000 records or 64 MiB in all.
const BYTES: u64 = 64 * 1024 * 1024 / SEGMENTS;

/// Nobody waits longer for the lock.
const LONGEST_WAIT: Duration = Duration::from_millis(300);

const FOLDER: &str = "log";
/// Its file also holds a note of where the next line goes.
const LOCK: &str = "lock";
const LONGEST_NOTE: u64 = 100;

/// The log of one state directory.
#[derive(Debug, Clone)]
pub struct LogFile {
    state: StateDir,
}

/// Why not all records are in the log, and how many are.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct NotAppended {
    /// So many of them, from the first on.
    pub appended: usize,
    /// What kept the rest out.
    pub error: StateError,
}

impl LogFile {
    /// The log in this state directory.
    pub fn of(state: StateDir) -> LogFile {
        LogFile { state }
    }

    /// Appends records.
    pub fn append(&self, records: &[Record]) -> Result<(), NotAppended> {
        if records.is_empty() {
            return Ok(());
        }
        let none = |error| NotAppended { appended: 0, error };
        let folder = self.state.open_folder(FOLDER).map_err(none)?;
        let lock = folder.change(LOCK).map_err(none)?;
        self.take(&lock).map_err(none)?;
        let mut appended = 0;
        let result = self.append_locked(records, &lock, &folder, &mut appended);
        // Closing it is not enough: a process that is just being made has it, too.
        let _ = lock.unlock();
        result.map_err(|error| NotAppended { appended, error })
    }

    fn append_locked(
        &self,
        records: &[Record],
        lock: &File,
        folder: &OpenFolder,
        appended: &mut usize,
    ) -> Result<(), StateError> {
        let (mut end, mut file) = self.end(lock, folder)?;
        for record in records {
            let line = serde_json::to_string(record).map_err(|error| self.error(LOCK, error.into()))? + "\n";
            if end.has_no_room_for(&line) {
                self.remove_old(end.segment + 1)?;
                (end, file) = self.open(end.segment + 1, folder)?;
            }
            if end.torn {
                // What a crash left of a line must not swallow the next one.
                file.write_all(b"\n").map_err(|error| self.error(&name(end.segment), error))?;
                end = End { torn: false, bytes: end.bytes + 1, ..end };
            }
            if let Err(error) = file.write_all(line.as_bytes()) {
                // On a full disk a part of the line may stand there.
                let _ = file.set_len(end.bytes).and_then(|()| end.note_in(lock));
                return Err(self.error(&name(end.segment), error));
            }
            end.records += 1;
            end.bytes += line.len() as u64;
            *appended += 1;
        }
        // The records are written; without this note the next writer finds the end itself.
        let _ = end.note_in(lock);
        Ok(())
    }

    /// A hook that holds the lock must not hold us: the answer is out, but a
    /// host waits for our exit code.
    fn take(&self, lock: &File) -> Result<(), StateError> {
        let start = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) if start.elapsed() < LONGEST_WAIT => {
                    thread::sleep(Duration::from_millis(5))
                }
                Err(error) => return Err(self.error(LOCK, error.into())),
            }
        }
    }

    /// Every record, oldest first, and how many lines could not be read.
    pub fn read(&self) -> Result<(Vec<Record>, usize), StateError> {
        let (mut records, mut unreadable) = (Vec::new(), 0);
        for segment in self.segments()? {
            for line in
                self.state.read(FOLDER, &name(segment))?.unwrap_or_default().split(|byte| *byte == b'\n')
            {
                match serde_json::from_slice(line) {
                    _ if line.is_empty() => {}
                    Ok(record) => records.push(record),
                    Err(_) => unreadable += 1,
                }
            }
        }
        Ok((records, unreadable))
    }

    /// Makes room for a segment.
    fn remove_old(&self, segment: u64) -> Result<(), StateError> {
        for old in self.segments()?.into_iter().filter(|old| old + SEGMENTS <= segment) {
            self.state.remove(FOLDER, &name(old))?;
        }
        Ok(())
    }

    /// Where the next line goes. What the note of it does not know of was torn
    /// by a crash, or written by somebody who could not leave a note.
    fn end(&self, lock: &File, folder: &OpenFolder) -> Result<(End, File), StateError> {
        if let Some(noted) = End::noted_in(lock) {
            let file = folder.append(&name(noted.segment))?;
            if self.size(&file, noted.segment)? == noted.bytes {
                return Ok((noted, file));
            }
        }
        self.open(self.segments()?.last().copied().unwrap_or(0), folder)
    }

    /// A segment that nobody noted anything about.
    fn open(&self, segment: u64, folder: &OpenFolder) -> Result<(End, File), StateError> {
        let file = folder.append(&name(segment))?;
        let bytes = self.size(&file, segment)?;
        Ok((End { segment, records: 0, bytes, torn: bytes > 0 }, file))
    }

    fn size(&self, file: &File, segment: u64) -> Result<u64, StateError> {
        file.metadata().map(|data| data.len()).map_err(|error| self.error(&name(segment), error))
    }

    /// The bytes of a segment from an offset on; none when it is shorter.
    pub(crate) fn segment_from(&self, segment: u64, offset: u64) -> Result<Option<Vec<u8>>, StateError> {
        self.state.read_from(FOLDER, &name(segment), offset)
    }

    pub(crate) fn segments(&self) -> Result<Vec<u64>, StateError> {
        let names = self.state.names(FOLDER)?;
        Ok(names.iter().filter_map(|name| name.strip_suffix(".jsonl")?.parse().ok()).collect())
    }

    fn error(&self, name: &str, error: io::Error) -> StateError {
        StateError::Io(self.state.file(FOLDER, name), error)
    }
}

#[derive(Debug, Clone, Copy)]
struct End {
    segment: u64,
    records: u64,
    bytes: u64,
    torn: bool,
}

impl End {
    /// What the last writer left in the file of the lock.
    fn noted_in(lock: &File) -> Option<End> {
        let mut text = String::new();
        lock.take(LONGEST_NOTE).read_to_string(&mut text).ok()?;
        let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(End { segment: next()?, records: next()?, bytes: next()?, torn: false })
    }

    /// Always of one length, so that nothing of an older note is left.
    fn note_in(&self, mut lock: &File) -> io::Result<()> {
        lock.seek(SeekFrom::Start(0))?;
        lock.write_all(format!("{:20} {:20} {:20}\n", self.segment, self.records, self.bytes).as_bytes())
    }

    fn has_no_room_for(&self, line: &str) -> bool {
        self.records >= RECORDS || (self.bytes > 0 && self.bytes + line.len() as u64 > BYTES)
    }
}

fn name(segment: u64) -> String {
    format!("{segment:08}.jsonl")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::record::tests::record;
    use crate::testing::TempDir;

    #[test]
    fn the_oldest_records_go_first() {
        let temp = TempDir::new();
        let log = LogFile::of(StateDir::new(temp.path().join("state")));
        for chunk in 0..11 {
            let records: Vec<Record> =
                (0..1_000).map(|number| Record { found: chunk * 1_000 + number, ..record("{}") }).collect();
            log.append(&records).expect("room on the disk");
        }
        log.append(&[Record { found: 11_000, ..record("{}") }]).expect("room on the disk");
        let (records, unreadable) = log.read().expect("a log");
        assert!(records.len() <= 10_000, "{}", records.len());
        assert_eq!(records.last().map(|record| record.found), Some(11_000));
        assert_eq!(records[0].found % 1_000, 0);
        assert_eq!(unreadable, 0);
    }

    #[test]
    fn large_records_are_bounded_by_size() {
        let temp = TempDir::new();
        let log = LogFile::of(StateDir::new(temp.path().join("state")));
        let large = Record { stderr: "x".repeat(1024 * 1024), ..record("{}") };
        for _ in 0..80 {
            log.append(std::slice::from_ref(&large)).expect("room on the disk");
        }
        let (records, _) = log.read().expect("a log");
        assert!((50..=64).contains(&records.len()), "{}", records.len());
    }

    #[test]
    fn a_torn_line_loses_nothing_else() {
        let temp = TempDir::new();
        let log = LogFile::of(StateDir::new(temp.path().join("state")));
        log.append(&[record("{}")]).expect("room on the disk");
        let file = temp.path().join("state/log/00000000.jsonl");
        let mut bytes = fs::read(&file).expect("the segment");
        bytes.extend_from_slice(b"{\"id\":\"torn");
        fs::write(&file, &bytes).expect("the segment");
        log.append(&[record("{}")]).expect("room on the disk");
        let (records, unreadable) = log.read().expect("a log");
        assert_eq!((records.len(), unreadable), (2, 1), "only the torn line is lost");
        log.append(&[record("{}")]).expect("room on the disk");
        assert_eq!(log.read().expect("a log").0.len(), 3);
    }
}

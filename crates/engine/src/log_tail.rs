//! Reads the log on disk while it grows: first what is there, then what comes.
//!
//! Survives what happens to a log: segments that are begun and removed, a
//! line that is still being written, a directory that is removed and made anew.

use crate::log_file::LogFile;
use crate::record::Record;
use crate::state::StateError;

/// A reader that remembers how far it came.
#[derive(Debug, Clone)]
pub struct LogTail {
    log: LogFile,
    segment: u64,
    offset: u64,
    unreadable: usize,
}

impl LogTail {
    /// Begins with the oldest record there is.
    pub fn of(log: LogFile) -> LogTail {
        LogTail { log, segment: 0, offset: 0, unreadable: 0 }
    }

    /// Begins with the record that comes next.
    pub fn from_now(log: LogFile) -> LogTail {
        let segment = log.segments().ok().and_then(|segments| segments.last().copied()).unwrap_or(0);
        let offset = log.segment_from(segment, 0).ok().flatten().map_or(0, |bytes| bytes.len() as u64);
        LogTail { segment, offset, ..LogTail::of(log) }
    }

    /// What was added since the last call, oldest first.
    pub fn read(&mut self) -> Result<Vec<Record>, StateError> {
        let mut records = Vec::new();
        let segments = self.log.segments()?;
        let anew = segments.last().is_some_and(|last| *last < self.segment);
        for segment in segments {
            if anew || segment > self.segment {
                (self.segment, self.offset) = (segment, 0);
            }
            if segment == self.segment {
                self.read_segment(&mut records)?;
            }
        }
        Ok(records)
    }

    /// How many lines could not be read so far.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// Reads whole lines; one that has no end yet is left for the next call.
    fn read_segment(&mut self, records: &mut Vec<Record>) -> Result<(), StateError> {
        let bytes = match self.log.segment_from(self.segment, self.offset)? {
            Some(bytes) => bytes,
            None => {
                // It is shorter than it was: another file has its name now.
                self.offset = 0;
                self.log.segment_from(self.segment, 0)?.unwrap_or_default()
            }
        };
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        for line in bytes[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(record) => records.push(record),
                Err(_) => self.unreadable += 1,
            }
        }
        self.offset += end as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::record::tests::record;
    use crate::state::StateDir;
    use crate::testing::TempDir;

    fn numbered(numbers: std::ops::Range<usize>) -> Vec<Record> {
        numbers.map(|number| Record { found: number, ..record("{}") }).collect()
    }

    fn read(tail: &mut LogTail) -> Vec<usize> {
        tail.read().expect("a log").iter().map(|record| record.found).collect()
    }

    #[test]
    fn every_record_is_given_once_across_rotation() {
        let temp = TempDir::new();
        let log = LogFile::of(StateDir::new(temp.path().join("state")));
        let mut tail = LogTail::of(log.clone());
        assert_eq!(read(&mut tail), [0usize; 0], "there is no log yet");
        let mut seen = Vec::new();
        for step in 0..12 {
            log.append(&numbered(step * 700..(step + 1) * 700)).expect("room on the disk");
            seen.extend(read(&mut tail));
        }
        assert_eq!(seen, (0..8_400).collect::<Vec<_>>());
        assert_eq!(read(&mut tail), [0usize; 0]);
    }

    #[test]
    fn a_reader_that_fell_behind_goes_on_with_the_oldest_there_is() {
        let temp = TempDir::new();
        let log = LogFile::of(StateDir::new(temp.path().join("state")));
        let mut tail = LogTail::of(log.clone());
        log.append(&numbered(0..1)).expect("room on the disk");
        assert_eq!(read(&mut tail), [0]);
        log.append(&numbered(1..12_000)).expect("room on the disk");
        let seen = read(&mut tail);
        assert_eq!(seen.last(), Some(&11_999));
        assert_eq!(seen, (seen[0]..12_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_line_without_an_end_waits_for_it() {
        let temp = TempDir::new();
        let log = LogFile::of(StateDir::new(temp.path().join("state")));
        log.append(&numbered(0..1)).expect("room on the disk");
        let file = temp.path().join("state/log/00000000.jsonl");
        let whole = fs::read(&file).expect("the segment");
        let mut tail = LogTail::of(log.clone());
        fs::write(&file, &whole[..whole.len() / 2]).expect("the segment");
        assert_eq!(read(&mut tail), [0usize; 0]);
        fs::write(&file, [&whole[..], b"no record\n"].concat()).expect("the segment");
        assert_eq!(read(&mut tail), [0]);
        assert_eq!(tail.unreadable(), 1);
    }

    #[test]
    fn a_log_that_was_made_anew_is_read_from_its_beginning() {
        let temp = TempDir::new();
        let state = temp.path().join("state");
        let log = LogFile::of(StateDir::new(&state));
        log.append(&numbered(0..1_500)).expect("room on the disk");
        let mut tail = LogTail::of(log.clone());
        assert_eq!(read(&mut tail).len(), 1_500);
        fs::remove_dir_all(&state).expect("the state");
        assert_eq!(read(&mut tail), [0usize; 0]);
        log.append(&numbered(7..9)).expect("room on the disk");
        assert_eq!(read(&mut tail), [7, 8]);
    }
}

//! The log on disk as the panel knows it: read once, then only what was added.
//! Bounded in number and in bytes, whatever stands in the log.

use std::collections::VecDeque;
use std::sync::Arc;

use boathook_engine::log_file::LogFile;
use boathook_engine::log_tail::LogTail;
use boathook_engine::record::Record;

use super::scope::workspaces_of;

/// More records than the log itself keeps are not kept here,
const MOST: usize = 20_000;
/// nor more bytes.
const MOST_BYTES: usize = 96 * 1024 * 1024;

/// A record, and its place in the order in which they came.
#[derive(Debug, Clone)]
pub struct Entry {
    pub number: u64,
    pub record: Arc<Record>,
    /// The workspaces it belongs to; none when nobody can say.
    pub workspaces: Arc<[String]>,
}

impl Entry {
    pub fn of(number: u64, record: Record) -> Entry {
        Entry { number, workspaces: workspaces_of(&record).into(), record: Arc::new(record) }
    }
}

/// All that the panel knows of the log.
pub struct Feed {
    tail: LogTail,
    entries: VecDeque<Entry>,
    bytes: usize,
    next: u64,
    trouble: Option<String>,
}

/// The log at one moment.
#[derive(Debug, Clone)]
pub struct Known {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// Lines that could not be read.
    pub unreadable: usize,
    /// Why the log cannot be read.
    pub trouble: Option<String>,
}

impl Feed {
    pub fn of(log: LogFile) -> Feed {
        Feed { tail: LogTail::of(log), entries: VecDeque::new(), bytes: 0, next: 1, trouble: None }
    }

    /// Everything, with what was added meanwhile.
    pub fn known(&mut self) -> Known {
        self.refresh();
        Known {
            entries: self.entries.iter().cloned().collect(),
            unreadable: self.tail.unreadable(),
            trouble: self.trouble.clone(),
        }
    }

    /// What came behind this number, oldest first.
    pub fn behind(&mut self, number: u64) -> Vec<Entry> {
        self.refresh();
        self.entries.iter().filter(|entry| entry.number > number).cloned().collect()
    }

    fn refresh(&mut self) {
        match self.tail.read() {
            Ok(records) => {
                self.trouble = None;
                records.into_iter().for_each(|record| self.push(record));
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
    }

    fn push(&mut self, record: Record) {
        self.bytes += size(&record);
        self.entries.push_back(Entry::of(self.next, record));
        self.next += 1;
        while self.entries.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.entries.pop_front() else { return };
            self.bytes -= size(&oldest.record);
        }
    }
}

fn size(record: &Record) -> usize {
    let response = record.response.as_ref().map_or(0, |response| response.get().len());
    512 + record.request.get().len() + response + record.stderr.len()
}

impl Known {
    /// The number of the newest record.
    pub fn last(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.number)
    }

    /// The record with this id.
    pub fn find(&self, id: &str) -> Option<&Arc<Record>> {
        self.entries.iter().rev().map(|entry| &entry.record).find(|record| record.id == id)
    }

    /// Every record of the event that this one is of, in the order of the walk.
    pub fn event_of(&self, record: &Record) -> Vec<&Arc<Record>> {
        let same = |it: &&Arc<Record>| {
            it.timestamp == record.timestamp
                && it.step == record.step
                && it.conversation == record.conversation
        };
        self.entries.iter().map(|entry| &entry.record).filter(same).collect()
    }
}

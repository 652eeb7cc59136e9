//! What an engine did, as records: kept in memory, handed to listeners, and
//! written to the log on disk when the answers are out.

use std::collections::VecDeque;
use std::sync::Arc;

use super::recording::Happened;
use super::{Engine, lock, recording};
use crate::load::Change;
use crate::log_file::{LogFile, NotAppended};
use crate::record::Record;
use crate::state::{StateDir, StateError};
use crate::trust::Looking;

/// A host that never calls `write_out` loses its oldest records, not its memory.
const MOST_UNWRITTEN: usize = 1_000;
/// So many records may wait to be made.
const MOST_WAITING: usize = 64;

/// Events whose records nobody has wanted yet.
#[derive(Default)]
pub(super) struct Waiting {
    events: Vec<Happened>,
    /// How many records they have.
    records: usize,
}

impl Engine {
    /// The last hundred hook runs, oldest first.
    pub fn log(&self) -> Vec<Arc<Record>> {
        self.make_records();
        lock(&self.recent).all()
    }

    /// Calls this with every record from now on; with those of an event's hooks
    /// before its decision is returned.
    pub fn on_record(&self, listener: impl Fn(&Record) + Send + Sync + 'static) {
        lock(&self.listeners).push(Box::new(listener));
    }

    /// Waits for `async` hooks that still run, writes what happened since the
    /// last call to the log on disk, and keeps
    /// copies of sources that are good; says what changed in the user's hooks,
    /// and goes on saying it until `told`. Called when the answer is out.
    pub fn write_out(&self) -> Result<Vec<Change>, StateError> {
        self.keep_records(self.background.finish());
        self.write_records()
    }

    /// The same for a host that goes on: waits for nobody. What an `async` hook
    /// came to is written when it has ended.
    pub fn write_ready(&self) -> Result<Vec<Change>, StateError> {
        self.keep_records(self.background.take_ended());
        self.write_records()
    }

    /// How many records wait to be written, and whether `async` hooks run.
    pub fn unwritten(&self) -> (usize, bool) {
        let waiting = lock(&self.happened).records;
        (lock(&self.unwritten).len() + waiting, self.background.is_running())
    }

    fn write_records(&self) -> Result<Vec<Change>, StateError> {
        let changes = self.changes();
        let records = std::mem::take(&mut *lock(&self.unwritten));
        let kept: Vec<Record> = records.iter().map(|record| record.kept(self.settings.keep)).collect();
        let written = LogFile::of(StateDir::new(self.settings.roots.state.clone())).append(&kept);
        if let Err(NotAppended { appended, error }) = written {
            self.put_back(records.into_iter().skip(appended).collect());
            return Err(error);
        }
        lock(&self.loader).remember_good();
        Ok(changes)
    }

    /// What could not be written is tried again with what comes later.
    fn put_back(&self, records: VecDeque<Arc<Record>>) {
        let mut unwritten = lock(&self.unwritten);
        for record in records.into_iter().rev().take(MOST_UNWRITTEN.saturating_sub(unwritten.len())) {
            unwritten.push_front(record);
        }
    }

    /// What changed in the user's hooks since a person was last told. The log
    /// has each change once.
    pub fn changes(&self) -> Vec<Change> {
        let changes = lock(&self.loader).changes(Looking::Noting);
        let fresh = changes.iter().filter(|change| change.is_fresh());
        self.keep_records(fresh.map(recording::of_change).collect());
        changes
    }

    /// A person was told of these changes.
    pub fn told(&self, changes: &[Change]) {
        lock(&self.loader).told(changes);
    }

    /// Keeps a record of something that no hook was asked about.
    pub fn note(&self, record: Record) {
        self.keep_records(vec![record]);
    }

    /// Keeps what happened. Its records are made later, unless somebody listens.
    pub(super) fn record(&self, happened: Happened) {
        if happened.is_large() || !lock(&self.listeners).is_empty() {
            return self.keep_records(happened.records());
        }
        let mut waiting = lock(&self.happened);
        waiting.records += happened.count();
        waiting.events.push(happened);
        let many = waiting.records >= MOST_WAITING;
        drop(waiting);
        if many {
            self.make_records();
        }
    }

    /// Makes the records that nobody has wanted yet. Whoever listens now did not
    /// listen then.
    fn make_records(&self) {
        // One after the other, so that all stand in their order; events come in meanwhile.
        let _turn = lock(&self.making);
        let waiting = std::mem::take(&mut *lock(&self.happened));
        for record in waiting.events.iter().flat_map(Happened::records) {
            self.keep_record(Arc::new(self.told_by_agent(record)));
        }
    }

    fn keep_records(&self, records: Vec<Record>) {
        self.make_records();
        for record in records {
            let record = Arc::new(self.told_by_agent(record));
            lock(&self.listeners).iter().for_each(|listener| listener(&record));
            self.keep_record(record);
        }
    }

    fn keep_record(&self, record: Arc<Record>) {
        lock(&self.recent).push(Arc::clone(&record));
        let mut unwritten = lock(&self.unwritten);
        if unwritten.len() == MOST_UNWRITTEN {
            unwritten.pop_front();
        }
        unwritten.push_back(record);
    }

    fn told_by_agent(&self, record: Record) -> Record {
        let agent = self.settings.agent.map(str::to_owned);
        Record { agent: agent.or(record.agent), ..record }
    }
}

#[cfg(test)]
#[path = "trail_tests.rs"]
mod tests;

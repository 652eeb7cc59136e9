//! Hooks whose processes fail again and again: they get a process per event
//! for a while, which is slower and has no past. Those that do not answer lines
//! at all get it until their files change.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::wish::Whose;
use super::{Limits, Unchanged};

/// More hooks than this are not remembered.
const MOST: usize = 256;

#[derive(Default)]
pub struct Faults(Vec<Fault>);

struct Fault {
    owner: PathBuf,
    command: String,
    run_dir: PathBuf,
    count: u32,
    last: Instant,
    /// All of this counts for as long as its files are what they were.
    files: Unchanged,
    /// Why it is not asked.
    no_lines: Option<String>,
    /// What its next event has to be told.
    untold: Option<String>,
}

impl Fault {
    fn whose(&self) -> Whose<'_> {
        Whose { owner: &self.owner, command: &self.command, run_dir: &self.run_dir }
    }
}

impl Faults {
    /// Its process failed, or did not stay. These are its files now.
    pub fn add(&mut self, whose: Whose<'_>, files: Unchanged) {
        let now = Instant::now();
        if let Some(fault) = self.find(whose) {
            let before = if fault.files.is_unchanged_throughout() { fault.count } else { 0 };
            (fault.count, fault.last, fault.files) = (before + 1, now, files);
            return;
        }
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(Fault {
            owner: whose.owner.to_owned(),
            command: whose.command.to_owned(),
            run_dir: whose.run_dir.to_owned(),
            count: 1,
            last: now,
            files,
            no_lines: None,
            untold: None,
        });
    }

    /// The same between two events, when there is nobody to tell. However many
    /// of its processes did it, until the next event it is one fault.
    pub fn add_untold(&mut self, whose: Whose<'_>, told: String, files: Unchanged) {
        let waits_already =
            |fault: &mut Fault| fault.untold.is_some() && fault.files.is_unchanged_throughout();
        if self.find(whose).is_some_and(waits_already) {
            return;
        }
        self.add(whose, files);
        if let Some(fault) = self.find(whose) {
            fault.untold = Some(told);
        }
    }

    /// What its process did since its last event, unless its files changed.
    pub fn tell(&mut self, whose: Whose<'_>) -> Option<String> {
        let fault = self.find(whose)?;
        let untold = fault.untold.take()?;
        fault.files.is_unchanged_throughout().then_some(untold)
    }

    /// It does not answer lines, and this is what its author should know.
    pub fn speaks_no_lines(&mut self, whose: Whose<'_>, why: String, files: Unchanged) {
        self.add(whose, files);
        if let Some(fault) = self.find(whose) {
            fault.no_lines = Some(why);
        }
    }

    /// It did what it should.
    pub fn forget(&mut self, whose: Whose<'_>) {
        self.0.retain(|fault| fault.whose() != whose);
    }

    /// Why a hook has a process per event now. When it rested for long enough
    /// it may try once.
    pub fn resting(&mut self, whose: Whose<'_>, limits: &Limits) -> Option<String> {
        let fault = self.find(whose)?;
        if fault.count < limits.faults && fault.no_lines.is_none() {
            return None;
        }
        if !fault.files.is_unchanged_throughout() {
            self.forget(whose);
            return None;
        }
        if fault.no_lines.is_some() {
            return fault.no_lines.clone();
        }
        if fault.last.elapsed() >= limits.rest {
            fault.count = limits.faults.saturating_sub(1);
            return None;
        }
        Some(format!(
            "its process did not stay {} times in a row; for {} each event gets a process of its own",
            fault.count,
            told(limits.rest),
        ))
    }

    fn find(&mut self, whose: Whose<'_>) -> Option<&mut Fault> {
        self.0.iter_mut().find(|fault| fault.whose() == whose)
    }
}

fn told(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

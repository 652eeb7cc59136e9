//! Hooks whose processes fail again and again: they get a process per event
//! for a while, which is slower and has no past. Those that do not answer lines
//! at all get it until their files change.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{Limits, Unchanged, Wish};

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
}

impl Faults {
    /// Its process failed, or did not stay. These are its files now.
    pub fn add(&mut self, wish: &Wish<'_>, files: Unchanged) {
        let now = Instant::now();
        if let Some(fault) = self.find(wish) {
            let before = if fault.files.is_unchanged() { fault.count } else { 0 };
            (fault.count, fault.last, fault.files) = (before + 1, now, files);
            return;
        }
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(Fault {
            owner: wish.owner.to_owned(),
            command: wish.invocation.command.clone(),
            run_dir: wish.invocation.run_dir.clone(),
            count: 1,
            last: now,
            files,
            no_lines: None,
        });
    }

    /// It does not answer lines, and this is what its author should know.
    pub fn speaks_no_lines(&mut self, wish: &Wish<'_>, why: String, files: Unchanged) {
        self.add(wish, files);
        if let Some(fault) = self.find(wish) {
            fault.no_lines = Some(why);
        }
    }

    /// It did what it should.
    pub fn forget(&mut self, wish: &Wish<'_>) {
        self.0.retain(|fault| !wish.is_for(&fault.owner, &fault.command, &fault.run_dir));
    }

    /// Why a hook has a process per event now. When it rested for long enough
    /// it may try once.
    pub fn resting(&mut self, wish: &Wish<'_>, limits: &Limits) -> Option<String> {
        let fault = self.find(wish)?;
        if fault.count < limits.faults && fault.no_lines.is_none() {
            return None;
        }
        if !fault.files.is_unchanged() {
            self.forget(wish);
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

    fn find(&mut self, wish: &Wish<'_>) -> Option<&mut Fault> {
        self.0.iter_mut().find(|fault| wish.is_for(&fault.owner, &fault.command, &fault.run_dir))
    }
}

fn told(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

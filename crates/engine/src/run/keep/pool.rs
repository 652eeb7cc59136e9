//! The processes of a keeper: which are idle, which are busy, and for whom.
//!
//! Holds no lock and starts nothing: a value behind the keeper's lock.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::super::Invocation;
use super::super::os::{Idleness, Waiting};
use super::last_word::{DONE, LastWord};
use super::wish::Whose;
use super::{PERSISTENT, Unchanged, Wish};

/// What a process is for.
#[derive(Debug)]
pub struct Slot {
    pub owner: PathBuf,
    pub command: String,
    args: Option<Vec<String>>,
    pub run_dir: PathBuf,
    env: Arc<Vec<(OsString, OsString)>>,
    stay: Stay,
    /// It may not run any more: its process is ended when it comes back.
    revoked: AtomicBool,
}

/// How a process is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// For one event after another.
    Stays,
    /// For one event that is not known yet.
    Ahead,
}

impl Stay {
    /// What its author should know of a process that did this before its event.
    fn told(self, did: Idleness) -> Option<String> {
        let what = match (self, did) {
            (_, Idleness::Quiet) => return None,
            (Stay::Stays, Idleness::Printed) => "printed something that nobody had asked for",
            (Stay::Stays, Idleness::Ended) => "had ended before this event",
            (Stay::Ahead, Idleness::Printed) => "printed something before its event",
            (Stay::Ahead, Idleness::Ended) => "ended before its event",
        };
        Some(match self {
            Stay::Stays => format!("its process {what}; a new one was started"),
            Stay::Ahead => {
                format!("its process {what}, so another one was started: it must read stdin first")
            }
        })
    }
}

/// A process that nobody asks at the moment.
pub struct Idle {
    pub slot: Arc<Slot>,
    pub process: Waiting,
    pub unchanged: Unchanged,
    pub since: Instant,
}

/// All of them.
#[derive(Default)]
pub struct Pool {
    idle: Vec<Idle>,
    busy: Vec<Arc<Slot>>,
    /// Those that will be started ahead.
    awaited: Vec<Arc<Slot>>,
    /// How many callers sleep until one comes back.
    pub sleepers: usize,
}

impl Slot {
    pub fn of(wish: &Wish<'_>, stay: Stay) -> Slot {
        let invocation = wish.invocation;
        Slot {
            owner: wish.owner.to_owned(),
            command: invocation.command.clone(),
            args: invocation.args.clone(),
            run_dir: invocation.run_dir.clone(),
            env: Arc::clone(&invocation.env),
            stay,
            revoked: AtomicBool::new(false),
        }
    }

    pub fn whose(&self) -> Whose<'_> {
        Whose { owner: &self.owner, command: &self.command, run_dir: &self.run_dir }
    }

    pub fn is_revoked(&self) -> bool {
        self.revoked.load(Ordering::SeqCst)
    }

    /// The process to start; it reads nothing yet and has no deadline.
    pub fn invocation(&self, last_word: Option<&LastWord>) -> Invocation {
        let told = match self.stay {
            Stay::Stays => Some((PERSISTENT.into(), "1".into())),
            Stay::Ahead => last_word.map(|last_word| (DONE.into(), last_word.announced().into())),
        };
        let mut env = Arc::clone(&self.env);
        if let Some(told) = told {
            Arc::make_mut(&mut env).push(told);
        }
        Invocation {
            command: self.command.clone(),
            args: self.args.clone(),
            run_dir: self.run_dir.clone(),
            env,
            stdin: Arc::default(),
            timeout: Duration::MAX,
        }
    }

    pub fn env(&self) -> &[(OsString, OsString)] {
        &self.env
    }

    /// Paths are compared as they are written: part by part takes ten times as long.
    fn fits(&self, wish: &Wish<'_>, stay: Stay) -> bool {
        let invocation = wish.invocation;
        self.stay == stay
            && self.command == invocation.command
            && self.args == invocation.args
            && self.run_dir.as_os_str() == invocation.run_dir.as_os_str()
            && self.owner.as_os_str() == wish.owner.as_os_str()
            && (Arc::ptr_eq(&self.env, &invocation.env) || self.env == invocation.env)
    }

    fn is_like(&self, other: &Slot) -> bool {
        self.stay == other.stay
            && self.command == other.command
            && self.args == other.args
            && self.run_dir.as_os_str() == other.run_dir.as_os_str()
            && self.owner.as_os_str() == other.owner.as_os_str()
            && self.env == other.env
    }
}

/// What an idle process is good for.
pub enum Found {
    /// It waits.
    Good,
    /// One of its files changed, so whatever it did is of no interest.
    Outdated,
    /// It did something that nobody had asked for, and this is what to say of it.
    Spoiled(String),
}

impl Idle {
    /// Looks at it as every event does.
    pub fn look(&mut self) -> Found {
        let unchanged = self.unchanged.is_unchanged();
        self.found(unchanged)
    }

    /// Looks at it as the keeper's round does.
    fn look_throughout(&mut self) -> Found {
        let unchanged = self.unchanged.is_unchanged_throughout();
        self.found(unchanged)
    }

    fn found(&mut self, unchanged: bool) -> Found {
        // Whatever it wrote to stderr is read on the way: it must not be held up by that.
        let did = self.process.idleness();
        match self.slot.stay.told(did) {
            _ if !unchanged => Found::Outdated,
            Some(told) => Found::Spoiled(told),
            None => Found::Good,
        }
    }
}

impl Pool {
    /// Takes an idle process out for good: the one that was used last.
    pub fn take(&mut self, wish: &Wish<'_>, stay: Stay) -> Option<Idle> {
        let place = self.idle.iter().rposition(|idle| idle.slot.fits(wish, stay))?;
        Some(self.idle.remove(place))
    }

    /// The same, and its place stays taken.
    pub fn hold(&mut self, wish: &Wish<'_>, stay: Stay) -> Option<Idle> {
        let idle = self.take(wish, stay)?;
        self.busy.push(Arc::clone(&idle.slot));
        Some(idle)
    }

    /// Somebody no longer needs it; it comes back here when it has to end.
    pub fn give_back(&mut self, idle: Idle) -> Option<Idle> {
        self.release(&idle.slot);
        if idle.slot.is_revoked() {
            return Some(idle);
        }
        self.idle.push(idle);
        None
    }

    /// One is to be started later.
    pub fn awaits(&mut self, slot: &Arc<Slot>) {
        self.awaited.push(Arc::clone(slot));
    }

    /// Its time has come.
    pub fn awaits_no_more(&mut self, slot: &Arc<Slot>) {
        self.awaited.retain(|awaited| !Arc::ptr_eq(awaited, slot));
    }

    pub fn release(&mut self, slot: &Arc<Slot>) {
        if let Some(place) = self.busy.iter().position(|busy| Arc::ptr_eq(busy, slot)) {
            self.busy.swap_remove(place);
        }
    }

    pub fn busy_alike(&self, wish: &Wish<'_>) -> usize {
        self.busy.iter().filter(|busy| busy.fits(wish, Stay::Stays)).count()
    }

    /// Whether there is room for one more, or somebody idle who makes room.
    pub fn has_room(&self, total: usize) -> bool {
        self.busy.len() < total
    }

    /// Takes a place for a process that is about to start; gives those that
    /// have to go for it, the oldest first.
    pub fn reserve(&mut self, slot: &Arc<Slot>, total: usize) -> Vec<Idle> {
        let mut evicted = Vec::new();
        while self.count() >= total && !self.idle.is_empty() {
            let oldest = self.idle.iter().enumerate().min_by_key(|(_, idle)| idle.since);
            let place = oldest.map_or(0, |(place, _)| place);
            evicted.push(self.idle.remove(place));
        }
        self.busy.push(Arc::clone(slot));
        evicted
    }

    /// Whether a process waits for the next event of this slot already.
    pub fn has_like(&self, slot: &Slot) -> bool {
        self.idle.iter().map(|idle| &idle.slot).chain(&self.busy).any(|other| other.is_like(slot))
    }

    /// Takes out all idle ones of these slots; busy ones end when they come back.
    pub fn remove(&mut self, doomed: impl Fn(&Slot) -> bool) -> Vec<Idle> {
        for slot in self.busy.iter().chain(&self.awaited).filter(|slot| doomed(slot)) {
            slot.revoked.store(true, Ordering::SeqCst);
        }
        self.idle.extract_if(.., |idle| doomed(&idle.slot)).collect()
    }

    /// Takes out those that nobody asked for so long, that were started from
    /// something else than what is there now, or that did what nobody had asked
    /// for: with what to say of that.
    pub fn stale(&mut self, longest: Duration, now: Instant) -> Vec<(Idle, Option<String>)> {
        let mut stale = Vec::new();
        for mut idle in std::mem::take(&mut self.idle) {
            match idle.look_throughout() {
                Found::Good if now.saturating_duration_since(idle.since) < longest => self.idle.push(idle),
                Found::Good | Found::Outdated => stale.push((idle, None)),
                Found::Spoiled(told) => stale.push((idle, Some(told))),
            }
        }
        stale
    }

    pub fn count(&self) -> usize {
        self.idle.len() + self.busy.len()
    }

    pub fn idle(&self) -> usize {
        self.idle.len()
    }

    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

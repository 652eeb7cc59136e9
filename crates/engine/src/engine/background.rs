//! `async` hooks: started with the others, and nobody waits for their answer.
//!
//! Each runs in a thread of its own, within its timeout, and has its record in
//! the log. `write_out` waits for those that still run: the answer is out by
//! then. When the engine goes, they are ended with everything they started.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::recording::Happened;
use crate::dialect::Dialect;
use crate::dialect::claude::decode_answer;
use crate::edition::Rules;
use crate::fill::Event;
use crate::ids::Moment;
use crate::load::{Hook, HookSet};
use crate::merge::{Case, Heard, merge};
use crate::outcome::{Outcome, ReadOutcome, is_whole_answer};
use crate::plan::{Plan, Step, Work};
use crate::record::Record;
use crate::run::{AT_ONCE, Cancel, Invocation, run_all};

/// Hooks that nobody waits for.
pub(super) struct Background {
    /// Ends them with the engine, or when the host cancels.
    cancel: Cancel,
    own: Cancel,
    running: Mutex<Vec<JoinHandle<Vec<Record>>>>,
}

/// What a hook is run and recorded with.
pub(super) struct Task {
    pub(super) started: Moment,
    pub(super) event: Event,
    pub(super) rules: &'static Rules,
    /// How many hooks the event had.
    pub(super) found: usize,
}

impl Background {
    pub(super) fn new(host: &Cancel) -> Background {
        let (own, host) = (Cancel::default(), host.clone());
        let cancel = own.clone().or_when(move || host.is_cancelled());
        Background { cancel, own, running: Mutex::default() }
    }

    /// Takes the hooks that nobody waits for out of the steps, and starts them.
    /// Where that cannot be done, they stay and run with the others.
    pub(super) fn start<'a>(&self, steps: &mut Vec<Step<'a>>, task: impl Fn() -> Task) -> Vec<Heard<'a>> {
        let mut started = Vec::new();
        steps.retain(|step| match &step.work {
            Work::Run(invocation) if is_background(step.hook) => {
                let begun = self.begin(step.hook, invocation, task());
                if begun {
                    let read = ReadOutcome::plain(Outcome::NoOpinion);
                    started.push(Heard { hook: step.hook, read, exit: None, process: None, runs: 1 });
                }
                !begun
            }
            Work::Run(_) | Work::Ask(_) | Work::Said(_) | Work::Fail { .. } => true,
        });
        started
    }

    /// The records of all that were started and not yet asked for.
    pub(super) fn finish(&self) -> Vec<Record> {
        let running = std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        running.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    }

    /// The records of those that have ended. Waits for nobody.
    pub(super) fn take_ended(&self) -> Vec<Record> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let ended: Vec<_> = running.extract_if(.., |thread| thread.is_finished()).collect();
        drop(running);
        ended.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    }

    /// Whether one was started whose records nobody has asked for.
    pub(super) fn is_running(&self) -> bool {
        !self.running.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn begin(&self, hook: &Hook, invocation: &Invocation, task: Task) -> bool {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.iter().filter(|thread| !thread.is_finished()).count() >= AT_ONCE {
            return false;
        }
        let (hook, invocation, cancel) = (hook.clone(), invocation.clone(), self.cancel.clone());
        let begun = thread::Builder::new()
            .name("async hook".to_owned())
            .spawn(move || run(hook, invocation, task, &cancel));
        begun.map(|thread| running.push(thread)).is_ok()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.own.cancel();
        self.finish();
    }
}

/// Whether nobody waits for a hook.
pub(super) fn is_background(hook: &Hook) -> bool {
    hook.definition.dialect.claude().is_some_and(|claude| claude.background)
}

fn run(hook: Hook, invocation: Invocation, task: Task, cancel: &Cancel) -> Vec<Record> {
    let line = invocation.stdin.clone();
    let Some(exit) = run_all(&[invocation], is_whole_answer, cancel).pop() else { return Vec::new() };
    let alone = Arc::new(HookSet { hooks: vec![hook], ..HookSet::default() });
    let hook = &alone.hooks[0];
    let Dialect::Claude(options) = &hook.definition.dialect else { return Vec::new() };
    let Task { started, event, rules, found } = task;
    let read = decode_answer(&exit, &event, options, rules);
    let heard = vec![Heard { hook, read, exit: Some(exit), process: None, runs: 1 }];
    let case = Case { event: &event, rules, loop_count: 0, loop_ceiling: 0, can_ask: false };
    let decision = merge(&heard, &case);
    let plan = Plan { steps: Vec::new(), skipped: Vec::new(), line, subject: None, over_budget: Vec::new() };
    let records = Happened::of(started, event, heard, &plan, &alone, &decision).records();
    records.into_iter().map(|record| Record { found, ..record }).collect()
}

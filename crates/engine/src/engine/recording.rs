//! One record for each hook that had a say or was withheld; one for an event
//! without any.
//!
//! What happened is kept as it is, and becomes records when somebody wants
//! them: mostly no answer waits for that.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::because::because;
use super::read_transcript;
use crate::decision::{Decision, HookOutcome, HookReport, Process};
use crate::definition::Action;
use crate::dialect::Dialect;
use crate::dialect::claude::encode_event;
use crate::fill::Event;
use crate::ids::Moment;
use crate::load::{Change, Hook, HookSet};
use crate::merge::Heard;
use crate::plan::{Plan, Skipped, Why};
use crate::problem;
use crate::record::{Record, request_of, response_of};
use crate::rule::Look;
use crate::run::{Exit, Status};

/// The outcome in records of an event that was left to somebody else.
const UNDECIDED: &str = "undecided";

/// So many bytes do not wait.
const LARGE: usize = 64 * 1024;

/// What happened at one event.
pub struct Happened {
    started: Moment,
    event: Event,
    hooks: Arc<HookSet>,
    heard: Vec<Said>,
    /// Places in the set.
    skipped: Vec<(usize, Why)>,
    /// What hooks read.
    line: Arc<Vec<u8>>,
    subject: Option<String>,
    /// How many hooks had a say.
    found: usize,
    blocked: bool,
    followed_up: bool,
    undecided: bool,
    /// Which hooks did not apply, where that must be said at once.
    not_run: Option<Vec<String>>,
}

/// What one hook did.
struct Said {
    /// Its place in the set.
    hook: Option<usize>,
    exit: Option<Exit>,
    process: Option<Process>,
    would: Option<&'static str>,
    outcome: Option<HookOutcome>,
    reason: Option<String>,
    permission: Option<&'static str>,
    notes: Vec<String>,
}

impl Happened {
    /// Takes what is left of an event when it is decided.
    pub fn of(
        started: Moment,
        event: Event,
        heard: Vec<Heard<'_>>,
        plan: &Plan<'_>,
        hooks: &Arc<HookSet>,
        decision: &Decision,
    ) -> Happened {
        let mut happened = Happened {
            started,
            event,
            heard: heard.into_iter().map(|heard| Said::of(heard, hooks, decision)).collect(),
            hooks: Arc::clone(hooks),
            skipped: plan.skipped.iter().map(|skipped| (skipped.index, skipped.why)).collect(),
            line: Arc::clone(&plan.line),
            subject: plan.subject.clone(),
            found: plan.steps.len(),
            blocked: decision.blocked,
            followed_up: decision.followup_message.is_some(),
            undecided: decision.undecided,
            not_run: None,
        };
        // A rule may look into a transcript, which goes on.
        let is_rule = |hook: &Hook| matches!(hook.definition.action, Action::Rule(_));
        if happened.skipped().any(|skipped| skipped.why == Why::NotMet && is_rule(skipped.hook)) {
            happened.not_run = Some(happened.tell_not_run());
        }
        happened
    }

    /// How many records it has.
    pub fn count(&self) -> usize {
        let withheld = self.skipped.iter().filter(|(_, why)| why.is_withheld()).count();
        (self.heard.len() + withheld).max(1)
    }

    /// Whether it takes so much memory that it must not wait.
    pub fn is_large(&self) -> bool {
        let printed = |said: &Said| said.exit.as_ref().map_or(0, |exit| exit.stdout.len());
        self.line.len() + self.heard.iter().map(printed).sum::<usize>() > LARGE
    }

    /// Its records.
    pub fn records(&self) -> Vec<Record> {
        let request = request_of(&self.line);
        let blank = || Record {
            found: self.found,
            skipped: self.skipped.len(),
            conversation: self.event.conversation().map(Cow::into_owned),
            request: request.clone(),
            blocked: self.blocked,
            automatic_followup: self.followed_up,
            ..Record::begun(self.started.text(), self.event.kind.name(), "none")
        };
        let hook_of = |said: &Said| said.hook.and_then(|place| self.hooks.hooks.get(place));
        let heard = |said: &Said| match hook_of(said) {
            Some(hook) => said.record(of_hook(told(blank(), hook, &self.event), hook)),
            None => said.record(blank()),
        };
        let mut records: Vec<Record> = self.heard.iter().map(heard).collect();
        records.extend(self.skipped().filter(|skipped| skipped.why.is_withheld()).map(|skipped| {
            let reason = Some(skipped.why.sentence(skipped.hook, None));
            Record { outcome: "withheld".to_owned(), reason, ..of_hook(blank(), skipped.hook) }
        }));
        if records.is_empty() {
            records.push(blank());
        }
        if let Some(first) = records.first_mut() {
            first.not_run = self.not_run.clone().unwrap_or_else(|| self.tell_not_run());
        }
        if self.undecided {
            records.iter_mut().for_each(leave_undecided);
        }
        say_why_none(&mut records, &self.hooks);
        records
    }

    fn skipped(&self) -> impl Iterator<Item = Skipped<'_>> {
        self.skipped.iter().filter_map(|(index, why)| {
            Some(Skipped { hook: self.hooks.hooks.get(*index)?, index: *index, why: *why })
        })
    }

    /// Hooks of the event that did not apply, and why; those that were withheld
    /// have records of their own. Nobody reads a long list.
    fn tell_not_run(&self) -> Vec<String> {
        const TOLD: usize = 16;
        let look = Look::new(&self.event, &read_transcript);
        let applied = self.skipped().filter(|skipped| !skipped.why.is_withheld());
        let told = applied.take(TOLD).map(|skipped| {
            let why = because(&skipped, &look, self.subject.as_deref());
            let label: String = skipped.hook.definition.label().chars().take(120).collect();
            format!("{} `{label}`: {why}", skipped.hook.source.level.name())
        });
        told.collect()
    }
}

impl Said {
    fn of(heard: Heard<'_>, hooks: &HookSet, decision: &Decision) -> Said {
        let Heard { hook, read, exit, process, .. } = heard;
        let report = decision.hooks.iter().find(|report| report.id == hook.id);
        let notes = |report: &HookReport| report.lost.iter().chain(&report.warnings).cloned().collect();
        Said {
            hook: hooks.hooks.iter().position(|one| std::ptr::eq(one, hook)),
            exit,
            process,
            would: read.would,
            outcome: report.map(|report| report.outcome),
            reason: report.and_then(|report| report.reason.clone()),
            permission: report.and_then(|report| report.permission),
            notes: report.map(notes).unwrap_or_default(),
        }
    }

    fn record(&self, record: Record) -> Record {
        let exit = self.exit.as_ref();
        let mut notes = self.notes.clone();
        if exit.is_some_and(|exit| exit.leaked) {
            notes.push("a descendant of it still holds its output".to_owned());
        }
        Record {
            response: exit.and_then(|exit| response_of(&exit.stdout)),
            duration: exit.map(Exit::milliseconds),
            exit_code: exit
                .and_then(|exit| if let Status::Code(code) = exit.status { Some(code) } else { None }),
            process: self.process.map(|process| process.name().to_owned()),
            stderr: exit.map(|exit| String::from_utf8_lossy(&exit.stderr).into_owned()).unwrap_or_default(),
            outcome: self.outcome.map(|outcome| outcome.name().to_owned()).unwrap_or_default(),
            reason: self.reason.clone(),
            permission: self.permission.map(str::to_owned),
            would: self.would.map(str::to_owned),
            notes,
            ..record
        }
    }
}

/// Whether the action went on is not for this record to say: somebody else is
/// asked. What the hook printed, and how it ended, stays in it.
fn leave_undecided(record: &mut Record) {
    let why = "nothing was decided: this process was short of open files, processes or memory, and somebody else was to ask the hooks";
    record.reason = Some(match record.reason.take() {
        Some(reason) => format!("{why}; {reason}"),
        None => why.to_owned(),
    });
    record.outcome = UNDECIDED.to_owned();
    record.permission = None;
    record.blocked = false;
    record.automatic_followup = false;
}

/// The user's own hooks are not what they were.
pub fn of_change(change: &Change) -> Record {
    Record {
        source: Some(change.level.name().to_owned()),
        place: change.problem.file.as_ref().map(|file| file.display().to_string()),
        reason: Some(change.problem.message.clone()),
        ..Record::blank("hooks", "changed")
    }
}

/// Where no hook was found, a misspelt event or a broken entry may be the
/// reason: the record says that there is something to look at.
fn say_why_none(records: &mut [Record], hooks: &HookSet) {
    if let ([record], Some(note)) = (records, problem::summary(&hooks.problems))
        && record.command.is_none()
        && record.skipped == 0
    {
        record.notes.push(note);
    }
}

/// A hook of another product was told the event in that product's words.
fn told(record: Record, hook: &Hook, event: &Event) -> Record {
    match &hook.definition.dialect {
        Dialect::Cursor => record,
        Dialect::Claude(options) => {
            Record { request: request_of(encode_event(event, options).to_json().as_bytes()), ..record }
        }
    }
}

fn of_hook(record: Record, hook: &Hook) -> Record {
    let line = hook.definition.place.as_ref().map_or(0, |place| place.line);
    Record {
        command: Some(hook.definition.command_line().into_owned()),
        source: Some(hook.source.level.name().to_owned()),
        place: Some(format!("{}:{line}", text_of(&hook.source.file))),
        directory: Some(text_of(&hook.source.run_dir).into_owned()),
        timeout_ms: Some(u64::try_from(hook.definition.timeout.as_millis()).unwrap_or(u64::MAX)),
        ..record
    }
}

/// A path is text but for the strangest, which alone are read byte by byte.
fn text_of(path: &Path) -> Cow<'_, str> {
    path.to_str().map_or_else(|| path.to_string_lossy(), Cow::Borrowed)
}

//! One record for each hook that had a say or was withheld; one for an event
//! without any.

use std::borrow::Cow;
use std::path::Path;

use super::because::because;
use super::read_transcript;
use crate::decision::Decision;
use crate::dialect::Dialect;
use crate::dialect::claude::encode_event;
use crate::fill::Event;
use crate::load::{Change, Hook, HookSet};
use crate::merge::Heard;
use crate::plan::Plan;
use crate::problem;
use crate::record::{Record, request_of, response_of};
use crate::rule::Look;
use crate::run::Status;

/// The outcome in records of an event that was left to somebody else.
const UNDECIDED: &str = "undecided";

/// The records of one event.
pub fn records(
    started: &str,
    event: &Event,
    heard: &[Heard<'_>],
    plan: &Plan<'_>,
    decision: &Decision,
) -> Vec<Record> {
    let request = request_of(&plan.line);
    let blank = || Record {
        found: plan.steps.len(),
        skipped: plan.skipped.len(),
        conversation: event.conversation(),
        request: request.clone(),
        blocked: decision.blocked,
        automatic_followup: decision.followup_message.is_some(),
        ..Record::begun(started.to_owned(), event.kind.name(), "none")
    };
    let mut records: Vec<Record> =
        heard.iter().map(|heard| of_heard(told(blank(), heard.hook, event), heard, decision)).collect();
    let withheld = plan.skipped.iter().filter(|skipped| skipped.why.is_withheld());
    records.extend(withheld.map(|skipped| {
        let reason = Some(skipped.why.sentence(skipped.hook, None));
        Record { outcome: "withheld".to_owned(), reason, ..of_hook(blank(), skipped.hook) }
    }));
    if records.is_empty() {
        records.push(blank());
    }
    if let Some(first) = records.first_mut() {
        first.not_run = not_run(plan, event);
    }
    if decision.undecided {
        records.iter_mut().for_each(leave_undecided);
    }
    records
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
pub fn say_why_none(records: &mut [Record], hooks: &HookSet) {
    if let ([record], Some(note)) = (records, problem::summary(&hooks.problems))
        && record.command.is_none()
        && record.skipped == 0
    {
        record.notes.push(note);
    }
}

/// Hooks of the event that did not apply, and why; those that were withheld
/// have records of their own. An answer must not wait for a long list.
fn not_run(plan: &Plan<'_>, event: &Event) -> Vec<String> {
    const TOLD: usize = 16;
    let look = Look::new(event, &read_transcript);
    let applied = plan.skipped.iter().filter(|skipped| !skipped.why.is_withheld());
    let told = applied.take(TOLD).map(|skipped| {
        let (hook, why) = (skipped.hook, because(skipped, &look, plan));
        let label: String = hook.definition.label().chars().take(120).collect();
        format!("{} `{label}`: {why}", hook.source.level.name())
    });
    told.collect()
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

fn of_heard(record: Record, heard: &Heard<'_>, decision: &Decision) -> Record {
    let record = of_hook(record, heard.hook);
    let report = decision.hooks.iter().find(|report| report.id == heard.hook.id);
    let exit = heard.exit.as_ref();
    let mut notes: Vec<String> =
        report.map(|it| it.lost.iter().chain(&it.warnings).cloned().collect()).unwrap_or_default();
    if exit.is_some_and(|exit| exit.leaked) {
        notes.push("a descendant of it still holds its output".to_owned());
    }
    Record {
        response: exit.and_then(|exit| response_of(&exit.stdout)),
        duration: exit.map(|exit| exit.duration.as_secs_f64() * 1000.0),
        exit_code: exit.and_then(|exit| if let Status::Code(code) = exit.status { Some(code) } else { None }),
        process: heard.process.map(|process| process.name().to_owned()),
        stderr: exit.map(|exit| String::from_utf8_lossy(&exit.stderr).into_owned()).unwrap_or_default(),
        outcome: report.map(|report| report.outcome.name().to_owned()).unwrap_or_default(),
        reason: report.and_then(|report| report.reason.clone()),
        permission: report.and_then(|report| report.permission).map(str::to_owned),
        would: heard.read.would.map(str::to_owned),
        notes,
        ..record
    }
}

//! What became of each hook, for the trace and the log.

use super::Heard;
use crate::answer::Permission;
use crate::decision::{HookOutcome, HookReport};
use crate::load::Hook;
use crate::outcome::{Failure, Outcome};
use crate::run::{Exit, Status};

/// The report of a hook that had its say.
pub fn report(heard: &Heard<'_>, stance: Option<Permission>) -> HookReport {
    let closed = stance == Some(Permission::Deny);
    let (outcome, reason) = match &heard.read.outcome {
        Outcome::Answer(_) => (HookOutcome::Answer, None),
        Outcome::NoOpinion => (HookOutcome::NoOpinion, None),
        Outcome::Silent if closed => (HookOutcome::FailedClosed, Some(Failure::NoOutput.to_string())),
        Outcome::Silent => (HookOutcome::NoOpinion, None),
        Outcome::Failed(failure) if closed => (HookOutcome::FailedClosed, Some(failure.to_string())),
        Outcome::Failed(failure) => (HookOutcome::FailedOpen, Some(failure.to_string())),
    };
    HookReport {
        outcome,
        reason,
        permission: stance.map(Permission::name),
        exit_code: heard.exit.as_ref().and_then(|exit| match exit.status {
            Status::Code(code) => Some(code),
            _ => None,
        }),
        duration_ms: heard.exit.as_ref().map(Exit::milliseconds),
        process: heard.process,
        warnings: heard.read.warnings.clone(),
        would: heard.read.would,
        runs: heard.runs,
        ..HookReport::of(heard.hook)
    }
}

impl HookReport {
    /// A report of a hook that was not asked.
    pub fn of(hook: &Hook) -> HookReport {
        HookReport {
            id: hook.id.clone(),
            command: hook.definition.command_line().into_owned(),
            source: hook.source.level.name(),
            file: hook.source.file.to_string_lossy().into_owned(),
            line: hook.definition.place.as_ref().map(|place| place.line),
            outcome: HookOutcome::Skipped,
            reason: None,
            permission: None,
            exit_code: None,
            duration_ms: None,
            process: None,
            lost: Vec::new(),
            warnings: Vec::new(),
            monitor: hook.definition.monitor,
            would: None,
            runs: 0,
        }
    }
}

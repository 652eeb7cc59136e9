//! The files of trusted hooks, compared with what was trusted before their processes start and after they ended.
//!
//! A difference before the start withholds the hook. A difference afterwards discards its answer, which is a failure.

use crate::answer::Permission;
use crate::event::EventKind;
use crate::load::{HookSet, Withheld};
use crate::merge::{Heard, only_watched};
use crate::outcome::{Failure, Outcome, ReadOutcome};
use crate::plan::{Plan, Skipped, Why, Work};
use crate::trust::CheckedFiles;

/// The files of the hooks of one plan, by the ids of the hooks.
#[derive(Default)]
pub(super) struct CheckedRuns {
    runs: Vec<(String, CheckedFiles)>,
}

/// Withholds every hook whose files are not what was trusted.
pub(super) fn check_before<'a>(plan: &mut Plan<'a>, set: &'a HookSet, event: EventKind) -> CheckedRuns {
    let mut checked = CheckedRuns::default();
    let mut withheld = Vec::new();
    for step in plan.steps.iter_mut().filter(|step| matches!(step.work, Work::Run(_))) {
        let report = set.sources.iter().find(|report| report.source == step.hook.source);
        let Some(files) = report.and_then(|report| report.trusted_files.as_ref()) else { continue };
        match files.check(&step.hook.definition) {
            Ok(files) => checked.runs.push((step.hook.id.clone(), files)),
            Err(_) if step.hook.definition.failure_refuses() && event.can_block() => {
                let reason = format!("{}; look at it with `boathook trust`", Withheld::Changed.reason());
                step.work = Work::Fail { failure: Failure::Withheld(reason), blocks: false };
            }
            Err(_) => withheld.push(step.hook.id.clone()),
        }
    }
    if !withheld.is_empty() {
        plan.steps.retain(|step| !withheld.contains(&step.hook.id));
        let hooks = set.hooks.iter().enumerate().filter(|(_, hook)| withheld.contains(&hook.id));
        let why = Why::Withheld(Withheld::Changed);
        plan.skipped.extend(hooks.map(|(index, hook)| Skipped { hook, index, why }));
        plan.skipped.sort_by_key(|skipped| skipped.index);
    }
    checked
}

impl CheckedRuns {
    /// Discards the answer of every hook whose files changed since they were checked.
    pub(super) fn check_after(&self, heard: &mut [Heard<'_>], event: EventKind) {
        for heard in heard.iter_mut().filter(|heard| heard.exit.is_some()) {
            let run = self.runs.iter().find(|(id, _)| *id == heard.hook.id);
            if let Some(path) = run.and_then(|(_, files)| files.check_again().err()) {
                let failure = Failure::ChangedMeanwhile(path.display().to_string());
                if is_refusal(heard) {
                    heard.read.warnings.push(format!(
                        "{} changed while it ran; its refusal is honoured all the same",
                        path.display()
                    ));
                } else {
                    heard.read = only_watched(&heard.hook.definition, ReadOutcome::failed(failure), event);
                }
            }
        }
    }
}

/// Whether an answer refuses at least as much as a failure would: without it, more would be allowed.
fn is_refusal(heard: &Heard<'_>) -> bool {
    let Outcome::Answer(answer) = &heard.read.outcome else { return false };
    let asks = answer.permission == Some(Permission::Ask) && !heard.hook.definition.failure_refuses();
    answer.refuses() || asks
}

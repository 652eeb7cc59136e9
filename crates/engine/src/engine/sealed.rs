//! A team's signed scripts, looked at before they run: one that is not what
//! was sealed does not.

use std::sync::Arc;

use crate::bundle::{Fault, Lease, Seal, Tampered, lease, sealed_generation};
use crate::definition::Action;
use crate::event::EventKind;
use crate::load::{Hook, HookSet};
use crate::outcome::Failure;
use crate::plan::{Plan, Work};
use crate::source::Format;

/// Keeps the generations that hooks of this event run from; none when one of
/// them was collected since it was looked up.
pub(super) fn leases(set: &HookSet, event: EventKind) -> Option<Vec<Lease>> {
    let used = |source: &Arc<_>| {
        let of_source = |hook: &&Hook| Arc::ptr_eq(&hook.source, source);
        set.hooks.iter().filter(of_source).any(|hook| hook.definition.event == event)
    };
    let sealed = set.sources.iter().filter(|report| report.seal.is_some() && used(&report.source));
    sealed.map(|report| lease(&report.source.run_dir)).collect()
}

/// The plan without scripts that are not what was sealed: those fail.
pub(super) fn checked<'a>(mut plan: Plan<'a>, set: &HookSet) -> Plan<'a> {
    for step in plan.steps.iter_mut().filter(|step| step.hook.source.format == Format::Sealed) {
        let report = set.sources.iter().find(|report| Arc::ptr_eq(&report.source, &step.hook.source));
        let seal = report.and_then(|report| report.seal.as_deref());
        if let (Work::Run(_), Some(found)) = (&step.work, fault(step.hook, seal)) {
            step.work = Work::Fail { failure: Failure::Tampered(found.words()), blocks: false };
        }
    }
    plan
}

/// What is wrong with the script of a hook; nothing when it is what was sealed,
/// or nobody sealed hooks of its source.
pub fn tampered(hook: &Hook) -> Option<Tampered> {
    if hook.source.format != Format::Sealed {
        return None;
    }
    fault(hook, sealed_generation(&hook.source.run_dir).ok().as_ref())
}

fn fault(hook: &Hook, seal: Option<&Seal>) -> Option<Tampered> {
    let Action::Command(command) = &hook.definition.action else { return None };
    // The `hooks.json` was sealed too: it names scripts as we wrote them.
    let name = command.strip_prefix("./").unwrap_or(command);
    let checked =
        seal.map_or(Err(Fault::Unsealed), |seal| seal.check(&hook.source.run_dir, name).map(|_| ()));
    checked.err().map(|fault| Tampered { file: name.to_owned(), fault })
}

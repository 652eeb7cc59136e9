//! Whether anything guards what an agent is about to do, and why a gate stays
//! shut without a hook having been asked.

use super::fan_out::kinds;
use super::happening::{Happening, Moment};
use crate::engine::Settings;
use crate::event::Gate;
use crate::load::{Hook, HookSet, HookState, SourceReport, SourceState, Withheld};
use crate::plan::DEEPEST;
use crate::problem::Severity;
use crate::source::{Format, Level};

/// Whether what happens can be held back.
fn is_gate(happening: &Happening) -> bool {
    matches!(happening.moment, Moment::BeforeTool { .. } | Moment::Prompt { .. })
}

/// Whether any gate has a hook: one that runs, or one that was trusted and
/// changed since.
pub(super) fn guards(hooks: &HookSet) -> bool {
    let holds_back =
        |hook: &&Hook| matches!(hook.definition.event.spec().gate, Gate::Permission | Gate::Continue);
    hooks.hooks.iter().filter(holds_back).any(counts)
}

/// Self-protection is not a policy of its own: it protects the hooks that are.
fn counts(hook: &Hook) -> bool {
    if hook.source.level == Level::BuiltIn {
        return false;
    }
    match hook.state {
        HookState::Ready
        | HookState::Withheld(Withheld::Changed | Withheld::Tampered | Withheld::Unprotected) => true,
        HookState::Withheld(_) => false,
    }
}

/// Why this gate stays shut, in words that say what to do.
pub(super) fn shut(hooks: &HookSet, settings: &Settings, happening: &Happening) -> Option<String> {
    if !is_gate(happening) {
        return None;
    }
    let kinds = kinds(&happening.moment);
    let guarded = || hooks.hooks.iter().any(|hook| counts(hook) && kinds.contains(&hook.definition.event));
    // The depth stands in the environment: forged, it can only close.
    let deep = || (settings.depth > DEEPEST && guarded()).then(|| too_deep(settings.depth));
    unknown(hooks, settings).or_else(deep)
}

/// Why nobody can tell what guards.
pub(super) fn unknown(hooks: &HookSet, settings: &Settings) -> Option<String> {
    settings.unknown_policy.clone().or_else(|| unreadable_policy(hooks))
}

/// The first file that cannot be read and whose hooks may hold back anything, with what to do about it.
pub(crate) fn unreadable_policy(hooks: &HookSet) -> Option<String> {
    hooks.sources.iter().find_map(|report| broken(hooks, report))
}

/// A policy that cannot be read may hold back anything. A project's is not
/// asked before it is trusted: a repository must not be able to block.
fn broken(hooks: &HookSet, report: &SourceReport) -> Option<String> {
    let SourceState::Unreadable(reason) = &report.state else { return None };
    // It was read, and its hooks count as failed.
    if report.unprotected {
        return None;
    }
    let says_what_it_guards = match report.source.format {
        Format::Cursor => false,
        // A seal names the events that refuse; where nothing was installed
        // yet, nothing guards.
        Format::Sealed => {
            report.seal.is_some() || report.source.file.parent() == Some(report.source.run_dir.as_path())
        }
        Format::Claude(_) | Format::Hookify | Format::Plugin(_) => true,
    };
    if report.source.needs_trust() || says_what_it_guards {
        return None;
    }
    let file = report.source.file.display();
    let mut errors = hooks.problems.iter().filter(|it| it.severity == Severity::Error);
    let place = errors.find(|it| it.file.as_deref() == Some(&*report.source.file) && it.place.is_some());
    let place = place.and_then(|it| it.place.as_ref()).map(|it| format!(":{}:{}", it.line, it.column));
    let place = place.unwrap_or_default();
    let repair = match report.source.format {
        Format::Sealed => "`boathook team sync` puts back what was signed.",
        Format::Cursor | Format::Claude(_) | Format::Hookify | Format::Plugin(_) => {
            "Repair the file (`boathook check` says what is wrong in it) or remove it."
        }
    };
    Some(format!(
        "{file}{place}: {reason}, so nobody can tell what its hooks would refuse, and everything is refused. {repair}"
    ))
}

fn too_deep(depth: u32) -> String {
    format!(
        "This is call {depth} of hooks that start agents that start hooks, and {DEEPEST} are the most, so no hook was asked and it is refused. Start no agent from a hook of an agent, or take BOATHOOK_DEPTH out of the environment if no hook did."
    )
}

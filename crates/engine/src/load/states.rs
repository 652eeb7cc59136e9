//! From readings to the `HookSet`: which hook may run, and what is reported.

use super::reading::{Gate, Reading};
use super::{Hook, HookSet, HookState, SourceReport, SourceState, Surface, Surroundings, Withheld};
use super::{left_behind, rule_entries, sealed, untrusted};
use crate::config;
use crate::definition::{Action, Definition};
use crate::event::EventKind;
use crate::matcher::budget;
use crate::problem::Problem;
use crate::source::{Format, Level, Source};
use crate::trust::{Difference, TrustState};

/// Hooks of all sources together, from which on those of untrusted workspaces are left out.
const MAX_HOOKS: usize = 10_000;

/// Everything, in the walk from high to low priority.
///
/// All matchers that `check` compiles share one budget: hostile files cost it no more than an event.
pub(super) fn hook_set(readings: &[&Reading], around: &Surroundings) -> HookSet {
    budget::scoped(|| hooks_of(readings, around))
}

fn hooks_of(readings: &[&Reading], around: &Surroundings) -> HookSet {
    let switch = readings.iter().find(|reading| switches_off(reading));
    let switched_off_by = switch.map(|reading| reading.source.file.clone());
    let off = switched_off_by.is_some();
    let mut set = HookSet { switched_off_by, ..HookSet::default() };
    for (place, reading) in readings.iter().enumerate() {
        let level = reading.source.level;
        let nth = readings[..place].iter().filter(|other| other.source.level == level).count();
        let first = set.hooks.len();
        add_hooks(&mut set, reading, nth, around);
        sealed::add_age(&mut set, reading, nth, around);
        if off {
            set.hooks[first..].iter_mut().filter(|hook| is_of_claude(hook)).for_each(switch_off);
        }
        set.problems.extend(reading.problems.iter().cloned());
        set.problems.extend(reading.gate.as_ref().and_then(|gate| of_trust(gate, reading)));
        set.trusted_once.extend(reading.trusted_once());
        set.sources.push(SourceReport {
            source: reading.source.clone(),
            state: reading.state.clone(),
            trust: reading.gate.as_ref().map(|gate| gate.state.clone()),
            trusted_files: reading.gate.as_ref().and_then(Gate::trusted_files),
            named_elsewhere: false,
            seal: reading.seal.clone(),
            age: reading.age,
            rootless: reading.rootless,
            unprotected: reading.unprotected,
        });
    }
    untrusted::speak_together(&mut set);
    rule_entries::drop_named_twice(&mut set);
    set
}

/// Whether a source says `disableAllHooks`. A workspace that nobody trusts
/// switches off nothing: the user's own hooks may be what guards against it.
fn switches_off(reading: &Reading) -> bool {
    let trusted = !reading.source.needs_trust() || withheld_by_trust(reading.gate.as_ref()).is_none();
    reading.good.as_ref().is_some_and(|good| good.switches_off) && trusted
}

fn is_of_claude(hook: &Hook) -> bool {
    let level = hook.source.level;
    let plugin = level == Level::Plugin && hook.definition.dialect.claude().is_some();
    level.is_claude() || level == Level::Hookify || plugin
}

fn switch_off(hook: &mut Hook) {
    hook.state = HookState::Withheld(Withheld::SwitchedOff);
}

fn add_hooks(set: &mut HookSet, reading: &Reading, nth: usize, around: &Surroundings) {
    let present = reading.good.as_ref().map_or(&[][..], |good| &good.definitions);
    let lost = reading.gate.as_ref().map_or(&[][..], |gate| &gate.lost);
    let mut cut = 0;
    for (definitions, mark) in [(present, ""), (lost, "trusted-")] {
        let mut counts: Vec<(EventKind, usize)> = Vec::new();
        for definition in definitions {
            let event = definition.event;
            let count = next(&mut counts, event);
            let state = match (reading.tampered, reading.unprotected) {
                (true, _) => HookState::Withheld(Withheld::Tampered),
                (_, true) => HookState::Withheld(Withheld::Unprotected),
                _ => state(definition, &reading.source, reading.gate.as_ref(), around),
            };
            // Only what may not run anyway is left out: a limit opens no gate.
            if set.hooks.len() >= MAX_HOOKS && state == HookState::Withheld(Withheld::Untrusted) {
                cut += 1;
                continue;
            }
            set.hooks.push(Hook {
                id: format!("{}:{nth}:{}:{mark}{count}", reading.source.level.name(), event.name()),
                state,
                definition: Definition {
                    // What vanished from the file stands nowhere in it.
                    place: definition.place.clone().filter(|_| mark.is_empty()),
                    ..definition.clone()
                },
                source: reading.source.clone(),
            });
        }
    }
    if cut > 0 {
        let message =
            format!("{cut} hooks are left out: all sources together have more than {MAX_HOOKS} hooks");
        let help = "remove hooks that are not needed; untrusted ones are left out first";
        let mut problem = Problem::error("too-many-hooks", message).help(help);
        problem.file = Some(reading.source.file.clone());
        set.problems.push(problem);
    }
    if around.options.thorough {
        set.problems.extend(closer_look(present, &reading.source, around));
        set.problems.extend(sealed::faults(reading));
    }
}

/// What the text alone does not tell: matchers that do not compile, scripts
/// that are missing, or were made from a rule that changed.
fn closer_look(definitions: &[Definition], source: &Source, around: &Surroundings) -> Vec<Problem> {
    let mut problems = config::check_matchers(definitions);
    problems.extend(config::check_scripts(definitions, &config::scope_of(source, &around.roots)));
    if source.format == Format::Cursor {
        problems.extend(left_behind::check(definitions, &source.run_dir));
    }
    problems.iter_mut().for_each(|problem| problem.file = Some(source.file.clone()));
    problems
}

fn next(counts: &mut Vec<(EventKind, usize)>, event: EventKind) -> usize {
    match counts.iter_mut().find(|(counted, _)| *counted == event) {
        Some((_, count)) => {
            *count += 1;
            *count
        }
        None => {
            counts.push((event, 0));
            0
        }
    }
}

/// What would not run anyway is withheld for that reason, and not for want of
/// trust: a gate that the surface does not know must not refuse there.
pub(super) fn state(
    definition: &Definition,
    source: &Source,
    gate: Option<&Gate>,
    around: &Surroundings,
) -> HookState {
    let rules = around.options.edition.rules();
    let spec = definition.event.spec();
    let on_surface = match around.options.surface {
        Surface::Desktop => true,
        Surface::Cloud => spec.in_cloud && !matches!(definition.action, Action::Prompt { .. }),
    };
    let experiment = !rules.project_needs_experiment || around.options.project_experiment;
    let withheld = if rules.only_first_events && !spec.in_2_3 {
        Some(Withheld::NotInThisEdition)
    } else if !on_surface {
        Some(Withheld::NotOnThisSurface)
    } else if source.level == Level::Project && !experiment {
        Some(Withheld::NeedsExperiment)
    } else if source.needs_trust() {
        withheld_by_trust(gate)
    } else {
        None
    };
    withheld.map_or(HookState::Ready, HookState::Withheld)
}

fn withheld_by_trust(gate: Option<&Gate>) -> Option<Withheld> {
    match gate.map(|gate| &*gate.state) {
        Some(TrustState::Trusted) => None,
        Some(TrustState::New) | None => Some(Withheld::Untrusted),
        // A record that is there and cannot be read proves that somebody
        // trusted this once: what it guarded stays guarded.
        Some(TrustState::Changed(_) | TrustState::Broken(_)) => Some(Withheld::Changed),
    }
}

/// What is said of a source that is not trusted.
fn of_trust(gate: &Gate, reading: &Reading) -> Option<Problem> {
    let hooks = reading.good.as_ref().map_or(0, |good| good.definitions.len());
    let count = |hooks: usize| untrusted::counted(1, hooks);
    let mut problem = match &*gate.state {
        TrustState::Trusted => return None,
        TrustState::New if hooks == 0 => return None,
        TrustState::Changed(_) if hooks + gate.lost.len() == 0 && reading.source.level != Level::Project => {
            return None;
        }
        TrustState::New => {
            Problem::warning("untrusted", format!("{} withheld: the workspace is not trusted", count(hooks)))
                .help("`boathook trust` shows what would be trusted, and asks")
        }
        TrustState::Changed(difference) => {
            let changed = describe(difference);
            let hooks = count(hooks + gate.lost.len());
            let help = match reading.state {
                SourceState::Absent => "put it back, or `boathook trust --revoke` if it is gone for good",
                SourceState::Read | SourceState::LastGood(_) | SourceState::Unreadable(_) => {
                    "`boathook trust` shows the difference, and asks"
                }
            };
            Problem::warning("trust-changed", format!("{hooks} withheld: changed since trusted: {changed}"))
                .help(help)
        }
        TrustState::Broken(_) if hooks + gate.lost.len() == 0 => return None,
        TrustState::Broken(reason) => {
            Problem::error("trust-broken", format!("{} withheld: {reason}", count(hooks + gate.lost.len())))
                .help("`boathook trust` looks at the hooks again, and asks")
        }
    };
    problem.file = Some(reading.source.file.clone());
    Some(problem)
}

/// A few files by name, the rest by number.
pub(super) fn describe(difference: &Difference) -> String {
    const NAMED: usize = 3;
    let changes = &difference.changes;
    let name = |change: &crate::trust::Change| format!("{} ({})", change.path.display(), change.kind.name());
    let mut text = changes.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ");
    if changes.len() > NAMED {
        text.push_str(&format!(" and {} more", changes.len() - NAMED));
    }
    text
}

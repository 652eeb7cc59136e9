//! What a person is told with a decision about whole sources.

use std::path::Path;

use crate::bundle::age_in_words;
use crate::fill::Event;
use crate::load::{HookSet, SourceReport, SourceState, Withheld, counted};
use crate::matcher::budget;
use crate::plan::{Plan, Skipped, Why};
use crate::problem::Problem;
use crate::source::{Format, Source};
use crate::trust::TrustState;

/// What stands in the way of whole sources: those that cannot be read, and
/// those that are withheld with a hook of this event in them.
pub(super) fn source_warnings(set: &HookSet, plan: &Plan<'_>) -> Vec<String> {
    let of_plugins = set.problems.iter().filter(|problem| problem.code.starts_with("plugin-"));
    let in_words = |problem: &Problem| {
        let file = problem.file.as_deref().unwrap_or(Path::new("")).display().to_string();
        format!("{file}: {}", problem.message)
    };
    let mut warnings: Vec<String> = of_plugins.map(in_words).collect();
    for report in &set.sources {
        let file = report.source.file.display();
        match &report.state {
            // Whoever removes a file must not switch off its hooks unseen.
            SourceState::Absent if was_trusted(report) => warnings.push(format!(
                "{file}: it was trusted and is gone, so none of its hooks run; put it back, or `boathook trust --revoke` if that is meant"
            )),
            SourceState::Absent | SourceState::Read => {}
            SourceState::LastGood(problem) => {
                warnings
                    .push(format!("{file}: cannot be read: {problem}; its last good copy stays in force"));
            }
            SourceState::Unreadable(problem) if report.unprotected => {
                warnings.push(format!("{file}: {problem}; its hooks do not run and count as failed"));
            }
            SourceState::Unreadable(problem) => {
                warnings.push(format!("{file}: cannot be read: {problem}; none of its hooks run"));
            }
        }
        // Where nothing is in force, nothing can be of an unknown age.
        let is_installed = report.seal.is_some() || report.age.is_some();
        if report.source.format == Format::Sealed && is_installed {
            warnings.extend(age_in_words(report.age).map(|words| format!("{file}: {words}")));
        }
        warnings.extend(switched_off(set, plan, &report.source));
        warnings.extend(withheld(plan, &report.source));
        if let Some(root) = report.source.workspace.as_deref().filter(|_| report.rootless) {
            warnings
                .push(format!("the workspace {} does not exist, so no hook of it is asked", root.display()));
        }
    }
    warnings
}

/// Which hooks the budget of the event did not allow to evaluate.
pub(super) fn over_budget(plan: &Plan<'_>) -> Option<String> {
    const MAX_NAMED: usize = 3;
    let (first, more) = plan.over_budget.split_at(plan.over_budget.len().min(MAX_NAMED));
    if first.is_empty() {
        return None;
    }
    let names: Vec<String> = first
        .iter()
        .map(|hook| {
            let line =
                hook.definition.place.as_ref().map_or(String::new(), |place| format!(":{}", place.line));
            format!("{}{line} ({})", hook.source.file.display(), hook.id)
        })
        .collect();
    let rest = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    Some(format!(
        "matchers and rules need more than the budget of one event ({} MiB and {} ms): a matcher past it counts as a match and a rule past it is in doubt: {}{rest}; `boathook check` shows them",
        budget::MAX_MEMORY >> 20,
        budget::MAX_MILLISECONDS,
        names.join(", ")
    ))
}

/// That the payload names workspaces in a way that nobody understands.
pub(super) fn unread_roots(event: &Event) -> Option<String> {
    let roots = event.payload.get(ROOTS).filter(|roots| roots.get() != "null")?;
    event.payload.texts(ROOTS).is_none().then(|| {
        let roots: String = roots.get().chars().take(64).collect();
        format!("the payload's `{ROOTS}` is no list of texts ({roots}), so it names no workspace: write [\"/home/me/project\"]")
    })
}

const ROOTS: &str = "workspace_roots";

/// What Claude Code's `disableAllHooks` keeps from running.
fn switched_off(set: &HookSet, plan: &Plan<'_>, source: &Source) -> Option<String> {
    let off = |it: &&Skipped<'_>| {
        it.why == Why::Withheld(Withheld::SwitchedOff) && it.hook.source.file == source.file
    };
    let (count, by) = (plan.skipped.iter().filter(off).count(), set.switched_off_by.as_ref()?);
    let hooks = if count == 1 { "1 hook is".to_owned() } else { format!("{count} hooks are") };
    let (file, by) = (source.file.display(), by.display());
    (count > 0).then(|| format!("{file}: {hooks} switched off by `disableAllHooks` in {by}"))
}

/// What is withheld of a source. What was never trusted of a workspace is told
/// once for all of its sources, with the first of them.
fn withheld(plan: &Plan<'_>, source: &Source) -> Vec<String> {
    let of_source = |it: &&Skipped<'_>| it.hook.source.file == source.file;
    let mut reasons: Vec<Withheld> = Vec::new();
    for skipped in plan.skipped.iter().filter(of_source) {
        if let Why::Withheld(why) = skipped.why
            // Told by itself, with the file that does it.
            && why != Withheld::SwitchedOff
            && !reasons.contains(&why)
        {
            reasons.push(why);
        }
    }
    let told = reasons.into_iter().filter_map(|why| {
        let of_reason = plan.skipped.iter().filter(|it| it.why == Why::Withheld(why));
        let together = why == Withheld::Untrusted && source.workspace.is_some();
        let alike: Vec<&Skipped<'_>> = of_reason
            .filter(|it| of_source(it) || (together && it.hook.source.workspace == source.workspace))
            .collect();
        let mut files: Vec<&Path> = alike.iter().map(|it| it.hook.source.file.as_path()).collect();
        files.dedup();
        if files.first() != Some(&source.file.as_path()) {
            return None;
        }
        let place = if files.len() == 1 { Some(source.file.as_path()) } else { source.workspace.as_deref() };
        let trust_helps = matches!(why, Withheld::Untrusted | Withheld::Changed);
        let look = if trust_helps { "; look at it with `boathook trust`" } else { "" };
        let count = counted(files.len(), alike.len());
        Some(format!("{}: {count} withheld: {}{look}", place?.display(), why.reason()))
    });
    told.collect()
}

/// Whether somebody looked at what is no longer there. A record that cannot be
/// read proves that too.
fn was_trusted(report: &SourceReport) -> bool {
    matches!(report.trust.as_deref(), Some(TrustState::Changed(_) | TrustState::Broken(_)))
}

//! What a person is told with a decision about whole sources.

use std::path::Path;

use crate::load::{HookSet, SourceState, Withheld};
use crate::plan::{Plan, Why};
use crate::problem::Problem;
use crate::source::Level;

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
            SourceState::Absent | SourceState::Read => {}
            SourceState::LastGood(problem) => {
                warnings
                    .push(format!("{file}: cannot be read: {problem}; its last good copy stays in force"));
            }
            SourceState::Unreadable(problem) => {
                warnings.push(format!("{file}: cannot be read: {problem}; none of its hooks run"));
            }
        }
        let withheld = plan
            .skipped
            .iter()
            .filter(|it| it.why.is_withheld() && it.hook.source.file == report.source.file);
        let mut reasons: Vec<(Why, usize)> = Vec::new();
        for skipped in withheld {
            match reasons.iter_mut().find(|(why, _)| *why == skipped.why) {
                Some((_, count)) => *count += 1,
                None => reasons.push((skipped.why, 1)),
            }
        }
        for (why, count) in reasons {
            let Why::Withheld(why) = why else { continue };
            let hooks = if count == 1 { "1 hook is".to_owned() } else { format!("{count} hooks are") };
            if let Some(by) = set.switched_off_by.as_ref().filter(|_| why == Withheld::SwitchedOff) {
                warnings
                    .push(format!("{file}: {hooks} switched off by `disableAllHooks` in {}", by.display()));
                continue;
            }
            let trust_helps = matches!(why, Withheld::Untrusted | Withheld::Changed);
            let look = if trust_helps { "; look at it with `boathook trust`" } else { "" };
            warnings.push(format!("{file}: {hooks} withheld: {}{look}", why.reason()));
        }
        let is_project = report.source.level == Level::Project && report.state == SourceState::Absent;
        let root = report.source.workspace.as_deref().filter(|_| is_project);
        if let Some(root) = root.filter(|root| !root.is_dir()) {
            warnings
                .push(format!("the workspace {} does not exist, so no hook of it is asked", root.display()));
        }
    }
    warnings
}

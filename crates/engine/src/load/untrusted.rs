//! Several sources of a workspace that nobody ever trusted are one thing to
//! tell, because they are one question to answer.

use std::path::{Path, PathBuf};

use super::{HookSet, HookState, Withheld};
use crate::problem::Problem;

const CODE: &str = "untrusted";

/// Puts one problem in the place of those of a workspace with several.
pub(super) fn speak_together(set: &mut HookSet) {
    let mut workspaces: Vec<PathBuf> =
        set.sources.iter().filter_map(|report| report.source.workspace.clone()).collect();
    workspaces.sort();
    workspaces.dedup();
    for workspace in workspaces {
        let files = untrusted_files(set, &workspace);
        if files.len() < 2 {
            continue;
        }
        let is_one = |problem: &Problem| {
            problem.code == CODE && problem.file.as_ref().is_some_and(|file| files.contains(file))
        };
        let Some(first) = set.problems.iter().position(is_one) else { continue };
        let hooks = set.hooks.iter().filter(|hook| {
            hook.state == HookState::Withheld(Withheld::Untrusted) && files.contains(&hook.source.file)
        });
        let message =
            format!("{} withheld: the workspace is not trusted", counted(files.len(), hooks.count()));
        set.problems[first].message = message;
        set.problems[first].file = Some(workspace);
        set.problems.retain(|problem| !is_one(problem));
    }
}

/// `3 files, 9 hooks are`: how much of a workspace is withheld.
pub(crate) fn counted(files: usize, hooks: usize) -> String {
    let hooks = if hooks == 1 { "1 hook is".to_owned() } else { format!("{hooks} hooks are") };
    if files == 1 { hooks } else { format!("{files} files, {hooks}") }
}

fn untrusted_files(set: &HookSet, workspace: &Path) -> Vec<PathBuf> {
    let is_told = |file: &Path| {
        set.problems.iter().any(|problem| problem.code == CODE && problem.file.as_deref() == Some(file))
    };
    let of_workspace =
        set.sources.iter().filter(|report| report.source.workspace.as_deref() == Some(workspace));
    of_workspace.map(|report| report.source.file.clone()).filter(|file| is_told(file)).collect()
}

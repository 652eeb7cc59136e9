//! What `boathook check` finds in a bundle that was written, and what only
//! somebody who sends hooks to other machines has to know.

use std::path::{Path, PathBuf};

use boathook_engine::definition::Action;
use boathook_engine::load::{Hook, HookSet, LoadOptions, Loader};
use boathook_engine::problem::{Problem, Severity};
use boathook_engine::source::{Os, Roots, Selection};

use super::layout::{LAYOUTS, Layout};
use crate::commands::check::in_order;
use crate::report::{self, Texts};
use crate::ui::Ui;

/// Shows what is wrong on each system, what is the same on several only once;
/// says how bad the worst of it is. The folder of the system has the same
/// files as the one of the user, which is looked at.
pub fn show(ui: &mut Ui, out: &Path, only: Option<Os>) -> Option<Severity> {
    let (mut texts, mut said) = (Texts::default(), Vec::new());
    let mut worst: Option<Severity> = None;
    let is_written = |layout: &&Layout| !layout.is_of_system() && only.is_none_or(|os| os == layout.os);
    for layout in LAYOUTS.iter().filter(is_written) {
        let home = out.join(layout.folder());
        let set = load(layout.os, &home);
        let here = home.display().to_string();
        for problem in in_order(&set).into_iter().cloned().chain(elsewhere(layout, &set)) {
            worst = worst.max(Some(problem.severity));
            let what = (problem.code, problem.message.replace(&here, ""));
            if !said.contains(&what) {
                report::problem(ui, &problem, &mut texts);
                said.push(what);
            }
        }
    }
    worst
}

/// The hooks of a folder as if it were a home, looked at closely.
fn load(os: Os, home: &Path) -> HookSet {
    // Nothing of this machine counts: the state is a place that is not there.
    let roots = Roots::new(os, home, home.join(".cursor/.none"), Vec::<PathBuf>::new());
    let options = LoadOptions { selection: Selection::OfUser, thorough: true, ..LoadOptions::default() };
    (*Loader::new(roots, options).hooks(&[])).clone()
}

/// What is right here and wrong on the machines it is meant for.
fn elsewhere(layout: &Layout, set: &HookSet) -> Vec<Problem> {
    let mut problems: Vec<Problem> = set.hooks.iter().flat_map(|hook| of_hook(layout.os, hook)).collect();
    if set.hooks.is_empty() {
        let message = format!("no hook is for {}: what is installed there has none", layout.system);
        problems.push(Problem::warning("bundle-empty", message));
    }
    problems
}

fn of_hook(os: Os, hook: &Hook) -> Vec<Problem> {
    let Action::Command(command) = &hook.definition.action else { return Vec::new() };
    let first = command.split_whitespace().next().unwrap_or_default();
    let mut problems = Vec::new();
    if os == Os::Windows && is_for_a_unix_shell(first) {
        let message = format!("`{first}` runs on Windows only where Git's bash is installed");
        problems.push(
            Problem::warning("bundle-sh-on-windows", message).help(
                "write a script for PowerShell, and keep each to its systems with \"_operating_systems\"",
            ),
        );
    }
    if first.starts_with('/') || first.starts_with("~/") {
        let message = format!("`{first}` is not in the bundle: every machine must have it");
        problems.push(
            Problem::warning("bundle-outside", message)
                .help("put it beside hooks.json and write \"command\": \"./NAME\""),
        );
    }
    if hook.definition.monitor {
        let message = format!("`monitor` of `{command}` is honoured by Boathook alone");
        problems.push(
            Problem::warning("bundle-monitor", message)
                .help("leave the hook out until it may refuse, where the original product runs it")
                .product("it does not know `monitor`: the hook refuses"),
        );
    }
    for problem in &mut problems {
        problem.file = Some(hook.source.file.clone());
        problem.place = hook.definition.action_place.clone().or_else(|| hook.definition.place.clone());
    }
    problems
}

fn is_for_a_unix_shell(word: &str) -> bool {
    [".sh", ".bash", ".zsh"].iter().any(|ending| word.ends_with(ending))
}

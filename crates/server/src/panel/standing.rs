//! How a hook stands, with what was seen on the machine: a script that is not
//! there makes it one that cannot run, however right its entry is.

use boathook_engine::engine::Standing;
use boathook_engine::load::{Hook, HookSet};
use boathook_engine::problem::Problem;

use super::App;

/// Problems with which a hook fails each time.
const CANNOT_RUN: [&str; 9] = [
    "script-not-found",
    "script-elsewhere",
    "script-is-a-directory",
    "script-not-executable",
    "script-not-on-path",
    "path-with-space",
    "quoted-tilde",
    "program-not-found",
    "interpreter-not-found",
];

/// How a hook stands.
pub fn standing(app: &App, set: &HookSet, hook: &Hook, problems: &[Problem]) -> Standing {
    match Standing::of(&app.settings, hook) {
        Standing::Ready => {
            match problems.iter().find(|it| stops(it) && (is_of(it, hook) || is_shared(it, set, hook))) {
                Some(problem) => Standing::Broken(problem.message.clone()),
                None => Standing::Ready,
            }
        }
        other => other,
    }
}

/// Whether a hook with this problem fails each time.
fn stops(problem: &Problem) -> bool {
    CANNOT_RUN.contains(&problem.code)
}

/// What is wrong with a program is told once in a file, at the first hook that
/// starts it; the others start it as well.
fn is_shared(problem: &Problem, set: &HookSet, hook: &Hook) -> bool {
    let program = |hook: &Hook| hook.definition.command_line().split_whitespace().next().map(str::to_owned);
    ["program-not-found", "interpreter-not-found"].contains(&problem.code)
        && problem.file.as_ref() == Some(&hook.source.file)
        && set.hooks.iter().any(|other| is_of(problem, other) && program(other) == program(hook))
}

/// Whether a problem stands in a hook's entry.
pub fn is_of(problem: &Problem, hook: &Hook) -> bool {
    let entry = hook.definition.place.as_ref().map(|place| place.bytes.clone()).unwrap_or_default();
    let start = problem.place.as_ref().map(|place| place.bytes.start);
    problem.file.as_ref() == Some(&hook.source.file) && start.is_some_and(|start| entry.contains(&start))
}

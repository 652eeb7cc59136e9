//! `boathook check`: every problem in every source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boathook_engine::config::apply_fixes;
use boathook_engine::engine::{Settings, load_options};
use boathook_engine::load::{HookSet, Loader};
use boathook_engine::problem::{self, Problem, Severity};

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::Ui;

/// Report every problem in every hooks.json
///
/// Reads the same files as `boathook run`, in the same order, and says for each
/// problem where it is, what to write instead, and what the original product
/// does with it. Runs no hook. Exit code 1 when there is an error.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Repair what has one right answer; the rest of a file is left as it is
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Repairs are looked for this often.
pub const MOST_REPAIRS: usize = 4;

pub fn check(ui: &mut Ui, global: &Global, args: &CheckArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    report::tell_changes(ui, &settings);
    let mut set = load(&settings);
    let mut left = BTreeSet::new();
    // A repair can uncover another: they are made until nothing is left.
    for _ in 0..MOST_REPAIRS {
        if !args.fix || repair(ui, &set, &mut left)? == 0 {
            break;
        }
        set = load(&settings);
    }
    // Whether somebody trusts the hooks, or has a model for them, says nothing
    // about how they are written.
    let elsewhere = |problem: &&Problem| matches!(problem.code, "untrusted" | "trust-changed" | "no-model");
    let written = set.problems.iter().filter(|problem| !elsewhere(problem));
    let worst = written.map(|problem| problem.severity).max();
    let bad = if args.strict { Severity::Warning } else { Severity::Error };
    let status = if worst.is_some_and(|worst| worst >= bad) { Status::Failure } else { Status::Success };
    if args.json {
        let problems: Vec<_> = in_order(&set).into_iter().map(report::problem_json).collect();
        ui.json(&serde_json::json!({ "problems": problems }).to_string());
        return Ok(status);
    }
    let mut texts = Texts::default();
    for problem in in_order(&set) {
        report::problem(ui, problem, &mut texts);
    }
    summary(ui, &set, args);
    Ok(status)
}

/// File by file in the order of the walk, each from its first line to its last.
pub fn in_order(set: &HookSet) -> Vec<&Problem> {
    let source = |problem: &Problem| {
        set.sources.iter().position(|report| Some(&report.source.file) == problem.file.as_ref())
    };
    let start = |problem: &Problem| problem.place.as_ref().map_or(usize::MAX, |place| place.bytes.start);
    let mut problems: Vec<&Problem> = set.problems.iter().collect();
    problems.sort_by_key(|problem| (source(problem), start(problem)));
    problems
}

/// Everything there is, looked at closely.
pub fn load(settings: &Settings) -> Arc<HookSet> {
    let workspaces = &settings.roots.workspaces;
    let mut set = Loader::new(settings.roots.clone(), load_options(settings, true)).hooks(workspaces);
    let without: Vec<Problem> =
        set.hooks.iter().filter_map(|hook| report::without_model(settings, hook)).collect();
    if !without.is_empty() {
        Arc::make_mut(&mut set).problems.extend(without);
    }
    set
}

fn summary(ui: &mut Ui, set: &HookSet, args: &CheckArgs) {
    let count = |severity| problem::count(&set.problems, severity);
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let hooks = set.hooks.len();
    if errors + warnings == 0 {
        ui.line(&format!("{} checked, no problems", plural(hooks, "hook")));
        return;
    }
    ui.line(&format!(
        "{} checked: {}, {}",
        plural(hooks, "hook"),
        plural(errors, "error"),
        plural(warnings, "warning")
    ));
    if args.strict && warnings > 0 {
        ui.hint("`--strict` counts warnings as errors");
    }
    let fixable = repairable(set).count();
    if fixable > 0 && !args.fix {
        ui.hint(&format!("`boathook check --fix` repairs {fixable} of them"));
    }
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Repairs files of the user and of the project; managed ones are not ours.
/// `left` are the files that were said not to be repaired.
pub fn repair(ui: &mut Ui, set: &HookSet, left: &mut BTreeSet<PathBuf>) -> Result<usize, Failed> {
    for file in fixable(set).filter_map(|problem| problem.file.as_ref()).filter(|file| is_managed(set, file))
    {
        if left.insert(file.clone()) {
            ui.warning(&format!("{}: a managed file is not repaired here", file.display()));
        }
    }
    let mut by_file: BTreeMap<&Path, Vec<Problem>> = BTreeMap::new();
    for problem in repairable(set) {
        if let Some(file) = &problem.file {
            by_file.entry(file).or_default().push(problem.clone());
        }
    }
    let mut repaired = 0;
    for (file, problems) in by_file {
        repair_file(file, &problems)?;
        repaired += problems.len();
        ui.say(&format!("repaired {} in {}", plural(problems.len(), "problem"), file.display()));
        for problem in &problems {
            let line = problem.place.as_ref().map_or(0, |place| place.line);
            ui.say(&format!("  line {line}: {}", problem.message));
        }
    }
    Ok(repaired)
}

/// What `--fix` repairs.
pub fn repairable(set: &HookSet) -> impl Iterator<Item = &Problem> {
    fixable(set).filter(|problem| !problem.file.as_ref().is_some_and(|file| is_managed(set, file)))
}

fn fixable(set: &HookSet) -> impl Iterator<Item = &Problem> {
    set.problems.iter().filter(|problem| problem.fix.is_some())
}

fn is_managed(set: &HookSet, file: &Path) -> bool {
    set.sources.iter().any(|report| report.source.file == file && report.source.level.is_managed())
}

fn repair_file(file: &Path, problems: &[Problem]) -> Result<(), Failed> {
    // A link stays a link: what it leads to is replaced.
    let target: PathBuf = file.canonicalize().map_err(|error| Failed::file(file, error))?;
    let text = fs::read_to_string(&target).map_err(|error| Failed::file(file, error))?;
    let fixed = apply_fixes(&text, problems);
    let permissions = fs::metadata(&target).map_err(|error| Failed::file(file, error))?.permissions();
    let fresh = target.with_extension(format!("json.{}", boathook_engine::ids::uuid()));
    let written = fs::write(&fresh, fixed)
        .and_then(|()| fs::set_permissions(&fresh, permissions))
        .and_then(|()| fs::rename(&fresh, &target));
    written.map_err(|error| {
        let _ = fs::remove_file(&fresh);
        Failed::file(file, error)
    })
}

//! `boathook doctor`: one page on whether hooks can work here.

mod daemon;
mod duplicates;
mod examine;
mod page;
mod repair;

use std::collections::BTreeSet;

use self::daemon::Daemon;
pub use self::examine::problems;

use crate::Status;
use crate::args::Global;
use crate::commands::check;
use crate::commands::team::notice;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::Ui;
use boathook_engine::problem::{self, Severity};

/// Examine whether hooks can work here, and say how to repair what cannot
///
/// One page: every source and whether it is trusted, the programs that hooks
/// need, the agents that are wired, the last failures, whether a daemon runs, and
/// every problem with its repair: scripts that are missing, not executable, looked for in the wrong
/// folder or saved with CR LF, interpreters and jq that are not installed,
/// matchers that never match, timeouts in milliseconds, hooks that run twice,
/// agents whose wiring is stale. Starts no program, so it is safe in a workspace
/// that nobody trusts.
///
/// Exit code 1 when there is something to repair.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Repair what has one right answer: executable bits, line ends, and what `check --fix` repairs
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn doctor(ui: &mut Ui, global: &Global, args: &DoctorArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    report::tell_changes(ui, &settings);
    let mut found = examine::examine(&settings);
    let mut left = BTreeSet::new();
    // A repair can uncover another.
    for _ in 0..check::MOST_REPAIRS {
        if !args.fix
            || check::repair(ui, &found.set, &mut left)? + repair::scripts(ui, &found, &mut left)? == 0
        {
            break;
        }
        found = examine::examine(&settings);
    }
    let count = |severity| problem::count(&found.problems, severity);
    let broken = count(Severity::Error) + count(Severity::Warning);
    let status = if broken > 0 { Status::Failure } else { Status::Success };
    let daemon = Daemon::of(&settings.roots.state);
    if args.json {
        let page = serde_json::to_string(&page::as_json(&found, &daemon));
        ui.json(&page.map_err(|error| Failed::other(error.to_string(), "`boathook doctor` prints a table"))?);
        return Ok(status);
    }
    page::show(ui, &found, &daemon);
    let mut texts = Texts::default();
    ui.as_data(|ui| found.problems.iter().for_each(|problem| report::problem(ui, problem, &mut texts)));
    match broken {
        0 => ui.line("nothing to repair"),
        1 => ui.line("1 problem"),
        number => ui.line(&format!("{number} problems")),
    }
    let fixable = check::repairable(&found.set).count() + repair::possible(&found).len();
    if fixable > 0 && !args.fix {
        ui.hint(&format!("`boathook doctor --fix` repairs {fixable} of them"));
    }
    notice::show(ui);
    Ok(status)
}

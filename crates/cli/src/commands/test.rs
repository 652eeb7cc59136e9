//! `boathook test`: runs the author's own cases.

mod case;
mod case_file;
mod compare;
mod execute;
mod junit;
pub mod scratch;
mod show;
mod steering;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use boathook_engine::engine::{Settings, load_options};
use boathook_engine::load::{HookSet, Loader, SourceState, TrustMode};
use boathook_engine::problem::{Problem, Severity};
use boathook_engine::read_file::{self, Owner};
use boathook_engine::source::Selection;
use serde_json::{Value, json};

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::{cancel, settings};
use crate::ui::Ui;
use case::Case;
use execute::Verdict;

/// Run the test cases of your hooks
///
/// A case names an event, its payload, and what is expected of the hooks: exit
/// code, answer, which of them ran. Cases stand in .cursor/hooks/tests/*.json of
/// the workspace, one or a list in each file. They run on the same engine as
/// `boathook run`, with the hooks of the workspace alone, so that what else a
/// machine has does not change the result; log and sessions are left alone.
///
/// Exit code 0 when every case passes, else 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "A case:
  {
    \"name\": \"a force push is refused\",
    \"event\": \"beforeShellExecution\",
    \"payload\": { \"command\": \"git push --force\" },
    \"expect\": {
      \"exit\": 2,
      \"answer\": { \"permission\": \"deny\", \"user_message\": { \"contains\": \"force\" } },
      \"ran\": [\".cursor/hooks/guard.sh\"]
    }
  }
`env` sets variables; `files` or `\"scratch\": true` runs it in a copy of the workspace.")]
pub struct TestArgs {
    /// Files of cases, or folders that hold some [default: .cursor/hooks/tests of the workspace]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Test the user's own hooks, with the cases in ~/.cursor/hooks/tests
    #[arg(long)]
    user: bool,
    /// Ask the hooks of every source, as an agent would
    #[arg(long)]
    all_sources: bool,
    /// Trust the workspace for this one call; nothing is stored
    #[arg(long)]
    trust: bool,
    /// How many cases run at once [default: one for each processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Cases, each with the settings it runs with, and files that hold none.
#[derive(Default)]
struct Found {
    cases: Vec<(Settings, Case)>,
    problems: Vec<Problem>,
    looked_in: Vec<PathBuf>,
}

pub fn test(ui: &mut Ui, global: &Global, args: &TestArgs) -> Result<Status, Failed> {
    let settings = settings_of(ui, global, args)?;
    let found = find(&settings, args)?;
    let mut texts = Texts::default();
    found.problems.iter().for_each(|problem| report::problem(ui, problem, &mut texts));
    if found.cases.is_empty() && found.problems.is_empty() {
        // Who collects reports finds one, and not that of an earlier run.
        write_junit(args, &[], &found)?;
        return Err(nothing_found(&found));
    }
    if !may_run(ui, &found.cases) {
        return Ok(Status::Failure);
    }
    let verdicts = run_all(ui, &found.cases, args);
    let ended = found.cases.iter().zip(&verdicts);
    let results: Vec<(&Case, &Verdict)> =
        ended.filter_map(|((_, case), verdict)| Some((case, verdict.as_ref()?))).collect();
    write_junit(args, &results, &found)?;
    let passed = results.iter().filter(|(_, verdict)| verdict.passed()).count();
    if args.json {
        ui.json(&as_json(&found, &results, passed).to_string());
    } else {
        summary(ui, &found, &results, passed);
    }
    let fine = passed == found.cases.len() && found.errors().count() == 0;
    Ok(if fine { Status::Success } else { Status::Failure })
}

fn write_junit(args: &TestArgs, results: &[(&Case, &Verdict)], found: &Found) -> Result<(), Failed> {
    let Some(file) = &args.junit else { return Ok(()) };
    let broken = found.errors().map(|it| (report::place_of(it), it.message.clone()));
    let xml = junit::document(results, &broken.collect::<Vec<_>>());
    fs::write(file, xml).map_err(|error| Failed::file(file, error))
}

fn settings_of(ui: &mut Ui, global: &Global, args: &TestArgs) -> Result<Settings, Failed> {
    let mut settings = settings(ui, global, &[])?;
    settings.cancel = cancel();
    settings.trust = if args.trust { TrustMode::Once } else { TrustMode::Store };
    settings.selection = match (args.all_sources, args.user) {
        (true, _) => Selection::All,
        (false, true) => Selection::OfUser,
        (false, false) => Selection::OfWorkspace,
    };
    Ok(settings)
}

fn as_json(found: &Found, results: &[(&Case, &Verdict)], passed: usize) -> Value {
    let cases: Vec<Value> = results.iter().map(|(case, verdict)| show::as_json(case, verdict)).collect();
    let problems: Vec<Value> = found.problems.iter().map(report::problem_json).collect();
    json!({ "passed": passed, "failed": found.cases.len() - passed, "cases": cases, "problems": problems })
}

fn find(settings: &Settings, args: &TestArgs) -> Result<Found, Failed> {
    let mut found = Found::default();
    let roots = if args.user { &[][..] } else { &settings.roots.workspaces[..] };
    let own = |root: &Path| Settings {
        roots: boathook_engine::source::Roots { workspaces: vec![root.to_owned()], ..settings.roots.clone() },
        ..settings.clone()
    };
    if !args.files.is_empty() {
        let settings = roots.first().map_or_else(|| settings.clone(), |root| own(root));
        for path in &args.files {
            found.add(path, true, &settings)?;
        }
        return Ok(found);
    }
    if args.user {
        found.add(&settings.roots.home.join(".cursor/hooks/tests"), false, settings)?;
    }
    for root in roots {
        found.add(&root.join(".cursor/hooks/tests"), false, &own(root))?;
    }
    Ok(found)
}

impl Found {
    /// What keeps a case from being run; a warning does not.
    fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error)
    }

    /// A file, or every `.json` of a folder. What was typed must exist.
    fn add(&mut self, path: &Path, typed: bool, settings: &Settings) -> Result<(), Failed> {
        self.looked_in.push(path.to_owned());
        if !path.is_dir() {
            if typed || path.symlink_metadata().is_ok() {
                self.add_file(path, settings);
            }
            return Ok(());
        }
        let entries = fs::read_dir(path).map_err(|error| Failed::file(path, error))?;
        let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        files.iter().for_each(|file| self.add_file(file, settings));
        Ok(())
    }

    fn add_file(&mut self, file: &Path, settings: &Settings) {
        match read_text(file) {
            Ok(text) => {
                let (cases, problems) = case_file::read(file, text.strip_prefix('\u{feff}').unwrap_or(&text));
                self.cases.extend(cases.into_iter().map(|case| (settings.clone(), case)));
                self.problems.extend(problems);
            }
            Err(reason) => {
                let problem = Problem::error("test-file", format!("cannot be read: {reason}"));
                self.problems.push(Problem { file: Some(file.to_owned()), ..problem });
            }
        }
    }
}

fn read_text(file: &Path) -> Result<String, String> {
    let read =
        read_file::read(file, read_file::CONFIG_LIMIT, Owner::Anybody).map_err(|error| error.to_string())?;
    String::from_utf8(read.bytes).map_err(|_| "it is not UTF-8".to_owned())
}

fn nothing_found(found: &Found) -> Failed {
    let places: Vec<String> = found.looked_in.iter().map(|path| path.display().to_string()).collect();
    let example = case_file::EXAMPLE;
    let help = format!("write one, for example as .cursor/hooks/tests/first.json:\n{example}");
    Failed::other(format!("there are no cases in {}", places.join(" or ")), help)
}

/// Whether the hooks of every workspace may run at all; says so where not.
fn may_run(ui: &mut Ui, cases: &[(Settings, Case)]) -> bool {
    let mut seen: Vec<&[PathBuf]> = Vec::new();
    let mut fine = true;
    for (settings, _) in cases {
        let workspaces = &settings.roots.workspaces[..];
        if seen.contains(&workspaces) {
            continue;
        }
        seen.push(workspaces);
        let set = Loader::new(settings.roots.clone(), load_options(settings, false)).hooks(workspaces);
        for file in &set.trusted_once {
            ui.say(&format!("trusted for this call: {}", file.display()));
        }
        fine &= is_fit(ui, &set);
    }
    fine
}

fn is_fit(ui: &mut Ui, set: &HookSet) -> bool {
    let unreadable = |state: &SourceState| match state {
        SourceState::Absent | SourceState::Read => false,
        SourceState::LastGood(_) | SourceState::Unreadable(_) => true,
    };
    let fine = execute::is_trusted(set) && !set.sources.iter().any(|report| unreadable(&report.state));
    if !fine {
        report::whole_sources(ui, set, &mut Texts::default());
        let broken = set.problems.iter().filter(|it| it.place.is_some() && it.severity == Severity::Error);
        broken.for_each(|problem| report::problem(ui, problem, &mut Texts::default()));
        ui.error("no case was run: the hooks above do not run");
    }
    fine
}

/// Runs all cases; each is shown as soon as those before it are.
fn run_all(ui: &mut Ui, cases: &[(Settings, Case)], args: &TestArgs) -> Vec<Option<Verdict>> {
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let mut verdicts: Vec<Option<Verdict>> = cases.iter().map(|_| None).collect();
    let (mut shown, mut ended) = (0, 0);
    ui.progress(&format!("0 of {} cases", cases.len()));
    execute::all(cases, jobs, &mut |at, verdict| {
        verdicts[at] = Some(verdict);
        ended += 1;
        ui.end_progress();
        while let Some(Some(verdict)) = verdicts.get(shown)
            && !args.json
        {
            show::result(ui, &cases[shown].1, verdict);
            shown += 1;
        }
        if ended < cases.len() {
            ui.progress(&format!("{ended} of {} cases", cases.len()));
        }
    });
    ui.end_progress();
    verdicts
}

fn summary(ui: &mut Ui, found: &Found, results: &[(&Case, &Verdict)], passed: usize) {
    let failed = results.len() - passed;
    let mut parts = vec![format!("{passed} passed")];
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    let unrun = found.cases.len() - results.len();
    if unrun > 0 {
        parts.push(format!("{unrun} not run"));
    }
    let problems = found.errors().count();
    if problems > 0 {
        parts.push(format!("{problems} {} in the files", if problems == 1 { "problem" } else { "problems" }));
    }
    ui.line(&parts.join(", "));
}

//! `boathook trust`: look at a workspace's hooks, then decide.

mod show;

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;

use boathook_engine::engine::load_options;
use boathook_engine::load::{Candidate, HookSet, Loader, SourceReport};
use boathook_engine::problem::Problem;
use boathook_engine::source::Source;
use boathook_engine::trust::{Subject, Trust, TrustState};

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::Ui;

/// Look at a workspace's hooks, and trust them
///
/// Hooks of a workspace run only when somebody trusted them. Trust is pinned to
/// the content of .cursor/hooks.json and of the files its commands name; when
/// one of them changes, the hooks are withheld until somebody looked at the
/// difference. The hooks of Claude Code's settings, hookify rules and plugins
/// inside the workspace are looked at in the same way; all that a workspace
/// brings is one question with one SHA-256. Starts no process.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub struct TrustArgs {
    /// Trust without asking
    #[arg(long)]
    yes: bool,
    /// Trust only when the hooks have this SHA-256, as `--status` shows it
    #[arg(long, value_name = "SHA256")]
    accept: Option<String>,
    /// Take trust back
    #[arg(long)]
    revoke: bool,
    /// Say how the workspace stands; exit code 1 unless it is trusted
    #[arg(long)]
    status: bool,
}

pub fn trust(ui: &mut Ui, global: &Global, args: &TrustArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let roots = &settings.roots;
    let mut loader = Loader::new(roots.clone(), load_options(&settings, false));
    let mut status = Status::Success;
    let mut found = 0;
    if args.revoke {
        let set = loader.hooks(&roots.workspaces);
        for report in set.sources.iter().filter(|report| report.source.needs_trust()) {
            found += usize::from(revoke(ui, loader.trust(), &report.source)?);
        }
    } else {
        let groups = Candidate::by_workspace(loader.candidates(&roots.workspaces));
        found += groups.len();
        status = match &args.accept {
            Some(sha256) => accept(ui, loader.trust(), &groups, sha256)?,
            None => decide_all(ui, loader.trust(), &groups, args)?,
        };
        for problem in broken_projects(&loader.hooks(&roots.workspaces)) {
            report::problem(ui, problem, &mut Texts::default());
            status = Status::Failure;
            found += 1;
        }
    }
    if found == 0 {
        let roots: Vec<String> = roots.workspaces.iter().map(|root| root.display().to_string()).collect();
        let what = if args.revoke { "was not trusted" } else { "has no hooks that need trust" };
        ui.say(&format!("{} {what}", roots.join(", ")));
        if args.status {
            status = Status::Failure;
        }
    }
    Ok(status)
}

/// Project files that cannot be read, so that there is nothing to trust.
fn broken_projects(set: &HookSet) -> impl Iterator<Item = &Problem> {
    let is_projects = |problem: &Problem| {
        let of_file = |report: &&SourceReport| Some(&report.source.file) == problem.file.as_ref();
        set.sources.iter().find(of_file).is_some_and(|report| report.source.needs_trust())
    };
    let unreadable = set.problems.iter().filter(|problem| matches!(problem.code, "unreadable" | "last-good"));
    unreadable.filter(move |problem| is_projects(problem))
}

/// All that one workspace brings, which is one question.
type Group = Vec<Candidate>;

fn subjects<'a>(group: impl IntoIterator<Item = &'a Candidate>) -> Vec<&'a Subject> {
    group.into_iter().map(|candidate| &candidate.subject).collect()
}

/// Trusts the workspace that has this SHA-256.
fn accept(ui: &mut Ui, store: &Trust, groups: &[Group], sha256: &str) -> Result<Status, Failed> {
    let has_it =
        |group: &&Group| Subject::together(&subjects(*group)).to_string().eq_ignore_ascii_case(sha256.trim());
    let Some(group) = groups.iter().find(has_it).or(groups.first()) else { return Ok(Status::Success) };
    store.accept_hash(&subjects(group), sha256).map_err(refused)?;
    group.iter().for_each(|looked| ui.say(&format!("trusted {}", looked.source.file.display())));
    Ok(Status::Success)
}

fn decide_all(ui: &mut Ui, store: &Trust, groups: &[Group], args: &TrustArgs) -> Result<Status, Failed> {
    let mut status = Status::Success;
    for group in groups {
        if decide(ui, store, group, args)? != Status::Success {
            status = Status::Failure;
        }
    }
    Ok(status)
}

fn decide(ui: &mut Ui, store: &Trust, group: &Group, args: &TrustArgs) -> Result<Status, Failed> {
    if args.status {
        return Ok(show::status(ui, group));
    }
    let (trusted, waiting): (Vec<&Candidate>, Vec<&Candidate>) =
        group.iter().partition(|looked| looked.state == TrustState::Trusted);
    for looked in trusted {
        ui.say(&format!("{} is trusted as it is", looked.source.file.display()));
    }
    if waiting.is_empty() {
        return Ok(Status::Success);
    }
    let sha256 = Subject::together(&subjects(group)).to_string();
    show::question(ui, &waiting, &sha256);
    if !args.yes && !agrees(ui, &sha256)? {
        ui.say("not trusted; nothing of it runs");
        return Ok(Status::Failure);
    }
    store.accept_all(&subjects(waiting.iter().copied())).map_err(refused)?;
    waiting.iter().for_each(|looked| ui.say(&format!("trusted {}", looked.source.file.display())));
    Ok(Status::Success)
}

fn refused(error: boathook_engine::trust::TrustError) -> Failed {
    Failed::other(error.to_string(), "`boathook trust` shows the hooks as they are now")
}

fn revoke(ui: &mut Ui, store: &Trust, source: &Source) -> Result<bool, Failed> {
    let removed = store.revoke(source).map_err(refused)?;
    if removed {
        ui.say(&format!("{} is no longer trusted", source.file.display()));
    }
    Ok(removed)
}

/// Nobody is asked where nobody can answer.
fn agrees(ui: &mut Ui, sha256: &str) -> Result<bool, Failed> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        ui.help(&format!("nobody can be asked here; write `boathook trust --accept {sha256}` or `--yes`"));
        return Ok(false);
    }
    ui.ask("Trust these hooks? [y/N] ");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| Failed::file(Path::new("stdin"), error))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

//! `boathook trust`: look at a workspace's hooks, then decide.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;

use boathook_engine::definition::{Action, Definition};
use boathook_engine::engine::load_options;
use boathook_engine::load::{Candidate, HookSet, Loader, SourceReport};
use boathook_engine::problem::Problem;
use boathook_engine::source::Source;
use boathook_engine::trust::{Change, Trust, TrustState};
use similar::TextDiff;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::{Style, Ui};

/// Look at a workspace's hooks, and trust them
///
/// Hooks of a workspace run only when somebody trusted them. Trust is pinned to
/// the content of .cursor/hooks.json and of the files its commands name; when
/// one of them changes, the hooks are withheld until somebody looked at the
/// difference. The hooks of Claude Code's settings and of plugins inside the
/// workspace are looked at in the same way. Starts no process.
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
        for candidate in loader.candidates(&roots.workspaces) {
            found += 1;
            if decide(ui, loader.trust(), &candidate, args)? != Status::Success {
                status = Status::Failure;
            }
        }
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

fn decide(ui: &mut Ui, store: &Trust, looked: &Candidate, args: &TrustArgs) -> Result<Status, Failed> {
    if args.status {
        return Ok(status(ui, looked));
    }
    if let Some(sha256) = &args.accept {
        store.accept_hash(&looked.subject, sha256).map_err(refused)?;
        ui.say(&format!("trusted {}", looked.source.file.display()));
        return Ok(Status::Success);
    }
    if looked.state == TrustState::Trusted {
        ui.say(&format!("{} is trusted as it is", looked.source.file.display()));
        return Ok(Status::Success);
    }
    show(ui, looked);
    if !args.yes && !agrees(ui, looked)? {
        ui.say("not trusted; nothing of it runs");
        return Ok(Status::Failure);
    }
    store.accept(&looked.subject).map_err(refused)?;
    ui.say(&format!("trusted {}", looked.source.file.display()));
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

fn status(ui: &mut Ui, looked: &Candidate) -> Status {
    let file = looked.source.file.display();
    let (word, status) = match &looked.state {
        TrustState::Trusted => ("trusted".to_owned(), Status::Success),
        TrustState::New => ("not trusted".to_owned(), Status::Failure),
        TrustState::Changed(difference) => {
            let count = difference.changes.len();
            (
                format!(
                    "changed since it was trusted ({count} {})",
                    if count == 1 { "file" } else { "files" }
                ),
                Status::Failure,
            )
        }
        TrustState::Broken(problem) => (format!("not trusted: {problem}"), Status::Failure),
    };
    ui.line(&format!("{file}: {word}"));
    ui.line(&format!("  SHA-256 {}", looked.subject.sha256));
    status
}

/// Nobody is asked where nobody can answer.
fn agrees(ui: &mut Ui, looked: &Candidate) -> Result<bool, Failed> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        ui.help(&format!(
            "nobody can be asked here; write `boathook trust --accept {}` or `--yes`",
            looked.subject.sha256
        ));
        return Ok(false);
    }
    ui.ask("Trust these hooks? [y/N] ");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| Failed::file(Path::new("stdin"), error))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

fn show(ui: &mut Ui, looked: &Candidate) {
    match &looked.state {
        TrustState::Changed(difference) => {
            ui.line(&format!("{} was trusted, and changed since:", looked.source.file.display()));
            difference.changes.iter().for_each(|change| show_change(ui, change));
        }
        TrustState::Broken(problem) => ui.warning(problem),
        TrustState::New | TrustState::Trusted => {}
    }
    let file = looked.source.file.display();
    if looked.switches_off {
        let rest = if looked.definitions.is_empty() { "" } else { " Its own, too:" };
        ui.line(&format!(
            "{file} switches off every hook that was written for Claude Code, yours too.{rest}"
        ));
    } else {
        ui.line(&format!("{file} wants to run:"));
    }
    for definition in &looked.definitions {
        show_definition(ui, definition);
    }
    ui.line("Trust covers these files, as they are now:");
    for file in looked.subject.existing_files() {
        ui.line(&format!("  {}", file.display()));
    }
    ui.line("It does not cover what they load, what they download, or programs installed elsewhere.");
    for uncovered in &looked.subject.uncovered {
        ui.line(&format!("  not covered: {} ({})", uncovered.word, uncovered.why.name()));
    }
    ui.line(&format!("SHA-256 {}", looked.subject.sha256));
}

fn show_definition(ui: &mut Ui, definition: &Definition) {
    let text = match &definition.action {
        Action::Command(_) => definition.command_line().into_owned(),
        Action::Prompt { prompt, .. } => format!("(asks a model) {prompt}"),
        Action::Rule(rule) => format!("(a rule, without a process) {}", rule.label()),
        Action::Broken { text, .. } => format!("(broken) {text}"),
    };
    let event = ui.styled(definition.event.name(), Style::Bold);
    let text = ui.styled(&text.replace('\n', "\n      "), Style::Cyan);
    ui.painted_line(&format!("  {event}: {text}"));
}

fn show_change(ui: &mut Ui, change: &Change) {
    ui.line(&format!("  {}: {}", change.path.display(), change.kind.name()));
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return };
    if old == new {
        return;
    }
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    for line in TextDiff::from_lines(&*old, &*new).unified_diff().context_radius(2).to_string().lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => Style::Green,
            Some(b'-') => Style::Red,
            _ => Style::Dim,
        };
        let line = ui.styled(line, style);
        ui.painted_line(&format!("    {line}"));
    }
}

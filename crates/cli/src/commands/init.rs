//! `boathook init`: sample hooks to begin with.

pub mod sample;

use std::path::{Path, PathBuf};

use boathook_engine::config;
use boathook_engine::edition::Edition;
use boathook_engine::engine::Settings;
use boathook_engine::read_file::{self, Owner};
use boathook_engine::source::Source;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::settings::settings;
use crate::ui::{Style, Ui};
use crate::write_file::{Access, stays_below, write_new};
use sample::{Entry, Sample};

/// Write sample hooks to begin with
///
/// Writes a hooks.json and the scripts it names into ~/.cursor, where they
/// apply to all your work. A file that exists is left as it is and named; for
/// an existing hooks.json you are told what to add.
///
/// The first sample notes every prompt in a log and lets it go. The whole
/// sample (`--full`) notes all events, refuses git and asks about gh, keeps
/// secrets from Tab, and formats files after Tab edited them. The logs are
/// private: `agent.log` and `agent-audit.log` in Boathook's state directory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  boathook init                   a first hook of your own
  boathook init --full            the whole sample
  boathook init --project         a first hook for this repository, to commit
  boathook --edition 2.3 init     as the first generation did it: the log is /tmp/agent.log")]
pub struct InitArgs {
    /// Write the whole sample: audit, a guard for git, redaction and formatting for Tab
    #[arg(long)]
    full: bool,
    /// Write into the workspace's .cursor, for everybody who works there
    #[arg(long)]
    project: bool,
}

/// Where a sample goes.
pub struct Place {
    /// The `.cursor` folder.
    pub folder: PathBuf,
    /// What stands before a script's name in its hooks.json: user hooks run
    /// in `~/.cursor`, project hooks in the project's root.
    pub prefix: &'static str,
}

pub fn init(ui: &mut Ui, global: &Global, args: &InitArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let sample = if args.full { Sample::full(settings.edition) } else { Sample::first(settings.edition) };
    let mut in_use = false;
    for place in places(&settings, args.project)? {
        if args.project {
            stays_inside(&place)?;
        }
        in_use |= write_sample(ui, &place, &sample, settings.edition)?;
    }
    if args.full && in_use {
        ui.hint("from now on git is refused to agents and gh is asked about: see block-git.sh");
    }
    if args.project {
        ui.hint("project hooks run once you trust the workspace: `boathook trust`");
    }
    ui.hint("`boathook list` shows what is configured");
    Ok(Status::Success)
}

/// The user's folder, or that of every workspace.
pub fn places(settings: &Settings, project: bool) -> Result<Vec<Place>, Failed> {
    let home = &settings.roots.home;
    if !project {
        return Ok(vec![Place { folder: folder(&Source::user(home)), prefix: "./hooks/" }]);
    }
    if settings.roots.workspaces.iter().any(|root| is_home(root, home)) {
        return Err(Failed::other(
            format!("{} is your home, not a project", home.display()),
            "go into a project, name one with --workspace, or leave out --project",
        ));
    }
    let place = |root: &PathBuf| Place { folder: folder(&Source::project(root)), prefix: ".cursor/hooks/" };
    Ok(settings.roots.workspaces.iter().map(place).collect())
}

fn is_home(root: &Path, home: &Path) -> bool {
    root == home || root.canonicalize().ok().is_some_and(|root| home.canonicalize().ok() == Some(root))
}

fn folder(source: &Source) -> PathBuf {
    source.file.parent().map(Path::to_owned).unwrap_or_default()
}

/// Nothing of a sample for the workspace is written outside it. A file that is
/// a link is left as it is.
fn stays_inside(place: &Place) -> Result<(), Failed> {
    let root = place.folder.parent().unwrap_or(&place.folder);
    stays_below(root, &place.folder.join("hooks"))
}

/// Scripts first: a hooks.json never names a script that is not there. Says
/// whether the hooks.json is the sample's.
fn write_sample(ui: &mut Ui, place: &Place, sample: &Sample, edition: Edition) -> Result<bool, Failed> {
    let scripts = place.folder.join("hooks");
    std::fs::create_dir_all(&scripts).map_err(|error| Failed::file(&scripts, error))?;
    for script in &sample.scripts {
        let file = scripts.join(script.name);
        write(ui, &file, &script.text, Access::Execute)?;
    }
    let file = place.folder.join("hooks.json");
    let written = write(ui, &file, &sample.hooks_json(place.prefix), Access::Read)?;
    if !written {
        what_to_add(ui, &file, sample, place.prefix, edition);
    }
    Ok(written)
}

/// Writes a file unless there is one, and says which of the two it was.
pub fn write(ui: &mut Ui, file: &Path, text: &str, access: Access) -> Result<bool, Failed> {
    let written = write_new(file, text, access).map_err(|error| Failed::file(file, error))?;
    let path = crate::ui::clean(&file.display().to_string());
    let (word, rest) = if written {
        (ui.styled("wrote ", Style::Green), "")
    } else {
        (ui.styled("exists", Style::Yellow), ", left as it is")
    };
    ui.painted_line(&format!("{word} {path}{rest}"));
    Ok(written)
}

/// Says which entries of the sample an existing hooks.json lacks.
fn what_to_add(ui: &mut Ui, file: &Path, sample: &Sample, prefix: &str, edition: Edition) {
    let config = match read_file::read(file, read_file::CONFIG_LIMIT, Owner::Anybody) {
        Ok(read) => config::read(&read.bytes, edition),
        Err(error) => return ui.warning(&format!("{}: {error}", file.display())),
    };
    let missing = missing(&config, sample, prefix);
    if missing.is_empty() {
        return ui.line("       it has every hook of the sample already");
    }
    // A second list of an event would put the first one out of force.
    let has_list = |entry: &Entry| config.definitions.iter().any(|it| it.event.name() == entry.event);
    let (there, new): (Vec<Entry>, Vec<Entry>) = missing.into_iter().partition(has_list);
    if !new.is_empty() {
        ui.line("       to use the sample, paste behind the `{` of its \"hooks\":");
    }
    for (index, entry) in new.iter().enumerate() {
        // What follows in the file needs a comma before it.
        let comma = if index + 1 < new.len() || !config.definitions.is_empty() { "," } else { "" };
        ui.line(&format!("         \"{}\": [{}]{comma}", entry.event, entry.list(prefix)));
    }
    for entry in &there {
        ui.line(&format!("       and behind the `[` of its \"{}\":", entry.event));
        ui.line(&format!("         {},", entry.list(prefix)));
    }
}

fn missing(config: &config::Config, sample: &Sample, prefix: &str) -> Vec<Entry> {
    let has = |event: &str, script: &str| {
        let command = format!("{prefix}{script}");
        config.definitions.iter().any(|it| it.event.name() == event && it.label() == command)
    };
    let lacks = |entry: &Entry| Entry {
        event: entry.event,
        scripts: entry.scripts.iter().copied().filter(|script| !has(entry.event, script)).collect(),
    };
    sample.entries.iter().map(lacks).filter(|entry| !entry.scripts.is_empty()).collect()
}

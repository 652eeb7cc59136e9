//! Which agents, and for whom: what `install` and `uninstall` have in common.

use std::path::PathBuf;

use boathook_engine::engine::Settings;
use clap::builder::PossibleValuesParser;
use similar::TextDiff;

use crate::Status;
use crate::agents::{Done, Places, Program, Scope, WIRINGS, Wiring, Work, named};
use crate::error::Failed;
use crate::http_address::HttpAddress;
use crate::settings::{dwelling, lasting_options, program};
use crate::ui::{Style, Ui};

/// A new file that is longer is not shown line by line.
const WHOLE: usize = 200;

/// The agents and the scope that were typed.
#[derive(Debug, clap::Args)]
pub struct Which {
    /// The agent, or several
    #[arg(value_name = "NAME", value_parser = names())]
    names: Vec<String>,
    /// Every agent that is found on this machine
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// In the user's own settings [default]
    #[arg(long, conflicts_with_all = ["project", "managed"])]
    user: bool,
    /// In the workspace's settings, for everybody who works in it
    #[arg(long, conflicts_with = "managed")]
    project: bool,
    /// In the machine's settings, for every user
    #[arg(long)]
    managed: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Names of agents, for the parser and for help.
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(WIRINGS.iter().map(|wiring| wiring.name))
}

impl Which {
    pub fn scope(&self) -> Scope {
        match (self.project, self.managed) {
            (true, _) => Scope::Project,
            (_, true) => Scope::Managed,
            (false, false) => Scope::User,
        }
    }

    /// Does it for every agent that was meant; the failure of one does not stop
    /// the others.
    pub fn each(
        &self,
        ui: &mut Ui,
        settings: &Settings,
        http: Option<HttpAddress>,
        mut wanted: impl FnMut(&mut Ui, &Work, &'static Wiring) -> bool,
        mut act: impl FnMut(&mut Ui, &Work, &'static Wiring) -> Result<Status, Failed>,
        nobody: impl FnOnce(&mut Ui, &Work),
    ) -> Result<Status, Failed> {
        let chosen = self.chosen()?;
        let places = Places::of(settings);
        let program = Program::at(program()?)?.of_user(dwelling()).with_options(lasting_options(settings)?);
        let program = program.over_http(http);
        let state: PathBuf = settings.roots.state.clone();
        let work = Work { places: &places, program: &program, state, dry_run: self.dry_run };
        if let [wiring] = chosen[..]
            && !self.all
        {
            return act(ui, &work, wiring).map_err(|failed| self.as_root(failed));
        }
        let (mut status, mut found) = (Status::Success, false);
        for wiring in chosen {
            // Asked one after the other: what was done for one can rule out another.
            if self.all && !wanted(ui, &work, wiring) {
                continue;
            }
            if found && self.dry_run {
                ui.line("");
            }
            found = true;
            if self.dry_run {
                let title = ui.styled(wiring.title, Style::Bold);
                ui.painted_line(&title);
            }
            match act(ui, &work, wiring) {
                Ok(Status::Success) => {}
                Ok(other) => status = other,
                Err(failed) => {
                    ui.failed(&self.as_root(failed));
                    status = Status::Failure;
                }
            }
        }
        if !found {
            nobody(ui, &work);
        }
        Ok(status)
    }

    fn chosen(&self) -> Result<Vec<&'static Wiring>, Failed> {
        if self.all {
            return Ok(WIRINGS.iter().collect());
        }
        let mut chosen: Vec<&'static Wiring> = Vec::new();
        for wiring in self.names.iter().filter_map(|name| named(name)) {
            if !chosen.iter().any(|it| it.name == wiring.name) {
                chosen.push(wiring);
            }
        }
        let known: Vec<&str> = WIRINGS.iter().map(|wiring| wiring.name).collect();
        match chosen.is_empty() {
            true => Err(Failed::other(
                "no agent was named",
                format!("name some of {}; or write `--all` for those that are found here", known.join(", ")),
            )),
            false => Ok(chosen),
        }
    }

    /// The machine's settings are root's.
    fn as_root(&self, failed: Failed) -> Failed {
        match failed {
            Failed::File { path, error }
                if self.managed && error.kind() == std::io::ErrorKind::PermissionDenied =>
            {
                let problem = format!("{}: {error}", path.display());
                Failed::other(problem, "the machine's settings belong to root: type the command with `sudo`")
            }
            other => other,
        }
    }
}

/// What would change in a file, line by line.
pub fn show_difference(ui: &mut Ui, program: &Program, done: &Done) {
    let file = done.file.display().to_string();
    let (old, new) = (done.before.as_deref().unwrap_or_default(), done.after.as_deref().unwrap_or_default());
    let name = |there: bool| if there { file.as_str() } else { "/dev/null" };
    if done.before.is_none() && new.lines().count() > WHOLE {
        let (from, to) =
            (ui.styled("--- /dev/null", Style::Red), ui.styled(&format!("+++ {file}"), Style::Green));
        ui.painted_line(&from);
        ui.painted_line(&to);
        ui.line(&format!(
            "({} lines, new file) {}",
            new.lines().count(),
            new.lines().next().unwrap_or_default()
        ));
        return;
    }
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    let text =
        unified.context_radius(3).header(name(done.before.is_some()), name(done.after.is_some())).to_string();
    let text = program.without_token(&text);
    for line in text.lines() {
        let style = match line.chars().next() {
            Some('-') => Some(Style::Red),
            Some('+') => Some(Style::Green),
            Some('@') => Some(Style::Cyan),
            _ => None,
        };
        let line = line.trim_end_matches('\r');
        let painted = style.map_or_else(|| crate::ui::clean(line), |style| ui.styled(line, style));
        ui.painted_line(&painted);
    }
}

//! Looks at everything a page is about. Starts nothing, changes nothing.

use std::path::PathBuf;
use std::sync::Arc;

use boathook_engine::engine::Settings;
use boathook_engine::load::HookSet;
use boathook_engine::log_file::LogFile;
use boathook_engine::problem::Problem;
use boathook_engine::record::Record;
use boathook_engine::state::StateDir;

use super::duplicates::duplicates;
use crate::agents::{Examined, Places, Program, WIRINGS, examine as examine_agent};
use crate::commands::list::unlocked;
use crate::commands::team::here::Stranded;
use crate::commands::team::view::View;
use crate::on_machine::OnMachine;
use crate::report;
use crate::team::Login;

/// So many failures of the past are told.
const FAILURES: usize = 5;

/// What was found.
pub struct Found {
    pub set: Arc<HookSet>,
    pub problems: Vec<Problem>,
    /// What hooks need, and where it is.
    pub programs: Vec<(String, Option<PathBuf>)>,
    pub failures: Vec<Record>,
    /// Agents that this user has, or that are wired to us.
    pub agents: Vec<Examined>,
    pub edition: &'static str,
    /// How this machine stands with its team.
    pub team: Standing,
    /// Where our own state is, or what is wrong with it.
    pub state: Result<PathBuf, String>,
}

/// How a machine stands with its team.
pub enum Standing {
    /// It is in none.
    Nobody,
    /// It has hooks of one, or should have them, and no login.
    Stranded(Stranded),
    Member(Box<View>),
    /// Why that cannot be known.
    Unknown(String),
}

/// Everything that is wrong.
pub fn problems(settings: &Settings) -> Vec<Problem> {
    look(settings).problems
}

pub fn examine(settings: &Settings) -> Found {
    let state = StateDir::new(settings.roots.state.clone());
    Found { failures: failures(&state), ..look(settings) }
}

/// All but the log.
fn look(settings: &Settings) -> Found {
    let OnMachine { set, mut problems, mut programs, .. } = OnMachine::look(settings);
    let state = StateDir::new(settings.roots.state.clone());
    problems.extend(set.hooks.iter().filter_map(|hook| report::without_model(settings, hook)));
    problems.extend(duplicates(&set));
    problems.extend(unprotected(settings));
    let agents = agents(settings);
    problems.extend(agents.iter().flat_map(wrong_wiring));
    let team = team(settings);
    problems.extend(wrong_with_team(&team));
    in_order(&set, &mut problems);
    programs.sort();
    programs.dedup();
    Found {
        problems,
        programs,
        failures: Vec::new(),
        agents,
        edition: settings.edition.name(),
        team,
        state: state.check().map(|()| state.path().to_owned()).map_err(|error| error.to_string()),
        set,
    }
}

/// Self-protection that is switched off, by config.toml or for a while.
fn unprotected(settings: &Settings) -> Option<Problem> {
    let why = unlocked(settings)?;
    let help = "remove `self_protection = false` from config.toml, or type `boathook unlock --lock`";
    Some(Problem::hint("self-protection-off", format!("self-protection is {why}")).help(help))
}

fn team(settings: &Settings) -> Standing {
    let Some(place) = crate::settings::team_place().filter(|place| place.home == settings.roots.home) else {
        return Standing::Nobody;
    };
    match Login::read(&place) {
        Ok(Some(login)) => Standing::Member(Box::new(View::of(&place, login))),
        Ok(None) => Stranded::find(&place).map_or(Standing::Nobody, Standing::Stranded),
        Err(error) => Standing::Unknown(error.to_string()),
    }
}

fn wrong_with_team(team: &Standing) -> Vec<Problem> {
    match team {
        Standing::Nobody => Vec::new(),
        Standing::Stranded(stranded) => stranded.problems(),
        // What is wrong with the hooks themselves was found with the others.
        Standing::Member(view) => view.sync_problem().into_iter().chain(view.marker_problem()).collect(),
        Standing::Unknown(problem) => vec![Problem::warning("team-login", problem.clone())],
    }
}

fn agents(settings: &Settings) -> Vec<Examined> {
    let places = Places::of(settings);
    let program = crate::settings::program().ok().and_then(|path| Program::at(path).ok());
    let options = crate::settings::lasting_options(settings).unwrap_or_default();
    let program = program.map(|it| it.of_user(crate::settings::dwelling()).with_options(options));
    let all = WIRINGS.iter().map(|wiring| examine_agent(&places, wiring, program.as_ref()));
    all.filter(|it| it.is_wired() || it.found.home.is_some() || !it.problems.is_empty()).collect()
}

fn wrong_wiring(agent: &Examined) -> impl Iterator<Item = Problem> {
    agent.problems.iter().map(|fault| {
        let message = format!("{}: {}", agent.wiring.title, fault.message);
        Problem::warning("agent-wiring", message).help(&fault.help)
    })
}

/// File by file in the order of the walk, each from its first line to its last.
fn in_order(set: &HookSet, problems: &mut [Problem]) {
    let source = |problem: &Problem| {
        set.sources.iter().position(|report| Some(&report.source.file) == problem.file.as_ref())
    };
    let start = |problem: &Problem| problem.place.as_ref().map_or(usize::MAX, |place| place.bytes.start);
    problems.sort_by_key(|problem| (source(problem), start(problem)));
}

/// The last hooks that failed or were withheld, newest last.
fn failures(state: &StateDir) -> Vec<Record> {
    let (records, _) = LogFile::of(state.clone()).read().unwrap_or_default();
    let failed =
        |record: &Record| matches!(record.outcome.as_str(), "failed_open" | "failed_closed" | "withheld");
    let mut failures: Vec<Record> = records.into_iter().rev().filter(failed).take(FAILURES).collect();
    failures.reverse();
    failures
}

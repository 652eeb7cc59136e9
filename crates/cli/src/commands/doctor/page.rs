//! The page: sources, programs, agents, failures, state.

use boathook_engine::load::{HookState, SourceReport, SourceState};
use boathook_engine::merge::said_on_stderr;
use boathook_engine::record::Record;
use boathook_engine::trust::TrustState;
use boathook_engine::visible::on_one_line;
use serde::Serialize;
use serde_json::{Value, json};

use super::daemon::Daemon;
use super::examine::{Found, Standing};
use crate::agents::Examined;
use crate::commands::log::{time, words};
use crate::commands::team::here::STRANDED;
use crate::commands::team::status as team_status;
use crate::report;
use crate::ui::{Style, Ui};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What a machine without a team says.
const NO_TEAM: &str = "not enrolled";

pub fn show(ui: &mut Ui, found: &Found, daemon: &Daemon) {
    ui.line(&format!("boathook {VERSION}, edition {}", found.edition));
    heading(ui, "Sources");
    for source in &found.set.sources {
        let (word, style) = state_of(found, source);
        let level = report::cell(ui, source.source.level.name(), 14, None);
        let state = report::cell(ui, &word, 26, Some(style));
        ui.painted_line(&format!(
            "  {level} {state} {}",
            crate::ui::clean(&source.source.file.display().to_string())
        ));
    }
    heading(ui, "Programs that hooks need");
    for (name, place) in &found.programs {
        let name = report::cell(ui, name, 16, None);
        let place = match place {
            Some(place) => crate::ui::clean(&place.display().to_string()),
            None => ui.styled("not found", Style::Red),
        };
        ui.painted_line(&format!("  {name} {place}"));
    }
    if found.programs.is_empty() {
        ui.line("  none but the shell");
    }
    heading(ui, "Agents");
    found.agents.iter().for_each(|agent| show_agent(ui, agent));
    if found.agents.is_empty() {
        ui.line("  none found");
    }
    heading(ui, "Last failures");
    found.failures.iter().for_each(|record| failure(ui, found, record));
    if found.failures.is_empty() {
        ui.line("  none in the log");
    }
    heading(ui, "Team");
    match &found.team {
        Standing::Nobody => ui.line(&format!("  {NO_TEAM}")),
        Standing::Stranded(_) => ui.line(&format!("  {STRANDED}; see below")),
        Standing::Member(view) => {
            team_status::lines(view).iter().for_each(|line| ui.line(&format!("  {line}")));
        }
        Standing::Unknown(problem) => ui.line(&format!("  cannot be known: {problem}")),
    }
    heading(ui, "Daemon");
    ui.line(&format!("  {}", daemon.line(VERSION)));
    heading(ui, "State");
    match &found.state {
        Ok(path) => ui.line(&format!("  {}", path.display())),
        Err(problem) => ui.line(&format!("  cannot be used: {problem}")),
    }
    ui.line("");
}

/// The page as JSON. A record's payload is passed on as text: JSON with a lone surrogate, deep
/// nesting or a large exponent is valid and has no `Value`.
#[derive(Serialize)]
pub struct DoctorJson<'f> {
    version: &'static str,
    edition: &'static str,
    sources: Vec<Value>,
    programs: Vec<Value>,
    agents: Vec<Value>,
    failures: &'f [Record],
    team: Value,
    daemon: Value,
    state: Option<String>,
    problems: Vec<Value>,
}

pub fn as_json<'f>(found: &'f Found, daemon: &Daemon) -> DoctorJson<'f> {
    let source = |it: &SourceReport| {
        json!({
            "level": it.source.level.name(),
            "file": report::path_text(&it.source.file),
            "state": state_of(found, it).0,
            "hooks": hooks_of(found, it).0,
        })
    };
    let program = |(name, place): &(String, Option<std::path::PathBuf>)| json!({ "name": name, "path": place.as_deref().map(report::path_text) });
    DoctorJson {
        version: VERSION,
        edition: found.edition,
        sources: found.set.sources.iter().map(source).collect(),
        programs: found.programs.iter().map(program).collect(),
        agents: found.agents.iter().map(agent_json).collect(),
        failures: &found.failures,
        team: team_json(found),
        daemon: daemon.as_json(),
        state: found.state.as_ref().ok().map(|path| report::path_text(path)),
        problems: found.problems.iter().map(report::problem_json).collect(),
    }
}

fn team_json(found: &Found) -> Value {
    match &found.team {
        Standing::Nobody => NO_TEAM.into(),
        Standing::Stranded(stranded) => json!({ "stranded": stranded.lines() }),
        Standing::Member(view) => team_status::as_json(view, &[]),
        Standing::Unknown(problem) => json!({ "problem": problem }),
    }
}

fn show_agent(ui: &mut Ui, agent: &Examined) {
    let name = report::cell(ui, agent.wiring.name, 14, None);
    let (word, style) = match agent.wired.first() {
        _ if agent.wiring.is_native() => ("runs these hooks itself".to_owned(), Style::Green),
        Some(wired) if agent.problems.is_empty() => (format!("wired, {}", wired.scope.name()), Style::Green),
        Some(wired) => (format!("wired, {}; see below", wired.scope.name()), Style::Yellow),
        None => ("not wired".to_owned(), Style::Dim),
    };
    let state = report::cell(ui, &word, 26, Some(style));
    let file = agent.wired.first().map_or(agent.found.home.as_ref(), |wired| Some(&wired.file));
    let file = file.map(|file| crate::ui::clean(&file.display().to_string())).unwrap_or_default();
    ui.painted_line(&format!("  {name} {state} {file}"));
}

fn agent_json(agent: &Examined) -> Value {
    let wired = agent
        .wired
        .iter()
        .map(|wired| json!({ "scope": wired.scope.name(), "file": report::path_text(&wired.file) }));
    json!({ "name": agent.wiring.name, "wired": wired.collect::<Vec<_>>() })
}

fn heading(ui: &mut Ui, text: &str) {
    let text = ui.styled(text, Style::Bold);
    ui.painted_line(&text);
}

/// How many hooks a source has, and how many of them may not run.
fn hooks_of(found: &Found, report: &SourceReport) -> (usize, usize) {
    let hooks = found.set.hooks.iter().filter(|hook| hook.source == report.source);
    let withheld = hooks.clone().filter(|hook| hook.state != HookState::Ready).count();
    (hooks.count(), withheld)
}

fn state_of(found: &Found, report: &SourceReport) -> (String, Style) {
    let (hooks, withheld) = hooks_of(found, report);
    let count = if hooks == 1 { "1 hook".to_owned() } else { format!("{hooks} hooks") };
    let trust = match report.trust.as_deref() {
        Some(TrustState::Trusted) => ", trusted",
        Some(TrustState::New) => ", not trusted",
        Some(TrustState::Changed(_)) => ", changed since trusted",
        Some(TrustState::Broken(_)) => ", trust cannot be read",
        None => "",
    };
    match &report.state {
        SourceState::Absent => ("absent".to_owned(), Style::Dim),
        SourceState::Unreadable(_) => ("cannot be read".to_owned(), Style::Red),
        SourceState::LastGood(_) => (format!("broken; last good copy: {count}"), Style::Red),
        SourceState::Read if report.named_elsewhere => ("named by hooks.json".to_owned(), Style::Green),
        SourceState::Read if withheld > 0 => (format!("{count}{trust}"), Style::Yellow),
        SourceState::Read => (format!("{count}{trust}"), Style::Green),
    }
}

fn failure(ui: &mut Ui, found: &Found, record: &Record) {
    let command = record.command.as_deref().unwrap_or_default().replace('\n', " ");
    let reason = record.reason.as_deref().unwrap_or_default();
    let when = format!("{} {}", time::day(&record.timestamp), time::of_day(&record.timestamp));
    // The log is one for all workspaces: a hook of a file that does not count
    // here failed elsewhere.
    let here = |place: &str| found.set.sources.iter().any(|it| is_in(place, &it.source.file));
    let place = record.place.as_deref().filter(|place| !here(place));
    let elsewhere = place.map_or(String::new(), |place| format!("  not of this workspace: {place}"));
    ui.line(&format!(
        "  {when}  {}  {command}: {reason}{}{elsewhere}  (boathook log {})",
        record.step,
        on_one_line(&said_on_stderr(&record.stderr)),
        words::short_id(record)
    ));
}

/// Whether a record's `file:line` is in this file.
fn is_in(place: &str, file: &std::path::Path) -> bool {
    place.rsplit_once(':').is_some_and(|(name, _)| std::path::Path::new(name) == file)
}

//! `boathook list`: configured hooks by event and source.

use crate::report::path_text;
use boathook_engine::bundle::Seal;
use boathook_engine::definition::Action;
use boathook_engine::engine::{Settings, Standing};
use boathook_engine::event::{EVENTS, EventKind};
use boathook_engine::load::{Hook, HookSet, SourceState, repeats};
use boathook_engine::self_protection;
use boathook_engine::source::Level;
use boathook_engine::state::StateDir;
use serde_json::{Value, json};

use crate::Status;
use crate::args::Global;
use crate::commands::explain::place;
use crate::commands::log::time::minute;
use crate::commands::team::notice;
use crate::error::Failed;
use crate::on_machine::OnMachine;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::{Style, Ui};

/// List configured hooks by event and source
///
/// Shows whether each may run: trusted, withheld, broken, without a model to
/// ask, or the same command twice on one event. Runs nothing.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn list(ui: &mut Ui, global: &Global, args: &ListArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    report::tell_changes(ui, &settings);
    let found = OnMachine::look(&settings);
    let set = &found.set;
    if args.json {
        ui.json(&as_json(&found).to_string());
        return Ok(Status::Success);
    }
    let duplicates = repeats(set);
    let longest = set.hooks.iter().map(|hook| hook.source.level.name().len()).max();
    let width = longest.unwrap_or(0).max(10) + 1;
    for spec in EVENTS {
        let hooks: Vec<&Hook> = set.hooks.iter().filter(|hook| hook.definition.event == spec.kind).collect();
        if hooks.is_empty() {
            continue;
        }
        let name = ui.styled(spec.name, Style::Bold);
        ui.painted_line(&name);
        for hook in hooks {
            let standing = found.standing(hook);
            hook_lines(ui, hook, &standing, width, duplicates.get(hook.id.as_str()).copied());
        }
    }
    if set.hooks.is_empty() {
        nothing(ui, set);
    }
    built_in_lines(ui, &settings);
    if set.hooks.is_empty() {
        ui.hint("`boathook init` writes a first hook");
    }
    report::whole_sources(ui, set, &mut Texts::default());
    let problems = set.problems.iter().filter(|problem| problem.place.is_some()).count();
    if problems > 0 {
        let what = if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") };
        ui.hint(&format!("{what} in these files: `boathook check` lists them"));
    }
    notice::show(ui);
    Ok(Status::Success)
}

fn hook_lines(ui: &mut Ui, hook: &Hook, standing: &Standing, width: usize, twice: Option<&str>) {
    let style = match standing {
        Standing::Ready => Style::Green,
        Standing::Withheld(_) | Standing::NoModel(_) => Style::Yellow,
        Standing::Broken(_) => Style::Red,
    };
    let state = report::cell(ui, standing.name(), 9, Some(style));
    let source = report::cell(ui, hook.source.level.name(), width, None);
    let label = report::cell(ui, &hook.definition.command_line(), 60, None);
    ui.painted_line(&format!("  {state} {source}{}", label.trim_end()));
    let mut facts = vec![place(hook)];
    if !hook.definition.matcher.is_everything() {
        facts.push(format!("matcher {}", hook.definition.matcher.pattern()));
    }
    if hook.definition.dialect.claude().is_some() && !hook.source.level.is_claude() {
        facts.push("reads Claude Code's payload".to_owned());
    }
    if hook.definition.fail_closed {
        facts.push("failClosed".to_owned());
    }
    if hook.definition.monitor {
        facts.push("monitor: its answer is recorded and changes nothing".to_owned());
    }
    facts.extend(hook.definition.lifetime.about().map(str::to_owned));
    if let Action::Rule(rule) = &hook.definition.action {
        facts.extend(rule.summary().map(|summary| format!("rule: {summary}")));
    }
    facts.extend(release_of(hook).map(|release| format!("release {release} of the team")));
    facts.extend(standing.reason().map(str::to_owned));
    facts.extend(twice.map(str::to_owned));
    for fact in facts {
        let fact = ui.styled(&fact, Style::Dim);
        ui.painted_line(&format!("            {fact}"));
    }
}

/// Rules of our own, which run in adapters alone.
fn built_in_lines(ui: &mut Ui, settings: &Settings) {
    let name = ui.styled("Built-in, when an agent calls", Style::Bold);
    ui.painted_line(&name);
    let (state, style) = match self_protection_state(settings) {
        "ready" => ("ready", Style::Green),
        other => (other, Style::Yellow),
    };
    let state = report::cell(ui, state, 9, Some(style));
    ui.painted_line(&format!("  {state} {}", self_protection::NAME));
    let facts = std::iter::once(self_protection::SUMMARY.to_owned()).chain(unlocked(settings));
    for fact in facts {
        let fact = ui.styled(&fact, Style::Dim);
        ui.painted_line(&format!("            {fact}"));
    }
}

fn built_in_json(settings: &Settings) -> Value {
    json!([{
        "name": self_protection::NAME,
        "source": Level::BuiltIn.name(),
        "event": EventKind::PreToolUse.name(),
        "state": self_protection_state(settings),
        "unlocked_until": unlocked_until(settings),
        "summary": self_protection::SUMMARY,
    }])
}

fn unlocked_until(settings: &Settings) -> Option<i64> {
    self_protection::unlock::until(&StateDir::new(settings.roots.state.clone()))
}

fn self_protection_state(settings: &Settings) -> &'static str {
    match (&settings.self_protection, unlocked_until(settings)) {
        (None, _) => "off",
        (Some(_), Some(_)) => "unlocked",
        (Some(_), None) => "ready",
    }
}

/// Why self-protection does nothing now; none while it is on.
pub fn unlocked(settings: &Settings) -> Option<String> {
    match (&settings.self_protection, unlocked_until(settings)) {
        (None, _) => Some("switched off in config.toml (`self_protection = false`)".to_owned()),
        (Some(_), Some(until)) => {
            Some(format!("switched off until {} (`boathook unlock --lock` switches it on)", minute(until)))
        }
        (Some(_), None) => None,
    }
}

/// The release a hook of the team came with; none for hooks that did not come
/// from a server of ours.
fn release_of(hook: &Hook) -> Option<u64> {
    if hook.source.level != Level::Team {
        return None;
    }
    let generation = hook.source.run_dir.canonicalize().ok()?;
    Seal::read(&generation).ok().map(|seal| seal.release)
}

fn nothing(ui: &mut Ui, set: &HookSet) {
    ui.line("No hooks are configured. These files were looked for:");
    for report in &set.sources {
        let state = match &report.state {
            SourceState::Absent => "not there",
            SourceState::Read => "no hooks in it",
            SourceState::LastGood(_) | SourceState::Unreadable(_) => "cannot be read",
        };
        ui.line(&format!("  {:15}{} ({state})", report.source.level.name(), report.source.file.display()));
    }
}

/// The hooks and the built-in rules as data.
pub fn as_json(found: &OnMachine) -> Value {
    let duplicates = repeats(&found.set);
    let hook = |hook: &Hook| {
        let standing = found.standing(hook);
        json!({
            "event": hook.definition.event.name(),
            "command": hook.definition.command_line(),
            "dialect": hook.definition.dialect.name(),
            "source": hook.source.level.name(),
            "file": path_text(&hook.source.file),
            "line": hook.definition.place.as_ref().map(|place| place.line),
            "directory": path_text(&hook.source.run_dir),
            "matcher": hook.definition.matcher.pattern(),
            "timeout_ms": u64::try_from(hook.definition.timeout.as_millis()).unwrap_or(u64::MAX),
            "fail_closed": hook.definition.fail_closed,
            "monitor": hook.definition.monitor,
            "loop_limit": hook.definition.loop_limit,
            "lifetime": hook.definition.lifetime.name(),
            "state": standing.name(),
            "reason": standing.reason(),
            "release": release_of(hook),
            "duplicate": duplicates.contains_key(hook.id.as_str()),
        })
    };
    json!({
        "hooks": found.set.hooks.iter().map(hook).collect::<Vec<_>>(),
        "built_in": built_in_json(&found.settings),
    })
}

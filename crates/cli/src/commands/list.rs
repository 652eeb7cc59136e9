//! `boathook list`: configured hooks by event and source.

use std::collections::HashMap;
use std::sync::Arc;

use boathook_engine::definition::Action;
use boathook_engine::engine::load_options;
use boathook_engine::event::EVENTS;
use boathook_engine::load::{Hook, HookSet, HookState, Loader, SourceState};
use serde_json::{Value, json};

use crate::Status;
use crate::args::Global;
use crate::commands::explain::place;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::{Style, Ui};

/// List configured hooks by event and source
///
/// Shows whether each may run: trusted, withheld, broken, or the same command
/// twice on one event. Runs nothing.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn list(ui: &mut Ui, global: &Global, args: &ListArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let workspaces = settings.roots.workspaces.clone();
    let set = Loader::new(settings.roots.clone(), load_options(&settings, true)).hooks(&workspaces);
    if args.json {
        ui.json(&as_json(&set).to_string());
        return Ok(Status::Success);
    }
    let duplicates = duplicates(&set);
    for spec in EVENTS {
        let hooks: Vec<&Hook> = set.hooks.iter().filter(|hook| hook.definition.event == spec.kind).collect();
        if hooks.is_empty() {
            continue;
        }
        let name = ui.styled(spec.name, Style::Bold);
        ui.painted_line(&name);
        for hook in hooks {
            hook_lines(ui, hook, duplicates.contains_key(&key(hook)));
        }
    }
    if set.hooks.is_empty() {
        nothing(ui, &set);
    }
    report::whole_sources(ui, &set, &mut Texts::default());
    let problems = set.problems.iter().filter(|problem| problem.place.is_some()).count();
    if problems > 0 {
        let what = if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") };
        ui.hint(&format!("{what} in these files: `boathook check` lists them"));
    }
    Ok(Status::Success)
}

fn hook_lines(ui: &mut Ui, hook: &Hook, twice: bool) {
    let (state, style) = match (&hook.state, &hook.definition.action) {
        (HookState::Withheld(_), _) => ("withheld", Style::Yellow),
        (HookState::Ready, Action::Broken { .. }) => ("error", Style::Red),
        (HookState::Ready, Action::Command(_) | Action::Prompt { .. } | Action::Rule(_)) => {
            ("ready", Style::Green)
        }
    };
    let state = report::cell(ui, state, 9, Some(style));
    let source = report::cell(ui, hook.source.level.name(), 11, None);
    let label = report::cell(ui, hook.definition.label(), 60, None);
    ui.painted_line(&format!("  {state} {source}{}", label.trim_end()));
    let mut facts = vec![place(hook)];
    if !hook.definition.matcher.is_everything() {
        facts.push(format!("matcher {}", hook.definition.matcher.pattern()));
    }
    if hook.definition.fail_closed {
        facts.push("failClosed".to_owned());
    }
    if let Action::Rule(rule) = &hook.definition.action {
        facts.extend(rule.summary().map(|summary| format!("rule: {summary}")));
    }
    if let HookState::Withheld(why) = hook.state {
        facts.push(why.reason().to_owned());
    }
    if let Action::Broken { reason, .. } = &hook.definition.action {
        facts.push(reason.clone());
    }
    if twice {
        facts.push("the same command twice on this event: it runs twice".to_owned());
    }
    for fact in facts {
        let fact = ui.styled(&fact, Style::Dim);
        ui.painted_line(&format!("            {fact}"));
    }
}

fn nothing(ui: &mut Ui, set: &HookSet) {
    ui.line("No hooks are configured. These files were looked for:");
    for report in &set.sources {
        let state = match &report.state {
            SourceState::Absent => "not there",
            SourceState::Read => "no hooks in it",
            SourceState::LastGood(_) | SourceState::Unreadable(_) => "cannot be read",
        };
        ui.line(&format!("  {:11}{} ({state})", report.source.level.name(), report.source.file.display()));
    }
    ui.hint("`boathook init` writes a first hook");
}

fn key(hook: &Hook) -> (&'static str, String) {
    (
        hook.definition.event.name(),
        format!("{}\0{}", hook.definition.label(), hook.definition.matcher.pattern()),
    )
}

fn duplicates(set: &HookSet) -> HashMap<(&'static str, String), usize> {
    let mut counts = HashMap::new();
    for hook in &set.hooks {
        *counts.entry(key(hook)).or_default() += 1;
    }
    counts.retain(|_, count| *count > 1);
    counts
}

fn as_json(set: &Arc<HookSet>) -> Value {
    let duplicates = duplicates(set);
    let hook = |hook: &Hook| {
        json!({
            "event": hook.definition.event.name(),
            "command": hook.definition.label(),
            "source": hook.source.level.name(),
            "file": hook.source.file,
            "line": hook.definition.place.as_ref().map(|place| place.line),
            "directory": hook.source.run_dir,
            "matcher": hook.definition.matcher.pattern(),
            "timeout_ms": u64::try_from(hook.definition.timeout.as_millis()).unwrap_or(u64::MAX),
            "fail_closed": hook.definition.fail_closed,
            "loop_limit": hook.definition.loop_limit,
            "state": match (&hook.state, &hook.definition.action) {
                (HookState::Withheld(_), _) => "withheld",
                (HookState::Ready, Action::Broken { .. }) => "error",
                (HookState::Ready, _) => "ready",
            },
            "reason": match (&hook.state, &hook.definition.action) {
                (HookState::Withheld(why), _) => Some(why.reason().to_owned()),
                (HookState::Ready, Action::Broken { reason, .. }) => Some(reason.clone()),
                (HookState::Ready, _) => None,
            },
            "duplicate": duplicates.contains_key(&key(hook)),
        })
    };
    json!({ "hooks": set.hooks.iter().map(hook).collect::<Vec<_>>() })
}

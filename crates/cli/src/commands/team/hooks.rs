//! `boathook team hooks`: what the team's hooks are.

use boathook_engine::bundle::Managed;
use boathook_engine::definition::{Action, Definition};
use boathook_engine::event::EVENTS;
use serde_json::{Value, json};

use super::view::View;
use super::{here, notice, words};
use crate::Status;
use crate::error::Failed;
use crate::team::Place;
use crate::ui::{Style, Ui};

/// Show the team's hooks, and their scripts
///
/// What is shown is what runs on this machine: hooks for other systems, and
/// releases that have not come here yet, are not among them.
#[derive(Debug, clap::Args)]
pub struct HooksArgs {
    /// Print this script
    #[arg(long, value_name = "NAME")]
    pub show: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "show")]
    pub json: bool,
}

pub fn hooks(ui: &mut Ui, args: &HooksArgs) -> Result<Status, Failed> {
    let place = here::place()?;
    let view = View::of(&place, here::member(&place)?);
    if let Some(name) = &args.show {
        script(ui, &place, &view, name)?;
        return Ok(Status::Success);
    }
    if args.json {
        ui.json(&as_json(&view).to_string());
        return Ok(Status::Success);
    }
    table(ui, &view);
    notice::show(ui);
    Ok(Status::Success)
}

/// The hooks by event.
pub fn table(ui: &mut Ui, view: &View) {
    let Some(current) = &view.current else {
        ui.line("No hooks of the team are on this machine.");
        ui.hint("`boathook team sync` gets them");
        return;
    };
    let number = words::hooks(view.hooks.len());
    ui.line(&format!(
        "{number} in release {} of {} ({})",
        current.release,
        view.login.called(),
        view.login.server
    ));
    for spec in EVENTS {
        let of_event: Vec<&Definition> = view.hooks.iter().filter(|hook| hook.event == spec.kind).collect();
        if of_event.is_empty() {
            continue;
        }
        let name = ui.styled(spec.name, Style::Bold);
        ui.painted_line(&name);
        for hook in of_event {
            ui.line(&format!("  {}", script_name(hook)));
            for fact in facts(hook) {
                let fact = ui.styled(&fact, Style::Dim);
                ui.painted_line(&format!("      {fact}"));
            }
        }
    }
    if !view.hooks.is_empty() {
        ui.hint("`boathook team hooks --show NAME` prints a script");
    }
}

fn facts(hook: &Definition) -> Vec<String> {
    let mut facts = Vec::new();
    if !hook.matcher.is_everything() {
        facts.push(format!("matcher {}", hook.matcher.pattern()));
    }
    if hook.fail_closed {
        facts.push("failClosed".to_owned());
    }
    if hook.monitor {
        facts.push("monitor: a refusal is only recorded".to_owned());
    }
    if let Action::Broken { reason, .. } = &hook.action {
        facts.push(format!("cannot run: {reason}"));
    }
    facts
}

/// The script of a hook, without the way to it.
fn script_name(hook: &Definition) -> String {
    let command = hook.command_line();
    command.strip_prefix("./").unwrap_or(&command).to_owned()
}

/// A script as it was signed; what a terminal would obey is made visible.
fn script(ui: &mut Ui, place: &Place, view: &View, name: &str) -> Result<(), Failed> {
    let files = view.current.iter().flat_map(|current| &current.seal.files);
    let Some((_, digest)) = files.into_iter().find(|(file, _)| *file == name && *file != "hooks.json") else {
        let names: Vec<&str> = view.scripts().into_iter().collect();
        let help = match names.is_empty() {
            true => "no script of the team is on this machine".to_owned(),
            false => format!("there is {}", names.join(", ")),
        };
        return Err(Failed::other(format!("the team has no script `{name}` here"), help));
    };
    let Some(bytes) = Managed::of(&place.home, view.login.team).script(digest) else {
        let problem = format!("`{name}` is not what was signed: somebody changed it here");
        return Err(Failed::other(problem, "`boathook team sync --now` puts it right"));
    };
    let text = String::from_utf8_lossy(&bytes);
    text.lines().for_each(|line| ui.line(line));
    Ok(())
}

fn as_json(view: &View) -> Value {
    let hook = |hook: &Definition| {
        let script = script_name(hook);
        let sha256 = view.current.as_ref().and_then(|current| current.seal.files.get(&script));
        json!({
            "event": hook.event.name(),
            "script": script,
            "sha256": sha256,
            "matcher": (!hook.matcher.is_everything()).then(|| hook.matcher.pattern()),
            "timeout_ms": u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX),
            "fail_closed": hook.fail_closed,
            "monitor": hook.monitor,
            "loop_limit": hook.loop_limit,
        })
    };
    json!({
        "team": view.login.team,
        "name": view.login.name,
        "server": view.login.server,
        "release": view.current.as_ref().map(|current| current.release),
        "sequence": view.current.as_ref().map(|current| current.sequence),
        "hooks": view.hooks.iter().map(hook).collect::<Vec<_>>(),
    })
}

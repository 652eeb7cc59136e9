//! `boathook agent install`: wires an agent to Boathook in the agent's own settings.

use super::which::{Which, show_difference};
use crate::Status;
use crate::agents::{Done, Places, Scope, Wiring, Work, examine, install as write, present};
use crate::args::Global;
use crate::error::Failed;
use crate::settings::settings;
use crate::ui::Ui;

/// Wire an agent to Boathook, in the agent's own settings
///
/// Adds one command, always the same, for each event that Boathook understands.
/// What stands in the settings stays: other hooks, comments, order. A second
/// time changes nothing. `boathook agent uninstall` puts back what was there.
///
/// Settings that are broken, read-only, a link, or changed by somebody else at
/// the same time are left alone. An agent is wired once: for the user, for the
/// project or for the machine.
#[derive(Debug, clap::Args)]
pub struct InstallArgs {
    #[command(flatten)]
    which: Which,
}

pub fn install(ui: &mut Ui, global: &Global, args: &InstallArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let scope = args.which.scope();
    args.which.each(
        ui,
        &settings,
        |ui, places, wiring| is_meant(ui, places, wiring, scope),
        |ui, work, wiring| one(ui, work, wiring, scope),
    )
}

/// Agents of which this machine has something, and that have a place for it.
fn is_meant(ui: &mut Ui, places: &Places, wiring: &Wiring, scope: Scope) -> bool {
    if places.path(wiring, scope).is_err() || !present(places, wiring).is_there() {
        return false;
    }
    let wired =
        |rival: &Wiring| Scope::ALL.iter().any(|it| places.wired(rival, *it).is_some_and(|it| it.is_wired()));
    let rival = wiring.rivals().find(|(rival, _)| wired(rival));
    if let Some((rival, why)) = rival {
        ui.say(&format!("{} is left out, because {} is wired: {why}", wiring.title, rival.title));
    }
    rival.is_none()
}

fn one(ui: &mut Ui, work: &Work, wiring: &'static Wiring, scope: Scope) -> Result<Status, Failed> {
    if wiring.is_native() {
        ui.say(wiring.native());
        return Ok(Status::Success);
    }
    let there = present(work.places, wiring).is_there();
    let done = write(work, wiring, scope)?;
    let changed: Vec<&Done> = done.iter().filter(|done| done.changed()).collect();
    if work.dry_run {
        changed.iter().for_each(|done| show_difference(ui, done));
    }
    if changed.is_empty() {
        ui.say(&format!("{} is wired already; nothing changes", wiring.title));
        return Ok(Status::Success);
    }
    if work.dry_run {
        ui.say("nothing was written");
        return Ok(Status::Success);
    }
    ui.say(&format!("{} is wired", wiring.title));
    for done in changed {
        ui.say(&format!("  wrote {}", done.file.display()));
        if let Some(backup) = &done.backup {
            ui.say(&format!("  it was  {}", backup.display()));
        }
    }
    if !there {
        ui.note(&format!("{} was not found on this machine; the settings wait for it", wiring.title));
    }
    after(ui, work, wiring, scope);
    Ok(Status::Success)
}

/// What a person must know or do now.
fn after(ui: &mut Ui, work: &Work, wiring: &'static Wiring, scope: Scope) {
    if !wiring.run_by_us {
        ui.note("written from documentation; not run by us");
    }
    wiring.next.iter().for_each(|next| ui.note(next));
    if scope == Scope::Project && !work.program.is_on_path() {
        ui.note("boathook is not on the PATH, so its path on this machine was written: others who share the workspace need it there, too");
    }
    if scope == Scope::Project {
        ui.note(&match wiring.shut_without_us {
            true => format!(
                "where boathook is missing, {} refuses: everybody who works here needs it",
                wiring.title
            ),
            false => format!("where boathook is missing, {} goes on without hooks", wiring.title),
        });
    }
    let examined = examine(work.places, wiring, Some(work.program));
    if examined.codex.as_ref().is_some_and(|codex| codex.own_hooks) {
        ui.note("config.toml has hooks of its own: Codex runs those and the ones of hooks.json");
    }
    // What keeps it from working, as `status` says it.
    for (problem, help) in examined.problems {
        ui.warning(&problem);
        ui.help(&help);
    }
}

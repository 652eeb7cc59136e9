//! `boathook agent install`: wires an agent to Boathook in the agent's own settings.

use super::which::{Which, show_difference};
use crate::Status;
use crate::agents::{Done, Scope, Weight, Wiring, Work, examine, install as write, present};
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
/// Settings that are broken, that the agent itself cannot read, that are
/// read-only, a link, or changed by somebody else at the same time are left
/// alone. An agent is wired once, for the user or for the project; the machine's
/// wiring may be added to either.
///
/// Exit code 1 when an agent could not be wired, or would not ask hooks although
/// it is.
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
        |ui, work, wiring| is_meant(ui, work, wiring, scope),
        |ui, work, wiring| one(ui, work, wiring, scope),
        |ui, _| ui.say("no agent was found: neither a program on the PATH nor a folder in your home"),
    )
}

/// Agents of which this machine has something, and that have a place for it.
fn is_meant(ui: &mut Ui, work: &Work, wiring: &Wiring, scope: Scope) -> bool {
    let places = work.places;
    if places.path(wiring, scope).is_err() || !present(places, wiring).is_there() {
        return false;
    }
    let wired = |rival: &Wiring| {
        let mut all = Scope::ALL.iter().filter_map(|it| places.wired(rival, *it));
        all.any(|it| places.works(&it, rival, work.program))
    };
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
        return Ok(what_is_wrong(ui, work, wiring));
    }
    if work.dry_run {
        ui.say("nothing was written");
        return Ok(Status::Success);
    }
    ui.say(&format!("{} is wired", wiring.title));
    for done in changed {
        let really = done.really.as_ref().map_or(String::new(), |it| format!(", which is {}", it.display()));
        ui.say(&format!("  wrote {}{really}", done.file.display()));
        if let Some(backup) = &done.backup {
            ui.say(&format!("  it was  {}", backup.display()));
        }
    }
    if !there {
        ui.note(&format!("{} was not found on this machine; the settings wait for it", wiring.title));
    }
    after(ui, work, wiring, scope);
    Ok(what_is_wrong(ui, work, wiring))
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
}

/// What keeps it from working, as `status` says it. That a person must do
/// something that nobody else can do is no failure.
fn what_is_wrong(ui: &mut Ui, work: &Work, wiring: &'static Wiring) -> Status {
    let examined = examine(work.places, wiring, Some(work.program));
    if examined.codex.as_ref().is_some_and(|codex| codex.own_hooks) {
        ui.note("config.toml has hooks of its own: Codex runs those and the ones of hooks.json");
    }
    let mut status = Status::Success;
    for fault in examined.problems {
        ui.warning(&fault.message);
        ui.help(&fault.help);
        if fault.weight == Weight::NotAsked {
            status = Status::Failure;
        }
    }
    status
}

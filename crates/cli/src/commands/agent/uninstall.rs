//! `boathook agent uninstall`: takes our entries out of an agent's settings.

use super::which::{Which, show_difference};
use crate::Status;
use crate::agents::{Done, Places, Scope, Wiring, Work, uninstall as take};
use crate::args::Global;
use crate::error::Failed;
use crate::settings::settings;
use crate::ui::Ui;

/// Take Boathook out of an agent's settings
///
/// Where nobody changed the settings since, they are again what they were, byte
/// for byte, and what was made for them is gone. Else our entries are taken out
/// and everything else stays.
#[derive(Debug, clap::Args)]
pub struct UninstallArgs {
    #[command(flatten)]
    which: Which,
}

pub fn uninstall(ui: &mut Ui, global: &Global, args: &UninstallArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let scope = args.which.scope();
    args.which.each(
        ui,
        &settings,
        |_, places, wiring| is_wired(places, wiring, scope),
        |ui, work, wiring| one(ui, work, wiring, scope),
    )
}

fn is_wired(places: &Places, wiring: &Wiring, scope: Scope) -> bool {
    places.wired(wiring, scope).is_some_and(|wired| wired.is_wired())
}

fn one(ui: &mut Ui, work: &Work, wiring: &'static Wiring, scope: Scope) -> Result<Status, Failed> {
    if wiring.is_native() {
        ui.say(wiring.native());
        return Ok(Status::Success);
    }
    let done = take(work, wiring, scope)?;
    let changed: Vec<&Done> = done.iter().filter(|done| done.changed()).collect();
    if changed.is_empty() {
        ui.say(&format!("{} is not wired ({}); nothing changes", wiring.title, scope.name()));
        return Ok(Status::Success);
    }
    if work.dry_run {
        changed.iter().for_each(|done| show_difference(ui, done));
        ui.say("nothing was written");
        return Ok(Status::Success);
    }
    ui.say(&format!("{} is no longer wired", wiring.title));
    for done in changed {
        let file = done.file.display();
        ui.say(&match (&done.after, done.restored) {
            (None, _) => format!("  removed {file}"),
            (Some(_), true) => format!("  {file} is again what it was"),
            (Some(_), false) => {
                format!("  took our entries out of {file}; it was changed since, and the rest stays")
            }
        });
    }
    Ok(Status::Success)
}

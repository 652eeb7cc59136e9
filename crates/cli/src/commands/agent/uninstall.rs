//! `boathook agent uninstall`: takes our entries out of an agent's settings.

use super::which::{Which, show_difference};
use crate::Status;
use crate::agents::{Done, Places, Scope, WIRINGS, Wiring, Work, uninstall as take};
use crate::args::Global;
use crate::error::Failed;
use crate::http_address::HttpAddress;
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
        HttpAddress::read(&settings.roots.state).ok().flatten(),
        |_, work, wiring| is_wired(work.places, wiring, scope),
        |ui, work, wiring| one(ui, work, wiring, scope),
        |ui, work| nothing(ui, work, scope),
    )
}

fn is_wired(places: &Places, wiring: &Wiring, scope: Scope) -> bool {
    places.wired(wiring, scope).is_some_and(|wired| wired.is_wired())
}

/// What was looked at, and where else there is something.
fn nothing(ui: &mut Ui, work: &Work, scope: Scope) {
    let has_place = |wiring: &&Wiring| !wiring.is_native() && work.places.path(wiring, scope).is_ok();
    let names: Vec<&str> = WIRINGS.iter().filter(has_place).map(|wiring| wiring.name).collect();
    ui.say(&format!("no agent is wired in {}; looked at {}", settings_of(scope), names.join(", ")));
    for other in Scope::ALL.into_iter().filter(|other| *other != scope) {
        let wired = WIRINGS.iter().filter(|wiring| is_wired(work.places, wiring, other));
        let names: Vec<&str> = wired.map(|wiring| wiring.name).collect();
        if !names.is_empty() {
            ui.note(&format!(
                "wired in {}: {}; `boathook agent uninstall --all --{}` takes that out",
                settings_of(other),
                names.join(", "),
                other.name()
            ));
        }
    }
}

fn settings_of(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "your own settings",
        Scope::Project => "the settings of this workspace",
        Scope::Managed => "the settings of the machine",
    }
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
        changed.iter().for_each(|done| show_difference(ui, work.program, done));
        ui.say("nothing was written");
        return Ok(Status::Success);
    }
    ui.say(&format!("{} is no longer wired", wiring.title));
    for done in changed {
        let really = done.really.as_ref().map_or(String::new(), |it| format!(", which is {}", it.display()));
        let file = format!("{}{really}", done.file.display());
        ui.say(&match (&done.after, done.restored, done.recorded) {
            (None, ..) => format!("  removed {file}"),
            (Some(_), true, _) => format!("  {file} is again what it was"),
            (Some(_), false, true) => {
                format!("  took our entries out of {file}; it was changed since, and the rest stays")
            }
            (Some(_), false, false) => {
                format!(
                    "  took our entries out of {file}; there is no record of what it was, so the rest stays"
                )
            }
        });
    }
    Ok(Status::Success)
}

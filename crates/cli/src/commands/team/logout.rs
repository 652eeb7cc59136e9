//! `boathook team logout`: this machine leaves its team.

use boathook_engine::bundle::{Expected, Managed};
use ureq::http::Method;

use super::here::{self, Stranded};
use super::notice;
use crate::Status;
use crate::error::Failed;
use crate::team::sync::hold;
use crate::team::{self, How, Login, Place, Server};
use crate::ui::Ui;

/// Leave the team: its hooks no longer run here
///
/// Revokes this machine's token at the server, when that can be reached, and
/// removes the team's hooks. A machine that was enrolled by the team keeps them.
#[derive(Debug, clap::Args)]
pub struct LogoutArgs {}

pub fn logout(ui: &mut Ui, _args: &LogoutArgs) -> Result<Status, Failed> {
    let place = here::place()?;
    let Some(login) = here::known(&place)? else {
        return match Stranded::find(&place) {
            Some(stranded) => clear(ui, &place, &stranded),
            None => Err(here::nobody()),
        };
    };
    leave(ui, &place, login)
}

/// Removes hooks of which nobody knows any more how they came.
fn clear(ui: &mut Ui, place: &Place, stranded: &Stranded) -> Result<Status, Failed> {
    let other = |error: &dyn std::fmt::Display| Failed::Other { problem: error.to_string(), help: None };
    let _held = hold(place, How::Now).map_err(|refusal| other(&refusal))?;
    let whose = stranded.lines();
    Expected::remove(&place.above()).map_err(|error| other(&error))?;
    for folder in &stranded.folders {
        folder.remove().map_err(|error| other(&error))?;
    }
    team::forget(place);
    notice::forget(place);
    whose.iter().for_each(|line| ui.say(&line.replace("are in force", "are removed")));
    ui.hint("the login was lost, so the server was not told; an admin of the team can remove this device");
    Ok(Status::Success)
}

/// Ends the login, and removes the hooks unless the machine is the team's.
pub fn leave(ui: &mut Ui, place: &Place, login: Login) -> Result<Status, Failed> {
    if login.enrolled {
        return Err(stays(place, &login));
    }
    forget(place, &login)?;
    ui.say(&format!("this machine has left {} ({}); its hooks are removed", login.called(), login.server));
    if let Err(refusal) = revoke(place, &login) {
        ui.warning(&format!("the server could not be told: {refusal}"));
        ui.help(&format!("ask an admin of the team to remove the device {}", login.device));
    }
    Ok(Status::Success)
}

/// Takes away what is here of a team: the hooks first, because a machine that
/// does not know its team any more could not remove them.
fn forget(place: &Place, login: &Login) -> Result<(), Failed> {
    let other = |error: &dyn std::fmt::Display| Failed::Other { problem: error.to_string(), help: None };
    // Whoever syncs just now would put back what is removed.
    let _held = hold(place, How::Now).map_err(|refusal| other(&refusal))?;
    Expected::remove(&place.above()).map_err(|error| other(&error))?;
    Managed::of(&place.home, login.team).remove().map_err(|error| other(&error))?;
    Login::remove(place).map_err(|error| other(&error))?;
    team::forget(place);
    notice::forget(place);
    Ok(())
}

/// Tells the server that the token counts no more. One that the server does
/// not know is revoked already.
pub fn revoke(place: &Place, login: &Login) -> Result<(), team::Refusal> {
    let server = Server::of(place, login)?;
    match server.call::<()>(Method::DELETE, "/api/v1/login", None::<&()>) {
        Err(refusal) if refusal.code == "unauthorized" => Ok(()),
        other => other,
    }
}

/// Why a machine that was enrolled does not leave.
pub fn stays(place: &Place, login: &Login) -> Failed {
    let folder = Managed::of(&place.home, login.team).folder().display().to_string();
    let problem = format!(
        "this machine was enrolled by {} ({}): it belongs to the team and not to a person, so its hooks stay in force",
        login.called(),
        login.server
    );
    let help = format!(
        "an admin of the team removes the device {}; whoever manages this machine then removes {folder} and {}",
        login.device,
        place.state.display()
    );
    Failed::other(problem, help)
}

//! What somebody types who was invited: every option it needs, and for those
//! who administer both logins.

use boathook_server::team::wire::Role;
use serde::Serialize;

use super::desk::Desk;
use crate::ui::Ui;

/// What was made, as data, with all that it takes to use it.
#[derive(Debug, Serialize)]
pub struct Invitation<'a, T: Serialize> {
    #[serde(flatten)]
    pub made: &'a T,
    pub fingerprint: &'a str,
    /// What is typed with it.
    pub commands: &'a [String],
}

/// Makes a machine one of the team's.
pub fn machine(desk: &Desk, token: &str, fingerprint: &str) -> String {
    let Desk { address, .. } = desk;
    format!("boathook team login {address} --token {token} --fingerprint {fingerprint}{}", authority(desk))
}

/// Lets somebody administer.
pub fn desk(desk: &Desk, token: &str) -> String {
    format!("boathook team admin login {} --token {token}{}", desk.address, authority(desk))
}

/// Whether a role can do anything with `team admin`.
pub fn administers(role: Role) -> bool {
    match role {
        Role::Member => false,
        Role::Auditor | Role::Admin | Role::Owner => true,
    }
}

/// Says what else must be handed over.
pub fn say_authority(ui: &mut Ui, desk: &Desk) {
    if let Some(file) = &desk.ca {
        ui.hint(&format!("they need a copy of {}, too, and write where theirs is", file.display()));
    }
}

fn authority(desk: &Desk) -> String {
    let Some(file) = &desk.ca else { return String::new() };
    let path = file.display().to_string();
    let plain = path.chars().all(|c| c.is_alphanumeric() || "/._-+:\\".contains(c));
    if plain { format!(" --ca {path}") } else { format!(" --ca '{}'", path.replace('\'', "'\\''")) }
}

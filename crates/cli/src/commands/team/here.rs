//! Where the team's things are on this machine, and whether it is in one.

use crate::error::Failed;
use crate::settings;
use crate::team::{Login, Place};

/// Where they are.
pub fn place() -> Result<Place, Failed> {
    settings::team_place()
        .ok_or_else(|| Failed::other("there is no home directory", "HOME must be an absolute path"))
}

/// Who this machine is to its team; none when it is in none.
pub fn known(place: &Place) -> Result<Option<Login>, Failed> {
    Login::read(place).map_err(|error| Failed::Other { problem: error.to_string(), help: None })
}

/// The same, for commands that make no sense without one.
pub fn member(place: &Place) -> Result<Login, Failed> {
    known(place)?.ok_or_else(nobody)
}

/// What is said where there is no team.
pub fn nobody() -> Failed {
    Failed::other(
        "this machine is in no team",
        "`boathook team login URL` with the address an admin gave you",
    )
}

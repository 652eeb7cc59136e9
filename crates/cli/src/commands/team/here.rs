//! Where the team's things are on this machine, and whether it is in one.

use boathook_engine::bundle::{Expected, Managed};

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

/// Hooks on a machine that no longer knows whose they are.
pub struct Stranded {
    /// Folders of teams with our marker; none when only their loss is known.
    pub folders: Vec<Managed>,
}

impl Stranded {
    /// What there is without a login; none when that is nothing.
    pub fn find(place: &Place) -> Option<Stranded> {
        let folders = Managed::all(&place.home);
        let expected = Expected::read(&place.above()).is_some();
        (expected || !folders.is_empty()).then_some(Stranded { folders })
    }

    /// Whose hooks they are, one line for each team.
    pub fn lines(&self) -> Vec<String> {
        let line = |folder: &Managed| {
            let marker = folder.marker()?;
            let path = folder.folder().display();
            Some(format!("hooks of team {} ({}) are in force: {path}", marker.team, marker.server))
        };
        let mut lines: Vec<String> = self.folders.iter().filter_map(line).collect();
        if lines.is_empty() {
            lines.push("hooks of a team were here and are gone".to_owned());
        }
        lines
    }
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

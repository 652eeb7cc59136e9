//! Where the team's things are on this machine, and whether it is in one.

use boathook_engine::bundle::{Expected, Managed};
use boathook_engine::problem::Problem;

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

/// What is said of a machine with such hooks.
pub const STRANDED: &str = "this machine does not know its team any more";

/// Hooks on a machine that no longer knows whose they are.
pub struct Stranded {
    /// Folders of teams; none when only their loss is known.
    pub folders: Vec<Managed>,
}

impl Stranded {
    /// What a person does about it.
    pub const HELP: &str =
        "`boathook team login URL` joins the team again; `boathook team logout` removes its hooks";

    /// What there is without a login; none when that is nothing.
    pub fn find(place: &Place) -> Option<Stranded> {
        let folders = Managed::all(&place.home);
        let expected = Expected::read(&place.above()).is_some();
        (expected || !folders.is_empty()).then_some(Stranded { folders })
    }

    /// Whose hooks they are, one line for each team.
    pub fn lines(&self) -> Vec<String> {
        let line = |folder: &Managed| {
            let path = folder.folder().display();
            match folder.marker() {
                Some(marker) => {
                    format!("hooks of team {} ({}) are in force: {path}", marker.team, marker.server)
                }
                None => format!("hooks of a team are in force, and nothing says which one's: {path}"),
            }
        };
        let mut lines: Vec<String> = self.folders.iter().map(line).collect();
        if lines.is_empty() {
            lines.push("hooks of a team were here and are gone".to_owned());
        }
        lines
    }

    /// The same as problems.
    pub fn problems(&self) -> Vec<Problem> {
        let problem = |line: String| Problem::warning("team-login", line).help(Stranded::HELP);
        self.lines().into_iter().map(problem).collect()
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

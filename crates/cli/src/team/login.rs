//! Who this device is to its team: `login.json`, for the user alone.

use std::fmt;
use std::path::PathBuf;

use boathook_engine::bundle::manifest::Audience;
use boathook_engine::state::{Durability, StateError};
use serde::{Deserialize, Serialize};

use super::Place;

const FILE: &str = "login.json";

/// A device that signed in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Login {
    /// The server's address.
    pub server: String,
    /// The team.
    pub team: i64,
    /// What the team is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The repository of the team, which its manifests name.
    pub repository: String,
    /// The line of releases.
    pub channel: String,
    /// The device's name on the server.
    pub device: String,
    /// Whose device it is; nobody's when it was enrolled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<i64>,
    /// The member's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The device's token.
    pub token: String,
    /// Whether it belongs to the team itself: a log-out keeps its hooks.
    #[serde(default)]
    pub enrolled: bool,
    /// The SHA-256 of the root that was pinned, in hexadecimal digits.
    pub fingerprint: String,
    /// The version of that root.
    #[serde(default = "first_root")]
    pub root_version: u64,
    /// Certificates to believe instead of the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// An address that serves scripts by their digest, asked without a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
}

fn first_root() -> u64 {
    1
}

/// Why it cannot be known who this device is.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The folder or the file cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// The file is not ours.
    #[error("{}: {}; `boathook team login` writes it anew", .0.display(), .1)]
    Format(PathBuf, serde_json::Error),
}

impl Login {
    /// Nothing when nobody signed in.
    pub fn read(place: &Place) -> Result<Option<Login>, LoginError> {
        let folder = place.folder();
        let Some(bytes) = folder.read("", FILE)? else { return Ok(None) };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| LoginError::Format(folder.file("", FILE), error))
    }

    /// Replaces the file whole.
    pub fn write(&self, place: &Place) -> Result<(), LoginError> {
        let folder = place.folder();
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| LoginError::Format(folder.file("", FILE), error))?;
        Ok(folder.write("", FILE, text.as_bytes(), Durability::Synced)?)
    }

    /// Says whether there was one.
    pub fn remove(place: &Place) -> Result<bool, LoginError> {
        Ok(place.folder().remove("", FILE)?)
    }

    /// The team, as people call it.
    pub fn called(&self) -> String {
        match &self.name {
            Some(name) => format!("team «{name}»"),
            None => format!("team {}", self.team),
        }
    }

    /// Whom it takes a manifest from.
    pub fn audience(&self) -> Audience {
        Audience { team: self.team, repository: self.repository.clone(), channel: self.channel.clone() }
    }
}

/// Without the token: what is shown ends up in logs.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Login { server, team, device, .. } = self;
        write!(f, "device {device} of team {team} at {server}")
    }
}

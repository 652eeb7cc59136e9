//! `expected.json`: that this machine has a team's hooks, kept where the client
//! keeps its state and not beside the hooks. Whoever removes the hooks does not
//! remove the knowledge that there were some.
//!
//! A machine in no team pays for one look at a file that is not there.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::managed::Managed;
use super::seal::{Fault, Seal};
use crate::digest::Digest;
use crate::event::EVENTS;
use crate::read_file::{self, CONFIG_LIMIT, Links, Owner, ReadError};
use crate::state::{Durability, StateDir, StateError};

/// The client's folder in our state.
const FOLDER: &str = "team";
/// Its name in the folder of the client.
pub const NAME: &str = "expected.json";
/// The format this version writes and reads.
const FORMAT: u32 = 1;

/// What must be on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The format: 1.
    format: u32,
    /// The team; 0 when the record is there and says nothing that can be read.
    pub team: i64,
    /// The events with a `failClosed` hook: they refuse when the hooks are gone.
    pub closed: Vec<String>,
    /// The digests of the seals that may be in force: one, and two while the
    /// second takes the place of the first. None where nobody wrote them down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seals: Vec<Digest>,
}

impl Expected {
    /// A team and the events that its hooks close.
    pub fn of(team: i64, closed: &[String]) -> Expected {
        Expected { format: FORMAT, team, closed: closed.to_vec(), seals: Vec::new() }
    }

    /// The same, with the seal that must be in force.
    pub fn sealed(self, seal: &Seal) -> Expected {
        Expected { seals: vec![seal.digest()], ..self }
    }

    /// Whether a generation with this seal may be in force. A script and a seal
    /// that fits it can be written by hand; this record is not beside them.
    pub fn allows(&self, seal: &Seal) -> bool {
        self.seals.is_empty() || self.seals.contains(&seal.digest())
    }

    /// What was written down in this state directory; nothing on a machine in
    /// no team.
    pub fn read(state: &Path) -> Option<Expected> {
        let read = read_file::read_linked(&file(state), CONFIG_LIMIT, Owner::UserOrRoot, Links::Refused);
        let bytes = match read {
            Ok(read) => read.bytes,
            Err(ReadError::Absent) => return None,
            Err(_) => return Some(Expected::unknown()),
        };
        let known = serde_json::from_slice(&bytes).ok().filter(|it: &Expected| it.format == FORMAT);
        Some(known.unwrap_or_else(Expected::unknown))
    }

    /// Writes it down, unless it stands there.
    pub fn write(&self, state: &Path) -> Result<(), StateError> {
        if Expected::read(state).as_ref() == Some(self) {
            return Ok(());
        }
        let text = serde_json::to_vec(self).unwrap_or_default();
        StateDir::new(state).write(FOLDER, NAME, &text, Durability::Synced)
    }

    /// Expects nothing any more. Says whether something was.
    pub fn remove(state: &Path) -> Result<bool, StateError> {
        StateDir::new(state).remove(FOLDER, NAME)
    }

    /// Whether the record could be read.
    pub fn is_known(&self) -> bool {
        self.team != 0
    }

    /// What is wrong with the hooks that should be there; nothing when a
    /// generation is in force and its seal can be read.
    pub fn lost(&self, home: &Path) -> Option<Fault> {
        if !self.is_known() {
            let whole = |it: &Managed| it.current().is_some();
            return (!Managed::all(home).iter().any(whole)).then_some(Fault::Gone);
        }
        match Managed::of(home, self.team).generation() {
            Ok(Some(current)) => (!self.allows(&current.seal)).then_some(Fault::Changed),
            Ok(None) => Some(Fault::Gone),
            Err(fault) => Some(fault),
        }
    }

    /// Nobody can tell what the hooks held back, so every gate stays shut.
    fn unknown() -> Expected {
        let gates = EVENTS.iter().filter(|spec| spec.kind.can_block());
        let closed = gates.map(|spec| spec.name.to_owned()).collect();
        Expected { format: FORMAT, team: 0, closed, seals: Vec::new() }
    }
}

/// Where it is written.
pub(crate) fn file(state: &Path) -> PathBuf {
    state.join(FOLDER).join(NAME)
}

//! The client of a team: signs in, fetches what the team's server signed,
//! verifies it, and installs it.
//!
//! `login` keeps who this device is, `http` speaks with the server, `tuf`
//! verifies, `sync` does one whole round under a lock, `status` keeps how it
//! went, `timing` says when the next one is due.
//!
//! Nothing here removes a hook because something failed: what is in force
//! stays until something newer was verified and installed as a whole.

pub mod authorities;
pub mod follow;
pub mod http;
pub mod login;
pub mod status;
pub mod sync;
pub mod timing;
pub mod tuf;

use std::path::{Path, PathBuf};

use boathook_engine::bundle::{Expected, Fault};
use boathook_engine::source::Os;
use boathook_engine::state::{Durability, StateDir, StateError};

use crate::https::Environment;

pub use self::http::{Refusal, Server};
pub use self::login::Login;
pub use self::status::Status;
pub use self::sync::{How, sync, wait_for_hint};

/// Where a team's things are on this machine.
#[derive(Clone)] // no `Debug`: there may be a secret in the environment
pub struct Place {
    /// Our own folder for it in the state directory.
    pub state: PathBuf,
    /// The user's home; managed hooks stand below `.cursor/managed` in it.
    pub home: PathBuf,
    /// The system whose hooks are installed.
    pub os: Os,
    /// Where proxies are named.
    pub environment: Environment,
}

/// Forgets what was verified and how it went, after this machine left its team.
pub fn forget(place: &Place) {
    let _ = Status::remove(place);
    authorities::forget(place, authorities::Whose::Device);
    let _ = std::fs::remove_dir_all(place.state.join("tuf"));
}

impl Place {
    /// The folder, which nobody else can write to.
    pub fn folder(&self) -> StateDir {
        StateDir::new(&self.state)
    }

    /// Whether a sync could keep something here: a file is written and removed.
    pub fn probe(&self) -> Result<(), StateError> {
        const NAME: &str = "probe";
        self.folder().write("", NAME, &[b' '; 4096], Durability::Relaxed)?;
        self.folder().remove("", NAME).map(|_| ())
    }

    /// Our whole state, of which that folder is one.
    pub fn above(&self) -> PathBuf {
        self.state.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// What is wrong with hooks that must be on this machine; nothing when they
    /// are there, or need not be.
    pub fn lost(&self) -> Option<Fault> {
        Expected::read(&self.above())?.lost(&self.home)
    }

    /// The system, as the server spells it.
    pub fn os_name(&self) -> &'static str {
        match self.os {
            Os::Linux => "Linux",
            Os::Macos => "Macintosh",
            Os::Windows => "Windows",
        }
    }
}

//! Copies of the certificates that somebody logged in with: the file they were
//! given in may move or go, and the server must still be believed.

use std::path::{Path, PathBuf};

use boathook_engine::digest::Digest;
use boathook_engine::read_file::{self, CONFIG_LIMIT, Owner};
use boathook_engine::state::Durability;

use super::Place;

/// Whose login they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// This machine's.
    Device,
    /// The one of the admin commands.
    Admin,
}

/// Keeps a copy; where it is. The name is that of the content, so that a login
/// that fails leaves the one before as it was.
pub fn keep(place: &Place, whose: Whose, file: &Path) -> Result<PathBuf, String> {
    let read = read_file::read(file, CONFIG_LIMIT, Owner::Anybody);
    let bytes = read.map_err(|error| format!("{}: {error}", file.display()))?.bytes;
    let digest = Digest::of(&bytes).to_string();
    let name = format!("{}{}.pem", whose.prefix(), digest.get(..16).unwrap_or_default());
    let folder = place.folder();
    folder.write("", &name, &bytes, Durability::Synced).map_err(|error| error.to_string())?;
    Ok(folder.file("", &name))
}

/// Removes what was kept, after a log-out.
pub fn forget(place: &Place, whose: Whose) {
    let folder = place.folder();
    let names = folder.names("").unwrap_or_default();
    for name in names.iter().filter(|name| name.starts_with(whose.prefix())) {
        let _ = folder.remove("", name);
    }
}

impl Whose {
    fn prefix(self) -> &'static str {
        match self {
            Whose::Device => "ca-device-",
            Whose::Admin => "ca-admin-",
        }
    }
}

//! Keeps others out while something changes: of one team's folder, or of all.
//! Nobody is waited for without end.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::install::InstallError;
use super::managed::{LOCK, Managed};
use super::{collect, disk};
use crate::read_file::{self, Kind};

/// An installation takes less.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

impl Managed {
    /// One installs at a time.
    pub(super) fn hold(&self) -> Result<File, InstallError> {
        let path = self.folder.join(LOCK);
        if is_in_the_way(&path) {
            // Two who mend it at once would take each other's new file away.
            let _held = self.hold_above()?;
            if is_in_the_way(&path) {
                collect::remove_all(&path).map_err(|error| InstallError::disk(&path, error))?;
            }
        }
        let lock = disk::open_lock(&path).map_err(|error| InstallError::disk(&path, error))?;
        held(&lock, &self.folder, self.patience)?;
        Ok(lock)
    }

    /// Keeps others out of the folders of all teams.
    pub(super) fn hold_above(&self) -> Result<Option<File>, InstallError> {
        let above = self.above();
        let Some(folder) = disk::open_folder(above).map_err(|error| InstallError::disk(above, error))? else {
            return Ok(None);
        };
        held(&folder, above, self.patience)?;
        Ok(Some(folder))
    }
}

/// Whether something else stands where a file of ours should.
fn is_in_the_way(path: &Path) -> bool {
    read_file::link_facts(path).is_some_and(|facts| facts.kind != Kind::File)
}

/// Takes a lock, or says who is in the way, after so long.
fn held(file: &File, path: &Path, patience: Duration) -> Result<(), InstallError> {
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => return Err(InstallError::Locked(path.to_owned(), patience)),
            Err(TryLockError::Error(error)) => return Err(InstallError::disk(path, error)),
        }
    }
}

//! Which directories at or above a path have a trust record.
//!
//! Both stores are asked, and a directory that was moved since it was trusted is recognised by its identity: the hooks of
//! such a directory are found to be changed, and its `failClosed` gates refuse.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::subject::record_name;
use super::{RECORDS, Trust, TrustError, subject, witness};
use crate::settled;

/// The files of a workspace whose hooks are trusted one by one and that have a
/// fixed name.
const TRUSTED_FILES: [&str; 3] =
    [".cursor/hooks.json", ".claude/settings.local.json", ".claude/settings.json"];

impl Trust {
    /// Returns every directory at or above `paths` with a trust record of a hooks
    /// file in it, whether or not that file still exists, and every one that had
    /// such a record before it was moved: nearest first. Links are followed, and
    /// the directories above a link are searched as well.
    pub fn recorded_above(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, TrustError> {
        let mut names = HashSet::new();
        for store in self.stores() {
            names.extend(store.names(RECORDS)?);
        }
        let mut recorded = Vec::new();
        if names.is_empty() {
            return Ok(recorded);
        }
        let identities = self.trusted_identities();
        let mut seen = HashSet::new();
        let has_record = |directory: &Path| {
            TRUSTED_FILES.iter().any(|file| names.contains(&record_name(directory, Path::new(file))))
                || (!identities.is_empty()
                    && witness::identity(directory).is_some_and(|identity| identities.contains(&identity)))
        };
        for path in paths {
            let resolved = settled::resolved(path).ok();
            // The directories above a resolved path are resolved.
            let above = resolved.iter().flat_map(|resolved| resolved.ancestors());
            let above = above.map(|above| (above.to_owned(), above.to_owned()));
            let as_written = path.ancestors().filter(|_| resolved.as_ref() != Some(path));
            let as_written = as_written.map(|above| (above.to_owned(), subject::settled(above)));
            for (directory, resolved) in above.chain(as_written) {
                if seen.insert(resolved.clone()) && has_record(&resolved) {
                    recorded.push(directory);
                }
            }
        }
        Ok(recorded)
    }
}

//! Which directories at or above a path have a trust record.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::subject::record_name;
use super::{RECORDS, Trust, TrustError, subject};
use crate::settled;

/// The files of a workspace whose hooks are trusted one by one and that have a
/// fixed name.
const TRUSTED_FILES: [&str; 3] =
    [".cursor/hooks.json", ".claude/settings.local.json", ".claude/settings.json"];

impl Trust {
    /// Returns every directory at or above `paths` with a trust record of a hooks
    /// file in it, whether or not that file still exists: nearest first. Links are
    /// followed, and the directories above a link count as well.
    pub fn recorded_above(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, TrustError> {
        let names: HashSet<String> = self.state.names(RECORDS)?.into_iter().collect();
        let mut recorded = Vec::new();
        if names.is_empty() {
            return Ok(recorded);
        }
        let mut seen = HashSet::new();
        let has_record = |directory: &Path| {
            TRUSTED_FILES.iter().any(|file| names.contains(&record_name(directory, Path::new(file))))
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

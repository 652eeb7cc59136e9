//! The files of a team's repository, as `GET /tuf/{team}/…` gives them.

use crate::team::store::{StoreError, TeamStore, TufRole};
use boathook_engine::digest::Digest;

/// For a file that never changes: its name holds its version or its content.
const FOREVER: &str = "private, max-age=31536000, immutable";
/// For the one file that changes: ask every time.
const ASK: &str = "private, no-cache";

/// A file, and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// `ETag`, with its quotes.
    pub etag: String,
    /// `Cache-Control`.
    pub cache: &'static str,
    /// `Content-Type`.
    pub kind: &'static str,
}

/// The file of a path below `/tuf/{team}/`.
pub async fn file(team: &TeamStore, path: &str) -> Result<Option<File>, StoreError> {
    if let Some(name) = path.strip_prefix("targets/") {
        let kind = if name.ends_with(".json") { JSON } else { BYTES };
        return Ok(team.target(name).await?.map(|bytes| File::new(bytes, FOREVER, kind)));
    }
    if path == "timestamp.json" {
        let newest = team.newest(TufRole::Timestamp).await?;
        return Ok(newest.map(|(_, bytes)| File::new(bytes, ASK, JSON)));
    }
    let Some((role, version)) = versioned(path) else { return Ok(None) };
    Ok(team.metadata(role, version).await?.map(|bytes| File::new(bytes, FOREVER, JSON)))
}

const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

impl File {
    fn new(bytes: Vec<u8>, cache: &'static str, kind: &'static str) -> File {
        let etag = format!("\"{}\"", Digest::of(&bytes));
        File { bytes, etag, cache, kind }
    }

    /// Whether somebody who has these (`If-None-Match`) has this file.
    pub fn is_among(&self, etags: &str) -> bool {
        let bare = |etag: &str| etag.trim().trim_start_matches("W/").to_owned();
        etags.split(',').any(|etag| bare(etag) == self.etag || etag.trim() == "*")
    }
}

/// `N.root.json`, `N.targets.json` and `N.snapshot.json`; each version has one
/// spelling.
fn versioned(path: &str) -> Option<(TufRole, u64)> {
    let (number, name) = path.split_once('.')?;
    let version: u64 = number.parse().ok()?;
    let role = match name {
        "root.json" => TufRole::Root,
        "targets.json" => TufRole::Targets,
        "snapshot.json" => TufRole::Snapshot,
        _ => return None,
    };
    (version.to_string() == number).then_some((role, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_one_spelling() {
        let cases = [
            ("1.root.json", Some((TufRole::Root, 1))),
            ("20.targets.json", Some((TufRole::Targets, 20))),
            ("3.snapshot.json", Some((TufRole::Snapshot, 3))),
            ("01.root.json", None),
            ("+1.root.json", None),
            ("1.timestamp.json", None),
            ("root.json", None),
            ("99999999999999999999.root.json", None),
            ("../1.root.json", None),
        ];
        for (path, expected) in cases {
            assert_eq!(versioned(path), expected, "{path}");
        }
    }

    #[test]
    fn a_known_file_is_recognised_by_its_etag() {
        let file = File::new(b"word".to_vec(), ASK, JSON);
        let cases = [
            (file.etag.clone(), true),
            (format!("\"other\", W/{}", file.etag), true),
            ("*".to_owned(), true),
            ("\"other\"".to_owned(), false),
            (String::new(), false),
        ];
        for (etags, expected) in cases {
            assert_eq!(file.is_among(&etags), expected, "{etags}");
        }
    }
}

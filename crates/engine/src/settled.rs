//! A path with its links resolved, in the form that people write.

use std::io;
use std::path::{Path, PathBuf};

/// Where a path leads, so that one place has one name.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map(plain)
}

/// Windows answers with a form (`\\?\C:\…`) that takes no slash and that few
/// programs understand. What has no other form stays.
fn plain(found: PathBuf) -> PathBuf {
    let short = found.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    let short = short.filter(|short| short.as_bytes().get(1) == Some(&b':'));
    short.map(PathBuf::from).unwrap_or(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn the_long_form_of_windows_becomes_the_one_that_people_write() {
        let cases = [
            (r"\\?\C:\Users\me", r"C:\Users\me"),
            (r"\\?\UNC\server\share", r"\\?\UNC\server\share"),
            (r"C:\Users\me", r"C:\Users\me"),
            ("/home/me", "/home/me"),
        ];
        for (found, expected) in cases {
            assert_eq!(plain(PathBuf::from(found)), PathBuf::from(expected));
        }
    }

    #[test]
    fn what_is_settled_stays_so() {
        let dir = TempDir::new();
        let once = resolved(dir.path()).expect("it exists");
        assert_eq!(resolved(&once).expect("it exists"), once);
        assert!(resolved(&dir.path().join("gone")).is_err());
    }
}

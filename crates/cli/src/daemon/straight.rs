//! Where the workspaces lead that callers name: hooks run where links lead.
//!
//! To follow a path means to look at every folder of it. One that was named
//! without a link is looked at as a whole from then on, and followed again when
//! anything about it changed, and once a second.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use boathook_engine::read_file::Glimpse;
use boathook_engine::remote::wire::RpcError;
use boathook_engine::settled::resolved;

use super::service::wrong;

/// So many are remembered.
const MOST: usize = 64;
/// So long each: a folder above may have been moved and its name given to a
/// link, of which the root itself shows nothing.
const FOLLOWED_AGAIN: Duration = Duration::from_secs(1);

/// Roots that were named without a link, what they were then, and when that was.
#[derive(Debug, Default)]
pub struct Straight(Vec<(PathBuf, Glimpse, Instant)>);

impl Straight {
    /// Where this root leads.
    pub fn follow(&mut self, root: &Path) -> Result<PathBuf, RpcError> {
        if let Some(at) = self.0.iter().position(|(known, ..)| is_written_alike(known, root)) {
            let (_, look, followed) = &self.0[at];
            if followed.elapsed() < FOLLOWED_AGAIN && look.holds(root) {
                return Ok(root.to_owned());
            }
            self.0.swap_remove(at);
        }
        // Looked at first, so that a change in between is seen.
        let (look, followed) = (Glimpse::at(root), Instant::now());
        let leads_to = canonical(root)?;
        if is_written_alike(&leads_to, root) {
            if self.0.len() == MOST {
                self.0.remove(0);
            }
            self.0.push((root.to_owned(), look, followed));
        }
        Ok(leads_to)
    }
}

/// A root that is named must exist; hooks run where its links lead.
pub fn canonical(root: &Path) -> Result<PathBuf, RpcError> {
    let root = absolute(root.to_owned())?;
    resolved(&root).map_err(|error| {
        wrong(format!("the folder {}: {error}; name one that exists as the workspace", root.display()))
    })
}

/// Nobody here knows where a relative one begins.
pub fn absolute(root: PathBuf) -> Result<PathBuf, RpcError> {
    match root.is_absolute() {
        true => Ok(root),
        false => Err(wrong(format!("the folder `{}` is no absolute path; write all of it", root.display()))),
    }
}

/// Whether paths are written alike, which is soon seen: part by part takes ten
/// times as long.
pub fn is_written_alike(one: &Path, other: &Path) -> bool {
    one.as_os_str() == other.as_os_str()
}

/// The same of paths that others write as they like: with a `/` at the end, or without.
pub fn is_same(one: &Path, other: &Path) -> bool {
    is_written_alike(one, other) || one == other
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_root_leads_where_it_leads_now() {
        let top = tempfile::tempdir().expect("a folder");
        let at = |name: &str| top.path().canonicalize().expect("a folder").join(name);
        for name in ["ws", "other"] {
            fs::create_dir(at(name)).expect("made");
        }
        symlink(at("ws"), at("link")).expect("linked");
        let mut straight = Straight::default();
        let mut leads = |name: &str| straight.follow(&at(name)).ok();
        // What is young is followed; what is settled is looked at.
        for pause in [0, 2100, 0] {
            std::thread::sleep(Duration::from_millis(pause));
            assert_eq!(leads("ws"), Some(at("ws")));
            assert_eq!(leads("link"), Some(at("ws")));
        }
        fs::remove_file(at("link")).expect("removed");
        symlink(at("other"), at("link")).expect("linked");
        assert_eq!(leads("link"), Some(at("other")));
        fs::rename(at("ws"), at("before")).expect("moved");
        assert_eq!(leads("ws"), None);
        symlink(at("before"), at("ws")).expect("linked");
        assert_eq!(leads("ws"), Some(at("before")));
        fs::remove_file(at("ws")).expect("removed");
        fs::rename(at("before"), at("ws")).expect("moved back");
        assert_eq!(leads("ws"), Some(at("ws")));
    }

    #[test]
    fn a_folder_above_that_became_a_link_is_seen_within_a_moment() {
        let top = tempfile::tempdir().expect("a folder");
        let top = top.path().canonicalize().expect("a folder");
        fs::create_dir_all(top.join("a/ws")).expect("made");
        std::thread::sleep(Duration::from_millis(2100));
        let mut straight = Straight::default();
        let mut leads = || straight.follow(&top.join("a/ws")).ok();
        assert_eq!(leads(), Some(top.join("a/ws")));
        fs::rename(top.join("a"), top.join("b")).expect("moved");
        symlink("b", top.join("a")).expect("linked");
        std::thread::sleep(FOLLOWED_AGAIN);
        assert_eq!(leads(), Some(top.join("b/ws")));
    }
}

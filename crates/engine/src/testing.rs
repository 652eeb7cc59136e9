//! What the engine's own tests share. Tests that need more than this crate's
//! dependencies stand in `crates/cli/tests`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory that is removed when the test ends.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> TempDir {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        loop {
            let name = format!("boathook-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return TempDir(path.canonicalize().expect("the directory was just made")),
                // A test that was killed left it, and its process had our number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("a directory for the test: {error}"),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and the directories above it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a file stands in a directory")).expect("directories");
        fs::write(&path, text).expect("a file");
        path
    }

    /// Writes a file that can be executed.
    #[cfg(unix)]
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        path
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

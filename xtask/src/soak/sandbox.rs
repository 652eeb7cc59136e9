//! A home, a workspace and a system of their own for the binary under test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::Outcome;
use crate::project;

/// Every process of a sandbox carries this variable. Its name is not one of ours:
/// those do not reach a hook.
pub const MARK: &str = "SOAK_RUN";

/// The directories, and the binary that is run in them.
pub struct Sandbox {
    binary: PathBuf,
    directory: PathBuf,
    /// Tells the processes of this sandbox from all others.
    pub mark: String,
}

impl Sandbox {
    /// A fresh one.
    pub fn new(binary: &Path, name: &str) -> Outcome<Sandbox> {
        let mark = format!("{name}-{}", std::process::id());
        let directory = project::target()?.join("soak").join(&mark);
        for part in ["home/.cursor", "workspace/.cursor", "system"] {
            fs::create_dir_all(directory.join(part)).map_err(|error| error.to_string())?;
        }
        Ok(Sandbox { binary: binary.to_owned(), directory, mark })
    }

    /// A file below the sandbox.
    pub fn write(&self, name: &str, text: &str) -> Outcome<()> {
        let path = self.directory.join(name);
        fs::write(&path, text).map_err(|error| format!("{name}: {error}"))?;
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))
            .map_err(|error| format!("{name}: {error}"))
    }

    /// The binary with these arguments, in this sandbox and in nothing else.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(args).arg("--root").arg(self.directory.join("system"));
        command.arg("--workspace").arg(self.directory.join("workspace"));
        command.current_dir(self.directory.join("workspace")).stdin(Stdio::null());
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.directory.join("home"));
        command.env(MARK, &self.mark);
        command
    }

    /// One shell event.
    pub fn run_event(&self) -> Command {
        self.command(&["run", "beforeShellExecution", "--field", "command=echo hello"])
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

//! Where the examples of one section happen: a home, a workspace in it and a
//! system of their own, which pages call `/home/me`, `/home/me/shop` and `/`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::pages::{Fence, root};

/// What pages call the home.
const HOME: &str = "/home/me";

pub struct Place {
    directory: PathBuf,
    workspace: PathBuf,
    // Removed with everything in it when the section ends.
    _temp: TempDir,
}

impl Place {
    /// A README's examples happen in a copy of the directory it is about; those
    /// of any other page in an empty workspace.
    pub fn new(page: &Path) -> Place {
        let temp = tempfile::tempdir().expect("a directory");
        let directory = temp.path().canonicalize().expect("it exists");
        let about = about(page);
        let name = if about == Some(&root()) { "boathook" } else { "shop" };
        let workspace = directory.join("home/me").join(name);
        fs::create_dir_all(&workspace).expect("a workspace");
        fs::create_dir_all(directory.join("system")).expect("a system");
        if let Some(about) = about {
            copy(&about.join(".cursor"), &workspace.join(".cursor"));
        }
        let place = Place { directory, workspace, _temp: temp };
        place.programs();
        place
    }

    /// `boathook` with this place's system, and `cargo run --` in its stead.
    fn programs(&self) {
        let system = self.directory.join("system");
        let binary = env!("CARGO_BIN_EXE_boathook");
        self.program("boathook", &format!("exec '{binary}' --root '{}' \"$@\"\n", system.display()));
        self.program("cargo", "while [ \"$1\" != -- ]; do shift; done\nshift\nexec boathook \"$@\"\n");
    }

    fn program(&self, name: &str, text: &str) {
        write_executable(&self.directory.join("bin").join(name), &format!("#!/bin/sh\n{text}"));
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = match (name.strip_prefix("~/"), name.strip_prefix('/')) {
            (Some(name), _) => self.directory.join("home/me").join(name),
            (None, Some(name)) => self.directory.join("system").join(name),
            (None, None) => self.workspace.join(name),
        };
        write_executable(&path, &self.real(text));
    }

    /// Runs the hooks of an event: the exit code, stdout and stderr.
    pub fn event(&self, event: &str, payload: &str) -> (Option<i32>, String, String) {
        let mut run = self.command("boathook");
        run.args(["run", event, "--trust"]);
        self.finish(run, &self.real(payload))
    }

    /// Runs a script of the shell: the exit code, stdout and stderr.
    pub fn shell(&self, script: &str) -> (Option<i32>, String, String) {
        let mut shell = self.command("sh");
        shell.args(["-c", &self.real(script)]);
        self.finish(shell, "")
    }

    fn command(&self, program: &str) -> Command {
        let bin = self.directory.join("bin");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command =
            Command::new(if program == "boathook" { bin.join(program) } else { program.into() });
        command.current_dir(&self.workspace).env("PATH", format!("{}:{path}", bin.display()));
        command.env("HOME", self.directory.join("home/me")).env("TZ", "UTC").env("NO_COLOR", "1");
        for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "BOATHOOK_DEPTH", "BOATHOOK_CALLED_FROM", "COLUMNS"]
        {
            command.env_remove(name);
        }
        command
    }

    fn finish(&self, mut command: Command, stdin: &str) -> (Option<i32>, String, String) {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        // One that does not read its input is fine.
        drop(pipe.write_all(stdin.as_bytes()));
        drop(pipe);
        let output = child.wait_with_output().expect("it ends");
        let text = |bytes: &[u8]| self.shown(&String::from_utf8_lossy(bytes));
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// The text with the paths of this place.
    fn real(&self, text: &str) -> String {
        text.replace(HOME, &self.directory.join("home/me").to_string_lossy())
    }

    /// The text with the paths that pages use.
    fn shown(&self, text: &str) -> String {
        let text = text.replace(&*self.directory.join("home/me").to_string_lossy(), HOME);
        text.replace(&*self.directory.join("system").to_string_lossy(), "")
    }
}

/// A program that a section's blocks, or the hooks of a README's directory,
/// need and this machine lacks.
pub fn lacking(page: &Path, section: &[Fence]) -> Option<&'static str> {
    let hooks = about(page).and_then(|it| fs::read_dir(it.join(".cursor/hooks")).ok()).into_iter().flatten();
    let hooks = hooks.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
    let texts: Vec<String> = section.iter().map(|fence| fence.text.clone()).chain(hooks).collect();
    let needs = |program: &str| texts.iter().any(|text| text.contains(program));
    let there = |program: &str| {
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .any(|it| it.join(program).is_file())
    };
    ["jq", "python3", "node"].into_iter().find(|program| needs(program) && !there(program))
}

/// The directory that a README is about, when there are hooks in it.
fn about(page: &Path) -> Option<&Path> {
    page.parent().filter(|_| page.ends_with("README.md")).filter(|it| it.join(".cursor").is_dir())
}

/// Scripts are those that begin with a shebang.
fn write_executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, text).expect("a file");
    let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

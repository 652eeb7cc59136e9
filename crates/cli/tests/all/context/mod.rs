//! A place of its own for a test: a home, a project, a system root, and the
//! binary run in it, with no path or time of the machine left in what it prints.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub struct TestContext {
    temp: TempDir,
}

impl TestContext {
    pub fn new() -> TestContext {
        let temp = tempfile::tempdir().expect("a directory for the test");
        let context = TestContext { temp };
        for directory in ["home", "project", "system"] {
            fs::create_dir(context.path(directory)).expect("a directory");
        }
        context
    }

    /// A path below the test's directory: `home/…`, `project/…`, `system/…`.
    pub fn path(&self, name: &str) -> PathBuf {
        self.temp.path().canonicalize().expect("the directory exists").join(name)
    }

    pub fn project(&self) -> PathBuf {
        self.path("project")
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file stands in a directory")).expect("directories");
        fs::write(&path, text).expect("a file");
        path
    }

    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        path
    }

    /// The binary with this test's directories, working in the project.
    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_boathook"));
        command.arg("--root").arg(self.path("system")).args(args);
        command.current_dir(self.project()).env("HOME", self.path("home")).env("TZ", "UTC");
        for name in
            ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "NO_COLOR", "BOATHOOK_DEPTH", "BOATHOOK_CALLED_FROM"]
        {
            command.env_remove(name);
        }
        command
    }

    /// Runs it with nothing on stdin.
    pub fn output<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Output {
        self.output_with(args, b"")
    }

    /// Runs it with this on stdin.
    pub fn output_with<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        stdin: &[u8],
    ) -> Output {
        pipe(self.command(args), stdin)
    }

    /// What a person sees, for snapshots.
    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        self.seen(&self.output(args))
    }

    /// The same, with a payload on stdin.
    pub fn run_with<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        stdin: &str,
    ) -> String {
        self.seen(&self.output_with(args, stdin.as_bytes()))
    }

    fn seen(&self, output: &Output) -> String {
        let mut seen = format!(
            "exit code: {}\n",
            output.status.code().map_or("none".to_owned(), |code| code.to_string())
        );
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = self.without_paths(&String::from_utf8_lossy(bytes));
            if !text.is_empty() {
                seen.push_str(&format!("----- {name} -----\n{}\n", text.trim_end()));
            }
        }
        seen
    }

    pub fn without_paths(&self, text: &str) -> String {
        let root = self.path("");
        let root = root.to_string_lossy();
        let mut text = text.to_owned();
        for (directory, name) in [("project", "[PROJECT]"), ("home", "[HOME]"), ("system", "[SYSTEM]")] {
            text = text.replace(&format!("{root}{directory}"), name);
        }
        text.replace(&*root, "[TEST]/")
    }

    /// Adds to a segment of the log, private as the log's own writer makes it.
    pub fn log_segment(&self, number: u64, text: &str) {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        let folder = self.path("home/.local/state/boathook/log");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).expect("a folder");
        let file = folder.join(format!("{number:08}.jsonl"));
        let mut segment =
            fs::OpenOptions::new().create(true).append(true).mode(0o600).open(file).expect("a segment");
        segment.write_all(text.as_bytes()).expect("room on the disk");
    }

    /// Trusts the project as it is now.
    pub fn trust(&self) {
        let output = self.output(["trust", "--yes"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Runs a command with this on stdin and takes what it prints.
pub fn pipe(mut command: Command, stdin: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program()));
    let mut pipe = child.stdin.take().expect("stdin is a pipe");
    let bytes = stdin.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer ends");
    output
}

/// A hooks.json with one command hook.
pub fn one_hook(event: &str, command: &str) -> String {
    serde_json::json!({ "version": 1, "hooks": { event: [{ "command": command }] } }).to_string()
}

/// The text of a file, for tests that look at evidence; empty when there is none.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

//! Runs lines in the real bash, where the denied programs and all that a line may run are shims: each writes its
//! argument list to a file and does nothing else. Other programs are links to harmless real ones.
//!
//! `PATH` is the folder of shims, the environment is otherwise empty, the working directory a scratch folder. As
//! root, lines run as another user. Each line has limits of time, memory, processes and file size.

use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use std::{fs, io};

use super::oracle::Ran;

/// Programs that only write down that they ran.
const SHIMS: [&str; 4] = ["rm", "git", "ls", "cmd"];
/// Real programs; one that is not installed is left out.
#[rustfmt::skip] // a list of short words
const REAL: [&str; 44] = [
    "bash", "sh", "dash", "env", "timeout", "nice", "nohup", "xargs", "find", "stdbuf", "setsid", "flock", "script", "ionice", "taskset", "chrt", "setarch",
    "linux64", "prlimit", "setpriv", "capsh", "cat", "tee", "tr", "head", "sort", "tac", "seq", "printf", "test", "[", "true", "false", "echo", "chmod", "ln",
    "touch", "mkdir", "awk", "base64", "sleep", "wc", "cut", "rev",
];
/// Where a real program may be.
const DIRECTORIES: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/// The user that lines run as when the tests run as root.
const OTHER_USER: u32 = 65_534;
/// A line that takes longer is given up.
const LINE_TIMEOUT: Duration = Duration::from_secs(5);
/// Starts the line with limits. File 9 stays open in all that it starts, so that its end is seen.
const START: &str = "ulimit -c 0 -t 2 -f 4096 -v 4000000 -u 8000 || exit 1; exec 9>&1 </dev/null >/dev/null 2>&1; exec bash -c \"$0\"";

/// A folder in which lines run one after the other.
pub struct Sandbox {
    root: PathBuf,
    is_root: bool,
}

impl Sandbox {
    /// Makes the folder.
    pub fn new(root: &Path) -> Sandbox {
        let sandbox = Sandbox { root: root.to_owned(), is_root: rustix::process::geteuid().is_root() };
        let bin = root.join("bin");
        for folder in [root, &bin, &root.join("home")] {
            fs::create_dir_all(folder).expect("a folder");
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("its mode");
        }
        for name in SHIMS {
            sandbox.write_shim(&bin.join(name));
        }
        sandbox.write_shim(&root.join("foreign"));
        for name in REAL {
            let found = DIRECTORIES
                .iter()
                .map(|directory| Path::new(directory).join(name))
                .find(|path| path.exists());
            if let Some(path) = found {
                symlink(path, bin.join(name)).expect("a link");
            }
        }
        fs::write(root.join("ran"), "").expect("a file");
        if sandbox.is_root {
            for path in [root.join("home"), root.join("ran")] {
                chown(path, Some(OTHER_USER), Some(OTHER_USER)).expect("another owner");
            }
        }
        sandbox
    }

    fn write_shim(&self, path: &Path) {
        let ran = self.root.join("ran");
        // The number of words first: an argument may hold anything but a NUL.
        let text = format!("#!/bin/sh\nprintf '%s\\0' \"$#\" \"$0\" \"$@\" >> '{}'\n", ran.display());
        fs::write(path, text).expect("a shim");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }

    /// Every shim that ran, and whether the line ended in time.
    pub fn run(&self, line: &str) -> (Vec<Ran>, bool) {
        self.clear();
        // `sh` may be a shell whose `ulimit` takes one limit only.
        let mut shell = Command::new("/bin/bash");
        shell.args(["-c", START, line]).current_dir(self.root.join("home")).env_clear();
        shell.env("PATH", self.root.join("bin")).env("HOME", self.root.join("home")).env("LC_ALL", "C.UTF-8");
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        if self.is_root {
            shell.uid(OTHER_USER).gid(OTHER_USER);
        }
        let mut child = shell.spawn().expect("a shell");
        let mut output = child.stdout.take().expect("its output");
        let (send, ended) = mpsc::channel();
        thread::spawn(move || {
            // Some lines print without an end.
            let read = io::copy(&mut output, &mut io::sink());
            let _ = send.send(read.is_ok());
        });
        let in_time = ended.recv_timeout(LINE_TIMEOUT).is_ok();
        if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = child.wait();
        (self.ran(), in_time)
    }

    fn ran(&self) -> Vec<Ran> {
        let bytes = fs::read(self.root.join("ran")).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut words = text.split('\0').map(str::to_owned);
        let mut all = Vec::new();
        while let Some(count) = words.next().and_then(|count| count.parse::<usize>().ok()) {
            all.push(words.by_ref().take(count + 1).collect());
        }
        all
    }

    /// Removes what the last line left, and puts a foreign `ls` into the scratch folder.
    fn clear(&self) {
        let home = self.root.join("home");
        for entry in fs::read_dir(&home).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let _ = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
        let _ = symlink(self.root.join("foreign"), home.join("ls"));
        let _ = fs::write(self.root.join("ran"), "");
    }
}

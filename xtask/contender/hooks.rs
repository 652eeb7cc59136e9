//! The hooks that are measured, by name: their command lines and timeouts.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// One hook of a case.
#[derive(Clone)]
pub struct Hook {
    /// Its command line.
    pub command: String,
    /// How long it may take.
    pub timeout: Duration,
}

/// The programs that hooks are made of. The task that starts us put them there.
pub struct Programs {
    directory: PathBuf,
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(200);

impl Programs {
    /// Those in this directory.
    pub fn of(directory: &Path) -> Programs {
        Programs { directory: directory.to_owned() }
    }

    /// The hook without a C library.
    pub fn floor(&self) -> String {
        self.path("floor")
    }

    /// A command line that only a shell can read.
    pub fn shell_line(&self) -> String {
        format!("SHELL_NEEDED=1 {}", self.floor())
    }

    /// The hook written in bash.
    pub fn bash(&self) -> String {
        self.path("hook.bash")
    }

    /// The command as it was built for the same C library as this program.
    pub fn boathook(&self) -> String {
        self.path(if cfg!(target_env = "musl") { "boathook-musl" } else { "boathook-glibc" })
    }

    /// A file of that directory.
    pub fn path(&self, name: &str) -> String {
        self.directory.join(name).to_string_lossy().into_owned()
    }

    /// The hooks of a case.
    pub fn case(&self, name: &str) -> Option<Vec<Hook>> {
        let floor = self.floor();
        let hooks = match name {
            "tiny" => long([floor]),
            "shell" => long([self.shell_line()]),
            "bash" => long([self.bash()]),
            "bash8" => long((0..8).map(|_| self.bash())),
            "sleep" => long([format!("{floor} 50")]),
            "sleep8" => long((0..8).map(|_| format!("{floor} 50"))),
            "slowest" => long([format!("{floor} 95")]),
            "sleep16" => long((0..16).map(|index| format!("{floor} {}", 35 + 4 * index))),
            "sleeper" => short("sleep 30; echo late"),
            "term-trap" => short("trap '' TERM; sleep 30; echo late"),
            "grandchild" => short("sleep 30 & sleep 30; echo late"),
            "escapee" => short("setsid sleep 2 & sleep 30; echo late"),
            "answers" => long([r#"echo '{"permission":"allow"}'"#.to_owned()]),
            "answers-leaves-child" => long([r#"sleep 2 & echo '{"permission":"allow"}'"#.to_owned()]),
            "talks-leaves-child" => long(["sleep 2 & echo allowed".to_owned()]),
            _ => return None,
        };
        Some(hooks)
    }

    /// Hooks that go wrong, each in its own way.
    pub fn failures(&self) -> Vec<Hook> {
        let brief = Duration::from_millis(30);
        let lines = [
            ("exit 1", LONG),
            ("kill -9 $$", LONG),
            ("/nowhere/there-is-no-such-hook", LONG),
            ("echo '{\"permission\":'", LONG),
            ("sleep 30", brief),
            ("trap '' TERM; sleep 30 & sleep 30", brief),
            ("sleep 1 & exit 3", LONG),
            ("head -c 300000 /dev/zero >&2; exit 1", LONG),
        ];
        lines.into_iter().map(|(line, timeout)| Hook { command: line.to_owned(), timeout }).collect()
    }
}

fn long(commands: impl IntoIterator<Item = String>) -> Vec<Hook> {
    commands.into_iter().map(|command| Hook { command, timeout: LONG }).collect()
}

fn short(command: &str) -> Vec<Hook> {
    vec![Hook { command: command.to_owned(), timeout: SHORT }]
}

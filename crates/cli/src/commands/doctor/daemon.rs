//! Whether a daemon runs, in one line. Asks one that does, and starts none.

use std::path::Path;
use std::time::Duration;

use boathook_engine::remote::seat;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::commands::daemon::{Asked, ask};

/// A page that says much else does not wait longer.
const PATIENCE: Duration = Duration::from_secs(1);

/// How it is with the daemon of a state directory.
#[derive(Debug, PartialEq, Eq)]
pub enum Daemon {
    /// None runs.
    Absent,
    /// It answers.
    Runs { pid: u32, version: String },
    /// Something is there that cannot be asked.
    Trouble(String),
}

/// All that one of any version says of itself.
#[derive(Deserialize)]
struct Status {
    pid: u32,
    version: String,
}

impl Daemon {
    pub fn of(state: &Path) -> Daemon {
        match ask(state, "status", PATIENCE) {
            Asked::Answer(answer) => match serde_json::from_str::<Status>(&answer) {
                Ok(status) => Daemon::Runs { pid: status.pid, version: status.version },
                Err(error) => Daemon::Trouble(format!("its answer makes no sense ({error})")),
            },
            Asked::Nobody => match seat::holder(state) {
                Ok(Some(_)) => Daemon::Trouble("it begins or ends".to_owned()),
                Ok(None) | Err(_) => Daemon::Absent,
            },
            Asked::Trouble(problem) => Daemon::Trouble(problem),
        }
    }

    /// For people; `ours` is the version of this program.
    pub fn line(&self, ours: &str) -> String {
        match self {
            Daemon::Absent => "does not run; `boathook run` needs none".to_owned(),
            Daemon::Runs { pid, version } if version == ours => format!("runs, process {pid}"),
            Daemon::Runs { pid, version } => format!(
                "runs, process {pid}, of version {version}: this version does not ask it; `boathook daemon stop`, and start it anew"
            ),
            Daemon::Trouble(problem) => format!("cannot be asked: {problem}"),
        }
    }

    pub fn as_json(&self) -> Value {
        match self {
            Daemon::Absent => json!({ "runs": false }),
            Daemon::Runs { pid, version } => json!({ "runs": true, "pid": pid, "version": version }),
            Daemon::Trouble(problem) => json!({ "problem": problem }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_it_is() {
        let runs = |version: &str| Daemon::Runs { pid: 7, version: version.to_owned() };
        let cases = [
            (Daemon::Absent, "does not run; `boathook run` needs none"),
            (runs("1.2.3"), "runs, process 7"),
            (
                runs("1.2.2"),
                "runs, process 7, of version 1.2.2: this version does not ask it; `boathook daemon stop`, and start it anew",
            ),
            (Daemon::Trouble("it begins or ends".to_owned()), "cannot be asked: it begins or ends"),
        ];
        for (daemon, expected) in cases {
            assert_eq!(daemon.line("1.2.3"), expected);
        }
    }
}

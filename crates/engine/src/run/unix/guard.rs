//! Sees to it that hooks do not outlive a host that is killed.
//!
//! A hook itself dies with its host, by a promise of the kernel's (`clone`); what
//! the hook has started does not. So a run that takes longer than most gets a
//! guard: a small process that waits for the host's end of a pipe to close, and
//! then kills everything that bears the name of the run. When the run ends in
//! the ordinary way, the guard is gone before anybody can see it.

use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::super::shell::{Args, Way};
use super::marker::Marker;
use super::spawn;
use super::start::{Environment, Fate, Pwd, Start, pipe};

/// Most runs are over by then and never have a guard.
pub const GUARD_AFTER: Duration = Duration::from_millis(250);

/// More than one look, for what was being born during the one before.
const SCRIPT: &str = r#"
read -r _
for _ in 1 2 3; do
    for file in $(grep -lsF -- "$1" /proc/[0-9]*/environ); do
        file=${file#/proc/}
        kill -KILL "${file%/environ}"
    done
done
"#;

/// A guard at work.
pub struct Guard {
    pid: Pid,
    _lifeline: OwnedFd,
}

impl Guard {
    /// Sets one up. Where that fails there is none: it is a precaution.
    pub fn new(marker: &Marker) -> Option<Guard> {
        let (stdin, lifeline) = pipe().ok()?;
        let nowhere: File = OpenOptions::new().write(true).open("/dev/null").ok()?;
        let name = marker.in_environ();
        let words = vec!["/bin/sh", "-c", SCRIPT, "boathook-guard", &name];
        let way =
            Way { program: Path::new("/bin/sh").as_os_str().into(), args: Args::Words(words), direct: false };
        // Its own environment must not bear the name.
        let env = Arc::new(vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]);
        let start = Start {
            way: &way,
            run_dir: Path::new("/"),
            env: Environment { given: &env, marker: "", pwd: Pwd::Given },
            stdio: [stdin.as_fd(), nowhere.as_fd(), nowhere.as_fd()],
            fate: Fate::OutlivesHost,
        };
        let started = spawn::spawn(&start).ok()?;
        Some(Guard { pid: started.pid, _lifeline: lifeline })
    }
}

impl Drop for Guard {
    /// Before the pipe closes: it must not take this for the host's death.
    fn drop(&mut self) {
        let _ = kill_process(self.pid, Signal::KILL);
        let _ = waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED);
    }
}

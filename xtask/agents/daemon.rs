//! The daemon of one run, for agents that ask over HTTP.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::place::Place;

/// It listens at once; a busy machine takes longer.
const LIMIT: Duration = Duration::from_secs(60);

/// A daemon that runs until this is dropped.
pub struct Daemon {
    child: Child,
}

impl Daemon {
    /// Starts it, and waits until it says where it listens.
    pub fn start(command: &mut Command, place: &Place) -> Outcome<Daemon> {
        let log = place.write("daemon.txt", "")?;
        let cannot = |error: std::io::Error| format!("the daemon did not start: {error}");
        let file = std::fs::File::create(&log).map_err(cannot)?;
        command.args(["daemon", "--http"]).stdin(Stdio::null());
        command.stdout(file.try_clone().map_err(cannot)?).stderr(file);
        let mut daemon = Daemon { child: command.spawn().map_err(cannot)? };
        let started = Instant::now();
        loop {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            if said.contains("daemon/socket") {
                return Ok(daemon);
            }
            let ended = daemon.child.try_wait().is_ok_and(|status| status.is_some());
            if ended || started.elapsed() > LIMIT {
                return Err(format!("the daemon does not listen: {said}"));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

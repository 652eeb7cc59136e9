//! `boathook daemon` in a test's own place.

#![allow(dead_code)] // every test file uses its own part of this

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::context::TestContext;

/// A daemon that runs until it is dropped.
pub struct RealDaemon(Child);

impl RealDaemon {
    /// Starts it, and waits until it takes calls.
    pub fn new(cx: &TestContext) -> RealDaemon {
        let mut command = cx.command(["daemon"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let stderr = child.stderr.take().expect("a pipe");
        let said = std::thread::spawn(move || {
            let lines = BufReader::new(stderr).lines();
            lines.map_while(Result::ok).collect::<Vec<String>>().join("\n")
        });
        let socket = cx.path("home/.local/state/boathook/daemon/socket");
        let began = Instant::now();
        // A socket of an earlier one refuses calls, so this finds no other.
        while UnixStream::connect(&socket).is_err() {
            let ended = child.try_wait().expect("it can be asked");
            let waited = began.elapsed();
            if ended.is_some() || waited > Duration::from_secs(60) {
                let _ = child.kill();
                panic!("no daemon after {waited:?} ({ended:?}): {:?}", said.join());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        RealDaemon(child)
    }

    /// As `kill -9` does it; there is nothing it could do about it.
    pub fn kill(&mut self) {
        self.0.kill().expect("it is ours");
        self.0.wait().expect("it ends");
    }

    /// It hangs from now on.
    pub fn stop(&self) {
        let order = format!("kill -STOP {}", self.0.id());
        assert!(Command::new("sh").args(["-c", &order]).status().expect("a shell").success());
    }
}

impl Drop for RealDaemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

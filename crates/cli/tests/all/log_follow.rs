//! `boathook log -f`: records as they come.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::context::{TestContext, one_hook};

/// A `boathook log -f` and what it prints.
struct Follower {
    child: Child,
    lines: Receiver<String>,
}

impl Follower {
    fn start(mut command: Command) -> Follower {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, lines) = channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Follower { child, lines }
    }

    /// The next line that holds this text.
    fn expect(&self, text: &str) -> String {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|_| panic!("no line with «{text}»"));
            if line.contains(text) {
                return line;
            }
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn following_survives_rotation_and_a_log_that_is_not_there_yet() {
    let cx = TestContext::new();
    let follower = Follower::start(cx.command(["log", "-f", "--json"]));
    cx.write("home/.cursor/hooks.json", one_hook("stop", "echo {}"));
    assert!(cx.output(["run", "stop", "--field", "status=first"]).status.success());
    assert!(follower.expect("first").contains("\"step\":\"stop\""));
    let record = |id: &str| {
        json!({ "id": id, "timestamp": "2026-11-15T22:00:00Z", "step": "stop", "found": 0, "request": {}, "outcome": "none", "blocked": false }).to_string() + "\n"
    };
    cx.log_segment(1, &record("1-second"));
    follower.expect("1-second");
    let (head, tail) = (&record("1-third")[..20], &record("1-third")[20..]);
    cx.log_segment(2, head);
    fs::remove_file(cx.path("home/.local/state/boathook/log/00000000.jsonl")).expect("the oldest segment");
    std::thread::sleep(Duration::from_millis(500));
    cx.log_segment(2, tail);
    follower.expect("1-third");
}

#[test]
fn following_verbosely_is_an_output_channel() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", r#"echo '{"permission":"allow"}'"#));
    let follower = Follower::start(cx.command(["log", "-f", "-v"]));
    assert!(cx.output(["run", "stop", "--field", "status=completed"]).status.success());
    follower.expect("stop requested, no hook found");
    follower.expect("\"status\":\"completed\"");
    assert!(cx.output(["run", "beforeShellExecution", "--field", "command=ls -la"]).status.success());
    follower.expect("beforeShellExecution requested, 1 hook found");
    for part in [
        "source     user",
        "directory  ",
        "timeout    60000 ms",
        "command    echo",
        "duration   ",
        "exit       0",
        "ls -la",
        "\"permission\":\"allow\"",
    ] {
        follower.expect(part);
    }
}

#[test]
fn following_ends_when_nobody_reads() {
    let cx = TestContext::new();
    let mut child =
        cx.command(["log", "-f"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    drop(child.stdout.take());
    let until = Instant::now() + Duration::from_secs(30);
    while child.try_wait().expect("a child").is_none() {
        assert!(Instant::now() < until, "it goes on for ever");
        assert!(cx.output(["run", "stop"]).status.success());
    }
}

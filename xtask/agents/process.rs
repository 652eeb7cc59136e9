//! Runs an agent until it ends or its time is over, and leaves nothing of it behind.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::Outcome;

/// Names the run in the environment of everything that it starts. A daemon
/// that left its process group is found by it.
pub const MARK: &str = "BOATHOOK_AGENT_RUN";

/// How a run ended.
pub struct Ended {
    /// `None`: its time was over.
    pub code: Option<i32>,
    /// What it printed, both streams.
    pub output: String,
}

/// Runs it. What it prints goes into a file: a child that outlives the agent
/// would otherwise hold the pipe, and with it us.
pub fn run(command: &mut Command, directory: &Path, limit: Duration) -> Outcome<Ended> {
    let log = directory.join("output.txt");
    let name = command.get_program().to_string_lossy().into_owned();
    let cannot = |error: std::io::Error| format!("cannot run `{name}`: {error}");
    let file = File::create(&log).map_err(cannot)?;
    command.stdin(Stdio::null()).stdout(file.try_clone().map_err(cannot)?).stderr(file);
    command.env(MARK, directory).process_group(0);
    let mut child = command.spawn().map_err(cannot)?;
    let group = child.id();
    let (send, ended) = mpsc::channel();
    let waiter = thread::spawn(move || {
        let _ = send.send(child.wait());
    });
    let status = ended.recv_timeout(limit);
    // Also after a good end: what it left running must not meet the next run.
    kill(&[format!("-{group}")]);
    end_all(directory);
    let _ = waiter.join();
    let output = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
    match status {
        Ok(Ok(status)) => Ok(Ended { code: Some(status.code().unwrap_or(-1)), output }),
        Ok(Err(error)) => Err(format!("cannot wait for `{name}`: {error}")),
        Err(_) => Ok(Ended { code: None, output }),
    }
}

/// Until nobody is left who could still write into the run's directory. Who
/// starts others while it is ended is met in the next round.
fn end_all(directory: &Path) {
    for _ in 0..50 {
        let left = left_behind(directory);
        if left.is_empty() {
            return;
        }
        kill(&left);
        thread::sleep(Duration::from_millis(50));
    }
}

fn kill(targets: &[String]) {
    if targets.is_empty() {
        return;
    }
    let mut kill = Command::new("kill");
    kill.args(["-KILL", "--"]).args(targets);
    // Mostly there is nobody left: that is no error.
    let _ = kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

/// The processes that carry the mark of this run.
fn left_behind(directory: &Path) -> Vec<String> {
    let mark = format!("{MARK}={}", directory.display());
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let names = processes.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let numbers = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    numbers.filter(|number| has_mark(number, mark.as_bytes())).collect()
}

fn has_mark(number: &str, mark: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| variable == mark)
}

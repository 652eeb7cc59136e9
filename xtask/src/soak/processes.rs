//! Finds and ends the processes of a sandbox.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::sandbox::MARK;

/// Processes that carry the mark, once those that are about to end have ended.
pub fn left_after(mark: &str, patience: Duration) -> Vec<String> {
    let deadline = Instant::now() + patience;
    loop {
        let left = marked(mark);
        if left.is_empty() || Instant::now() > deadline {
            return left;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Ends them: each by its own number.
pub fn end(processes: &[String]) {
    for process in processes {
        let _ = Command::new("kill").args(["-9", process]).status();
    }
}

fn marked(mark: &str) -> Vec<String> {
    let pair = format!("{MARK}={mark}");
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = names.filter_map(|entry| entry.file_name().into_string().ok());
    let numbers = numbers.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    numbers.filter(|number| carries(number, &pair)).collect()
}

fn carries(process: &str, pair: &str) -> bool {
    // A zombie has no environment any more, and nothing else either.
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| variable == pair.as_bytes())
}

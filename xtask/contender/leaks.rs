//! What a process has left behind: children, descriptors, threads, memory.

use std::fs;

/// Every process this program starts carries this variable, and so does what it starts in turn.
pub const MARK: &str = "BENCH_RUN";

/// A count of everything that can leak.
#[derive(Clone, Copy)]
pub struct Belongings {
    /// Children that ended and were not reaped.
    pub zombies: u64,
    /// Open descriptors.
    pub descriptors: u64,
    /// Threads.
    pub threads: u64,
    /// Processes somewhere in the system that carry the mark.
    pub marked: u64,
    /// Resident memory in bytes.
    pub resident: u64,
}

/// Counts what belongs to this process now.
pub fn belongings(mark: &str) -> Belongings {
    Belongings {
        zombies: processes().filter(|pid| is_own_zombie(pid)).count() as u64,
        descriptors: entries("/proc/self/fd"),
        threads: entries("/proc/self/task"),
        marked: processes().filter(|pid| carries(pid, mark)).count() as u64,
        resident: resident(),
    }
}

fn entries(directory: &str) -> u64 {
    fs::read_dir(directory).map_or(0, |entries| entries.count() as u64)
}

fn processes() -> impl Iterator<Item = String> {
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.parse::<u32>().is_ok())
}

fn is_own_zombie(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("").trim();
    field("PPid:") == std::process::id().to_string() && field("State:").starts_with('Z')
}

fn carries(pid: &str, mark: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let pair = format!("{MARK}={mark}");
    environment.split(|&byte| byte == 0).any(|variable| variable == pair.as_bytes())
}

fn resident() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) * 1024
}

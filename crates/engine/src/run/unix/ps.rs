//! The table of processes where there is no `/proc`: as `ps` prints it.
//!
//! Only used when a tree has to die, so a process more does not matter.
//! Environments are not looked at here: daemons that left their group before
//! the kill are not found.

use std::process::{Command, Stdio};

use super::{Entry, Root};
use rustix::process::{Pid, test_kill_process};

/// The living.
pub struct Table(Vec<Entry>);

impl Table {
    pub fn read(_roots: &[Root]) -> Table {
        let ps = Command::new("/bin/ps")
            .args(["-A", "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat="])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let text = ps.map(|output| output.stdout).unwrap_or_default();
        Table(String::from_utf8_lossy(&text).lines().filter_map(read_line).collect())
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        self.0.iter().copied()
    }

    pub fn is_marked(&self, _pid: i32, _roots: &[Root]) -> bool {
        false
    }
}

/// Whether a process exists. Corpses count, but those of a killed tree have a
/// new parent that fetches them.
pub fn is_alive(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok())
}

fn read_line(line: &str) -> Option<Entry> {
    let mut fields = line.split_ascii_whitespace();
    let pid = fields.next()?.parse().ok()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let alive = !fields.next()?.starts_with('Z');
    alive.then_some(Entry { pid, parent, group })
}

//! The table of processes where there is no `/proc`: as `ps` prints it.
//!
//! Only used when a tree has to die, so a process more does not matter. Where
//! `ps` cannot show environments, daemons that left their group before the kill
//! are not found.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use rustix::process::{Pid, test_kill_process};

use super::super::super::MARKER;
use super::{Entry, Root};

/// The living, each with its command line and, on macOS, its environment.
pub struct Table(HashMap<i32, (Entry, String)>);

impl Table {
    pub fn read(_roots: &[Root]) -> Table {
        let environment: &[&str] = if cfg!(target_os = "macos") { &["-E"] } else { &[] };
        let ps = Command::new("/bin/ps")
            .args(environment)
            .args(["-A", "-ww", "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat=", "-o", "command="])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        Table::from_text(&ps.map(|output| output.stdout).unwrap_or_default())
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        self.0.values().map(|(entry, _)| *entry)
    }

    pub fn is_marked(&self, pid: i32, roots: &[Root]) -> bool {
        let Some((_, text)) = self.0.get(&pid) else { return false };
        let names = text.split(' ').filter_map(|word| word.strip_prefix(MARKER)?.strip_prefix('='));
        let same = |name: &str, root: &Root| {
            name.strip_prefix(root.marker).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        names.into_iter().any(|name| roots.iter().any(|root| same(name, root)))
    }

    fn from_text(text: &[u8]) -> Table {
        let text = String::from_utf8_lossy(text);
        Table(text.lines().filter_map(read_line).map(|(entry, rest)| (entry.pid, (entry, rest))).collect())
    }
}

/// Whether a process exists. Corpses count, but those of a killed tree have a
/// new parent that fetches them.
pub fn is_alive(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok())
}

fn read_line(line: &str) -> Option<(Entry, String)> {
    let mut fields = line.split_ascii_whitespace();
    let pid = fields.next()?.parse().ok()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let alive = !fields.next()?.starts_with('Z');
    alive.then(|| (Entry { pid, parent, group }, fields.collect::<Vec<_>>().join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_from_what_ps_prints() {
        let text = b"  7   1  7 Ss  /sbin/x A=1 BOATHOOK_RUN=ab.1/cd.0 B=2\n 8 7 7 Z (gone)\n 9 7 7 R y BOATHOOK_RUN=ab.12\n\nx\n";
        let table = Table::from_text(text);
        let mut pids: Vec<(i32, i32)> = table.entries().map(|entry| (entry.pid, entry.parent)).collect();
        pids.sort_unstable();
        assert_eq!(pids, [(7, 1), (9, 7)]);
        let roots = [Root { pid: Pid::INIT, marker: "ab.1" }];
        assert!(table.is_marked(7, &roots) && !table.is_marked(9, &roots) && !table.is_marked(1, &roots));
    }

    #[test]
    fn the_real_table_has_us_and_our_parent() {
        let own = std::process::id() as i32;
        let entry = Table::read(&[]).entries().find(|entry| entry.pid == own).expect("`ps` shows us");
        assert!(is_alive(own) && is_alive(entry.parent) && !is_alive(i32::MAX));
    }
}

//! The table of processes, from Linux's `/proc`.

use std::fs;
use std::io::Read;

use super::super::marker;
use super::{Entry, Root};

/// The living that are not older than the roots.
pub struct Table(Vec<Entry>);

impl Table {
    /// Nothing older than the oldest root can descend from one, which leaves
    /// few whose environment needs to be read.
    pub fn read(roots: &[Root]) -> Table {
        let oldest = roots
            .iter()
            .filter_map(|root| stat(root.pid.as_raw_nonzero().get()))
            .map(|stat| stat.start)
            .min();
        let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let young = |stat: &Stat| oldest.is_none_or(|oldest| stat.start >= oldest);
        Table(pids.filter_map(stat).filter(|stat| stat.alive && young(stat)).map(|stat| stat.entry).collect())
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        self.0.iter().copied()
    }

    /// A process of another user shows its environment to nobody else, and it
    /// could not be killed either.
    pub fn is_marked(&self, pid: i32, roots: &[Root]) -> bool {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        roots.iter().any(|root| marker::is_in(&environ, root.marker))
    }
}

/// Whether a process exists and is more than a corpse that nobody fetched.
pub fn is_alive(pid: i32) -> bool {
    stat(pid).is_some_and(|stat| stat.alive)
}

struct Stat {
    entry: Entry,
    alive: bool,
    /// In ticks since the machine started.
    start: u64,
}

fn stat(pid: i32) -> Option<Stat> {
    let mut text = [0; 1024];
    let length = fs::File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut text).ok()?;
    read_stat(pid, &text[..length])
}

/// The name in the second field may hold anything, so the fields are counted
/// from its last parenthesis.
fn read_stat(pid: i32, text: &[u8]) -> Option<Stat> {
    let end = text.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(&text[end + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let start = fields.nth(16)?.parse().ok()?;
    Some(Stat { entry: Entry { pid, parent, group }, alive: !matches!(state, "Z" | "X" | "x"), start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_the_fields_behind_it() {
        let text = b"7 (a) Z 1 1 (x) S 42 43 44 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1 2 3";
        let stat = read_stat(7, text).expect("a line of the kernel");
        assert_eq!((stat.entry.parent, stat.entry.group, stat.start, stat.alive), (42, 43, 987654, true));
        assert!(
            !read_stat(7, b"7 (a) Z 42 43 44 0 -1 1 1 0 0 0 0 0 0 0 20 0 1 0 5").expect("a zombie").alive
        );
    }

    #[test]
    fn we_are_alive_and_nobody_has_a_number_below_one() {
        assert!(is_alive(std::process::id() as i32));
        assert!(!is_alive(0) && !is_alive(-1) && !is_alive(i32::MAX));
    }
}

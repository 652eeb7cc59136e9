//! Kills a process and everything it started, also what left its group.
//!
//! Three marks make a process a member: an ancestor in the tree, the group, and
//! the name of the run in its environment. The last finds daemons, which have
//! neither parents nor group. Only a process that took all three off survives.
//!
//! The host is not made a subreaper for this: that is a property of the whole
//! process, and a library must not change its host.

#[cfg(target_os = "linux")]
#[path = "proc.rs"]
mod proc;
#[cfg(any(not(target_os = "linux"), test))]
#[path = "ps.rs"]
mod ps;

#[cfg(target_os = "linux")]
use proc as table;
#[cfg(not(target_os = "linux"))]
use ps as table;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

use table::Table;

/// How long the dead may take to die before they are left to themselves.
const PATIENCE: Duration = Duration::from_secs(1);
/// A tree that grows faster than it can be looked at is killed as it is.
const ROUNDS: usize = 20;

/// A process whose tree dies. It must not have been reaped, so that its number
/// and that of its group are still its own.
pub struct Root<'a> {
    pub pid: Pid,
    pub marker: &'a str,
}

/// One line of the table of processes.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub pid: i32,
    pub parent: i32,
    pub group: i32,
}

/// Kills these trees and waits, within limits, until they are gone.
pub fn kill(roots: &[Root]) {
    // What is stopped starts nothing more while we look. For a group this is
    // atomic: no fork succeeds in a process that has a signal waiting.
    signal_groups(roots, Signal::STOP);
    let mut members = stop_members(roots);
    signal_groups(roots, Signal::KILL);
    for pid in members.iter().filter_map(|pid| Pid::from_raw(*pid)) {
        let _ = kill_process(pid, Signal::KILL);
    }
    // The roots stay until they are reaped, which is not done here.
    members.retain(|member| roots.iter().all(|root| number(root) != *member));
    wait_until_gone(members);
}

/// Stops every member and finds it thereby. One that had left the group may
/// have started another in the meantime, so the look is repeated.
fn stop_members(roots: &[Root]) -> HashSet<i32> {
    let mut members: HashSet<i32> = roots.iter().map(number).collect();
    let groups = members.clone();
    for _ in 0..ROUNDS {
        let table = Table::read(roots);
        let found = find(&table, roots, &members);
        let mut outside = false;
        for entry in found {
            if members.insert(entry.pid) && !groups.contains(&entry.group) {
                outside = true;
                let _ = Pid::from_raw(entry.pid).map(|pid| kill_process(pid, Signal::STOP));
            }
        }
        if !outside {
            break;
        }
    }
    members
}

/// The members among the living that are not known yet. Parents stand before
/// their children nowhere, so the table is walked until nothing new turns up.
fn find(table: &Table, roots: &[Root], known: &HashSet<i32>) -> Vec<Entry> {
    let own = getpid().as_raw_nonzero().get();
    let groups: HashSet<i32> = roots.iter().map(number).collect();
    let mut family = known.clone();
    let mut found = Vec::new();
    let mut rest: Vec<Entry> =
        table.entries().filter(|entry| entry.pid != own && !known.contains(&entry.pid)).collect();
    let marked: HashSet<i32> =
        rest.iter().map(|entry| entry.pid).filter(|pid| table.is_marked(*pid, roots)).collect();
    loop {
        let before = rest.len();
        rest.retain(|entry| {
            let member = family.contains(&entry.parent)
                || groups.contains(&entry.group)
                || marked.contains(&entry.pid);
            if member {
                family.insert(entry.pid);
                found.push(*entry);
            }
            !member
        });
        if rest.len() == before {
            return found;
        }
    }
}

fn number(root: &Root) -> i32 {
    root.pid.as_raw_nonzero().get()
}

fn signal_groups(roots: &[Root], signal: Signal) {
    for root in roots {
        // An empty group is no error: its members may all have ended.
        let _ = kill_process_group(root.pid, signal);
    }
}

fn wait_until_gone(mut members: HashSet<i32>) {
    let limit = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(100);
    loop {
        members.retain(|pid| table::is_alive(*pid));
        if members.is_empty() || Instant::now() >= limit {
            return;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

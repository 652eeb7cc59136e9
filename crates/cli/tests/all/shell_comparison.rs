//! The reader of command lines against bash itself, on generated lines.
//!
//! Each line runs in the real bash, in a sandbox where the denied programs are shims that write down that they
//! ran. Where one ran and the denying rule was silent, or where something else than the allowed programs ran
//! and the allowing rule allowed it, the rules have a hole. `BOATHOOK_SHELL_LINES` says how many lines are tried,
//! `BOATHOOK_SHELL_SEED` which.
#![cfg(target_os = "linux")]

mod generator;
mod oracle;
#[allow(dead_code)] // the tasks of the project use the rest
#[path = "../../../../xtask/src/random.rs"]
mod random;
mod sandbox;
mod tables;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use generator::{Line, allowed_line, line};
use sandbox::Sandbox;

use crate::verdict;

const LINES: u64 = 2_500;
const SEED: u64 = 2_026;
/// One line of so many is for the rule that allows.
const ALLOWED_LINES: u64 = 8;
/// So many holes are made short and shown.
const MAX_SHOWN: usize = 20;
/// A hole is made short with so many runs.
const MAX_SHRINKS: usize = 300;

/// What came of all lines.
#[derive(Debug, Default)]
struct Totals {
    ran_denied: u64,
    denied: u64,
    doubts: u64,
    allowed: u64,
    late: Vec<String>,
    blind: BTreeMap<&'static str, u64>,
    holes: Vec<String>,
    /// The templates of lines on which a denied program ran.
    proven: BTreeSet<&'static str>,
}

/// How a rule and bash disagree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hole {
    /// A denied program ran, and the denying rule was silent.
    Silent,
    /// Something else than the allowed programs ran, and the allowing rule allowed it.
    Allowed,
}

#[test]
fn no_generated_line_gets_past_the_rules_in_bash() {
    let number = |name: &str, default: u64| {
        let given = std::env::var(name).ok().filter(|text| !text.is_empty());
        given.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
    };
    let (lines, seed) = (number("BOATHOOK_SHELL_LINES", LINES), number("BOATHOOK_SHELL_SEED", SEED));
    let totals = compare(seed, lines);
    let blind: Vec<String> = totals.blind.iter().map(|(reason, times)| format!("{times} {reason}")).collect();
    println!(
        "shell lines: {lines} with seed {seed}, {} ran a denied program, {} past the rules; {} denied ({} in doubt), {} allowed, {} not ended in time; blind spots: {}",
        totals.ran_denied,
        totals.holes.len(),
        totals.denied,
        totals.doubts,
        totals.allowed,
        totals.late.len(),
        if blind.is_empty() { "none".to_owned() } else { blind.join(", ") },
    );
    if lines >= 50_000 {
        println!("lines that did not end in time: {:#?}", totals.late.iter().take(20).collect::<Vec<_>>());
        let never: Vec<&str> = all_templates().filter(|it| !totals.proven.contains(it)).collect();
        println!("templates that never ran a denied program: {never:#?}");
    }
    assert!(totals.holes.is_empty(), "{} holes:\n{}", totals.holes.len(), totals.holes.join("\n"));
    assert!(totals.ran_denied > lines / 3, "only {} lines ran a denied program", totals.ran_denied);
    assert!(totals.allowed > 0 || lines < 1_000, "the allowing rule allowed nothing");
}

fn all_templates() -> impl Iterator<Item = &'static str> {
    use tables::*;
    let tables = [PREFIXES, SCRIPT_WORDS, COMMANDS, TEXTS, EVALUATIONS, STATEMENTS, SETTINGS, REFERENCES];
    tables.into_iter().flatten().copied().chain(BLIND.iter().map(|row| row.hidden))
}

fn compare(seed: u64, lines: u64) -> Totals {
    let place = tempfile::tempdir().expect("a folder");
    open_to_all(place.path());
    let (next, totals) = (AtomicU64::new(0), Mutex::new(Totals::default()));
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for worker in 0..workers {
            let sandbox = Sandbox::new(&place.path().join(format!("w{worker}")));
            let (next, totals) = (&next, &totals);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= lines {
                        break;
                    }
                    let line = if number.is_multiple_of(ALLOWED_LINES) {
                        allowed_line(seed, number)
                    } else {
                        line(seed, number)
                    };
                    judge(&sandbox, number, &line, totals);
                }
            });
        }
    });
    totals.into_inner().expect("no worker panicked")
}

/// Another user runs the lines when this is root.
fn open_to_all(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

fn judge(sandbox: &Sandbox, number: u64, line: &Line, totals: &Mutex<Totals>) {
    let (ran, in_time) = sandbox.run(&line.text);
    let ran_denied = ran.iter().any(oracle::is_denied);
    let (is_denied, is_allowed) = (verdict::is_denied(&line.text), verdict::is_allowed(&line.text));
    let hole = match () {
        () if ran_denied && !is_denied => Some(Hole::Silent),
        () if is_allowed && !ran.iter().all(oracle::is_allowed) => Some(Hole::Allowed),
        () => None,
    };
    // Silence is excused where the same line, with its one documented blind spot opened, is denied.
    let excuse =
        line.blind.as_ref().filter(|(_, open)| hole == Some(Hole::Silent) && verdict::is_denied(open));
    let found = match (hole, excuse) {
        // A program of the line before may have written late.
        (Some(hole), None) if (0..2).all(|_| is_hole(sandbox, hole, &line.text)) => Some(hole),
        _ => None,
    };
    let count = totals.lock().expect("totals").holes.len();
    let shown = found.map(|hole| match count < MAX_SHOWN {
        true => format!(
            "#{number} {hole:?}: {:?}\n    from {:?}{}",
            shortened(sandbox, hole, &line.text),
            line.text,
            line.blind.as_ref().map(|(_, open)| format!("\n    opened {open:?}")).unwrap_or_default(),
        ),
        false => format!("#{number} {hole:?}"),
    });
    let mut totals = totals.lock().expect("totals");
    totals.late.extend((!in_time).then(|| line.text.clone()));
    totals.ran_denied += u64::from(ran_denied);
    totals.denied += u64::from(is_denied);
    totals.doubts += u64::from(is_denied && verdict::doubt(&line.text).is_some());
    totals.allowed += u64::from(is_allowed);
    if let Some((reason, _)) = excuse {
        *totals.blind.entry(*reason).or_default() += 1;
    }
    if ran_denied || (number.is_multiple_of(ALLOWED_LINES) && ran.iter().any(|ran| !oracle::is_allowed(ran)))
    {
        totals.proven.extend(&line.templates);
    }
    totals.holes.extend(shown);
}

fn is_hole(sandbox: &Sandbox, hole: Hole, text: &str) -> bool {
    let rule_fails = match hole {
        Hole::Silent => !verdict::is_denied(text),
        Hole::Allowed => verdict::is_allowed(text),
    };
    rule_fails
        && match hole {
            Hole::Silent => sandbox.run(text).0.iter().any(oracle::is_denied),
            Hole::Allowed => !sandbox.run(text).0.iter().all(oracle::is_allowed),
        }
}

/// A shorter line with the same hole: parts are left out as long as it stays one.
fn shortened(sandbox: &Sandbox, hole: Hole, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let (mut size, mut runs) = (chars.len() / 2, 0);
    while size > 0 && runs < MAX_SHRINKS {
        let mut at = 0;
        while at < chars.len() && runs < MAX_SHRINKS {
            let end = (at + size).min(chars.len());
            let without: String = chars[..at].iter().chain(&chars[end..]).collect();
            runs += 1;
            let is_safe = !without.contains("bin/")
                || text.contains("../bin/")
                    && without.matches("bin/").count() == without.matches("../bin/").count();
            if is_safe && is_hole(sandbox, hole, &without) {
                chars = without.chars().collect();
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    chars.into_iter().collect()
}

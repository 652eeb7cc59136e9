//! Runs cases on a few threads and tells every failure in one table.

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::case::{Case, Group, Only, Trusted};
use super::compare::{Observed, differences};
use super::layout::Layout;

const THREADS: usize = 4;

/// Runs one case: calls back after every step with what it did.
pub type Run = fn(&Case, &Layout, &mut dyn FnMut(usize, Observed)) -> Result<(), String>;

/// Runs all cases that are for this subject, and panics with a table when any fails.
pub fn run_all(groups: &[Group], subject: Only, run: Run) {
    let cases: Vec<&Case> = groups
        .iter()
        .flat_map(|group| &group.cases)
        .filter(|case| case.only.is_none_or(|only| only == subject))
        .filter(|case| std::env::var("CASE").is_ok_and(|part| case.name.contains(&part)) || all_wanted())
        .collect();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    failures.lock().expect("no thread panicked").extend(run_case(case, run));
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no thread panicked");
    assert!(failures.is_empty(), "{}", table(subject, cases.len(), failures));
}

fn all_wanted() -> bool {
    std::env::var_os("CASE").is_none()
}

/// The case's name, its step, and what differs.
fn run_case(case: &Case, run: Run) -> Vec<(String, String)> {
    let layout = Layout::of(case);
    let mut failures = Vec::new();
    let ended = run(case, &layout, &mut |index, observed| {
        let name =
            if case.steps.len() > 1 { format!("{} #{}", case.name, index + 1) } else { case.name.clone() };
        let found = differences(&case.steps[index].expect, &observed, &layout);
        failures.extend(found.into_iter().map(|difference| (name.clone(), difference)));
    });
    if let Err(problem) = ended {
        failures.push((case.name.clone(), problem));
    }
    failures
}

/// Puts files and records in place for a step; `trust` trusts workspaces.
pub fn prepare(
    case: &Case,
    index: usize,
    layout: &Layout,
    trust: impl Fn(&Layout, &Case) -> Result<(), String>,
) -> Result<(), String> {
    let step = &case.steps[index];
    layout.write(&step.write);
    step.remove.iter().for_each(|name| layout.remove(name));
    let before_the_first = index == 0 && !matches!(case.trusted, Trusted::All(false));
    if before_the_first || step.trust_again {
        trust(layout, case)?;
    }
    layout.forget_who_ran();
    Ok(())
}

fn table(subject: Only, ran: usize, mut failures: Vec<(String, String)>) -> String {
    failures.sort();
    let mut cases: Vec<&str> =
        failures.iter().map(|(name, _)| name.split(" #").next().unwrap_or(name)).collect();
    cases.dedup();
    let width = failures.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut text = format!("{subject:?}: {} of {ran} cases failed\n", cases.len());
    for (name, difference) in &failures {
        let _ = writeln!(text, "{name:width$}  {difference}");
    }
    text
}

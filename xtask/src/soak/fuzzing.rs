//! Ten minutes of every fuzz target, as many at once as there are processors.

use super::Finding;
use crate::command::Outcome;
use crate::fuzz::{self, Fuzzed, Learning};
use crate::progress::Progress;

/// A finding for each run, and how they were run.
pub fn findings(quick: bool, progress: &mut Progress) -> Outcome<(String, Vec<Finding>)> {
    if let Some(advice) = fuzz::missing()? {
        return Err(advice);
    }
    let seconds = if quick { fuzz::SECONDS_IN_TESTS } else { fuzz::SECONDS_IN_SOAK };
    let runs = fuzz::all_runs()?;
    let fuzzed = fuzz::run_all(&runs, seconds, Learning::Remembered, progress)?;
    if let Err(findings) = fuzz::complain(&fuzzed) {
        eprintln!("{findings}");
    }
    let note = format!("`cargo xtask soak --fuzz`: {seconds} seconds for each target; times are inputs.");
    Ok((note, fuzzed.iter().map(finding).collect()))
}

fn finding(fuzzed: &Fuzzed) -> Finding {
    Finding {
        what: format!("`{}`", fuzzed.name),
        times: usize::try_from(fuzzed.inputs).unwrap_or(usize::MAX),
        wanted: "0 findings".to_owned(),
        seen: fuzzed.summary(),
        good: fuzzed.finding.is_none(),
    }
}

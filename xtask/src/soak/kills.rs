//! `kill -9` of `boathook run` at random times: no process stays, no record is lost.

use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::command::{self, Outcome};
use crate::random::Random;

use super::Finding;
use super::processes::{end, left_after};
use super::sandbox::Sandbox;

/// What is killed, and when.
struct Case {
    what: &'static str,
    hook: &'static str,
    /// The kill comes at a random moment between these, in microseconds from the start.
    moment: (u64, u64),
    /// Its share of all kills.
    share: usize,
}

const CASES: &[Case] = &[
    Case {
        // Before its hooks start, while they run, while their record is written.
        what: "`run` killed within 30 ms; its hook ends by itself",
        hook: "#!/bin/sh\nsleep 0.01\necho '{\"permission\":\"allow\"}'\n",
        moment: (0, 30_000),
        share: 3,
    },
    Case {
        what: "`run` killed within 30 ms; its hook would go on for a minute",
        hook: "#!/bin/sh\nexec sleep 60\n",
        moment: (0, 30_000),
        share: 3,
    },
    Case {
        // What a hook has started is guarded once the hook has run for a quarter of a second.
        what: "`run` killed after 0.35 to 0.6 s; its hook has children that would go on",
        hook: "#!/bin/sh\nsleep 60 &\nsleep 60\n",
        moment: (350_000, 600_000),
        share: 1,
    },
];

/// Every so many kills the survivors are counted and one run is left to finish.
const BATCH: usize = 20;
/// A process that lives longer than this after the kill stays.
const PATIENCE: Duration = Duration::from_secs(3);

/// Kills so many runs, then reads the log.
pub fn kills(binary: &Path, times: usize) -> Outcome<Vec<Finding>> {
    let shares: usize = CASES.iter().map(|case| case.share).sum();
    let mut findings = Vec::new();
    for case in CASES {
        findings.extend(killed_runs(binary, case, times * case.share / shares)?);
    }
    Ok(findings)
}

fn killed_runs(binary: &Path, case: &Case, times: usize) -> Outcome<Vec<Finding>> {
    let sandbox = Sandbox::new(binary, "kills")?;
    let entry = "{\"command\": \"./hook.sh\"}, {\"command\": \"./quick.sh\"}";
    let hooks = format!("{{\"version\": 1, \"hooks\": {{\"beforeShellExecution\": [{entry}]}}}}\n");
    sandbox.write("home/.cursor/hooks.json", &hooks)?;
    sandbox.write("home/.cursor/quick.sh", "#!/bin/sh\necho '{}'\n")?;
    let (mut orphans, mut finished) = (0, 0);
    for (batch, kills) in batches(times).enumerate() {
        sandbox.write("home/.cursor/hook.sh", case.hook)?;
        kill_some(&sandbox, case, kills, batch as u64)?;
        let left = left_after(&sandbox.mark, PATIENCE);
        orphans += left.len();
        end(&left);
        // A run that is left alone must work as if nothing had happened.
        sandbox.write("home/.cursor/hook.sh", "#!/bin/sh\necho '{\"permission\":\"allow\"}'\n")?;
        command::run_quietly(&mut sandbox.run_event())?;
        finished += 1;
    }
    let records = command::output_of(&mut sandbox.command(&["log", "--json"]))?.lines().count();
    // Each finished run had two hooks; killed ones may have come as far as their record.
    let (least, most) = (2 * finished, 2 * (finished + times));
    Ok(vec![
        Finding {
            what: case.what.to_owned(),
            times,
            wanted: "0 processes left".to_owned(),
            seen: format!("{orphans} processes left"),
            good: orphans == 0,
        },
        Finding {
            what: "the log after that".to_owned(),
            times: finished,
            wanted: format!("readable, {least} records of finished runs"),
            seen: format!("readable, {records} records"),
            good: (least..=most).contains(&records),
        },
    ])
}

fn batches(times: usize) -> impl Iterator<Item = usize> {
    (0..times).step_by(BATCH).map(move |start| BATCH.min(times - start))
}

fn kill_some(sandbox: &Sandbox, case: &Case, kills: usize, seed: u64) -> Outcome<()> {
    let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed + 1));
    for _ in 0..kills {
        let mut run = sandbox.run_event();
        let spawned = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = spawned.map_err(|error| format!("`run` did not start: {error}"))?;
        let (earliest, latest) = case.moment;
        thread::sleep(Duration::from_micros(earliest + random.below(latest - earliest)));
        child.kill().and_then(|()| child.wait()).map_err(|error| format!("cannot kill: {error}"))?;
    }
    Ok(())
}

//! Every limit of memory with every hostile configuration, for `run` and the hook of every agent.

use std::process::Command;

use super::Finding;
use crate::command::Outcome;

const MATRIX: &str = "resource_limits::red_team_c2_every_limit_of_memory_answers_the_gate_or_ends_with_2";

/// Runs the whole matrix of the test; every change runs a part of it.
pub fn findings() -> Outcome<Vec<Finding>> {
    let output = Command::new("cargo")
        .args(["test", "--quiet", "-p", "boathook", "--test", "all", "--"])
        .args(["--ignored", "--nocapture", "--exact", MATRIX])
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let cells = said.lines().find_map(|line| line.strip_suffix(" cells")?.trim().parse().ok()).unwrap_or(0);
    let good = output.status.success() && cells > 0;
    Ok(vec![Finding {
        what: "hostile configurations under `ulimit -v` of 128 MB to 2 GB".to_owned(),
        times: cells,
        wanted: "denied, or exit code 2".to_owned(),
        seen: if good { "denied, or exit code 2".to_owned() } else { "an action that proceeds".to_owned() },
        good,
    }])
}

//! Starts the program that drives real agents against a model of ours.

use std::process::Command;

use crate::command::{self, Outcome, cargo};
use crate::progress::Progress;
use crate::project;

/// How much of it.
pub enum Extent {
    /// A few scenarios in three agents: part of every change.
    Small,
    /// Every scenario in every agent.
    Full,
    /// The same, and what was seen is kept.
    Written,
}

/// What the program exits with where the npm registry does not answer.
const UNREACHABLE: i32 = 3;

/// Builds Boathook and the program, and runs it. Agents that cannot be
/// installed here are no failure of a change: that is said aloud.
pub fn drive(extent: Extent, progress: &mut Progress) -> Outcome<()> {
    progress.step("Boathook and the agents' driver", build)?;
    let mut driver = Command::new(project::target()?.join("debug/agents"));
    match extent {
        Extent::Small => driver.arg("--small"),
        Extent::Full => &mut driver,
        Extent::Written => driver.arg("--write").arg(project::root()),
    };
    if !progress.step("real agents", || drove(&mut driver))? {
        progress.skip("real agents", "the npm registry does not answer, and they are not installed yet");
    }
    Ok(())
}

fn build() -> Outcome<()> {
    let mut build = cargo();
    build.current_dir(project::root()).args(["build", "--quiet", "--package", "boathook"]);
    command::run(&mut build)?;
    let mut build = cargo();
    build.current_dir(project::root()).args(["build", "--quiet", "--package", "xtask"]);
    command::run(build.args(["--features", "agents", "--bin", "agents"]))
}

/// Whether the agents could be driven. That something was not as wanted is an error.
fn drove(driver: &mut Command) -> Outcome<bool> {
    let status = driver.status().map_err(|error| format!("the driver did not start: {error}"))?;
    match status.code() {
        Some(0) => Ok(true),
        Some(UNREACHABLE) => Ok(false),
        Some(_) | None => Err(format!("not as wanted ({status}); the list stands above")),
    }
}

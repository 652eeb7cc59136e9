//! Builds the fuzz targets with coverage instrumentation, on the stable toolchain.

use std::path::PathBuf;
use std::process::Command;

use super::package;
use crate::command::{self, Outcome, cargo};
use crate::{project, tools};

/// What `cargo fuzz build --sanitizer none` passes to the compiler. The debug assertions and
/// overflow checks are in the profile of the package.
const INSTRUMENTATION: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// Where the targets are.
pub struct Built {
    /// The folder of the programs.
    pub programs: PathBuf,
    /// The folder for everything that runs write.
    pub target: PathBuf,
}

/// Why targets cannot be built here, if so, and what to do.
pub fn missing() -> Outcome<Option<String>> {
    if !cfg!(target_os = "linux") {
        return Ok(Some("fuzz targets are run on Linux".to_owned()));
    }
    let missing = tools::install_packages(tools::FOR_FUZZING)?;
    Ok((!missing.is_empty()).then(|| tools::advice(&missing)))
}

/// Builds all targets.
pub fn build() -> Outcome<Built> {
    let version = command::output_of(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("`rustc -vV` names no host")?;
    let target = project::target()?.join("fuzz");
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--locked", "--bins"]).current_dir(package());
    // With a target of its own, build scripts and procedural macros are not instrumented.
    build.args(["--target", host]).arg("--target-dir").arg(&target);
    build.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", INSTRUMENTATION.join("\u{1f}"));
    command::run(&mut build)?;
    Ok(Built { programs: target.join(host).join("release"), target })
}

//! `cargo xtask test`: everything a change must pass.

use std::path::PathBuf;
use std::process::Command;

use crate::agents::Extent;
use crate::command::{self, Outcome, cargo};
use crate::fuzz::{self, Learning};
use crate::progress::Progress;
use crate::{agents, browser, dist, project, tools};

/// What tests find in their environment.
#[derive(Default)]
struct Fixtures {
    /// Bun's program, in `BOATHOOK_TEST_BUN`.
    bun: Option<PathBuf>,
    /// PyYAML's directory, in `BOATHOOK_TEST_PYYAML`.
    pyyaml: Option<PathBuf>,
    /// python-tuf's directory, in `BOATHOOK_TEST_PYTUF`.
    pytuf: Option<PathBuf>,
    /// strace's program, in `BOATHOOK_TEST_STRACE`.
    strace: Option<PathBuf>,
    /// jq's program, in `BOATHOOK_TEST_JQ`.
    jq: Option<PathBuf>,
    /// PostgreSQL's folder, in `BOATHOOK_TEST_POSTGRES`.
    postgres: Option<PathBuf>,
}

/// Formats, lints, tests.
pub fn test() -> Outcome<()> {
    let mut progress = Progress::of("test");
    progress.step("toolchain", components)?;
    progress.step("format", check_format)?;
    progress.step("lint", lint)?;
    let fixtures = install(&mut progress)?;
    note_corpus(&mut progress);
    progress.step("tests", || tests(&fixtures))?;
    progress.step("examples in the documentation", || {
        command::run(with(&fixtures, cargo_here().args(["test", "--quiet", "--workspace", "--doc"])))
    })?;
    drive_agents(&mut progress)?;
    browser::walk(&mut progress)?;
    run_fuzz_targets(&mut progress)?;
    check_static_build(&mut progress)?;
    progress.finish();
    Ok(())
}

/// rustfmt and clippy; a minimal toolchain lacks them.
fn components() -> Outcome<()> {
    for (name, program) in [("rustfmt", "cargo-fmt"), ("clippy", "cargo-clippy")] {
        if !command::works(program, &["--version"]) {
            command::run_quietly(Command::new("rustup").args(["component", "add", name]))?;
        }
    }
    Ok(())
}

/// The fuzz targets are a workspace of their own.
fn check_format() -> Outcome<()> {
    for manifest in ["Cargo.toml", "fuzz/Cargo.toml"] {
        command::run(cargo_here().args(["fmt", "--all", "--check", "--manifest-path", manifest]))?;
    }
    Ok(())
}

fn lint() -> Outcome<()> {
    let args = ["--all-targets", "--all-features", "--", "-D", "warnings"];
    command::run(cargo_here().args(["clippy", "--quiet", "--workspace"]).args(args))?;
    // Without libFuzzer: the laws are linted, and nothing compiles C++.
    let args = ["--lib", "--no-default-features", "--", "-D", "warnings"];
    let mut fuzz = cargo_here();
    fuzz.args(["clippy", "--quiet", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    command::run(fuzz.arg("--target-dir").arg(project::target()?).args(args))
}

fn install(progress: &mut Progress) -> Outcome<Fixtures> {
    let missing = progress.step("tools", || tools::install_packages(tools::FOR_TESTS))?;
    let lacks = |name: &str| missing.iter().any(|package| package.name == name);
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
        progress.skip(&format!("tests that need {}", names.join(", ")), &tools::advice(&missing));
    }
    let there = |name: &str| (!lacks(name)).then(|| PathBuf::from(name));
    let mut fixtures = Fixtures { strace: there("strace"), jq: there("jq"), ..Fixtures::default() };
    if !lacks("nodejs") && !lacks("npm") {
        fixtures.bun = Some(progress.step("Bun", tools::install_bun)?);
    }
    if cfg!(target_os = "linux") {
        fixtures.postgres = Some(progress.step("PostgreSQL", tools::install_postgres)?);
    } else {
        progress.skip("tests of the team server's database on PostgreSQL", "they need Linux");
    }
    if !lacks("python3") && !lacks("python3-pip") {
        fixtures.pyyaml = Some(progress.step("PyYAML", tools::install_pyyaml)?);
        fixtures.pytuf = Some(progress.step("python-tuf", tools::install_pytuf)?);
    }
    Ok(fixtures)
}

/// The corpus of real hook files is not part of the project.
fn note_corpus(progress: &mut Progress) {
    if std::env::var_os("BOATHOOK_CORPUS").is_none() {
        progress.skip(
            "the corpus of real hook files",
            "set BOATHOOK_CORPUS to the directory that holds `cursor/`",
        );
    }
}

fn tests(fixtures: &Fixtures) -> Outcome<()> {
    let mut run = cargo_here();
    if command::works("cargo-nextest", &["nextest", "--version"]) {
        run.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
        run.args(["--status-level", "fail", "--final-status-level", "slow"]);
    } else {
        run.args(["test", "--quiet", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"]);
    }
    // The tests of the driver of real agents, which needs a feature.
    run.args(["--features", "xtask/agents"]);
    // The same random cases every time: a change is judged by what it changes.
    // `cargo test` by hand looks at new ones.
    run.env("PROPTEST_RNG_SEED", "2026");
    command::run(with(fixtures, &mut run))
}

/// Deny, failClosed and the follow-up, in three real agents.
fn drive_agents(progress: &mut Progress) -> Outcome<()> {
    for program in ["node", "npm", "git"] {
        if !command::works(program, &["--version"]) {
            progress.skip("real agents", &format!("`{program}` is missing"));
            return Ok(());
        }
    }
    agents::drive(Extent::Small, progress)
}

/// Ten seconds of each fuzz target.
fn run_fuzz_targets(progress: &mut Progress) -> Outcome<()> {
    if let Some(reason) = fuzz::missing()? {
        progress.skip("fuzz targets", &reason);
        return Ok(());
    }
    let runs = fuzz::all_runs()?;
    let fuzzed = fuzz::run_all(&runs, fuzz::SECONDS_IN_TESTS, Learning::Forgotten, progress)?;
    fuzz::complain(&fuzzed)
}

/// The static build is what is shipped: it must at least type-check in every change.
fn check_static_build(progress: &mut Progress) -> Outcome<()> {
    let Some(target) = dist::static_target() else { return Ok(()) };
    if let Err(reason) = dist::ready(target) {
        progress.skip("the static build", &reason);
        return Ok(());
    }
    progress.step("static build", || {
        command::run(
            cargo_here().args(["check", "--quiet", "--package", "boathook"]).args(dist::for_target(target)),
        )
    })
}

fn cargo_here() -> Command {
    let mut cargo = cargo();
    cargo.current_dir(project::root());
    cargo
}

fn with<'a>(fixtures: &Fixtures, command: &'a mut Command) -> &'a mut Command {
    let values = [
        ("BOATHOOK_TEST_BUN", &fixtures.bun),
        ("BOATHOOK_TEST_PYYAML", &fixtures.pyyaml),
        ("BOATHOOK_TEST_PYTUF", &fixtures.pytuf),
        ("BOATHOOK_TEST_STRACE", &fixtures.strace),
        ("BOATHOOK_TEST_JQ", &fixtures.jq),
        ("BOATHOOK_TEST_POSTGRES", &fixtures.postgres),
    ];
    for (name, value) in values {
        match value {
            Some(path) => command.env(name, path),
            // Said above; the tests that need it skip themselves aloud.
            None => command.env(name, ""),
        };
    }
    command
}

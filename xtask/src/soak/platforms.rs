//! The other systems, as far as a Linux machine can tell: Windows runs the
//! runner's cases under wine, macOS is type-checked.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::command::{self, Outcome, cargo};
use crate::progress::Progress;
use crate::{project, tools};

use super::{Finding, pipe};

const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";

/// What the tests of one part came to.
struct Tally {
    passed: usize,
    failed: usize,
}

/// Builds, runs, checks.
pub fn findings(progress: &mut Progress) -> Outcome<Vec<Finding>> {
    let missing = progress.step("mingw and wine", || tools::install_packages(tools::FOR_WINDOWS))?;
    if !missing.is_empty() {
        return Err(tools::advice(&missing));
    }
    progress.step("targets", || tools::add_target(WINDOWS).and_then(|()| tools::add_target(MACOS)))?;
    progress.step("random numbers for wine", build_shim)?;
    let built = progress.step("Windows: the command builds", || build(WINDOWS, "build"))?;
    let starts = progress.step("Windows: the command starts", command_starts)?;
    let answers = progress
        .step("Windows: the daemon answers under wine", || Ok(said(pipe::daemon_answers(&program()?))))?;
    let tally = progress.step("Windows: the runner's cases under wine", runner_cases)?;
    let checked = progress.step("macOS: type-checked", || build(MACOS, "check"))?;
    Ok(vec![
        finding("Windows: the command builds", "yes", yes(built), built),
        finding("Windows: `boathook --version` under wine", "yes", yes(starts), starts),
        finding("Windows: the daemon answers over its pipe under wine", "yes", yes(answers), answers),
        Finding {
            what: "Windows: the runner's cases under wine".to_owned(),
            times: tally.passed + tally.failed,
            wanted: "all pass".to_owned(),
            seen: format!("{} passed, {} failed", tally.passed, tally.failed),
            good: tally.failed == 0 && tally.passed > 0,
        },
        finding("macOS: the whole project type-checks", "yes", yes(checked), checked),
    ])
}

fn finding(what: &str, wanted: &str, seen: &str, good: bool) -> Finding {
    Finding { what: what.to_owned(), times: 1, wanted: wanted.to_owned(), seen: seen.to_owned(), good }
}

fn yes(good: bool) -> &'static str {
    if good { "yes" } else { "no" }
}

/// The library that wine lacks, beside the programs and beside the tests.
fn build_shim() -> Outcome<()> {
    let programs = project::target()?.join(WINDOWS).join("debug");
    fs::create_dir_all(programs.join("deps")).map_err(|error| error.to_string())?;
    let library = programs.join("bcryptprimitives.dll");
    let mut gcc = Command::new("x86_64-w64-mingw32-gcc-posix");
    gcc.args(["-shared", "-O2", "-o"])
        .arg(&library)
        .arg(project::root().join("xtask/soak/bcryptprimitives.c"));
    command::run_quietly(gcc.arg("-ladvapi32"))?;
    fs::copy(&library, programs.join("deps/bcryptprimitives.dll"))
        .map(drop)
        .map_err(|error| error.to_string())
}

/// A failure is a finding, not the end of the run: what it says is printed.
fn build(target: &str, verb: &str) -> Outcome<bool> {
    let built =
        command::run(windows_cargo()?.args([verb, "--quiet", "--package", "boathook", "--target", target]));
    Ok(said(built))
}

fn program() -> Outcome<PathBuf> {
    Ok(project::target()?.join(WINDOWS).join("debug/boathook.exe"))
}

fn command_starts() -> Outcome<bool> {
    let mut wine = Command::new("wine");
    wine.arg(program()?)
        .arg("--version")
        .env("WINEPREFIX", project::tools()?.join("wine"))
        .env("WINEDEBUG", "-all");
    Ok(said(command::output_of(&mut wine).and_then(|text| match text.contains("boathook") {
        true => Ok(()),
        false => Err(format!("`boathook --version` printed {text:?}")),
    })))
}

/// One thread: wine's own server is the bottleneck, and cases have deadlines.
fn runner_cases() -> Outcome<Tally> {
    let mut test = windows_cargo()?;
    test.args([
        "test",
        "--package",
        "boathook-engine",
        "--lib",
        "--target",
        WINDOWS,
        "--",
        "run::",
        "--test-threads=1",
    ]);
    let output = test.output().map_err(|error| error.to_string())?;
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let tally = tally(&text);
    if !output.status.success() {
        println!("{text}");
    }
    Ok(tally.unwrap_or(Tally { passed: 0, failed: 0 }))
}

fn windows_cargo() -> Outcome<Command> {
    let mut cargo = cargo();
    cargo.current_dir(project::root());
    cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine");
    cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", "x86_64-w64-mingw32-gcc-posix");
    cargo.env("WINEPREFIX", project::tools()?.join("wine")).env("WINEDEBUG", "-all");
    Ok(cargo)
}

fn said(result: Outcome<()>) -> bool {
    if let Err(reason) = &result {
        println!("    {reason}");
    }
    result.is_ok()
}

/// Reads `test result: ok. 12 passed; 0 failed; …`.
fn tally(text: &str) -> Option<Tally> {
    let line = text.lines().find(|line| line.starts_with("test result:"))?;
    let count = |word: &str| {
        let words: Vec<&str> = line.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
        let place = words.iter().position(|&other| other == word)?;
        words.get(place.checked_sub(1)?)?.parse().ok()
    };
    Some(Tally { passed: count("passed")?, failed: count("failed")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tally_is_read_from_the_last_line_of_a_test_run() {
        let cases = [
            (
                "all good",
                "x\ntest result: ok. 12 passed; 0 failed; 0 ignored; finished in 1.20s\n",
                Some((12, 0)),
            ),
            ("one bad", "test result: FAILED. 3 passed; 1 failed; 0 ignored\n", Some((3, 1))),
            ("no tests ran", "error: could not compile\n", None),
        ];
        for (name, text, expected) in cases {
            assert_eq!(tally(text).map(|tally| (tally.passed, tally.failed)), expected, "{name}");
        }
    }
}

//! `cargo xtask fuzz`: builds the fuzz targets and runs them, some at once.
//!
//! A folder below `fuzz/corpus` is one run: `fuzz/corpus/answers` is the target `answers`, and
//! `fuzz/corpus/agent_payload/NAME` is the target `agent_payload` with the payloads of one agent.
//! The stable toolchain has no sanitizers, but everything else that libFuzzer needs. Logs, inputs
//! that were found and what a run learns stay below `target/fuzz`.

mod build;
mod run;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::command::Outcome;
use crate::progress::Progress;
use crate::project;

use build::Built;
pub use build::missing;
pub use run::Fuzzed;

/// How long each target runs in `cargo xtask test`.
pub const SECONDS_IN_TESTS: u64 = 10;
/// How long each target runs in `cargo xtask soak`.
pub const SECONDS_IN_SOAK: u64 = 600;
const DEFAULT_SECONDS: u64 = 60;

/// The target whose folders are agents.
const OF_AGENTS: &str = "agent_payload";

/// The options of `cargo xtask fuzz`.
pub struct Options {
    /// Which runs; none is all.
    names: Vec<String>,
    seconds: u64,
}

impl Options {
    /// Reads them from the command line.
    pub fn parse(args: &[String]) -> Outcome<Options> {
        let mut options = Options { names: Vec::new(), seconds: DEFAULT_SECONDS };
        let mut rest = args.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--seconds" => {
                    let seconds = rest.next().and_then(|seconds| seconds.parse().ok());
                    options.seconds = seconds.ok_or("`--seconds` needs a number")?;
                }
                option if option.starts_with('-') => {
                    return Err(format!("unknown option `{option}`; the only one is --seconds"));
                }
                name => options.names.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}

/// What a run does with what it learns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Learning {
    /// Begins with the corpus of the project, and with the same random numbers every time: a
    /// change is judged by what it changes.
    Forgotten,
    /// Goes on where the last run ended.
    Remembered,
}

/// One target with one corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzRun {
    /// Its folder below `fuzz/corpus`.
    pub name: String,
    /// The program.
    target: String,
    /// The agent, where the target needs one.
    agent: Option<String>,
}

/// Runs targets by hand.
pub fn fuzz(options: Options) -> Outcome<()> {
    let mut progress = Progress::of("fuzz");
    let runs = selected(all_runs()?, &options.names)?;
    if let Some(advice) = missing()? {
        return Err(advice);
    }
    let fuzzed = run_all(&runs, options.seconds, Learning::Remembered, &mut progress)?;
    for one in &fuzzed {
        println!("{}: {}", one.name, one.summary());
    }
    progress.finish();
    complain(&fuzzed)
}

/// Builds the targets, and runs each for so many seconds.
pub fn run_all(
    runs: &[FuzzRun],
    seconds: u64,
    learning: Learning,
    progress: &mut Progress,
) -> Outcome<Vec<Fuzzed>> {
    let built = progress.step("fuzz targets", build::build)?;
    let title = format!("fuzzing, {} targets for {seconds} seconds each", runs.len());
    progress.step(&title, || {
        let fuzzed = run_some_at_once(&built, runs, Duration::from_secs(seconds), learning)?;
        let inputs: u64 = fuzzed.iter().map(|one| one.inputs).sum();
        println!("    {inputs} inputs");
        Ok(fuzzed)
    })
}

/// An error that names every finding and how to reproduce it.
pub fn complain(fuzzed: &[Fuzzed]) -> Outcome<()> {
    let findings: Vec<&str> = fuzzed.iter().filter_map(|one| one.finding.as_deref()).collect();
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n\n")) }
}

/// Every run that the corpus has a folder for, by name.
pub fn all_runs() -> Outcome<Vec<FuzzRun>> {
    let mut runs = Vec::new();
    for target in folders(&corpus())? {
        if target != OF_AGENTS {
            runs.push(FuzzRun { name: target.clone(), target, agent: None });
            continue;
        }
        for agent in folders(&corpus().join(&target))? {
            let name = format!("{target}/{agent}");
            runs.push(FuzzRun { name, target: target.clone(), agent: Some(agent) });
        }
    }
    if runs.is_empty() { Err("fuzz/corpus is empty".to_owned()) } else { Ok(runs) }
}

fn selected(all: Vec<FuzzRun>, names: &[String]) -> Outcome<Vec<FuzzRun>> {
    let known = |name: &str| all.iter().any(|run| run.name == name || run.target == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let all: Vec<&str> = all.iter().map(|run| run.name.as_str()).collect();
        return Err(format!("no fuzz target `{unknown}`; there are {}", all.join(", ")));
    }
    let wanted = |run: &FuzzRun| names.is_empty() || names.contains(&run.name) || names.contains(&run.target);
    Ok(all.into_iter().filter(wanted).collect())
}

/// As many at once as there are processors.
fn run_some_at_once(
    built: &Built,
    runs: &[FuzzRun],
    time: Duration,
    learning: Learning,
) -> Outcome<Vec<Fuzzed>> {
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut fuzzed = Vec::new();
        while let Some(one) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            fuzzed.push(run::run(built, one, time, learning)?);
        }
        Ok::<_, String>(fuzzed)
    };
    let parts: Vec<Outcome<Vec<Fuzzed>>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    let mut fuzzed = parts.into_iter().collect::<Outcome<Vec<_>>>()?.concat();
    fuzzed.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(fuzzed)
}

/// The package of the fuzz targets.
fn package() -> PathBuf {
    project::root().join("fuzz")
}

fn corpus() -> PathBuf {
    package().join("corpus")
}

fn folders(path: &Path) -> Outcome<Vec<String>> {
    let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let folders = entries.flatten().filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_selects_a_run_or_all_runs_of_a_target() {
        let agent = |name: &str| FuzzRun {
            name: format!("agent_payload/{name}"),
            target: "agent_payload".to_owned(),
            agent: Some(name.to_owned()),
        };
        let answers = FuzzRun { name: "answers".to_owned(), target: "answers".to_owned(), agent: None };
        let all = || vec![agent("claude"), agent("codex"), answers.clone()];
        let cases: &[(&[&str], &[&str])] = &[
            (&[], &["agent_payload/claude", "agent_payload/codex", "answers"]),
            (&["answers"], &["answers"]),
            (&["agent_payload/codex"], &["agent_payload/codex"]),
            (&["agent_payload"], &["agent_payload/claude", "agent_payload/codex"]),
        ];
        for (names, expected) in cases {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let found = selected(all(), &names).expect("known names");
            let found: Vec<&str> = found.iter().map(|run| run.name.as_str()).collect();
            assert_eq!(found, *expected, "{names:?}");
        }
        let unknown = selected(all(), &["answer".to_owned()]).expect_err("an unknown name");
        assert!(unknown.contains("`answer`") && unknown.contains("agent_payload/codex"), "{unknown}");
    }
}

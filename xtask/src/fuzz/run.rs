//! One run of one target: its limits, its corpus, its log, and what it found.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::build::Built;
use super::{FuzzRun, Learning, corpus, package};
use crate::command::Outcome;

/// An input is at most so long.
const MAX_INPUT_BYTES: usize = 8 * 1024;
/// A target that takes more memory has a finding.
const MAX_MEMORY_MIB: usize = 1024;
/// A target that takes longer for one input has a finding.
const INPUT_TIMEOUT: Duration = Duration::from_secs(20);
/// The same random numbers for every change.
const SEED: u64 = 2026;

/// What became of a run.
#[derive(Debug, Clone)]
pub struct Fuzzed {
    /// The run's name.
    pub name: String,
    /// How many inputs were tried.
    pub inputs: u64,
    /// How long it ran.
    pub seconds: u64,
    /// What was found, and how to reproduce it.
    pub finding: Option<String>,
}

impl Fuzzed {
    /// In a few words.
    pub fn summary(&self) -> String {
        let found = if self.finding.is_some() { "a finding" } else { "0 findings" };
        format!("{found} in {} s", self.seconds)
    }
}

/// Runs one target until the time is over or something is found.
pub fn run(built: &Built, run: &FuzzRun, time: Duration, learning: Learning) -> Outcome<Fuzzed> {
    let folders = Folders::create(built, run, learning)?;
    let log_path = built.target.join("logs").join(format!("{}.log", run.name));
    let log = create_file(&log_path)?;
    let errors = log.try_clone().map_err(|error| error.to_string())?;
    let program = built.programs.join(&run.target);
    let mut fuzzer = Command::new(&program);
    fuzzer.args(limits(time)).args(["-create_missing_dirs=1", "-print_final_stats=1"]);
    fuzzer.arg(format!("-artifact_prefix={}/", folders.findings.display()));
    let dictionary = package().join("dictionaries").join(format!("{}.dict", run.target));
    if dictionary.is_file() {
        fuzzer.arg(format!("-dict={}", dictionary.display()));
    }
    if learning == Learning::Forgotten {
        fuzzer.arg(format!("-seed={SEED}"));
    }
    fuzzer.arg(&folders.learned).arg(corpus().join(&run.name));
    if learning == Learning::Remembered {
        fuzzer.args(real_files(&run.target));
    }
    fuzzer.envs(run.agent.as_ref().map(|agent| ("BOATHOOK_FUZZ_AGENT", agent)));
    fuzzer.env("BOATHOOK_FUZZ_STATE", &folders.state);
    let status = fuzzer
        .stdin(Stdio::null())
        .stdout(Stdio::from(log))
        .stderr(Stdio::from(errors))
        .status()
        .map_err(|error| format!("`{}` did not start: {error}", program.display()))?;
    let printed = fs::read(&log_path).map_err(|error| format!("{}: {error}", log_path.display()))?;
    let printed = String::from_utf8_lossy(&printed);
    let (inputs, seconds) = counted(&printed).unwrap_or((0, time.as_secs()));
    let finding = (!status.success() || inputs == 0).then(|| {
        let agent = run.agent.as_ref().map(|agent| format!("BOATHOOK_FUZZ_AGENT={agent} "));
        let command = format!("{}{}", agent.unwrap_or_default(), program.display());
        describe(&printed, &run.name, &command, &log_path)
    });
    Ok(Fuzzed { name: run.name.clone(), inputs, seconds, finding })
}

fn limits(time: Duration) -> [String; 5] {
    [
        format!("-max_total_time={}", time.as_secs()),
        format!("-max_len={MAX_INPUT_BYTES}"),
        format!("-rss_limit_mb={MAX_MEMORY_MIB}"),
        format!("-timeout={}", INPUT_TIMEOUT.as_secs()),
        "-len_control=50".to_owned(),
    ]
}

/// Real files, which are not part of the project.
fn real_files(target: &str) -> Option<PathBuf> {
    let folder = match target {
        "hooks_json" => "cursor",
        "claude_settings" => "claude",
        "hookify" => "hookify",
        _ => return None,
    };
    let corpus = std::env::var_os("BOATHOOK_CORPUS")?;
    Some(Path::new(&corpus).join(folder)).filter(|folder| folder.is_dir())
}

/// What a run writes.
struct Folders {
    /// Inputs that reach something new.
    learned: PathBuf,
    findings: PathBuf,
    state: PathBuf,
}

impl Folders {
    fn create(built: &Built, run: &FuzzRun, learning: Learning) -> Outcome<Folders> {
        let learned = match learning {
            Learning::Forgotten => "scratch",
            Learning::Remembered => "learned",
        };
        let of = |kind: &str| built.target.join(kind).join(&run.name);
        let folders = Folders { learned: of(learned), findings: of("findings"), state: of("state") };
        let scratch = (learning == Learning::Forgotten).then_some(&folders.learned);
        for old in scratch.into_iter().chain([&folders.state]).filter(|folder| folder.exists()) {
            fs::remove_dir_all(old).map_err(|error| format!("{}: {error}", old.display()))?;
        }
        for folder in [&folders.learned, &folders.findings, &folders.state] {
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        Ok(folders)
    }
}

fn create_file(path: &Path) -> Outcome<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| File::create(path))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// How many inputs were tried, and in how many seconds: `Done 100 runs in 11 second(s)`.
fn counted(printed: &str) -> Option<(u64, u64)> {
    let words: Vec<&str> = printed.lines().rev().find(|line| line.starts_with("Done "))?.split(' ').collect();
    Some((words.get(1)?.parse().ok()?, words.get(4)?.parse().ok()?))
}

/// What broke, where its input is, and how to run it again.
fn describe(printed: &str, name: &str, command: &str, log: &Path) -> String {
    let mut lines = printed.lines().skip_while(|line| !line.contains("panicked at"));
    let broken: Vec<&str> = lines.by_ref().take(4).take_while(|line| !line.starts_with("stack ")).collect();
    let error = printed.lines().find(|line| line.contains("ERROR: libFuzzer")).unwrap_or_default();
    let reason = if broken.is_empty() { error.to_owned() } else { broken.join("\n  ") };
    let input =
        printed.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path);
    match input {
        Some(input) => {
            format!(
                "{name}: {reason}\n  the input: {input}\n  to reproduce it: {command} {input}\n  the log: {}",
                log.display()
            )
        }
        None => format!("{name}: {reason}\n  the log: {}", log.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_the_law_the_input_and_the_command() {
        let printed = "INFO: Seed: 1\n#2 INITED\n\
            thread '<unnamed>' (7) panicked at src/answers.rs:9:5:\na deny is lost on preToolUse\n\
            stack backtrace:\n   0: begin\n==7== ERROR: libFuzzer: deadly signal\n\
            artifact_prefix='f/'; Test unit written to f/crash-1\n";
        let text = describe(printed, "answers", "target/answers", Path::new("answers.log"));
        assert_eq!(
            text,
            "answers: thread '<unnamed>' (7) panicked at src/answers.rs:9:5:\n  a deny is lost on preToolUse\n  \
             the input: f/crash-1\n  to reproduce it: target/answers f/crash-1\n  the log: answers.log"
        );
        let slow = "==7== ERROR: libFuzzer: timeout after 21 seconds\nTest unit written to f/timeout-1\n";
        let text = describe(slow, "payload", "target/payload", Path::new("payload.log"));
        assert!(text.starts_with("payload: ==7== ERROR: libFuzzer: timeout after 21 seconds\n"), "{text}");
    }

    #[test]
    fn inputs_are_counted_from_the_last_line() {
        assert_eq!(counted("#1 NEW\nDone 763820 runs in 601 second(s)\nstat: 1\n"), Some((763_820, 601)));
        assert_eq!(counted("#1 NEW\n==7== ERROR: libFuzzer: deadly signal\n"), None);
    }
}

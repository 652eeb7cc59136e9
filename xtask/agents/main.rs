//! Drives real agents, offline, against a model of ours, with Boathook between
//! them and Cursor-format hooks.
//!
//! `cargo xtask soak --agents` runs every scenario in every agent, `cargo xtask
//! test` a few in three of them. Exit code 3: the npm registry does not answer.

mod daemon;
mod disarmed;
mod drive;
mod install;
mod judge;
mod leaving;
mod model;
#[path = "../src/npm.rs"]
mod npm;
mod options;
mod place;
mod process;
mod report;
mod rig;
mod scenario;
#[path = "../src/table.rs"]
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use install::Installed;
use judge::Finding;
use npm::Missing;
use options::Options;
use rig::{Act, RIGS, Rig};
use scenario::{Beside, Scenario};

/// A value, or a sentence for the person who started it.
pub type Outcome<T> = Result<T, String>;

/// Says "not now" to `cargo xtask test`.
const UNREACHABLE: u8 = 3;

/// The agents that `cargo xtask test` drives.
const SMALL: &[&str] = &["claude", "codex", "gemini"];

fn main() -> ExitCode {
    let run = Options::parse(std::env::args().skip(1)).map_err(Missing::Failed).and_then(|it| run(&it));
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(Missing::Unreachable(reason)) => {
            eprintln!("{reason}");
            ExitCode::from(UNREACHABLE)
        }
        Err(Missing::Failed(reason)) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Missing> {
    let target = target().map_err(Missing::Failed)?;
    let binary = options.binary.clone().unwrap_or_else(|| target.join("debug/boathook"));
    let binary = binary.canonicalize().map_err(|error| failed(&binary, &error))?;
    let rigs = chosen_rigs(options)?;
    let scenarios = chosen_scenarios(options)?;
    let agents = target.join("agents");
    fs::create_dir_all(&agents).map_err(|error| failed(&agents, &error))?;
    let mut benches = Vec::new();
    for rig in rigs {
        benches.push((rig, install::install(&agents, rig)?));
    }
    let bench = Bench { scenarios, binary, runs: target.join("agent-runs"), keep: options.keep };
    let findings = drive_all(&benches, &bench);
    println!("\n{}", report::table(&findings));
    if let Some(project) = &options.write {
        let file = project.join("conformance/agents/seen.json");
        let earlier = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, report::json(&findings, &earlier)).map_err(|error| failed(&file, &error))?;
        println!("wrote conformance/agents/seen.json");
    }
    match report::complaints(&findings).as_slice() {
        [] => Ok(()),
        bad => Err(Missing::Failed(format!("not as wanted:\n  {}", bad.join("\n  ")))),
    }
}

/// What every run has in common.
struct Bench {
    scenarios: Vec<&'static Scenario>,
    binary: PathBuf,
    runs: PathBuf,
    keep: bool,
}

/// Two agents at a time; each goes through its scenarios alone.
fn drive_all(agents: &[(&'static dyn Rig, Installed)], bench: &Bench) -> Vec<Finding> {
    let waiting = Mutex::new(agents.iter().enumerate());
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().map(|mut agents| agents.next());
                    let Ok(Some((place, (rig, installed)))) = next else { return };
                    let findings = drive_agent(*rig, installed, bench);
                    if let Ok(mut done) = done.lock() {
                        done.push((place, findings));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().flat_map(|(_, findings)| findings).collect()
}

fn drive_agent(rig: &'static dyn Rig, installed: &Installed, bench: &Bench) -> Vec<Finding> {
    let one = |scenario: &&'static Scenario| {
        let started = Instant::now();
        let finding = match lacks(rig, scenario) {
            Some(why) => judge::absent(rig, scenario, why),
            None => drive_one(rig, installed, scenario, bench),
        };
        let (seconds, verdict) =
            (started.elapsed().as_secs_f64(), if finding.good() { "" } else { "  FAIL" });
        println!("    {seconds:5.1} s  {} {}: {}{verdict}", finding.agent, scenario.id, finding.seen.text());
        finding
    };
    bench.scenarios.iter().map(one).collect()
}

/// What a run leaves is worth its space only where something is to be found out.
fn drive_one(
    rig: &'static dyn Rig,
    installed: &Installed,
    scenario: &'static Scenario,
    bench: &Bench,
) -> Finding {
    match drive::drive(rig, installed, &bench.binary, scenario, &bench.runs) {
        Ok(run) => {
            let finding = judge::judge(rig, scenario, &run);
            if finding.good() && !bench.keep {
                run.place.remove();
            }
            finding
        }
        Err(reason) => judge::broken(rig, scenario, reason),
    }
}

/// Agents with a second tool that starts subagents.
const OTHER_SUBAGENTS: &[&str] = &["claude", "codex", "cline"];
/// Agents with a tool that gives a subagent more work.
const SENDS_ON: &[&str] = &["claude", "codex", "qwen", "copilot", "cline"];
/// Agents with a second tool that runs commands.
const OTHER_SHELLS: &[&str] = &["claude", "qwen"];
/// Agents without a tool for MCP resources.
const NO_RESOURCES: &[&str] = &["copilot", "cline"];

/// Agents whose shell tool has a field for the directory.
const SHELL_DIRECTORY: &[&str] = &["codex", "gemini", "qwen", "opencode"];
/// Agents with a tool that moves the session into a worktree.
const ENTERS_WORKTREE: &[&str] = &["claude", "qwen"];
/// Agents that give a subagent a worktree of its own.
const SUBAGENT_WORKTREE: &[&str] = &["claude", "qwen"];

/// Agents that run commands of a slash command while they build the prompt.
const PROMPT_COMMANDS: &[&str] = &["claude", "gemini", "qwen", "opencode"];

/// Why a scenario does not exist in an agent.
fn lacks(rig: &dyn Rig, scenario: &Scenario) -> Option<&'static str> {
    let has = |wanted: fn(&Act) -> bool| scenario.acts.iter().any(wanted);
    let several = scenario.acts.iter().any(|act| matches!(act, Act::Shells(_)));
    match scenario.beside {
        Beside::ClaudeProject if !rig.runs_claude_settings() => {
            Some("it does not run `.claude/settings.json` itself")
        }
        Beside::DeadDaemon if !rig.over_http() => Some("it is not wired over HTTP"),
        _ if several && !rig.several_commands() => Some("a call has one command there"),
        _ if has(|act| matches!(act, Act::SendOn { .. })) => {
            let why = "it has no tool of its own that gives a subagent more work";
            (!SENDS_ON.contains(&rig.agent())).then_some(why)
        }
        _ if has(|act| matches!(act, Act::OtherSubagent { .. }))
            && !OTHER_SUBAGENTS.contains(&rig.agent()) =>
        {
            Some("it starts subagents with one tool")
        }
        _ if has(|act| matches!(act, Act::McpResource)) && NO_RESOURCES.contains(&rig.agent()) => {
            Some("it has no tool that reads a resource of an MCP server")
        }
        _ if has(|act| matches!(act, Act::ShellIn { .. })) && !SHELL_DIRECTORY.contains(&rig.agent()) => {
            Some("its shell tool takes no directory")
        }
        _ if has(|act| matches!(act, Act::EnterWorktree { .. }))
            && !ENTERS_WORKTREE.contains(&rig.agent()) =>
        {
            Some("it has no tool that enters a worktree")
        }
        _ if has(|act| matches!(act, Act::SubagentInWorktree { .. }))
            && !SUBAGENT_WORKTREE.contains(&rig.agent()) =>
        {
            Some("it gives no subagent a worktree of its own")
        }
        _ if has(|act| matches!(act, Act::Skill { .. })) && rig.agent() != "claude" => {
            Some("no skill is known to run a command there while it is read")
        }
        _ if scenario.prompt == "/mark" && !PROMPT_COMMANDS.contains(&rig.agent()) => {
            Some("it runs no command of a prompt file")
        }
        _ if has(|act| matches!(act, Act::OtherShell { .. })) && !OTHER_SHELLS.contains(&rig.agent()) => {
            Some("it runs commands with one tool")
        }
        _ if scenario.id == "typed-input" && rig.agent() != "codex" => {
            Some("it cannot type into a running command without an event")
        }
        _ => rig.lacks(scenario.id),
    }
}

fn chosen_rigs(options: &Options) -> Result<Vec<&'static dyn Rig>, Missing> {
    let wanted = |rig: &&'static dyn Rig| match options.agents.is_empty() {
        true => !options.small || SMALL.contains(&rig.name()),
        false => options.agents.iter().any(|name| name == rig.name()),
    };
    let rigs: Vec<_> = RIGS.iter().copied().filter(wanted).collect();
    let unknown = options.agents.iter().find(|name| !rigs.iter().any(|rig| rig.name() == name.as_str()));
    match unknown {
        None => Ok(rigs),
        Some(name) => Err(Missing::Failed(format!("there is no agent `{name}`"))),
    }
}

fn chosen_scenarios(options: &Options) -> Result<Vec<&'static Scenario>, Missing> {
    let wanted = |scenario: &&'static Scenario| match options.only.is_empty() {
        true => !options.small || scenario.small,
        false => options.only.iter().any(|id| id == scenario.id),
    };
    let scenarios: Vec<_> = scenario::all().filter(wanted).collect();
    let unknown = options.only.iter().find(|id| !scenarios.iter().any(|one| one.id == id.as_str()));
    match unknown {
        None => Ok(scenarios),
        Some(id) => Err(Missing::Failed(format!("there is no scenario `{id}`"))),
    }
}

/// Cargo's target directory: this program stands in it.
fn target() -> Outcome<PathBuf> {
    let own = std::env::current_exe().map_err(|error| format!("where is this program? {error}"))?;
    let target = own.ancestors().nth(2).ok_or("this program does not stand in a target directory")?;
    Ok(target.to_owned())
}

fn failed(path: &Path, error: &std::io::Error) -> Missing {
    Missing::Failed(format!("{}: {error}", path.display()))
}

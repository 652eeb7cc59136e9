//! Runs one scenario in one agent, and looks at what came of it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::daemon::Daemon;
use crate::disarmed;
use crate::install::Installed;
use crate::leaving;
use crate::model::{Model, Plan, Reply, Request, ToolCall};
use crate::place::{Place, text_of};
use crate::process::{self, Ended};
use crate::rig::{Act, Rig, Session, own_hook_in};
use crate::scenario::{Beside, Hook, SUBTASK, Scenario, Script};

/// How long an agent may take. On an idle machine nothing here needs a tenth
/// of it; on a busy one the slowest agents need minutes.
const LIMIT: Duration = Duration::from_secs(300);

/// What is left after a run, to be judged.
pub struct Run {
    /// Its directories.
    pub place: Place,
    /// Everything the model was asked.
    pub requests: Vec<Request>,
    /// Requests that no protocol of ours speaks.
    pub strangers: Vec<String>,
    /// How the agent ended.
    pub ended: Ended,
    /// What the session changed of what decides about it.
    pub disarmed: Vec<String>,
    /// What was left of Boathook when it was taken out again.
    pub left: Vec<String>,
}

/// Runs it.
pub fn drive(
    rig: &dyn Rig,
    installed: &Installed,
    binary: &Path,
    scenario: &Scenario,
    root: &Path,
) -> Outcome<Run> {
    let place = Place::fresh(root.join(rig.name()).join(scenario.id))?;
    let model = Model::start()?;
    let own_program = place.program();
    let binary = match scenario.beside {
        Beside::OwnProgram => {
            place.write("bin/boathook", "")?;
            fs::copy(binary, &own_program).map_err(|error| format!("{}: {error}", own_program.display()))?;
            own_program.as_path()
        }
        _ => binary,
    };
    let mcp = match scenario.acts.iter().any(|act| matches!(act, Act::Mcp { .. } | Act::McpResource)) {
        true => Some(text_of(&place.write("mini.js", &MINI.replace("@MARKER@", &marker(&place)))?)),
        false => None,
    };
    let session = Session {
        place: &place,
        port: model.port,
        prompt: scenario.prompt,
        approved: scenario.approved,
        mcp,
        writes_home: scenario.acts.iter().any(|act| {
            matches!(act, Act::Write { path, .. } if path.starts_with("@HOME@") || path.starts_with("@CONNECTION@"))
        }),
        other_subagents: scenario.acts.iter().any(|act| matches!(act, Act::OtherSubagent { .. })),
    };
    for (name, content) in scenario.files {
        place.write(&format!("project/{name}"), content)?;
    }
    rig.prepare(&session)?;
    write_hooks(&place, binary, "home", scenario.hooks)?;
    if !scenario.project_hooks.is_empty() {
        write_hooks(&place, binary, "project", scenario.project_hooks)?;
        boathook(&place, installed, binary, &["trust", "--yes"])?;
    }
    write_beside(&place, rig, installed, binary, scenario.beside)?;
    let before = leaving::files(&place);
    let mut daemon = None;
    if rig.over_http() {
        let mut command = Command::new(binary);
        environment(&mut command, &place, installed);
        daemon = Some(Daemon::start(&mut command, &place)?);
    }
    let way = if rig.over_http() { &["--http"][..] } else { &[] };
    boathook(&place, installed, binary, &[&["agent", "install", rig.agent(), "--user"], way].concat())?;
    if scenario.beside == Beside::DeadDaemon {
        daemon = None;
    }
    let wired = leaving::files(&place);
    let program = disarmed::program(binary);
    if let Some(file) = disarmed::connection(&place.home, &before, &wired) {
        let _ = place.connection.set(file);
    }
    model.follow(plan(rig, scenario, &place)?);
    let mut command = Command::new(&installed.program);
    environment(&mut command, &place, installed);
    rig.command(&session, &mut command);
    let ended = process::run(&mut command, &place.root, LIMIT)?;
    drop(daemon);
    let after = leaving::files(&place);
    let mut disarmed = disarmed::complaints(&place.home, &before, &wired, &after);
    if program != disarmed::program(binary) {
        disarmed.push("Boathook's program was changed in the session".to_owned());
    }
    place.write("disarmed.txt", &disarmed.join("\n"))?;
    place.write("model.jsonl", &model.bodies())?;
    boathook(&place, installed, binary, &["agent", "uninstall", rig.agent(), "--user"])?;
    let rewritten = leaving::rewritten(&place, &before, &wired, &after);
    place.write("rewritten-by-the-agent.txt", &rewritten.join("\n"))?;
    let left = leaving::complaints(&place, &before, &wired, &after);
    Ok(Run { requests: model.requests(), strangers: model.strangers(), ended, disarmed, left, place })
}

/// The model's part in this agent's words.
fn plan(rig: &dyn Rig, scenario: &Scenario, place: &Place) -> Outcome<Plan> {
    Ok(Plan {
        main: replies(rig, scenario.acts, place),
        subagents: vec![(SUBTASK, replies(rig, scenario.subagent, place))],
    })
}

/// One call per act, and a last word. An act the agent has no tool for is left
/// out: a scenario that is about it says so in `lacks`.
fn replies(rig: &dyn Rig, acts: &[Act], place: &Place) -> Vec<Reply> {
    let calls = acts.iter().filter_map(|act| rig.call(act, place));
    let filled = calls.map(|call| ToolCall { input: fill(place, call.input), ..call });
    filled.map(Reply::Call).chain([Reply::Text("All done.".to_owned())]).collect()
}

/// A tool's input with this run's directories in it.
fn fill(place: &Place, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(place.fill(&text)),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, fill(place, value))).collect(),
        Value::Array(items) => items.into_iter().map(|item| fill(place, item)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Nothing of this machine but where programs are.
fn environment(command: &mut Command, place: &Place, installed: &Installed) {
    command.env_clear().current_dir(&place.project);
    command.env("HOME", &place.home).env("PATH", &installed.path).env("SHELL", "/bin/sh");
    command.env("TERM", "dumb").env("LANG", "C.UTF-8").env("TMPDIR", &place.temporary);
}

/// `.cursor/hooks.json` of the home, whose hooks need no trust, or of the project.
fn write_hooks(place: &Place, binary: &Path, owner: &str, hooks: &[Hook]) -> Outcome<()> {
    let mut events = Map::new();
    for hook in hooks {
        let program = format!("{owner}/.cursor/hooks/{}.sh", hook.name);
        if let Script::Sh(body) = hook.script {
            place.write_program(&program, &recorder(place, binary, hook.name, body))?;
        }
        let text = format!("{{\"command\": {}", json!(place.root.join(&program)));
        let text = if hook.options.is_empty() { text + "}" } else { format!("{text}, {}}}", hook.options) };
        let entry: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", hook.name))?;
        let entries = events.entry(hook.event).or_insert_with(|| json!([]));
        entries.as_array_mut().ok_or("entries are a list")?.push(entry);
    }
    let file = json!({"version": 1, "hooks": events});
    place.write(&format!("{owner}/.cursor/hooks.json"), &format!("{file:#}\n")).map(drop)
}

/// A hook that writes down what it is given before it does anything else.
fn recorder(place: &Place, binary: &Path, name: &str, body: &str) -> String {
    let record = text_of(&place.record(name));
    let body = body.replace("@RECORD@", &record).replace("@BOATHOOK@", &text_of(binary));
    format!("#!/bin/sh\n{{ cat; echo; }} >> '{record}'\n{body}\n")
}

fn write_beside(
    place: &Place,
    rig: &dyn Rig,
    installed: &Installed,
    binary: &Path,
    beside: Beside,
) -> Outcome<()> {
    let program = |name: &str| -> Outcome<String> {
        let text = recorder(place, binary, name, "");
        Ok(text_of(&place.write_program(&format!("home/own/{name}.sh"), &text)?))
    };
    match beside {
        Beside::Nothing | Beside::DeadDaemon | Beside::OwnProgram => Ok(()),
        Beside::OwnHook => rig.own_hook(place, &program("own")?),
        Beside::ClaudeHome => {
            own_hook_in(place, "home/.claude/settings.json", "PreToolUse", &program("claude")?)
        }
        Beside::ClaudeProject => {
            own_hook_in(place, "project/.claude/settings.json", "PreToolUse", &program("claude")?)?;
            let hooks = json!({"preToolUse": [{"command": program("project")?}]});
            let file = json!({"version": 1, "hooks": hooks});
            place.write("project/.cursor/hooks.json", &format!("{file:#}\n"))?;
            boathook(place, installed, binary, &["trust", "--yes"])
        }
    }
}

/// Runs Boathook as the user of this run.
fn boathook(place: &Place, installed: &Installed, binary: &Path, args: &[&str]) -> Outcome<()> {
    let mut command = Command::new(binary);
    environment(&mut command, place, installed);
    // Over HTTP it must know the agent's version.
    let own = installed.program.parent().map(text_of).unwrap_or_default();
    command.env("PATH", format!("{own}:{}", installed.path));
    let output = command.args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", binary.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false => {
            Err(format!("`boathook {}` failed ({})\n{}", args.join(" "), output.status, said.trim_end()))
        }
    }
}

fn marker(place: &Place) -> String {
    text_of(&place.project.join("marker"))
}

/// An MCP server with one tool, `echo`, which makes the marker.
const MINI: &str = include_str!("mini.js");

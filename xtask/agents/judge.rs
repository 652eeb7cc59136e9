//! Compares what came of a run with what was wanted.

use std::fs;

use serde_json::Value;

use crate::drive::Run;
use crate::rig::{Refusal, Rig};
use crate::scenario::{Check, Scenario, Script, Wanted};

/// One cell of the table.
pub struct Finding {
    /// The agent's name.
    pub agent: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The scenario's id.
    pub scenario: &'static str,
    /// What should come of it.
    pub wanted: Letter,
    /// What came of it.
    pub seen: Letter,
    /// What was not as wanted, in sentences.
    pub complaints: Vec<String>,
    /// Events that it would prove, but which nothing here tells of.
    pub unheard: Vec<&'static str>,
    /// Why it was not tried.
    pub lacks: Option<&'static str>,
}

impl Finding {
    /// Whether everything is as wanted.
    pub fn good(&self) -> bool {
        self.wanted == self.seen && self.complaints.is_empty()
    }
}

/// What comes of a scenario, in a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letter {
    /// It did not run, and the reason arrived.
    Refused,
    /// It did not run.
    NotRun,
    /// It ran.
    Ran,
    /// It ran as the hook rewrote it.
    Rewritten,
    /// Only the checks count.
    Checked,
    /// It was not tried.
    Absent,
    /// The agent or the wiring did not work.
    Broken,
}

impl Letter {
    /// As the table shows it.
    pub fn text(self) -> &'static str {
        match self {
            Letter::Refused => "B",
            Letter::NotRun => "N",
            Letter::Ran => "R",
            Letter::Rewritten => "W",
            Letter::Checked => "ok",
            Letter::Absent => "–",
            Letter::Broken => "broken",
        }
    }
}

/// A scenario that the agent does not have.
pub fn absent(rig: &dyn Rig, scenario: &Scenario, why: &'static str) -> Finding {
    let letters = (Letter::Absent, Letter::Absent);
    Finding { lacks: Some(why), ..finding(rig, scenario, letters, Vec::new()) }
}

/// A run that did not come about.
pub fn broken(rig: &dyn Rig, scenario: &Scenario, reason: String) -> Finding {
    finding(rig, scenario, (wanted(rig, scenario), Letter::Broken), vec![reason])
}

/// A run that did.
pub fn judge(rig: &dyn Rig, scenario: &Scenario, run: &Run) -> Finding {
    let wanted = wanted(rig, scenario);
    let refusal = rig.refusal(scenario.id);
    let stays = |check: &&Check| rig.keeps_directory() || !matches!(check, Check::Moved(..));
    let heard = |check: &&Check| !about_unheard(rig, scenario, check) && stays(check);
    let mut complaints: Vec<String> = scenario
        .checks
        .iter()
        .filter(heard)
        .filter_map(|check| complaint(refusal, run, check).err())
        .collect();
    complaints.extend(uncalled(rig, scenario, run));
    complaints.extend(ending(run));
    complaints.extend(run.disarmed.iter().chain(&run.left).cloned());
    let told = scenario.checks.iter().filter(|check| matches!(check, Check::Told(_)));
    let told = told.into_iter().all(|check| complaint(refusal, run, check).is_ok());
    let seen = match (run.place.has("marker"), run.place.has("rewritten")) {
        _ if wanted == Letter::Checked => Letter::Checked,
        (true, _) => Letter::Ran,
        (false, true) => Letter::Rewritten,
        (false, false) if told && wanted == Letter::Refused => Letter::Refused,
        (false, false) => Letter::NotRun,
    };
    finding(rig, scenario, (wanted, seen), complaints)
}

fn finding(
    rig: &dyn Rig,
    scenario: &Scenario,
    (wanted, seen): (Letter, Letter),
    complaints: Vec<String>,
) -> Finding {
    let (agent, version) = (rig.name(), rig.package().version);
    let events = scenario.proves.iter().map(|(event, _)| *event);
    let unheard = events.filter(|event| rig.unheard().contains(event)).collect();
    Finding { agent, version, scenario: scenario.id, wanted, seen, complaints, unheard, lacks: None }
}

fn wanted(rig: &dyn Rig, scenario: &Scenario) -> Letter {
    match scenario.wanted {
        Wanted::Refused => Letter::Refused,
        Wanted::NotRun => Letter::NotRun,
        Wanted::Ran => Letter::Ran,
        Wanted::Rewritten if rig.rewrites() => Letter::Rewritten,
        Wanted::Rewritten => Letter::Refused,
        Wanted::AsChecked => Letter::Checked,
    }
}

/// Whether a check holds, or why not.
fn complaint(refusal: Refusal, run: &Run, check: &Check) -> Result<(), String> {
    match *check {
        Check::Told(text) => {
            let text = &run.place.fill(text);
            let arrived = match refusal {
                Refusal::ToModel => told(run, text),
                Refusal::EndsTheRun(log) => {
                    let log = fs::read_to_string(run.place.root.join(log)).unwrap_or_default();
                    told(run, text) || run.ended.output.contains(text) || log.contains(text)
                }
            };
            yes(arrived, || format!("{text:?} was not told"))
        }
        Check::NeverTold(text) => yes(!told(run, text), || format!("{text:?} was told")),
        Check::ToldTimes(text, times) => {
            let most = most_asked(run, text);
            yes(most == times, || format!("{text:?} was told {most} times, not {times}"))
        }
        Check::Protected(text) => {
            let text = run.place.fill(text);
            let asked = |record: &Value| {
                record["command"] == "self-protection"
                    && record["permission"] == "ask"
                    && record["request"].to_string().contains(&text)
            };
            yes(run.place.logged().iter().any(asked), || format!("self-protection did not ask about {text}"))
        }
        Check::Moved(hook, part) => {
            let calls = run.place.recorded(hook);
            let moved = |call: &Value| call["cwd"].as_str().is_some_and(|cwd| cwd.contains(part));
            yes(calls.iter().any(moved), || {
                format!("`{hook}` was never called in {part:?}: {}", shown(&calls))
            })
        }
        Check::Called(hook, times) => {
            let calls = run.place.recorded(hook).len();
            yes(calls == times, || format!("`{hook}` was called {calls} times, not {times}"))
        }
        Check::Given(hook, fields) => {
            let calls = run.place.recorded(hook);
            let found = calls.iter().any(|call| fields.iter().all(|field| agrees(run, call, *field)));
            yes(found, || format!("`{hook}` was never given {fields:?}; it was given {}", shown(&calls)))
        }
        Check::Content(name, content) => {
            let text = fs::read_to_string(run.place.project.join(name)).unwrap_or_default();
            yes(text == content, || format!("{name} holds {text:?}"))
        }
    }
}

/// Whether the model heard a text.
fn told(run: &Run, text: &str) -> bool {
    run.requests.iter().any(|request| request.heard.iter().any(|said| said.contains(text)))
}

/// How often the user said a text in the request that holds it most often.
fn most_asked(run: &Run, text: &str) -> usize {
    let count = |asked: &Vec<String>| asked.iter().map(|said| said.matches(text).count()).sum();
    run.requests.iter().map(|request| count(&request.asked)).max().unwrap_or(0)
}

fn agrees(run: &Run, call: &Value, (pointer, wanted): (&str, &str)) -> bool {
    let seen = match call.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => return false,
    };
    match wanted.strip_prefix('~') {
        Some(part) => seen.contains(&run.place.fill(part)),
        None => seen == run.place.fill(wanted),
    }
}

/// Whether a check is about a hook that nothing calls in this agent.
fn about_unheard(rig: &dyn Rig, scenario: &Scenario, check: &Check) -> bool {
    let (Check::Called(name, _) | Check::Given(name, _) | Check::Moved(name, _)) = *check else {
        return false;
    };
    scenario.hooks.iter().any(|hook| hook.name == name && rig.unheard().contains(&hook.event))
}

/// A hook that was never called proves nothing, whatever came of the run.
/// Without approval an agent may not even offer the tool.
fn uncalled(rig: &dyn Rig, scenario: &Scenario, run: &Run) -> Vec<String> {
    let scripts = scenario.hooks.iter().filter(|hook| matches!(hook.script, Script::Sh(_)));
    let scripts = scripts.filter(|hook| !rig.unheard().contains(&hook.event));
    let called = |name: &str| !run.place.recorded(name).is_empty();
    let never = |name: &str| {
        let none = |check: &Check| matches!(check, Check::Called(hook, 0) if *hook == name);
        scenario.checks.iter().any(none)
    };
    let silent = scripts.filter(|hook| scenario.approved && !called(hook.name) && !never(hook.name));
    silent.map(|hook| format!("`{}` was never called", hook.name)).collect()
}

fn ending(run: &Run) -> Option<String> {
    if run.ended.code.is_none() {
        return Some("it did not end in time".to_owned());
    }
    let strangers = run.strangers.join(", ");
    (!strangers.is_empty()).then(|| format!("it asked the model for what we do not speak: {strangers}"))
}

/// Records for a person, not too many.
fn shown(calls: &[Value]) -> String {
    let lines: Vec<String> = calls.iter().map(Value::to_string).collect();
    let text = lines.join(" ");
    text.chars().take(1500).collect()
}

fn yes(good: bool, complaint: impl FnOnce() -> String) -> Result<(), String> {
    if good { Ok(()) } else { Err(complaint()) }
}

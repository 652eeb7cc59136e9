//! What is tried in every agent, as data: Cursor-format hooks, what the model
//! wants done, and what must come of it. No agent's name stands here.

mod answers;
mod contexts;
mod doors;
mod failures;
mod observed;
mod others;
mod protection;
mod roots;

use crate::rig::Act;

/// One thing that is tried.
pub struct Scenario {
    /// Kebab-case; the coverage table cites it.
    pub id: &'static str,
    /// In a sentence.
    pub shows: &'static str,
    /// Cursor's events and the fields of their answers that it proves. An
    /// event that is only observed has the field "".
    pub proves: &'static [(&'static str, &'static str)],
    /// What stands in `hooks.json`.
    pub hooks: &'static [Hook],
    /// What stands in the project's own `hooks.json`, which is trusted.
    pub project_hooks: &'static [Hook],
    /// Files of the project.
    pub files: &'static [(&'static str, &'static str)],
    /// What the user types.
    pub prompt: &'static str,
    /// What the model wants done, one after the other.
    pub acts: &'static [Act],
    /// What a subagent wants done.
    pub subagent: &'static [Act],
    /// What comes of the watched act.
    pub wanted: Wanted,
    /// What must be true beside it.
    pub checks: &'static [Check],
    /// Whether tools run without being asked for.
    pub approved: bool,
    /// Part of `cargo xtask test`.
    pub small: bool,
    /// What else stands in the settings.
    pub beside: Beside,
}

/// One entry of `hooks.json`. Every hook writes down what it is given.
pub struct Hook {
    /// Cursor's name.
    pub event: &'static str,
    /// The name of its record.
    pub name: &'static str,
    /// What it does then.
    pub script: Script,
    /// More members of the entry, as JSON, or "".
    pub options: &'static str,
}

/// The hook's program.
pub enum Script {
    /// Lines of `sh`.
    Sh(&'static str),
    /// It is not there.
    Missing,
}

/// What comes of the act that makes the file `marker`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// It did not run, and the reason arrived.
    Refused,
    /// It did not run.
    NotRun,
    /// It ran.
    Ran,
    /// What the hook made of it ran (the file `rewritten`). Where an agent
    /// cannot do that: `Refused`.
    Rewritten,
    /// Nothing is watched but the checks.
    AsChecked,
}

/// What must be true after the run. Here and in an act `@PROJECT@` and `@HOME@` are
/// directories, `@RECORDS@` that of the records, `@PROGRAM@` is the program of
/// `Beside::OwnProgram`, and `@CONNECTION@` a file that connects the agent.
pub enum Check {
    /// The text reached the model.
    Told(&'static str),
    /// The text never did.
    NeverTold(&'static str),
    /// One request to the model held the text this often, and none more often.
    ToldTimes(&'static str, usize),
    /// The hook of this name was called this often.
    Called(&'static str, usize),
    /// Among the calls of the hook of this name was one with these values at
    /// these JSON pointers. A value that begins with `~` is part of a text.
    Given(&'static str, &'static [(&'static str, &'static str)]),
    /// A file of the project has this content.
    Content(&'static str, &'static str),
    /// Self-protection asked about a call with this text in it. What an agent says then is its own affair: it may
    /// have a reason of its own to refuse.
    Protected(&'static str),
    /// The hook of this name was given a working directory with this in it, in
    /// agents whose shell stays where a command went.
    Moved(&'static str, &'static str),
}

/// What stands in the settings beside Boathook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// A pre-tool hook of the user's own in the same file, with the record `own`.
    OwnHook,
    /// In `.claude/settings.json` of the home a hook with the record `claude`.
    ClaudeHome,
    /// In `.claude/settings.json` of the project a hook with the record `claude`, and
    /// in its `.cursor/hooks.json` one with the record `project`. It is trusted.
    ClaudeProject,
    /// A daemon that was killed when the agent was wired to it.
    DeadDaemon,
    /// A copy of Boathook that this run may lose.
    OwnProgram,
}

/// A plain run: the model makes the marker.
const PLAIN: Scenario = Scenario {
    id: "",
    shows: "",
    proves: &[],
    hooks: &[],
    project_hooks: &[],
    files: &[],
    prompt: PROMPT,
    acts: &[MARK],
    subagent: &[],
    wanted: Wanted::AsChecked,
    checks: &[],
    approved: true,
    small: false,
    beside: Beside::Nothing,
};

/// What the user types where it does not matter.
const PROMPT: &str = "Please do what you have to do.";

/// The act that is watched.
const MARK: Act = Act::Shell("echo ran > marker");

/// The same text in the plan and in the act: whoever is asked with it is the subagent.
pub const SUBTASK: &str = "SUBTASK: make the marker";

/// Everything, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Scenario> {
    let groups = [answers::ALL, failures::ALL, contexts::ALL, observed::ALL, others::ALL, doors::ALL];
    groups.into_iter().chain([roots::ALL, protection::ALL]).flatten()
}

const fn hook(event: &'static str, name: &'static str, script: &'static str) -> Hook {
    Hook { event, name, script: Script::Sh(script), options: "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_can_be_cited() {
        let mut ids: Vec<&str> = all().map(|scenario| scenario.id).collect();
        for scenario in all() {
            let kebab = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(!scenario.id.is_empty() && scenario.id.bytes().all(kebab), "{}", scenario.id);
            assert!(scenario.shows.ends_with('.'), "{}: `shows` is a sentence", scenario.id);
            assert!(!scenario.proves.is_empty(), "{}: it proves something", scenario.id);
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "no id twice");
    }
}

//! The built-in rule that keeps an agent from changing what decides about it.
//!
//! Runs in every adapter on `preToolUse`, before any configured hook. It asks when an edit, a write or a shell command
//! of the agent touches the hooks of the user, a team or the enterprise, the scripts they name, Boathook's state,
//! configuration or program, or the entries that connect an agent to Boathook (`targets`). Project hooks are not
//! part of it: content trust covers a change of those.
//!
//! `call` finds the paths of a tool call, `command` those of a shell command: `programs` and `effects` know what
//! programs do, `options` and `directories` what words mean to them, `word` what a word may name. `verbs` are commands
//! of ours, `doubt` and `mention` search the text of a line that its words do not explain. `unlock` is whether a person
//! switched the rule off for a while.

mod call;
mod call_fields;
mod command;
mod directories;
mod doubt;
mod effects;
mod mention;
mod options;
mod programs;
mod shadows;
mod targets;
#[cfg(test)]
mod tests;
pub mod unlock;
mod verbs;
mod word;

use std::path::PathBuf;
use std::sync::Arc;

use crate::answer::{Answer, Permission};
use crate::definition::{Action, Definition};
use crate::event::EventKind;
use crate::load::{Hook, HookSet, HookState};
use crate::outcome::{Outcome, ReadOutcome};
use crate::rule::{Look, Rule};
use crate::source::{Format, Level, Roots, Source};
use crate::state::StateDir;
use targets::Targets;

/// The name of the rule in lists, records and messages.
pub const NAME: &str = "self-protection";

/// What the rule does, for lists and the manual.
pub const SUMMARY: &str = "asks before an agent changes user, team or enterprise hooks and their scripts, Boathook's state, configuration or program, or the entries that connect an agent";

/// Paths that the engine cannot know by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProtectedFiles {
    /// The directory of `config.toml`.
    pub config: PathBuf,
    /// The running program, by every name under which agents call it.
    pub programs: Vec<PathBuf>,
    /// The folders in which programs are found by their names, in their order.
    pub search_path: Vec<PathBuf>,
    /// The files that start our daemon as a service.
    pub units: Vec<PathBuf>,
    /// Settings of agents that connect them to Boathook.
    pub connections: Vec<Connection>,
}

/// A file of an agent's settings that connects it to Boathook or can disconnect it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The protected file or folder.
    pub file: PathBuf,
    /// Where the entries are that call Boathook: the connection exists while this mentions it.
    pub entries: PathBuf,
}

/// The rule, for one set of hooks.
#[derive(Debug, Clone)]
pub struct SelfProtection {
    roots: Roots,
    files: ProtectedFiles,
    hooks: Arc<HookSet>,
}

/// Two rules with the same paths and hooks are the same rule.
impl PartialEq for SelfProtection {
    fn eq(&self, other: &SelfProtection) -> bool {
        self.files == other.files && Arc::ptr_eq(&self.hooks, &other.hooks)
    }
}

/// What a call would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// In a few words: `Boathook's state`.
    pub what: &'static str,
    /// The path or the command that was recognised.
    pub place: String,
}

impl SelfProtection {
    /// The rule for these hooks.
    pub fn new(roots: Roots, files: ProtectedFiles, hooks: Arc<HookSet>) -> SelfProtection {
        SelfProtection { roots, files, hooks }
    }

    /// The rule as a hook of its own source.
    pub fn into_hook(self) -> Hook {
        let run_dir = self.roots.state.clone();
        let rule = Rule::SelfProtection(Box::new(self));
        let source = Source {
            level: Level::BuiltIn,
            format: Format::Cursor,
            file: PathBuf::from(NAME),
            run_dir,
            workspace: None,
        };
        let action = Action::Rule(Arc::new(rule));
        let definition = Definition { action, ..Definition::command(EventKind::PreToolUse, "") };
        let id = format!("{}:{NAME}", Level::BuiltIn.name());
        Hook { id, definition, source: Arc::new(source), state: HookState::Ready }
    }

    /// Its answer to an event; none when the call touches nothing protected.
    pub(crate) fn apply(&self, look: &Look<'_>) -> Option<ReadOutcome> {
        let touched = self.touched(look)?;
        if self.is_unlocked() {
            return None;
        }
        let Touched { what, place } = touched;
        let why =
            format!("Self-protection: this would change {what} ({place}), which decides what agents may do.");
        let answer = Answer {
            permission: Some(Permission::Ask),
            user_message: Some(format!(
                "{why} To allow such changes for a while, run `boathook unlock` in your own terminal."
            )),
            agent_message: Some(format!(
                "{why} Only the user can allow it. Do not attempt to work around this restriction using alternative methods or commands."
            )),
            ..Answer::default()
        };
        Some(ReadOutcome::plain(Outcome::Answer(Box::new(answer))))
    }

    /// Why it has nothing to say.
    pub(crate) fn why_silent(&self, look: &Look<'_>) -> Option<String> {
        Some(match self.touched(look).filter(|_| self.is_unlocked()) {
            Some(Touched { what, .. }) => format!("it changes {what}, and `boathook unlock` allows that now"),
            None => "the call changes nothing that decides about agents".to_owned(),
        })
    }

    /// What the call of this event would change.
    pub fn touched(&self, look: &Look<'_>) -> Option<Touched> {
        // Building the targets resolves links, so calls without a path to check do not pay for it.
        let targets = std::cell::OnceCell::new();
        let lazily = || targets.get_or_init(|| Targets::new(&self.roots, &self.files, &self.hooks));
        call::touched(look, &self.roots, &lazily)
    }

    fn is_unlocked(&self) -> bool {
        unlock::until(&StateDir::new(self.roots.state.clone())).is_some()
    }
}

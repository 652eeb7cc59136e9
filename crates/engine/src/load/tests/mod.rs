//! Each test lays out real files and asks the loader.

mod last_good;
mod sources;
mod thorough;
mod trusted;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::event::EventKind;
use crate::problem::Severity;
use crate::source::{Level, Os};
use crate::testing::TempDir;

/// Files below one directory: `root/etc/cursor`, `home`, `ws`, `state`.
pub(super) struct Files {
    pub(super) dir: TempDir,
}

/// A file with one hook for each of these commands.
pub(super) fn hooks_json(event: &str, commands: &[&str]) -> String {
    entries(
        event,
        &commands.iter().map(|command| serde_json::json!({ "command": command })).collect::<Vec<_>>(),
    )
}

/// A file with one hook that refuses when it cannot run.
pub(super) fn gate_json(event: &str, command: &str) -> String {
    entries(event, &[serde_json::json!({ "command": command, "failClosed": true })])
}

fn entries(event: &str, entries: &[serde_json::Value]) -> String {
    serde_json::json!({ "version": 1, "hooks": { event: entries } }).to_string()
}

impl Files {
    pub(super) fn new() -> Files {
        let dir = TempDir::new();
        for name in ["home", "ws"] {
            fs::create_dir(dir.path().join(name)).expect("a directory");
        }
        Files { dir }
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        self.dir.write(name, text)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(super) fn roots(&self) -> Roots {
        Roots {
            os: Os::Linux,
            system: self.path("root"),
            home: self.path("home"),
            workspaces: vec![self.path("ws")],
            state: self.path("state"),
            plugins: Vec::new(),
        }
    }

    /// A process that starts now.
    pub(super) fn loader(&self, options: LoadOptions) -> Loader {
        Loader::reading_with(self.roots(), options, read_config)
    }

    pub(super) fn load(&self, options: LoadOptions) -> Arc<HookSet> {
        self.loader(options).hooks(&[self.path("ws")])
    }

    /// Trusts what stands in the workspace.
    pub(super) fn trust(&self) {
        let mut loader = self.loader(LoadOptions::default());
        for candidate in loader.candidates(&[self.path("ws")]) {
            loader.trust().accept(&candidate.subject).expect("accepted");
        }
    }
}

/// As much of the format as these tests write.
fn read_config(bytes: &[u8], _: &Source, _: &LoadOptions) -> Config {
    let value: serde_json::Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            let problems = vec![Problem::error("syntax", error.to_string())];
            return Config { problems, ..Config::default() };
        }
    };
    let mut definitions = Vec::new();
    for (event, list) in value["hooks"].as_object().into_iter().flatten() {
        let event = EventKind::named(event).expect("tests name events that exist");
        for entry in list.as_array().into_iter().flatten() {
            let mut definition = match entry["prompt"].as_str() {
                Some(prompt) => Definition::prompt(event, prompt),
                None => Definition::command(event, entry["command"].as_str().unwrap_or_default()),
            };
            definition.fail_closed = entry["failClosed"] == true;
            definitions.push(definition);
        }
    }
    Config { definitions, readable: true, ..Config::default() }
}

pub(super) fn labels(set: &HookSet) -> Vec<&str> {
    set.hooks.iter().map(|hook| hook.definition.label()).collect()
}

pub(super) fn ready(set: &HookSet) -> Vec<&str> {
    let ready = set.hooks.iter().filter(|hook| hook.state == HookState::Ready);
    ready.map(|hook| hook.definition.label()).collect()
}

pub(super) fn codes(set: &HookSet) -> Vec<&'static str> {
    set.problems.iter().map(|problem| problem.code).collect()
}

/// Every hook's id and why it is withheld.
pub(super) fn states(set: &HookSet) -> Vec<(&str, Option<Withheld>)> {
    let reason = |state| match state {
        HookState::Ready => None,
        HookState::Withheld(reason) => Some(reason),
    };
    set.hooks.iter().map(|hook| (hook.id.as_str(), reason(hook.state))).collect()
}

pub(super) fn source_state(set: &HookSet, level: Level) -> &SourceState {
    &set.sources.iter().find(|report| report.source.level == level).expect("every level is looked for").state
}

pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

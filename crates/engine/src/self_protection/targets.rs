//! The paths that decide about agents, and whether another path is one of them, lies in one, or holds one.
//!
//! Names are compared in every spelling that some file system accepts, with and without links resolved. A file with
//! several hard links is also compared by its identity.

use std::path::{Path, PathBuf};

pub(super) use super::mention::Mention;
use super::{Connection, ProtectedFiles, Touched, shadows};
use crate::config::scope_of;
use crate::definition::Action;
use crate::load::HookSet;
use crate::protected::{holds_file, is_same_file, names, resolve_existing};
use crate::read_file::{self, Kind};
use crate::source::{Level, Os, Roots, Source};
use crate::trust::coverage;

const STATE: &str = "Boathook's state";
const CONFIG: &str = "Boathook's configuration";
const PROGRAM: &str = "Boathook's program";
const USER_HOOKS: &str = "the user's hooks";
const TEAM_HOOKS: &str = "the team's hooks";
const ENTERPRISE_HOOKS: &str = "the enterprise's hooks";
const SCRIPT: &str = "a script that a hook runs";
const SHADOW: &str = "a program that hooks are started with";
const DAEMON: &str = "the service of Boathook's daemon";
const CONNECTION: &str = "an entry that connects an agent to Boathook";

/// A hard link is looked for among at most this many files.
const MAX_FILES_COMPARED: usize = 2_000;
/// A settings file is searched for a mention of Boathook up to this size.
const MAX_SETTINGS_BYTES: u64 = 4 * 1024 * 1024;

/// How a call changes a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// This file or what is in this directory by name.
    Path,
    /// The path and the directory that directly holds a target: a change of permissions, an archive that is unpacked.
    Directory,
    /// The path with everything below it: it is removed or renamed.
    Tree,
}

/// One protected path.
#[derive(Debug)]
pub(super) struct Target {
    /// As configured, and with links resolved when that differs.
    pub names: Vec<Vec<String>>,
    pub path: PathBuf,
    what: &'static str,
    /// Everything below it is protected.
    pub is_tree: bool,
    /// A name below its directory that is not known may be it.
    pub near: bool,
    /// It takes effect by being there: removing a directory above it changes nothing.
    pub is_shadow: bool,
    /// It takes effect only while this mentions Boathook.
    entries: Option<PathBuf>,
}

/// Every protected path of one user.
#[derive(Debug)]
pub(super) struct Targets {
    pub all: Vec<Target>,
    pub os: Os,
    pub home: PathBuf,
}

impl Targets {
    pub(super) fn new(roots: &Roots, files: &ProtectedFiles, hooks: &HookSet) -> Targets {
        let mut targets = Targets { all: Vec::new(), os: roots.os, home: roots.home.clone() };
        let user = Source::user(&roots.home);
        targets.add(roots.state.clone(), STATE, true, true);
        targets.add(files.config.clone(), CONFIG, true, true);
        targets.add(user.file, USER_HOOKS, false, true);
        targets.add(user.run_dir.join("hooks"), USER_HOOKS, true, true);
        targets.add(user.run_dir.join("managed"), TEAM_HOOKS, true, true);
        let enterprise = Source::enterprise(roots.os, &roots.system).run_dir;
        targets.add(enterprise, ENTERPRISE_HOOKS, true, true);
        files.programs.iter().for_each(|path| targets.add(path.clone(), PROGRAM, false, false));
        let mut scripts: Vec<PathBuf> = Vec::new();
        for hook in hooks.hooks.iter() {
            let Some(what) = owner(hook.source.level) else { continue };
            targets.add(hook.source.file.clone(), what, false, true);
            let Action::Command(command) = &hook.definition.action else { continue };
            let scope = scope_of(&hook.source, roots);
            for named in coverage(command, &scope).named {
                let is_file = read_file::facts(&named.path).map(|facts| facts.kind == Kind::File);
                if is_file.unwrap_or(!named.loose) {
                    scripts.push(named.path.clone());
                    targets.add(named.path, SCRIPT, false, false);
                }
            }
        }
        for folder in shadows::script_folders(&scripts, &user.run_dir, &roots.home, &files.search_path) {
            targets.add(folder, SCRIPT, true, false);
        }
        for name in shadows::programs(hooks) {
            for file in shadows::earlier_names(&name, &files.search_path, &roots.home) {
                let count = targets.all.len();
                targets.add(file, SHADOW, false, false);
                targets.all[count..].iter_mut().for_each(|target| target.is_shadow = true);
            }
        }
        files.units.iter().for_each(|path| targets.add(path.clone(), DAEMON, false, false));
        for Connection { file, entries } in &files.connections {
            let count = targets.all.len();
            targets.add(file.clone(), CONNECTION, true, false);
            targets.all[count..].iter_mut().for_each(|target| target.entries = Some(entries.clone()));
        }
        targets
    }

    fn add(&mut self, path: PathBuf, what: &'static str, is_tree: bool, near: bool) {
        if !names::is_absolute(&path, self.os) || self.all.iter().any(|known| known.path == path) {
            return;
        }
        let given = names::parts(&path, self.os);
        let resolved = names::parts(&resolve_existing(&path), self.os);
        let mut names = vec![given];
        if names[0] != resolved {
            names.push(resolved);
        }
        // A target at the root of the file system would cover every path.
        if names.iter().all(|parts| parts.len() > 1) {
            self.all.push(Target { names, path, what, is_tree, near, is_shadow: false, entries: None });
        }
    }

    /// The target that a change of this absolute path reaches.
    pub(super) fn touched(&self, path: &Path, reach: Reach) -> Option<Touched> {
        let given = names::parts(path, self.os);
        let resolved = names::parts(&resolve_existing(path), self.os);
        // `..` behind a link leads elsewhere for the kernel than for a program that takes it out of the text.
        let as_text: PathBuf = std::iter::once("/").chain(given.iter().map(String::as_str)).collect();
        let by_text = match self.os {
            Os::Linux | Os::Macos if as_text != path => names::parts(&resolve_existing(&as_text), self.os),
            Os::Windows | Os::Linux | Os::Macos => resolved.clone(),
        };
        let reached = |target: &&Target| {
            [&given, &resolved, &by_text].into_iter().any(|parts| target.is_reached_by(parts, reach))
        };
        let by_name = self.all.iter().filter(|target| target.takes_effect()).find(reached);
        let target = by_name.or_else(|| self.by_hard_link(path))?;
        Some(target.touched_at(path))
    }

    fn by_hard_link(&self, path: &Path) -> Option<&Target> {
        let found = read_file::facts(path).filter(|facts| facts.kind == Kind::File && facts.links > 1)?;
        let mut left = MAX_FILES_COMPARED;
        self.all.iter().filter(|target| target.takes_effect()).find(|target| {
            read_file::facts(&target.path).is_some_and(|facts| match facts.kind {
                Kind::Directory => holds_file(&target.path, &found, &mut left),
                _ => is_same_file(&facts, &found),
            })
        })
    }
}

impl Target {
    pub(super) fn takes_effect(&self) -> bool {
        self.entries.as_deref().is_none_or(mentions_boathook)
    }

    pub(super) fn touched_at(&self, path: &Path) -> Touched {
        Touched { what: self.what, place: path.display().to_string() }
    }

    /// Whether changing the path of these parts, to this extent, changes the target.
    fn is_reached_by(&self, parts: &[String], reach: Reach) -> bool {
        self.names.iter().any(|target| {
            let shared = parts.iter().zip(target).take_while(|(part, name)| names::same(part, name)).count();
            self.is_related(shared, parts.len(), target.len(), reach)
        })
    }

    /// The same, by how many leading parts of a path of `length` parts agree with a name of the target.
    pub(super) fn is_related(&self, shared: usize, length: usize, target: usize, reach: Reach) -> bool {
        if shared == target {
            return length == target || self.is_tree;
        }
        shared == length
            && match reach {
                Reach::Path => false,
                Reach::Directory => self.near && target == length + 1,
                Reach::Tree => !self.is_shadow,
            }
    }
}

/// What hooks of this level are called; none where content trust covers them.
fn owner(level: Level) -> Option<&'static str> {
    match level {
        Level::Enterprise => Some(ENTERPRISE_HOOKS),
        Level::Team => Some(TEAM_HOOKS),
        Level::User | Level::ClaudeUser => Some(USER_HOOKS),
        Level::BuiltIn
        | Level::Host
        | Level::Project
        | Level::ClaudeLocal
        | Level::ClaudeProject
        | Level::Hookify
        | Level::Plugin => None,
    }
}

fn mentions_boathook(path: &Path) -> bool {
    let Some(facts) = read_file::facts(path) else { return false };
    if facts.kind == Kind::Directory {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        return entries.take(MAX_FILES_COMPARED).any(|entry| is_ours(&entry.path()));
    }
    is_ours(path)
}

fn is_ours(file: &Path) -> bool {
    let read = read_file::read(file, MAX_SETTINGS_BYTES, read_file::Owner::Anybody);
    read.is_ok_and(|read| read.bytes.windows(b"boathook".len()).any(|bytes| bytes == b"boathook"))
}

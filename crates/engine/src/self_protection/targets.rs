//! The paths that decide about agents, and whether another path is one of them, lies in one, or holds one.
//!
//! Names are compared in every spelling that some file system accepts, with and without links resolved. A file with
//! several hard links is also compared by its identity.

use std::path::{Path, PathBuf};

use super::{Connection, ProtectedFiles, Touched};
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
    path: PathBuf,
    what: &'static str,
    /// Everything below it is protected.
    is_tree: bool,
    /// A name below its directory that is not known may be it.
    pub near: bool,
    /// It takes effect only while this mentions Boathook.
    entries: Option<PathBuf>,
}

/// Every protected path of one user.
#[derive(Debug)]
pub(super) struct Targets {
    pub all: Vec<Target>,
    os: Os,
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
        for hook in hooks.hooks.iter() {
            let Some(what) = owner(hook.source.level) else { continue };
            targets.add(hook.source.file.clone(), what, false, true);
            let Action::Command(command) = &hook.definition.action else { continue };
            let scope = scope_of(&hook.source, roots);
            for named in coverage(command, &scope).named {
                let is_file = read_file::facts(&named.path).map(|facts| facts.kind == Kind::File);
                if is_file.unwrap_or(!named.loose) {
                    targets.add(named.path, SCRIPT, false, false);
                }
            }
        }
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
            self.all.push(Target { names, path, what, is_tree, near, entries: None });
        }
    }

    /// The target that a change of this absolute path reaches.
    pub(super) fn touched(&self, path: &Path, reach: Reach) -> Option<Touched> {
        let given = names::parts(path, self.os);
        let resolved = names::parts(&resolve_existing(path), self.os);
        let reached = |target: &&Target| {
            [&given, &resolved].into_iter().any(|parts| target.is_reached_by(parts, reach))
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

    /// The target that a text names, for texts that are not read as commands: its path as it is, behind `~` or `$HOME`,
    /// or all parts of its path below the home together with a word for the home.
    pub(super) fn mentioned(&self, text: &str) -> Option<Touched> {
        const HOME_WORDS: [&str; 6] = ["~", "HOME", "homedir", "home()", "expanduser", "USERPROFILE"];
        let home = names::parts(&self.home, self.os);
        let says_home = HOME_WORDS.iter().any(|word| text.contains(word));
        let is_named = |target: &&Target| {
            target.names.iter().any(|parts| {
                let whole = format!("/{}", parts.join("/"));
                let below = parts.strip_prefix(home.as_slice()).filter(|rest| !rest.is_empty());
                let in_parts = |rest: &[String]| rest.iter().all(|part| text.contains(part.as_str()));
                text.contains(&whole) || (says_home && below.is_some_and(in_parts))
            })
        };
        let named = self.all.iter().filter(is_named).find(|target| target.takes_effect())?;
        Some(named.touched_at(&named.path))
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
                Reach::Tree => true,
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

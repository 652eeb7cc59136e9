//! Where the hooks of plugins stand: what a plugin's manifest names, else its
//! `hooks/hooks.json`.
//!
//! A manifest names files of its own plugin and no others: a path that leads
//! out of it, by dots or by a link, is a problem. Only reads, but for
//! `remember`.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::Surroundings;
use crate::digest::Hasher;
use crate::problem::Problem;
use crate::read_file::{self, CONFIG_LIMIT, Owner, ReadError};
use crate::source::{self, Source};
use crate::state::{Durability, StateDir, StateError};

/// Plugins that workspaceOpen hooks named, one file for each list of workspaces.
const FOLDER: &str = "plugins";
/// Both products' manifests. What the first says of hooks counts.
const MANIFESTS: [&str; 2] = [".cursor-plugin/plugin.json", ".claude-plugin/plugin.json"];
const DEFAULT: &str = "hooks/hooks.json";

/// The sources of some plugins.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) sources: Vec<Source>,
    pub(super) problems: Vec<Problem>,
    /// What was looked at: a change there may change the sources.
    pub(super) looked_at: Vec<PathBuf>,
}

/// What a manifest says of hooks.
enum Named {
    Nothing,
    Files(Vec<String>),
    Inline,
    Broken(String),
}

/// Looks for the hooks of every plugin of these workspaces.
pub(super) fn find(around: &Surroundings, workspaces: &[PathBuf]) -> Found {
    let mut found = Found::default();
    let remembered = around.state.file(FOLDER, &name(workspaces));
    found.looked_at.push(remembered);
    let mut roots = around.roots.plugins.clone();
    roots.extend(recall(&around.state, workspaces));
    let mut seen: Vec<PathBuf> = Vec::new();
    for named in &roots {
        found.looked_at.push(named.clone());
        let root = source::plugin_root(named, workspaces);
        if !seen.contains(&root) {
            Finder { root: &root, workspaces, around, found: &mut found }.find();
            seen.push(root);
        }
    }
    found
}

/// Keeps the plugins that hooks named for these workspaces, until they name
/// others.
pub(crate) fn remember(
    state: &StateDir,
    workspaces: &[PathBuf],
    paths: &[PathBuf],
) -> Result<(), StateError> {
    if recall(state, workspaces) == paths {
        return Ok(());
    }
    let texts: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    let bytes = serde_json::to_vec(&texts).unwrap_or_default();
    state.write(FOLDER, &name(workspaces), &bytes, Durability::Relaxed)
}

fn recall(state: &StateDir, workspaces: &[PathBuf]) -> Vec<PathBuf> {
    let bytes = state.read(FOLDER, &name(workspaces)).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn name(workspaces: &[PathBuf]) -> String {
    let mut hasher = Hasher::default();
    workspaces.iter().for_each(|root| hasher.field(root.as_os_str().as_encoded_bytes()));
    hasher.digest().to_string()
}

struct Finder<'f> {
    root: &'f Path,
    workspaces: &'f [PathBuf],
    around: &'f Surroundings,
    found: &'f mut Found,
}

impl Finder<'_> {
    fn find(&mut self) {
        self.found.looked_at.extend([self.root.to_owned(), self.root.join("hooks")]);
        if !self.root.is_dir() {
            let problem =
                Problem::error("plugin-missing", "there is no such plugin directory; none of its hooks run");
            return self.report(
                self.root.to_owned(),
                problem.help("name the directory that holds the plugin's hooks"),
            );
        }
        for manifest in MANIFESTS {
            let file = self.root.join(manifest);
            self.found.looked_at.push(file.clone());
            match named(&file) {
                Named::Nothing => continue,
                Named::Inline => self.add(file),
                Named::Files(names) => names.iter().for_each(|name| self.add_named(&file, name)),
                Named::Broken(reason) => {
                    let problem =
                        Problem::error("plugin-manifest", format!("the manifest cannot be read: {reason}"));
                    self.report(file, problem.help("none of the plugin's hooks run until it is repaired"));
                }
            }
            return;
        }
        let file = self.root.join(DEFAULT);
        if file.exists() && !self.is_inside(&file) {
            return self.leads_out(&file, DEFAULT);
        }
        self.add(file);
    }

    /// A file that a manifest names.
    fn add_named(&mut self, manifest: &Path, name: &str) {
        let relative: PathBuf =
            Path::new(name).components().filter(|part| *part != Component::CurDir).collect();
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        let file = self.root.join(&relative);
        if !plain || relative.as_os_str().is_empty() || name.contains('\\') {
            return self.leads_out(manifest, name);
        }
        self.found.looked_at.push(file.clone());
        if !file.exists() {
            let message = format!("`hooks` names `{name}`, which does not exist; the plugin has no hooks");
            let problem = Problem::error("plugin-hooks-missing", message);
            return self.report(manifest.to_owned(), problem.help(format!("looked for {}", file.display())));
        }
        if !self.is_inside(&file) {
            return self.leads_out(manifest, name);
        }
        self.add(file);
    }

    /// Where the links of a path lead is inside the plugin.
    fn is_inside(&self, file: &Path) -> bool {
        let (Ok(root), Ok(file)) = (self.root.canonicalize(), file.canonicalize()) else { return false };
        file.starts_with(root)
    }

    fn leads_out(&mut self, file: &Path, name: &str) {
        let message = format!("`{name}` leads out of the plugin; none of its hooks run");
        let problem = Problem::error("plugin-leads-out", message);
        self.report(
            file.to_owned(),
            problem.help("name a file inside the plugin, like \"./hooks/hooks.json\""),
        );
    }

    fn add(&mut self, file: PathBuf) {
        let shape = self.around.options.third_party.shape;
        self.found.sources.push(Source::plugin(self.root, file, self.workspaces, shape));
    }

    fn report(&mut self, file: PathBuf, mut problem: Problem) {
        problem.file = Some(file);
        self.found.problems.push(problem);
    }
}

fn named(manifest: &Path) -> Named {
    let bytes = match read_file::read(manifest, CONFIG_LIMIT, Owner::UserOrRoot) {
        Ok(file) => file.bytes,
        Err(ReadError::Absent) => return Named::Nothing,
        Err(error) => return Named::Broken(error.to_string()),
    };
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => return Named::Broken(error.to_string()),
    };
    match value.get("hooks") {
        None | Some(Value::Null) => Named::Nothing,
        Some(Value::String(path)) => Named::Files(vec![path.clone()]),
        Some(Value::Object(_)) => Named::Inline,
        Some(Value::Array(paths)) if paths.iter().all(Value::is_string) => {
            Named::Files(paths.iter().filter_map(|path| path.as_str().map(str::to_owned)).collect())
        }
        Some(_) => Named::Broken("`hooks` is neither a path nor an object".to_owned()),
    }
}

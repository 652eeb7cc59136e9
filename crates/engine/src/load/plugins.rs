//! Where the hooks of plugins stand: what a plugin's manifest names, else its
//! `hooks/hooks.json`.
//!
//! A manifest names files of its own plugin and no others: a path that leads
//! out of it, by dots or by a link, is a problem. Only reads.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::{Surroundings, last_good, named_plugins};
use crate::problem::Problem;
use crate::read_file::{self, CONFIG_LIMIT, Owner, ReadError};
use crate::source::{self, Level, Source};

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
    let mut roots = around.roots.plugins.clone();
    roots.extend(named_plugins::in_force(around, workspaces, &mut found));
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

struct Finder<'f> {
    root: &'f Path,
    workspaces: &'f [PathBuf],
    around: &'f Surroundings,
    found: &'f mut Found,
}

impl Finder<'_> {
    fn find(&mut self) {
        self.found.looked_at.extend([self.root.to_owned(), self.root.join("hooks")]);
        let first = self.found.sources.len();
        if self.root.is_dir() {
            self.look();
        } else {
            let problem =
                Problem::error("plugin-missing", "there is no such plugin directory; none of its hooks run");
            self.report(
                self.root.to_owned(),
                problem.help("name the directory that holds the plugin's hooks"),
            );
        }
        self.add_trusted(first);
    }

    fn look(&mut self) {
        for manifest in MANIFESTS {
            let file = self.root.join(manifest);
            self.found.looked_at.push(file.clone());
            match named(&file) {
                Named::Nothing => continue,
                Named::Inline => self.add(file),
                Named::Files(names) => names.iter().for_each(|name| self.add_named(&file, name)),
                Named::Broken(reason) => self.broken_manifest(file, &reason),
            }
            return;
        }
        let file = self.root.join(DEFAULT);
        if file.exists() && !self.is_inside(&file) {
            return self.leads_out(&file, DEFAULT);
        }
        self.add(file);
    }

    /// What was in use before the manifest broke stays in use.
    fn broken_manifest(&mut self, file: PathBuf, reason: &str) {
        let problem = Problem::error("plugin-manifest", format!("the manifest cannot be read: {reason}"));
        self.report(file.clone(), problem.help("only those of the plugin's hooks run that ran before"));
        for file in [file, self.root.join(DEFAULT)] {
            let source = self.source(file);
            if !source.needs_trust() && last_good::is_kept(self.around, &source) {
                self.found.sources.push(source);
            }
        }
    }

    /// A file that somebody trusted stays a source, whatever its manifest says
    /// now: a gate is not switched off by a file that nobody looked at.
    fn add_trusted(&mut self, first: usize) {
        if !self.source(self.root.join(DEFAULT)).needs_trust() {
            return;
        }
        let records = self.around.trust.list().unwrap_or_default();
        for record in records.into_iter().flatten().filter(|record| record.level == Level::Plugin.name()) {
            let file = PathBuf::from(record.file);
            let known = self.found.sources[first..].iter().any(|source| source.file == file);
            if known || !file.starts_with(self.root) {
                continue;
            }
            let source = self.source(file.clone());
            if matches!(self.around.trust.record(&source), Ok(None)) {
                continue;
            }
            let message =
                "the plugin does not name this file any more, but somebody trusted it: it still counts";
            let problem = Problem::warning("plugin-unnamed", message);
            self.found.looked_at.push(file.clone());
            self.report(
                file,
                problem.help("`boathook trust --revoke` lets go of it; then look at the rest again"),
            );
            self.found.sources.push(source);
        }
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
        let source = self.source(file);
        self.found.sources.push(source);
    }

    fn source(&self, file: PathBuf) -> Source {
        Source::plugin(self.root, file, self.workspaces, self.around.options.third_party.shape)
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

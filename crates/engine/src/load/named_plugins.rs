//! The plugins that workspaceOpen hooks named: they count for every later event
//! of the same workspaces, as long as whoever named them may speak.
//!
//! A hook of a workspace speaks while its source is trusted. What it named is
//! kept with the source, and counts only while that source would run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::plugins::Found;
use super::{Surroundings, TrustMode};
use crate::definition::Definition;
use crate::digest::Hasher;
use crate::problem::Problem;
use crate::read_file::{self, CONFIG_LIMIT, Owner};
use crate::source::{self, Level, Source};
use crate::state::{Durability, StateDir, StateError};
use crate::trust::TrustState;

/// One file for each list of workspaces.
const FOLDER: &str = "plugins";

/// A plugin that a hook named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamedPlugin {
    /// Its root.
    path: PathBuf,
    /// The source of the hook, when it runs by trust.
    by: Option<NamedBy>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct NamedBy {
    file: PathBuf,
    /// The root of the plugin that the source belongs to, if it is one's.
    plugin: Option<PathBuf>,
}

impl NamedPlugin {
    /// A plugin that a hook of this source named.
    pub(crate) fn new(path: PathBuf, source: &Source) -> NamedPlugin {
        let plugin = (source.level == Level::Plugin).then(|| source.run_dir.clone());
        let by = source.needs_trust().then(|| NamedBy { file: source.file.clone(), plugin });
        NamedPlugin { path, by }
    }
}

/// Keeps the plugins that hooks named for these workspaces, until they name
/// others. What a workspace named that is trusted for one run alone is not
/// kept, and takes nothing from what was kept before; those are returned.
pub(crate) fn remember(
    state: &StateDir,
    workspaces: &[PathBuf],
    mut plugins: Vec<NamedPlugin>,
    trust: TrustMode,
) -> Result<Vec<PathBuf>, StateError> {
    let known = recall(state, workspaces);
    let freely: Vec<PathBuf> =
        plugins.iter().filter(|it| it.by.is_none()).map(|it| it.path.clone()).collect();
    plugins.retain(|plugin| plugin.by.is_none() || !freely.contains(&plugin.path));
    let mut unkept = Vec::new();
    if trust == TrustMode::Once {
        let gated = plugins.extract_if(.., |plugin| plugin.by.is_some());
        unkept = gated.map(|plugin| plugin.path).collect();
        plugins.extend(known.iter().filter(|plugin| plugin.by.is_some()).cloned());
    }
    if known != plugins {
        let bytes = serde_json::to_vec(&plugins).unwrap_or_default();
        state.write(FOLDER, &name(workspaces), &bytes, Durability::Relaxed)?;
    }
    Ok(unkept)
}

/// The roots of those that count now; the others are reported.
pub(super) fn in_force(around: &Surroundings, workspaces: &[PathBuf], found: &mut Found) -> Vec<PathBuf> {
    found.looked_at.push(around.state.file(FOLDER, &name(workspaces)));
    let mut roots = Vec::new();
    for plugin in recall(&around.state, workspaces) {
        let Some(by) = &plugin.by else {
            roots.push(plugin.path);
            continue;
        };
        if may_speak(by, around, workspaces, found) {
            roots.push(plugin.path);
        } else {
            let message = format!(
                "the plugin {} is not loaded: the hooks that named it are not trusted, or not any more",
                plugin.path.display()
            );
            let mut problem = Problem::warning("plugin-withheld", message);
            problem.file = Some(by.file.clone());
            found.problems.push(problem.help("`boathook trust` shows what would be trusted, and asks"));
        }
    }
    roots
}

/// Whether the source is what somebody trusts, now.
fn may_speak(by: &NamedBy, around: &Surroundings, workspaces: &[PathBuf], found: &mut Found) -> bool {
    let Some(source) = source_of(by, around, workspaces) else { return false };
    found.looked_at.extend([source.file.clone(), around.trust.record_file(&source)]);
    if let Ok(Some(record)) = around.trust.record(&source) {
        found.looked_at.extend(record.files.into_iter().map(|pin| pin.path));
    }
    if around.options.trust == TrustMode::Once || !source.needs_trust() {
        return true;
    }
    let Some((bytes, definitions)) = contents(&source, around) else { return false };
    around.trust.status(&source, &bytes, &definitions) == TrustState::Trusted
}

fn contents(source: &Source, around: &Surroundings) -> Option<(Vec<u8>, Vec<Definition>)> {
    let bytes = read_file::read(&source.file, CONFIG_LIMIT, Owner::UserOrRoot).ok()?.bytes;
    let config = (around.read)(&bytes, source, &around.options);
    config.readable.then(|| (config.part.unwrap_or(bytes), config.definitions))
}

fn source_of(by: &NamedBy, around: &Surroundings, workspaces: &[PathBuf]) -> Option<Source> {
    if let Some(root) = &by.plugin {
        let shape = around.options.third_party.shape;
        return Some(Source::plugin(root, by.file.clone(), workspaces, shape));
    }
    let is_it = |source: &Source| source.file == by.file;
    source::sources(&around.roots, workspaces, around.third_party()).into_iter().find(is_it)
}

fn recall(state: &StateDir, workspaces: &[PathBuf]) -> Vec<NamedPlugin> {
    let bytes = state.read(FOLDER, &name(workspaces)).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn name(workspaces: &[PathBuf]) -> String {
    let mut hasher = Hasher::default();
    workspaces.iter().for_each(|root| hasher.field(root.as_os_str().as_encoded_bytes()));
    hasher.digest().to_string()
}

//! The workspace roots of an agent: a union, so that nothing an agent does
//! takes a root away.
//!
//! Agents change directory, make nested repositories and enter worktrees. A
//! gate that followed the working directory alone could be left behind by
//! `mkdir -p sub/.cursor && cd sub`. More roots can only close gates: hooks of a
//! root that is not trusted do not run, and a deny wins whichever root it is from.

use std::path::{Path, PathBuf};

use crate::source::{distinct_roots, find_workspace, marked_workspace};
use crate::trust::Trust;

/// Files whose hooks need trust, below a workspace root.
const HOOK_FILES: [&str; 3] = [".cursor/hooks.json", ".claude/settings.json", ".claude/settings.local.json"];

/// Everything that says where an agent works. Fields are in order of precedence.
#[derive(Debug, Clone, Default)]
pub struct RootHints {
    /// Roots that the command line or the payload names.
    pub named: Vec<PathBuf>,
    /// Values of the agent's project variables.
    pub project_dirs: Vec<PathBuf>,
    /// Roots that the session began with.
    pub session: Vec<PathBuf>,
    /// The directory that the agent started us in.
    pub started_in: Option<PathBuf>,
    /// The working directory that the payload names.
    pub cwd: Option<PathBuf>,
}

/// Returns every workspace root, each directory once, the first hint first.
pub fn workspace_roots(hints: &RootHints, home: &Path, trust: &Trust) -> Vec<PathBuf> {
    let absolute = |path: &&PathBuf| path.is_absolute();
    let marked = |path: &PathBuf| {
        let itself = || path.join(".cursor").exists().then(|| path.clone());
        marked_workspace(path, home).or_else(itself)
    };
    let project_dirs = hints.project_dirs.iter().filter(absolute).filter(|dir| dir.is_dir());
    let cwd = hints.cwd.as_ref().filter(absolute);
    let mut roots = hints.named.clone();
    roots.extend(project_dirs.clone().filter_map(marked));
    roots.extend(hints.session.iter().cloned());
    roots.extend(hints.started_in.iter().filter_map(marked));
    roots.extend(cwd.map(|cwd| find_workspace(cwd, home)));
    let mut directories = roots.clone();
    directories.extend(project_dirs.cloned());
    directories.extend(hints.started_in.iter().chain(cwd).cloned());
    roots.extend(guarded_ancestors(&directories, trust));
    distinct_roots(roots)
}

/// Directories at or above these that have a trust record. A store that cannot
/// be read may hold a record of any of them.
fn guarded_ancestors(directories: &[PathBuf], trust: &Trust) -> Vec<PathBuf> {
    trust.recorded_above(directories).unwrap_or_else(|_| {
        let above = directories.iter().flat_map(|directory| directory.ancestors());
        let has_hooks = |directory: &&Path| HOOK_FILES.iter().any(|file| directory.join(file).exists());
        above.filter(has_hooks).map(Path::to_owned).collect()
    })
}

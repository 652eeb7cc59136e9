//! Reads all sources into one `HookSet`, and knows when they changed.

use std::path::PathBuf;
use std::sync::Arc;

use crate::definition::Definition;
use crate::edition::Edition;
use crate::problem::Problem;
use crate::source::{Roots, Source};

/// All hooks of all sources, in the walk from high to low priority.
#[derive(Debug, Clone, Default)]
pub struct HookSet {
    /// The hooks, also those that will not run.
    pub hooks: Vec<Hook>,
    /// Every problem met while reading.
    pub problems: Vec<Problem>,
    /// Every source that was looked for, and how it stands.
    pub sources: Vec<SourceReport>,
}

/// One hook of one source.
#[derive(Debug, Clone)]
pub struct Hook {
    /// Stable while its file does not change: `project:0:beforeShellExecution:1`.
    pub id: String,
    /// What it does.
    pub definition: Definition,
    /// Where it comes from.
    pub source: Arc<Source>,
    /// Whether it may run.
    pub state: HookState,
}

/// Whether a hook may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookState {
    /// It may.
    Ready,
    /// It may not, for this reason.
    Withheld(Withheld),
}

/// Why a hook is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// The workspace was never trusted.
    Untrusted,
    /// It was trusted, and something it covers changed since.
    Changed,
    /// Edition 2.3 runs project hooks only with the experiment.
    NeedsExperiment,
    /// The surface does not run it.
    NotOnThisSurface,
    /// The edition does not know the event.
    NotInThisEdition,
}

/// How one source stands.
#[derive(Debug, Clone)]
pub struct SourceReport {
    /// Which one.
    pub source: Arc<Source>,
    /// What became of it.
    pub state: SourceState,
}

/// What became of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceState {
    /// There is no such file.
    Absent,
    /// It was read.
    Read,
    /// It could not be read; an earlier copy is in force.
    LastGood(String),
    /// It could not be read, and there is no earlier copy.
    Unreadable(String),
}

/// Where agents run: at a desk, or in the cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surface {
    /// Everything runs.
    #[default]
    Desktop,
    /// Enterprise, team and project sources, command hooks, fewer events.
    Cloud,
}

/// How trust is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrustMode {
    /// By the trust store.
    #[default]
    Store,
    /// The caller trusts the workspace for this one engine; nothing is stored.
    Once,
}

/// How to load.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoadOptions {
    /// Which edition's rules apply.
    pub edition: Edition,
    /// Where the agent runs.
    pub surface: Surface,
    /// How trust is decided.
    pub trust: TrustMode,
    /// `[experiments] hooks_ide_project_config`.
    pub project_experiment: bool,
    /// Compile every matcher and look for every script, as `check` wants;
    /// a run leaves that to the hooks of its own event.
    pub thorough: bool,
}

/// Reads sources, and reads them again when they changed.
#[derive(Debug)]
pub struct Loader {
    roots: Roots,
    options: LoadOptions,
}

impl Loader {
    /// Reads nothing yet.
    pub fn new(roots: Roots, options: LoadOptions) -> Loader {
        Loader { roots, options }
    }

    /// The hooks for these workspace roots; read again only when a file changed.
    pub fn hooks(&mut self, workspaces: &[PathBuf]) -> Arc<HookSet> {
        let _ = (&self.roots, &self.options, workspaces);
        Arc::new(HookSet::default())
    }

    /// Keeps copies of sources that are good.
    pub fn remember_good(&self) {}

    /// Forgets what was read.
    pub fn forget(&mut self) {}
}

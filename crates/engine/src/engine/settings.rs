//! Everything an engine is built from. What comes from outside stands here.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use crate::edition::Edition;
use crate::judge::Judge;
use crate::load::{LoadOptions, Surface, TrustMode};
use crate::outcome::Failure;
use crate::record::Keep;
use crate::rule::hookify::Mode;
use crate::run::{Cancel, Keeper};
use crate::self_protection::ProtectedFiles;
use crate::source::{Levels, Roots, Selection, ThirdParty};

/// Everything an engine is built from. What comes from outside stands here.
#[derive(Clone)]
pub struct Settings {
    /// Every place the engine may look at.
    pub roots: Roots,
    /// Which edition's rules apply.
    pub edition: Edition,
    /// Where the agent runs.
    pub surface: Surface,
    /// How trust is decided.
    pub trust: TrustMode,
    /// Whether hooks that were written for another product load too.
    pub third_party: ThirdParty,
    /// Which sources take part.
    pub selection: Selection,
    /// Levels whose sources do not: an agent runs them itself.
    pub without: Levels,
    /// The files that self-protection guards in adapters beside those that the engine knows; none switches it off.
    pub self_protection: Option<ProtectedFiles>,
    /// The agent that calls us, for the record.
    pub agent: Option<&'static str>,
    /// How hookify rules are read and decided.
    pub hookify: Mode,
    /// `[experiments] hooks_ide_project_config`.
    pub project_experiment: bool,
    /// The environment hooks inherit.
    pub environment: Vec<(OsString, OsString)>,
    /// Version of the host; else a constant of the edition.
    pub cursor_version: Option<String>,
    /// The signed-in user.
    pub user_email: Option<String>,
    /// Whether the workspace is remote.
    pub remote: bool,
    /// Whether the host can ask the user. A host that cannot, denies.
    pub can_ask: bool,
    /// More automatic follow-ups than this are never sent.
    pub loop_ceiling: u32,
    /// The model behind prompt hooks.
    pub judge: Option<Arc<dyn Judge>>,
    /// How much of payloads the log on disk keeps.
    pub keep: Keep,
    /// How deep this engine is called by its own hooks.
    pub depth: u32,
    /// The source files it was called from.
    pub called_from: Vec<OsString>,
    /// Why nobody can tell which hooks guard: then an agent's gates stay shut.
    pub unknown_policy: Option<String>,
    /// Ends hooks that are running: a user's cancel.
    pub cancel: Cancel,
    /// Keeps processes of hooks that ask for it, for a host that lives from
    /// event to event. Engines may share one. None: each event starts its own.
    pub keeper: Option<Arc<Keeper>>,
}

impl Settings {
    /// Defaults for everything but the places.
    pub fn new(roots: Roots) -> Settings {
        Settings {
            roots,
            edition: Edition::default(),
            surface: Surface::default(),
            trust: TrustMode::default(),
            third_party: ThirdParty::default(),
            selection: Selection::default(),
            without: Levels::default(),
            self_protection: None,
            agent: None,
            hookify: Mode::default(),
            project_experiment: false,
            environment: Vec::new(),
            cursor_version: None,
            user_email: None,
            remote: false,
            can_ask: true,
            loop_ceiling: 50,
            judge: None,
            keep: Keep::default(),
            depth: 0,
            called_from: Vec::new(),
            unknown_policy: None,
            cancel: Cancel::default(),
            keeper: None,
        }
    }

    /// Which model a prompt hook that names this one would ask, or what is said
    /// of the hook when there is none. Starts nothing and opens nothing.
    pub fn would_ask(&self, model: Option<&str>) -> Result<String, String> {
        let judge = self.judge.as_ref().ok_or_else(|| Failure::NoJudge.to_string())?;
        judge.would_ask(model).map_err(|reason| format!("has no model to ask: {reason}"))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("roots", &self.roots)
            .field("edition", &self.edition)
            .finish_non_exhaustive()
    }
}

/// How a loader is set up; `thorough` is for `check` and `list`.
pub fn load_options(settings: &Settings, thorough: bool) -> LoadOptions {
    LoadOptions {
        edition: settings.edition,
        surface: settings.surface,
        trust: settings.trust,
        third_party: settings.third_party,
        hookify: settings.hookify,
        project_experiment: settings.project_experiment,
        selection: settings.selection,
        without: settings.without,
        scripts: crate::trust::Scripts::Checked,
        thorough,
    }
}

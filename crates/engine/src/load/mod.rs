//! Reads all sources into one `HookSet`, and knows when they changed.
//!
//! Every call looks at every file again, cheaply: device, number, size and
//! times; for files that are not there it looks at the folder in which they would
//! appear. A file that differs, or was changed so recently that its times could
//! not tell, is read again. A file that is gone has no hooks; one that cannot
//! be read keeps those of its last good copy, loudly; neither touches another.
//!
//! Only reads, except for `remember_good`, `changes` and `told`. Starts nothing.

mod changes;
mod last_good;
mod left_behind;
pub(crate) mod named_plugins;
mod ownership;
mod plugins;
mod reading;
mod repeats;
mod rule_entries;
mod sealed;
mod states;
mod untrusted;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bundle::{Age, Seal, expected_file};
use crate::config::{self, Config};
use crate::definition::Definition;
use crate::edition::Edition;
use crate::problem::Problem;
use crate::read_file::{Folders, Looked};
use crate::rule::hookify;
use crate::source::{self, Format, Levels, Roots, Selection, Source, ThirdParty};
use crate::state::StateDir;
use crate::trust::{Scripts, Subject, Trust, TrustState, TrustedFiles};
pub use changes::Change;
use reading::Reading;
pub use repeats::repeats;
pub(crate) use untrusted::counted;

/// All hooks of all sources, in the walk from high to low priority.
#[derive(Debug, Clone, Default)]
pub struct HookSet {
    /// The hooks, also those that will not run.
    pub hooks: Vec<Hook>,
    /// Every problem met while reading.
    pub problems: Vec<Problem>,
    /// Every source that was looked for, and how it stands.
    pub sources: Vec<SourceReport>,
    /// With `TrustMode::Once`: every file that the caller trusts.
    pub trusted_once: Vec<PathBuf>,
    /// The file that switches off every hook that was written for Claude Code.
    pub switched_off_by: Option<PathBuf>,
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
    /// It was trusted, and something it covers changed since; or its record
    /// of trust cannot be read. A gate that is `failClosed` refuses.
    Changed,
    /// Edition 2.3 runs project hooks only with the experiment.
    NeedsExperiment,
    /// The surface does not run it.
    NotOnThisSurface,
    /// The edition does not know the event.
    NotInThisEdition,
    /// Claude Code's settings switch all of its hooks off.
    SwitchedOff,
    /// It is not what a team's server signed. A gate that is `failClosed`
    /// refuses.
    Tampered,
    /// It is an enterprise's, and others can write its file or a script that it names. A gate that is `failClosed`
    /// refuses.
    Unprotected,
}

/// How one source stands.
#[derive(Debug, Clone)]
pub struct SourceReport {
    /// Which one.
    pub source: Arc<Source>,
    /// What became of it.
    pub state: SourceState,
    /// Whether it is trusted; none when nobody is asked.
    pub trust: Option<Arc<TrustState>>,
    /// What the files of its hooks must be when they run; none when it is not trusted, or needs no trust.
    pub trusted_files: Option<Arc<TrustedFiles>>,
    /// A rule that is not asked for its own file: a hooks.json names it on
    /// every event it has.
    pub named_elsewhere: bool,
    /// What a team's signed hooks must be; none when that is not known.
    pub seal: Option<Arc<Seal>>,
    /// How old the newest signed word about them is; none where that is not
    /// known, and for all other sources.
    pub age: Option<Age>,
    /// A project's, and the folder of the project does not exist.
    pub rootless: bool,
    /// An enterprise's, and others can write it: its hooks count as failed.
    pub unprotected: bool,
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
    /// The caller trusts what stands there when it is first read; a later
    /// change withdraws that too. Nothing is stored.
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
    /// Whether hooks that were written for another product load too.
    pub third_party: ThirdParty,
    /// When the files that commands name are compared with what was trusted.
    pub scripts: Scripts,
    /// How hookify rules are read and decided.
    pub hookify: hookify::Mode,
    /// `[experiments] hooks_ide_project_config`.
    pub project_experiment: bool,
    /// Which sources take part.
    pub selection: Selection,
    /// Levels whose sources do not.
    pub without: Levels,
    /// Compile every matcher and look for every script, as `check` wants;
    /// a run leaves that to the hooks of its own event.
    pub thorough: bool,
}

/// A source that somebody may trust: what to show, and what to accept.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Which one.
    pub source: Arc<Source>,
    /// Its hooks.
    pub definitions: Vec<Definition>,
    /// All that would be trusted.
    pub subject: Subject,
    /// How it stands now.
    pub state: TrustState,
    /// It switches off every hook that was written for Claude Code.
    pub switches_off: bool,
}

impl Candidate {
    /// All that each workspace brings, which is one question.
    pub fn by_workspace(candidates: Vec<Candidate>) -> Vec<Vec<Candidate>> {
        let mut groups: Vec<Vec<Candidate>> = Vec::new();
        for candidate in candidates {
            let workspace = &candidate.subject.workspace;
            match groups.iter_mut().find(|group| group.iter().any(|it| it.subject.workspace == *workspace)) {
                Some(group) => group.push(candidate),
                None => groups.push(vec![candidate]),
            }
        }
        groups
    }
}

/// Reads sources, and reads them again when they changed.
#[derive(Debug)]
pub struct Loader {
    surroundings: Surroundings,
    /// Every source that was ever looked for.
    readings: Vec<Reading>,
    /// What was last returned, for each list of workspaces.
    walks: Vec<Walk>,
    folders: Folders,
}

/// What every reading is made with.
#[derive(Debug)]
struct Surroundings {
    roots: Roots,
    options: LoadOptions,
    trust: Trust,
    state: StateDir,
    read: Read,
}

/// Reads the text of a source.
type Read = fn(&[u8], &Source, &LoadOptions) -> Config;

/// The sources of some workspaces, and the hooks they last had.
#[derive(Debug)]
struct Walk {
    workspaces: Vec<PathBuf>,
    /// The directories that were listed, as they were then.
    listed: Vec<Looked>,
    /// Into `Loader::readings`.
    readings: Vec<usize>,
    /// The versions of the readings that the set was made from.
    versions: Vec<u64>,
    /// What is wrong with plugins, beside what is wrong in their files.
    problems: Vec<Problem>,
    set: Arc<HookSet>,
}

/// What was found when sources were looked for.
struct Listing {
    sources: Vec<Source>,
    /// The places that were listed, as they were before that.
    listed: Vec<Looked>,
    problems: Vec<Problem>,
}

/// A daemon serves many workspaces; this many are kept at hand.
const WALKS_KEPT: usize = 64;

impl Loader {
    /// Reads nothing yet.
    pub fn new(roots: Roots, options: LoadOptions) -> Loader {
        Loader::reading_with(roots, options, read)
    }

    fn reading_with(roots: Roots, options: LoadOptions, read: Read) -> Loader {
        let (trust, state) = (Trust::new(&roots), StateDir::new(roots.state.clone()));
        let surroundings = Surroundings { roots, options, trust, state, read };
        Loader { surroundings, readings: Vec::new(), walks: Vec::new(), folders: Folders::default() }
    }

    /// The hooks for these workspace roots. Looks at every file they depend
    /// on; the same value is returned while nothing changed.
    pub fn hooks(&mut self, workspaces: &[PathBuf]) -> Arc<HookSet> {
        self.folders.next_event();
        let at = self.walk(workspaces);
        let walk = &mut self.walks[at];
        for reading in &walk.readings {
            self.readings[*reading].refresh(&mut self.folders, &self.surroundings);
        }
        let versions = walk.readings.iter().map(|reading| self.readings[*reading].version());
        if !versions.clone().eq(walk.versions.iter().copied()) {
            walk.versions = versions.collect();
            let readings: Vec<&Reading> =
                walk.readings.iter().map(|reading| &self.readings[*reading]).collect();
            let mut set = states::hook_set(&readings, &self.surroundings);
            set.problems.extend(walk.problems.iter().cloned());
            walk.set = Arc::new(set);
        }
        walk.set.clone()
    }

    /// The folders that speak for what is not in them.
    pub(crate) fn folders(&mut self) -> &mut Folders {
        &mut self.folders
    }

    /// Reads everything again on the next call, whatever the files' times say.
    /// Last good copies and what was trusted once stay.
    pub fn forget(&mut self) {
        self.walks.clear();
        self.readings.iter_mut().for_each(Reading::doubt);
    }

    /// The store of what is trusted.
    pub fn trust(&self) -> &Trust {
        &self.surroundings.trust
    }

    /// Every source of these workspaces that somebody may trust. A source
    /// that is absent or broken is not among them; `hooks` reports it.
    pub fn candidates(&mut self, workspaces: &[PathBuf]) -> Vec<Candidate> {
        self.hooks(workspaces);
        let at = self.walk(workspaces);
        let readings = self.walks[at].readings.iter().map(|reading| &self.readings[*reading]);
        readings.filter_map(|reading| reading.candidate(&self.surroundings.trust)).collect()
    }

    /// Keeps what was read, for a later process that finds a file broken. For
    /// after the answer is out: it writes, but only what differs.
    pub fn remember_good(&self) {
        self.readings.iter().for_each(|reading| reading.remember(&self.surroundings));
    }

    /// The place in `walks` of these workspaces, their sources listed.
    fn walk(&mut self, workspaces: &[PathBuf]) -> usize {
        let known = self.walks.iter().position(|walk| same_paths(&walk.workspaces, workspaces));
        if let Some(at) = known
            && self.walks[at].listed.iter_mut().all(|place| place.holds(&mut self.folders))
        {
            return at;
        }
        let Listing { sources, listed, problems } = self.surroundings.sources(workspaces);
        let readings: Vec<usize> = sources.into_iter().map(|source| self.reading(source)).collect();
        match known {
            Some(at) => {
                self.walks[at].listed = listed;
                if self.walks[at].readings != readings || self.walks[at].problems != problems {
                    (self.walks[at].readings, self.walks[at].problems) = (readings, problems);
                    self.walks[at].versions.clear();
                }
                at
            }
            None => self.add_walk(Walk {
                workspaces: workspaces.to_vec(),
                listed,
                readings,
                versions: Vec::new(),
                problems,
                set: Arc::default(),
            }),
        }
    }

    fn add_walk(&mut self, walk: Walk) -> usize {
        if self.walks.len() == WALKS_KEPT {
            self.walks.remove(0);
        }
        self.walks.push(walk);
        self.walks.len() - 1
    }

    fn reading(&mut self, source: Source) -> usize {
        let known = self.readings.iter().position(|reading| *reading.source == source);
        known.unwrap_or_else(|| {
            self.readings.push(Reading::new(source));
            self.readings.len() - 1
        })
    }
}

impl Surroundings {
    /// The sources of these workspaces, and where they were looked for.
    fn sources(&self, workspaces: &[PathBuf]) -> Listing {
        let places = source::listed(&self.roots, workspaces, self.third_party());
        let mut listed: Vec<_> = places.into_iter().map(Looked::at).collect();
        listed.push(Looked::at(expected_file(&self.roots.state)));
        let mut sources = source::sources(&self.roots, workspaces, self.third_party());
        sealed::expect(&mut sources, &self.roots);
        // The first edition knows no plugins.
        let plugins = if self.options.edition.rules().only_first_events {
            plugins::Found::default()
        } else {
            plugins::find(self, workspaces)
        };
        listed.extend(plugins.looked_at.into_iter().map(Looked::at));
        sources.extend(plugins.sources);
        let runs_here = |source: &Source| match self.options.surface {
            Surface::Desktop => true,
            Surface::Cloud => source.level.is_in_cloud(),
        };
        let takes_part = |source: &Source| {
            self.options.selection.includes(source) && !self.options.without.has(source.level)
        };
        sources.retain(|source| runs_here(source) && takes_part(source));
        listed.extend(sources.iter().filter_map(Source::team_folder).map(Path::to_owned).map(Looked::at));
        Listing { sources, listed, problems: plugins.problems }
    }

    /// The first edition knows the product's own sources alone.
    fn third_party(&self) -> ThirdParty {
        ThirdParty {
            claude: self.options.third_party.claude && !self.options.edition.rules().only_first_events,
            ..self.options.third_party
        }
    }
}

/// Whether both are written alike, which is soon seen.
fn same_paths(some: &[PathBuf], others: &[PathBuf]) -> bool {
    some.iter().map(|path| path.as_os_str()).eq(others.iter().map(|path| path.as_os_str()))
}

/// The text of a source as hooks.
fn read(bytes: &[u8], source: &Source, options: &LoadOptions) -> Config {
    match source.format {
        Format::Cursor | Format::Sealed => {
            rule_entries::resolve(config::read(bytes, options.edition), source, options.hookify)
        }
        Format::Claude(shape) => config::read_settings(bytes, options.edition, shape),
        Format::Plugin(shape) => {
            let in_manifest = source.file.file_name().is_some_and(|name| name == "plugin.json");
            config::read_plugin(bytes, options.edition, shape, in_manifest)
        }
        Format::Hookify => {
            let options = hookify::Options { mode: options.hookify, ..hookify::Options::default() };
            hookify::read(bytes, &source.file, options)
        }
    }
}

impl Withheld {
    /// In one sentence, for lists and traces.
    pub fn reason(self) -> &'static str {
        match self {
            Withheld::Untrusted => "the workspace is not trusted",
            Withheld::Changed => "it changed since it was trusted",
            Withheld::NeedsExperiment => {
                "edition 2.3 runs project hooks only with `[experiments] hooks_ide_project_config = true`"
            }
            Withheld::NotOnThisSurface => "the cloud surface does not run it",
            Withheld::NotInThisEdition => "the edition does not know the event",
            Withheld::Tampered => {
                "it is not what the team's server signed; `boathook team sync` puts that back"
            }
            Withheld::Unprotected => {
                "others than root can write its file or a script that it names; `boathook check` says which"
            }
            Withheld::SwitchedOff => "`disableAllHooks` in Claude Code's settings switches it off",
        }
    }
}

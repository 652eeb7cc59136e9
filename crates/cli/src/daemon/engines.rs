//! Engines that are kept: one for each workspace and way of asking.
//!
//! An engine looks at its hook files on every event itself. Here it is our own
//! config.toml that is looked at: when it differs, all engines are made anew.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use boathook_engine::agent::{Agent, Preferences, left_to};
use boathook_engine::edition::Edition;
use boathook_engine::engine::{Engine, Settings};
use boathook_engine::load::Surface;
use boathook_engine::read_file::{self, CONFIG_LIMIT, Glimpse, Owner};
use boathook_engine::remote::verbs::Circumstances;
use boathook_engine::remote::wire::{Caller, RpcError};
use boathook_engine::run::{Cancel, Keeper, Limits};
use boathook_engine::source::{Levels, Os, Roots, distinct_roots, find_workspace, native_root};

use super::service::wrong;
use super::straight::{Straight, absolute, canonical, is_same, is_written_alike};
use super::writer::Writer;
use crate::args::Global;
use crate::error::Failed;
use crate::settings;
use crate::ui::Ui;

/// So many are kept; the one that nobody asked for longest goes first.
const MOST: usize = 64;

/// All engines.
pub struct Engines {
    global: Global,
    /// Ends what they run.
    cancel: Cancel,
    writer: Arc<Writer>,
    /// Processes of hooks that outlive an event, of all engines.
    keeper: Arc<Keeper>,
    kept: Mutex<Kept>,
}

struct Kept {
    config: ConfigFile,
    settings: Settings,
    /// What the user chose about agents.
    preferences: Preferences,
    /// Those of the command line: for events that name none.
    workspaces: Vec<PathBuf>,
    /// The one that was asked for last stands last.
    engines: Vec<(Key, Arc<Engine>)>,
    straight: Straight,
}

/// What config.toml was when it was last read.
struct ConfigFile {
    path: PathBuf,
    look: Glimpse,
    bytes: Option<Vec<u8>>,
}

/// What makes one engine another one.
#[derive(Debug, Clone, Default)]
struct Key {
    workspaces: Vec<PathBuf>,
    surface: Surface,
    remote: bool,
    cannot_ask: bool,
    edition: Option<Edition>,
    /// The agent that asks, and the sources that it runs itself.
    agent: Option<(&'static str, Levels)>,
    /// How many hooks that start agents stand behind it.
    depth: u32,
}

impl Key {
    fn is(&self, other: &Key) -> bool {
        let rest = |key: &Key| (key.surface, key.remote, key.cannot_ask, key.edition, key.agent, key.depth);
        let mut roots = self.workspaces.iter().zip(&other.workspaces);
        self.workspaces.len() == other.workspaces.len()
            && roots.all(|(one, other)| is_written_alike(one, other))
            && rest(self) == rest(other)
    }
}

impl Engines {
    /// Reads the settings, and no hook yet.
    pub fn new(
        ui: &mut Ui,
        global: &Global,
        cancel: Cancel,
        writer: Arc<Writer>,
        processes: usize,
    ) -> Result<Engines, Failed> {
        let path = settings::dwelling().map(|dwelling| dwelling.config.join("config.toml"));
        let mut config = ConfigFile { path: path.unwrap_or_default(), look: Glimpse::default(), bytes: None };
        config.read();
        let (settings, preferences) = settings::settings_and_preferences(ui, global, &[])?;
        let typed = if global.workspace.is_empty() { Vec::new() } else { settings.roots.workspaces.clone() };
        let kept = Kept {
            config,
            settings,
            preferences,
            workspaces: typed,
            engines: Vec::new(),
            straight: Straight::default(),
        };
        let keeper = Arc::new(Keeper::new(Limits { total: processes, ..Limits::default() }));
        Ok(Engines { global: global.clone(), cancel, writer, keeper, kept: Mutex::new(kept) })
    }

    /// The engine for these circumstances; `roots` are those of the payload.
    pub fn get(&self, around: &Circumstances, roots: &[String]) -> Result<Arc<Engine>, RpcError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.follow_config(&mut kept);
        let key = kept.key(around, roots)?;
        Ok(self.engine_of(&mut kept, key))
    }

    /// The engine for an agent in these workspaces, and what the user chose
    /// about agents.
    pub fn of_agent(
        &self,
        agent: &'static Agent,
        workspaces: Vec<PathBuf>,
        depth: u32,
    ) -> (Arc<Engine>, Preferences) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.follow_config(&mut kept);
        // What the daemon was started with adds to what the agent says.
        let workspaces = distinct_roots(kept.workspaces.iter().cloned().chain(workspaces).collect());
        let roots = Roots { workspaces: workspaces.clone(), ..kept.settings.roots.clone() };
        let key =
            Key { workspaces, agent: Some((agent.name, left_to(agent, &roots))), depth, ..Key::default() };
        let preferences = kept.preferences;
        (self.engine_of(&mut kept, key), preferences)
    }

    fn engine_of(&self, kept: &mut Kept, key: Key) -> Arc<Engine> {
        if let Some(at) = kept.engines.iter().position(|(known, _)| known.is(&key)) {
            // Only a long list is worth the order.
            if at + 8 < kept.engines.len() {
                let found = kept.engines.remove(at);
                kept.engines.push(found);
                return Arc::clone(&kept.engines[kept.engines.len() - 1].1);
            }
            return Arc::clone(&kept.engines[at].1);
        }
        if kept.engines.len() >= MOST {
            let (_, oldest) = kept.engines.remove(0);
            self.writer.retire(oldest);
        }
        let keeper = Some(Arc::clone(&self.keeper));
        let engine = Arc::new(Engine::new(Settings { keeper, ..kept.settings_of(&key, &self.cancel) }));
        kept.engines.push((key, Arc::clone(&engine)));
        engine
    }

    /// In what a caller that could do our work differs from us.
    pub fn differ_from(&self, caller: &Caller) -> Option<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (roots, config) = (&kept.settings.roots, &kept.config.path);
        let folder = config.parent().unwrap_or(Path::new(""));
        if caller.version != env!("CARGO_PKG_VERSION") {
            Some(format!("version {}, and the caller has {}", env!("CARGO_PKG_VERSION"), caller.version))
        } else if !is_same(&caller.home, &roots.home) {
            Some(format!("the home {}, and the caller {}", roots.home.display(), caller.home.display()))
        } else if !is_same(&caller.config, config) && !is_same(&caller.config, folder) {
            Some(format!("settings in {}, and the caller in {}", folder.display(), caller.config.display()))
        } else if !is_same(&caller.root, &roots.system) {
            Some(format!("the root {}, and the caller {}", roots.system.display(), caller.root.display()))
        } else if !roots.plugins.is_empty() {
            Some("plugins that its own command line names".to_owned())
        } else {
            None
        }
    }

    /// What everything is made from.
    pub fn settings(&self) -> Settings {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.follow_config(&mut kept);
        kept.settings.clone()
    }

    /// How many processes of hooks outlived their events.
    pub fn processes(&self) -> usize {
        self.keeper.count()
    }

    /// All that are kept.
    pub fn all(&self) -> Vec<Arc<Engine>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.engines.iter().map(|(_, engine)| Arc::clone(engine)).collect()
    }

    /// Reads everything again, changed or not.
    pub fn reload(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.config.bytes = None;
        kept.config.look = Glimpse::default();
        self.follow_config(&mut kept);
        kept.engines.iter().for_each(|(_, engine)| engine.reload());
    }

    /// Looks at everything again: what is known may have been read when there
    /// were no files to be opened.
    pub fn doubt(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.config.look = Glimpse::doubtful();
        kept.engines.iter().for_each(|(_, engine)| engine.reload());
    }

    /// Reads the settings again: who works here is among them.
    pub fn follow_login(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.settle(&mut kept, |_, _| {});
    }

    fn follow_config(&self, kept: &mut Kept) {
        if !kept.config.look.holds(&kept.config.path) && kept.config.read() {
            self.settle(kept, |ui, path| {
                ui.say(&format!("{} changed, and counts from now on", path.display()));
            });
        }
    }

    fn settle(&self, kept: &mut Kept, say: impl FnOnce(&mut Ui, &Path)) {
        let mut ui = Ui::new(self.global.color);
        match settings::settings_and_preferences(&mut ui, &self.global, &[]) {
            Ok((settings, preferences)) => {
                say(&mut ui, &kept.config.path);
                (kept.settings, kept.preferences) = (settings, preferences);
                for (_, engine) in kept.engines.drain(..) {
                    self.writer.retire(engine);
                }
            }
            Err(failed) => ui.failed(&failed),
        }
    }
}

impl ConfigFile {
    /// Looks at it again; says whether it holds something else.
    fn read(&mut self) -> bool {
        self.look = Glimpse::at(&self.path);
        let bytes = read_file::read(&self.path, CONFIG_LIMIT, Owner::Anybody).ok().map(|file| file.bytes);
        let differs = self.bytes != bytes;
        self.bytes = bytes;
        differs
    }
}

impl Kept {
    fn key(&mut self, around: &Circumstances, roots: &[String]) -> Result<Key, RpcError> {
        let workspaces = if !around.workspaces.is_empty() {
            around.workspaces.iter().map(|root| self.straight.follow(root)).collect::<Result<_, _>>()?
        } else if !roots.is_empty() {
            roots.iter().map(|root| absolute(native_root(Os::current(), root))).collect::<Result<_, _>>()?
        } else if let Some(cwd) = &around.cwd {
            vec![find_workspace(&canonical(cwd)?, &self.settings.roots.home)]
        } else {
            self.workspaces.clone()
        };
        let surface = match around.surface.as_deref() {
            None | Some("desktop") => Surface::Desktop,
            Some("cloud") => Surface::Cloud,
            Some(other) => {
                return Err(wrong(format!("there is no surface `{other}`; write desktop or cloud")));
            }
        };
        let edition = around.edition.as_deref().map(|name| {
            let names = Edition::ALL.map(Edition::name).join(", ");
            Edition::named(name)
                .ok_or_else(|| wrong(format!("there is no edition `{name}`; write one of {names}")))
        });
        let edition = edition.transpose()?;
        Ok(Key {
            workspaces,
            surface,
            remote: around.remote,
            cannot_ask: around.cannot_ask,
            edition,
            agent: None,
            depth: 0,
        })
    }

    fn settings_of(&self, key: &Key, cancel: &Cancel) -> Settings {
        let base = self.settings.clone();
        Settings {
            roots: Roots { workspaces: key.workspaces.clone(), ..base.roots },
            surface: key.surface,
            remote: key.remote,
            can_ask: !key.cannot_ask,
            edition: key.edition.unwrap_or(base.edition),
            cancel: cancel.clone(),
            agent: key.agent.map(|(name, _)| name),
            depth: base.depth.max(key.depth),
            without: key.agent.map_or(base.without, |(_, without)| without),
            ..base
        }
    }
}

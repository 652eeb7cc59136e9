//! Where everything stands and what was configured: the only place that reads
//! the environment, the current directory and `config.toml`.

#![allow(clippy::disallowed_methods)] // owned by this module, and by no other

mod browser;
mod config_file;
mod dwelling;
mod machine;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boathook_engine::agent::{Agent, Preferences, RootHints, workspace_roots};
use boathook_engine::engine::Settings;
use boathook_engine::environment::{CALLED_FROM, DEPTH};
use boathook_engine::judge::Judge;
use boathook_engine::remote::wire::Caller;
use boathook_engine::run::{Cancel, cancel_on_signals};
use boathook_engine::self_protection::ProtectedFiles;
use boathook_engine::settled::resolved;
use boathook_engine::source::{Os, Roots, ThirdParty, check_root_count, find_workspace, native_root};
use boathook_engine::trust::Trust;

pub use self::browser::open_in_browser;
pub use self::dwelling::{Dwelling, Given, ours as dwelling};
pub use self::machine::{host_name, start_sync};
use crate::agents::connection_files;
use crate::args::Global;
use crate::commands::daemon::unit_files;
use crate::error::Failed;
use crate::judge::{Around, BrokenJudge, HttpJudge};
use crate::team::Place;
use crate::ui::Ui;

/// The engine's settings for what was typed. `roots` are the payload's
/// workspace roots, which count when none were typed.
///
/// Whoever can write the user's files must not be able to stop managed hooks
/// with them: what is wrong with `config.toml`, the home or the current
/// directory is said, and the rest goes on.
pub fn settings(ui: &mut Ui, global: &Global, roots: &[String]) -> Result<Settings, Failed> {
    settings_and_preferences(ui, global, roots).map(|(settings, _)| settings)
}

/// The same, and what the user chose about agents.
pub fn settings_and_preferences(
    ui: &mut Ui,
    global: &Global,
    roots: &[String],
) -> Result<(Settings, Preferences), Failed> {
    let dwelling = dwelling::ours().unwrap_or_else(|| {
        ui.warning("there is no home directory (HOME must be an absolute path): only managed and project hooks are asked");
        Dwelling::unknown()
    });
    let workspaces = workspaces(ui, global, roots, &dwelling.home)?;
    let (settings, preferences) = settled(ui, global, dwelling, workspaces);
    let called_from = env::var_os(CALLED_FROM)
        .map(|list| env::split_paths(&list).map(OsString::from).collect())
        .unwrap_or_default();
    Ok((Settings { called_from, ..settings }, preferences))
}

/// Who we are to a daemon: one that differs in any of this reads other files.
pub fn caller(settings: &Settings) -> Caller {
    let dwelling = dwelling::ours().unwrap_or_else(Dwelling::unknown);
    Caller {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        home: settings.roots.home.clone(),
        config: dwelling.config.join("config.toml"),
        root: settings.roots.system.clone(),
    }
}

/// The same for an agent, and what the user chose about agents. A repository
/// can set the environment that agents hand on, so less of it is believed: what
/// it says can shut gates, and open none.
pub fn agent_settings(
    ui: &mut Ui,
    global: &Global,
    given: &Given,
    hints: RootHints,
) -> Result<(Settings, Preferences), Failed> {
    let workspaces = agent_workspaces(ui, global, given, hints)?;
    let (dwelling, doubt) = match given.dwelling(&workspaces) {
        Ok(dwelling) => (dwelling, None),
        Err(doubt) => (Dwelling::unknown(), Some(doubt)),
    };
    let (settings, preferences) = settled(ui, global, dwelling, workspaces);
    Ok((Settings { unknown_policy: doubt, ..settings }, preferences))
}

fn settled(
    ui: &mut Ui,
    global: &Global,
    dwelling: Dwelling,
    workspaces: Vec<PathBuf>,
) -> (Settings, Preferences) {
    let Dwelling { home, state, config: config_dir } = dwelling;
    let file = config_dir.join("config.toml");
    let config = config_file::read(ui, &file);
    let judge = config.judge.map(|table| judge(ui, table, &file, &home));
    let mut settings = Settings {
        judge,
        third_party: ThirdParty {
            claude: config.claude.unwrap_or(true),
            shape: config.claude_shape.unwrap_or_default(),
        },
        hookify: config.hookify.unwrap_or_default(),
        edition: global.edition.or(config.edition).unwrap_or_default(),
        keep: config.keep.unwrap_or_default(),
        user_email: config.user_email.or_else(|| machine::team_email(&state, &home)),
        project_experiment: config.project_experiment.unwrap_or(false),
        loop_ceiling: config.loop_ceiling.unwrap_or(50),
        environment: env::vars_os().collect(),
        // What is no number is no small one.
        depth: env::var_os(DEPTH)
            .filter(|depth| !depth.is_empty())
            .map_or(0, |depth| depth.to_str().and_then(|depth| depth.parse().ok()).unwrap_or(u32::MAX - 1)),
        ..Settings::new(Roots {
            system: global.root.clone().unwrap_or_else(|| PathBuf::from("/")),
            plugins: plugins(global),
            ..Roots::new(Os::current(), &home, state, workspaces)
        })
    };
    // Only the user's own file switches it off, never a project or a variable.
    if config.self_protection.unwrap_or(true) {
        let connections = connection_files(&settings);
        let units = unit_files(&settings.roots.home, &config_dir);
        settings.self_protection = Some(ProtectedFiles {
            config: config_dir,
            programs: programs(),
            search_path: search_folders(),
            units,
            connections,
        });
    }
    (settings, config.agents)
}

/// Our own program, by the path it runs from and by the name under which it is found.
fn programs() -> Vec<PathBuf> {
    let running = env::current_exe().ok();
    let named = program().ok().map(|(path, _)| path);
    running.into_iter().chain(named).collect()
}

/// What the environment and the current directory say of where an agent works,
/// besides what its payload says.
pub fn surrounding_hints(agent: &Agent) -> RootHints {
    let project_dirs = agent.project_variables.iter().filter_map(env::var_os).map(PathBuf::from);
    RootHints {
        project_dirs: project_dirs.collect(),
        started_in: env::current_dir().ok(),
        ..RootHints::default()
    }
}

/// Every root that anything names. `--workspace` adds to what the agent says: it
/// takes no root away, but must exist.
fn agent_workspaces(
    ui: &mut Ui,
    global: &Global,
    given: &Given,
    mut hints: RootHints,
) -> Result<Vec<PathBuf>, Failed> {
    let typed = global.workspace.iter().map(|root| canonical(root)).collect::<Result<Vec<_>, Failed>>()?;
    hints.named.splice(0..0, typed);
    check_root_count(hints.named.len())?;
    let home = given.home().unwrap_or_default();
    let state = given.dwelling(&[]).unwrap_or_else(|_| Dwelling::unknown()).state;
    let trust = Trust::new(&Roots::new(Os::current(), &home, state, [""; 0]));
    let roots = workspace_roots(&hints, &home, &trust);
    check_root_count(roots.len())?;
    if roots.is_empty() { workspaces(ui, global, &[], &home) } else { Ok(roots) }
}

/// Where a team's things are on this machine; none without a home.
pub fn team_place() -> Option<Place> {
    let Dwelling { home, state, .. } = dwelling::ours()?;
    Some(Place { state: state.join("team"), home, os: Os::current(), environment: env::vars_os().collect() })
}

/// The token of a script that administers a team; none when it is empty.
pub fn admin_token() -> Option<String> {
    env::var("BOATHOOK_ADMIN_TOKEN")
        .ok()
        .map(|token| token.trim().to_owned())
        .filter(|token| !token.is_empty())
}

/// The model behind prompt hooks. A table that is wrong is said, and prompt
/// hooks then fail for that reason.
fn judge(ui: &mut Ui, table: toml::Value, file: &Path, home: &Path) -> Arc<dyn Judge> {
    let folder = file.parent().unwrap_or(home).to_owned();
    let around = Around { environment: env::vars_os().collect(), home: home.to_owned(), folder };
    match HttpJudge::new(table, around) {
        Ok(judge) => Arc::new(judge),
        Err(problem) => {
            let problem = format!("{}: [judge] {problem}", file.display());
            ui.warning(&format!("{problem}; prompt hooks fail"));
            Arc::new(BrokenJudge(problem))
        }
    }
}

/// `--workspace`, else the payload's roots, else the nearest ancestor with
/// `.cursor` or `.git`.
fn workspaces(ui: &mut Ui, global: &Global, roots: &[String], home: &Path) -> Result<Vec<PathBuf>, Failed> {
    check_root_count(global.workspace.len().max(roots.len()))?;
    if !global.workspace.is_empty() {
        return global.workspace.iter().map(|root| canonical(root)).collect();
    }
    if !roots.is_empty() {
        return Ok(roots.iter().map(|root| native_root(Os::current(), root)).collect());
    }
    Ok(match env::current_dir() {
        Ok(here) => vec![find_workspace(&here, home)],
        Err(error) => {
            ui.warning(&format!(
                "the current directory cannot be found ({error}), so no project hook is asked"
            ));
            Vec::new()
        }
    })
}

/// What agents tell in variables and not in their payloads, by the name it has
/// there.
pub fn told_beside() -> Vec<(&'static str, String)> {
    env::var("CLAUDE_CODE_ENTRYPOINT").ok().map(|value| ("entrypoint", value)).into_iter().collect()
}

/// Variables that agents and our own hooks set for what they start.
const AGENT_VARIABLES: [&str; 12] = [
    DEPTH,
    CALLED_FROM,
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "QWEN_CODE",
    "COPILOT_CLI",
    "OPENCODE",
    "CLINE_ACTIVE",
    "CURSOR_AGENT",
];

/// The variable that shows that an agent or a hook started us; none when a person seems to have.
pub fn agent_around() -> Option<&'static str> {
    AGENT_VARIABLES.into_iter().find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Whether this process has a controlling terminal.
pub fn has_terminal() -> bool {
    !cfg!(unix) || std::fs::File::open("/dev/tty").is_ok()
}

/// Whether Copilot CLI, or something it started, calls us.
pub fn is_inside_copilot() -> bool {
    env::var("COPILOT_CLI").is_ok_and(|value| value == "1")
}

/// Plugins that were typed, where their links lead; one that is missing is
/// reported with the other problems.
fn plugins(global: &Global) -> Vec<PathBuf> {
    // Links stay: one that stands in a workspace makes the plugin the workspace's.
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    global.plugin_dir.iter().map(absolute).collect()
}

/// The options of every command as words for a file that somebody else starts
/// us from: from any directory they mean what they mean here. `--color` is about
/// this output alone.
pub fn lasting_words(global: &Global) -> Result<Vec<String>, Failed> {
    let named = |option, paths: &[PathBuf]| -> Result<Vec<String>, Failed> {
        let words = paths.iter().map(|path| Ok([format!("--{option}"), lasting(option, path)?]));
        Ok(words.collect::<Result<Vec<_>, Failed>>()?.concat())
    };
    global.workspace.iter().try_for_each(|root| canonical(root).map(drop))?;
    let mut words = named("workspace", &global.workspace)?;
    words.extend(named("plugin-dir", &global.plugin_dir)?);
    words.extend(named("root", global.root.as_slice())?);
    words.extend(global.edition.iter().flat_map(|edition| ["--edition", edition.name()].map(str::to_owned)));
    Ok(words)
}

/// The options that the entries in an agent's settings carry, as they were typed for these settings.
pub fn lasting_options(settings: &Settings) -> Result<Vec<String>, Failed> {
    let root = Some(&settings.roots.system).filter(|root| root.as_path() != Path::new("/"));
    let root = root.map(|root| ("root", root));
    let plugins = settings.roots.plugins.iter().map(|plugin| ("plugin-dir", plugin));
    let options = root.into_iter().chain(plugins);
    let words = options.map(|(option, path)| Ok([format!("--{option}"), lasting(option, path)?]));
    Ok(words.collect::<Result<Vec<_>, Failed>>()?.concat())
}

fn lasting(option: &str, path: &Path) -> Result<String, Failed> {
    let absolute = std::path::absolute(path).map_err(|error| Failed::file(path, error))?;
    absolute.into_os_string().into_string().map_err(|name| {
        let problem = format!("--{option} {}: such a file can only hold UTF-8", name.to_string_lossy());
        Failed::other(problem, "rename the folder, or name a link to it")
    })
}

/// A root that was typed must exist; hooks run where its links lead.
fn canonical(root: &Path) -> Result<PathBuf, Failed> {
    resolved(root).map_err(|error| Failed::file(root, error))
}

/// Our own program, as others should call it: by the name under which it is
/// found, because that stays when a package manager puts a newer one behind it.
/// True when it is found by its name alone.
pub fn program() -> Result<(PathBuf, bool), Failed> {
    let running = env::current_exe().map_err(|error| Failed::file(Path::new("boathook"), error))?;
    let settled = running.canonicalize().unwrap_or_else(|_| running.clone());
    let path = env::var_os("PATH").unwrap_or_default();
    let name = format!("boathook{}", env::consts::EXE_SUFFIX);
    let named =
        env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(&name));
    let first = named.into_iter().find(|file| file.is_file());
    let same = first.filter(|file| file.canonicalize().is_ok_and(|found| found == settled));
    Ok(same.map_or((running, false), |file| (file, true)))
}

/// Where programs are found, without the places that depend on where one is.
pub fn search_path() -> String {
    env::join_paths(search_folders()).unwrap_or_default().to_string_lossy().into_owned()
}

fn search_folders() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// Where we were started, with its links resolved.
pub fn run_directory() -> Option<PathBuf> {
    env::current_dir().ok().map(|here| resolved(&here).unwrap_or(here))
}

/// https://no-color.org
pub fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Hooks end when the user interrupts us or our caller is gone: they run in
/// groups of their own, so no signal reaches them by itself.
pub fn cancel() -> Cancel {
    let cancel = cancel_on_signals();
    #[cfg(unix)]
    {
        let caller = std::os::unix::process::parent_id();
        cancel.or_when(move || std::os::unix::process::parent_id() != caller)
    }
    #[cfg(not(unix))]
    cancel
}

//! Where everything stands and what was configured: the only place that reads
//! the environment, the current directory and `config.toml`.

#![allow(clippy::disallowed_methods)] // owned by this module, and by no other

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use boathook_engine::edition::Edition;
use boathook_engine::engine::Settings;
use boathook_engine::environment::{CALLED_FROM, DEPTH};
use boathook_engine::record::Keep;
use boathook_engine::run::{Cancel, cancel_on_signals};
use boathook_engine::source::{Os, Roots, find_workspace, native_root};
use serde::Deserialize;

use crate::args::Global;
use crate::error::Failed;

/// Our own `config.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ConfigFile {
    edition: Option<String>,
    user_email: Option<String>,
    loop_ceiling: Option<u32>,
    log: LogTable,
    experiments: Experiments,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LogTable {
    payload: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Experiments {
    hooks_ide_project_config: bool,
}

/// The engine's settings for what was typed. `roots` are the payload's
/// workspace roots, which count when none were typed.
pub fn settings(global: &Global, roots: &[String]) -> Result<Settings, Failed> {
    let home = home()?;
    let file = config_file(&home);
    let config = read_config(&file)?;
    let invalid = |problem: String| Failed::Settings { path: file.clone(), problem };
    let edition = match (&global.edition, &config.edition) {
        (Some(edition), _) => *edition,
        (None, Some(name)) => Edition::named(name).ok_or_else(|| {
            invalid(format!("edition `{name}` is none; write \"2.3\", \"docs\" or \"2026-09\""))
        })?,
        (None, None) => Edition::default(),
    };
    let keep = match &config.log.payload {
        Some(name) => Keep::named(name).ok_or_else(|| {
            invalid(format!("log.payload `{name}` is none; write \"full\", \"redacted\" or \"none\""))
        })?,
        None => Keep::default(),
    };
    Ok(Settings {
        edition,
        keep,
        user_email: config.user_email,
        project_experiment: config.experiments.hooks_ide_project_config,
        loop_ceiling: config.loop_ceiling.unwrap_or(50),
        environment: env::vars_os().collect(),
        depth: env::var(DEPTH).ok().and_then(|depth| depth.parse().ok()).unwrap_or(0),
        called_from: env::var_os(CALLED_FROM)
            .map(|list| env::split_paths(&list).map(OsString::from).collect())
            .unwrap_or_default(),
        ..Settings::new(Roots {
            system: global.root.clone().unwrap_or_else(|| PathBuf::from("/")),
            ..Roots::new(Os::current(), &home, state_directory(&home), workspaces(global, roots)?)
        })
    })
}

/// `--workspace`, else the payload's roots, else the nearest ancestor with
/// `.cursor` or `.git`.
fn workspaces(global: &Global, roots: &[String]) -> Result<Vec<PathBuf>, Failed> {
    let here = env::current_dir().map_err(|error| Failed::file(Path::new("."), error))?;
    if !global.workspace.is_empty() {
        return global.workspace.iter().map(|root| canonical(&here.join(root))).collect();
    }
    if !roots.is_empty() {
        return Ok(roots.iter().map(|root| native_root(Os::current(), root)).collect());
    }
    Ok(vec![find_workspace(&here, &home()?)])
}

/// A root that was typed must exist; hooks run where its links lead.
fn canonical(root: &Path) -> Result<PathBuf, Failed> {
    root.canonicalize().map_err(|error| Failed::file(root, error))
}

/// Where our state is: log, sessions, trust.
fn state_directory(home: &Path) -> PathBuf {
    directory("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state")).join("boathook")
}

fn config_file(home: &Path) -> PathBuf {
    directory("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("boathook/config.toml")
}

/// XDG wants absolute paths and says to ignore others.
fn directory(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn home() -> Result<PathBuf, Failed> {
    env::home_dir().filter(|home| home.is_absolute()).ok_or(Failed::NoHome)
}

fn read_config(file: &Path) -> Result<ConfigFile, Failed> {
    match std::fs::read_to_string(file) {
        Ok(text) => toml::from_str(&text).map_err(|error| Failed::Settings {
            path: file.to_owned(),
            problem: error.to_string().trim_end().to_owned(),
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(ConfigFile::default()),
        Err(error) => Err(Failed::file(file, error)),
    }
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

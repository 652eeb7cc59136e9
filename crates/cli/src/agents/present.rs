//! Which agents this machine has: their programs and their folders. Asks a
//! program for its version, but never one that a workspace brings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boathook_engine::run::{Cancel, Invocation, Status, run_all};

use super::target::Places;
use super::wiring::{WIRINGS, Wiring};

/// Variables that name folders of the user's.
const XDG: [&str; 3] = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"];
const CACHE: &str = "XDG_CACHE_HOME";

type Environment = Vec<(OsString, OsString)>;

/// A version is told at once, or not at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was found of an agent.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The program that a person starts.
    pub program: Option<PathBuf>,
    /// The folder of its settings, when there is one.
    pub home: Option<PathBuf>,
    /// What the program says its version is, once it was asked.
    pub version: Option<String>,
    /// Why that is not known.
    pub no_version: Option<&'static str>,
}

impl Found {
    pub fn is_there(&self) -> bool {
        self.program.is_some() || self.home.is_some()
    }
}

/// Looks for an agent; starts nothing.
pub fn present(places: &Places, wiring: &Wiring) -> Found {
    let home = places.home_of(wiring);
    let program = wiring.programs.iter().find_map(|name| places.search.find(name));
    Found { program, home: Some(home).filter(|home| home.is_dir()), ..Found::default() }
}

/// Asks the programs for their versions, all at once.
pub fn ask_versions(places: &Places, found: &mut [(&'static Wiring, Found)]) {
    let mut asked = Vec::new();
    for (index, (wiring, found)) in found.iter_mut().enumerate() {
        let Some(program) = found.program.clone() else { continue };
        if !wiring.run_by_us {
            found.no_version = Some("not asked for its version: it opens a window");
        } else if places.search.is_of_workspace(&program) {
            found.no_version = Some("not asked for its version: a workspace brings it");
        } else {
            asked.push((index, program));
        }
    }
    // Agents write into a home when they are started, even for this.
    let scratch = tempfile::tempdir().ok();
    let silent = match &scratch {
        Some(scratch) => ask(found, asked, scratch.path(), &elsewhere(places, scratch.path())),
        None => asked,
    };
    // Programs that a version manager starts are found through the real home.
    ask(found, silent, &places.home, &places.environment);
}

/// Asks these; returns those that ended without telling.
fn ask(
    found: &mut [(&'static Wiring, Found)],
    asked: Vec<(usize, PathBuf)>,
    run_dir: &Path,
    environment: &Environment,
) -> Vec<(usize, PathBuf)> {
    let invocation = |(_, program): &(usize, PathBuf)| version_of(program, run_dir, environment);
    let invocations: Vec<Invocation> = asked.iter().map(invocation).collect();
    let exits = run_all(&invocations, |_| false, &Cancel::default());
    let mut silent = Vec::new();
    for ((index, program), exit) in asked.into_iter().zip(exits) {
        let text = String::from_utf8_lossy(&exit.stdout).into_owned();
        let of = &mut found[index].1;
        of.version = if exit.status == Status::Code(0) { number_in(&text) } else { None };
        of.no_version = match (&of.version, &exit.status) {
            (Some(_), _) => None,
            (None, Status::TimedOut(_)) => Some("did not tell its version within 10 s"),
            (None, _) => Some("its version is not known"),
        };
        if of.version.is_none() && !matches!(exit.status, Status::TimedOut(_)) {
            silent.push((index, program));
        }
    }
    silent
}

/// The environment with every place of settings in this folder. The cache stays:
/// Copilot CLI unpacks itself there, and would do so every time.
fn elsewhere(places: &Places, folder: &Path) -> Environment {
    let moved: Vec<&str> = WIRINGS.iter().map(|wiring| wiring.home.variable).chain(XDG).collect();
    let kept = places.environment.iter().filter(|(name, _)| !moved.iter().any(|it| name == it));
    let kept = kept.filter(|(name, _)| name != "HOME").cloned();
    let mut all: Environment = kept.chain([("HOME".into(), folder.as_os_str().to_owned())]).collect();
    let cache = places.home.join(".cache");
    if cache.is_dir() && !all.iter().any(|(name, _)| name == CACHE) {
        all.push((CACHE.into(), cache.into()));
    }
    all
}

fn version_of(program: &Path, run_dir: &Path, environment: &Environment) -> Invocation {
    Invocation {
        command: program.to_string_lossy().into_owned(),
        args: Some(vec!["--version".to_owned()]),
        run_dir: run_dir.to_owned(),
        env: Arc::new(environment.clone()),
        stdin: Arc::new(Vec::new()),
        timeout: PATIENCE,
    }
}

/// The first thing that looks like a version.
fn number_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        word.contains('.') && word.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    };
    let words = text.split(|c: char| c.is_whitespace() || "(),".contains(c));
    words
        .map(|word| word.trim_start_matches('v'))
        .map(|word| word.trim_end_matches('.'))
        .find(is_version)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_agents_print() {
        let cases = [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("GitHub Copilot CLI 1.0.102.\n", Some("1.0.102")),
            ("v1.18.33", Some("1.18.33")),
            ("Run 'x update' to check.", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(number_in(text).as_deref(), expected, "{text}");
        }
    }
}

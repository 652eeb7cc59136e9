//! Which agents this machine has: their programs and their folders. Asks a
//! program for its version, but never one that a workspace brings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boathook_engine::run::{Cancel, Invocation, Status, run_all};

use super::target::Places;
use super::wiring::Wiring;

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
    /// Why it was not asked.
    pub not_asked: Option<&'static str>,
}

impl Found {
    pub fn is_there(&self) -> bool {
        self.program.is_some() || self.home.is_some()
    }
}

/// Looks for an agent; starts nothing.
pub fn present(places: &Places, wiring: &Wiring) -> Found {
    let home = places.home_of(wiring);
    let program = wiring.programs.iter().find_map(|name| on_path(places, name));
    Found { program, home: Some(home).filter(|home| home.is_dir()), ..Found::default() }
}

/// Asks the programs for their versions, all at once.
pub fn ask_versions(places: &Places, found: &mut [(&'static Wiring, Found)]) {
    let mut asked = Vec::new();
    for (index, (wiring, found)) in found.iter_mut().enumerate() {
        let Some(program) = found.program.clone() else { continue };
        if !wiring.run_by_us {
            found.not_asked = Some("it opens a window");
        } else if belongs_to_workspace(places, &program) {
            found.not_asked = Some("it stands in the workspace");
        } else {
            asked.push((index, version_of(places, &program)));
        }
    }
    let invocations: Vec<Invocation> = asked.iter().map(|(_, invocation)| invocation.clone()).collect();
    let exits = run_all(&invocations, |_| false, &Cancel::default());
    for ((index, _), exit) in asked.iter().zip(exits) {
        let text = String::from_utf8_lossy(&exit.stdout).into_owned();
        let version = if exit.status == Status::Code(0) { number_in(&text) } else { None };
        found[*index].1.version = version;
    }
}

fn version_of(places: &Places, program: &Path) -> Invocation {
    Invocation {
        command: program.to_string_lossy().into_owned(),
        args: Some(vec!["--version".to_owned()]),
        run_dir: places.home.clone(),
        env: Arc::new(places.environment.clone()),
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

fn on_path(places: &Places, name: &str) -> Option<PathBuf> {
    let path =
        places.environment.iter().find(|(variable, _)| variable == "PATH").map(|(_, value)| value.clone());
    let folders: Vec<PathBuf> = std::env::split_paths(&path.unwrap_or_else(OsString::new)).collect();
    let files = folders.into_iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    files.into_iter().find(|file| is_program(file))
}

/// A repository can put programs into a PATH that names its folders.
fn belongs_to_workspace(places: &Places, program: &Path) -> bool {
    let Some(workspace) = &places.workspace else { return false };
    let settled = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    program.starts_with(workspace) || settled.starts_with(workspace)
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
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

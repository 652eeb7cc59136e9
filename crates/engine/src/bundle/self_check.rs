//! Whether a generation could run here, before it takes the place of one that
//! does: its `hooks.json` is read by our own reader, every matcher compiles,
//! and the interpreter of every script is on this machine.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use super::install::Offer;
use super::manifest::Release;
use super::{seal, written};
use crate::config;
use crate::definition::Action;
use crate::digest::Digest;
use crate::edition::Edition;
use crate::problem::Severity;
use crate::read_file::{self, Kind};
use crate::source::Os;

/// What keeps it from running, in words.
pub(super) fn check(offer: &Offer<'_>, folder: &Path) -> Result<(), String> {
    let hooks =
        read_file::read(&folder.join(seal::HOOKS), config::SIZE_LIMIT as u64, read_file::Owner::UserOrRoot)
            .map_err(|error| format!("hooks.json: {error}"))?;
    content(offer.release, offer.os, offer.scripts, &hooks.bytes)?;
    if offer.os == Os::current() && offer.os != Os::Windows {
        return offer.release.scripts_on(offer.os).into_iter().try_for_each(|script| {
            let bytes = offer.scripts.get(&script.sha256).map_or(&[][..], Vec::as_slice);
            interpreter(bytes, offer.path).map_err(|reason| format!("{}: {reason}", script.name))
        });
    }
    Ok(())
}

/// What keeps a release from running on any machine of a system, whatever is
/// installed there, in words. Servers ask this before they sign.
pub fn could_run(release: &Release, os: Os, scripts: &BTreeMap<Digest, Vec<u8>>) -> Result<(), String> {
    content(release, os, scripts, written::hooks_json(release, os, "./").as_bytes())
}

fn content(
    release: &Release,
    os: Os,
    scripts: &BTreeMap<Digest, Vec<u8>>,
    hooks: &[u8],
) -> Result<(), String> {
    let config = config::read(hooks, Edition::default());
    let matchers = config::check_matchers(&config.definitions);
    let errors =
        config.problems.iter().chain(&matchers).filter(|problem| problem.severity == Severity::Error);
    if let Some(problem) = errors.into_iter().next() {
        return Err(format!("hooks.json: {}", problem.message));
    }
    let expected = release.hooks_on(os).count();
    let whole = config.definitions.iter().filter(|it| !matches!(it.action, Action::Broken { .. })).count();
    if !config.readable || whole != expected {
        return Err(format!("hooks.json: {whole} of {expected} hooks can be read"));
    }
    if os != Os::Windows {
        for script in release.scripts_on(os) {
            let bytes = scripts.get(&script.sha256).map_or(&[][..], Vec::as_slice);
            if first_line(bytes).is_some_and(|line| line.ends_with('\r')) {
                let reason =
                    "its lines end in CR LF, and no system finds its interpreter then: save it with LF";
                return Err(format!("{}: {reason}", script.name));
            }
        }
    }
    Ok(())
}

/// What stands behind `#!`.
fn first_line(script: &[u8]) -> Option<Cow<'_, str>> {
    let line = script.strip_prefix(b"#!")?;
    Some(String::from_utf8_lossy(line.split(|byte| *byte == b'\n').next().unwrap_or_default()))
}

/// Whether what the first line of a script names is on this machine.
fn interpreter(script: &[u8], path: Option<&OsStr>) -> Result<(), String> {
    let Some(line) = first_line(script) else { return Ok(()) };
    let mut words = line.split_whitespace();
    let Some(program) = words.next() else { return Ok(()) };
    if !is_program(Path::new(program)) {
        return Err(format!("its interpreter {program} is not on this machine"));
    }
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='));
    match (program.ends_with("/env"), named, path) {
        (true, Some(name), Some(path)) if !is_on_path(name, path) => {
            Err(format!("its interpreter {name} is not on PATH"))
        }
        _ => Ok(()),
    }
}

fn is_on_path(name: &str, path: &OsStr) -> bool {
    let paths = std::env::split_paths(path);
    name.contains('/') && is_program(Path::new(name))
        || paths.into_iter().any(|folder| is_program(&folder.join(name)))
}

fn is_program(path: &Path) -> bool {
    read_file::facts(path).is_some_and(|facts| facts.kind == Kind::File && facts.mode & 0o111 != 0)
}

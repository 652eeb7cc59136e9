//! Runs cases on the engine: each with a state of its own, several at once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::engine::{Engine, Settings, load_options};
use boathook_engine::fill::Event;
use boathook_engine::load::{HookSet, Loader, TrustMode};
use boathook_engine::payload::Payload;
use boathook_engine::record::Record;
use boathook_engine::trust::TrustState;
use serde_json::{Map, Value};

use super::case::Case;
use super::compare::{Actual, Difference, differences};
use super::scratch::{Scratch, TRUST};

/// What a case came to.
#[derive(Debug)]
pub struct Verdict {
    pub differences: Vec<Difference>,
    pub actual: Actual,
    /// Why it could not be run at all.
    pub trouble: Option<String>,
    pub took: Duration,
}

impl Verdict {
    pub fn passed(&self) -> bool {
        self.trouble.is_none() && self.differences.is_empty()
    }
}

/// Runs every case, so many at once, and hands each verdict to `tell` with the
/// case's place in the list, in the order they come.
pub fn all(cases: &[(Settings, Case)], jobs: usize, tell: &mut dyn FnMut(usize, Verdict)) {
    let next = AtomicUsize::new(0);
    let (sender, verdicts) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, cases.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((settings, case)) = cases.get(at) else { break };
                    if settings.cancel.is_cancelled() || sender.send((at, one(settings, case))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        verdicts.iter().for_each(|(at, verdict)| tell(at, verdict));
    });
}

fn one(settings: &Settings, case: &Case) -> Verdict {
    let began = Instant::now();
    let (actual, trouble) = match ask(settings, case) {
        Ok(actual) => (actual, None),
        Err(trouble) => (Actual::default(), Some(trouble)),
    };
    let differences = if trouble.is_none() { differences(&case.expect, &actual) } else { Vec::new() };
    Verdict { differences, actual, trouble, took: began.elapsed() }
}

fn ask(settings: &Settings, case: &Case) -> Result<Actual, String> {
    let scratch = Scratch::new().map_err(|error| format!("no scratch directory: {error}"))?;
    let engine = Engine::new(settings_of(settings, case, &scratch)?);
    let decision = engine.handle(Event::new(case.event, Payload::of(&case.payload)));
    let records = engine.log();
    Ok(Actual {
        exit: if decision.blocked { 2 } else { 0 },
        answer: serde_json::from_str(&decision.answer_line()).unwrap_or_default(),
        said: records.iter().flat_map(|record| said(record)).collect(),
        stderr: records
            .iter()
            .filter(|record| !record.stderr.is_empty())
            .map(|record| (record.command.clone().unwrap_or_default(), record.stderr.clone()))
            .collect(),
        hooks: decision.hooks.iter().cloned().chain(decision.skips.reports()).collect(),
    })
}

fn settings_of(settings: &Settings, case: &Case, scratch: &Scratch) -> Result<Settings, String> {
    let mut own = settings.clone();
    own.roots.state = scratch
        .state(&settings.roots.state, &[TRUST])
        .map_err(|error| format!("no scratch state: {error}"))?;
    own.environment = with_variables(&settings.environment, &case.env);
    if case.scratch {
        let workspace = copied(settings, case, scratch)?;
        own.roots.workspaces = vec![workspace];
        own.trust = TrustMode::Once;
    }
    Ok(own)
}

/// A copy of the workspace is trusted when, after it was made, the workspace
/// itself is still what somebody trusted.
fn copied(settings: &Settings, case: &Case, scratch: &Scratch) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| format!("the workspace cannot be copied: {error}");
    let Some(root) = settings.roots.workspaces.first().filter(|root| root.join(".cursor").is_dir()) else {
        return scratch.workspace(&case.files, None).map_err(failed);
    };
    let options = load_options(settings, false);
    let mut loader = Loader::new(settings.roots.clone(), options);
    let subjects = loader.candidates(&settings.roots.workspaces);
    let covered: Vec<PathBuf> = subjects.iter().flat_map(|it| it.subject.existing_files()).collect();
    let workspace = scratch.workspace(&case.files, Some((root, &covered))).map_err(failed)?;
    loader.forget();
    let set = loader.hooks(&settings.roots.workspaces);
    if settings.trust == TrustMode::Store && !is_trusted(&set) {
        return Err("the workspace changed while it was copied".to_owned());
    }
    Ok(workspace)
}

/// Whether nothing in these sources waits for somebody to trust it.
pub fn is_trusted(set: &HookSet) -> bool {
    let waits = |state: &TrustState| match state {
        TrustState::Trusted => false,
        TrustState::New | TrustState::Changed(_) | TrustState::Broken(_) => true,
    };
    let has_hooks = |file: &PathBuf| set.hooks.iter().any(|hook| hook.source.file == *file);
    !set.sources
        .iter()
        .filter(|report| report.source.level.needs_trust() && has_hooks(&report.source.file))
        .any(|report| report.trust.as_deref().is_none_or(waits))
}

fn with_variables(inherited: &[(OsString, OsString)], own: &[(String, String)]) -> Vec<(OsString, OsString)> {
    let own: BTreeMap<OsString, OsString> =
        own.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let rest = inherited.iter().filter(|(name, _)| !own.contains_key(name)).cloned();
    rest.chain(own.clone()).collect()
}

/// The fields a hook wrote, in either spelling.
fn said(record: &Record) -> Vec<String> {
    let response = record.response.as_ref();
    let object: Option<Map<String, Value>> =
        response.and_then(|response| serde_json::from_str(response.get()).ok());
    let snake = |name: &str| {
        name.chars().fold(String::new(), |mut text, letter| {
            if letter.is_ascii_uppercase() {
                text.push('_');
            }
            text.push(letter.to_ascii_lowercase());
            text
        })
    };
    object.unwrap_or_default().keys().map(|name| snake(name)).collect()
}

//! What can be looked at: hooks, problems, the log, conversations, the daemon.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use boathook_engine::engine::Engine;
use boathook_engine::load::SourceState;
use boathook_engine::log_file::LogFile;
use boathook_engine::record::Record;
use boathook_engine::remote::verbs::{BrokenSource, Circumstances, Conversation, LogParams, Status};
use boathook_engine::remote::wire::{RpcError, codes};
use boathook_engine::sessions::Sessions;
use boathook_engine::state::{StateDir, StateError};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::connection::to_raw;
use super::crowd;
use super::service::{Service, event_named, nowhere, wrong};
use super::verbs::filter;
use crate::commands::{check, list as listing};
use crate::on_machine::OnMachine;
use crate::report;

/// A log has thousands of records; who wants more than the last of them says so.
const LISTED: usize = 100;
/// The records of one answer have so many bytes together.
const MOST_BYTES: usize = 16 * 1024 * 1024;

#[derive(Serialize)]
struct Listed {
    records: VecDeque<Box<RawValue>>,
    matching: usize,
    unreadable: usize,
    /// Older ones are left out, because all would be too long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// As `boathook list --json` prints it.
pub fn list(service: &Service, around: &Circumstances) -> Result<Value, RpcError> {
    let engine = service.engines.get(around, &[])?;
    Ok(warned(listing::as_json(&OnMachine::look(engine.settings())), &engine))
}

/// As `boathook check --json` prints it.
pub fn problems(service: &Service, around: &Circumstances) -> Result<Value, RpcError> {
    let engine = service.engines.get(around, &[])?;
    let set = check::load(engine.settings());
    let problems: Vec<Value> = check::in_order(&set).into_iter().map(report::problem_json).collect();
    Ok(warned(json!({ "problems": problems }), &engine))
}

/// Whether any hook listens to an event.
pub fn has_hook(service: &Service, around: &Circumstances) -> Result<Value, RpcError> {
    let name = around.event.as_deref().ok_or_else(|| wrong("`has_hook` needs an event".to_owned()))?;
    let kind = event_named(name)?;
    let engine = service.engines.get(around, &[])?;
    Ok(warned(json!({ "has_hook": engine.has_hook(kind) }), &engine))
}

/// The last records that are wanted, oldest first. A payload is whatever JSON
/// somebody sent, so it is passed on as it is: not all of it can be a `Value`.
pub fn log(service: &Service, params: &LogParams) -> Result<Box<RawValue>, RpcError> {
    let filter = filter(params)?;
    let _alone = alone();
    let (records, unreadable) = records(service)?;
    let wanted: Vec<&Record> = records.iter().filter(|record| filter.takes(record)).collect();
    let (mut listed, mut bytes) = (VecDeque::new(), 0);
    for record in wanted.iter().rev().take(params.number.unwrap_or(LISTED)) {
        let record = to_raw(record)?;
        bytes += record.get().len();
        if bytes > MOST_BYTES {
            break;
        }
        listed.push_front(record);
    }
    let cut = bytes > MOST_BYTES;
    to_raw(&Listed { records: listed, matching: wanted.len(), unreadable, cut })
}

/// Every conversation the log knows of, the latest first.
pub fn sessions(service: &Service) -> Result<Value, RpcError> {
    let _alone = alone();
    let mut found: BTreeMap<String, Conversation> = BTreeMap::new();
    for record in records(service)?.0 {
        let Some(id) = &record.conversation else { continue };
        let known = found.entry(id.clone()).or_insert_with(|| begun(id, &record));
        known.last = record.timestamp.clone();
        known.runs += usize::from(record.duration.is_some());
        known.blocked += usize::from(record.blocked);
        known.hooks_ms += record.duration.unwrap_or_default();
        known.agent = known.agent.take().or(record.agent);
    }
    let saved = Sessions::of(state(service));
    let mut sessions: Vec<Conversation> = found.into_values().collect();
    sessions.sort_by(|one, other| other.last.cmp(&one.last));
    for known in &mut sessions {
        let session = saved.read(&known.id).0;
        known.variables = session.env.iter().map(|variable| variable.name.clone()).collect();
        known.follow_ups = session.loops;
    }
    Ok(json!({ "sessions": sessions }))
}

/// How the daemon stands.
pub fn status(service: &Service) -> Result<Value, RpcError> {
    let settings = service.engines.settings();
    let (in_flight, waiting) = service.places.count();
    let mut workspaces = Vec::new();
    let mut broken = Vec::new();
    for engine in service.engines.all() {
        workspaces.extend(engine.roots().workspaces.clone());
        broken.extend(broken_sources(&engine));
    }
    workspaces.sort();
    workspaces.dedup();
    broken.sort_by(|one: &BrokenSource, other| one.file.cmp(&other.file));
    broken.dedup();
    let status = Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        started: service.started.0.clone(),
        uptime: service.started.1.elapsed().as_secs_f64(),
        state: settings.roots.state,
        home: settings.roots.home,
        requests: service.requests.load(Ordering::Relaxed),
        in_flight,
        kept: service.engines.processes(),
        waiting,
        connections: crowd::count(),
        subscribers: service.feed.count(),
        workspaces,
        broken,
        http: service.http.get().cloned(),
        team: service.team.words(),
    };
    serde_json::to_value(status).map_err(|error| failed(&error.to_string()))
}

fn broken_sources(engine: &Arc<boathook_engine::Engine>) -> Vec<BrokenSource> {
    let set = engine.hooks();
    let broken = set.sources.iter().filter_map(|report| {
        let (last_good, reason) = match &report.state {
            SourceState::Absent | SourceState::Read => return None,
            SourceState::LastGood(reason) => (true, reason.clone()),
            SourceState::Unreadable(reason) => (false, reason.clone()),
        };
        let source = report.source.level.name().to_owned();
        Some(BrokenSource { file: report.source.file.clone(), source, last_good, reason })
    });
    broken.collect()
}

fn begun(id: &str, record: &Record) -> Conversation {
    Conversation {
        id: id.to_owned(),
        first: record.timestamp.clone(),
        last: record.timestamp.clone(),
        runs: 0,
        blocked: 0,
        hooks_ms: 0.0,
        agent: None,
        variables: Vec::new(),
        follow_ups: 0,
    }
}

/// The whole log is in memory meanwhile: once is enough.
fn alone() -> MutexGuard<'static, ()> {
    static READING: Mutex<()> = Mutex::new(());
    READING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everything in the log, also what happened just now.
fn records(service: &Service) -> Result<(Vec<Record>, usize), RpcError> {
    service.writer.flush();
    LogFile::of(state(service)).read().map_err(|error: StateError| failed(&error.to_string()))
}

fn state(service: &Service) -> StateDir {
    StateDir::new(service.engines.settings().roots.state)
}

/// Says beside an answer that it is about no project.
fn warned(mut answer: Value, engine: &Engine) -> Value {
    if let Some(warning) = nowhere(engine) {
        answer["warnings"] = json!([warning]);
    }
    answer
}

fn failed(message: &str) -> RpcError {
    RpcError { code: codes::INTERNAL, message: message.to_owned() }
}

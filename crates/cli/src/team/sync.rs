//! One round: ask, verify, install, say how it went.
//!
//! Whatever fails leaves what is in force, and becomes a code.

mod install;
mod lock;
mod report;
mod time;

use std::time::{Duration, Instant};

use boathook_engine::bundle::{Managed, manifest::Manifest};
use boathook_engine::digest::Digest;
use boathook_engine::ids;
use boathook_server::team::wire;

use self::install::{In, Put};
pub use self::lock::{Held, hold};
use super::http::{Fetched, Kind};
use super::status::{Status, Told};
use super::tuf::{self, OnDisk, Pin, Shelf, Source, Verified};
use super::{Login, Place, Refusal, Server, timing};

/// The newest word on the shelf.
const TIMESTAMP: &str = "timestamp.json";
/// All of a round, whatever the server does with its time.
const ROUND: Duration = Duration::from_secs(10 * 60);
/// No round takes so long; in milliseconds.
const SILENT_FOR: i64 = 60 * 60 * 1000;

/// Whether somebody waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is due; one that another process is at is enough.
    Poll,
    /// Somebody typed it.
    Now,
}

/// What a round came to.
#[derive(Debug, Default)]
struct Round {
    /// What was chosen for this device, as soon as that is known.
    chosen: Option<(u64, u64)>,
    /// Why it ended before its end.
    refusal: Option<Refusal>,
    /// What is in force now.
    put: Option<Put>,
    /// What has expired, when nothing newer was signed.
    expired: Option<String>,
}

/// One whole round under the lock. Never panics, and writes `status.json`:
/// what went wrong is its code. When another process is at it, that one writes.
pub fn sync(place: &Place, login: &Login, how: How) -> Status {
    let before = known(place, login);
    let held = match lock::hold(place, how) {
        Ok(held) => held,
        Err(refusal) => return kept_out(place, login, before, how, refusal),
    };
    // A machine that left its team in the meantime gets nothing back.
    if how == How::Poll && Login::read(place).is_ok_and(|known| known.as_ref() != Some(login)) {
        return before;
    }
    sync_held(place, login, &held)
}

/// The same for who holds the lock already, and does more under it.
pub fn sync_held(place: &Place, login: &Login, _held: &Held) -> Status {
    let before = known(place, login);
    Status::tidy(place);
    let mut round = Round::default();
    if let Err(refusal) = go_round(place, login, &mut round) {
        round.refusal = Some(refusal);
    }
    let mut status = told(before, &round, place, login);
    // A server that does not answer a report must not keep this from whoever
    // asks how it went.
    let _ = status.write(place);
    if let Some(report) = report::due(&status, &round)
        && report::send(place, login, &report).is_ok()
    {
        status.told = Some(Told { sequence: report.sequence, release: report.release, code: report.code });
    }
    if let Err(error) = status.write(place) {
        // It cannot be kept, but whoever asked is told.
        status.detail = format!("{}; and {error}", status.detail).trim_start_matches("; and ").to_owned();
        if status.is_good() {
            status.code = "disk".to_owned();
        }
    }
    status
}

/// Nothing could be done. Whoever holds the lock says how it went; one who
/// holds it for long and says nothing is no sync.
fn kept_out(place: &Place, login: &Login, before: Status, how: How, refusal: Refusal) -> Status {
    let tried_at = before.tried_at;
    let status = told(before, &Round { refusal: Some(refusal), ..Round::default() }, place, login);
    let is_silent = Status::read(place).is_none_or(|now| now.tried_at == tried_at);
    let overdue = status.tried_at.saturating_sub(tried_at) > SILENT_FOR;
    if is_silent && (how == How::Now || overdue) {
        let _ = status.write(place);
    }
    status
}

/// How it stood with this team.
fn known(place: &Place, login: &Login) -> Status {
    Status::read(place).filter(|status| status.team == login.team).unwrap_or_default()
}

/// Waits until the server has something newer than this sequence, at most so
/// long; the newest sequence it has.
pub fn wait_for_hint(
    place: &Place,
    login: &Login,
    sequence: u64,
    patience: Duration,
) -> Result<u64, Refusal> {
    let server = Server::of(place, login)?.patient(patience);
    let hint: wire::Hint = server.get(&format!("/api/v1/hint?sequence={sequence}"))?;
    Ok(hint.sequence)
}

fn go_round(place: &Place, login: &Login, round: &mut Round) -> Result<(), Refusal> {
    let fingerprint = Digest::parse(&login.fingerprint).ok_or_else(|| {
        Refusal::new("fingerprint", "the login names no fingerprint; `boathook team login` agrees on one")
    })?;
    let end = Instant::now() + ROUND;
    let server = Server::of(place, login)?.until(end);
    let managed = Managed::of(&place.home, login.team);
    let files = Files { server: &server, team: login.team };
    let pin = Pin { version: login.root_version, fingerprint };
    let mut shelf = OnDisk::of(place.folder(), &pin.fingerprint);
    shelf.tidy();
    let before = shelf.get(TIMESTAMP);
    let clock = ids::now_millis();
    let known = time::believed(managed.fresh(), before.as_deref(), clock);
    let now = time::now(clock, known);
    let mut verified = tuf::refresh(&files, &mut shelf, &pin, time::point(now))?;
    let known = known.filter(|_| shelf.get(TIMESTAMP) == before);
    time::limit(&mut verified, known, now);
    let manifest = manifest(&files, &mut shelf, &verified, login)?;
    let release = manifest
        .release_for(&login.device, login.member)
        .ok_or_else(|| Refusal::new("bad_format", "the manifest has no release for this device"))?;
    round.chosen = Some((manifest.sequence, release.number));
    if let Some(expired) = &verified.expired {
        let in_force = managed.current().map(|current| (current.sequence, current.release));
        // What expired stands for what is in force, and installs nothing else.
        if in_force != round.chosen {
            return Err(Refusal::new("expired", expired.clone()));
        }
        round.expired = Some(expired.clone());
    }
    let to = In { place, login, managed: &managed, end };
    round.put = Some(to.put(&files, &verified, &manifest, release)?);
    to.keep_expected()?;
    to.keep_fresh(&verified, &manifest)?;
    to.leave_others()
}

/// The manifest that the targets name, from the shelf or from the server.
fn manifest(
    files: &Files<'_>,
    shelf: &mut dyn Shelf,
    verified: &Verified,
    login: &Login,
) -> Result<Manifest, Refusal> {
    const NAME: &str = "manifest.json";
    let kept = shelf.get(NAME).filter(|bytes| Digest::of(bytes) == verified.manifest);
    let bytes = match &kept {
        Some(bytes) => bytes.clone(),
        None => files.target(NAME, &verified.manifest, verified.length)?,
    };
    let manifest = Manifest::read(&bytes, &login.audience())
        .map_err(|refused| Refusal::new(refused.code(), refused.to_string()))?;
    if kept.is_none() {
        shelf.put(NAME, &bytes)?;
    }
    Ok(manifest)
}

/// How it went, after how it went before.
fn told(before: Status, round: &Round, place: &Place, login: &Login) -> Status {
    let clock = ids::now_millis();
    let managed = Managed::of(&place.home, login.team);
    let current = managed.current();
    let fresh = managed.fresh();
    let (code, detail) = match (&round.refusal, &round.put, &round.expired) {
        (Some(refusal), _, _) => (refusal.code.clone(), refusal.message.clone()),
        (None, _, Some(expired)) => ("stale".to_owned(), expired.clone()),
        (None, Some(Put::New), None) => ("applied".to_owned(), String::new()),
        (None, Some(Put::Same) | None, None) => ("unchanged".to_owned(), String::new()),
    };
    let failures = round.refusal.as_ref().map_or(0, |_| before.failures.saturating_add(1));
    let wait = match &round.refusal {
        None => timing::after_success(timing::chance()),
        Some(refusal) => timing::after_failure(failures, refusal.retry_after, timing::chance()),
    };
    let good = round.refusal.is_none() && round.expired.is_none();
    Status {
        team: login.team,
        tried_at: clock,
        succeeded_at: if good { Some(clock) } else { before.succeeded_at },
        code,
        detail,
        sequence: current.as_ref().map(|current| current.sequence),
        release: current.as_ref().map(|current| current.release),
        stale_since: fresh.map(|fresh| fresh.until).filter(|until| *until < time::now(clock, fresh)),
        next_at: clock.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)),
        failures,
        told: before.told,
    }
}

/// The files of a team's repository.
struct Files<'a> {
    server: &'a Server,
    team: i64,
}

impl Source for Files<'_> {
    fn fetch(&self, name: &str, limit: u64, etag: Option<&str>) -> Result<Fetched, Refusal> {
        self.server.fetch(&format!("/tuf/{}/{name}", self.team), Kind::Json, limit, etag)
    }
}

impl Files<'_> {
    /// A target, which is what its digest and its length say.
    fn target(&self, name: &str, digest: &Digest, length: u64) -> Result<Vec<u8>, Refusal> {
        target(self.server, self.team, name, digest, length)
    }
}

/// A target from wherever.
fn target(server: &Server, team: i64, name: &str, digest: &Digest, length: u64) -> Result<Vec<u8>, Refusal> {
    const LARGEST: u64 = boathook_engine::bundle::manifest::LARGEST;
    if length > LARGEST {
        return Err(Refusal::new("too_large", format!("{name}: {length} bytes, and {LARGEST} are the most")));
    }
    if length == 0 {
        return Ok(Vec::new());
    }
    let path = format!("/tuf/{team}/targets/{digest}.{name}");
    let (bytes, announced) = match server.fetch(&path, Kind::Any, length + 1, None) {
        Ok(Fetched::File { bytes, announced, .. }) => (bytes, announced),
        Ok(Fetched::Unchanged) => return Err(Refusal::new("empty", format!("{name}: no content"))),
        Err(refusal) if refusal.code == "too_large" => {
            return Err(Refusal::new("length_mismatch", format!("{name} is longer than was signed")));
        }
        Err(refusal) => return Err(refusal),
    };
    let found = bytes.len() as u64;
    if found != length {
        let code = if found < length && !announced { "truncated" } else { "length_mismatch" };
        return Err(Refusal::new(code, format!("{name} has {found} bytes, and {length} were signed")));
    }
    if Digest::of(&bytes) != *digest {
        return Err(Refusal::new("hash_mismatch", format!("{name} is not what was signed")));
    }
    Ok(bytes)
}

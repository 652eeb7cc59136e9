//! Devices that come back after an outage at the rate that their jitter gives,
//! and reports far above it.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::devices::Files;
use super::http::{Connection, Request};

/// 100,000 devices within twenty minutes.
pub const SYNCS_A_SECOND: f64 = 100_000.0 / 1200.0;
/// So many syncs can be under way; a sync that is late for want of a thread
/// counts from when it was due.
const POLLERS: usize = 64;
/// More connections with reports than there are places for reports,
const REPORTERS: usize = 192;
/// each of which sends so often: six times what the devices would send.
const REPORT_EVERY: Duration = Duration::from_millis(400);

/// Where, who and what.
pub struct Scene<'a> {
    /// The server.
    pub address: SocketAddr,
    /// The devices' tokens; there are as many as syncs.
    pub devices: &'a [String],
    /// What they ask for.
    pub files: &'a Files,
}

/// What came of it.
#[derive(Default)]
pub struct Played {
    /// How long each request of a sync took.
    pub polls: Vec<Duration>,
    /// The requests of syncs that were not answered as they should be, by what came.
    pub refused: BTreeMap<String, usize>,
    /// The answers to reports, by status; 0 is none.
    pub reports: BTreeMap<u16, usize>,
    /// From the first to the last answer.
    pub took: Duration,
}

/// Every device syncs once, while reports go on.
pub fn play(scene: &Scene<'_>) -> Played {
    let (next, done, start) = (AtomicUsize::new(0), AtomicUsize::new(0), Instant::now());
    thread::scope(|scope| {
        let (next, done) = (&next, &done);
        let pollers: Vec<_> = (0..POLLERS)
            .map(|_| {
                scope.spawn(move || {
                    let played = poll(scene, next, start);
                    done.fetch_add(1, Ordering::Relaxed);
                    played
                })
            })
            .collect();
        let reporters: Vec<_> =
            (0..REPORTERS).map(|number| scope.spawn(move || report(scene, number, done))).collect();
        let mut played = Played::default();
        for part in pollers.into_iter().filter_map(|thread| thread.join().ok()) {
            played.polls.extend(part.polls);
            add(&mut played.refused, part.refused);
        }
        played.took = start.elapsed();
        for part in reporters.into_iter().filter_map(|thread| thread.join().ok()) {
            add(&mut played.reports, part);
        }
        played
    })
}

fn add<K: Ord>(sum: &mut BTreeMap<K, usize>, part: BTreeMap<K, usize>) {
    for (key, count) in part {
        *sum.entry(key).or_default() += count;
    }
}

/// One sync after the other, each when it is due.
fn poll(scene: &Scene<'_>, next: &AtomicUsize, start: Instant) -> Played {
    let mut played = Played::default();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(token) = scene.devices.get(number) else { return played };
        let due = start + Duration::from_secs_f64(number as f64 / SYNCS_A_SECOND);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if let Err(error) = sync(scene, token, number.is_multiple_of(2), due, &mut played) {
            *played.refused.entry(error.to_string()).or_default() += 1;
        }
    }
}

/// A sync as the client makes it, on a connection of its own. For every second
/// device something is new.
fn sync(
    scene: &Scene<'_>,
    token: &str,
    is_new: bool,
    mut since: Instant,
    played: &mut Played,
) -> io::Result<()> {
    let mut connection = Connection::open(scene.address)?;
    let files = scene.files;
    let tag = if is_new { "\"of before the outage\"" } else { &files.etag };
    let timestamp = Request { etag: Some(tag), ..Request::get(&files.timestamp, token) };
    let first = [(Request::get(&files.next_root, token), 404), (timestamp, if is_new { 200 } else { 304 })];
    let rest = files.rest.iter().filter(|_| is_new).map(|path| (Request::get(path, token), 200));
    for (request, wanted) in first.into_iter().chain(rest) {
        let answer = connection.ask(&request)?;
        played.polls.push(since.elapsed());
        if answer.status != wanted {
            *played.refused.entry(answer.status.to_string()).or_default() += 1;
        }
        since = Instant::now();
    }
    Ok(())
}

/// Reports of one device after the other, until all syncs are done.
fn report(scene: &Scene<'_>, number: usize, done: &AtomicUsize) -> BTreeMap<u16, usize> {
    let mut answers = BTreeMap::new();
    let mut connection = None;
    // Not all at the same moment.
    thread::sleep(REPORT_EVERY.mul_f64(number as f64 / REPORTERS as f64));
    let mut devices = scene.devices.iter().cycle().skip(number).step_by(REPORTERS);
    while done.load(Ordering::Relaxed) < POLLERS {
        let begun = Instant::now();
        let Some(token) = devices.next() else { break };
        let status = send(scene.address, &mut connection, token).unwrap_or_else(|_| {
            connection = None;
            0
        });
        *answers.entry(status).or_default() += 1;
        thread::sleep(REPORT_EVERY.saturating_sub(begun.elapsed()));
    }
    answers
}

fn send(address: SocketAddr, kept: &mut Option<Connection>, token: &str) -> io::Result<u16> {
    const BODY: &str = r#"{"sequence":2,"release":1,"code":"applied","detail":""}"#;
    let connection = match kept {
        Some(connection) => connection,
        None => kept.insert(Connection::open(address)?),
    };
    Ok(connection.ask(&Request::post("/api/v1/report", token, BODY))?.status)
}

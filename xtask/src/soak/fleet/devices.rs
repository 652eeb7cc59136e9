//! Enrols machines, as a program that installs them does.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::http::{Connection, Request};
use super::server::Server;
use crate::command::Outcome;

/// One enrolment token is good for so many at once.
const PER_TOKEN: usize = 500;
/// So many enrol at the same time.
const AT_ONCE: usize = 16;

/// The tokens of so many devices.
pub fn enrol(server: &Server, count: usize) -> Outcome<Vec<String>> {
    let tokens: Outcome<Vec<String>> = (0..count.div_ceil(PER_TOKEN)).map(|_| server.enrolment()).collect();
    let (tokens, next, devices) = (tokens?, AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let enrolled: Outcome<()> = thread::scope(|scope| {
        let work = || {
            let mut connection = Connection::open(server.address).map_err(|error| error.to_string())?;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok(());
                }
                let device = one(&mut connection, &tokens[number / PER_TOKEN], number)?;
                devices.lock().map_err(|error| error.to_string())?.push(device);
            }
        };
        let started: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        started.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread ended")?)
    });
    enrolled?;
    devices.into_inner().map_err(|error| error.to_string())
}

fn one(connection: &mut Connection, token: &str, number: usize) -> Outcome<String> {
    let body = format!(r#"{{"name":"box-{number}","os":"Linux"}}"#);
    let asked = connection.ask(&Request::post("/api/v1/login", token, &body));
    let answer = asked.map_err(|error| format!("enrolling: {error}"))?;
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let device = text.split(r#""device_token":""#).nth(1).and_then(|rest| rest.split('"').next());
    match (answer.status, device) {
        (201, Some(device)) => Ok(device.to_owned()),
        (status, _) => Err(format!("enrolling: {status} {text}")),
    }
}

/// What a sync asks for, learnt from one that nothing is known before.
pub struct Files {
    /// The root after the one that everybody has: there is none.
    pub next_root: String,
    /// The one file that changes.
    pub timestamp: String,
    /// Its version.
    pub etag: String,
    /// What is asked for when it changed: snapshot, targets, manifest, script.
    pub rest: Vec<String>,
}

impl Files {
    /// Walks from the timestamp to the script.
    pub fn learn(address: SocketAddr, token: &str) -> Outcome<Files> {
        let mut connection = Connection::open(address).map_err(|error| error.to_string())?;
        let mut get = |path: &str| {
            let answer = connection.ask(&Request::get(path, token)).map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            if answer.status == 200 {
                Ok((text, answer.etag))
            } else {
                Err(format!("{path}: {}", answer.status))
            }
        };
        let timestamp = "/tuf/1/timestamp.json".to_owned();
        let (text, etag) = get(&timestamp)?;
        let snapshot =
            format!("/tuf/1/{}.snapshot.json", found(&text, r#""snapshot.json":"#, r#""version":"#)?);
        let (text, _) = get(&snapshot)?;
        let targets = format!("/tuf/1/{}.targets.json", found(&text, r#""targets.json":"#, r#""version":"#)?);
        let (text, _) = get(&targets)?;
        let digest = found(&text, r#""manifest.json":"#, r#""sha256":"#)?;
        let manifest = format!("/tuf/1/targets/{digest}.manifest.json");
        let (text, _) = get(&manifest)?;
        let digest = found(&text, r#""script":"#, r#""sha256":"#)?;
        let script = format!("/tuf/1/targets/{digest}.{digest}");
        get(&script)?;
        let next_root = "/tuf/1/2.root.json".to_owned();
        Ok(Files { next_root, timestamp, etag, rest: vec![snapshot, targets, manifest, script] })
    }
}

/// The plain value behind a key, which is looked for behind another.
fn found(text: &str, behind: &str, key: &str) -> Outcome<String> {
    let rest = text.split_once(behind).and_then(|(_, rest)| rest.split_once(key)).map(|(_, rest)| rest);
    let value = rest.unwrap_or_default().trim_start_matches('"').split(['"', ',', '}']).next();
    let value = value.filter(|value| !value.is_empty()).map(str::to_owned);
    value.ok_or_else(|| format!("no {behind} … {key} in {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_behind_its_keys() {
        let text = r#"{"version":1,"meta":{"a.json":{"hashes":{"sha256":"ff"},"version":7}}}"#;
        assert_eq!(found(text, r#""a.json":"#, r#""version":"#), Ok("7".to_owned()));
        assert_eq!(found(text, r#""a.json":"#, r#""sha256":"#), Ok("ff".to_owned()));
        assert!(found(text, r#""b.json":"#, r#""version":"#).is_err());
    }
}

//! Tells the server how it went, once for each thing that happened.

use std::time::{Duration, Instant};

use boathook_server::team::wire::Report;

use super::{Round, Status};
use crate::team::{Login, Place, Refusal, Server};

/// Codes after which there is nobody to tell.
const UNHEARD: [&str; 10] = [
    "unreachable",
    "tls",
    "unauthorized",
    "forbidden",
    "throttled",
    "server_error",
    "redirected",
    "downgrade",
    "locked",
    "missing",
];
/// A sentence, not a flood.
const LONGEST: usize = 500;
/// Nobody waits long for somebody to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the server should know and was not told yet.
pub fn due(status: &Status, round: &Round) -> Option<Report> {
    if UNHEARD.contains(&status.code.as_str()) {
        return None;
    }
    let (sequence, release) = match round.chosen {
        Some(chosen) => chosen,
        // Before a release was chosen none is to blame.
        None => (status.sequence.unwrap_or_default(), 0),
    };
    let code = if status.is_good() { "applied" } else { status.code.as_str() };
    let known = status.told.as_ref();
    let known = known
        .is_some_and(|told| (told.sequence, told.release, told.code.as_str()) == (sequence, release, code));
    let detail = status.detail.chars().take(LONGEST).collect();
    (!known).then(|| Report { sequence, release, code: code.to_owned(), detail })
}

pub fn send(place: &Place, login: &Login, report: &Report) -> Result<(), Refusal> {
    Server::of(place, login)?.until(Instant::now() + PATIENCE).post("/api/v1/report", report)
}

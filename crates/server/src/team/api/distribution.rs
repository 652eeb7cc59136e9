//! What devices fetch, what they wait for, and what they say of it.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::caller::Call;
use super::refusal::Refusal;
use super::sent::Sent;
use crate::team::publish;
use crate::team::sign;
use crate::team::wire::{Hint, Report};

const FILE: &str = "file";
const LONGEST_CODE: usize = 64;
const LONGEST_DETAIL: usize = 4000;

/// The team and the name of a path.
type Named = Result<Path<(String, String)>, PathRejection>;

/// `GET /tuf/{team}/{file}`
pub async fn metadata(call: Call, path: Named, headers: HeaderMap) -> Result<Response, Refusal> {
    let name = name_of(&call, path)?;
    send(&call, &name, &headers).await
}

/// `GET /tuf/{team}/targets/{name}`
pub async fn target(call: Call, path: Named, headers: HeaderMap) -> Result<Response, Refusal> {
    let name = name_of(&call, path)?;
    send(&call, &format!("targets/{name}"), &headers).await
}

/// The file's name, when the path is of the caller's team: others do not exist.
fn name_of(call: &Call, path: Named) -> Result<String, Refusal> {
    let own = call.caller.team.to_string();
    match path {
        Ok(Path((team, name))) if team == own => Ok(name),
        Ok(_) | Err(_) => Err(Refusal::missing(FILE)),
    }
}

async fn send(call: &Call, path: &str, headers: &HeaderMap) -> Result<Response, Refusal> {
    let file = sign::file(&call.team(), path).await?.ok_or_else(|| Refusal::missing(FILE))?;
    let known = headers.get(header::IF_NONE_MATCH).and_then(|etags| etags.to_str().ok());
    let about = [(header::ETAG, file.etag.clone()), (header::CACHE_CONTROL, file.cache.to_owned())];
    if known.is_some_and(|etags| file.is_among(etags)) {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    Ok((about, [(header::CONTENT_TYPE, file.kind)], file.bytes).into_response())
}

/// What is waited for.
#[derive(Debug, Deserialize)]
pub struct Since {
    /// The newest sequence that the caller has.
    #[serde(default)]
    sequence: u64,
}

/// `GET /api/v1/hint?sequence=N`
pub async fn hint(call: Call, since: Result<Query<Since>, QueryRejection>) -> Result<Json<Hint>, Refusal> {
    let Ok(Query(Since { sequence })) = since else {
        return Err(Refusal::unreadable("write ?sequence= and a number"));
    };
    let newer = call.app.hints.newer(call.caller.team, sequence, publish::PATIENCE).await;
    newer.map(|sequence| Json(Hint { sequence })).map_err(|error| Refusal::busy(60, error.to_string()))
}

/// `POST /api/v1/report`
pub async fn report(call: Call, Sent(report): Sent<Report>) -> Result<StatusCode, Refusal> {
    check(&report)?;
    let device = call.caller.device.as_deref().ok_or_else(|| Refusal::missing("device"))?;
    publish::report(&call.team(), &call.app.signer, device, &report, call.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn check(report: &Report) -> Result<(), Refusal> {
    let word = |code: &str| code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if report.code.is_empty() || report.code.len() > LONGEST_CODE || !word(&report.code) {
        return Err(Refusal::invalid("code: send `applied` or the code of the refusal"));
    }
    if report.detail.len() > LONGEST_DETAIL {
        return Err(Refusal::invalid(format!("detail: at most {LONGEST_DETAIL} bytes")));
    }
    Ok(())
}

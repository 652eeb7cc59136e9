//! What was published, and publishing.

use axum::Json;
use axum::http::StatusCode;

use super::caller::Call;
use super::refusal::Refusal;
use super::sent::{Id, Sent};
use crate::team::publish::{self, By};
use crate::team::wire::{Advance, Halt, Publish, Release};

const RELEASE: &str = "release";
const LONGEST_WORDS: usize = 2000;

/// `GET /api/v1/releases`
pub async fn list(call: Call) -> Result<Json<Vec<Release>>, Refusal> {
    Ok(Json(call.team().releases().await?))
}

/// `GET /api/v1/releases/{number}`
pub async fn show(call: Call, number: Id) -> Result<Json<Release>, Refusal> {
    let release = call.team().release(number.of(RELEASE)?).await?;
    release.map(Json).ok_or_else(|| Refusal::missing(RELEASE))
}

/// `POST /api/v1/releases`
pub async fn publish(call: Call, Sent(how): Sent<Publish>) -> Result<(StatusCode, Json<Release>), Refusal> {
    check_words("note", &how.note)?;
    let release = publish::publish(&call.team(), &call.app.signer, &how, &by(&call)).await?;
    Ok((StatusCode::CREATED, Json(release)))
}

/// `POST /api/v1/releases/{number}/advance`
pub async fn advance(
    call: Call,
    number: Id,
    Sent(Advance { percent }): Sent<Advance>,
) -> Result<Json<Release>, Refusal> {
    let number = number.of(RELEASE)?;
    Ok(Json(publish::advance(&call.team(), &call.app.signer, number, percent, call.now()).await?))
}

/// `POST /api/v1/releases/{number}/halt`
pub async fn halt(
    call: Call,
    number: Id,
    Sent(Halt { reason }): Sent<Halt>,
) -> Result<Json<Release>, Refusal> {
    check_words("reason", &reason)?;
    let number = number.of(RELEASE)?;
    let reason = if reason.is_empty() { format!("halted by {}", call.caller.signature()) } else { reason };
    Ok(Json(publish::halt(&call.team(), &call.app.signer, number, &reason, call.now()).await?))
}

/// `POST /api/v1/releases/{number}/restore`
pub async fn restore(call: Call, number: Id) -> Result<(StatusCode, Json<Release>), Refusal> {
    let number = number.of(RELEASE)?;
    let release = publish::restore(&call.team(), &call.app.signer, number, &by(&call)).await?;
    Ok((StatusCode::CREATED, Json(release)))
}

fn by(call: &Call) -> By {
    By { who: call.caller.signature(), at: call.now() }
}

fn check_words(field: &str, words: &str) -> Result<(), Refusal> {
    if words.len() > LONGEST_WORDS {
        return Err(Refusal::invalid(format!("{field}: at most {LONGEST_WORDS} bytes")));
    }
    Ok(())
}

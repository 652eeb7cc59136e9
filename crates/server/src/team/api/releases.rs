//! What was published.

use axum::Json;

use super::caller::Call;
use super::refusal::Refusal;
use super::sent::Id;
use crate::team::wire::Release;

const RELEASE: &str = "release";

/// `GET /api/v1/releases`
pub async fn list(call: Call) -> Result<Json<Vec<Release>>, Refusal> {
    Ok(Json(call.team().releases().await?))
}

/// `GET /api/v1/releases/{number}`
pub async fn show(call: Call, number: Id) -> Result<Json<Release>, Refusal> {
    let release = call.team().release(number.of(RELEASE)?).await?;
    release.map(Json).ok_or_else(|| Refusal::missing(RELEASE))
}

//! The machines that run the team's hooks.

use axum::Json;
use axum::http::StatusCode;

use super::caller::Call;
use super::refusal::Refusal;
use super::sent::Name;
use crate::team::wire::Device;

const DEVICE: &str = "device";

/// `GET /api/v1/devices`
pub async fn list(call: Call) -> Result<Json<Vec<Device>>, Refusal> {
    Ok(Json(call.team().devices().await?))
}

/// `DELETE /api/v1/devices/{id}`
pub async fn revoke(call: Call, Name(id): Name) -> Result<StatusCode, Refusal> {
    match call.team().revoke_device(&id, call.now()).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Refusal::missing(DEVICE)),
    }
}

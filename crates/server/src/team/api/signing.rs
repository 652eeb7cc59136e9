//! Keys and signatures of the admins, where they hold the keys (strict mode).

use axum::Json;

use super::caller::Call;
use super::refusal::Refusal;
use super::sent::Sent;
use crate::team::publish;
use crate::team::wire::{NewKeys, NewSignature, Signing};

/// `GET /api/v1/signing`
pub async fn waiting(call: Call) -> Result<Json<Signing>, Refusal> {
    Ok(Json(publish::signing(&call.team(), &call.app.signer).await?))
}

/// `POST /api/v1/signing`
pub async fn sign(call: Call, Sent(new): Sent<NewSignature>) -> Result<Json<Signing>, Refusal> {
    Ok(Json(publish::add_signature(&call.team(), &call.app.signer, &new, call.now()).await?))
}

/// `POST /api/v1/keys`
pub async fn propose(call: Call, Sent(keys): Sent<NewKeys>) -> Result<Json<Signing>, Refusal> {
    Ok(Json(publish::propose(&call.team(), &call.app.signer, &keys, call.now()).await?))
}

/// `POST /api/v1/keys/rotate`
pub async fn rotate(call: Call) -> Result<Json<Signing>, Refusal> {
    Ok(Json(publish::rotate(&call.team(), &call.app.signer, call.now()).await?))
}

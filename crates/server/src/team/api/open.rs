//! What everybody may ask.

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::{Value, json};

use super::refusal::Refusal;
use super::{App, openapi};

/// `GET /healthz`: the process lives.
pub async fn alive() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// `GET /readyz`: the database answers.
pub async fn ready(State(app): State<App>) -> Result<Json<Value>, Refusal> {
    app.store.ping().await?;
    Ok(Json(json!({"status": "ready"})))
}

/// `GET /openapi.json`
pub async fn document() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], openapi::text())
}

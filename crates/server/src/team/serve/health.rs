//! Whether requests can be answered, and the numbers on an address of their own.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use tokio::net::TcpListener;

use super::metrics::{Metrics, TEXT};
use crate::connection::{self, Activity, Guarded};
use crate::team::store::Store;

const READY: &str = "/readyz";

/// What is looked at.
#[derive(Debug, Clone)]
pub struct Health {
    /// The database.
    pub store: Store,
    /// What the signer found.
    pub metrics: Arc<Metrics>,
}

/// Why requests should go elsewhere; nothing when they need not.
impl Health {
    async fn problem(&self) -> Option<String> {
        if let Err(error) = self.store.probe().await {
            tracing::warn!(%error, "not ready");
            return Some("the database does not answer, or cannot be written".to_owned());
        }
        match self.metrics.expired() {
            0 => None,
            teams => Some(format!("the timestamp of {teams} teams expired and could not be signed anew")),
        }
    }
}

/// Answers `/readyz` before anybody else does, when something is wrong.
pub async fn readiness(State(health): State<Health>, request: Request, next: Next) -> Response {
    if request.uri().path() != READY {
        return next.run(request).await;
    }
    match health.problem().await {
        None => next.run(request).await,
        Some(problem) => unready(&problem),
    }
}

fn unready(problem: &str) -> Response {
    let body = serde_json::json!({ "code": "unready", "message": problem }).to_string();
    (StatusCode::SERVICE_UNAVAILABLE, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// `GET /metrics`
pub async fn metrics(metrics: Option<Extension<Arc<Metrics>>>) -> Response {
    match metrics {
        Some(Extension(metrics)) => ([(header::CONTENT_TYPE, TEXT)], metrics.text()).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Answers on an address of its own, which is nobody else's.
pub async fn serve(listener: TcpListener, health: Health) {
    let router = Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(async || "ok\n"))
        .route(READY, get(ready))
        .layer(from_fn(connection::noted))
        .layer(Extension(Arc::clone(&health.metrics)))
        .with_state(health);
    let service = router.into_make_service_with_connect_info::<Activity>();
    if let Err(error) = axum::serve(Guarded::of(listener), service).await {
        tracing::error!(%error, "metrics can no longer be read");
    }
}

async fn ready(State(health): State<Health>) -> Response {
    match health.problem().await {
        None => "ready\n".into_response(),
        Some(problem) => unready(&problem),
    }
}

//! Callers that wait for news do not hold the end of the server.

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::watch;

/// Where callers wait.
const HINT: &str = "/api/v1/hint";

/// Sends those who wait for news away when the server ends; others may finish.
pub async fn ended_with_us(
    State(mut ended): State<watch::Receiver<bool>>,
    request: Request,
    next: Next,
) -> Response {
    if request.uri().path() != HINT {
        return next.run(request).await;
    }
    tokio::select! {
        response = next.run(request) => response,
        _ = ended.wait_for(|ended| *ended) => {
            let body = r#"{"code":"busy","message":"the server is being restarted; ask again"}"#;
            let headers = [(header::CONTENT_TYPE, "application/json"), (header::RETRY_AFTER, "1")];
            (StatusCode::SERVICE_UNAVAILABLE, headers, body).into_response()
        }
    }
}

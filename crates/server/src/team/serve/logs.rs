//! What the server tells whoever operates it: one line for each request and
//! each thing that happened, on stderr. Neither tokens nor bodies stand in it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use tracing::Level;

use super::metrics::Metrics;

/// How lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// One JSON object each.
    Json,
    /// For people.
    Text,
}

/// Begins to write lines. The first to ask decides; a process has one log.
pub fn begin(log: Log) {
    let lines = tracing_subscriber::fmt().with_max_level(Level::INFO).with_writer(io::stderr);
    let _ = match log {
        Log::Json => tracing::subscriber::set_global_default(lines.json().flatten_event(true).finish()),
        Log::Text => tracing::subscriber::set_global_default(lines.compact().finish()),
    };
}

/// Counts a request, and writes its line. What stands there of the address is
/// the route: whatever else a caller wrote may be a secret of theirs.
pub async fn told(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "none".to_owned());
    let method = known(request.method());
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let at_work = metrics.begun(&route);
    let response = next.run(request).await;
    drop(at_work);
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    metrics.answered(method, &route, status, took);
    let peer = peer.map(|ip| ip.to_string()).unwrap_or_default();
    tracing::info!(method, route, status, took_us = took.as_micros(), peer, "request");
    response
}

/// A caller can invent methods, and each would be a line of the metrics.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

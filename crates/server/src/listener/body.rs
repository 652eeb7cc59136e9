//! A request's body: announced, not too long, there in time, and within the
//! memory that all of them have together.

use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use boathook_engine::remote::wire::LONGEST_LINE;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::sentence;

/// It must be there within this time, and so must the memory for it.
const PATIENCE: Duration = Duration::from_secs(20);
/// Memory is counted in pieces of this size,
const PIECE: usize = 64 * 1024;
/// and all bodies together may have so many.
const PIECES: usize = 4 * LONGEST_LINE / PIECE;

/// The memory of all bodies.
pub fn room() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(PIECES))
}

/// The bytes, and their share of the memory while it is held.
pub async fn read(
    room: &Arc<Semaphore>,
    request: Request,
) -> Result<(Vec<u8>, OwnedSemaphorePermit), Response> {
    let length = match length(request.headers()) {
        Some(length) if length <= LONGEST_LINE => length,
        Some(_) => return Err(too_long()),
        None => return Err(sentence(StatusCode::LENGTH_REQUIRED, UNKNOWN)),
    };
    let pieces = u32::try_from(length / PIECE + 1).unwrap_or(u32::MAX);
    let Ok(Ok(share)) = timeout(PATIENCE, Arc::clone(room).acquire_many_owned(pieces)).await else {
        return Err(sentence(StatusCode::SERVICE_UNAVAILABLE, "there is no memory for this now; try again"));
    };
    match timeout(PATIENCE, to_bytes(request.into_body(), LONGEST_LINE)).await {
        Ok(Ok(bytes)) => Ok((bytes.into(), share)),
        Ok(Err(_)) => Err(sentence(StatusCode::BAD_REQUEST, "the body could not be read")),
        Err(_) => Err(sentence(StatusCode::REQUEST_TIMEOUT, "the body did not come in time")),
    }
}

const UNKNOWN: &str = "a body must say how long it is (Content-Length)";

fn too_long() -> Response {
    let words = format!("a body has {LONGEST_LINE} bytes at most");
    sentence(StatusCode::PAYLOAD_TOO_LARGE, &words)
}

fn length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

//! What a caller is told when a request is not done: a status, a stable word
//! and a sentence that says what to do instead.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::route::Speech;
use crate::team::publish::{LineError, PublishError};
use crate::team::sign::SignError;
use crate::team::store::StoreError;
use crate::team::wire::Problem;

/// A request that was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status.
    pub status: StatusCode,
    /// The stable word.
    pub code: &'static str,
    /// What is wrong, and what to do instead.
    pub message: String,
    /// After how many seconds to come back.
    pub retry_after: Option<u64>,
}

impl Refusal {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, code, message: message.into(), retry_after: None }
    }

    /// The request cannot be read.
    pub fn unreadable(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, "unreadable", message)
    }

    /// Nobody is known by what came as a token. One answer for all reasons:
    /// nobody learns whether a token once was good.
    pub fn unknown() -> Refusal {
        Refusal::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "send `Authorization: Bearer` and a token that is still good; `boathook team login` gets a new one",
        )
    }

    /// The caller is known and may not.
    pub fn forbidden(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// There is no such thing in the caller's team.
    pub fn missing(what: &str) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, "missing", format!("there is no such {what} in this team"))
    }

    /// There is no such address.
    pub fn nowhere() -> Refusal {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "missing",
            "there is no such address; GET /openapi.json lists them",
        )
    }

    /// The address is right and the method is not.
    pub fn method() -> Refusal {
        let message = "this address has other methods; GET /openapi.json lists them";
        Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method", message)
    }

    /// It does not go together with what is there.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, code, message)
    }

    /// The body is larger than its address takes.
    pub fn too_large(most: usize) -> Refusal {
        let message = format!("the body is larger than {most} bytes; send less");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// The body is in another format than this address reads.
    pub fn media_type(speech: Speech) -> Refusal {
        let message = match speech {
            Speech::Api => "send `Content-Type: application/json`",
            Speech::Connect => "send `Content-Type: application/json` or `application/proto`",
        };
        Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", message)
    }

    /// The body can be read and makes no sense.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", message)
    }

    /// The caller was here too often.
    pub fn too_often(seconds: u64) -> Refusal {
        let message = format!("too many requests; come back in {seconds} seconds");
        let refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "throttled", message);
        Refusal { retry_after: Some(seconds), ..refusal }
    }

    /// The server cannot now.
    pub fn busy(seconds: u64, message: impl Into<String>) -> Refusal {
        let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message);
        Refusal { retry_after: Some(seconds), ..refusal }
    }

    /// The answer in the form of Connect, which has words of its own.
    pub fn for_connect(self) -> Refusal {
        Refusal { code: connect_word(self.status), ..self }
    }
}

/// Connect's word for a status.
fn connect_word(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY | StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            "invalid_argument"
        }
        StatusCode::UNAUTHORIZED => "unauthenticated",
        StatusCode::FORBIDDEN => "permission_denied",
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::CONFLICT => "aborted",
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS => "resource_exhausted",
        StatusCode::METHOD_NOT_ALLOWED => "unimplemented",
        StatusCode::SERVICE_UNAVAILABLE => "unavailable",
        _ => "internal",
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let problem = Problem { code: self.code.to_owned(), message: self.message };
        let mut response = (self.status, Json(problem)).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// What of a database's refusals is the caller's business.
impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        match error {
            StoreError::Conflict => Refusal::conflict("conflict", error.to_string()),
            StoreError::LastOwner => Refusal::conflict("last_owner", error.to_string()),
            StoreError::Revoked => Refusal::unknown(),
            StoreError::Exists(_) => Refusal::conflict("exists", error.to_string()),
            StoreError::Order => Refusal::invalid(error.to_string()),
            StoreError::Floor { .. }
            | StoreError::Newer { .. }
            | StoreError::Unfit(_)
            | StoreError::Unreadable { .. }
            | StoreError::Database(_) => {
                tracing::error!(%error, "the database did not do what it was asked");
                Refusal::busy(5, "the database did not answer; try again in a moment")
            }
        }
    }
}

/// What of a refusal to publish is the caller's business.
impl From<PublishError> for Refusal {
    fn from(error: PublishError) -> Refusal {
        match error {
            PublishError::Line(LineError::Missing(_)) => Refusal::missing("release"),
            PublishError::Line(LineError::Share(_) | LineError::Nobody)
            | PublishError::Refused(_)
            | PublishError::CannotRun(_)
            | PublishError::Signature(_) => Refusal::invalid(error.to_string()),
            PublishError::Line(LineError::State { .. } | LineError::Narrower { .. }) => {
                Refusal::conflict("release_state", error.to_string())
            }
            PublishError::KeysWait => Refusal::conflict("keys_wait", error.to_string()),
            PublishError::Sign(SignError::NotSetUp | SignError::NoKey(_)) => {
                Refusal::conflict("no_key", error.to_string())
            }
            PublishError::Sign(SignError::Store(error)) => error.into(),
            PublishError::Busy => Refusal::busy(2, error.to_string()),
            PublishError::Sign(
                SignError::OtherSecret { .. } | SignError::Unreadable(_) | SignError::Random(_),
            ) => {
                tracing::error!(%error, "nothing could be signed");
                Refusal::busy(60, "the server cannot sign now; its log says why")
            }
        }
    }
}

/// No random bytes: there is no safe way to go on.
impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Refusal {
        tracing::error!(%error, "the system gave no random bytes");
        Refusal::busy(5, "the server cannot make secrets now; try again in a moment")
    }
}

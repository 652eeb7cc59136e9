//! Login by browser: OAuth's authorization code with PKCE, for a program on the
//! person's own machine. No token ever stands in an address.

mod asked;
mod code;
mod consent;
mod page;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use serde_json::{Value, json};

pub use code::{Exchange, exchange};
pub use consent::{answer, ask};

use super::App;

/// Where programs look whether this is offered.
pub const DESCRIPTION: &str = "/.well-known/oauth-authorization-server";

/// `GET /.well-known/oauth-authorization-server`
pub async fn description(State(app): State<App>, headers: HeaderMap) -> Json<Value> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let origin = app.origin.as_deref().map_or_else(|| format!("http://{host}"), str::to_owned);
    Json(json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/oauth/token"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
    }))
}

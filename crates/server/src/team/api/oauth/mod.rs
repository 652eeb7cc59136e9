//! Login by browser: OAuth's authorization code with PKCE, for a program on the
//! person's own machine. No token ever stands in an address.

mod asked;
mod code;
mod consent;
mod page;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

pub use code::{Exchange, exchange};
pub use consent::{answer, ask};

use super::App;

/// Where programs look whether this is offered.
pub const DESCRIPTION: &str = "/.well-known/oauth-authorization-server";

/// `GET /.well-known/oauth-authorization-server`
///
/// Without an address of its own the server does not know how it is reached,
/// through TLS or not: the endpoints are then paths below what was asked.
pub async fn description(State(app): State<App>) -> Json<Value> {
    let origin = app.origin.as_deref().unwrap_or_default();
    let mut description = json!({
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/oauth/token"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
    });
    if !origin.is_empty() {
        description["issuer"] = json!(origin);
    }
    Json(description)
}

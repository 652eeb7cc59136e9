//! The API of the team server. One table, [`ROUTES`], says for every address
//! who may call it, what it reads and what it answers; the router, the OpenAPI
//! document and the test of roles are made from it.
//!
//! What belongs to another team does not exist: everything is looked up through
//! the team of the caller's token.
//!
//! A token to sign in with is good for one step: `POST /api/v1/login` makes a
//! device of it, `POST /api/v1/tokens` an API token.

mod caller;
mod devices;
mod distribution;
mod draft;
mod guard;
pub(super) mod hooks;
mod limits;
mod login;
pub(super) mod members;
mod oauth;
mod open;
mod openapi;
mod refusal;
mod releases;
mod route;
pub mod secret;
mod sent;
pub(super) mod settings;
pub mod shape;
mod signing;
mod table;
mod tokens;

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;

pub use caller::{Call, Caller};
pub use limits::{Limits, Rate, Rates};
pub use openapi::{openapi, text as openapi_text};
pub use refusal::Refusal;
pub use route::{Route, Speech, Traffic, Verb, Who};
pub use table::ROUTES;

use super::publish::Hints;
use super::sign::Signer;
use super::store::Store;

/// Says what time it is, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// What every handler needs. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub store: Store,
    /// Signs what is published.
    pub signer: Arc<Signer>,
    /// Tells those who wait that something newer is out.
    pub hints: Hints,
    /// The time.
    pub clock: Clock,
    /// How often, and how many at once.
    pub limits: Arc<Limits>,
    /// The address people reach the server by, such as `https://hooks.example.org`;
    /// without one, what they called it.
    pub origin: Option<Arc<str>>,
}

impl App {
    /// The time.
    pub fn now(&self) -> i64 {
        (self.clock)()
    }
}

impl fmt::Debug for App {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("App").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The router of all routes.
///
/// Whoever serves it puts `ConnectInfo<SocketAddr>` into each request.
pub fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let guarded = from_fn_with_state((app.clone(), route), guard::guard);
        router = router.route(route.path, (route.handler)(&app).route_layer(guarded));
    }
    router
        .fallback(|| async { Refusal::nowhere() })
        .method_not_allowed_fallback(|| async { Refusal::method() })
        // The guard reads bodies, each within the limit of its route.
        .layer(DefaultBodyLimit::disable())
        .with_state(app)
}

//! `aiserver.v1.DashboardService` over Connect, in JSON and in protobuf, for
//! clients that speak the editor's own protocol.
//!
//! `GetTeamHooks` reads what is published: what devices run, not what somebody
//! is writing. The messages are in `proto/`.

mod convert;
mod service;

use std::sync::Arc;

use axum::routing::{MethodRouter, post_service};
use connectrpc::{ConnectRpcService, Limits, Router};

use super::api::App;
use service::Dashboard;

/// What `build.rs` made of `proto/`.
#[allow(missing_docs, unexpected_cfgs, clippy::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/dashboard.rs"));
}

pub use generated::aiserver::v1 as proto;

/// The published hooks.
pub const GET_TEAM_HOOKS: &str = "/aiserver.v1.DashboardService/GetTeamHooks";
/// Adds a hook.
pub const CREATE_TEAM_HOOK: &str = "/aiserver.v1.DashboardService/CreateTeamHook";
/// Replaces a hook.
pub const UPDATE_TEAM_HOOK: &str = "/aiserver.v1.DashboardService/UpdateTeamHook";
/// Removes a hook.
pub const DELETE_TEAM_HOOK: &str = "/aiserver.v1.DashboardService/DeleteTeamHook";

/// The largest message; what an address takes at most was checked before.
const LARGEST: usize = 8 * 1024 * 1024;

/// The handler behind all of these.
pub fn route(app: &App) -> MethodRouter<App> {
    let router = Router::new().add_service(Arc::new(Dashboard { app: app.clone() }));
    let limits = Limits::default().with_max_request_body_size(LARGEST).with_max_message_size(LARGEST);
    post_service(ConnectRpcService::new(router).with_limits(limits))
}

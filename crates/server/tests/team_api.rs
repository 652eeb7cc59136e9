//! The API of the team server, over HTTP.

#[path = "team_api/connect.rs"]
mod connect;
#[path = "team_api/document.rs"]
mod document;
#[path = "team_api/http.rs"]
mod http;
#[path = "team_api/laws.rs"]
mod laws;
#[path = "team_api/limits.rs"]
mod limits;
#[path = "team_api/matrix.rs"]
mod matrix;
#[path = "team_api/oauth.rs"]
mod oauth;
#[path = "team_api/world.rs"]
mod world;

//! To come.
use super::App;
use super::door::Fields;
use super::layout::{self, Page};
use super::routes::{Asked, aside};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, Response};
use maud::html;
use std::sync::Arc;
pub fn page(app: &App, _: &Asked) -> (StatusCode, Html<String>) {
    (StatusCode::OK, layout::page(app, Page::Try, "Try", &html! {}))
}
pub async fn send(State(app): State<Arc<App>>, Extension(_): Extension<Fields>) -> Response {
    aside(app, |app| page(app, &Asked::new())).await
}

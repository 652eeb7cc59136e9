//! To come.
use super::App;
use super::layout::{self, Page};
use super::routes::Asked;
use axum::http::StatusCode;
use axum::response::Html;
use maud::html;
pub fn page(app: &App, _: &Asked) -> (StatusCode, Html<String>) {
    (StatusCode::OK, layout::page(app, Page::Log, "sessions", &html! {}))
}

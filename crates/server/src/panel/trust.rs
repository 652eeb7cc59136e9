//! To come.
use super::App;
use super::door::Fields;
use super::layout::{self, Page};
use super::routes::Asked;
use axum::http::StatusCode;
use axum::response::Html;
use maud::html;
pub fn page(app: &App, _: &Asked) -> (StatusCode, Html<String>) {
    (StatusCode::OK, layout::page(app, Page::Trust, "Trust", &html! {}))
}
pub fn decide(app: &App, _: &Fields) -> (StatusCode, Html<String>) {
    page(app, &Asked::new())
}

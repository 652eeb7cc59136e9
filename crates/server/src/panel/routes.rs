//! Which page answers which address.
//!
//! Engine calls block, so every page is made on a thread of its own: a hook of
//! a minute holds the one request that started it.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Query, Request, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use axum::{Extension, Router};
use tokio::net::TcpListener;

use super::door::{self, Fields};
use super::filter::Filter;
use super::scope::Scope;
use super::{App, hooks, layout, lock, log, problems, run, sessions, time, trust, try_event};
use crate::connection::{self, Guarded};

const STYLE: &str = include_str!("panel.css");
const SCRIPT: &str = include_str!("panel.js");
const ICON: &str = include_str!("panel.svg");

/// A page that watches the log waits so long for the next record,
const LONGEST_WATCH: Duration = Duration::from_secs(20);
/// and looks so often.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What a page was asked for.
pub type Asked = HashMap<String, String>;

/// Answers requests for ever.
pub async fn serve(listener: TcpListener, app: Arc<App>) -> io::Result<()> {
    let service = router(app).into_make_service_with_connect_info::<connection::Activity>();
    axum::serve(Guarded::of(listener), service).await
}

fn router(app: Arc<App>) -> Router {
    let at = |name: &str| format!("{}/{name}", app.door.folder());
    let pages = Router::new()
        .route(&at(""), page(hooks::page))
        .route(&at("problems"), page(problems::page))
        .route(&at("log"), page(log::page))
        .route(&at("live"), get(live))
        .route(&at("run"), page(run::page))
        .route(&at("try"), page(try_event::page).post(try_event::send))
        .route(&at("trust"), page(trust::page).post(decide))
        .route(&at("time"), page(time::page))
        .route(&at("sessions"), page(sessions::page))
        .route_layer(from_fn_with_state(Arc::clone(&app), door::inside));
    Router::new()
        .merge(pages)
        .route("/enter", get(door::enter).head(door::looks))
        .route("/panel.css", asset("text/css; charset=utf-8", STYLE))
        .route("/panel.js", asset("text/javascript; charset=utf-8", SCRIPT))
        .route("/panel.svg", asset("image/svg+xml", ICON))
        .fallback(nothing_there)
        .layer(from_fn_with_state(Arc::clone(&app), door::host_and_origin))
        .layer(from_fn(door::sealed))
        .layer(from_fn(connection::noted))
        .with_state(app)
}

/// A page that only looks.
fn page(make: fn(&App, &Asked) -> (StatusCode, Html<String>)) -> MethodRouter<Arc<App>> {
    get(async move |State(app): State<Arc<App>>, Query(asked): Query<Asked>| {
        aside(app, move |app| make(app, &asked)).await
    })
}

/// Makes an answer where it holds nobody else.
pub async fn aside<R, F>(app: Arc<App>, make: F) -> Response
where
    R: IntoResponse + Send + 'static,
    F: FnOnce(&App) -> R + Send + 'static,
{
    match tokio::task::spawn_blocking(move || make(&app)).await {
        Ok(response) => response.into_response(),
        Err(_) => {
            let (why, what) = ("this page could not be made", "The log of the terminal may say why.");
            (StatusCode::INTERNAL_SERVER_ERROR, layout::outside("Something broke", why, what)).into_response()
        }
    }
}

async fn decide(State(app): State<Arc<App>>, Extension(fields): Extension<Fields>) -> Response {
    aside(app, move |app| trust::decide(app, &fields)).await
}

/// Rows that came behind a number; waits a while when there are none.
async fn live(State(app): State<Arc<App>>, Query(asked): Query<Asked>, _: Request) -> Response {
    let (filter, scope) = (Filter::of(&asked), Scope::of(&app, &asked));
    let behind: u64 = asked.get("behind").and_then(|number| number.parse().ok()).unwrap_or(0);
    let until = Instant::now() + LONGEST_WATCH;
    loop {
        let reader = Arc::clone(&app);
        let read = tokio::task::spawn_blocking(move || lock(&reader.feed).behind(behind)).await;
        let entries = read.unwrap_or_default();
        let last = entries.last().map(|entry| entry.number);
        let wanted: Vec<_> =
            entries.into_iter().filter(|entry| scope.takes(entry) && filter.takes(&entry.record)).collect();
        if wanted.is_empty() && Instant::now() < until {
            tokio::time::sleep(LOOK_EVERY).await;
            continue;
        }
        let last = last.unwrap_or(behind).to_string();
        let headers = [(HeaderName::from_static("boathook-last"), last)];
        return (headers, Html(log::rows(&wanted, &scope).into_string())).into_response();
    }
}

fn asset(kind: &'static str, text: &'static str) -> MethodRouter<Arc<App>> {
    get(async move || ([(header::CONTENT_TYPE, kind)], text))
}

/// Who was let in is led back; nobody else learns where.
async fn nothing_there(State(app): State<Arc<App>>, request: Request) -> Response {
    let (why, what) = ("there is no such page", "Open the panel by the address that was printed.");
    let page = if app.door.has_cookie(request.headers()) {
        layout::led_back("Not found", why, app.door.folder())
    } else {
        layout::outside("Not found", why, what)
    };
    (StatusCode::NOT_FOUND, page).into_response()
}

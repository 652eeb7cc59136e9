//! Try an event: choose it, edit its payload, and see what would run, or run it.
//!
//! Running is the real thing: the hooks that an agent's event would start, under
//! the same rules of trust. Whoever leaves the page ends them.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use boathook_engine::engine::Call;
use boathook_engine::event::{EVENTS, EventKind};
use boathook_engine::fill::Event;
use boathook_engine::payload::{Flaw, Payload, spread};
use boathook_engine::run::Cancel;
use boathook_engine::visible::visible_json;
use maud::{Markup, html};

use super::door::{FORM_TOKEN, Fields};
use super::example::example;
use super::layout::{self, Page};
use super::routes::{Asked, aside};
use super::text::prose;
use super::{App, lock, outcome};

/// What is on the page when nobody chose anything.
const FIRST: EventKind = EventKind::BeforeShellExecution;

pub fn page(app: &App, asked: &Asked) -> (StatusCode, Html<String>) {
    let chosen = asked.get("event").and_then(|name| EventKind::named(name));
    let from = asked.get("from").and_then(|id| lock(&app.feed).known().find(id).cloned());
    let (event, payload) = match from {
        Some(record) => (EventKind::named(&record.step).unwrap_or(FIRST), spread(record.request.get())),
        None => {
            let event = chosen.unwrap_or(FIRST);
            (event, example(event.spec(), &root(app)))
        }
    };
    shown(app, event, &payload, None)
}

/// The form was sent: to explain, or to run.
pub async fn send(State(app): State<Arc<App>>, Extension(fields): Extension<Fields>) -> Response {
    let Some(event) = EventKind::named(fields.get("event")) else {
        return aside(app, |app| (StatusCode::UNPROCESSABLE_ENTITY, page(app, &Asked::new()).1)).await;
    };
    let (text, is_edited) = typed(&app, event, &fields);
    match fields.get("action") {
        "example" if is_edited => {
            return aside(app, move |app| shown(app, event, &text, Some(&would_be_lost(event)))).await;
        }
        "example" | "replace" => {
            return aside(app, move |app| shown(app, event, &example(event.spec(), &root(app)), None)).await;
        }
        _ => {}
    }
    let payload = match Payload::parse(text.as_bytes()) {
        Ok(payload) => payload,
        Err(error) => {
            let flaw = error.flaw(text.as_bytes());
            return aside(app, move |app| {
                let (_, page) = shown(app, event, &text, Some(&trouble_of(&flaw)));
                (StatusCode::UNPROCESSABLE_ENTITY, page)
            })
            .await;
        }
    };
    let event = Event::new(event, payload);
    if fields.get("action") != "run" {
        return aside(app, move |app| {
            let explained = outcome::explained(app, &app.engine.explain(event.clone()));
            shown(app, event.kind, &text, Some(&explained))
        })
        .await;
    }
    run(app, event, text).await
}

/// The payload of the form, and whether somebody wrote it. The untouched example
/// of the event that was chosen before gives way to that of the one chosen now.
fn typed(app: &App, event: EventKind, fields: &Fields) -> (String, bool) {
    let text = fields.get("payload").replace("\r\n", "\n");
    let loaded = EventKind::named(fields.get("loaded")).unwrap_or(event);
    let untouched = visible_json(&example(loaded.spec(), &root(app)));
    match text.trim() == untouched.trim() {
        true if loaded != event => (example(event.spec(), &root(app)), false),
        same => {
            let is_edited = !same && !text.trim().is_empty();
            (text, is_edited)
        }
    }
}

/// Nobody's text goes without a question.
fn would_be_lost(event: EventKind) -> Markup {
    html! {
        div.alert.warn role="alert" {
            p { strong { "The payload was edited, and is still here. " } "The example of " (event.name()) " would take its place." }
            div.buttons { button.second type="submit" form="try" name="action" value="replace" { "Replace it with the example" } }
        }
    }
}

async fn run(app: Arc<App>, event: Event, text: String) -> Response {
    let Ok(_place) = Arc::clone(&app.runs).try_acquire_owned() else {
        let (why, what) = ("as many events run already as may at once", "Wait until one of them has ended.");
        return (StatusCode::TOO_MANY_REQUESTS, layout::outside("Too many at once", why, what))
            .into_response();
    };
    let whole = app.cancel.clone();
    let leaving = Leaving(Cancel::default());
    let cancel = leaving.0.clone().or_when(move || whole.is_cancelled());
    let writer = Arc::clone(&app);
    aside(app, move |app| {
        let decision = app.engine.handle_call(event, &Call { cancel: Some(cancel), ..Call::default() });
        // Nobody waits for `async` hooks, and the log is for the next page.
        tokio::task::spawn_blocking(move || writer.engine.write_out());
        shown(app, decision.event, &text, Some(&outcome::decided(&decision)))
    })
    .await
}

/// When the browser goes away, nobody waits for the hooks any more.
struct Leaving(Cancel);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn shown(app: &App, event: EventKind, payload: &str, result: Option<&Markup>) -> (StatusCode, Html<String>) {
    let is_example = payload.trim() == example(event.spec(), &root(app)).trim();
    let body = html! {
        p.lead { "See what hooks make of an event, without an agent. Fields that every event has are filled in where they are missing." }
        @if let Some(result) = result { section #result tabindex="-1" { (result) } }
        form #try method="post" action="try#result" {
            input type="hidden" name=(FORM_TOKEN) value=(app.door.form_token());
            // Whose example or payload stands below.
            input type="hidden" name="loaded" value=(event.name());
            section.panel {
                div.choice {
                    label {
                        span { "Event" }
                        select name="event" {
                            @for spec in EVENTS { option value=(spec.name) selected[spec.kind == event] { (spec.name) } }
                        }
                    }
                    button.second type="submit" name="action" value="example" { "Load its example" }
                }
                p.about #about aria-live="polite" { code { (event.name()) } ": " (event.spec().about) }
                label {
                    span { "Payload, one JSON object" }
                    // The mark lets the script put the example of another event here.
                    textarea name="payload" data-example[is_example] rows=(rows_of(payload)) spellcheck="false" autocomplete="off" autocapitalize="off" { (visible_json(&payload.replace("\r\n", "\n"))) }
                }
                div #fields { (fields_of(event)) }
                div.buttons {
                    button type="submit" name="action" value="explain" { "Explain" }
                    button.second type="submit" name="action" value="run" { "Run the hooks" }
                    span.note { "Explain runs nothing. Run starts the real hooks on this machine, with this payload; only those that may run." }
                }
                p.note { "Hooks that an agent's daemon keeps between events (" code { "persistent" } ", " code { "prestart" } ") are started here anew, as a process for this one event." }
            }
        }
    };
    (StatusCode::OK, layout::page(app, Page::Try, "Try an event", &body))
}

/// As high as what stands in it.
fn rows_of(payload: &str) -> usize {
    (payload.lines().count() + 1).clamp(5, 40)
}

fn fields_of(event: EventKind) -> Markup {
    html! {
        @if !event.spec().inputs.is_empty() {
            details {
                summary { "Fields of this event" }
                dl.table-of-facts {
                    @for field in event.spec().inputs {
                        dt { code { (field.name) } @if !field.required { " " span.tag { "optional" } } }
                        dd { (prose(field.about)) }
                    }
                }
            }
        }
    }
}

fn trouble_of(flaw: &Flaw) -> Markup {
    let place = if flaw.place.is_empty() { String::new() } else { format!(", {}", flaw.place) };
    html! {
        div.alert.bad role="alert" {
            p { strong { "Nothing was asked. " } "The payload" (place) ": " (prose(&flaw.problem)) "." }
            p { "Help: " (prose(&flaw.help)) "." }
        }
    }
}

fn root(app: &App) -> String {
    let first = app.settings.roots.workspaces.first();
    first.map_or_else(|| "/".to_owned(), |root| root.to_string_lossy().into_owned())
}

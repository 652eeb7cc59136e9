//! One run in full, and how its event was decided.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Html;
use boathook_engine::payload::spread;
use boathook_engine::record::{KeptPayload, Record, took};
use maud::{Markup, html};

use super::badge::{self, Tone, badge};
use super::layout::{self, Page};
use super::routes::Asked;
use super::text::{block, command, encoded, line, long, prose, safe};
use super::verdict::Verdict;
use super::{App, lock};

pub fn page(app: &App, asked: &Asked) -> (StatusCode, Html<String>) {
    let id = asked.get("id").map(String::as_str).unwrap_or_default();
    let known = lock(&app.feed).known();
    let Some(record) = known.find(id) else { return not_there(app) };
    let event = known.event_of(record);
    let all = (!asked.contains_key("all")).then(|| format!("run?id={}&all=1", encoded(id)));
    let body = html! {
        p.lead { a href="log" { "Log" } " › " (safe(&record.step)) " › " span.path { (safe(record.short_id())) } }
        div.columns {
            section.panel { h2 { "This run" } (facts(record)) }
            section.panel { h2 { "How the event was decided" } (decided(record, &event)) }
        }
        (texts(record, all.as_deref()))
        (again(record))
    };
    (StatusCode::OK, layout::page(app, Page::Log, "Run", &body))
}

fn not_there(app: &App) -> (StatusCode, Html<String>) {
    let body = html! {
        div.empty {
            p { "The log has no run with this id. It keeps the last 10,000 runs; the oldest go first." }
            p { a href="log" { "Show all runs" } }
        }
    };
    (StatusCode::NOT_FOUND, layout::page(app, Page::Log, "Run", &body))
}

fn facts(record: &Record) -> Markup {
    let timeout = record.timeout_ms.map(|millis| format!("{} s", millis as f64 / 1000.0));
    html! {
        dl.table-of-facts {
            dt { "Result" }
            dd { (badge::result(record)) @if let Some(reason) = &record.reason { " " (prose(reason)) } }
            (fact("Hook", record.command.as_deref().map(command)))
            (text("Source", record.source.as_deref()))
            (fact("Place", record.place.as_deref().map(|place| html! { span.path { (safe(place)) } })))
            (fact("Directory", record.directory.as_deref().map(|place| html! { span.path { (safe(place)) } })))
            dt { "Event" } dd { (safe(&record.step)) ", " (record.found_words()) }
            dt { "Time" } dd.number { (safe(&long(&record.timestamp))) }
            (text("Took", record.duration.map(took).as_deref()))
            (text("Timeout", timeout.as_deref()))
            (text("Exit code", record.exit_code.map(|code| code.to_string()).as_deref()))
            (text("Agent", record.agent.as_deref()))
            (fact("Conversation", record.conversation.as_deref().map(|id| html! {
                a href={ "log?workspace=all&conversation=" (encoded(id)) } { (line(id, 80)) }
            })))
            @if record.automatic_followup { dt { "Follow-up" } dd { "sent by itself" } }
        }
        @if !record.notes.is_empty() {
            h3 { "Notes" }
            ul { @for note in &record.notes { li { (prose(note)) } } }
        }
    }
}

fn fact(name: &str, value: Option<Markup>) -> Markup {
    html! { @if let Some(value) = value { dt { (name) } dd { (value) } } }
}

fn text(name: &str, value: Option<&str>) -> Markup {
    fact(name, value.map(safe))
}

/// Every hook of the same event, and which of them decided.
fn decided(record: &Record, event: &[&Arc<Record>]) -> Markup {
    let verdict = Verdict::of(event);
    html! {
        p { (badge(verdict.tone, verdict.word)) " " (verdict.because) }
        ol.cards {
            @for it in event {
                li {
                    div.state { (badge::result(it)) }
                    div.what {
                        @if it.id == record.id { strong { "This run" } ": " (line(it.command.as_deref().unwrap_or("no hook"), 120)) }
                        @else { a href={ "run?id=" (encoded(&it.id)) } { code { (line(it.command.as_deref().unwrap_or("no hook"), 120)) } } }
                        p.facts {
                            @if let Some(source) = &it.source { span.tag { (safe(source)) } " " }
                            @if let Some(duration) = it.duration { span.number { (took(duration)) } " " }
                            @if verdict.is_by(it) { (badge(Tone::Good, "decided")) }
                        }
                        @if let Some(reason) = &it.reason { p.why { (prose(reason)) } }
                        @for note in &it.notes { p.note { (prose(note)) } }
                    }
                }
            }
        }
        @let not_run: Vec<&String> = event.iter().flat_map(|it| &it.not_run).collect();
        @if !not_run.is_empty() {
            h3 { "Did not apply" }
            ul { @for hook in not_run { li { (prose(hook)) } } }
        }
    }
}

fn texts(record: &Record, all: Option<&str>) -> Markup {
    let kept = record.kept_payload();
    html! {
        section.group {
            h2 { "Input" }
            @if let Some(lack) = record.lack() {
                p.note { "The payload is " (prose(&lack)) "."
                    @if matches!(kept, KeptPayload::Redacted | KeptPayload::Nothing) {
                        " With " code { "payload = \"full\"" } " in the " code { "[log]" } " table of config.toml, runs from then on are kept whole."
                    }
                }
            }
            @if kept != KeptPayload::Nothing { (block("Input", &spread(record.request.get()), all)) }
        }
        section.group {
            h2 { "Output" }
            @match (&record.response, kept) {
                (Some(response), _) => (block("Output", &spread(response.get()), all)),
                (None, KeptPayload::Nothing) => p.note {
                    "Not kept: " code { "payload" } " in the " code { "[log]" } " table of config.toml is " code { "\"none\"" } "."
                },
                (None, _) => p.note { "It printed nothing." },
            }
        }
        section.group {
            h2 { "Stderr" }
            @if record.stderr.is_empty() { p.note { @if kept == KeptPayload::Nothing { "Not kept." } @else { "It wrote nothing." } } }
            @else { (block("Stderr", &record.stderr, all)) }
        }
    }
}

/// The way to the page where it can be tried again.
fn again(record: &Record) -> Markup {
    html! {
        @if boathook_engine::event::EventKind::named(&record.step).is_some() && record.kept_payload() == KeptPayload::Whole {
            p.buttons { a.button href={ "try?from=" (encoded(&record.id)) } { "Try this event again" } }
        }
    }
}

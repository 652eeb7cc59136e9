//! The log, newest first: every run of a hook, with filters, live.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use axum::response::Html;
use boathook_engine::event::EVENTS;
use boathook_engine::record::{Record, took};
use maud::{Markup, html};

use super::badge::{self, Tone, badge};
use super::feed::{Entry, Known};
use super::filter::{Filter, RESULTS, SPANS};
use super::layout::{self, Page};
use super::routes::Asked;
use super::text::{clock, encoded, grouped, line, plural, safe};
use super::{App, lock};

/// Rows of one page.
const ROWS: usize = 50;

pub fn page(app: &App, asked: &Asked) -> (StatusCode, Html<String>) {
    let known = lock(&app.feed).known();
    let filter = Filter::of(asked);
    let before: Option<u64> = asked.get("before").and_then(|number| number.parse().ok());
    let wanted = known.entries.iter().rev().filter(|entry| filter.takes(&entry.record));
    let total = wanted.clone().count();
    let in_reach = wanted.filter(|entry| before.is_none_or(|before| entry.number < before));
    let mut shown: Vec<Entry> = in_reach.take(ROWS + 1).cloned().collect();
    let more = shown.len() > ROWS;
    shown.truncate(ROWS);
    let query = filter.query();
    let live = before.is_none().then(|| format!("live?{query}"));
    let body = html! {
        (troubles(&known))
        (form(&filter, &known))
        div.status {
            p { (counted(&filter, total, known.entries.len())) }
            @if live.is_some() {
                // Without script there is nothing to switch.
                button.live #live type="button" hidden aria-pressed="true" { "Live" }
            } @else {
                a href={ "log?" (query) } { "Newest" }
            }
        }
        p.visually-hidden #news role="status" aria-live="polite" {}
        (table(&shown, live.as_deref(), known.last()))
        @if shown.is_empty() { (empty(&known, &filter)) }
        nav.pager aria-label="More runs" {
            @if before.is_some() { a href={ "log?" (query) } { "Newest" } }
            @if let (Some(oldest), true) = (shown.last(), more) {
                a rel="next" href={ "log?" (query) "before=" (oldest.number) } { "Older" }
            }
        }
    };
    (StatusCode::OK, layout::page(app, Page::Log, "Log", &body))
}

fn table(shown: &[Entry], live: Option<&str>, last: u64) -> Markup {
    html! {
        table.runs role="table" {
            caption.visually-hidden { "Runs of hooks, newest first" }
            thead role="rowgroup" {
                tr role="row" {
                    th scope="col" role="columnheader" { "Time" }
                    th scope="col" role="columnheader" { "Result" }
                    th scope="col" role="columnheader" { "Event" }
                    th scope="col" role="columnheader" { "Hook" }
                    th.number scope="col" role="columnheader" { "Took" }
                    th scope="col" role="columnheader" { "Agent" }
                }
            }
            tbody #runs role="rowgroup" data-live=[live] data-last=[live.map(|_| last)] {
                @for entry in shown { (row(&entry.record)) }
            }
        }
    }
}

/// Rows for a page that watches, newest first.
pub fn rows(entries: &[Entry]) -> Markup {
    html! { @for entry in entries.iter().rev() { (row(&entry.record)) } }
}

fn row(record: &Record) -> Markup {
    let hook = record.command.as_deref().unwrap_or_default();
    html! {
        tr role="row" {
            td.when role="cell" { (clock(&record.timestamp)) }
            td.result role="cell" {
                (badge::result(record))
                @if record.blocked && !is_refusal(record) { " " (badge(Tone::Bad, "event refused")) }
                @if record.automatic_followup { " " (badge(Tone::Quiet, "follow-up")) }
            }
            td.event role="cell" { (safe(&record.step)) }
            td.hook role="cell" {
                a href={ "run?id=" (encoded(&record.id)) } {
                    @if hook.is_empty() { (line(&told(record), 160)) } @else { code { (line(hook, 160)) } }
                }
                @if let Some(source) = &record.source { " " span.tag { (safe(source)) } }
                @if let (Some(reason), false) = (&record.reason, hook.is_empty()) { p.why { (line(reason, 240)) } }
            }
            td.number.took role="cell" { @if let Some(duration) = record.duration { (took(duration)) } }
            td.agent role="cell" { @if let Some(agent) = &record.agent { (safe(agent)) } }
        }
    }
}

/// What a row says that has no hook.
fn told(record: &Record) -> String {
    record.reason.clone().unwrap_or_else(|| record.found_words())
}

fn is_refusal(record: &Record) -> bool {
    badge::tone_of(record) == Tone::Bad
}

fn troubles(known: &Known) -> Markup {
    html! {
        @if let Some(trouble) = &known.trouble {
            div.alert.bad role="alert" { p { strong { "The log cannot be read. " } (safe(trouble)) } }
        }
        @if known.unreadable > 0 {
            p.note { (plural(known.unreadable, "line")) " of the log could not be read and " @if known.unreadable == 1 { "is" } @else { "are" } " left out." }
        }
    }
}

fn counted(filter: &Filter, total: usize, all: usize) -> String {
    if filter.is_empty() {
        plural(all, "run")
    } else {
        format!("{} of {}", grouped(total), plural(all, "run"))
    }
}

fn empty(known: &Known, filter: &Filter) -> Markup {
    html! {
        div.empty {
            @if known.entries.is_empty() {
                p { "Nothing has run yet. What hooks do appears here as it happens." }
                p { a href="try" { "Try an event" } " to see one." }
            } @else if filter.is_empty() {
                p { "There is nothing older." }
            } @else {
                p { "No run fits this filter." }
                p { a href="log" { "Show all runs" } }
            }
        }
    }
}

fn form(filter: &Filter, known: &Known) -> Markup {
    let events = EVENTS.iter().map(|spec| spec.name.to_owned());
    let seen = known.entries.iter().map(|entry| entry.record.step.clone());
    let events: BTreeSet<String> = events.chain(seen).collect();
    let agents: BTreeSet<String> =
        known.entries.iter().filter_map(|entry| entry.record.agent.clone()).collect();
    let sources: BTreeSet<String> =
        known.entries.iter().filter_map(|entry| entry.record.source.clone()).collect();
    let results: Vec<String> = RESULTS.iter().map(|result| (*result).to_owned()).collect();
    html! {
        form.filters method="get" action="log" role="search" aria-label="Filter the log" {
            (select("event", "Event", "any event", events.iter(), &filter.event))
            (select("result", "Result", "any result", results.iter(), &filter.result))
            label { span { "Hook" } input type="search" name="hook" value=(filter.hook) placeholder="command or file"; }
            (select("source", "Source", "any source", sources.iter(), &filter.source))
            (select("agent", "Agent", "any agent", agents.iter(), &filter.agent))
            label {
                span { "Since" }
                select name="since" {
                    option value="" { "ever" }
                    @for (name, words, _) in SPANS { option value=(name) selected[filter.since == name] { "the last " (words) } }
                }
            }
            label {
                span { "Only" }
                select name="only" {
                    option value="" { "everything" }
                    option value="failures" selected[filter.only == "failures"] { "failures" }
                    option value="blocked" selected[filter.only == "blocked"] { "refused events" }
                }
            }
            label { span { "Conversation" } input type="search" name="conversation" value=(filter.conversation) placeholder="its id"; }
            div.buttons {
                button type="submit" { "Filter" }
                @if !filter.is_empty() { a href="log" { "Clear" } }
            }
        }
    }
}

fn select<'a>(
    name: &str,
    label: &str,
    any: &str,
    values: impl Iterator<Item = &'a String>,
    chosen: &str,
) -> Markup {
    let mut values: Vec<&str> = values.map(String::as_str).collect();
    if !chosen.is_empty() && !values.contains(&chosen) {
        values.push(chosen);
    }
    html! {
        label {
            span { (label) }
            select name=(name) {
                option value="" { (any) }
                @for value in values { option value=(value) selected[value == chosen] { (safe(value)) } }
            }
        }
    }
}

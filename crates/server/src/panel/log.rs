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
use super::scope::Scope;
use super::text::{clock, encoded, grouped, line, plural, safe};
use super::{App, lock};

/// Rows of one page.
const ROWS: usize = 50;

pub fn page(app: &App, asked: &Asked) -> (StatusCode, Html<String>) {
    let known = lock(&app.feed).known();
    let filter = Filter::of(asked);
    let before: Option<u64> = asked.get("before").and_then(|number| number.parse().ok());
    let scope = Scope::of(app, asked);
    let here = known.entries.iter().filter(|entry| scope.takes(entry)).count();
    let fits = |entry: &&Entry| scope.takes(entry) && filter.takes(&entry.record);
    let wanted = known.entries.iter().rev().filter(fits);
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
            p { (counted(&filter, &scope, [total, here, known.entries.len()])) }
            @if live.is_some() {
                // Without script there is nothing to switch.
                button.live #live type="button" hidden aria-pressed="true" { "Live" }
            } @else {
                a href={ "log?" (query) } { "Newest" }
            }
        }
        p.visually-hidden #news role="status" aria-live="polite" {}
        div.alert.bad #ended role="alert" hidden {}
        (table(&shown, &scope, live.as_deref(), known.last()))
        @if shown.is_empty() { (empty(&known, &filter, here)) }
        nav.pager aria-label="More runs" {
            @if before.is_some() { a href={ "log?" (query) } { "Newest" } }
            @if let (Some(oldest), true) = (shown.last(), more) {
                a rel="next" href={ "log?" (query) "before=" (oldest.number) } { "Older" }
            }
        }
    };
    (StatusCode::OK, layout::page(app, Page::Log, "Log", &body))
}

fn table(shown: &[Entry], scope: &Scope, live: Option<&str>, last: u64) -> Markup {
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
                @for entry in shown { (row(entry, scope)) }
            }
        }
    }
}

/// Rows for a page that watches, newest first.
pub fn rows(entries: &[Entry], scope: &Scope) -> Markup {
    html! { @for entry in entries.iter().rev() { (row(entry, scope)) } }
}

fn row(entry: &Entry, scope: &Scope) -> Markup {
    let record = &entry.record;
    let hook = record.command.as_deref().unwrap_or_default();
    html! {
        tr role="row" {
            td.when role="cell" { (clock(&record.timestamp)) }
            td.result role="cell" {
                (badge::result(record))
                @if record.blocked && !is_refusal(record) { " " (refused(record)) }
                @if record.automatic_followup { " " (badge(Tone::Quiet, "follow-up")) }
            }
            td.event role="cell" { (safe(&record.step)) }
            td.hook role="cell" {
                a href={ "run?id=" (encoded(&record.id)) } {
                    @if hook.is_empty() { (line(&told(record), 160)) } @else { code { (line(hook, 160)) } }
                }
                @if let Some(source) = &record.source { " " span.tag { (safe(source)) } }
                @if let (Some(reason), false) = (&record.reason, hook.is_empty()) { p.why { (line(reason, 240)) } }
                (scope.note(entry))
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

/// An event was refused beside a hook that did not say so plainly: an answer may
/// have held it back all the same, anything else left that to another hook.
fn refused(record: &Record) -> Markup {
    match (record.outcome.as_str(), record.permission.as_deref()) {
        ("answer", None | Some("ask")) => badge(Tone::Bad, "event refused"),
        _ if record.command.is_none() => badge(Tone::Bad, "event refused"),
        _ => html! { span.note { "· the event was refused by another hook" } },
    }
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

/// How many fit the filter, how many there are here, and in the whole log.
fn counted(filter: &Filter, scope: &Scope, [total, here, known]: [usize; 3]) -> String {
    let all = scope.counted(here, known);
    if filter.is_empty() || total == here { all } else { format!("{} of {all}", grouped(total)) }
}

fn empty(known: &Known, filter: &Filter, here: usize) -> Markup {
    html! {
        div.empty {
            @if known.entries.is_empty() {
                p { "Nothing has run yet. What hooks do appears here as it happens." }
                p { a href="try" { "Try an event" } " to see one." }
            } @else if here == 0 {
                p { "Nothing has run in this workspace yet." }
                p { a href="log?workspace=all" { "Show the runs of all workspaces" } }
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
            label {
                span { "Workspace" }
                select name="workspace" {
                    option value="" { "this one" }
                    option value="all" selected[filter.workspace == "all"] { "all" }
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

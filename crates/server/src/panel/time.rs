//! What hooks cost: runs over time, how long each hook takes, and what part of
//! each session goes into hooks.

use axum::http::StatusCode;
use axum::response::Html;
use boathook_engine::record::took;
use maud::{Markup, html};

use super::chart::{self, meter};
use super::layout::{self, Page};
use super::routes::Asked;
use super::statistics::{Conversation, Hook, conversations, hooks};
use super::text::{encoded, grouped, line, plural, safe, span};
use super::{App, lock};

/// Rows of one table.
const MOST_ROWS: usize = 100;

pub fn page(app: &App, _: &Asked) -> (StatusCode, Html<String>) {
    let known = lock(&app.feed).known();
    let (hooks, conversations) = (hooks(&known.entries), conversations(&known.entries));
    let body = html! {
        p.lead { "How long hooks take and what they cost a session, from " (plural(known.entries.len(), "run")) " in the log." }
        @if hooks.is_empty() {
            div.empty { p { "No hook has run yet." } p { a href="try" { "Try an event" } } }
        } @else {
            section.group {
                h2 { "Runs over time" }
                div.scroll tabindex="0" role="region" aria-label="Runs over time" { (chart::timeline(&known.entries)) }
            }
            section.group {
                h2 { "Hooks" }
                div.scroll tabindex="0" role="region" aria-label="How long hooks take" { (chart::bars(&hooks)) }
                (of_hooks(&hooks))
            }
            (of_sessions(&conversations))
        }
    };
    (StatusCode::OK, layout::page(app, Page::Time, "Time", &body))
}

fn of_hooks(hooks: &[Hook]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Hooks and how long they take" {
            table {
                thead { tr {
                    th scope="col" { "Hook" } th.number scope="col" { "Runs" } th.number scope="col" { "Median" } th.number scope="col" { "95 %" }
                    th.number scope="col" { "Longest" } th.number scope="col" { "Failures" } th.number scope="col" { "In all" }
                } }
                tbody {
                    @for hook in hooks.iter().take(MOST_ROWS) {
                        tr {
                            th.wide scope="row" {
                                a href={ "log?hook=" (encoded(&hook.command)) } { code { (line(&hook.command, 120)) } }
                                " " span.tag { (safe(&hook.source)) }
                            }
                            td.number { (grouped(hook.runs)) }
                            td.number { (took(hook.median)) }
                            td.number { (took(hook.p95)) }
                            td.number { (took(hook.longest)) }
                            td.number { (grouped(hook.failures)) }
                            td.number { (took(hook.total)) }
                        }
                    }
                }
            }
        }
        @if hooks.len() > MOST_ROWS { p.note { (plural(hooks.len() - MOST_ROWS, "more hook")) " took less time." } }
    }
}

fn of_sessions(conversations: &[Conversation]) -> Markup {
    html! {
        section.group {
            h2 { "Sessions" }
            p.about { "Time in which at least one hook ran, against the time from a session's first event to the end of its last." }
            div.scroll tabindex="0" role="region" aria-label="What hooks cost sessions" {
                table {
                    thead { tr {
                        th scope="col" { "Session" } th.number scope="col" { "In hooks" } th.number scope="col" { "Lasted" }
                        th.number scope="col" { "Share" } th scope="col" { span.visually-hidden { "Share as a bar" } }
                    } }
                    tbody {
                        @for it in conversations.iter().take(MOST_ROWS) {
                            tr {
                                th scope="row" { a href={ "log?conversation=" (encoded(&it.id)) } { (line(&it.id, 40)) } }
                                td.number { (took(it.hook_time)) }
                                td.number { (span(it.span() as i64)) }
                                td.number { @match it.share() { Some(share) => { (format!("{:.1} %", share * 100.0)) }, None => "–" } }
                                td { @if let Some(share) = it.share() { (meter(share)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

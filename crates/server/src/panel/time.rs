//! What hooks cost: runs over time, how long each hook takes, and what part of
//! each session goes into hooks.

use axum::http::StatusCode;
use axum::response::Html;
use boathook_engine::record::took;
use maud::{Markup, html};

use super::chart::{self, meter};
use super::feed::Entry;
use super::layout::{self, Page};
use super::routes::Asked;
use super::scope::Scope;
use super::statistics::{Conversation, Hook, conversations, hooks};
use super::text::{encoded, grouped, line, plural, safe, span};
use super::{App, lock};

/// Rows of the table of hooks.
const MOST_ROWS: usize = 100;
/// Sessions that are shown here; the page of sessions has all.
const MOST_SESSIONS: usize = 20;

pub fn page(app: &App, asked: &Asked) -> (StatusCode, Html<String>) {
    let known = lock(&app.feed).known();
    let scope = Scope::of(app, asked);
    let entries = scope.of_entries(&known.entries);
    let hooks = hooks(&entries);
    let get = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    let chosen =
        hooks.iter().find(|it| [&*it.command, &*it.source, &*it.file] == ["hook", "source", "file"].map(get));
    let all: Vec<&Entry> = entries.iter().collect();
    let body = html! {
        p.lead { "How long hooks take and what they cost a session, from " (scope.counted(entries.len(), known.entries.len())) " in the log." }
        (scope.switch("time"))
        @if let Some(hook) = chosen { (one_hook(hook, &entries, &scope)) }
        @if hooks.is_empty() {
            div.empty { p { "No hook has run yet." } p { a href="try" { "Try an event" } } }
        } @else {
            section.group {
                h2 { "Runs over time" }
                div.scroll tabindex="0" role="region" aria-label="Runs over time" { (chart::timeline(&all)) }
            }
            section.group {
                h2 { "Hooks" }
                div.scroll tabindex="0" role="region" aria-label="How long hooks take" { (chart::bars(&hooks)) }
                p.about { "Choose a hook to see its own runs over time." }
                (of_hooks(&hooks, chosen, &scope))
            }
            (of_sessions(&entries, &scope))
        }
    };
    (StatusCode::OK, layout::page(app, Page::Time, "Time", &body))
}

/// One hook by itself: when it ran, how long it took, what came of it.
fn one_hook(hook: &Hook, entries: &[Entry], scope: &Scope) -> Markup {
    let runs: Vec<&Entry> = entries.iter().filter(|entry| hook.ran(&entry.record)).collect();
    let number = |name: &'static str, value: String| html! { div { dt { (name) } dd.number { (value) } } };
    html! {
        section.group #hook {
            h2 { "Runs of " code { (line(&hook.command, 120)) } }
            p.facts { span.tag { (safe(&hook.source)) } " " span.path { (safe(&hook.file)) } }
            div.scroll tabindex="0" role="region" aria-label="Runs of this hook over time" { (chart::timeline(&runs)) }
            div.scroll tabindex="0" role="region" aria-label="How long this hook takes" { (chart::bars(std::slice::from_ref(hook))) }
            dl.facts {
                (number("runs", grouped(hook.runs))) (number("median", took(hook.median))) (number("95 %", took(hook.p95)))
                (number("longest", took(hook.longest))) (number("failures", grouped(hook.failures))) (number("in all", took(hook.total)))
            }
            p.buttons {
                a href={ "log?hook=" (encoded(&hook.command)) (scope.link()) } { "Its runs in the log" }
                a href={ "time?" (scope.link().trim_start_matches('&')) } { "All hooks" }
            }
        }
    }
}

fn of_hooks(hooks: &[Hook], chosen: Option<&Hook>, scope: &Scope) -> Markup {
    let has_twin = |hook: &Hook| hooks.iter().filter(|it| it.command == hook.command).count() > 1;
    html! {
        div.scroll tabindex="0" role="region" aria-label="Hooks and how long they take" {
            table {
                thead { tr {
                    th scope="col" { "Hook" } th.number scope="col" { "Runs" } th.number scope="col" { "Median" } th.number scope="col" { "95 %" }
                    th.number scope="col" { "Longest" } th.number scope="col" { "Failures" } th.number scope="col" { "In all" }
                } }
                tbody {
                    @for hook in hooks.iter().take(MOST_ROWS) {
                        tr.chosen[chosen == Some(hook)] {
                            th.wide scope="row" {
                                @let own = format!("time?hook={}&source={}&file={}{}#hook", encoded(&hook.command), encoded(&hook.source), encoded(&hook.file), scope.link());
                                a href=(own) { code { (line(&hook.command, 120)) } }
                                " " span.tag { (safe(&hook.source)) }
                                @if has_twin(hook) { p.note { span.path { (safe(&hook.file)) } } }
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

fn of_sessions(entries: &[Entry], scope: &Scope) -> Markup {
    let (conversations, without) = conversations(entries);
    let all_of_them = if scope.all { "sessions?workspace=all" } else { "sessions" };
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
                        @for it in conversations.iter().take(MOST_SESSIONS) {
                            tr {
                                th scope="row" { a href={ "log?conversation=" (encoded(&it.id)) (scope.link()) } { (line(&it.id, 40)) } }
                                (cost(it))
                            }
                        }
                        @if let Some(it) = &without {
                            tr {
                                th scope="row" { "without a conversation" }
                                td.number { (took(it.hook_time)) } td.number { "–" } td.number { "–" } td {}
                            }
                        }
                    }
                }
            }
            @if conversations.len() > MOST_SESSIONS {
                p.note { "The latest " (MOST_SESSIONS) " of " (plural(conversations.len(), "session")) ". " a href=(all_of_them) { "All on Sessions" } }
            }
        }
    }
}

fn cost(it: &Conversation) -> Markup {
    html! {
        td.number { (took(it.hook_time)) }
        td.number { (span(it.span() as i64)) }
        td.number { @match it.share() { Some(share) => { (format!("{:.1} %", share * 100.0)) }, None => "–" } }
        td { @if let Some(share) = it.share() { (meter(share)) } }
    }
}

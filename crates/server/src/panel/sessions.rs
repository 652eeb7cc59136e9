//! Conversations that the log or the state knows: their events, the follow-ups
//! of the stop loop, and the names of what their sessions keep.

use std::collections::HashSet;

use axum::http::StatusCode;
use axum::response::Html;
use boathook_engine::session::Session;
use boathook_engine::sessions::Sessions;
use boathook_engine::state::StateDir;
use maud::{Markup, html};

use super::badge::{Tone, badge};
use super::layout::{self, Page};
use super::routes::Asked;
use super::scope::Scope;
use super::statistics::{Conversation, Followup, conversations};
use super::text::{ago, clock, encoded, line, plural, safe, span};
use super::{App, lock};

/// Sessions of one page.
const MOST: usize = 50;
/// Follow-ups of one session that are shown.
const MOST_FOLLOWUPS: usize = 20;

pub fn page(app: &App, asked: &Asked) -> (StatusCode, Html<String>) {
    let known = lock(&app.feed).known();
    let scope = Scope::of(app, asked);
    let (all, without) = conversations(&scope.of_entries(&known.entries));
    let sessions = Sessions::of(StateDir::new(app.settings.roots.state.clone()));
    let from: usize = asked.get("from").and_then(|number| number.parse().ok()).unwrap_or(0);
    let shown: Vec<&Conversation> = all.iter().skip(from).take(MOST).collect();
    let named = known.entries.iter().filter_map(|entry| entry.record.conversation.as_deref());
    let logged: HashSet<String> =
        named.collect::<HashSet<&str>>().into_iter().map(Sessions::file_of).collect();
    let kept: Vec<(String, Session)> =
        sessions.kept().into_iter().filter(|(name, _)| !logged.contains(name)).collect();
    let body = html! {
        p.lead {
            (plural(all.len(), "conversation")) " in the log. A session keeps the variables that sessionStart hooks set, "
            "and counts the follow-ups that stop hooks send by themselves."
        }
        (scope.switch("sessions"))
        @if all.is_empty() && kept.is_empty() {
            div.empty { p { "No conversation has been seen yet." } }
        }
        @for it in &shown { (one(it, &sessions.read(&it.id), &scope)) }
        @if let (Some(without), 0) = (&without, from) { (outside(without, &scope)) }
        nav.pager aria-label="More sessions" {
            @if from > 0 { a href={ "sessions?" (scope.link().trim_start_matches('&')) } { "Newest" } }
            @if all.len() > from + MOST { a rel="next" href={ "sessions?from=" (from + MOST) (scope.link()) } { "Older" } }
        }
        (only_kept(&kept))
    };
    (StatusCode::OK, layout::page(app, Page::Sessions, "Sessions", &body))
}

/// Events that named no conversation, all together.
fn outside(it: &Conversation, scope: &Scope) -> Markup {
    html! {
        section.panel {
            h2 { "Without a conversation" }
            p.facts { "Events that named none, such as those that were tried by hand. The last was " (ago(it.last)) "." }
            dl.facts { div { dt { "runs of hooks" } dd.number { (it.runs) } } }
            ul.events {
                @for (event, count) in &it.events {
                    li { a href={ "log?event=" (encoded(event)) (scope.link()) } { (safe(event)) } " " span.count { (count) } }
                }
            }
        }
    }
}

fn one(it: &Conversation, (session, trouble): &(Session, Option<String>), scope: &Scope) -> Markup {
    html! {
        section.panel {
            h2 { a href={ "log?conversation=" (encoded(&it.id)) (scope.link()) } { (line(&it.id, 64)) } }
            p.facts {
                (ago(it.last)) @if let Some(agent) = &it.agent { " " span.tag { (safe(agent)) } }
                @if it.refused > 0 { " " (badge(Tone::Bad, &format!("{} refused", plural(it.refused, "event")))) }
                @if it.failures > 0 { " " (badge(Tone::Warn, &plural(it.failures, "failure"))) }
                @if session.loops > 0 { " " (badge(Tone::Quiet, &format!("{} in a row", plural(session.loops as usize, "follow-up")))) }
            }
            @if scope.all && !it.workspaces.is_empty() {
                p.note.workspace { "in " @for (index, name) in it.workspaces.iter().enumerate() { @if index > 0 { ", " } span.path { (safe(name)) } } }
            }
            dl.facts {
                div { dt { "lasted" } dd.number { (span(it.span() as i64)) } }
                div { dt { "runs of hooks" } dd.number { (it.runs) } }
                @if let Some(share) = it.share() { div { dt { "time in hooks" } dd.number { (format!("{:.1} %", share * 100.0)) } } }
                @for (subagent, count) in &session.subagent_loops {
                    div { dt { "follow-ups of " (line(subagent, 30)) } dd.number { (count) } }
                }
                div { dt { "variables" } dd { (names(session)) } }
            }
            ul.events {
                @for (event, count) in &it.events {
                    @let runs = format!("log?conversation={}&event={}{}", encoded(&it.id), encoded(event), scope.link());
                    li { a href=(runs) { (safe(event)) } " " span.count { (count) } }
                }
            }
            @if let Some(trouble) = trouble { p.why { (safe(trouble)) } }
            @if !it.followups.is_empty() {
                details {
                    summary { (plural(it.followups.len(), "follow-up")) " sent by itself" }
                    ol { @for followup in it.followups.iter().rev().take(MOST_FOLLOWUPS) { (message(followup)) } }
                }
            }
        }
    }
}

/// Names alone: values may be secrets.
fn names(session: &Session) -> Markup {
    html! {
        @if session.env.is_empty() { "none" }
        @for (index, variable) in session.env.iter().enumerate() {
            @if index > 0 { ", " }
            code { (safe(&variable.name)) } " (" (variable.level.name()) ")"
        }
    }
}

fn message(followup: &Followup) -> Markup {
    html! {
        li {
            a href={ "run?id=" (encoded(&followup.id)) } { (clock(&followup.timestamp)) } " " (safe(&followup.event)) ": "
            @match &followup.message { Some(message) => (line(message, 300)), None => span.dim { "its text was not kept" } }
        }
    }
}

/// Sessions whose runs have left the log.
fn only_kept(kept: &[(String, Session)]) -> Markup {
    html! {
        @if !kept.is_empty() {
            section.group {
                h2 { "Kept, and no longer in the log" }
                div.scroll tabindex="0" role="region" aria-label="Sessions that are no longer in the log" {
                    table {
                        thead { tr { th scope="col" { "File" } th.number scope="col" { "Follow-ups" } th scope="col" { "Variables" } } }
                        tbody {
                            @for (name, session) in kept.iter().take(MOST) {
                                tr { th scope="row" { span.path { (safe(name)) } } td.number { (session.loops) } td { (names(session)) } }
                            }
                        }
                    }
                }
                @if kept.len() > MOST { p.note { (plural(kept.len() - MOST, "more session")) " " @if kept.len() - MOST == 1 { "is" } @else { "are" } " kept." } }
            }
        }
    }
}

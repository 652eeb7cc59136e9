//! Every configured hook by event or by source, and every source that was
//! looked for, also those that are absent or broken.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Html;
use boathook_engine::definition::{Action, Definition, Lifetime};
use boathook_engine::engine::{Standing, is_of};
use boathook_engine::event::EVENTS;
use boathook_engine::load::{Hook, HookSet, SourceReport, SourceState, repeats};
use boathook_engine::problem::Problem;
use boathook_engine::trust::TrustState;
use maud::{Markup, html};

use super::App;
use super::badge::{self, Tone, badge};
use super::layout::{self, Page};
use super::routes::Asked;
use super::text::{command, encoded, path, place, plural, prose, safe};

pub fn page(app: &App, asked: &Asked) -> (StatusCode, Html<String>) {
    let set = app.hooks();
    let by_source = asked.get("by").is_some_and(|by| by == "source");
    let view = View { app, repeats: repeats(&set), problems: app.problems(), set: &set };
    let body = html! {
        p.lead {
            "What runs when an agent reaches one of its events. "
            (plural(set.hooks.len(), "hook")) " in " (plural(read(&set), "file")) "."
        }
        nav.switch aria-label="Sorting" {
            a href="./" aria-current=[(!by_source).then_some("true")] { "By event" }
            a href="./?by=source" aria-current=[by_source.then_some("true")] { "By source" }
        }
        @if set.hooks.is_empty() { (none_yet()) }
        @if by_source { (view.by_source()) } @else { (view.by_event()) }
        (sources(&view))
    };
    (StatusCode::OK, layout::page(app, Page::Hooks, "Hooks", &body))
}

struct View<'a> {
    app: &'a App,
    set: &'a HookSet,
    repeats: HashMap<&'a str, &'static str>,
    problems: Arc<Vec<Problem>>,
}

impl View<'_> {
    fn by_event(&self) -> Markup {
        let events = EVENTS.iter().map(|spec| {
            let of_event = self.set.hooks.iter().filter(|hook| hook.definition.event == spec.kind);
            (spec, of_event.collect::<Vec<_>>())
        });
        html! {
            @for (spec, hooks) in events.filter(|(_, hooks)| !hooks.is_empty()) {
                section.group {
                    h2 { (spec.name) " " span.count { (hooks.len()) } }
                    p.about { (spec.about) @if spec.kind.can_block() { " " span.tag { "gate" } } }
                    ul.hooks { @for hook in hooks { (self.hook(hook, true)) } }
                }
            }
        }
    }

    fn by_source(&self) -> Markup {
        let sources = self.set.sources.iter().map(|report| {
            let of_source = self.set.hooks.iter().filter(|hook| hook.source == report.source);
            (report, of_source.collect::<Vec<_>>())
        });
        html! {
            @for (report, hooks) in sources.filter(|(_, hooks)| !hooks.is_empty()) {
                section.group {
                    h2 { (report.source.level.name()) " " span.count { (hooks.len()) } }
                    p.about { (path(&report.source.file)) " " (badge::source(report)) " " (trust_of(report)) }
                    ul.hooks { @for hook in hooks { (self.hook(hook, false)) } }
                }
            }
        }
    }

    fn hook(&self, hook: &Hook, in_event: bool) -> Markup {
        let standing = self.app.standing(self.set, hook, &self.problems);
        let definition = &hook.definition;
        html! {
            li {
                div.state { (badge::standing(&standing)) }
                div.what {
                    (what(definition))
                    p.facts {
                        @if in_event { span.tag { (hook.source.level.name()) } } @else { span.tag { (definition.event.name()) } }
                        " "
                        (place(&hook.source.file, definition.place.as_ref().map(|place| place.line)))
                        @if hook.source.needs_trust() && standing == Standing::Ready { " " (badge(Tone::Good, "trusted")) }
                    }
                    dl.facts { (options(hook)) }
                    @if let Some(reason) = standing.reason() {
                        p.why { (prose(reason))
                            @match standing {
                                Standing::Withheld(_) => { " " a href="trust" { "Look at it" } }
                                Standing::Broken(_) => { " " a href="problems" { "Problems" } }
                                Standing::Ready | Standing::NoModel(_) => {}
                            }
                        }
                    }
                    @if let Some(words) = self.repeats.get(hook.id.as_str()) {
                        p.why { (badge(Tone::Warn, "duplicate")) " " (*words) }
                    }
                    @for problem in self.problems_of(hook).filter(|it| standing.reason() != Some(it.message.as_str())) {
                        p.why { (badge::severity(problem.severity)) " " (prose(&problem.message)) " " a href="problems" { "Problems" } }
                    }
                }
                div.links { a href={ "log?hook=" (encoded(definition.label())) } { "Runs" span.visually-hidden { " of " (safe(definition.label())) } } }
            }
        }
    }
}

impl View<'_> {
    /// What is wrong with its entry, beside what its state and its twin say.
    fn problems_of<'h>(&'h self, hook: &'h Hook) -> impl Iterator<Item = &'h Problem> {
        const SAID: [&str; 5] =
            ["duplicate-hook", "no-model", "untrusted", "trust-changed", "duplicate-in-claude-file"];
        self.problems.iter().filter(move |problem| is_of(problem, hook) && !SAID.contains(&problem.code))
    }
}

/// What a hook does.
pub fn what(definition: &Definition) -> Markup {
    match &definition.action {
        Action::Command(_) => command(&definition.command_line()),
        Action::Prompt { prompt, model } => html! {
            span.tag { "asks a model" @if let Some(model) = model { ": " (safe(model)) } } " " (command(prompt))
        },
        Action::Rule(rule) => html! {
            span.tag { "rule, no process" } " " (command(rule.label()))
            @if let Some(summary) = rule.summary() { p.about { (safe(&summary)) } }
        },
        Action::Broken { text, .. } => command(text),
    }
}

/// What its entry says beside that.
fn options(hook: &Hook) -> Markup {
    let definition = &hook.definition;
    html! {
        @if !definition.matcher.is_everything() {
            div { dt { "matcher" } dd { code { (safe(definition.matcher.pattern())) } } }
        }
        div { dt { "timeout" } dd.number { (definition.timeout.as_secs_f64()) " s" } }
        @if definition.event.can_block() {
            div { dt { "a failure" } dd { @if definition.fail_closed { "blocks (failClosed)" } @else { "lets it through" } } }
        }
        @match definition.lifetime {
            Lifetime::Event => {},
            Lifetime::Ahead => { div { dt { "process" } dd { "started ahead (prestart)" } } }
            Lifetime::Stays => { div { dt { "process" } dd { "stays (persistent)" } } }
        }
        @if definition.event.loops() {
            div { dt { "loop limit" } dd.number { @match definition.loop_limit { Some(limit) => (limit), None => "none" } } }
        }
        @if definition.dialect.claude().is_some() {
            div { dt { "reads" } dd { "Claude Code's payload" } }
        }
    }
}

fn sources(view: &View<'_>) -> Markup {
    let count =
        |report: &SourceReport| view.set.hooks.iter().filter(|hook| hook.source == report.source).count();
    html! {
        section.group {
            h2 { "Sources" }
            p.about { "Every file that was looked for, highest priority first. A broken one never disables another." }
            div.scroll tabindex="0" role="region" aria-label="Sources" {
                table.sources role="table" {
                    thead role="rowgroup" { tr role="row" {
                        th scope="col" role="columnheader" { "Source" } th scope="col" role="columnheader" { "State" }
                        th.number scope="col" role="columnheader" { "Hooks" }
                        th scope="col" role="columnheader" { "Trust" } th scope="col" role="columnheader" { "File" }
                    } }
                    tbody role="rowgroup" {
                        @for report in &view.set.sources {
                            tr.absent[report.state == SourceState::Absent] role="row" {
                                th scope="row" role="rowheader" { (report.source.level.name()) }
                                td.state role="cell" { (badge::source(report)) }
                                td.number role="cell" { (count(report)) span.only-narrow { " " @if count(report) == 1 { "hook" } @else { "hooks" } } }
                                td.trust role="cell" { (trust_of(report)) }
                                td.file role="cell" { (path(&report.source.file)) (trouble(&report.state)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn trust_of(report: &SourceReport) -> Markup {
    html! {
        @match report.trust.as_deref() {
            _ if report.state == SourceState::Absent => {},
            Some(state @ TrustState::Trusted) => (badge::trust(state)),
            Some(state) => { a href="trust" { (badge::trust(state)) } }
            None => span.dim { "not asked" },
        }
    }
}

fn trouble(state: &SourceState) -> Markup {
    html! {
        @match state {
            SourceState::LastGood(problem) | SourceState::Unreadable(problem) => p.why { (safe(problem)) },
            SourceState::Absent | SourceState::Read => {},
        }
    }
}

fn none_yet() -> Markup {
    html! {
        div.empty {
            p { "No hooks are configured." }
            p { code { "boathook init" } " writes a first one; " code { "boathook new EVENT" } " writes one for an event." }
        }
    }
}

fn read(set: &HookSet) -> usize {
    set.sources.iter().filter(|report| set.hooks.iter().any(|hook| hook.source == report.source)).count()
}

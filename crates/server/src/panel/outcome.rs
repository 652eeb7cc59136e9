//! What an event would start, and what came of one that was run.

use boathook_engine::decision::{Decision, HookOutcome, HookReport};
use boathook_engine::engine::{Explanation, Standing};
use boathook_engine::load::Hook;
use boathook_engine::outcome::Failure;
use boathook_engine::payload::spread;
use boathook_engine::plan::{Plan, Step, Work};
use boathook_engine::problem::Problem;
use boathook_engine::record::{permission_word, took};
use boathook_engine::run::how_it_starts;
use maud::{Markup, html};

use super::App;
use super::badge::{Tone, badge};
use super::hooks::what;
use super::text::{block, command, place, plural, prose, safe};

/// What would run, and why the rest would not.
pub fn explained(app: &App, explanation: &Explanation) -> Markup {
    let plan = explanation.plan();
    let problems = app.problems();
    let steps: Vec<(&Step<'_>, Option<String>)> =
        plan.steps.iter().map(|step| (step, flaw(app, explanation, step, &problems))).collect();
    html! {
        div.panel {
            h2 { "What would run" }
            p { (in_numbers(explanation, &plan, &steps)) " Nothing was started." }
            @if !steps.is_empty() {
                ol.cards { @for (step, flaw) in &steps { (would(step, flaw.as_deref(), explanation)) } }
            }
            (would_not(explanation, &plan))
            details {
                summary { "The payload that hooks would read" }
                (block("The payload that hooks would read", &spread(&String::from_utf8_lossy(&plan.line)), None))
            }
        }
    }
}

/// Why a hook that may run would fail each time, as far as can be seen before.
fn flaw(app: &App, explanation: &Explanation, step: &Step<'_>, problems: &[Problem]) -> Option<String> {
    match &step.work {
        Work::Run(_) => match app.standing(&explanation.hooks, step.hook, problems) {
            Standing::Broken(reason) => Some(reason),
            Standing::Ready | Standing::Withheld(_) | Standing::NoModel(_) => None,
        },
        Work::Fail { failure: Failure::Withheld(_), .. } => None,
        Work::Fail { failure, .. } => Some(format!("it {failure}")),
        Work::Ask(_) | Work::Said(_) => None,
    }
}

/// How many would run, and how many would not and why.
fn in_numbers(explanation: &Explanation, plan: &Plan<'_>, steps: &[(&Step<'_>, Option<String>)]) -> String {
    let held = plan.steps.iter().filter(|step| is_withheld(&step.work)).count();
    let failing = steps.iter().filter(|(_, flaw)| flaw.is_some()).count();
    let withheld = held + plan.skipped.iter().filter(|skipped| skipped.why.is_withheld()).count();
    let other = plan.skipped.len() + held - withheld;
    let running = plan.steps.len() - held - failing;
    let mut words = format!("{} of {} would run", plural(running, "hook"), explanation.event.kind.name());
    for (count, what) in [(failing, "would fail"), (withheld, "withheld"), (other, "skipped")] {
        if count > 0 {
            words.push_str(&format!(", {count} {what}"));
        }
    }
    words + "."
}

/// One that may not run, on an event that its silence refuses.
fn is_withheld(work: &Work) -> bool {
    matches!(work, Work::Fail { failure: Failure::Withheld(_), .. })
}

fn would(step: &Step<'_>, flaw: Option<&str>, explanation: &Explanation) -> Markup {
    let definition = &step.hook.definition;
    html! {
        li {
            div.state { @if flaw.is_some() { (badge(Tone::Bad, "would fail")) } @else { (how(&step.work)) } }
            div.what {
                (what(definition))
                (origin(step.hook))
                @if let Some(flaw) = flaw { p.why { (prose(flaw)) } }
                dl.facts {
                    @match &step.work {
                        Work::Run(invocation) => {
                            div { dt { "starts as" } dd { code { (safe(&how_it_starts(invocation))) } } }
                            div { dt { "in" } dd { span.path { (safe(&invocation.run_dir.to_string_lossy())) } } }
                        }
                        Work::Ask(question) => {
                            div { dt { "model" } dd { (safe(&explanation.would_ask(question.model.as_deref()).unwrap_or_else(|failure| failure))) } }
                        }
                        Work::Said(said) => { @for warning in &said.warnings { div { dt { "because" } dd { (prose(warning)) } } } }
                        Work::Fail { failure, .. } => {
                            @if flaw.is_none() { div { dt { "fails" } dd { "it " (prose(&failure.to_string())) } } }
                        }
                    }
                    div { dt { "timeout" } dd.number { (definition.timeout.as_secs_f64()) " s" } }
                    @if let Some(about) = definition.lifetime.about() { div { dt { "process" } dd { (about) } } }
                    @if definition.fail_closed { div { dt { "a failure" } dd { "blocks (failClosed)" } } }
                }
            }
        }
    }
}

/// Which source it is of, and its line there.
fn origin(hook: &Hook) -> Markup {
    let line = hook.definition.place.as_ref().map(|place| place.line);
    html! { p.facts { span.tag { (hook.source.level.name()) } " " (place(&hook.source.file, line)) } }
}

fn how(work: &Work) -> Markup {
    match work {
        Work::Run(_) => badge(Tone::Good, "would run"),
        Work::Ask(_) => badge(Tone::Good, "would be asked"),
        Work::Said(_) => badge(Tone::Good, "applies"),
        Work::Fail { failure: Failure::Withheld(_), .. } => badge(Tone::Warn, "withheld"),
        Work::Fail { .. } => badge(Tone::Bad, "would fail"),
    }
}

fn would_not(explanation: &Explanation, plan: &Plan<'_>) -> Markup {
    html! {
        @if !plan.skipped.is_empty() {
            h3 { "Would not run" }
            ul.cards {
                @for skipped in &plan.skipped {
                    li {
                        div.state { @if skipped.why.is_withheld() { (badge(Tone::Warn, "withheld")) } @else { (badge(Tone::Quiet, "skipped")) } }
                        div.what {
                            (what(&skipped.hook.definition))
                            (origin(skipped.hook))
                            p.why { (prose(&explanation.because(plan, skipped))) }
                        }
                    }
                }
            }
        }
    }
}

/// What was decided, what each hook came to, and the answer an agent would read.
pub fn decided(decision: &Decision) -> Markup {
    let (tone, word) = headline(decision);
    html! {
        div.panel {
            h2 { "What was decided" }
            div class={ "alert " (tone.class()) } role="status" {
                p { strong { (word) } @if let Some(code) = decision.code() { " " span.tag { (code) } } }
                @if let Some(message) = &decision.user_message { p.said { (safe(message)) } }
            }
            @if !decision.hooks.is_empty() {
                h3 { "Hooks" }
                ol.cards { @for report in &decision.hooks { (one(report)) } }
            } @else {
                p { "No hook ran." }
            }
            @if !decision.skips.is_empty() {
                h3 { "Did not run" }
                ul.cards { @for report in &decision.skips.reports() { (one(report)) } }
            }
            @if !decision.warnings.is_empty() {
                h3 { "Warnings" }
                ul { @for warning in &decision.warnings { li { (prose(warning)) } } }
            }
            h3 { "Answer line" }
            (block("Answer line", &decision.answer_line(), None))
            @if let Some(text) = &decision.model_text {
                h3 { "What the model is told" }
                (block("What the model is told", text, None))
            }
            p.note { "The runs are in the " a href="log" { "log" } "." }
        }
    }
}

fn headline(decision: &Decision) -> (Tone, &'static str) {
    match decision.permission.map(|permission| permission.name()) {
        _ if decision.blocked => (Tone::Bad, "Refused"),
        Some("ask") => (Tone::Warn, "The user is asked"),
        Some("allow") => (Tone::Good, "Allowed"),
        _ if decision.hooks.iter().any(|report| report.outcome == HookOutcome::FailedOpen) => {
            (Tone::Warn, "Goes on, though a hook failed")
        }
        _ => (Tone::Quiet, "Goes on: no hook objected"),
    }
}

fn one(report: &HookReport) -> Markup {
    let (tone, word) = match report.outcome {
        HookOutcome::Answer => match report.permission {
            Some("deny") => (Tone::Bad, permission_word(report.permission)),
            Some("ask") => (Tone::Warn, permission_word(report.permission)),
            _ => (Tone::Good, permission_word(report.permission)),
        },
        HookOutcome::NoOpinion => (Tone::Quiet, "no opinion"),
        HookOutcome::FailedOpen => (Tone::Warn, "failed open"),
        HookOutcome::FailedClosed => (Tone::Bad, "failed closed"),
        HookOutcome::Withheld => (Tone::Warn, "withheld"),
        HookOutcome::Skipped => (Tone::Quiet, "skipped"),
    };
    html! {
        li {
            div.state { (badge(tone, word)) }
            div.what {
                (command(&report.command))
                p.facts { span.tag { (report.source) } " " (place(report.file.as_ref(), report.line)) }
                dl.facts {
                    @if let Some(duration) = report.duration_ms { div { dt { "took" } dd.number { (took(duration)) } } }
                    @if let Some(code) = report.exit_code { div { dt { "exit code" } dd.number { (code) } } }
                    @if report.runs > 1 { div { dt { "asked" } dd.number { (report.runs) " times" } } }
                }
                @if let Some(reason) = &report.reason { p.why { (prose(reason)) } }
                @for lost in report.lost.iter().chain(&report.warnings) { p.note { (prose(lost)) } }
            }
        }
    }
}

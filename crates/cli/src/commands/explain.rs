//! `boathook explain`: what would run, and why the rest would not.

use std::sync::Arc;

use crate::report::path_text;
use boathook_engine::definition::Action;
use boathook_engine::dialect::claude::Shape;
use boathook_engine::engine::{Engine, Explanation, Standing};
use boathook_engine::event::{Call, EventKind};
use boathook_engine::load::{Hook, TrustMode};
use boathook_engine::outcome::{Outcome, ReadOutcome};
use boathook_engine::plan::{Plan, Skipped, Step, Work};
use boathook_engine::problem;
use boathook_engine::rule::Look;
use boathook_engine::rule::declared::answer_line;
use boathook_engine::run::how_it_starts;
use boathook_engine::self_protection::{NAME, SelfProtection};
use serde_json::{Value, json};

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::on_machine::OnMachine;
use crate::payload_args::PayloadArgs;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::{Style, Ui};

/// Show what would run for an event, and why every other hook would not
///
/// Takes the same payload as `boathook run`: one JSON object on stdin, or
/// `--field`s, or both. Runs nothing.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    payload: PayloadArgs,
    /// As if the workspace were trusted
    #[arg(long)]
    trust: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn explain(ui: &mut Ui, global: &Global, args: &ExplainArgs) -> Result<Status, Failed> {
    let event = args.payload.read()?;
    args.payload.tell_slips(ui);
    let roots = event.payload.texts("workspace_roots").unwrap_or_default();
    let mut settings = settings(ui, global, &roots)?;
    if args.trust {
        settings.trust = TrustMode::Once;
    }
    let one_at_a_time = settings.edition.rules().one_at_a_time;
    let found = OnMachine::look(&settings);
    let built_in = settings
        .self_protection
        .clone()
        .map(|files| SelfProtection::new(settings.roots.clone(), files, Arc::clone(&found.set)));
    let explanation = Engine::new(settings).explain(event);
    let plan = explanation.plan();
    if args.json {
        let mut json = as_json(&plan, &explanation, &found);
        json["built_in"] = built_in_json(built_in.as_ref(), &explanation);
        ui.json(&json.to_string());
        return Ok(Status::Success);
    }
    report::whole_sources(ui, &explanation.hooks, &mut Texts::default());
    let failures: Vec<Option<String>> =
        plan.steps.iter().map(|step| failure(step, &explanation, &found)).collect();
    let name = explanation.event.kind.name();
    let numbers = in_numbers(&plan, failures.iter().flatten().count(), one_at_a_time);
    ui.line(&format!("{name}: {numbers}"));
    if let Some(problems) = problem::summary(&explanation.hooks.problems).filter(|_| plan.steps.is_empty()) {
        ui.line(&problems);
    }
    for (number, (step, failure)) in plan.steps.iter().zip(&failures).enumerate() {
        ui.line("");
        step_lines(ui, number + 1, step, &explanation, failure.as_deref());
    }
    if !plan.skipped.is_empty() {
        ui.line("");
        ui.line("Would not run:");
    }
    for skipped in &plan.skipped {
        skipped_lines(ui, skipped, &explanation.because(&plan, skipped));
    }
    built_in_line(ui, built_in.as_ref(), &explanation);
    for hook in asked_as_tool(&explanation) {
        let (label, event) = (hook.definition.label(), hook.definition.event.name());
        ui.hint(&format!(
            "`{label}` ({}) runs on {event}, where Claude Code's hooks see this call",
            place(hook)
        ));
    }
    Ok(Status::Success)
}

/// What self-protection says to this event when an agent calls. It has no part in `boathook run`.
fn built_in_says(rule: Option<&SelfProtection>, explanation: &Explanation) -> Option<String> {
    let rule = rule.filter(|_| explanation.event.kind == EventKind::PreToolUse)?;
    let touched = rule.touched(&Look::new(&explanation.event, &|_| None))?;
    Some(format!("it would change {} ({})", touched.what, touched.place))
}

fn built_in_line(ui: &mut Ui, rule: Option<&SelfProtection>, explanation: &Explanation) {
    if let Some(says) = built_in_says(rule, explanation) {
        ui.line("");
        ui.line(&format!("When an agent makes this call, built-in {NAME} asks: {says}"));
    }
}

fn built_in_json(rule: Option<&SelfProtection>, explanation: &Explanation) -> Value {
    let says = built_in_says(rule, explanation);
    json!([{ "name": NAME, "enabled": rule.is_some(), "asks": says.is_some(), "because": says }])
}

/// Claude Code knows one event for every tool: its hooks about commands and
/// reads are asked there, and not on the events that the product has for those.
fn asked_as_tool(explanation: &Explanation) -> Vec<&Hook> {
    let tool = match explanation.event.kind.spec().call {
        Call::Shell => "Bash",
        Call::Read => "Read",
        Call::None | Call::Tool | Call::Edit | Call::Prompt | Call::Stop => return Vec::new(),
    };
    let sees_it = |hook: &&Hook| {
        let everything = hook.definition.matcher.is_everything();
        let fits =
            hook.definition.dialect.claude().is_some_and(|claude| {
                claude.matcher.as_ref().map_or(everything, |matcher| matcher.fits(tool))
            });
        fits && hook.definition.event.spec().call == Call::Tool
    };
    explanation.hooks.hooks.iter().filter(sees_it).collect()
}

/// Why a hook that is asked would fail, as far as can be seen before.
fn failure(step: &Step<'_>, explanation: &Explanation, found: &OnMachine) -> Option<String> {
    match &step.work {
        Work::Run(_) => match found.standing(step.hook) {
            Standing::Broken(reason) => Some(reason),
            Standing::Ready | Standing::Withheld(_) | Standing::NoModel(_) => None,
        },
        Work::Ask(question) => {
            explanation.would_ask(question.model.as_deref()).err().map(|failure| format!("it {failure}"))
        }
        Work::Fail { failure, .. } => Some(format!("it {failure}")),
        Work::Said(_) => None,
    }
}

fn in_numbers(plan: &Plan<'_>, failing: usize, one_at_a_time: bool) -> String {
    let run = match (plan.steps.len(), plan.skipped.len()) {
        (0, 0) => return "no hook is configured".to_owned(),
        (0, _) => return "no hook would run".to_owned(),
        (1, _) => "1 hook would run".to_owned(),
        (count, _) if one_at_a_time => {
            format!("{count} hooks would be asked, one at a time, until one answers")
        }
        (count, _) => format!("{count} hooks would run together"),
    };
    match (failing, plan.steps.len()) {
        (0, _) => run,
        (_, 1) => format!("{run}, and fail"),
        (failing, _) => format!("{run}, and {failing} would fail"),
    }
}

fn step_lines(ui: &mut Ui, number: usize, step: &Step<'_>, explanation: &Explanation, failure: Option<&str>) {
    let definition = &step.hook.definition;
    let label = ui.styled(&definition.command_line().replace('\n', "\n      "), Style::Bold);
    ui.painted_line(&format!("{number}. {label}"));
    ui.line(&format!("   source     {} ({})", step.hook.source.level.name(), place(step.hook)));
    match &step.work {
        Work::Run(invocation) => {
            ui.line(&format!("   directory  {}", invocation.run_dir.display()));
            ui.line(&format!("   starts as  {}", how_it_starts(invocation)));
        }
        Work::Ask(question) => {
            if let Ok(model) = explanation.would_ask(question.model.as_deref()) {
                ui.line(&format!("   asks       {model}"));
            }
        }
        Work::Said(said) => said_lines(ui, step, said),
        Work::Fail { .. } => {}
    }
    if let Some(failure) = failure {
        ui.line(&format!("   fails      {failure}"));
    }
    ui.line(&format!("   timeout    {}", seconds(definition.timeout)));
    if !definition.matcher.is_everything() {
        ui.line(&format!("   matcher    {}", definition.matcher.pattern()));
    }
    if let Some(claude) = definition.dialect.claude() {
        let shape = match claude.shape {
            Shape::Claude => "Claude Code's payload",
            Shape::Cursor => "the native payload",
        };
        ui.line(&format!("   reads      {shape}"));
        if let Some(condition) = &claude.condition {
            ui.line(&format!("   if         {}", condition.text()));
        }
        if claude.background {
            ui.line("   async      its answer does not count");
        }
    }
    if let Some(lifetime) = definition.lifetime.about() {
        ui.line(&format!("   process    {lifetime}"));
    }
    if definition.monitor {
        ui.line("   monitor    its answer is recorded and changes nothing");
    }
    if step.hook.definition.event.can_block() {
        let meaning =
            if definition.failure_refuses() { "blocks (failClosed)" } else { "lets the action through" };
        ui.line(&format!("   a failure  {meaning}"));
    }
    if step.hook.definition.event.loops() {
        let limit = definition.loop_limit.map_or("none".to_owned(), |limit| limit.to_string());
        ui.line(&format!("   loop limit {limit}"));
    }
}

fn said_lines(ui: &mut Ui, step: &Step<'_>, said: &ReadOutcome) {
    ui.line("   rule       decided without a process");
    if let Action::Rule(rule) = &step.hook.definition.action
        && let Some(summary) = rule.summary()
    {
        ui.line(&format!("   speaks     {summary}"));
    }
    if let Outcome::Answer(answer) = &said.outcome {
        ui.line(&format!("   says       {}", answer_line(answer, step.hook.definition.event)));
    }
    for warning in &said.warnings {
        ui.line(&format!("   because    {warning}"));
    }
}

fn skipped_lines(ui: &mut Ui, skipped: &Skipped<'_>, because: &str) {
    let label = ui.styled(&skipped.hook.definition.label().replace('\n', "\n      "), Style::Dim);
    ui.painted_line(&format!("-  {label}"));
    ui.line(&format!("   source     {} ({})", skipped.hook.source.level.name(), place(skipped.hook)));
    ui.line(&format!("   because    {because}"));
}

fn as_json(plan: &Plan<'_>, explanation: &Explanation, found: &OnMachine) -> Value {
    let common = |hook: &Hook| {
        json!({
            "command": hook.definition.command_line(),
            "dialect": hook.definition.dialect.name(),
            "source": hook.source.level.name(),
            "place": place(hook),
            "timeout_ms": u64::try_from(hook.definition.timeout.as_millis()).unwrap_or(u64::MAX),
            "matcher": hook.definition.matcher.pattern(),
            "fail_closed": hook.definition.fail_closed,
            "monitor": hook.definition.monitor,
            "loop_limit": hook.definition.loop_limit,
            "lifetime": hook.definition.lifetime.name(),
        })
    };
    let with = |mut value: Value, more: Value| {
        if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
            value.extend(more);
        }
        value
    };
    let step = |step: &Step<'_>| match &step.work {
        Work::Run(invocation) => {
            let start = json!({ "directory": path_text(&invocation.run_dir), "starts_as": how_it_starts(invocation) });
            let fails = failure(step, explanation, found).map(|failure| json!({ "fails": failure }));
            with(with(common(step.hook), start), fails.unwrap_or_default())
        }
        Work::Ask(question) => {
            let asks = match explanation.would_ask(question.model.as_deref()) {
                Ok(model) => json!({ "model": question.model, "asks": model }),
                Err(failure) => json!({ "model": question.model, "fails": failure.to_string() }),
            };
            with(common(step.hook), asks)
        }
        Work::Said(_) => with(common(step.hook), json!({ "rule": true })),
        Work::Fail { failure, .. } => with(common(step.hook), json!({ "fails": failure.to_string() })),
    };
    let skipped = |skipped: &Skipped<'_>| {
        with(
            common(skipped.hook),
            json!({
                "because": explanation.because(plan, skipped),
                "withheld": skipped.why.is_withheld(),
            }),
        )
    };
    json!({
        "runs": plan.steps.iter().map(step).collect::<Vec<_>>(),
        "does_not_run": plan.skipped.iter().map(skipped).collect::<Vec<_>>(),
    })
}

/// `file:line` of a hook.
pub fn place(hook: &Hook) -> String {
    match &hook.definition.place {
        Some(place) => format!("{}:{}", hook.source.file.display(), place.line),
        None => hook.source.file.display().to_string(),
    }
}

/// A duration in seconds, without a fraction where it has none.
pub fn seconds(duration: std::time::Duration) -> String {
    if duration.subsec_nanos() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} s", duration.as_secs_f64())
    }
}

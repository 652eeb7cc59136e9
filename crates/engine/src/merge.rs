//! Outcomes → decision: the law of precedence, fail-closed and loop limits.
//!
//! Deny beats ask beats allow beats no opinion, whatever the source. A failure
//! refuses under `failClosed`. Where only one value can count, the edition
//! says whose; what lost is noted.
//!
//! Pure: values in, a `Decision` out.

mod monitor;
mod report;
mod words;

use std::borrow::Cow;

use crate::answer::{Answer, Permission};
use crate::decision::{Decision, HookOutcome, Process};
use crate::edition::{Rules, SingleValue};
use crate::event::{AnswerField, Ask, Gate};
use crate::fill::Event;
use crate::load::Hook;
use crate::outcome::{Outcome, ReadOutcome};
use crate::run::Exit;
pub use monitor::only_watched;
use report::report;
use words::{Words, with_path, words};

pub use words::{BETWEEN, DO_NOT_WORK_AROUND, join, model_text, said_on_stderr};

/// One hook that had its say.
#[derive(Debug)]
pub struct Heard<'a> {
    /// Which hook.
    pub hook: &'a Hook,
    /// What it meant.
    pub read: ReadOutcome,
    /// How its process ended, when it had one.
    pub exit: Option<Exit>,
    /// Which process was asked; none when it was started for this event alone.
    pub process: Option<Process>,
    /// How often it was asked.
    pub runs: u32,
}

impl Heard<'_> {
    /// What its process wrote to stderr.
    fn stderr(&self) -> Cow<'_, str> {
        self.exit.as_ref().map(|exit| String::from_utf8_lossy(&exit.stderr)).unwrap_or_default()
    }
}

/// What merging depends on beside the outcomes.
#[derive(Debug)]
pub struct Case<'a> {
    /// What happened.
    pub event: &'a Event,
    /// The edition's rules.
    pub rules: &'a Rules,
    /// Automatic follow-ups so far.
    pub loop_count: u32,
    /// The host's own ceiling for them.
    pub loop_ceiling: u32,
    /// Whether the host can ask the user.
    pub can_ask: bool,
}

/// Merges what was heard, in the order of the walk.
pub fn merge(heard: &[Heard<'_>], case: &Case<'_>) -> Decision {
    let mut merger = Merger {
        heard,
        case,
        decision: Decision::none(case.event.kind),
        lost: vec![Vec::new(); heard.len()],
        stances: Vec::new(),
    };
    merger.stances = heard.iter().map(|it| merger_stance(it, case)).collect();
    merger.gate();
    merger.messages();
    merger.contexts();
    merger.single_values();
    merger.collections();
    merger.reports();
    merger.decision
}

struct Merger<'a> {
    heard: &'a [Heard<'a>],
    case: &'a Case<'a>,
    decision: Decision,
    lost: Vec<Vec<String>>,
    stances: Vec<Option<Permission>>,
}

/// What one hook says of the gate; none when it says nothing or there is no gate.
fn merger_stance(heard: &Heard<'_>, case: &Case<'_>) -> Option<Permission> {
    let spec = case.event.kind.spec();
    if spec.gate == Gate::None {
        return None;
    }
    match &heard.read.outcome {
        Outcome::Answer(answer) if spec.gate == Gate::ExitCode => {
            let agrees = answer.permission.filter(|permission| *permission == Permission::Allow);
            if answer.by_exit_code { Some(Permission::Deny) } else { agrees }
        }
        Outcome::Answer(answer) if answer.refuses() => Some(Permission::Deny),
        Outcome::Answer(answer) if answer.permission == Some(Permission::Ask) => {
            let askable = spec.ask != Ask::IsDeny && case.can_ask;
            Some(if askable { Permission::Ask } else { Permission::Deny })
        }
        Outcome::Answer(answer) => {
            let agrees =
                answer.permission.is_some() || (spec.gate == Gate::Continue && answer.proceed.is_some());
            agrees.then_some(Permission::Allow)
        }
        Outcome::NoOpinion => None,
        Outcome::Silent => heard.hook.definition.failure_refuses().then_some(Permission::Deny),
        Outcome::Failed(_) => {
            (heard.hook.definition.failure_refuses() || heard.read.blocks).then_some(Permission::Deny)
        }
    }
}

impl Merger<'_> {
    fn gate(&mut self) {
        let strongest = self.stances.iter().flatten().max().copied();
        self.decision.blocked = strongest == Some(Permission::Deny);
        match self.case.event.kind.spec().gate {
            Gate::None => {}
            Gate::Permission => {
                self.decision.permission = strongest;
                let handed = self.case.event.kind.spec().ask == Ask::HandedToHost;
                self.decision.host_must_ask = handed && strongest == Some(Permission::Ask);
            }
            Gate::Continue => {
                self.decision.proceed = strongest.map(|strongest| strongest == Permission::Allow)
            }
            Gate::ExitCode => self.decision.permission = strongest,
        }
    }

    /// A refusal joins the texts of the refusing hooks, an ask those of the asking ones.
    fn messages(&mut self) {
        if self.case.event.kind.spec().gate == Gate::None {
            let texts = self.texts(|answer| answer.user_message.clone());
            self.decision.user_message = join(texts);
            return;
        }
        let strongest = self.stances.iter().flatten().max().copied();
        let speaks = strongest.filter(|strongest| *strongest != Permission::Allow);
        let Some(speaks) = speaks else { return };
        let said: Vec<Words> = self
            .heard
            .iter()
            .zip(&self.stances)
            .filter(|(_, stance)| **stance == Some(speaks))
            .map(|(heard, _)| words(heard))
            .collect();
        let refusal = self.case.event.kind.spec().refusal;
        let users = join(said.iter().filter_map(|words| words.user.clone()));
        let any_for_the_agent = said.iter().any(|words| words.agent.is_some());
        let agents = join(said.iter().filter_map(|words| words.agent.clone().or(words.user.clone())));
        let agents = agents.filter(|_| any_for_the_agent || speaks == Permission::Ask);
        let labelled = join(said.iter().filter_map(Words::labelled));
        if speaks == Permission::Ask {
            self.decision.user_message = users;
            self.decision.agent_message = agents;
            return;
        }
        let model_text = model_text(self.case.event, labelled.as_deref().unwrap_or_default());
        self.decision.user_message = users.or_else(|| Some(with_path(refusal.user, self.case.event)));
        self.decision.agent_message = agents.or_else(|| Some(model_text.clone()));
        self.decision.model_text = Some(model_text);
    }

    fn contexts(&mut self) {
        let limit = self.case.rules.context_limit.unwrap_or(usize::MAX);
        let mut kept = Vec::new();
        for (index, heard) in self.heard.iter().enumerate() {
            let Some(context) = answer(heard).and_then(|answer| answer.additional_context.clone()) else {
                continue;
            };
            let length = context.trim().chars().count();
            if length > limit {
                let reason = format!(
                    "`additional_context` has {length} characters; more than {limit} are dropped whole"
                );
                self.decision.warnings.push(format!("hook `{}`: {reason}", heard.hook.definition.label()));
                self.lost[index].push(reason);
            } else {
                kept.push(context);
            }
        }
        self.decision.additional_context = join(kept);
    }

    fn single_values(&mut self) {
        let blocked = self.decision.blocked;
        if !blocked {
            self.decision.updated_input =
                self.pick("updated_input", AnswerField::UpdatedInput, |a| a.updated_input.clone());
            self.decision.new_content =
                self.pick("new_content", AnswerField::NewContent, |a| a.new_content.clone());
        }
        let is_mcp =
            self.case.event.payload.text_ref("tool_name").is_some_and(|tool| tool.starts_with("MCP:"));
        if is_mcp {
            self.decision.updated_mcp_tool_output =
                self.pick("updated_mcp_tool_output", AnswerField::UpdatedMcpToolOutput, |a| {
                    a.updated_mcp_tool_output.clone()
                });
        } else {
            self.lose_all(|a| a.updated_mcp_tool_output.is_some(), &|| {
                "`updated_mcp_tool_output` counts on MCP tools only".to_owned()
            });
        }
        self.follow_up();
    }

    fn follow_up(&mut self) {
        if !self.case.event.kind.loops() {
            return;
        }
        let status = self.case.event.payload.text("status").unwrap_or_default();
        if self.case.event.kind.of_subagent() && status != "completed" {
            self.lose_all(|answer| answer.followup_message.is_some(), &|| {
                format!("`followup_message` counts only when a subagent completed, not on `{status}`")
            });
            return;
        }
        let (count, ceiling) = (self.case.loop_count, self.case.loop_ceiling);
        let within = |heard: &Heard<'_>| match heard.hook.definition.loop_limit {
            _ if count >= ceiling => {
                Err(format!("`followup_message` dropped: the ceiling of {ceiling} follow-ups is reached"))
            }
            Some(limit) if count >= limit => Err(format!(
                "`followup_message` dropped: its loop limit of {limit} is reached (loop_count {count})"
            )),
            _ => Ok(()),
        };
        let mut allowed = vec![true; self.heard.len()];
        for (index, heard) in self.heard.iter().enumerate() {
            let has_one = answer(heard).is_some_and(|answer| answer.followup_message.is_some());
            if let Err(reason) = within(heard)
                && has_one
            {
                allowed[index] = false;
                self.decision.warnings.push(format!("hook `{}`: {reason}", heard.hook.definition.label()));
                self.lost[index].push(reason);
            }
        }
        self.decision.followup_message = self.pick_among("followup_message", |index, answer| {
            answer.followup_message.clone().filter(|_| allowed[index])
        });
    }

    /// `env` by key, higher priority first; plugin paths as a union.
    fn collections(&mut self) {
        for index in 0..self.heard.len() {
            let Some(answer) = answer(&self.heard[index]) else { continue };
            for (name, value) in &answer.env {
                match self.decision.env.iter().find(|(known, _)| known == name) {
                    None => self.decision.env.push((name.clone(), value.clone())),
                    Some((_, kept)) if kept == value => {}
                    Some(_) => {
                        self.lost[index].push(format!("`env.{name}`: a hook before it set another value"))
                    }
                }
            }
            for path in &answer.plugin_paths {
                if !self.decision.plugin_paths.contains(path) {
                    self.decision.plugin_paths.push(path.clone());
                }
            }
        }
        if !self.case.event.kind.answers(AnswerField::Env) {
            self.decision.env.clear();
        }
    }

    fn reports(&mut self) {
        for (index, heard) in self.heard.iter().enumerate() {
            let mut report = report(heard, self.stances[index]);
            report.lost = std::mem::take(&mut self.lost[index]);
            report.warnings.extend(self.contract_warnings(heard));
            let name = heard.hook.definition.label();
            if let Some(message) = answer(heard).and_then(|answer| answer.system_message.as_ref()) {
                self.decision.warnings.push(format!("hook `{name}` says: {message}"));
            }
            if report.outcome == HookOutcome::FailedOpen {
                let reason = report.reason.as_deref().unwrap_or_default();
                self.decision.warnings.push(format!(
                    "hook `{name}` {reason}{}; the action proceeds without it",
                    said_on_stderr(&heard.stderr())
                ));
            }
            self.decision
                .warnings
                .extend(report.warnings.iter().map(|warning| format!("hook `{name}`: {warning}")));
            self.decision.hooks.push(report);
        }
    }

    /// Where the product would not have understood the answer as we do.
    fn contract_warnings(&self, heard: &Heard<'_>) -> Vec<String> {
        let Some(answer) = answer(heard) else { return Vec::new() };
        let event = self.case.event.kind;
        let mut warnings = Vec::new();
        match event.spec().gate {
            Gate::Permission
                if answer.proceed == Some(false) && answer.permission != Some(Permission::Deny) =>
            {
                warnings.push(format!("`continue: false` refuses here, but the original product wants `permission: \"deny\"` on {}", event.name()));
            }
            Gate::Continue
                if answer.permission == Some(Permission::Deny)
                    && answer.proceed != Some(false)
                    && !answer.by_exit_code =>
            {
                warnings.push(format!("`permission: \"deny\"` refuses here, but the original product wants `continue: false` on {}", event.name()));
            }
            Gate::ExitCode if answer.refuses() && !answer.by_exit_code => {
                warnings.push("a refusal does not withhold a response; exit with code 2".to_owned());
            }
            Gate::None if answer.refuses() => {
                warnings.push(format!("a refusal changes nothing on {}", event.name()));
            }
            _ => {}
        }
        warnings
    }

    fn texts(&self, of: impl Fn(&Answer) -> Option<String>) -> Vec<String> {
        self.heard.iter().filter_map(answer).filter_map(of).collect()
    }

    fn pick<T: Clone + AsText>(
        &mut self,
        name: &str,
        field: AnswerField,
        of: impl Fn(&Answer) -> Option<T>,
    ) -> Option<T> {
        if !self.case.event.kind.answers(field) {
            let event = self.case.event.kind.name();
            self.lose_all(|answer| of(answer).is_some(), &|| format!("`{name}` means nothing on {event}"));
            return None;
        }
        self.pick_among(name, |_, answer| of(answer))
    }

    /// The value of the hook that the edition prefers; the others lose theirs.
    fn pick_among<T: Clone + AsText>(
        &mut self,
        name: &str,
        of: impl Fn(usize, &Answer) -> Option<T>,
    ) -> Option<T> {
        let values: Vec<(usize, T)> = self
            .heard
            .iter()
            .enumerate()
            .filter_map(|(index, heard)| of(index, answer(heard)?).map(|value| (index, value)))
            .collect();
        let (winner, value) = preferred(&values, self.case.rules)?.clone();
        for (index, other) in &values {
            if *index != winner && other.as_text() != value.as_text() {
                let by = self.heard[winner].hook.definition.label();
                self.lost[*index].push(format!("`{name}`: the value of `{by}` counts"));
            }
        }
        Some(value)
    }

    fn lose_all(&mut self, has: impl Fn(&Answer) -> bool, reason: &dyn Fn() -> String) {
        for (index, heard) in self.heard.iter().enumerate() {
            if answer(heard).is_some_and(&has) {
                self.lost[index].push(reason());
            }
        }
    }
}

/// Whose value counts: of the highest-priority source, or the last in the walk.
pub fn preferred<'v, T>(values: &'v [T], rules: &Rules) -> Option<&'v T> {
    match rules.single_value {
        SingleValue::Priority => values.first(),
        SingleValue::Last => values.last(),
    }
}

/// Values that can be compared as text.
pub trait AsText {
    /// The text to compare.
    fn as_text(&self) -> &str;
}

impl AsText for String {
    fn as_text(&self) -> &str {
        self
    }
}

impl AsText for Box<serde_json::value::RawValue> {
    fn as_text(&self) -> &str {
        self.get()
    }
}

fn answer<'h>(heard: &'h Heard<'_>) -> Option<&'h Answer> {
    match &heard.read.outcome {
        Outcome::Answer(answer) => Some(answer),
        Outcome::NoOpinion | Outcome::Silent | Outcome::Failed(_) => None,
    }
}

#[cfg(test)]
mod tests;

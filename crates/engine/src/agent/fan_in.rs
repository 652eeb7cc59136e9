//! Decisions of one happening → the one verdict its agent is told.
//!
//! Deny beats ask beats allow. What the agent cannot be told becomes a refusal
//! where something would run unnoticed, and is said aloud where something is
//! merely lost.
//!
//! Pure: values in, a `Verdict` out.

use serde_json::{Map, Value};

use super::happening::{Happening, Moment, ToolCall};
use super::rewriting::call_instead;
use super::verdict::{Verdict, Words};
use super::{Agent, Asks, Effect, Preferences};
use crate::answer::Permission;
use crate::decision::Decision;
use crate::event::{AnswerField, Gate};
use crate::fill::Event;
use crate::merge::{DO_NOT_WORK_AROUND, join, model_text};

/// A redaction that is longer is cut in what the model is told.
const LONGEST_REDACTION: usize = 64 * 1024;

/// One event that was asked, and what came of it.
#[derive(Debug)]
pub struct Decided {
    /// Which of the happening's calls it was about.
    pub call: usize,
    /// The event.
    pub event: Event,
    /// What its hooks decided.
    pub decision: Decision,
}

/// What all of them came to.
pub fn verdict(
    agent: &Agent,
    preferences: Preferences,
    happening: &Happening,
    decided: &[Decided],
) -> Verdict {
    let mut joining = Joining {
        agent,
        preferences,
        happening,
        refusals: Vec::new(),
        asks: Vec::new(),
        allowed: Vec::new(),
        rewrites: Vec::new(),
        notices: Vec::new(),
        contexts: Vec::new(),
        verdict: Verdict::default(),
    };
    decided.iter().for_each(|one| joining.add(one));
    joining.verdict()
}

/// Warnings that are not worth a person's attention at every call.
pub fn asides(happening: &Happening, decided: &[Decided]) -> Vec<String> {
    let mut asides: Vec<String> = Vec::new();
    for warning in decided.iter().flat_map(|one| &one.decision.warnings) {
        if !is_for_the_person(happening, warning) && !asides.contains(warning) {
            asides.push(warning.clone());
        }
    }
    asides
}

/// What one hook did is told at once. What stands in the way of a whole source
/// (nobody trusts it, it cannot be read) stays so, and is told when a session or
/// a turn begins.
fn is_for_the_person(happening: &Happening, warning: &str) -> bool {
    let begins = matches!(happening.moment, Moment::SessionStart { .. } | Moment::Prompt { .. });
    begins || warning.starts_with("hook `")
}

/// The input a hook wants for a call; none when it is the one there is.
pub fn rewritten(decision: &Decision, call: &ToolCall) -> Option<Map<String, Value>> {
    wanted(decision)?.ok().filter(|wanted| *wanted != call.input)
}

/// The input a hook wants, or why it cannot be had.
fn wanted(decision: &Decision) -> Option<Result<Map<String, Value>, String>> {
    let input = decision.updated_input.as_ref().filter(|_| !decision.blocked)?;
    Some(serde_json::from_str(input.get()).map_err(|error| error.to_string()))
}

struct Joining<'a> {
    agent: &'a Agent,
    preferences: Preferences,
    happening: &'a Happening,
    refusals: Vec<Words>,
    asks: Vec<Words>,
    /// The calls that a hook allowed.
    allowed: Vec<usize>,
    /// Other inputs, one place for each call; empty when there are none.
    rewrites: Vec<Option<Map<String, Value>>>,
    notices: Vec<String>,
    contexts: Vec<String>,
    verdict: Verdict,
}

impl Joining<'_> {
    fn add(&mut self, one: &Decided) {
        let decision = &one.decision;
        let told = decision.warnings.iter().filter(|warning| is_for_the_person(self.happening, warning));
        self.notices.extend(told.cloned());
        match decision.event.spec().gate {
            Gate::Permission | Gate::Continue => self.gate(one),
            Gate::ExitCode if decision.blocked => self.not_withheld(decision),
            Gate::ExitCode => {}
            Gate::None => self.notices.extend(decision.user_message.clone()),
        }
        self.add_context(decision);
        self.verdict.env.extend(decision.env.iter().cloned());
        if decision.followup_message.is_some() {
            self.verdict.follow_up.clone_from(&decision.followup_message);
        }
        if let Some(output) = &decision.updated_mcp_tool_output {
            let text = || Value::from(output.get());
            self.replace_output(serde_json::from_str(output.get()).unwrap_or_else(|_| text()));
        }
    }

    /// Where the agent's own table says that context is lost, it is said aloud.
    /// With a call it may still go with a refusal.
    fn add_context(&mut self, decision: &Decision) {
        let Some(context) = decision.additional_context.clone() else { return };
        let with_call = matches!(self.happening.moment, Moment::BeforeTool { .. });
        match self.agent.effect(decision.event, AnswerField::AdditionalContext) {
            Some(Effect::Lost(why)) if !with_call => self.notices.push(format!(
                "{} gives its model no context at {} ({why}), so this did not reach it: {context}",
                self.agent.title,
                decision.event.name()
            )),
            Some(Effect::Applied | Effect::Degraded(_) | Effect::Lost(_)) | None => {
                self.contexts.push(context)
            }
        }
    }

    fn gate(&mut self, one: &Decided) {
        let Decided { event, decision, .. } = one;
        if decision.blocked {
            self.refusals.push(refusal(event, decision));
            return;
        }
        match decision.permission {
            Some(Permission::Ask) if self.can_ask() => self.asks.push(question(decision)),
            Some(Permission::Ask) => self.refusals.push(unasked(event, decision)),
            Some(Permission::Allow) => self.allowed.push(one.call),
            Some(Permission::Deny) => self.refusals.push(refusal(event, decision)),
            None => {}
        }
        self.rewrite(one);
        let content = event.payload.text("content").unwrap_or_default();
        if let Some(redacted) = decision.new_content.as_ref().filter(|new| **new != content) {
            let path = event.payload.text("file_path").unwrap_or_default();
            self.refusals.push(redaction(&path, redacted));
        }
    }

    fn can_ask(&self) -> bool {
        match self.agent.abilities.asks {
            Asks::Natively => true,
            Asks::WhenSet => self.preferences.ask_where_possible,
            Asks::Never => false,
        }
    }

    fn rewrite(&mut self, one: &Decided) {
        let Moment::BeforeTool { calls } = &self.happening.moment else { return };
        let Some(call) = calls.get(one.call) else { return };
        if let Some(Err(problem)) = wanted(&one.decision) {
            let why = format!("A hook wants another input for it, which cannot be read: {problem}");
            self.refusals.push(Words { model: model_text(&one.event, &why), user: why });
        }
        let Some(wanted) = rewritten(&one.decision, call) else { return };
        self.rewrites.resize(calls.len(), None);
        self.rewrites[one.call] = Some(wanted);
    }

    fn replace_output(&mut self, output: Value) {
        if self.agent.abilities.replaces_output {
            self.verdict.output = Some(output);
            return;
        }
        self.notices.push(format!(
            "A hook replaced what an MCP tool returned, but {} cannot be told so: THE MODEL HAS READ THE ORIGINAL OUTPUT. Refuse such calls in beforeMCPExecution instead.",
            self.agent.title
        ));
    }

    /// A response is out before any agent asks.
    fn not_withheld(&mut self, decision: &Decision) {
        let why = decision.user_message.clone().unwrap_or_default();
        self.notices.push(format!(
            "A hook wanted to withhold the response, but {} has shown it already: {why}",
            self.agent.title
        ));
    }

    /// What other input the call gets. Where the agent cannot be given it, the
    /// call is refused here, so that everybody knows. What is refused anyway is
    /// not offered to the model in another form.
    fn fold(&mut self) {
        let Moment::BeforeTool { calls } = &self.happening.moment else { return };
        if self.rewrites.is_empty() || !self.refusals.is_empty() {
            return;
        }
        match (self.agent.fold)(self.happening, &self.rewrites) {
            Some(input) => self.verdict.input = Some(input),
            None => self.refusals.push(call_instead(self.agent, self.happening, calls, &self.rewrites)),
        }
    }

    fn verdict(mut self) -> Verdict {
        self.fold();
        let Joining { agent, preferences, happening, refusals, asks, allowed, .. } = self;
        let (mut verdict, mut notices) = (self.verdict, self.notices);
        verdict.context = join(self.contexts);
        verdict.refused = joined(refusals);
        verdict.cancel_refused = preferences.cancel_refused_calls;
        let undelivered =
            matches!(happening.moment, Moment::BeforeTool { .. }) && !agent.abilities.context_before_tool;
        match (&mut verdict.refused, undelivered) {
            (Some(words), true) => {
                let context = verdict.context.take();
                words.model = join([Some(std::mem::take(&mut words.model)), context].into_iter().flatten())
                    .unwrap_or_default();
            }
            (None, true) => notices.extend(verdict.context.take().map(|context| {
                format!(
                    "{} gives its model no context with a call, so this did not reach it: {context}",
                    agent.title
                )
            })),
            (_, false) => {}
        }
        if verdict.refused.is_none() {
            verdict.ask = joined(asks);
            let all_allowed = match &happening.moment {
                Moment::BeforeTool { calls } => (0..calls.len()).all(|call| allowed.contains(&call)),
                _ => !allowed.is_empty(),
            };
            verdict.approved = all_allowed && verdict.ask.is_none() && preferences.allow_skips_prompt;
        }
        let mut seen: Vec<String> = Vec::new();
        notices.retain(|notice| {
            !seen.contains(notice) && {
                seen.push(notice.clone());
                true
            }
        });
        verdict.notice = join(notices);
        verdict
    }
}

/// The texts of several, as the law joins them.
fn joined(words: Vec<Words>) -> Option<Words> {
    let user = join(words.iter().map(|words| words.user.clone()));
    let model = join(words.iter().map(|words| words.model.clone()));
    let (user, model) = (user.clone().or(model.clone())?, model.or(user)?);
    Some(Words { model, user })
}

/// Why something is refused. Where only one of the two was said, both hear it.
fn refusal(event: &Event, decision: &Decision) -> Words {
    let words = decision.event.spec().refusal;
    let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let user = said(&decision.user_message);
    let model = said(&decision.model_text).or(said(&decision.agent_message)).or(user.clone());
    let model = model.unwrap_or_else(|| model_text(event, ""));
    Words { user: user.unwrap_or_else(|| words.user.to_owned()), model }
}

const WANTS_TO_ASK: &str = "A hook wants the user to be asked before this goes on";

fn question(decision: &Decision) -> Words {
    let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let (user, model) = (said(&decision.user_message), said(&decision.agent_message));
    let either = user.clone().or(model.clone()).unwrap_or_else(|| format!("{WANTS_TO_ASK}."));
    Words { user: user.unwrap_or_else(|| either.clone()), model: model.unwrap_or(either) }
}

/// `ask` never decays to allow.
fn unasked(event: &Event, decision: &Decision) -> Words {
    let said = question(decision);
    let why = |text: &str| {
        let text = text.trim_end_matches('.');
        match text == WANTS_TO_ASK {
            true => format!("{WANTS_TO_ASK}, and nobody can be asked here."),
            false => format!("{WANTS_TO_ASK}, and nobody can be asked here: {text}"),
        }
    };
    Words { user: why(&said.user), model: model_text(event, &why(&said.model)) }
}

/// No agent lets us change what it reads, so the model gets the redacted text
/// with a refusal, and nothing of the rest leaks.
fn redaction(path: &str, redacted: &str) -> Words {
    let (text, note) = shortened(redacted, LONGEST_REDACTION);
    Words {
        user: format!("A hook redacted {path}: the agent was given the redacted text, and not the file."),
        model: format!(
            "A hook redacted the file {path}, so it was not read. {DO_NOT_WORK_AROUND} This is all of it that may be seen{note}:\n\n{text}"
        ),
    }
}

/// So much of a text, and what is said of the rest.
pub(super) fn shortened(text: &str, most: usize) -> (&str, String) {
    if text.len() <= most {
        return (text, String::new());
    }
    let cut = text.floor_char_boundary(most);
    (&text[..cut], format!(" (the first {cut} of {} bytes)", text.len()))
}

#[cfg(test)]
#[path = "fan_in_tests.rs"]
mod tests;

//! What the hooks of one event decided, in the product's answer format and as
//! a trace that says how it came about.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::answer::Permission;
use crate::event::{AnswerField, EventKind};
use crate::load::HookSet;
use crate::payload::Payload;
use crate::plan::{Plan, Why};

/// The code a blocking decision carries.
pub const BLOCKED: &str = "ERROR_HOOKS_BLOCKED";

/// What the hooks of one event decided.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // most fields are the answer field of that name
pub struct Decision {
    pub event: EventKind,
    pub permission: Option<Permission>,
    /// `continue`.
    pub proceed: Option<bool>,
    pub user_message: Option<String>,
    pub agent_message: Option<String>,
    pub updated_input: Option<Box<RawValue>>,
    pub additional_context: Option<String>,
    pub updated_mcp_tool_output: Option<Box<RawValue>>,
    pub new_content: Option<String>,
    pub followup_message: Option<String>,
    pub env: Vec<(String, String)>,
    pub plugin_paths: Vec<String>,
    /// The action, the prompt or the response is held back.
    pub blocked: bool,
    /// `ask` on an event where the product does not ask: the host asks, or denies.
    pub host_must_ask: bool,
    /// What to tell the model of a refusal: what was refused, why, and not to
    /// work around it.
    pub model_text: Option<String>,
    /// Every hook that had a say, in the order of the walk.
    pub hooks: Vec<HookReport>,
    /// Every hook that had none.
    pub skips: Skips,
    /// The files that were trusted for this once.
    pub trusted_once: Vec<PathBuf>,
    /// What somebody should know: fail-open, withheld hooks, odd answers.
    pub warnings: Vec<String>,
    /// The machine was short of something while the hooks of a `Call` with a
    /// watch ran: nothing else here may be acted on.
    pub undecided: bool,
}

/// The hooks of an event that had no say. Most events have some, and few
/// people ask, so they are told on demand.
#[derive(Debug, Clone, Default)]
pub struct Skips {
    hooks: Option<Arc<HookSet>>,
    skipped: Vec<(usize, Why)>,
    subject: Option<String>,
}

impl Skips {
    /// Those that a plan left out.
    pub fn of(plan: &Plan<'_>, hooks: &Arc<HookSet>) -> Skips {
        if plan.skipped.is_empty() {
            return Skips::default();
        }
        let skipped = plan.skipped.iter().map(|skipped| (skipped.index, skipped.why)).collect();
        Skips { hooks: Some(Arc::clone(hooks)), skipped, subject: plan.subject.clone() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.skipped.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.skipped.is_empty()
    }

    /// Each of them, and why.
    pub fn reports(&self) -> Vec<HookReport> {
        let Some(hooks) = &self.hooks else { return Vec::new() };
        let report = |(index, why): &(usize, Why)| {
            let hook = &hooks.hooks[*index];
            let outcome = if why.is_withheld() { HookOutcome::Withheld } else { HookOutcome::Skipped };
            let reason = Some(why.sentence(hook, self.subject.as_deref()));
            HookReport { outcome, reason, ..HookReport::of(hook) }
        };
        self.skipped.iter().map(report).collect()
    }
}

/// What became of one hook.
#[derive(Debug, Clone, Serialize)]
pub struct HookReport {
    /// The hook's id.
    pub id: String,
    /// Its command, or its prompt.
    pub command: String,
    /// The word for its source.
    pub source: &'static str,
    /// The file it stands in.
    pub file: String,
    /// The line it stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What it came to.
    pub outcome: HookOutcome,
    /// Why it did not run, or how it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it decided, when it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<&'static str>,
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// Which process was asked; none when it was started for this event alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// Fields of its answer that did not count, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// What its author should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether it is only watched: nothing of its answer counts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub monitor: bool,
    /// What it would have done, when it is only watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would: Option<&'static str>,
    /// How often it was asked: more than once when a rewrite or a redaction was settled.
    pub runs: u32,
}

/// Which process was asked, when it was not started for its event alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    /// One that stays was asked.
    Stayed,
    /// One that was started ahead got the event.
    Ahead,
}

impl Process {
    /// The word in records.
    pub fn name(self) -> &'static str {
        match self {
            Process::Stayed => "stayed",
            Process::Ahead => "ahead",
        }
    }
}

/// What one hook came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookOutcome {
    /// It answered.
    Answer,
    /// It had no opinion.
    NoOpinion,
    /// It failed, and the action proceeds.
    FailedOpen,
    /// It failed, and the action is refused.
    FailedClosed,
    /// It was withheld.
    Withheld,
    /// It did not apply.
    Skipped,
}

impl HookOutcome {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            HookOutcome::Answer => "answer",
            HookOutcome::NoOpinion => "no_opinion",
            HookOutcome::FailedOpen => "failed_open",
            HookOutcome::FailedClosed => "failed_closed",
            HookOutcome::Withheld => "withheld",
            HookOutcome::Skipped => "skipped",
        }
    }
}

impl Decision {
    /// Nobody had an opinion.
    pub fn none(event: EventKind) -> Decision {
        Decision {
            event,
            permission: None,
            proceed: None,
            user_message: None,
            agent_message: None,
            updated_input: None,
            additional_context: None,
            updated_mcp_tool_output: None,
            new_content: None,
            followup_message: None,
            env: Vec::new(),
            plugin_paths: Vec::new(),
            blocked: false,
            host_must_ask: false,
            model_text: None,
            hooks: Vec::new(),
            skips: Skips::default(),
            trusted_once: Vec::new(),
            warnings: Vec::new(),
            undecided: false,
        }
    }

    /// `ERROR_HOOKS_BLOCKED` when something is held back.
    pub fn code(&self) -> Option<&'static str> {
        self.blocked.then_some(BLOCKED)
    }

    /// The answer in the product's format: one line of JSON.
    pub fn answer_line(&self) -> String {
        self.answer().to_json()
    }

    /// The whole decision: code, every hook's outcome, what lost and why.
    pub fn trace(&self) -> Value {
        let mut trace = Map::new();
        trace.insert("event".into(), json!(self.event.name()));
        trace.insert("answer".into(), serde_json::from_str(&self.answer_line()).unwrap_or_default());
        trace.insert("blocked".into(), json!(self.blocked));
        if let Some(code) = self.code() {
            trace.insert("code".into(), json!(code));
        }
        if self.host_must_ask {
            trace.insert("host_must_ask".into(), json!(true));
        }
        if let Some(text) = &self.model_text {
            trace.insert("model_text".into(), json!(text));
        }
        let hooks: Vec<HookReport> = self.hooks.iter().cloned().chain(self.skips.reports()).collect();
        trace.insert("hooks".into(), json!(hooks));
        trace.insert("warnings".into(), json!(self.warnings));
        Value::Object(trace)
    }

    fn answer(&self) -> Payload {
        let mut answer = Payload::default();
        for field in self.event.spec().answers {
            let name = field.name();
            match field {
                AnswerField::Permission => set(&mut answer, name, self.permission.map(Permission::name)),
                AnswerField::Continue => set(&mut answer, name, self.proceed),
                AnswerField::UserMessage => set(&mut answer, name, self.user_message.as_ref()),
                AnswerField::AgentMessage => set(&mut answer, name, self.agent_message.as_ref()),
                AnswerField::UpdatedInput => set(&mut answer, name, self.updated_input.as_ref()),
                AnswerField::AdditionalContext => set(&mut answer, name, self.additional_context.as_ref()),
                AnswerField::UpdatedMcpToolOutput => {
                    set(&mut answer, name, self.updated_mcp_tool_output.as_ref());
                }
                AnswerField::NewContent => set(&mut answer, name, self.new_content.as_ref()),
                AnswerField::FollowupMessage => set(&mut answer, name, self.followup_message.as_ref()),
                AnswerField::Env => set(&mut answer, name, self.env_object()),
                AnswerField::PluginPaths => {
                    set(&mut answer, name, Some(&self.plugin_paths).filter(|paths| !paths.is_empty()));
                }
            }
        }
        answer
    }

    fn env_object(&self) -> Option<Map<String, Value>> {
        let object: Map<_, _> = self.env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        Some(object).filter(|object| !object.is_empty())
    }
}

fn set(answer: &mut Payload, name: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        answer.set(name, value);
    }
}

//! What is said of a refusal, to the person and to the model.

use super::Heard;
use crate::fill::Event;
use crate::outcome::{Failure, Outcome};
use crate::source::Level;

/// Between the texts of several hooks.
pub const BETWEEN: &str = "\n\n---\n\n";
/// Ends what the model is told of a refusal.
pub const DO_NOT_WORK_AROUND: &str =
    "Do not attempt to work around this restriction using alternative methods or commands.";

/// What one refusing or asking hook says.
pub struct Words {
    level: Level,
    /// For the person.
    pub user: Option<String>,
    /// For the model.
    pub agent: Option<String>,
}

impl Words {
    /// For the model: whose words these are, so that a project's hook cannot
    /// speak as the enterprise.
    pub fn labelled(&self) -> Option<String> {
        let said = self.agent.as_deref().or(self.user.as_deref())?;
        Some(format!("({} hook) {said}", self.level.name()))
    }
}

/// The words of a hook that refuses or asks.
pub fn words(heard: &Heard<'_>) -> Words {
    let level = heard.hook.source.level;
    let failed = |failure: &Failure, so: &str| {
        let (label, said) = (heard.hook.definition.label(), said_on_stderr(heard));
        Words { level, user: Some(format!("Hook `{label}` {failure}{said}. {so}")), agent: None }
    };
    let fail_closed = "It is failClosed, so the action is blocked.";
    match &heard.read.outcome {
        Outcome::Answer(answer) => {
            Words { level, user: answer.user_message.clone(), agent: answer.agent_message.clone() }
        }
        Outcome::Failed(failure) if heard.read.blocks => {
            failed(failure, "The action was blocked for safety.")
        }
        Outcome::Failed(failure) => failed(failure, fail_closed),
        Outcome::Silent | Outcome::NoOpinion => failed(&Failure::NoOutput, fail_closed),
    }
}

/// The first line a failed hook wrote to stderr: most often the reason.
pub fn said_on_stderr(heard: &Heard<'_>) -> String {
    const LONGEST: usize = 200;
    let stderr = heard.exit.as_ref().map(|exit| String::from_utf8_lossy(&exit.stderr)).unwrap_or_default();
    match stderr.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!(" (stderr: {})", line.chars().take(LONGEST).collect::<String>()),
        None => String::new(),
    }
}

/// What the model is told of a refusal: what was refused, why, and not to work around it.
pub fn model_text(event: &Event, why: &str) -> String {
    let what = with_path(event.kind.spec().refusal.model, event);
    let what = what.trim_end_matches('.');
    let why = why.trim();
    if why.is_empty() {
        return format!("{what}. {DO_NOT_WORK_AROUND}");
    }
    let stop = if why.ends_with(['.', '!', '?', '»']) { "" } else { "." };
    format!("{what}: {why}{stop} {DO_NOT_WORK_AROUND}")
}

/// The text with the event's path in it.
pub fn with_path(text: &str, event: &Event) -> String {
    text.replace("{path}", &event.payload.text("file_path").unwrap_or_default())
}

/// All texts that say something, in their order.
pub fn join(texts: impl IntoIterator<Item = String>) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join(BETWEEN))
}

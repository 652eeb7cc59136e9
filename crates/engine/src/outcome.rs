//! Reads what a finished hook meant.
//!
//! Exit code 0: the answer is the JSON on stdout, and empty stdout is no
//! opinion. Exit code 2: deny, on an event that can block. Anything else is a
//! failure; whether a failure blocks the action is decided in `merge`, not here.
//!
//! Pure: an `Exit` in, an `Outcome` out. No files, no clock, no environment.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::answer::{Answer, Permission, read_answer, refusal_in, refusing_value};
use crate::edition::{BrokenAnswer, Rules};
use crate::event::{EventKind, Gate};
use crate::payload::{Payload, compact};
use crate::run::{Exit, STDOUT_LIMIT, Status, signal_name};

/// What a hook meant.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It answered.
    Answer(Box<Answer>),
    /// It answered with nothing to say.
    NoOpinion,
    /// It printed nothing. No opinion, but a failure under `failClosed`.
    Silent,
    /// It failed.
    Failed(Failure),
}

/// Why a hook failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the message is the documentation
pub enum Failure {
    #[error("exited with code {0}")]
    ExitCode(i32),
    #[error("was killed by {}", signal_name(*.0))]
    Signal(i32),
    #[error("timed out after {}ms", .0.as_millis())]
    TimedOut(Duration),
    #[error("could not be started: {0}")]
    NotStarted(String),
    #[error("stays, and gave no answer to this event: {0}")]
    NoAnswer(String),
    #[error("printed more than {} MiB", STDOUT_LIMIT / 1024 / 1024)]
    TooMuchOutput,
    #[error("was cancelled")]
    Cancelled,
    #[error("returned no output")]
    NoOutput,
    #[error("printed something that is not JSON: {0}")]
    NotJson(String),
    #[error("returned an invalid response for this hook step: {0}")]
    WrongShape(String),
    #[error("answered with `{0}`, which is no key of an answer")]
    NearMiss(String),
    #[error("has an error in its entry: {0}")]
    BrokenEntry(String),
    #[error("is withheld: {0}")]
    Withheld(String),
    #[error("may have run other code than was trusted ({0} changed meanwhile), so its answer is discarded")]
    ChangedMeanwhile(String),
    #[error("was tampered with, and did not run: {0}")]
    Tampered(String),
    #[error("needs `${{{name}}}` in its command line, but {problem}")]
    Value { name: &'static str, problem: String },
    #[error("cannot be started: {name} comes from the payload, and {problem}")]
    Variable { name: &'static str, problem: String },
    #[error("needs a model, and none is configured")]
    NoJudge,
    #[error("asked a model without success: {0}")]
    Judge(String),
    #[error("was called by a hook that was called by a hook, {0} deep")]
    TooDeep(u32),
    #[error("did not settle in {0} rounds: hooks undo each other's changes")]
    Unsettled(u32),
    #[error("rewrote an input that was rewritten already")]
    RewrittenAgain,
}

/// An outcome, and how it came about.
#[derive(Debug, Clone)]
pub struct ReadOutcome {
    /// What the hook meant.
    pub outcome: Outcome,
    /// What its author should know.
    pub warnings: Vec<String>,
    /// A failure that blocks whatever `failClosed` says.
    pub blocks: bool,
    /// What a hook that is only watched would have done.
    pub would: Option<&'static str>,
}

impl ReadOutcome {
    /// An outcome with nothing odd about it.
    pub fn plain(outcome: Outcome) -> ReadOutcome {
        ReadOutcome { outcome, warnings: Vec::new(), blocks: false, would: None }
    }

    /// A failure that follows `failClosed`.
    pub fn failed(failure: Failure) -> ReadOutcome {
        ReadOutcome::plain(Outcome::Failed(failure))
    }

    fn warn(mut self, warning: impl Into<String>) -> ReadOutcome {
        self.warnings.push(warning.into());
        self
    }
}

/// What this exit means on this event. `sent` is what the hook was given: an
/// echo of it is no answer.
pub fn read_outcome(exit: &Exit, event: EventKind, sent: &Payload, rules: &Rules) -> ReadOutcome {
    let failure = match &exit.status {
        Status::Code(0) => return read_stdout(&exit.stdout, event, sent, rules),
        Status::Code(2) => return read_refusal(exit, event, sent),
        Status::Code(code) => Failure::ExitCode(*code),
        Status::Signal(signal) => Failure::Signal(*signal),
        Status::TimedOut(limit) => Failure::TimedOut(*limit),
        Status::TooMuchOutput => Failure::TooMuchOutput,
        // Who cancels wants nothing to happen, so a gate stays shut.
        Status::Cancelled => return ReadOutcome { blocks: true, ..ReadOutcome::failed(Failure::Cancelled) },
        Status::NotStarted(reason) => Failure::NotStarted(reason.clone()),
        Status::NoAnswer(reason) => Failure::NoAnswer(reason.clone()),
    };
    // A line of a persistent hook that cannot be attributed to this event is broken output.
    if matches!(failure, Failure::NoAnswer(_))
        && let Some(read) = readable_refusal(&failure.to_string(), &exit.stdout, event, rules)
    {
        return read;
    }
    let read = ReadOutcome::failed(failure);
    match refusal_in(&String::from_utf8_lossy(&exit.stdout)) {
        Some(Permission::Deny) if matches!(exit.status, Status::Code(_)) => read.warn(
            "it printed a refusal, but its exit code says that it failed: NOT honoured; exit with 0 or 2",
        ),
        _ => read,
    }
}

/// Whether these bytes are one whole answer, so that nobody need wait for more.
pub fn is_whole_answer(stdout: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(stdout.trim_ascii()).is_ok()
}

/// The text of an output in which neither an object nor a refusal can be read;
/// none when it is empty.
pub(crate) fn plain_text(stdout: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(stdout).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    let says_more = text.starts_with('{') || parse_object(text).is_some() || refusal_in(text).is_some();
    (!text.is_empty() && !says_more).then(|| text.to_owned())
}

/// Exit code 0.
fn read_stdout(stdout: &[u8], event: EventKind, sent: &Payload, rules: &Rules) -> ReadOutcome {
    let Ok(text) = std::str::from_utf8(stdout) else {
        return broken("it is not UTF-8".to_owned(), &String::from_utf8_lossy(stdout), event, rules);
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    if text.is_empty() {
        return ReadOutcome::plain(Outcome::Silent);
    }
    match parse_object(text) {
        Some(Parsed { object, before }) => {
            // A refusal before the last object must not be lost to it, nor one in an object that
            // is only the end of broken JSON.
            let is_torn = before.ends_with([':', ',', '[', '{']);
            let unread = if is_torn { text } else { before };
            if !before.is_empty() && event.can_block() && refusal_in(unread).is_some() {
                return broken(beginning(text), text, event, rules);
            }
            let read = read_object(&object, event, sent, rules);
            if before.is_empty() {
                read
            } else {
                read.warn("it printed text before its JSON; print such text to stderr")
            }
        }
        None => broken(beginning(text), text, event, rules),
    }
}

fn read_object(object: &Payload, event: EventKind, sent: &Payload, rules: &Rules) -> ReadOutcome {
    let Some(object) = without_echo(object, sent) else { return ReadOutcome::plain(Outcome::NoOpinion) };
    let read = read_answer(&object, event);
    let refuses = read.answer.refuses() || read.answer.permission == Some(Permission::Ask);
    let outcome = match (&read.wrong_shape, &read.near_miss) {
        (Some(what), _) if event.can_block() && !refuses => ReadOutcome {
            blocks: blocks(event, rules),
            ..ReadOutcome::failed(Failure::WrongShape(what.clone()))
        },
        (None, Some(key)) if event.can_block() && !read.answer.speaks_of_permission() => {
            ReadOutcome::failed(Failure::NearMiss(key.clone()))
        }
        _ if read.says_something => ReadOutcome::plain(Outcome::Answer(Box::new(read.answer))),
        _ => ReadOutcome::plain(Outcome::NoOpinion),
    };
    let odd = read.wrong_shape.filter(|_| !matches!(outcome.outcome, Outcome::Failed(_)));
    let mut warnings = read.warnings;
    warnings.extend(odd);
    ReadOutcome { warnings, ..outcome }
}

/// Text or broken JSON with exit code 0.
fn broken(first_bytes: String, text: &str, event: EventKind, rules: &Rules) -> ReadOutcome {
    let advice = "an answer is one JSON object on stdout; print anything else to stderr";
    if event.spec().answers.is_empty() && rules.broken_answer != BrokenAnswer::NextHook {
        return ReadOutcome::plain(Outcome::NoOpinion);
    }
    let problem = format!("its answer is broken JSON ({first_bytes})");
    if let Some(read) = readable_refusal(&problem, text.as_bytes(), event, rules) {
        return read.warn(advice);
    }
    ReadOutcome { blocks: blocks(event, rules), ..ReadOutcome::failed(Failure::NotJson(first_bytes)) }
        .warn(advice)
}

/// The refusal in output that is not an answer, where the edition lets it decide.
fn readable_refusal(problem: &str, stdout: &[u8], event: EventKind, rules: &Rules) -> Option<ReadOutcome> {
    if !event.can_block() || rules.broken_answer != BrokenAnswer::Failure {
        return None;
    }
    let permission = refusal_in(&String::from_utf8_lossy(stdout))?;
    let answer = Answer { permission: Some(permission), ..Answer::default() };
    let read = ReadOutcome::plain(Outcome::Answer(Box::new(answer)));
    Some(read.warn(format!("{problem}, but a refusal can be read in it")))
}

/// In the newest edition a broken answer blocks by itself, except on a prompt.
fn blocks(event: EventKind, rules: &Rules) -> bool {
    rules.broken_answer == BrokenAnswer::Blocks && event.spec().gate == Gate::Permission
}

/// Exit code 2.
fn read_refusal(exit: &Exit, event: EventKind, sent: &Payload) -> ReadOutcome {
    if !event.can_block() {
        let read = ReadOutcome::plain(Outcome::NoOpinion);
        return read.warn(format!("exit code 2 changes nothing on {}", event.name()));
    }
    let stdout = String::from_utf8_lossy(&exit.stdout);
    let parsed = parse_object(stdout.trim_start_matches('\u{feff}').trim());
    let said = parsed
        .as_ref()
        .and_then(|parsed| without_echo(&parsed.object, sent))
        .map(|object| read_answer(&object, event).answer)
        .unwrap_or_default();
    let stderr = String::from_utf8_lossy(&exit.stderr).trim().to_owned();
    let from_stderr =
        (!stderr.is_empty() && said.user_message.is_none() && said.agent_message.is_none()).then_some(stderr);
    let answer = Answer {
        user_message: said.user_message.or(from_stderr),
        agent_message: said.agent_message,
        by_exit_code: true,
        ..Answer::deny()
    };
    ReadOutcome::plain(Outcome::Answer(Box::new(answer)))
}

struct Parsed<'a> {
    object: Payload,
    before: &'a str,
}

/// The whole text as an object, or the longest end of it that is one.
fn parse_object(text: &str) -> Option<Parsed<'_>> {
    if let Some(object) = object_of(text) {
        return Some(Parsed { object, before: "" });
    }
    // A log line before the JSON is tolerated; a book is not searched.
    if !text.ends_with('}') || text.len() > 1024 * 1024 {
        return None;
    }
    text.match_indices('{')
        .map(|(at, _)| at)
        .skip_while(|at| *at == 0)
        .take(64)
        .find_map(|at| object_of(&text[at..]).map(|object| Parsed { object, before: text[..at].trim() }))
}

/// An answer is forwarded to hosts whose parsers may not survive deep nesting.
const DEEPEST: usize = 128;

fn object_of(text: &str) -> Option<Payload> {
    if !text.starts_with('{') || depth(text) > DEEPEST {
        return None;
    }
    Payload::parse(text.as_bytes()).ok()
}

/// How deep brackets nest outside strings.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The object without what merely repeats the input; none when nothing else is left.
/// A refusing value is never taken for an echo: a payload may hold the very key
/// that the hook adds to it.
fn without_echo<'a>(object: &'a Payload, sent: &Payload) -> Option<Cow<'a, Payload>> {
    let echoes = |name: &str, value: &RawValue| {
        sent.get(name).is_some_and(|given| compact(value.get()) == compact(given.get()))
    };
    if !object.values("hook_event_name").any(|value| echoes("hook_event_name", value)) {
        return Some(Cow::Borrowed(object));
    }
    let mut left = object.clone();
    left.retain(|name, value| !echoes(name, value) || refusing_value(name, value).is_some());
    let says_more = left.written().next().is_some();
    says_more.then_some(Cow::Owned(left))
}

/// The first bytes of what a hook printed, on one line.
fn beginning(text: &str) -> String {
    let mut first: String = text.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > 80 {
        first.push('…');
    }
    format!("«{first}»")
}

#[cfg(test)]
#[path = "outcome/tests.rs"]
mod tests;

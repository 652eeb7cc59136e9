//! Reads what a finished hook meant.
//!
//! Exit code 0: the answer is the JSON on stdout, and empty stdout is no
//! opinion. Exit code 2: deny, on an event that can block. Anything else is a
//! failure; whether a failure blocks the action is decided in `merge`, not here.
//!
//! Pure: an `Exit` in, an `Outcome` out. No files, no clock, no environment.

use std::borrow::Cow;
use std::time::Duration;

use crate::answer::{Answer, Permission, read_answer};
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
            // A refusal that stands before the last object must not be lost to it.
            if !before.is_empty() && event.can_block() && refusal_in(before).is_some() {
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
    let refuses = read.answer.refuses();
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
    if let Some(permission) =
        refusal_in(text).filter(|_| event.can_block() && rules.broken_answer == BrokenAnswer::Failure)
    {
        let answer = Answer { permission: Some(permission), ..Answer::default() };
        return ReadOutcome::plain(Outcome::Answer(Box::new(answer))).warn(format!(
            "its answer is broken JSON ({first_bytes}), but a refusal can be read in it; {advice}"
        ));
    }
    ReadOutcome { blocks: blocks(event, rules), ..ReadOutcome::failed(Failure::NotJson(first_bytes)) }
        .warn(advice)
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
fn without_echo<'a>(object: &'a Payload, sent: &Payload) -> Option<Cow<'a, Payload>> {
    let echoes = |name: &str| match (object.get(name), sent.get(name)) {
        (Some(said), Some(given)) => compact(said.get()) == compact(given.get()),
        _ => false,
    };
    if !echoes("hook_event_name") {
        return Some(Cow::Borrowed(object));
    }
    let mut left = Payload::default();
    for (name, value) in object.fields().filter(|(name, _)| !echoes(name)) {
        left.set(name, value);
    }
    (!left.is_empty()).then_some(Cow::Owned(left))
}

/// The refusal that can still be read in a broken answer: a quote in a message
/// must not open the gate.
fn refusal_in(text: &str) -> Option<Permission> {
    const SIGNS: &[(&str, &str, Permission)] = &[
        (r#""permission""#, r#""deny""#, Permission::Deny),
        (r#""continue""#, "false", Permission::Deny),
        (r#""permissionDecision""#, r#""deny""#, Permission::Deny),
        (r#""decision""#, r#""block""#, Permission::Deny),
        (r#""permission""#, r#""ask""#, Permission::Ask),
        (r#""permissionDecision""#, r#""ask""#, Permission::Ask),
    ];
    SIGNS.iter().find(|(key, value, _)| has_pair(text, key, value)).map(|(_, _, permission)| *permission)
}

fn has_pair(text: &str, key: &str, value: &str) -> bool {
    text.match_indices(key).any(|(at, _)| {
        let rest = text[at + key.len()..].trim_start();
        rest.strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with(value))
    })
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
mod tests {
    use super::*;
    use crate::edition::Edition;

    fn exited(code: i32, stdout: &str) -> Exit {
        Exit {
            status: Status::Code(code),
            stdout: stdout.into(),
            stderr: Vec::new(),
            duration: Duration::ZERO,
            leaked: false,
        }
    }

    fn read_in(edition: Edition, event: &str, exit: &Exit) -> String {
        let event = EventKind::named(event).expect(event);
        let sent =
            Payload::parse(br#"{"hook_event_name":"preToolUse","agent_message":"hi"}"#).expect("an object");
        let read = read_outcome(exit, event, &sent, edition.rules());
        let blocks = if read.blocks { " and blocks" } else { "" };
        match read.outcome {
            Outcome::Answer(answer) => match answer.permission {
                Some(permission) => permission.name().to_owned(),
                None => format!("answer, continue {:?}", answer.proceed),
            },
            Outcome::NoOpinion => "no opinion".to_owned(),
            Outcome::Silent => "silent".to_owned(),
            Outcome::Failed(failure) => format!("failed: {failure}{blocks}"),
        }
    }

    fn read(exit: &Exit) -> String {
        read_in(Edition::Docs, "preToolUse", exit)
    }

    #[test]
    fn exit_code_decides_what_a_hook_meant() {
        let cases = [
            ("0 with an answer", exited(0, r#"{"permission":"ask"}"#), "ask"),
            ("0 and silent", exited(0, "\n"), "silent"),
            ("0 and an empty object", exited(0, "{}"), "no opinion"),
            ("2 denies, whatever stdout says", exited(2, r#"{"permission":"allow"}"#), "deny"),
            ("2 and nothing", exited(2, ""), "deny"),
            ("any other code is a failure", exited(7, ""), "failed: exited with code 7"),
            ("also with a refusal", exited(1, r#"{"permission":"deny"}"#), "failed: exited with code 1"),
        ];
        for (name, exit, expected) in cases {
            assert_eq!(read(&exit), expected, "{name}");
        }
    }

    #[test]
    fn stdout_is_read_generously() {
        let cases = [
            ("a byte order mark", "\u{feff}{\"permission\":\"deny\"}", "deny"),
            ("a log line before", "loading {x}\n{\"permission\":\"deny\",\"o\":{\"a\":1}}\n", "deny"),
            (
                "an echo of the input",
                r#"{"hook_event_name":"preToolUse","agent_message":"hi"}"#,
                "no opinion",
            ),
            (
                "an echo with an answer",
                r#"{"hook_event_name":"preToolUse","agent_message":"hi","permission":"deny"}"#,
                "deny",
            ),
            ("a refusal in broken JSON", r#"{"permission": "deny", "user_message": "say "no" "}"#, "deny"),
            ("a refusal, then an allow", "{\"permission\":\"deny\"}\n{\"permission\":\"allow\"}", "deny"),
            ("an ask in broken JSON", r#"{"permission" : "ask", x}"#, "ask"),
            ("plain text", "all good", "failed: printed something that is not JSON: «all good»"),
            ("a list", "[1]", "failed: printed something that is not JSON: «[1]»"),
            ("text behind", "{} x", "failed: printed something that is not JSON: «{} x»"),
            (
                "a word that is none",
                r#"{"permission":"maybe"}"#,
                "failed: returned an invalid response for this hook step: `permission` is `maybe`; write `allow`, `deny` or `ask`",
            ),
            (
                "a near miss",
                r#"{"Permission":"deny"}"#,
                "failed: answered with `Permission`, which is no key of an answer",
            ),
            (
                "a near miss beside a message",
                r#"{"Permission":"deny","user_message":"no"}"#,
                "failed: answered with `Permission`, which is no key of an answer",
            ),
            (
                "a near miss in Claude's form",
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permission_decision":"deny"}}"#,
                "failed: answered with `hookSpecificOutput.permission_decision`, which is no key of an answer",
            ),
            (
                "a native key in Claude's form",
                r#"{"hookSpecificOutput":{"permission":"deny"}}"#,
                "failed: answered with `hookSpecificOutput.permission`, which is no key of an answer",
            ),
            (
                "Claude's key outside of its object",
                r#"{"permissionDecision":"deny"}"#,
                "failed: answered with `permissionDecision`, which is no key of an answer",
            ),
            (
                "a list in Claude's form",
                r#"{"hookSpecificOutput":[{"permissionDecision":"deny"}]}"#,
                "failed: returned an invalid response for this hook step: `hookSpecificOutput` must be an object, not a list",
            ),
        ];
        for (name, stdout, expected) in cases {
            assert_eq!(read(&exited(0, stdout)), expected, "{name}");
        }
    }

    #[test]
    fn editions_differ_in_what_a_broken_answer_means() {
        let text = exited(0, "hello");
        let broken_deny = exited(0, r#"{"permission":"deny" x"#);
        let cases = [
            (Edition::V2_3, "beforeShellExecution", &broken_deny, "failed"),
            (Edition::Docs, "beforeShellExecution", &broken_deny, "deny"),
            (
                Edition::V2026_09,
                "beforeShellExecution",
                &text,
                "failed: printed something that is not JSON: «hello» and blocks",
            ),
            (
                Edition::V2026_09,
                "beforeSubmitPrompt",
                &text,
                "failed: printed something that is not JSON: «hello»",
            ),
            (Edition::Docs, "afterFileEdit", &text, "no opinion"),
            (Edition::Docs, "stop", &text, "failed: printed something that is not JSON: «hello»"),
        ];
        for (edition, event, exit, expected) in cases {
            let got = read_in(edition, event, exit);
            assert!(got.starts_with(expected), "{edition:?} {event}: {got}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_without_a_crash() {
        let deep =
            format!("{{\"permission\":\"deny\",\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(&exited(0, &deep)), "deny", "a refusal is still read");
        let deep = deep.replace("deny", "allow");
        assert!(read(&exited(0, &deep)).starts_with("failed"), "an allow is not");
    }

    #[test]
    fn words_of_a_refusal_come_from_stdout_then_stderr() {
        let event = EventKind::BeforeShellExecution;
        let rules = Edition::Docs.rules();
        let mut exit = exited(2, "");
        exit.stderr = b" from stderr \n".to_vec();
        let words = |exit: &Exit| match read_outcome(exit, event, &Payload::default(), rules).outcome {
            Outcome::Answer(answer) => answer.user_message,
            _ => None,
        };
        assert_eq!(words(&exit).as_deref(), Some("from stderr"));
        exit.stdout = br#"{"user_message":"from stdout"}"#.to_vec();
        assert_eq!(words(&exit).as_deref(), Some("from stdout"));
    }
}

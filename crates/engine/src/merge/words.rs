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
        let (label, said) = (heard.hook.definition.label(), said_on_stderr(&heard.stderr()));
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

/// The line of a failed hook's stderr that most likely says why, cut, as words
/// behind the failure; empty where it says nothing.
pub fn said_on_stderr(stderr: &str) -> String {
    const LONGEST: usize = 200;
    match telling_line(stderr) {
        Some(line) => format!(" (stderr: {})", line.chars().take(LONGEST).collect::<String>()),
        None => String::new(),
    }
}

/// Shells and most programs say it first, and how they are used behind that.
/// Python prints where it was before what went wrong, Node prints both between
/// its source and its stack.
fn telling_line(stderr: &str) -> Option<&str> {
    let lines = || stderr.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    let first = lines().next()?.trim();
    let is_flush = |line: &&str| !line.starts_with([' ', '\t']);
    let of_python = first.starts_with("File \"") || lines().any(|line| line.starts_with("Traceback (most"));
    if of_python {
        return lines().rfind(is_flush).or(Some(first));
    }
    let of_node = lines().position(|line| line.starts_with("    at "));
    let reason = of_node.and_then(|stack| lines().take(stack).filter(is_flush).last());
    reason.or(Some(first))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_why_is_found() {
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import nope\nModuleNotFoundError: No module named 'nope'\n";
        let syntax = "  File \"a.py\", line 3\n    foo(\n       ^\nSyntaxError: '(' was never closed\n";
        let node = "/p/a.js:1\nthrow new Error('x y')\n^\n\nError: x y\n    at Object.<anonymous> (/p/a.js:1:7)\n    at node:internal\n\nNode.js v20.1.0\n";
        let cases = [
            ("", None),
            (" \n\n", None),
            ("/bin/sh: 1: nope: not found\n", Some("/bin/sh: 1: nope: not found")),
            ("\ntool: unknown option -x\nusage: tool [-y]\n", Some("tool: unknown option -x")),
            (python, Some("ModuleNotFoundError: No module named 'nope'")),
            (&format!("starting\n{python}"), Some("ModuleNotFoundError: No module named 'nope'")),
            (syntax, Some("SyntaxError: '(' was never closed")),
            (node, Some("Error: x y")),
            ("    at nothing\n", Some("at nothing")),
            ("Traceback (most recent call last):", Some("Traceback (most recent call last):")),
        ];
        for (stderr, expected) in cases {
            assert_eq!(telling_line(stderr), expected, "{stderr}");
        }
    }
}

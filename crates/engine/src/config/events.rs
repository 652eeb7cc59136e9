//! The name of an event as written → the event that was meant.
//!
//! A name in another case and Claude Code's own names have one meaning: their
//! hooks run, with a warning. Any other name runs nothing; the warning says
//! which name was probably meant.

use super::nearest::{self, Nearest};
use crate::dialect::claude::without_counterpart;
use crate::event::{EVENTS, EventKind};

/// What a key of `hooks` means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// An event, spelt as it should be.
    Exactly(EventKind),
    /// An event, spelt in another way that cannot be mistaken.
    Meant(EventKind),
    /// No event.
    Unknown(Guess),
}

/// What an unknown name may have been meant to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// This event.
    Event(EventKind),
    /// This event, with a matcher.
    Matched(EventKind, &'static str),
    /// One of these.
    Several(Vec<&'static str>),
    /// An event of Claude Code that has no counterpart here.
    ClaudeOnly,
    /// Who knows.
    Nothing,
}

/// Reads a key of `hooks`.
pub(super) fn named(name: &str) -> Named {
    if let Some(event) = EventKind::named(name) {
        return Named::Exactly(event);
    }
    let other_case = EVENTS.iter().find(|spec| spec.name.eq_ignore_ascii_case(name));
    let claude = CLAUDE_NAMES.iter().find(|(claude, _)| *claude == name);
    match (other_case, claude) {
        (Some(spec), _) => Named::Meant(spec.kind),
        (None, Some((_, event))) => Named::Meant(*event),
        (None, None) => Named::Unknown(guess(name)),
    }
}

fn guess(name: &str) -> Guess {
    if without_counterpart(name) {
        return Guess::ClaudeOnly;
    }
    let bare = nearest::bare(name);
    if WRITE_GATES.contains(&bare.as_str()) {
        return Guess::Matched(EventKind::PreToolUse, "Write");
    }
    if let Some((_, event)) = NEAR_MISSES.iter().find(|(miss, _)| *miss == bare) {
        return Guess::Event(*event);
    }
    match nearest::nearest(name, EVENTS.iter().map(|spec| spec.name)) {
        Nearest::One(name) => EventKind::named(name).map_or(Guess::Nothing, Guess::Event),
        Nearest::Several(names) => Guess::Several(names),
        Nearest::Nothing => Guess::Nothing,
    }
}

/// Claude Code's names that are more than a matter of case.
const CLAUDE_NAMES: &[(&str, EventKind)] = &[("UserPromptSubmit", EventKind::BeforeSubmitPrompt)];

/// Names people use for the gate before a file is written, without case and hyphens.
const WRITE_GATES: &[&str] =
    &["beforewritefile", "beforefilewrite", "beforefileedit", "beforeeditfile", "beforewrite", "beforeedit"];

/// Names people use for an event and that no count of letters finds.
const NEAR_MISSES: &[(&str, EventKind)] = &[
    ("beforeshellcommand", EventKind::BeforeShellExecution),
    ("beforecommand", EventKind::BeforeShellExecution),
    ("beforeshell", EventKind::BeforeShellExecution),
    ("aftershellcommand", EventKind::AfterShellExecution),
    ("aftercommand", EventKind::AfterShellExecution),
    ("aftershell", EventKind::AfterShellExecution),
    ("beforemcpcall", EventKind::BeforeMcpExecution),
    ("beforemcptoolcall", EventKind::BeforeMcpExecution),
    ("beforetoolcall", EventKind::PreToolUse),
    ("beforetooluse", EventKind::PreToolUse),
    ("pretoolcall", EventKind::PreToolUse),
    ("aftertoolcall", EventKind::PostToolUse),
    ("aftertooluse", EventKind::PostToolUse),
    ("posttoolcall", EventKind::PostToolUse),
    ("beforefileread", EventKind::BeforeReadFile),
    ("afterfilewrite", EventKind::AfterFileEdit),
    ("afterwritefile", EventKind::AfterFileEdit),
    ("aftereditfile", EventKind::AfterFileEdit),
    ("beforepromptsubmit", EventKind::BeforeSubmitPrompt),
    ("beforeprompt", EventKind::BeforeSubmitPrompt),
    ("promptsubmit", EventKind::BeforeSubmitPrompt),
    ("beforecompact", EventKind::PreCompact),
    ("onstop", EventKind::Stop),
    ("afterstop", EventKind::Stop),
];

#[cfg(test)]
mod tests {
    use super::*;
    use EventKind::*;

    #[test]
    fn a_name_means_an_event_or_suggests_one() {
        let cases = [
            ("stop", Named::Exactly(Stop)),
            ("beforeMCPExecution", Named::Exactly(BeforeMcpExecution)),
            ("Stop", Named::Meant(Stop)),
            ("PreToolUse", Named::Meant(PreToolUse)),
            ("PostToolUseFailure", Named::Meant(PostToolUseFailure)),
            ("SessionStart", Named::Meant(SessionStart)),
            ("UserPromptSubmit", Named::Meant(BeforeSubmitPrompt)),
            ("beforeMcpExecution", Named::Meant(BeforeMcpExecution)),
            ("beforeshellexecution", Named::Meant(BeforeShellExecution)),
            ("beforeShellCommand", Named::Unknown(Guess::Event(BeforeShellExecution))),
            ("beforeShellExec", Named::Unknown(Guess::Event(BeforeShellExecution))),
            ("beforeShellExecutoin", Named::Unknown(Guess::Event(BeforeShellExecution))),
            ("beforeToolCall", Named::Unknown(Guess::Event(PreToolUse))),
            ("pre-tool", Named::Unknown(Guess::Event(PreToolUse))),
            ("pre_tool_use", Named::Unknown(Guess::Event(PreToolUse))),
            ("session-start", Named::Unknown(Guess::Event(SessionStart))),
            ("beforePromptSubmit", Named::Unknown(Guess::Event(BeforeSubmitPrompt))),
            ("beforeWriteFile", Named::Unknown(Guess::Matched(PreToolUse, "Write"))),
            ("post-tool", Named::Unknown(Guess::Several(vec!["postToolUse", "postToolUseFailure"]))),
            ("Notification", Named::Unknown(Guess::ClaudeOnly)),
            ("afterTestRun", Named::Unknown(Guess::Nothing)),
            ("pre_commit", Named::Unknown(Guess::Nothing)),
            ("daily_metrics", Named::Unknown(Guess::Nothing)),
            ("", Named::Unknown(Guess::Nothing)),
        ];
        for (name, expected) in cases {
            assert_eq!(named(name), expected, "{name}");
        }
    }
}

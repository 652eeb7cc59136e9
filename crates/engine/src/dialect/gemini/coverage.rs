//! What of our events and answers Gemini CLI has.

use crate::agent::{Covered, Effect, Reach};
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::{Applied, Degraded, Lost};
use Reach::{Enforced, NotAvailable, Observed};

type Fields = &'static [(AnswerField, Effect)];

const ASKS_WHEN_SET: Effect = Degraded(
    "`ask` is a refusal unless the user set otherwise: without a terminal Gemini waits for ever; `allow` never skips its prompt",
);
const GATE: Fields = &[(Permission, ASKS_WHEN_SET), (UserMessage, Applied), (AgentMessage, Applied)];
const NOTHING: Fields = &[];

const fn row(event: EventKind, reach: Reach, fields: Fields, note: &'static str) -> Covered {
    Covered { event, reach, fields, note }
}

/// Every event of ours.
#[rustfmt::skip]
pub(super) const COVERAGE: &[Covered] = &[
    row(EventKind::SessionStart, Observed,
        &[(Env, Degraded("later hooks get it; Gemini and its commands do not")), (AdditionalContext, Applied)],
        "context stands before the first prompt, and prompt hooks see it there"),
    row(EventKind::SessionEnd, Observed, NOTHING, ""),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, ASKS_WHEN_SET), (UserMessage, Applied), (AgentMessage, Applied),
          (UpdatedInput, Applied), (AdditionalContext, Lost("Gemini reads none before a tool; beside a refusal it goes with the reason"))],
        "a subagent's calls look like the agent's own"),
    row(EventKind::PostToolUse, Observed,
        &[(AdditionalContext, Applied), (UpdatedMcpToolOutput, Degraded("its text takes the place of the output, as an error"))],
        ""),
    row(EventKind::PostToolUseFailure, Observed, &[(AdditionalContext, Degraded("told below the error"))], ""),
    row(EventKind::SubagentStart, Enforced,
        &[(Permission, Applied), (UserMessage, Applied)], "asked when `invoke_agent` is called"),
    row(EventKind::SubagentStop, NotAvailable,
        &[(FollowupMessage, Lost("there is no such event")), (AdditionalContext, Lost("there is no such event"))],
        "the end of a subagent is the postToolUse of its Task"),
    row(EventKind::BeforeShellExecution, Enforced, GATE, ""),
    row(EventKind::AfterShellExecution, Observed, NOTHING, ""),
    row(EventKind::BeforeMcpExecution, Enforced, GATE, ""),
    row(EventKind::AfterMcpExecution, Observed, NOTHING, ""),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, Applied), (UserMessage, Applied), (NewContent, Degraded("the read is refused, with the new content as the reason"))],
        "files that a prompt mentions with `@` are read without being asked about; prompt hooks see their text in the prompt"),
    row(EventKind::AfterFileEdit, Observed, NOTHING, ""),
    row(EventKind::BeforeSubmitPrompt, Enforced,
        &[(Continue, Applied), (UserMessage, Applied), (AdditionalContext, Applied)],
        "the prompt holds the text of the files it mentions; a follow-up of a stop hook comes as a prompt too"),
    row(EventKind::PreCompact, NotAvailable, &[(UserMessage, Lost("there is no such event"))],
        "Gemini's PreCompress fires before every call of the model, whether or not anything is compacted"),
    row(EventKind::Stop, Observed, &[(FollowupMessage, Applied)], ""),
    row(EventKind::AfterAgentResponse, Observed,
        &[(Permission, Lost("the response was shown already")), (UserMessage, Degraded("shown behind the response"))],
        "once for each turn, at its end, with all of the turn's messages"),
    row(EventKind::AfterAgentThought, NotAvailable, NOTHING, "Gemini tells its thoughts only call by call of the model, which would cost a hook each"),
    row(EventKind::BeforeTabFileRead, NotAvailable,
        &[(Permission, Lost("there is no Tab")), (NewContent, Lost("there is no Tab"))], "there is no Tab"),
    row(EventKind::AfterTabFileEdit, NotAvailable, NOTHING, "there is no Tab"),
    row(EventKind::WorkspaceOpen, NotAvailable, &[(PluginPaths, Lost("there is no such event"))], "there is no such event"),
];

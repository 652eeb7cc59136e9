//! What of our events and answers Copilot has.

use crate::agent::{Covered, Effect, Reach};
use crate::dialect::claude::agent::{NO_TAB, NO_TAB_EDIT, NO_WORKSPACE, row};
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::*;
use Reach::*;

const SAME_TEXT: Effect = Degraded("person and model read the text meant for the model");

/// One row for each of our events.
#[rustfmt::skip]
pub(super) const COVERAGE: &[Covered] = &[
    row(EventKind::SessionStart, Observed,
        &[(Env, Degraded("reaches later hooks, not the commands of the agent")), (AdditionalContext, Applied)],
        "may be told after the first prompt"),
    row(EventKind::SessionEnd, Observed, &[], ""),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, Applied), (UserMessage, SAME_TEXT), (AgentMessage, Applied), (UpdatedInput, Applied), (AdditionalContext, Applied)],
        "without a person in front of it, Copilot refuses what is to be asked"),
    row(EventKind::PostToolUse, Observed, &[(AdditionalContext, Applied), (UpdatedMcpToolOutput, Degraded("as text"))],
        "how long a tool took is measured here"),
    row(EventKind::PostToolUseFailure, Observed, &[(AdditionalContext, Applied)],
        "a call that was refused is not told; a command that fails is, by its exit code"),
    row(EventKind::SubagentStart, Enforced, &[(Permission, Applied), (UserMessage, SAME_TEXT)],
        "asked when the tool `task` is called"),
    row(EventKind::SubagentStop, Observed, &[(FollowupMessage, Applied), (AdditionalContext, Lost("Copilot takes none there"))], ""),
    row(EventKind::BeforeShellExecution, Enforced, &[(Permission, Applied), (UserMessage, SAME_TEXT), (AgentMessage, Applied)],
        "what is typed into a shell that runs is told as a command"),
    row(EventKind::AfterShellExecution, Observed, &[], "a command in the background is told when it starts"),
    row(EventKind::BeforeMcpExecution, Enforced, &[(Permission, Applied), (UserMessage, SAME_TEXT), (AgentMessage, Applied)],
        "`server-tool` is taken apart by the servers that are configured"),
    row(EventKind::AfterMcpExecution, Observed, &[], "the result is the text the model reads"),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, Applied), (UserMessage, SAME_TEXT), (NewContent, Degraded("the read is refused, and the redacted text is in the reason"))],
        "files mentioned with `@` reach the model without a tool call"),
    row(EventKind::AfterFileEdit, Observed, &[], "the text a created file replaced is not told"),
    row(EventKind::BeforeSubmitPrompt, Enforced, &[(Continue, Applied), (UserMessage, Applied), (AdditionalContext, Applied)],
        "with `-p`, a refused prompt ends Copilot with exit code 1"),
    row(EventKind::PreCompact, Observed, &[(UserMessage, Lost("Copilot shows nothing of it"))], "how full the context is, is not told"),
    row(EventKind::Stop, Observed, &[(FollowupMessage, Applied)], "a follow-up comes back as a prompt, and is known again by its text"),
    row(EventKind::AfterAgentResponse, NotAvailable,
        &[(Permission, Lost("Copilot tells no hook what it answered")), (UserMessage, Lost("Copilot tells no hook what it answered"))],
        "Copilot tells no hook what it answered"),
    row(EventKind::AfterAgentThought, NotAvailable, &[], "Copilot tells no hook what it thinks"),
    NO_TAB,
    NO_TAB_EDIT,
    NO_WORKSPACE,
];

//! What of our events and answers Claude Code has.

use crate::agent::{Covered, Effect, Reach};
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::*;
use Reach::*;

/// One row.
pub(in crate::dialect) const fn row(
    event: EventKind,
    reach: Reach,
    fields: &'static [(AnswerField, Effect)],
    note: &'static str,
) -> Covered {
    Covered { event, reach, fields, note }
}

const TAB: &str = "there is no Tab";
/// No Tab, so nothing it reads.
pub(in crate::dialect) const NO_TAB: Covered =
    row(EventKind::BeforeTabFileRead, NotAvailable, &[(Permission, Lost(TAB)), (NewContent, Lost(TAB))], TAB);
/// No Tab, so nothing it edits.
pub(in crate::dialect) const NO_TAB_EDIT: Covered = row(EventKind::AfterTabFileEdit, NotAvailable, &[], TAB);
/// No window that opens workspaces.
pub(in crate::dialect) const NO_WORKSPACE: Covered = row(
    EventKind::WorkspaceOpen,
    NotAvailable,
    &[(PluginPaths, Lost("it is not told when a workspace opens"))],
    "it is not told when a workspace opens",
);

/// Claude Code.
#[rustfmt::skip]
pub(super) const CLAUDE: &[Covered] = &[
    row(EventKind::SessionStart, Observed, &[(Env, Applied), (AdditionalContext, Applied)],
        "fires again after `/clear` and after a compaction, as `source` says"),
    row(EventKind::SessionEnd, Observed, &[], ""),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, Applied), (UserMessage, Applied), (AgentMessage, Applied), (UpdatedInput, Applied), (AdditionalContext, Applied)],
        "files mentioned with `@` reach the model without a tool call"),
    row(EventKind::PostToolUse, Observed, &[(AdditionalContext, Applied), (UpdatedMcpToolOutput, Applied)],
        "a subagent or command in the background is told when it starts"),
    row(EventKind::PostToolUseFailure, Observed, &[(AdditionalContext, Applied)],
        "a call that the user or a permission rule refused is not told"),
    row(EventKind::SubagentStart, Enforced, &[(Permission, Applied), (UserMessage, Applied)],
        "`subagent_type` is Claude Code's word, such as `general-purpose`"),
    row(EventKind::SubagentStop, Observed, &[(FollowupMessage, Applied), (AdditionalContext, Degraded("the subagent goes on once more to read it"))],
        "`subagent_type` is Claude Code's word, such as `general-purpose`"),
    row(EventKind::BeforeShellExecution, Enforced, &[(Permission, Applied), (UserMessage, Applied), (AgentMessage, Applied)], ""),
    row(EventKind::AfterShellExecution, Observed, &[], "a command in the background is told when it starts, without its output"),
    row(EventKind::BeforeMcpExecution, Enforced, &[(Permission, Applied), (UserMessage, Applied), (AgentMessage, Applied)], ""),
    row(EventKind::AfterMcpExecution, Observed, &[], ""),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, Applied), (UserMessage, Applied), (NewContent, Degraded("the read is refused, and the refusal holds the new content"))],
        "files mentioned with `@` reach the model without a tool call"),
    row(EventKind::AfterFileEdit, Observed, &[], ""),
    row(EventKind::BeforeSubmitPrompt, Enforced, &[(Continue, Applied), (UserMessage, Applied), (AdditionalContext, Applied)], ""),
    row(EventKind::PreCompact, Observed, &[(UserMessage, Applied)], "how full the context is, is not told"),
    row(EventKind::Stop, Observed, &[(FollowupMessage, Applied)], "a turn that the user interrupted is not told"),
    row(EventKind::AfterAgentResponse, Observed,
        &[(Permission, Lost("the message was shown before it is told")), (UserMessage, Applied)], "the last message of a turn"),
    row(EventKind::AfterAgentThought, NotAvailable, &[], "thinking is not told"),
    NO_TAB,
    NO_TAB_EDIT,
    NO_WORKSPACE,
];

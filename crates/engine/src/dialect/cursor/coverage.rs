//! What of our events and answers Cursor has, for hooks that it does not run
//! itself.

use crate::agent::{Covered, Effect, Reach};
use crate::dialect::claude::agent::row;
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::*;
use Reach::*;

const REFUSES: Effect = Degraded("`ask` is a refusal: Cursor does not ask at preToolUse");
const AT_FIRST: &str = "asked at preToolUse";
const TOLD: &str = "told by postToolUse";
const OWN: &str = "Cursor asks the hooks of its own files, and nobody else";

/// Cursor.
#[rustfmt::skip]
pub(super) const CURSOR: &[Covered] = &[
    row(EventKind::SessionStart, Observed, &[(Env, Applied), (AdditionalContext, Applied)], ""),
    row(EventKind::SessionEnd, Observed, &[], ""),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, REFUSES), (UserMessage, Applied), (AgentMessage, Applied), (UpdatedInput, Applied), (AdditionalContext, Applied)], ""),
    row(EventKind::PostToolUse, Observed, &[(AdditionalContext, Applied), (UpdatedMcpToolOutput, Applied)], ""),
    row(EventKind::PostToolUseFailure, Observed, &[(AdditionalContext, Applied)], ""),
    row(EventKind::SubagentStart, Enforced, &[(Permission, Applied), (UserMessage, Applied)], AT_FIRST),
    row(EventKind::SubagentStop, Observed, &[(FollowupMessage, Applied), (AdditionalContext, Applied)], ""),
    row(EventKind::BeforeShellExecution, Enforced, &[(Permission, REFUSES), (UserMessage, Applied), (AgentMessage, Applied)], AT_FIRST),
    row(EventKind::AfterShellExecution, Observed, &[], TOLD),
    row(EventKind::BeforeMcpExecution, Enforced, &[(Permission, REFUSES), (UserMessage, Applied), (AgentMessage, Applied)], AT_FIRST),
    row(EventKind::AfterMcpExecution, Observed, &[], TOLD),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, Applied), (UserMessage, Applied), (NewContent, Degraded("the read is refused, and the refusal holds the new content"))], AT_FIRST),
    row(EventKind::AfterFileEdit, Observed, &[], TOLD),
    row(EventKind::BeforeSubmitPrompt, Enforced, &[(Continue, Applied), (UserMessage, Applied), (AdditionalContext, Applied)], ""),
    row(EventKind::PreCompact, Observed, &[(UserMessage, Applied)], ""),
    row(EventKind::Stop, Observed, &[(FollowupMessage, Applied)], ""),
    row(EventKind::AfterAgentResponse, Enforced, &[(Permission, Applied), (UserMessage, Applied)], ""),
    row(EventKind::AfterAgentThought, Observed, &[], ""),
    row(EventKind::BeforeTabFileRead, NotAvailable, &[(Permission, Lost(OWN)), (NewContent, Lost(OWN))], OWN),
    row(EventKind::AfterTabFileEdit, NotAvailable, &[], OWN),
    row(EventKind::WorkspaceOpen, NotAvailable, &[(PluginPaths, Lost(OWN))], OWN),
];

//! What of our events and answers Windsurf has, by its documentation.

use crate::agent::{Covered, Effect, Reach};
use crate::dialect::claude::agent::row;
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::*;
use Reach::*;

const NO_ASK: Effect = Degraded("`ask` refuses: Windsurf cannot ask for a hook");
const NO_CONTEXT: Effect = Lost("Windsurf takes no context from hooks");
const ONE_TEXT: Effect = Degraded("person and model read one text");
const NOT_TOLD: &str = "Windsurf has no such hook";
const COMPLETION: &str = "Windsurf's own completion runs no hook";

/// One row for each of our events.
#[rustfmt::skip]
pub(super) const COVERAGE: &[Covered] = &[
    row(EventKind::SessionStart, NotAvailable, &[(Env, Lost(NOT_TOLD)), (AdditionalContext, Lost(NOT_TOLD))], NOT_TOLD),
    row(EventKind::SessionEnd, NotAvailable, &[], NOT_TOLD),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, NO_ASK), (UserMessage, ONE_TEXT), (AgentMessage, ONE_TEXT),
          (UpdatedInput, Degraded("the call is refused, and the wanted input is in the reason")), (AdditionalContext, NO_CONTEXT)],
        "for commands, reads, edits and MCP tools; searches and other tools are not told"),
    row(EventKind::PostToolUse, Observed,
        &[(AdditionalContext, NO_CONTEXT), (UpdatedMcpToolOutput, Lost("Windsurf cannot be given another output"))],
        "without the output, except for MCP tools"),
    row(EventKind::PostToolUseFailure, NotAvailable, &[(AdditionalContext, Lost(NOT_TOLD))], NOT_TOLD),
    row(EventKind::SubagentStart, NotAvailable, &[(Permission, Lost(NOT_TOLD)), (UserMessage, Lost(NOT_TOLD))], NOT_TOLD),
    row(EventKind::SubagentStop, NotAvailable, &[(FollowupMessage, Lost(NOT_TOLD)), (AdditionalContext, Lost(NOT_TOLD))], NOT_TOLD),
    row(EventKind::BeforeShellExecution, Enforced, &[(Permission, NO_ASK), (UserMessage, ONE_TEXT), (AgentMessage, ONE_TEXT)], ""),
    row(EventKind::AfterShellExecution, Observed, &[], "without output and exit code"),
    row(EventKind::BeforeMcpExecution, Enforced, &[(Permission, NO_ASK), (UserMessage, ONE_TEXT), (AgentMessage, ONE_TEXT)], ""),
    row(EventKind::AfterMcpExecution, Observed, &[], ""),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, Applied), (UserMessage, ONE_TEXT), (NewContent, Degraded("the read is refused, and the redacted text is in the reason"))],
        "a directory may be read as a whole"),
    row(EventKind::AfterFileEdit, Observed, &[], ""),
    row(EventKind::BeforeSubmitPrompt, Enforced, &[(Continue, Applied), (UserMessage, Applied), (AdditionalContext, NO_CONTEXT)], ""),
    row(EventKind::PreCompact, NotAvailable, &[(UserMessage, Lost(NOT_TOLD))], NOT_TOLD),
    row(EventKind::Stop, NotAvailable, &[(FollowupMessage, Lost(NOT_TOLD))], NOT_TOLD),
    row(EventKind::AfterAgentResponse, Observed,
        &[(Permission, Lost("it was shown already")), (UserMessage, Lost("it was shown already"))], "Windsurf does not wait for it"),
    row(EventKind::AfterAgentThought, NotAvailable, &[], NOT_TOLD),
    row(EventKind::BeforeTabFileRead, NotAvailable, &[(Permission, Lost(COMPLETION)), (NewContent, Lost(COMPLETION))], COMPLETION),
    row(EventKind::AfterTabFileEdit, NotAvailable, &[], COMPLETION),
    row(EventKind::WorkspaceOpen, NotAvailable, &[(PluginPaths, Lost(NOT_TOLD))], NOT_TOLD),
];

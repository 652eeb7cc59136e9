//! What of our events and answers Cline has.

use crate::agent::{Covered, Effect, Reach};
use crate::dialect::claude::agent::{NO_TAB, NO_TAB_EDIT, NO_WORKSPACE, row};
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::*;
use Reach::*;

const REPLACED: Effect =
    Degraded("a refused call is replaced by one that fails with the reason; `ask` refuses");
const REPLACED_OR_ENDED: Effect = Degraded(
    "a refused call is replaced by one that fails with the reason, one of MCP or of a tool unknown to us ends the run; `ask` refuses",
);
const ENDS: Effect = Degraded("a refusal ends the whole run; `ask` refuses");
const SAME_TEXT: Effect = Degraded("person and model read the text meant for the model");
const UNSHOWN: Effect = Degraded("Cline shows that the run was aborted, and not why; `boathook log` does");
const UNSHOWN_AT_ENDS: Effect = Degraded("not shown where the refusal ends the run; `boathook log` has it");
const UNHEARD: Effect = Lost("Cline does not wait for the answer");

/// One row for each of our events.
#[rustfmt::skip]
pub(super) const COVERAGE: &[Covered] = &[
    row(EventKind::SessionStart, Observed, &[(Env, Degraded("reaches later hooks, not the commands of the agent")), (AdditionalContext, UNHEARD)],
        "once for a session, though Cline tells it at every run; Cline does not wait"),
    row(EventKind::SessionEnd, Observed, &[], "told only when a run was aborted"),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, REPLACED_OR_ENDED), (UserMessage, SAME_TEXT), (AgentMessage, UNSHOWN_AT_ENDS), (UpdatedInput, Applied), (AdditionalContext, Applied)],
        "Cline waits 120 seconds and then runs the tool; hooks that are not done after 115 count as timed out"),
    row(EventKind::PostToolUse, Observed, &[(AdditionalContext, Applied), (UpdatedMcpToolOutput, Lost("Cline cannot be given another output"))], ""),
    row(EventKind::PostToolUseFailure, Observed, &[(AdditionalContext, Applied)], ""),
    row(EventKind::SubagentStart, Enforced, &[(Permission, REPLACED), (UserMessage, SAME_TEXT)], "asked when `spawn_agent` is called; it has no `subagent_type`"),
    row(EventKind::SubagentStop, Observed, &[(FollowupMessage, UNHEARD), (AdditionalContext, UNHEARD)], ""),
    row(EventKind::BeforeShellExecution, Enforced, &[(Permission, REPLACED), (UserMessage, SAME_TEXT), (AgentMessage, Applied)],
        "asked for every command of a call; one that is refused holds back all of them"),
    row(EventKind::AfterShellExecution, Observed, &[], "commands of one call come back together, with one output"),
    row(EventKind::BeforeMcpExecution, Enforced, &[(Permission, ENDS), (UserMessage, UNSHOWN), (AgentMessage, UNSHOWN)], ""),
    row(EventKind::AfterMcpExecution, Observed, &[], ""),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, REPLACED), (UserMessage, SAME_TEXT), (NewContent, Degraded("the read is refused, and the model reads the redacted text beside it"))],
        ""),
    row(EventKind::AfterFileEdit, Observed, &[], ""),
    row(EventKind::BeforeSubmitPrompt, Observed, &[(Continue, UNHEARD), (UserMessage, UNHEARD), (AdditionalContext, UNHEARD)],
        "the first prompt of a headless run is not told, and Cline does not wait for any"),
    row(EventKind::PreCompact, NotAvailable, &[(UserMessage, Lost("Cline runs no hook before it compacts"))], "Cline runs no hook before it compacts"),
    row(EventKind::Stop, Observed, &[(FollowupMessage, UNHEARD)], ""),
    row(EventKind::AfterAgentResponse, Observed,
        &[(Permission, UNHEARD), (UserMessage, UNHEARD)], "the last message of a run"),
    row(EventKind::AfterAgentThought, NotAvailable, &[], "Cline tells no hook what it thinks"),
    NO_TAB,
    NO_TAB_EDIT,
    NO_WORKSPACE,
];

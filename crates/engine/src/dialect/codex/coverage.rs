//! What of our events and answers Codex has.

use crate::agent::{Covered, Effect, Reach};
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::{Applied, Degraded, Lost};
use Reach::{Enforced, NotAvailable, Observed};

type Fields = &'static [(AnswerField, Effect)];

const NEVER_ASKS: Effect = Degraded(
    "`ask` is a refusal that says so: Codex runs the tool when a hook asks; `allow` never skips its prompt",
);
const TO_USER: Effect = Degraded("shown as a warning beside the refusal; `codex exec` does not show it");
const GATE: Fields = &[(Permission, NEVER_ASKS), (UserMessage, TO_USER), (AgentMessage, Applied)];
const NOTHING: Fields = &[];

const fn row(event: EventKind, reach: Reach, fields: Fields, note: &'static str) -> Covered {
    Covered { event, reach, fields, note }
}

/// Every event of ours.
#[rustfmt::skip]
pub(super) const COVERAGE: &[Covered] = &[
    row(EventKind::SessionStart, Observed,
        &[(Env, Degraded("later hooks get it; Codex and its commands do not")), (AdditionalContext, Applied)],
        "fires with the first prompt, and again after a compaction"),
    row(EventKind::SessionEnd, Observed, NOTHING, "hooks have 3 seconds in all; no reason is told"),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, NEVER_ASKS), (UserMessage, TO_USER), (AgentMessage, Applied),
          (UpdatedInput, Degraded("of a patch where a patch can say it, else the call is refused with the wanted input; of a command only the command")),
          (AdditionalContext, Applied)],
        "a patch is a `Write` or `Delete` for each file, also when a command line hands it to `apply_patch`"),
    row(EventKind::PostToolUse, Observed,
        &[(AdditionalContext, Applied), (UpdatedMcpToolOutput, Degraded("its text takes the place of the output"))],
        "calls that failed are not told, and neither is a command line that is nothing but a patch; how a command ended is not told"),
    row(EventKind::PostToolUseFailure, Observed,
        &[(AdditionalContext, Lost("the refusal was told before"))],
        "only for calls that a hook refused: Codex tells of no failure and no exit code"),
    row(EventKind::SubagentStart, Enforced, &[(Permission, Applied), (UserMessage, TO_USER)],
        "asked when a collaboration tool starts a subagent or sends one on: `spawn_agent`, `followup_task`, `send_message`, `send_input`, `resume_agent`"),
    row(EventKind::SubagentStop, Observed,
        &[(FollowupMessage, Applied), (AdditionalContext, Lost("Codex takes none here"))], ""),
    row(EventKind::BeforeShellExecution, Enforced, GATE, "what is typed into a command that runs already is not told; `unseen_input` says so in the payload"),
    row(EventKind::AfterShellExecution, Observed, NOTHING, "a command line that is nothing but a patch is not told, nor is a command that Codex leaves running"),
    row(EventKind::BeforeMcpExecution, Enforced, GATE, ""),
    row(EventKind::AfterMcpExecution, Observed, NOTHING, "calls that failed are not told"),
    row(EventKind::BeforeReadFile, NotAvailable,
        &[(Permission, Lost("there is no such call")), (UserMessage, Lost("there is no such call")), (NewContent, Lost("there is no such call"))],
        "Codex reads files through the shell: guard them with beforeShellExecution; only pictures it opens with `view_image` are asked about"),
    row(EventKind::AfterFileEdit, Observed, NOTHING,
        "from `apply_patch`, one event for each file; not for a patch in a command line that is nothing else, nor for what commands write"),
    row(EventKind::BeforeSubmitPrompt, Enforced,
        &[(Continue, Applied), (UserMessage, Degraded("`codex exec` says that a hook blocked the prompt, and not why")), (AdditionalContext, Applied)], ""),
    row(EventKind::PreCompact, Observed, &[(UserMessage, Degraded("shown as a warning; `codex exec` does not show it"))],
        "how full the context is, is not told"),
    row(EventKind::Stop, Observed, &[(FollowupMessage, Applied)], ""),
    row(EventKind::AfterAgentResponse, Observed,
        &[(Permission, Lost("the response was shown already")), (UserMessage, Degraded("shown as a warning"))],
        "the last message of a turn, at its end"),
    row(EventKind::AfterAgentThought, NotAvailable, NOTHING, "Codex does not tell its thoughts"),
    row(EventKind::BeforeTabFileRead, NotAvailable,
        &[(Permission, Lost("there is no Tab")), (NewContent, Lost("there is no Tab"))], "there is no Tab"),
    row(EventKind::AfterTabFileEdit, NotAvailable, NOTHING, "there is no Tab"),
    row(EventKind::WorkspaceOpen, NotAvailable, &[(PluginPaths, Lost("there is no such event"))], "there is no such event"),
];

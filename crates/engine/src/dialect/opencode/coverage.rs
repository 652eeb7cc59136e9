//! What of our events and answers OpenCode has.

use crate::agent::{Covered, Effect, Reach};
use crate::dialect::claude::agent::{NO_TAB, NO_TAB_EDIT, NO_WORKSPACE, row};
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::*;
use Reach::*;

const SAME_TEXT: Effect = Degraded("person and model read the text meant for the model");
const NO_ASK: Effect = Degraded("`ask` refuses: a plugin cannot ask the user");
const SHOWN: &str = "it was shown while it was written";

/// One row for each of our events.
#[rustfmt::skip]
pub(super) const COVERAGE: &[Covered] = &[
    row(EventKind::SessionStart, Observed, &[(Env, Applied), (AdditionalContext, Degraded("comes with the first prompt"))],
        "a session that is resumed does not start again"),
    row(EventKind::SessionEnd, Observed, &[], "when a session is deleted, and when OpenCode ends"),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, NO_ASK), (UserMessage, SAME_TEXT), (AgentMessage, Applied), (UpdatedInput, Applied),
          (AdditionalContext, Degraded("comes with the tool's output"))],
        "commands the user runs with `!` and files mentioned with `@` are not told"),
    row(EventKind::PostToolUse, Observed, &[(AdditionalContext, Degraded("comes with the tool's output")), (UpdatedMcpToolOutput, Applied)], ""),
    row(EventKind::PostToolUseFailure, Observed, &[(AdditionalContext, Degraded("comes with the next tool's output or the next prompt"))], ""),
    row(EventKind::SubagentStart, Enforced, &[(Permission, Applied), (UserMessage, SAME_TEXT)], "asked when the tool `task` is called"),
    row(EventKind::SubagentStop, Observed,
        &[(FollowupMessage, Lost("its result is taken when it ends")), (AdditionalContext, Degraded("comes with the next tool's output or the next prompt"))],
        ""),
    row(EventKind::BeforeShellExecution, Enforced, &[(Permission, NO_ASK), (UserMessage, SAME_TEXT), (AgentMessage, Applied)],
        "commands the user runs with `!` are not told"),
    row(EventKind::AfterShellExecution, Observed, &[], ""),
    row(EventKind::BeforeMcpExecution, Enforced, &[(Permission, NO_ASK), (UserMessage, SAME_TEXT), (AgentMessage, Applied)],
        "`server_tool` is taken apart by the servers that are configured; tools of plugins with `_` in their names count as well"),
    row(EventKind::AfterMcpExecution, Observed, &[], ""),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, Applied), (UserMessage, SAME_TEXT), (NewContent, Degraded("the read is refused, and the redacted text is in the reason"))],
        "files mentioned with `@` reach the model without a tool call"),
    row(EventKind::AfterFileEdit, Observed, &[], "the text a written file replaced is not told"),
    row(EventKind::BeforeSubmitPrompt, Enforced,
        &[(Continue, Applied), (UserMessage, Degraded("shown beside the prompt and in the log; `opencode run` prints an error without it")), (AdditionalContext, Applied)],
        ""),
    row(EventKind::PreCompact, Observed, &[(UserMessage, Applied)], "how full the context is, is not told"),
    row(EventKind::Stop, Observed, &[(FollowupMessage, Applied)], "`opencode run` waits for it when the last message is complete, and else when the session is idle"),
    row(EventKind::AfterAgentResponse, Observed, &[(Permission, Lost(SHOWN)), (UserMessage, Lost(SHOWN))], "a turn with tools has several"),
    row(EventKind::AfterAgentThought, Observed, &[], "only with models that tell their thinking"),
    NO_TAB,
    NO_TAB_EDIT,
    NO_WORKSPACE,
];

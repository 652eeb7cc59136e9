//! Claude Code's events, one row for each that has a counterpart here.

use crate::event::EventKind;

use Origin::*;

/// One event of Claude Code, and ours.
#[derive(Debug)]
pub struct ClaudeEvent {
    /// Ours.
    pub kind: EventKind,
    /// Claude Code's name.
    pub name: &'static str,
    /// What a matcher looks at.
    pub sees: Sees,
    /// Its own fields, in Claude Code's order.
    pub(super) own: &'static [(&'static str, Origin)],
    /// Text on stdout that is no JSON is context for the model.
    pub(super) text_is_context: bool,
    /// What exit code 2 means.
    pub(super) exit_two: ExitTwo,
}

/// What a matcher of Claude Code looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// Nothing: every hook runs.
    Nothing,
    /// The tool's name.
    Tool,
    /// How the session began; new ones begin by `startup`.
    Start,
    /// Why the session ended.
    End,
    /// What asked for the compaction.
    Trigger,
    /// The kind of subagent.
    Agent,
}

/// Where a field of the payload comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A native field, when it is there.
    Field(&'static str),
    /// A native field, or else this text.
    TextOr(&'static str, &'static str),
    /// The tool's name.
    ToolName,
    /// The tool's input, by Claude Code's names.
    ToolInput,
    /// The tool's output as an object.
    ToolResponse,
    /// Whether a follow-up brought us here.
    Looping,
    /// Why the session ended, in Claude Code's words.
    EndReason,
}

/// What exit code 2 means, and where stderr goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitTwo {
    /// A refusal.
    Refuses,
    /// The agent goes on, with stderr as its next message.
    GoesOn,
    /// The model reads stderr.
    TellsModel,
    /// The person reads stderr, and nothing else changes.
    TellsUser,
}

/// Every event with a counterpart, in the order of Claude Code's manual.
#[rustfmt::skip]
pub const CLAUDE_EVENTS: &[ClaudeEvent] = &[
    ClaudeEvent { kind: EventKind::SessionStart, name: "SessionStart", sees: Sees::Start, text_is_context: true, exit_two: ExitTwo::TellsUser,
        own: &[("source", TextOr("source", "startup")), ("model", Field("model"))] },
    ClaudeEvent { kind: EventKind::BeforeSubmitPrompt, name: "UserPromptSubmit", sees: Sees::Nothing, text_is_context: true, exit_two: ExitTwo::Refuses,
        own: &[("prompt", TextOr("prompt", ""))] },
    ClaudeEvent { kind: EventKind::PreToolUse, name: "PreToolUse", sees: Sees::Tool, text_is_context: false, exit_two: ExitTwo::Refuses,
        own: &[("tool_name", ToolName), ("tool_input", ToolInput), ("tool_use_id", Field("tool_use_id"))] },
    ClaudeEvent { kind: EventKind::PostToolUse, name: "PostToolUse", sees: Sees::Tool, text_is_context: false, exit_two: ExitTwo::TellsModel,
        own: &[("tool_name", ToolName), ("tool_input", ToolInput), ("tool_response", ToolResponse), ("tool_use_id", Field("tool_use_id")), ("duration_ms", Field("duration"))] },
    ClaudeEvent { kind: EventKind::PostToolUseFailure, name: "PostToolUseFailure", sees: Sees::Tool, text_is_context: false, exit_two: ExitTwo::TellsModel,
        own: &[("tool_name", ToolName), ("tool_input", ToolInput), ("tool_use_id", Field("tool_use_id")), ("error", TextOr("error_message", "")), ("is_interrupt", Field("is_interrupt")), ("duration_ms", Field("duration"))] },
    ClaudeEvent { kind: EventKind::SubagentStart, name: "SubagentStart", sees: Sees::Agent, text_is_context: false, exit_two: ExitTwo::Refuses,
        own: &[("agent_id", Field("subagent_id")), ("agent_type", Field("subagent_type"))] },
    ClaudeEvent { kind: EventKind::SubagentStop, name: "SubagentStop", sees: Sees::Agent, text_is_context: false, exit_two: ExitTwo::GoesOn,
        own: &[("stop_hook_active", Looping), ("agent_id", Field("subagent_id")), ("agent_transcript_path", Field("agent_transcript_path")), ("agent_type", Field("subagent_type")), ("last_assistant_message", Field("summary"))] },
    ClaudeEvent { kind: EventKind::Stop, name: "Stop", sees: Sees::Nothing, text_is_context: false, exit_two: ExitTwo::GoesOn,
        own: &[("stop_hook_active", Looping)] },
    ClaudeEvent { kind: EventKind::PreCompact, name: "PreCompact", sees: Sees::Trigger, text_is_context: false, exit_two: ExitTwo::TellsUser,
        own: &[("trigger", TextOr("trigger", "auto")), ("custom_instructions", TextOr("custom_instructions", ""))] },
    ClaudeEvent { kind: EventKind::SessionEnd, name: "SessionEnd", sees: Sees::End, text_is_context: false, exit_two: ExitTwo::TellsUser,
        own: &[("reason", EndReason)] },
];

/// Claude Code's events without a counterpart.
const CLAUDE_ONLY: &[&str] = &[
    "Notification",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolBatch",
    "UserPromptExpansion",
    "StopFailure",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

impl ClaudeEvent {
    /// The event of this name.
    pub fn named(name: &str) -> Option<&'static ClaudeEvent> {
        CLAUDE_EVENTS.iter().find(|event| event.name == name)
    }
}

/// Claude Code's event for one of ours.
pub fn of_kind(kind: EventKind) -> Option<&'static ClaudeEvent> {
    CLAUDE_EVENTS.iter().find(|event| event.kind == kind)
}

/// Whether Claude Code has an event of this name, and we have none.
pub fn without_counterpart(name: &str) -> bool {
    CLAUDE_ONLY.contains(&name)
}

//! The 21 events, one row each.
//!
//! What differs between events stands here and nowhere else: what an event
//! gates, what a matcher looks at, which fields an answer may carry, and what
//! a refusal says when the hook gave no words of its own.
//!
//! Pure data: no files, no clock, no environment.

use crate::input::{self, InputField};

use AnswerField::*;
use EventKind::*;

/// One of the points of an agent's loop where hooks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are the documentation; `EVENTS` says the rest
pub enum EventKind {
    SessionStart,
    SessionEnd,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    SubagentStart,
    SubagentStop,
    BeforeShellExecution,
    AfterShellExecution,
    BeforeMcpExecution,
    AfterMcpExecution,
    BeforeReadFile,
    AfterFileEdit,
    BeforeSubmitPrompt,
    PreCompact,
    Stop,
    AfterAgentResponse,
    AfterAgentThought,
    BeforeTabFileRead,
    AfterTabFileEdit,
    WorkspaceOpen,
}

/// What a hook of this event can hold back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Nothing: the hook observes, or adds something.
    None,
    /// The action, by `permission`.
    Permission,
    /// The prompt, by `continue`.
    Continue,
    /// The response, by exit code 2 alone.
    ExitCode,
}

/// What `permission: "ask"` means on a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The agent asks the user.
    Supported,
    /// The agent's own product does not ask here: the host is told with a
    /// flag, and denies when it cannot ask.
    HandedToHost,
    /// Nobody can be asked here: it is a refusal.
    IsDeny,
}

/// The text a matcher is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The event has none: every hook runs, whatever its matcher.
    None,
    /// The value of a field of the payload.
    Field(&'static str),
    /// `MCP:` and the value of `tool_name`.
    McpTool,
    /// A fixed word.
    Constant(&'static str),
}

/// What happens at an event, as hookify rules sort it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// Nothing they know.
    None,
    /// A tool is about to run.
    Tool,
    /// A command is about to run.
    Shell,
    /// A file is about to be read.
    Read,
    /// A file was edited.
    Edit,
    /// A prompt is about to be sent.
    Prompt,
    /// The agent's turn ends.
    Stop,
}

/// A field that a hook's answer may carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // `AnswerField::name` is the documentation
pub enum AnswerField {
    Permission,
    Continue,
    UserMessage,
    AgentMessage,
    UpdatedInput,
    AdditionalContext,
    UpdatedMcpToolOutput,
    NewContent,
    FollowupMessage,
    Env,
    PluginPaths,
}

/// What is said of a refusal when the refusing hook said nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// For the person. `{path}` stands for the payload's `file_path`.
    pub user: &'static str,
    /// For the model: what was refused. Why, and the request not to work
    /// around it, are added behind.
    pub model: &'static str,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct EventSpec {
    /// Which event this is.
    pub kind: EventKind,
    /// Its name in `hooks.json`.
    pub name: &'static str,
    /// One sentence for lists and the manual.
    pub about: &'static str,
    /// What a hook can hold back.
    pub gate: Gate,
    /// What `ask` means.
    pub ask: Ask,
    /// What a matcher looks at.
    pub subject: Subject,
    /// The fields an answer may carry, in the order they are printed.
    pub answers: &'static [AnswerField],
    /// The event's own input fields, in the product's order.
    pub inputs: &'static [InputField],
    /// Whether the agent waits for the hooks.
    pub waits: bool,
    /// Whether it belongs to a conversation, and so has all common fields.
    pub in_conversation: bool,
    /// Whether edition 2.3 knows it.
    pub in_2_3: bool,
    /// Whether it fires on the cloud surface.
    pub in_cloud: bool,
    /// What happens, as hookify rules sort it.
    pub call: Call,
    /// What a refusal without words says.
    pub refusal: Refusal,
}

const COMMAND_ANSWERS: &[AnswerField] = &[Permission, UserMessage, AgentMessage];
const NOTHING_REFUSED: Refusal = Refusal { user: "", model: "" };
const FILE_REFUSED: Refusal = Refusal {
    user: "File reading was blocked by a security hook: {path}. Do not attempt to work around this restriction using alternative methods or commands.",
    model: "File reading was blocked by a security hook: {path}.",
};

/// An event that only observes; rows below change what differs.
const OBSERVER: EventSpec = EventSpec {
    kind: SessionStart,
    name: "",
    about: "",
    gate: Gate::None,
    ask: Ask::IsDeny,
    subject: Subject::None,
    answers: &[],
    inputs: &[],
    waits: false,
    in_conversation: true,
    in_2_3: false,
    in_cloud: true,
    call: Call::None,
    refusal: NOTHING_REFUSED,
};

/// Every event, in the order of the manual.
#[rustfmt::skip]
pub const EVENTS: &[EventSpec] = &[
    EventSpec { kind: SessionStart, name: "sessionStart", about: "A new conversation begins; may set environment and add context.",
        answers: &[Env, AdditionalContext], inputs: input::SESSION_START, waits: true, in_cloud: false, ..OBSERVER },
    EventSpec { kind: SessionEnd, name: "sessionEnd", about: "A conversation ends.",
        inputs: input::SESSION_END, in_cloud: false, ..OBSERVER },
    EventSpec { kind: PreToolUse, name: "preToolUse", about: "Before any tool runs; may refuse it or rewrite its input.",
        gate: Gate::Permission, ask: Ask::HandedToHost, subject: Subject::Field("tool_name"),
        answers: &[Permission, UserMessage, AgentMessage, UpdatedInput, AdditionalContext], inputs: input::PRE_TOOL_USE, waits: true,
        refusal: Refusal { user: "Tool use was blocked by a hook", model: "The tool call was rejected by a hook" }, call: Call::Tool, ..OBSERVER },
    EventSpec { kind: PostToolUse, name: "postToolUse", about: "After a tool succeeded; may add context or replace an MCP tool's output.",
        subject: Subject::Field("tool_name"), answers: &[AdditionalContext, UpdatedMcpToolOutput], inputs: input::POST_TOOL_USE, waits: true, ..OBSERVER },
    EventSpec { kind: PostToolUseFailure, name: "postToolUseFailure", about: "After a tool failed, timed out or was refused; may add context.",
        subject: Subject::Field("tool_name"), answers: &[AdditionalContext], inputs: input::POST_TOOL_USE_FAILURE, waits: true, ..OBSERVER },
    EventSpec { kind: SubagentStart, name: "subagentStart", about: "Before a subagent starts; may refuse it.",
        gate: Gate::Permission, subject: Subject::Field("subagent_type"), answers: &[Permission, UserMessage], inputs: input::SUBAGENT_START, waits: true,
        refusal: Refusal { user: "The subagent was blocked by a hook", model: "The subagent was rejected by a hook" }, ..OBSERVER },
    EventSpec { kind: SubagentStop, name: "subagentStop", about: "A subagent ended; may send it a follow-up when it completed.",
        subject: Subject::Field("subagent_type"), answers: &[FollowupMessage, AdditionalContext], inputs: input::SUBAGENT_STOP, waits: true, ..OBSERVER },
    EventSpec { kind: BeforeShellExecution, name: "beforeShellExecution", about: "Before a shell command runs; may refuse it or ask the user.",
        gate: Gate::Permission, ask: Ask::Supported, subject: Subject::Field("command"), answers: COMMAND_ANSWERS, inputs: input::BEFORE_SHELL_EXECUTION,
        waits: true, in_2_3: true,
        refusal: Refusal { user: "Command execution was blocked by a hook", model: "The terminal command was rejected by a hook" }, call: Call::Shell, ..OBSERVER },
    EventSpec { kind: AfterShellExecution, name: "afterShellExecution", about: "After a shell command ran.",
        subject: Subject::Field("command"), inputs: input::AFTER_SHELL_EXECUTION, in_2_3: true, ..OBSERVER },
    EventSpec { kind: BeforeMcpExecution, name: "beforeMCPExecution", about: "Before an MCP tool runs; may refuse it or ask the user.",
        gate: Gate::Permission, ask: Ask::Supported, subject: Subject::McpTool, answers: COMMAND_ANSWERS, inputs: input::BEFORE_MCP_EXECUTION,
        waits: true, in_2_3: true, in_cloud: false,
        refusal: Refusal { user: "MCP tool execution was blocked by a hook", model: "The MCP tool call was rejected by a hook" }, ..OBSERVER },
    EventSpec { kind: AfterMcpExecution, name: "afterMCPExecution", about: "After an MCP tool ran.",
        subject: Subject::McpTool, inputs: input::AFTER_MCP_EXECUTION, in_2_3: true, in_cloud: false, ..OBSERVER },
    EventSpec { kind: BeforeReadFile, name: "beforeReadFile", about: "Before the agent reads a file; may refuse it or replace what is read.",
        gate: Gate::Permission, subject: Subject::Constant("Read"), answers: &[Permission, UserMessage, NewContent], inputs: input::BEFORE_READ_FILE,
        waits: true, in_2_3: true, refusal: FILE_REFUSED, call: Call::Read, ..OBSERVER },
    EventSpec { kind: AfterFileEdit, name: "afterFileEdit", about: "After the agent edited a file.",
        subject: Subject::Constant("Write"), inputs: input::AFTER_FILE_EDIT, in_2_3: true, call: Call::Edit, ..OBSERVER },
    EventSpec { kind: BeforeSubmitPrompt, name: "beforeSubmitPrompt", about: "Before a prompt is sent; may hold it back or add context.",
        gate: Gate::Continue, subject: Subject::Constant("UserPromptSubmit"), answers: &[Continue, UserMessage, AdditionalContext],
        inputs: input::BEFORE_SUBMIT_PROMPT, waits: true, in_2_3: true,
        refusal: Refusal { user: "Submission blocked by hook", model: "The prompt was held back by a hook" }, call: Call::Prompt, ..OBSERVER },
    EventSpec { kind: PreCompact, name: "preCompact", about: "Before the context window is compacted; may tell the user something.",
        answers: &[UserMessage], inputs: input::PRE_COMPACT, waits: true,
        ..OBSERVER },
    EventSpec { kind: Stop, name: "stop", about: "The agent's loop ended; may send a follow-up.",
        subject: Subject::Constant("Stop"), answers: &[FollowupMessage], inputs: input::STOP, waits: true, in_2_3: true, call: Call::Stop, ..OBSERVER },
    EventSpec { kind: AfterAgentResponse, name: "afterAgentResponse", about: "After the agent's message; exit code 2 withholds it.",
        gate: Gate::ExitCode, subject: Subject::Constant("AgentResponse"), answers: &[Permission, UserMessage], inputs: input::AFTER_AGENT_RESPONSE,
        in_2_3: true, waits: true, refusal: Refusal { user: "The response was withheld by a hook", model: "The response was withheld by a hook" }, ..OBSERVER },
    EventSpec { kind: AfterAgentThought, name: "afterAgentThought", about: "After a block of the agent's thinking.",
        subject: Subject::Constant("AgentThought"), inputs: input::AFTER_AGENT_THOUGHT, in_2_3: true, ..OBSERVER },
    EventSpec { kind: BeforeTabFileRead, name: "beforeTabFileRead", about: "Before Tab reads a file; may refuse it or replace what is read.",
        gate: Gate::Permission, subject: Subject::Constant("TabRead"), answers: &[Permission, NewContent], inputs: input::BEFORE_TAB_FILE_READ,
        waits: true, in_2_3: true, in_cloud: false, refusal: FILE_REFUSED, ..OBSERVER },
    EventSpec { kind: AfterTabFileEdit, name: "afterTabFileEdit", about: "After Tab edited a file.",
        subject: Subject::Constant("TabWrite"), inputs: input::AFTER_TAB_FILE_EDIT, in_2_3: true, in_cloud: false, ..OBSERVER },
    EventSpec { kind: WorkspaceOpen, name: "workspaceOpen", about: "A workspace opens or its folders change; may name plugins to load.",
        answers: &[PluginPaths], waits: true, in_conversation: false, in_cloud: false, ..OBSERVER },
];

/// The rows stand in the order of the events: each is found by its number.
const _: () = {
    let mut at = 0;
    while at < EVENTS.len() {
        assert!(EVENTS[at].kind as usize == at);
        at += 1;
    }
};

impl EventKind {
    /// The event of this name, spelt as in `hooks.json`.
    pub fn named(name: &str) -> Option<EventKind> {
        EVENTS.iter().find(|spec| spec.name == name).map(|spec| spec.kind)
    }

    /// The event's row.
    pub fn spec(self) -> &'static EventSpec {
        &EVENTS[self as usize]
    }

    /// The event's name in `hooks.json`.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Whether any hook of this event can hold something back.
    pub fn can_block(self) -> bool {
        self.spec().gate != Gate::None
    }

    /// Whether an answer on this event may carry the field.
    pub fn answers(self, field: AnswerField) -> bool {
        self.spec().answers.contains(&field)
    }

    /// Whether it speaks of a subagent and not of the conversation itself.
    pub fn of_subagent(self) -> bool {
        self.spec().inputs.iter().any(|field| field.name == "subagent_type")
    }

    /// Whether follow-ups, and so loop limits, exist here.
    pub fn loops(self) -> bool {
        self.answers(FollowupMessage)
    }
}

impl AnswerField {
    /// The field's name in an answer.
    pub fn name(self) -> &'static str {
        match self {
            Permission => "permission",
            Continue => "continue",
            UserMessage => "user_message",
            AgentMessage => "agent_message",
            UpdatedInput => "updated_input",
            AdditionalContext => "additional_context",
            UpdatedMcpToolOutput => "updated_mcp_tool_output",
            NewContent => "new_content",
            FollowupMessage => "followup_message",
            Env => "env",
            PluginPaths => "pluginPaths",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_exactly_one_row() {
        assert_eq!(EVENTS.len(), 21);
        for spec in EVENTS {
            assert_eq!(EVENTS.iter().filter(|other| other.kind == spec.kind).count(), 1, "{}", spec.name);
            assert_eq!(EventKind::named(spec.name), Some(spec.kind));
            assert_eq!(spec.kind.spec().name, spec.name);
        }
    }

    #[test]
    fn edition_2_3_knows_the_twelve_events_of_its_time() {
        assert_eq!(EVENTS.iter().filter(|spec| spec.in_2_3).count(), 12);
    }

    #[test]
    fn a_gate_has_words_for_a_refusal() {
        for spec in EVENTS {
            assert_eq!(spec.gate != Gate::None, !spec.refusal.user.is_empty(), "{}", spec.name);
        }
    }
}

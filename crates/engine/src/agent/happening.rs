//! What happened in an agent, in words that no agent owns.

use serde_json::{Map, Value};

use crate::input::Edit;

/// One thing an agent told us.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    /// The event by the agent's name.
    pub event: String,
    /// The conversation.
    pub session: Option<String>,
    /// The turn; made by us where the agent has none.
    pub generation: Option<String>,
    /// The model in use.
    pub model: Option<String>,
    /// Where the agent is.
    pub cwd: Option<String>,
    /// Its workspace's roots; empty when `cwd` is all it says.
    pub roots: Vec<String>,
    /// The conversation's transcript.
    pub transcript: Option<String>,
    /// How freely it acts, in its own word.
    pub mode: Option<String>,
    /// The subagent it happened in; none in the conversation itself.
    pub subagent: Option<Subagent>,
    /// The tool call it speaks of, by the agent's names.
    pub call: Option<NativeCall>,
    /// What it is to us.
    pub moment: Moment,
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct Subagent {
    pub id: String,
    pub kind: Option<String>,
}

/// A tool call as the agent made it.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeCall {
    /// The tool's name.
    pub name: String,
    /// The call's id, where the agent gives one.
    pub id: Option<String>,
    /// The input.
    pub input: Map<String, Value>,
}

/// What it is to us. One native call can be several calls of ours: a patch of
/// three files, a list of commands.
#[derive(Debug, Clone, PartialEq)]
pub enum Moment {
    /// A session begins.
    SessionStart {
        /// How: `startup`, `resume` …
        source: Option<String>,
        /// Nobody sits in front of it.
        background: bool,
    },
    /// A session ends, for a reason in our words: `completed`, `aborted`,
    /// `error`, `window_close`, `user_close`.
    SessionEnd {
        /// The reason.
        reason: String,
    },
    /// A prompt of the user's.
    Prompt {
        /// Its text.
        text: String,
    },
    /// A tool is about to run.
    BeforeTool {
        /// As calls of ours.
        calls: Vec<ToolCall>,
    },
    /// A tool ran.
    AfterTool {
        /// As calls of ours.
        calls: Vec<ToolCall>,
        /// What came out.
        output: Output,
    },
    /// A tool failed or was refused.
    ToolFailed {
        /// As calls of ours.
        calls: Vec<ToolCall>,
        /// How.
        failing: Failing,
    },
    /// A subagent ended: the one in `Happening::subagent`.
    SubagentStop(Ending),
    /// The agent's turn ended.
    Stop(Ending),
    /// The context is about to be compacted: `auto` or `manual`.
    Compact {
        /// Who asked for it.
        trigger: String,
    },
    /// A message of the agent's.
    Response {
        /// Its text.
        text: String,
    },
    /// A block of thinking.
    Thought {
        /// Its text.
        text: String,
        /// How long it took, where that is known.
        duration_ms: Option<f64>,
    },
    /// Nothing that any hook of ours is about; the reason stands here.
    Nothing(&'static str),
}

/// One tool call in Cursor's words.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// `Shell`, `Read`, `Write`, `MCP:tool` …
    pub name: String,
    /// What such a tool does.
    pub class: ToolClass,
    /// The input by Cursor's names.
    pub input: Map<String, Value>,
    /// What it changes, file by file, for `Write` and `Delete`.
    pub edits: Vec<(String, Vec<Edit>)>,
    /// Whose tool it is, for `Mcp`.
    pub server: Option<McpServer>,
}

/// What a tool does: decides which events of ours a call becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ToolClass {
    Shell,
    Read,
    Write,
    Mcp,
    Task,
    Other,
}

/// An MCP server, as far as the agent told; the rest is looked up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct McpServer {
    /// Its name in the agent's settings.
    pub name: String,
    /// The tool by the server's own name.
    pub tool: String,
    /// Its address.
    pub url: Option<String>,
    /// Its launch line.
    pub command: Option<String>,
}

/// What a tool returned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// As the agent has it.
    pub value: Value,
    /// What it printed, for a shell.
    pub text: Option<String>,
    /// The exit code, where the agent tells it.
    pub exit_code: Option<i32>,
    /// Milliseconds, where the agent tells them.
    pub duration_ms: Option<f64>,
}

/// How a tool failed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Failing {
    /// What went wrong.
    pub message: String,
    /// `error`, `timeout` or `permission_denied`.
    pub kind: &'static str,
    /// The user interrupted it.
    pub interrupted: bool,
    /// A shell command's exit code: it ran, and failed.
    pub exit_code: Option<i32>,
    /// Milliseconds, where the agent tells them.
    pub duration_ms: Option<f64>,
}

/// How a turn or a subagent ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ending {
    /// `completed`, `aborted` or `error`.
    pub status: &'static str,
    /// The last message, where the agent tells it.
    pub message: Option<String>,
    /// A follow-up of a hook's brought us here.
    pub looping: bool,
    /// A subagent's own transcript.
    pub transcript: Option<String>,
    /// Tokens read and written in this turn, where the agent tells them.
    pub tokens: Option<(u64, u64)>,
}

impl McpServer {
    /// A server's tool, of which no more is known.
    pub fn named(name: &str, tool: &str) -> McpServer {
        McpServer { name: name.to_owned(), tool: tool.to_owned(), ..McpServer::default() }
    }
}

impl ToolCall {
    /// The call as one of a server's tool.
    pub fn of_server(self, server: McpServer) -> ToolCall {
        let name = format!("MCP:{}", server.tool);
        ToolCall { name, class: ToolClass::Mcp, server: Some(server), ..self }
    }
}

impl Happening {
    /// A happening of which nothing but the name is known yet.
    pub fn of(event: &str, moment: Moment) -> Happening {
        Happening {
            event: event.to_owned(),
            session: None,
            generation: None,
            model: None,
            cwd: None,
            roots: Vec::new(),
            transcript: None,
            mode: None,
            subagent: None,
            call: None,
            moment,
        }
    }
}

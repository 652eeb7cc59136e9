//! The input fields of every event: typed structs for those who build events
//! in Rust, and the same fields as a table for the schemas and the manual.
//!
//! The engine itself never reads these structs: a payload is a JSON object,
//! and a field that is not listed here reaches a hook all the same.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::event::EventKind;

/// What a field holds, for schemas and the manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FieldType {
    Text,
    NullableText,
    Number,
    Boolean,
    Object,
    TextList,
    Attachments,
    Edits,
    TabEdits,
    ModelParams,
}

/// One input field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputField {
    /// Its key in the payload.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldType,
    /// Whether the product always sends it.
    pub required: bool,
    /// One sentence.
    pub about: &'static str,
}

/// A typed input of one event. `Event::from` turns it into an event.
pub trait Input: Serialize {
    /// Which event it belongs to.
    const KIND: EventKind;
}

/// A file or rule that goes with a prompt or a read.
#[derive(Debug, Clone, Serialize)]
pub struct Attachment {
    /// `file` or `rule`.
    pub r#type: String,
    /// Absolute path.
    pub file_path: String,
}

/// One replacement in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The text before.
    pub old_string: String,
    /// The text after.
    pub new_string: String,
}

/// One replacement made by Tab. `boathook_engine::tab_edits` makes these from two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TabEdit {
    /// The text before.
    pub old_string: String,
    /// The text after.
    pub new_string: String,
    /// Where it stood.
    pub range: EditRange,
    /// The whole first line before the edit.
    pub old_line: String,
    /// The whole first line after the edit.
    pub new_line: String,
}

/// A place in a text: lines and columns count from 1, the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct EditRange {
    pub start_line_number: usize,
    pub start_column: usize,
    pub end_line_number: usize,
    pub end_column: usize,
}

/// A parameter of the model in use.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct ModelParam {
    pub id: String,
    pub value: String,
}

/// How a Rust type of an input field is described.
trait Described {
    const KIND: FieldType;
    const REQUIRED: bool = true;

    /// An optional field that is not set does not appear in the payload.
    fn is_absent(&self) -> bool {
        false
    }
}

macro_rules! described {
    ($($type:ty => $kind:ident),* $(,)?) => { $(impl Described for $type { const KIND: FieldType = FieldType::$kind; })* };
}

described! {
    String => Text, Nullable => NullableText, Amount => Number, u64 => Number, bool => Boolean, Map<String, Value> => Object,
    Vec<String> => TextList, Vec<Attachment> => Attachments, Vec<Edit> => Edits, Vec<TabEdit> => TabEdits,
    Vec<ModelParam> => ModelParams,
}

impl<T: Described> Described for Option<T> {
    const KIND: FieldType = T::KIND;
    const REQUIRED: bool = false;

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

/// A number that is written without a fraction where it has none, as the
/// product does: scripts compare it with `-gt`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Amount(pub f64);

impl From<f64> for Amount {
    fn from(number: f64) -> Amount {
        Amount(number)
    }
}

impl Serialize for Amount {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = self.0 as i64;
        if whole as f64 == self.0 {
            serializer.serialize_i64(whole)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// A text that may be `null` but is always sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub struct Nullable(pub Option<String>);

macro_rules! fields {
    ($($(#[doc = $about:literal])+ $field:ident: $type:ty,)*) => {
        &[$(InputField {
            name: stringify!($field),
            kind: <$type as Described>::KIND,
            required: <$type as Described>::REQUIRED,
            about: concat!($($about),+).trim_ascii(),
        }),*]
    };
}

macro_rules! inputs {
    ($($table:ident $name:ident { $($(#[doc = $about:literal])+ $field:ident: $type:ty,)* })*) => { $(
        #[doc = concat!("The own input fields of `", stringify!($name), "`.")]
        #[derive(Debug, Clone, Default, Serialize)]
        pub struct $name {
            $($(#[doc = $about])+ #[serde(skip_serializing_if = "Described::is_absent")] pub $field: $type,)*
        }
        impl Input for $name { const KIND: EventKind = EventKind::$name; }
        pub(crate) const $table: &[InputField] = fields! { $($(#[doc = $about])+ $field: $type,)* };
    )* };
}

/// Fields that every event but `workspaceOpen` has, in the product's places:
/// the first three before the event's own fields, the rest behind them.
pub const COMMON: &[InputField] = fields! {
    /// Stable id of the conversation across many turns.
    conversation_id: String,
    /// The current generation; changes with every user message.
    generation_id: String,
    /// The model in use.
    model: String,
    /// Newer id of the model.
    model_id: Option<String>,
    /// Parameters of the model.
    model_params: Option<Vec<ModelParam>>,
    /// Equal to `conversation_id`.
    session_id: Option<String>,
    /// The event's name.
    hook_event_name: String,
    /// Version of the host.
    cursor_version: String,
    /// The workspace's root folders.
    workspace_roots: Vec<String>,
    /// The signed-in user.
    user_email: Nullable,
    /// The conversation's transcript file.
    transcript_path: Nullable,
};

inputs! {
    PRE_TOOL_USE PreToolUse {
        /// `Shell`, `Read`, `Write`, `Grep`, `Delete`, `Task`, `MCP:<tool>` …
        tool_name: String,
        /// The tool's input as the agent wrote it.
        tool_input: Map<String, Value>,
        /// The same on all events of one call.
        tool_use_id: Option<String>,
        /// Working directory, on shell tools.
        cwd: Option<String>,
        /// What the agent said before the call.
        agent_message: Option<String>,
    }
    POST_TOOL_USE PostToolUse {
        /// As in preToolUse.
        tool_name: String,
        /// As in preToolUse.
        tool_input: Map<String, Value>,
        /// The result as JSON text.
        tool_output: String,
        /// As in preToolUse.
        tool_use_id: Option<String>,
        /// Working directory, on shell tools.
        cwd: Option<String>,
        /// Milliseconds.
        duration: Amount,
    }
    POST_TOOL_USE_FAILURE PostToolUseFailure {
        /// As in preToolUse.
        tool_name: String,
        /// As in preToolUse.
        tool_input: Map<String, Value>,
        /// As in preToolUse.
        tool_use_id: Option<String>,
        /// Working directory, on shell tools.
        cwd: Option<String>,
        /// What went wrong.
        error_message: String,
        /// `error`, `timeout` or `permission_denied`.
        failure_type: String,
        /// Milliseconds until the failure.
        duration: Amount,
        /// Whether the user interrupted it.
        is_interrupt: bool,
    }
    SUBAGENT_START SubagentStart {
        /// Id of this subagent.
        subagent_id: String,
        /// `generalPurpose`, `explore`, `shell` …
        subagent_type: String,
        /// The task it is given.
        task: String,
        /// The conversation that starts it.
        parent_conversation_id: String,
        /// The tool call that starts it.
        tool_call_id: String,
        /// The model it will use.
        subagent_model: String,
        /// Whether it runs beside others.
        is_parallel_worker: bool,
        /// The branch it works on.
        git_branch: Option<String>,
    }
    SUBAGENT_STOP SubagentStop {
        /// `generalPurpose`, `explore`, `shell` …
        subagent_type: String,
        /// `completed`, `error` or `aborted`.
        status: String,
        /// The task it was given.
        task: String,
        /// Its purpose in short.
        description: String,
        /// Its own summary.
        summary: String,
        /// Milliseconds.
        duration_ms: Amount,
        /// Messages exchanged.
        message_count: u64,
        /// Tool calls made.
        tool_call_count: u64,
        /// Automatic follow-ups so far.
        loop_count: u64,
        /// Files it changed.
        modified_files: Vec<String>,
        /// Its own transcript.
        agent_transcript_path: Nullable,
        /// Id of the subagent.
        subagent_id: Option<String>,
        /// The conversation that started it.
        parent_conversation_id: Option<String>,
    }
    BEFORE_SHELL_EXECUTION BeforeShellExecution {
        /// The full command line.
        command: String,
        /// Working directory; may be empty at the project root.
        cwd: String,
        /// Whether it will run in a sandbox.
        sandbox: Option<bool>,
    }
    AFTER_SHELL_EXECUTION AfterShellExecution {
        /// The full command line.
        command: String,
        /// Everything it printed.
        output: String,
        /// Milliseconds, without the wait for an approval.
        duration: Amount,
        /// Whether it ran in a sandbox.
        sandbox: Option<bool>,
        /// Working directory; may be empty at the project root.
        cwd: Option<String>,
    }
    BEFORE_MCP_EXECUTION BeforeMcpExecution {
        /// The tool.
        tool_name: String,
        /// Its parameters as JSON text.
        tool_input: String,
        /// The server's name.
        mcp_server_name: Option<String>,
        /// The server's address (HTTP and SSE).
        mcp_server_url: Option<String>,
        /// The same, under its older name.
        url: Option<String>,
        /// The server's launch line (stdio).
        command: Option<String>,
    }
    AFTER_MCP_EXECUTION AfterMcpExecution {
        /// The tool.
        tool_name: String,
        /// Its parameters as JSON text.
        tool_input: String,
        /// The server's name.
        mcp_server_name: Option<String>,
        /// The server's address (HTTP and SSE).
        mcp_server_url: Option<String>,
        /// The same, under its older name.
        url: Option<String>,
        /// The result as JSON text.
        result_json: String,
        /// Milliseconds, without the wait for an approval.
        duration: Amount,
    }
    BEFORE_READ_FILE BeforeReadFile {
        /// Absolute path.
        file_path: String,
        /// The whole text.
        content: String,
        /// What goes with the prompt.
        attachments: Option<Vec<Attachment>>,
    }
    AFTER_FILE_EDIT AfterFileEdit {
        /// Absolute path.
        file_path: String,
        /// What was replaced; a whole-file write is one edit.
        edits: Vec<Edit>,
    }
    BEFORE_TAB_FILE_READ BeforeTabFileRead {
        /// Absolute path.
        file_path: String,
        /// The whole text.
        content: String,
    }
    AFTER_TAB_FILE_EDIT AfterTabFileEdit {
        /// Absolute path.
        file_path: String,
        /// What was replaced, with places.
        edits: Vec<TabEdit>,
    }
    BEFORE_SUBMIT_PROMPT BeforeSubmitPrompt {
        /// The user's text.
        prompt: String,
        /// What goes with it.
        attachments: Option<Vec<Attachment>>,
        /// `agent`, `ask` or `edit`.
        composer_mode: Option<String>,
    }
    AFTER_AGENT_RESPONSE AfterAgentResponse {
        /// The agent's message.
        text: String,
    }
    AFTER_AGENT_THOUGHT AfterAgentThought {
        /// The whole block of thinking.
        text: String,
        /// Milliseconds.
        duration_ms: Option<Amount>,
    }
    STOP Stop {
        /// `completed`, `aborted` or `error`.
        status: String,
        /// Automatic follow-ups so far.
        loop_count: u64,
        /// Tokens read in this turn.
        input_tokens: Option<u64>,
        /// Tokens written in this turn.
        output_tokens: Option<u64>,
        /// Tokens read from the cache.
        cache_read_tokens: Option<u64>,
        /// Tokens written to the cache.
        cache_write_tokens: Option<u64>,
    }
    SESSION_START SessionStart {
        /// Equal to `conversation_id`.
        session_id: String,
        /// Whether nobody sits in front of it.
        is_background_agent: bool,
        /// `agent`, `ask` or `edit`.
        composer_mode: Option<String>,
    }
    SESSION_END SessionEnd {
        /// Equal to `conversation_id`.
        session_id: String,
        /// `completed`, `aborted`, `error`, `window_close` or `user_close`.
        reason: String,
        /// Milliseconds.
        duration_ms: Amount,
        /// Whether nobody sat in front of it.
        is_background_agent: bool,
        /// The session's final status.
        final_status: String,
        /// What went wrong, when `reason` is `error`.
        error_message: Option<String>,
    }
    PRE_COMPACT PreCompact {
        /// `auto` or `manual`.
        trigger: String,
        /// 0 to 100.
        context_usage_percent: Amount,
        /// Tokens in use.
        context_tokens: u64,
        /// Tokens there are.
        context_window_size: u64,
        /// Messages in the conversation.
        message_count: u64,
        /// Messages that will be summarised.
        messages_to_compact: u64,
        /// Whether it is the conversation's first.
        is_first_compaction: bool,
    }
}

/// `workspaceOpen` has no field of its own.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WorkspaceOpen {}

impl Input for WorkspaceOpen {
    const KIND: EventKind = EventKind::WorkspaceOpen;
}

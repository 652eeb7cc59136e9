//! One happening → events of ours, in the order in which they are asked.
//!
//! Pure: what must be looked up (the content of a file, when a call began) is
//! an argument.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::file_path::{FilePath, file_path};
use super::happening::{Ending, Failing, Happening, Moment, Output, ToolCall, ToolClass};
use super::memory::Task;
use super::reading::Content;
use crate::event::EventKind;
use crate::fill::Event;
use crate::input::{self, Attachment, Nullable};

/// What goes with every event of one happening.
#[derive(Debug)]
pub struct Common<'h> {
    /// What happened.
    pub happening: &'h Happening,
    /// The conversation.
    pub session: String,
    /// The turn.
    pub generation: String,
    /// The model, as far as it is known.
    pub model: Option<String>,
    /// What `~` stands for in a path.
    pub home: PathBuf,
    /// Whether the agent's model can type into a running command without an event.
    pub types_unseen: bool,
}

/// The events a happening may become, the one it is foremost first.
pub fn kinds(moment: &Moment) -> Vec<EventKind> {
    let of_calls = |first: &[EventKind], calls: &[ToolCall], of: fn(ToolClass) -> Option<EventKind>| {
        first.iter().copied().chain(calls.iter().filter_map(|call| of(call.class))).collect()
    };
    match moment {
        Moment::SessionStart { .. } => vec![EventKind::SessionStart],
        Moment::SessionEnd { .. } => vec![EventKind::SessionEnd],
        Moment::Prompt { .. } => vec![EventKind::BeforeSubmitPrompt],
        Moment::BeforeTool { calls } => of_calls(&[EventKind::PreToolUse], calls, second_gate),
        Moment::AfterTool { calls, output } if succeeded(output) => {
            of_calls(&[EventKind::PostToolUse], calls, second_report)
        }
        Moment::AfterTool { calls, .. } | Moment::ToolFailed { calls, .. } => {
            of_calls(&[EventKind::PostToolUseFailure], calls, second_report)
        }
        Moment::SubagentStop(_) => vec![EventKind::SubagentStop],
        Moment::Stop(_) => vec![EventKind::Stop, EventKind::AfterAgentResponse],
        Moment::Compact { .. } => vec![EventKind::PreCompact],
        Moment::Response { .. } => vec![EventKind::AfterAgentResponse],
        Moment::Thought { .. } => vec![EventKind::AfterAgentThought],
        Moment::Nothing(_) => Vec::new(),
    }
}

/// The gate behind preToolUse that a call passes.
pub fn second_gate(class: ToolClass) -> Option<EventKind> {
    match class {
        ToolClass::Shell => Some(EventKind::BeforeShellExecution),
        ToolClass::Mcp => Some(EventKind::BeforeMcpExecution),
        ToolClass::Read => Some(EventKind::BeforeReadFile),
        ToolClass::Task => Some(EventKind::SubagentStart),
        ToolClass::Write | ToolClass::Other => None,
    }
}

/// What is told behind postToolUse.
fn second_report(class: ToolClass) -> Option<EventKind> {
    match class {
        ToolClass::Shell => Some(EventKind::AfterShellExecution),
        ToolClass::Mcp => Some(EventKind::AfterMcpExecution),
        ToolClass::Write => Some(EventKind::AfterFileEdit),
        ToolClass::Read | ToolClass::Task | ToolClass::Other => None,
    }
}

/// A tool that returned has succeeded, unless its command says otherwise.
fn succeeded(output: &Output) -> bool {
    output.exit_code.is_none_or(|code| code == 0)
}

/// The milliseconds a call took: told, or counted by us.
#[derive(Debug, Clone, Copy)]
pub struct Took(pub f64);

impl Common<'_> {
    /// `sessionStart`.
    pub fn session_start(&self, background: bool) -> Event {
        let session_id = self.session.clone();
        self.event(&input::SessionStart { session_id, is_background_agent: background, composer_mode: None })
    }

    /// `sessionEnd`.
    pub fn session_end(&self, reason: &str, took: Took) -> Event {
        let failed = matches!(reason, "aborted" | "error");
        self.event(&input::SessionEnd {
            session_id: self.session.clone(),
            reason: reason.to_owned(),
            duration_ms: took.0.into(),
            is_background_agent: false,
            final_status: if failed { reason } else { "completed" }.to_owned(),
            error_message: None,
        })
    }

    /// `beforeSubmitPrompt`.
    pub fn prompt(&self, text: &str, attachments: Vec<Attachment>) -> Event {
        let (prompt, attachments) = (text.to_owned(), Some(attachments));
        self.event(&input::BeforeSubmitPrompt { prompt, attachments, composer_mode: None })
    }

    /// `preToolUse`, the first gate of every call.
    pub fn pre_tool_use(&self, call: &ToolCall) -> Event {
        let mut event = self.event(&input::PreToolUse {
            tool_name: call.name.clone(),
            tool_input: call.input.clone(),
            tool_use_id: self.call_id(),
            cwd: self.cwd_of(call),
            agent_message: None,
        });
        // `tool_input` stays as written, because that is what the agent will run.
        if let ToolClass::Read | ToolClass::Write = call.class {
            let written = path_of(&call.input);
            let behind = event.payload.position("tool_input").map_or(usize::MAX, |at| at + 1);
            if !written.is_empty() {
                let file = self.file_path(&written);
                event.payload.insert(behind, "file_path", &file.path);
                insert_resolved(&mut event, &file);
            }
        }
        event
    }

    /// `beforeShellExecution` of what would run.
    pub fn before_shell(&self, input: &Map<String, Value>) -> Event {
        let (command, cwd) = (command_of(input), self.directory(input).unwrap_or_default());
        let mut event = self.event(&input::BeforeShellExecution { command, cwd, sandbox: None });
        if self.types_unseen {
            let behind = event.payload.position("cwd").map_or(usize::MAX, |at| at + 1);
            event.payload.insert(behind, "unseen_input", true);
        }
        event
    }

    /// `beforeMCPExecution` of what would run.
    pub fn before_mcp(&self, call: &ToolCall, input: &Map<String, Value>) -> Event {
        let server = call.server.clone().unwrap_or_default();
        self.event(&input::BeforeMcpExecution {
            tool_name: mcp_tool(call),
            tool_input: Value::Object(input.clone()).to_string(),
            mcp_server_name: Some(server.name).filter(|name| !name.is_empty()),
            mcp_server_url: server.url.clone(),
            url: server.url,
            command: server.command,
        })
    }

    /// `beforeReadFile` of what would be read. A content that was cut says so.
    pub fn before_read(&self, file: &FilePath, content: Content, attachments: Vec<Attachment>) -> Event {
        let mut event = self.event(&input::BeforeReadFile {
            file_path: file.path.clone(),
            content: content.text,
            attachments: Some(attachments),
        });
        if let Some(bytes) = content.cut_from {
            let behind = event.payload.position("content").map_or(usize::MAX, |at| at + 1);
            event.payload.insert(behind, "content_truncated", true);
            event.payload.insert(behind.saturating_add(1), "content_bytes", bytes);
        }
        insert_resolved(&mut event, file);
        event
    }

    /// `subagentStart` of what would start.
    pub fn subagent_start(&self, input: &Map<String, Value>) -> Event {
        let task = Task::of(input, 0);
        let call = self.call_id().unwrap_or_default();
        self.event(&input::SubagentStart {
            subagent_id: call.clone(),
            subagent_type: task.kind,
            task: task.task,
            parent_conversation_id: self.session.clone(),
            tool_call_id: call,
            subagent_model: text(input, "model").or(self.model.clone()).unwrap_or_default(),
            is_parallel_worker: false,
            git_branch: None,
        })
    }

    /// What is told of a call that returned. A command that ended with another
    /// code than 0 failed, and it ran all the same.
    pub fn after(&self, call: &ToolCall, output: &Output, took: Took) -> Vec<Event> {
        let shown = || output.text.clone().or(output.value.as_str().map(str::to_owned)).unwrap_or_default();
        let first = match output.exit_code.filter(|code| *code != 0) {
            None => self.event(&input::PostToolUse {
                tool_name: call.name.clone(),
                tool_input: call.input.clone(),
                tool_output: output.value.to_string(),
                tool_use_id: self.call_id(),
                cwd: self.cwd_of(call),
                duration: took.0.into(),
            }),
            Some(code) => {
                let message = format!("Exit code {code}\n{}", shown());
                let failing =
                    Failing { message: message.trim_end().to_owned(), kind: "error", ..Failing::default() };
                self.failure(call, &failing, took)
            }
        };
        let mut events = vec![first];
        match call.class {
            ToolClass::Shell => events.push(self.after_shell(call, shown(), took)),
            ToolClass::Mcp => events.push(self.after_mcp(call, output, took)),
            ToolClass::Write => events.extend(self.after_edits(call)),
            ToolClass::Read | ToolClass::Task | ToolClass::Other => {}
        }
        events
    }

    /// What is told of a call that failed: a command that has an exit code ran.
    pub fn failed(&self, call: &ToolCall, failing: &Failing, took: Took) -> Vec<Event> {
        let mut events = vec![self.failure(call, failing, took)];
        if call.class == ToolClass::Shell && failing.exit_code.is_some() {
            events.push(self.after_shell(call, failing.message.clone(), took));
        }
        events
    }

    /// `postToolUseFailure`.
    pub fn failure(&self, call: &ToolCall, failing: &Failing, took: Took) -> Event {
        let kind = if failing.kind.is_empty() { "error" } else { failing.kind };
        self.event(&input::PostToolUseFailure {
            tool_name: call.name.clone(),
            tool_input: call.input.clone(),
            tool_use_id: self.call_id(),
            cwd: self.cwd_of(call),
            error_message: failing.message.clone(),
            failure_type: kind.to_owned(),
            duration: took.0.into(),
            is_interrupt: failing.interrupted,
        })
    }

    /// `subagentStop`; what it was told to do is remembered from its start.
    pub fn subagent_stop(&self, ending: &Ending, task: Option<Task>, took: Took) -> Event {
        let subagent = self.happening.subagent.clone().unwrap_or_default();
        let task = task.unwrap_or_default();
        let kind = subagent.kind.filter(|kind| !kind.is_empty()).unwrap_or(task.kind);
        let mut event = self.event(&input::SubagentStop {
            subagent_type: kind,
            status: status(ending),
            task: task.task,
            description: task.description,
            summary: ending.message.clone().unwrap_or_default(),
            duration_ms: took.0.into(),
            agent_transcript_path: Nullable(ending.transcript.clone()),
            subagent_id: Some(subagent.id).filter(|id| !id.is_empty()),
            parent_conversation_id: Some(self.session.clone()),
            ..input::SubagentStop::default()
        });
        // The session counts.
        event.payload.remove("loop_count");
        event
    }

    /// `stop`.
    pub fn stop(&self, ending: &Ending) -> Event {
        let mut event = self.event(&input::Stop {
            status: status(ending),
            input_tokens: ending.tokens.map(|(read, _)| read),
            output_tokens: ending.tokens.map(|(_, written)| written),
            ..input::Stop::default()
        });
        event.payload.remove("loop_count");
        event
    }

    /// `afterAgentResponse`.
    pub fn response(&self, text: &str) -> Event {
        self.event(&input::AfterAgentResponse { text: text.to_owned() })
    }

    /// `afterAgentThought`.
    pub fn thought(&self, text: &str, duration_ms: Option<f64>) -> Event {
        let (text, duration_ms) = (text.to_owned(), duration_ms.map(Into::into));
        self.event(&input::AfterAgentThought { text, duration_ms })
    }

    /// `preCompact`. No agent tells how full its context is.
    pub fn pre_compact(&self, trigger: &str) -> Event {
        self.event(&input::PreCompact { trigger: trigger.to_owned(), ..input::PreCompact::default() })
    }

    fn after_shell(&self, call: &ToolCall, output: String, took: Took) -> Event {
        self.event(&input::AfterShellExecution {
            command: command_of(&call.input),
            output,
            duration: took.0.into(),
            sandbox: None,
            cwd: self.directory(&call.input),
        })
    }

    fn after_mcp(&self, call: &ToolCall, output: &Output, took: Took) -> Event {
        let server = call.server.clone().unwrap_or_default();
        self.event(&input::AfterMcpExecution {
            tool_name: mcp_tool(call),
            tool_input: Value::Object(call.input.clone()).to_string(),
            mcp_server_name: Some(server.name).filter(|name| !name.is_empty()),
            mcp_server_url: server.url.clone(),
            url: server.url,
            result_json: output.value.to_string(),
            duration: took.0.into(),
        })
    }

    fn after_edits(&self, call: &ToolCall) -> Vec<Event> {
        let of_file = |(path, edits): &(String, Vec<input::Edit>)| {
            let file = self.file_path(path);
            let edited = input::AfterFileEdit { file_path: file.path.clone(), edits: edits.clone() };
            let mut event = self.event(&edited);
            insert_resolved(&mut event, &file);
            event
        };
        call.edits.iter().map(of_file).collect()
    }

    /// A path of the agent's, from where the agent is.
    pub fn file_path(&self, path: &str) -> FilePath {
        file_path(self.happening.cwd.as_deref(), &self.home, path)
    }

    /// Where a command runs: where its input says, else where the agent is. No
    /// agent has a field of Cursor's name for it, so one that stands in the call
    /// itself was made up by the model, and the agent does not obey it.
    fn directory(&self, input: &Map<String, Value>) -> Option<String> {
        const OURS: &str = "working_directory";
        let made_up = self.happening.call.as_ref().is_some_and(|call| call.input.contains_key(OURS));
        let own = text(input, OURS).filter(|directory| !directory.is_empty() && !made_up);
        own.map(|directory| self.file_path(&directory).path).or_else(|| self.happening.cwd.clone())
    }

    /// The product tells it on shell tools.
    fn cwd_of(&self, call: &ToolCall) -> Option<String> {
        self.directory(&call.input).filter(|_| call.class == ToolClass::Shell)
    }

    fn call_id(&self) -> Option<String> {
        self.happening.call.as_ref().and_then(|call| call.id.clone())
    }

    /// The typed input with what goes with every event, in the product's places.
    fn event<I: input::Input>(&self, input: &I) -> Event {
        let mut event = Event::of(input);
        event.payload.insert(0, "conversation_id", &self.session);
        event.payload.insert(1, "generation_id", &self.generation);
        if let Some(model) = &self.model {
            event.payload.insert(2, "model", model);
        }
        if let Some(transcript) = &self.happening.transcript {
            event.payload.set("transcript_path", transcript);
        }
        event
    }
}

fn status(ending: &Ending) -> String {
    if ending.status.is_empty() { "completed" } else { ending.status }.to_owned()
}

/// A tool of a server by its own name; matchers see it behind `MCP:`.
fn mcp_tool(call: &ToolCall) -> String {
    let own = call.server.as_ref().map(|server| server.tool.clone()).filter(|tool| !tool.is_empty());
    own.unwrap_or_else(|| call.name.strip_prefix("MCP:").unwrap_or(&call.name).to_owned())
}

/// The path a read names.
pub fn path_of(input: &Map<String, Value>) -> String {
    text(input, "file_path").or_else(|| text(input, "path")).unwrap_or_default()
}

/// Says where a link leads, behind the name that the agent used.
fn insert_resolved(event: &mut Event, file: &FilePath) {
    if let Some(resolved) = file.resolved.first() {
        let behind = event.payload.position("file_path").map_or(usize::MAX, |at| at + 1);
        event.payload.insert(behind, "resolved_path", resolved);
    }
}

/// The command line. A hook must see what runs in whatever form it is written:
/// words become a line, anything else is shown as it is.
pub fn command_of(input: &Map<String, Value>) -> String {
    match input.get("command") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(line)) => line.clone(),
        Some(Value::Array(words)) if words.iter().all(Value::is_string) => {
            words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Some(other) => other.to_string(),
    }
}

fn text(input: &Map<String, Value>, name: &str) -> Option<String> {
    Some(input.get(name)?.as_str()?.to_owned())
}

#[cfg(test)]
#[path = "fan_out_tests.rs"]
mod tests;

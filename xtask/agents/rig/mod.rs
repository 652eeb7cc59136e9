//! What the harness must know about an agent. One file per agent.

mod claude;
mod claude_http;
mod cline;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod qwen;

use std::process::Command;

use serde_json::{Value, json};

use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

/// Every agent that is driven for real.
pub const RIGS: &[&dyn Rig] = &[
    &claude::Claude,
    &claude_http::ClaudeHttp,
    &codex::Codex,
    &gemini::Gemini,
    &qwen::Qwen,
    &copilot::Copilot,
    &opencode::OpenCode,
    &cline::Cline,
];

/// One agent.
pub trait Rig: Sync {
    /// What it is called in the table.
    fn name(&self) -> &'static str;

    /// The name that `boathook agent install` takes.
    fn agent(&self) -> &'static str {
        self.name()
    }

    /// Whether it is wired to a daemon over HTTP.
    fn over_http(&self) -> bool {
        false
    }

    /// Where it comes from.
    fn package(&self) -> Package;

    /// Writes the agent's own settings: the model's address, MCP servers, trust.
    fn prepare(&self, session: &Session) -> Outcome<()>;

    /// The headless run. The environment is empty but for `HOME`, `PATH` and the like.
    fn command(&self, session: &Session, command: &mut Command);

    /// An act as a tool call of this agent. `None`: it has no such tool.
    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall>;

    /// Why a scenario does not exist here, in a sentence.
    fn lacks(&self, scenario: &str) -> Option<&'static str>;

    /// Whether it runs the hooks of `.claude/settings.json` itself.
    fn runs_claude_settings(&self) -> bool {
        false
    }

    /// Whether a hook can change a tool's input here.
    fn rewrites(&self) -> bool {
        true
    }

    /// Cursor's events that nothing here tells of: their hooks are not called.
    fn unheard(&self) -> &'static [&'static str] {
        &[]
    }

    /// Where the refusal of a scenario is told.
    fn refusal(&self, _scenario: &str) -> Refusal {
        Refusal::ToModel
    }

    /// Whether its shell stays in the directory that a command went to.
    fn keeps_directory(&self) -> bool {
        false
    }

    /// Whether one call can have several commands.
    fn several_commands(&self) -> bool {
        false
    }

    /// Writes a pre-tool hook of the user's own into the file that Boathook will edit.
    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()>;
}

/// A package of the npm registry.
pub struct Package {
    /// Its name.
    pub npm: &'static str,
    /// Pinned: what was seen is true of this version.
    pub version: &'static str,
    /// Its program.
    pub program: &'static str,
    /// The oldest Node that runs it, by its own statement.
    pub node: u32,
}

/// One run, as an agent needs to know it.
pub struct Session<'a> {
    /// Its directories.
    pub place: &'a Place,
    /// The model's port on loopback.
    pub port: u16,
    /// What the user types.
    pub prompt: &'a str,
    /// Whether tools run without being asked for.
    pub approved: bool,
    /// The program of the MCP server `mini`, where the scenario has one: run it with `node`.
    pub mcp: Option<String>,
    /// Whether files of the home are to be written by the agent's file tools.
    pub writes_home: bool,
    /// Whether the scenario starts a subagent by `Act::OtherSubagent`.
    pub other_subagents: bool,
}

/// The resource that the MCP server `mini` has; a read of it makes the marker.
pub const RESOURCE: &str = "mini://secret";

/// What the model wants done, in no agent's words. Paths are relative to the project.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// A command line.
    Shell(&'static str),
    /// A command line, with a directory of the project in the tool's own field for it.
    ShellIn { directory: &'static str, line: &'static str },
    /// A command line, by another tool than `Shell` uses.
    OtherShell { line: &'static str },
    /// Several command lines in one call.
    Shells(&'static [&'static str]),
    /// A file's content.
    Read(&'static str),
    /// A whole file.
    Write { path: &'static str, content: &'static str },
    /// A piece of a file.
    Edit { path: &'static str, old: &'static str, new: &'static str },
    /// The tool `echo` of the MCP server `mini`.
    Mcp { text: &'static str },
    /// A subagent with this task.
    Subagent { task: &'static str },
    /// A subagent with this task, by another tool than `Subagent` uses.
    OtherSubagent { task: &'static str },
    /// More work for the subagent that `OtherSubagent` started; that may be the usual tool, where there is no other.
    SendOn { task: &'static str },
    /// A subagent with this task in a git worktree of its own.
    SubagentInWorktree { task: &'static str },
    /// A skill of the project.
    Skill { name: &'static str },
    /// The session goes on in a new git worktree.
    EnterWorktree { name: &'static str },
    /// The resource of the MCP server `mini`.
    McpResource,
}

/// Where the text of a refusal arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The model reads it as the tool's result, and goes on.
    ToModel,
    /// The agent can only give up; the person reads it, or finds it in this
    /// file of the run.
    EndsTheRun(&'static str),
}

/// A hook in a file of Claude's form: `hooks`, event, groups, handlers.
pub fn own_hook_in(place: &Place, file: &str, event: &str, command: &str) -> Outcome<()> {
    let mut settings = place.read_json(file)?;
    settings["hooks"][event] = json!([{"hooks": [{"type": "command", "command": command}]}]);
    place.write(file, &pretty(&settings)).map(drop)
}

/// As a person would have written it.
fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

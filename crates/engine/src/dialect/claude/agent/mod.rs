//! Claude Code calls us: what it tells, and what it is answered.
//!
//! The wire format is spoken by others too. What differs between them is a
//! value of `Wire`: the names of the facts, the tools, and where a tool's
//! output holds what we look for.

mod calls;
mod coverage;
mod events;
mod reply;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub(in crate::dialect) use coverage::{NO_TAB, NO_TAB_EDIT, NO_WORKSPACE, row};
pub(in crate::dialect) use reply::refuse_blindly;

use super::events::without_counterpart;
use super::tools::{TOOLS, mcp_parts};
use crate::agent::{
    Abilities, Agent, Asks, Happening, Moment, Names, NativeCall, NativeTool, NotUnderstood, Reply, Told,
    ToolCall, Unseen, Verdict, native_input, write,
};
use crate::dialect::vscode;
use crate::payload::Payload;
use crate::source::Level;

/// Claude Code, as an agent.
pub const AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    driven: Some("2.1.325"),
    decode_event: |told| WIRE.decode(told),
    fold: |happening, wanted| WIRE.fold(happening, wanted),
    encode_decision: |happening, verdict| WIRE.reply(happening, verdict),
    encode_event: |happening| WIRE.encode(happening),
    refuse_blindly,
    abilities: Abilities { asks: Asks::Natively, replaces_output: true, context_before_tool: true },
    patience: &[],
    coverage: coverage::CLAUDE,
    // Never `WorktreeCreate`: who listens there has to make the worktree.
    listens: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PermissionDenied",
        "SubagentStop",
        "Stop",
        "StopFailure",
        "PreCompact",
        "SessionEnd",
    ],
    env_file: Some("CLAUDE_ENV_FILE"),
    project_variables: &["CLAUDE_PROJECT_DIR"],
    rule_files: &["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/*.md"],
    unseen: &[
        Unseen {
            action: "a shell command behind `!` in a slash command that the user types",
            reason: "Claude Code runs it while it builds the prompt and fires no event for it; refuse the prompt (`/name`) in beforeSubmitPrompt, or guard who may change `.claude/commands`",
            is_typed_input: false,
        },
        Unseen {
            action: "a shell command behind `!` in a skill that the model starts",
            reason: "Claude Code runs it while it reads the skill and fires no event for it; deny the skill in preToolUse (`Skill`), or guard who may change `.claude/skills`",
            is_typed_input: false,
        },
        Unseen {
            action: "a file mentioned with `@` in a prompt",
            reason: "its text goes to the model without a tool call; beforeSubmitPrompt has the file in `attachments`",
            is_typed_input: false,
        },
    ],
    runs_itself: &[Level::ClaudeLocal, Level::ClaudeProject, Level::ClaudeUser],
};

/// The names of the facts that go with every event.
pub(in crate::dialect) const NAMES: Names = Names {
    event: "hook_event_name",
    session: "session_id",
    generation: "prompt_id",
    model: "model",
    cwd: "cwd",
    transcript: "transcript_path",
    mode: "permission_mode",
    subagent: "agent_id",
    subagent_kind: "agent_type",
    tool: "tool_name",
    input: "tool_input",
    call: "tool_use_id",
};

const WIRE: Wire = Wire {
    names: NAMES,
    // VS Code runs the hooks of Claude Code's settings, with tools of its own.
    tools: &[TOOLS, vscode::TOOLS],
    tells_server: true,
    empty_is_machine: false,
    printed: calls::printed,
    exit_code: calls::exit_code,
    before: calls::before,
    forms: vscode::forms,
    mcp: mcp_parts,
};

/// What differs between agents of this wire format.
pub(in crate::dialect) struct Wire {
    /// Where the facts stand.
    pub(in crate::dialect) names: Names,
    /// Its tools, and those of others that call us in its name.
    pub(in crate::dialect) tools: &'static [&'static [NativeTool]],
    /// It says beside a call whose MCP tool it is.
    pub(in crate::dialect) tells_server: bool,
    /// An empty prompt was made by the program.
    pub(in crate::dialect) empty_is_machine: bool,
    /// What a shell printed and its exit code, in what the tool returned.
    pub(in crate::dialect) printed: fn(&Value) -> (Option<String>, Option<i32>),
    /// A shell's exit code in the text of an error.
    pub(in crate::dialect) exit_code: fn(&str) -> Option<i32>,
    /// The text that a tool changed, in what the tool returned.
    pub(in crate::dialect) before: fn(&Value) -> Option<&str>,
    /// Calls of a form of their own, that become several of ours.
    pub(in crate::dialect) forms: fn(&NativeCall) -> Result<Option<Vec<ToolCall>>, NotUnderstood>,
    /// The server and the tool in the name of an MCP tool; the server's name
    /// where it was told beside.
    pub(in crate::dialect) mcp: for<'n> fn(&'n str, Option<&str>) -> Option<(String, &'n str)>,
}

impl Wire {
    /// What the agent told, in our words.
    pub(in crate::dialect) fn decode(&self, told: &Told) -> Result<Happening, NotUnderstood> {
        let event = self.names.event_of(told)?;
        let known = events::ROWS.iter().any(|row| row.name == event);
        if !known && without_counterpart(&event) {
            return Ok(Happening::of(&event, Moment::Nothing("no event of ours is like it")));
        }
        let mut happening = self.names.read(told, events::ROWS)?;
        let empty = Moment::Prompt { text: String::new() };
        if self.empty_is_machine && happening.moment == empty {
            happening.moment = Moment::Nothing(events::MACHINE_MADE);
        }
        self.add_calls(&mut happening, &told.payload)?;
        Ok(happening)
    }

    /// What the agent would have told.
    pub(in crate::dialect) fn encode(&self, happening: &Happening) -> Payload {
        let mut payload = write(&self.names, events::ROWS, happening);
        if self.tells_server {
            calls::write_server(happening, &mut payload);
        }
        payload
    }

    /// The native input with what hooks want. What is several calls of ours has
    /// a form that is not written here.
    pub(in crate::dialect) fn fold(
        &self,
        happening: &Happening,
        wanted: &[Option<Map<String, Value>>],
    ) -> Option<Map<String, Value>> {
        let call = happening.call.as_ref().filter(|call| matches!((self.forms)(call), Ok(None)))?;
        let [Some(input)] = wanted else { return None };
        Some(native_input(self.table(&call.name), call, input.clone()))
    }

    /// The answer in the agent's words.
    pub(in crate::dialect) fn reply(&self, happening: &Happening, verdict: &Verdict) -> Reply {
        Reply::json(self.answer(happening, verdict))
    }

    /// The answer, for who has more to say.
    pub(in crate::dialect) fn answer(&self, happening: &Happening, verdict: &Verdict) -> Map<String, Value> {
        reply::answer(happening, verdict)
    }

    /// The table that knows a tool.
    fn table(&self, tool: &str) -> &'static [NativeTool] {
        let knows = |table: &&&[NativeTool]| table.iter().any(|row| row.names.contains(&tool));
        self.tools.iter().find(knows).copied().unwrap_or_default()
    }
}

//! Cline CLI, `cline --json`.

use std::process::Command;

use serde_json::json;

use super::{Act, Package, Refusal, Rig, Session, pretty};
use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

pub struct Cline;

impl Rig for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    // Its program is native.
    fn package(&self) -> Package {
        Package { npm: "cline", version: "3.0.65", program: "cline", node: 0 }
    }

    fn prepare(&self, session: &Session) -> Outcome<()> {
        let Session { place, port, .. } = session;
        let address = format!("http://127.0.0.1:{port}/v1");
        // What `cline auth` would write.
        let provider = json!({
            "settings": {
                "provider": "openai-compatible", "apiKey": "fake", "model": "fake-model", "baseUrl": address,
            },
            "updatedAt": "2026-01-01T00:00:00.000Z",
            "tokenSource": "manual",
        });
        let settings = json!({
            "version": 1,
            "lastUsedProvider": "openai-compatible",
            "providers": {"openai-compatible": provider},
        });
        place.write("home/.cline/data/settings/providers.json", &pretty(&settings))?;
        let servers = match &session.mcp {
            Some(program) => json!({"mini": {"command": "node", "args": [program], "autoApprove": ["echo"]}}),
            None => json!({}),
        };
        let settings = pretty(&json!({"mcpServers": servers}));
        place.write("home/.cline/data/settings/cline_mcp_settings.json", &settings).map(drop)
    }

    fn command(&self, session: &Session, command: &mut Command) {
        let approve = if session.approved { "true" } else { "false" };
        command.args(["--json", "--auto-approve", approve]).arg(session.prompt);
    }

    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall> {
        let file = |path: &str| place.spelt(path);
        let (name, input) = match *act {
            Act::Shell(line) => ("run_commands", json!({"commands": [line]})),
            Act::Shells(lines) => ("run_commands", json!({"commands": lines})),
            Act::Read(path) => ("read_files", json!({"files": [{"path": file(path)}]})),
            Act::Write { path, content } => ("editor", json!({"path": file(path), "new_text": content})),
            Act::Edit { path, old, new } => {
                ("editor", json!({"path": file(path), "old_text": old, "new_text": new}))
            }
            Act::Mcp { text } => ("mini__echo", json!({"text": text})),
            Act::ShellIn { .. }
            | Act::McpResource
            | Act::OtherShell { .. }
            | Act::EnterWorktree { .. }
            | Act::Skill { .. }
            | Act::SubagentInWorktree { .. } => return None,
            Act::OtherSubagent { task } => {
                ("team_spawn_teammate", json!({"agentId": "worker", "rolePrompt": task}))
            }
            Act::SendOn { task } => ("team_run_task", json!({"agentId": "worker", "task": task})),
            Act::Subagent { task } => {
                ("spawn_agent", json!({"task": task, "systemPrompt": "You do what you are told."}))
            }
        };
        Some(ToolCall { namespace: None, name, input })
    }

    fn lacks(&self, scenario: &str) -> Option<&'static str> {
        match scenario {
            "prompt-refused" | "prompt-fail-closed" | "prompt-observed" => {
                Some("Cline asks no hook about the prompt of a headless run")
            }
            "stop-follow-up" | "stop-follow-up-once" | "subagent-follow-up" => {
                Some("Cline goes on at no hook's word")
            }
            "session-context" => Some("Cline ignores what a hook answers to TaskStart"),
            "mcp-output" => Some("Cline lets no hook change what a tool gave back"),
            "session-end" => Some("Cline fires SessionShutdown only when a run was cancelled"),
            _ => None,
        }
    }

    fn unheard(&self) -> &'static [&'static str] {
        &["beforeSubmitPrompt"]
    }

    /// An MCP call and one of a team tool is made with whatever stands in its place, so there a refusal
    /// can only cancel the run; the reason then stands in the log alone.
    fn refusal(&self, scenario: &str) -> Refusal {
        match scenario {
            "mcp-refused"
            | "mcp-fail-closed"
            | "subagent-other-tool"
            | "subagent-matcher"
            | "subagent-sent-on" => Refusal::EndsTheRun("home/.cline/data/logs/cline.log"),
            _ => Refusal::ToModel,
        }
    }

    fn several_commands(&self) -> bool {
        true
    }

    /// Every file with the event's name counts, whatever its extension, so
    /// Boathook's can stand beside it.
    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()> {
        let program = format!("#!/bin/sh\nexec {command}\n");
        place.write_program("home/.cline/hooks/PreToolUse", &program).map(drop)
    }
}

//! GitHub Copilot CLI, `copilot -p`, with a model of one's own.

use std::process::Command;

use serde_json::json;

use super::{Act, Package, Rig, Session, pretty};
use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

pub struct Copilot;

impl Rig for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn package(&self) -> Package {
        Package { npm: "@github/copilot", version: "1.0.102", program: "copilot", node: 22 }
    }

    fn prepare(&self, session: &Session) -> Outcome<()> {
        let servers = match &session.mcp {
            Some(program) => {
                json!({"mini": {"type": "local", "command": "node", "args": [program], "tools": ["*"]}})
            }
            None => json!({}),
        };
        session
            .place
            .write("home/.copilot/mcp-config.json", &pretty(&json!({"mcpServers": servers})))
            .map(drop)
    }

    fn command(&self, session: &Session, command: &mut Command) {
        command.env("COPILOT_OFFLINE", "true").env("COPILOT_AUTO_UPDATE", "false");
        command.env("COPILOT_PROVIDER_BASE_URL", format!("http://127.0.0.1:{}/v1", session.port));
        command.env("COPILOT_PROVIDER_API_KEY", "fake").env("COPILOT_MODEL", "fake-model");
        // It unpacks a quarter of a gigabyte there: once for all runs is enough.
        let shared = session.place.root.with_file_name("cache");
        command.env("XDG_CACHE_HOME", shared);
        // It also trusts the folder, without which hooks of a project are silently left out.
        if session.approved {
            command.env("COPILOT_ALLOW_ALL", "true");
        }
        command.args(["-p", session.prompt]);
    }

    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall> {
        let file = |path: &str| place.spelt(path);
        let (name, input) = match *act {
            Act::Shell(line) => {
                let wait = 30;
                (
                    "bash",
                    json!({"command": line, "description": "Run it", "mode": "sync", "initial_wait": wait}),
                )
            }
            Act::Read(path) => ("view", json!({"path": file(path)})),
            Act::Write { path, content } => ("create", json!({"path": file(path), "file_text": content})),
            Act::Edit { path, old, new } => {
                ("edit", json!({"path": file(path), "old_str": old, "new_str": new}))
            }
            Act::Mcp { text } => ("mini-echo", json!({"text": text})),
            Act::Shells(_)
            | Act::OtherShell { .. }
            | Act::ShellIn { .. }
            | Act::McpResource
            | Act::EnterWorktree { .. }
            | Act::Skill { .. }
            | Act::SubagentInWorktree { .. } => return None,
            Act::SendOn { task } => ("write_agent", json!({"agent_id": "worker", "message": task})),
            Act::OtherSubagent { task } => {
                let input = json!({
                    "description": "A task", "prompt": task, "agent_type": "general-purpose",
                    "name": "worker", "mode": "background",
                });
                ("task", input)
            }
            Act::Subagent { task } => {
                let input = json!({
                    "description": "A task", "prompt": task, "agent_type": "general-purpose",
                    "name": "worker", "mode": "sync",
                });
                ("task", input)
            }
        };
        Some(ToolCall { namespace: None, name, input })
    }

    fn lacks(&self, _scenario: &str) -> Option<&'static str> {
        None
    }

    /// What it answered stands in its transcript alone.
    fn unheard(&self) -> &'static [&'static str] {
        &["afterAgentResponse"]
    }

    /// That of a project it trusts; not the one in the home.
    fn runs_claude_settings(&self) -> bool {
        true
    }

    /// Every file of this directory counts.
    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()> {
        let hooks = json!({"preToolUse": [{"type": "command", "bash": command}]});
        let file = json!({"version": 1, "hooks": hooks});
        place.write("home/.copilot/hooks/own.json", &pretty(&file)).map(drop)
    }
}

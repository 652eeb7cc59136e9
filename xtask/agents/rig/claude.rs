//! Claude Code, `claude -p`.

use std::process::Command;

use serde_json::json;

use super::{Act, Package, RESOURCE, Rig, Session, own_hook_in, pretty};
use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

pub struct Claude;

impl Rig for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    // It states Node 22, but its program is native.
    fn package(&self) -> Package {
        Package { npm: "@anthropic-ai/claude-code", version: "2.1.325", program: "claude", node: 0 }
    }

    fn prepare(&self, session: &Session) -> Outcome<()> {
        let Session { place, .. } = session;
        place.write("home/.claude/settings.json", "{\n  \"cleanupPeriodDays\": 30\n}\n")?;
        let servers = match &session.mcp {
            Some(program) => json!({"mini": {"command": "node", "args": [program]}}),
            None => json!({}),
        };
        place.write("mcp.json", &pretty(&json!({"mcpServers": servers}))).map(drop)
    }

    fn command(&self, session: &Session, command: &mut Command) {
        command.env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", session.port));
        command.env("ANTHROPIC_API_KEY", "sk-fake").env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        // Its task files would else stand in /tmp/claude-UID for good.
        command.env("CLAUDE_CODE_TMPDIR", &session.place.temporary);
        // MCP tools are offered at once instead of being searched for; root is no obstacle.
        command.env("ENABLE_TOOL_SEARCH", "false").env("IS_SANDBOX", "1");
        command.args(["-p", session.prompt, "--output-format", "json"]);
        command.arg("--mcp-config").arg(session.place.root.join("mcp.json")).arg("--strict-mcp-config");
        if session.approved {
            command.args([
                "--allowedTools",
                "Bash",
                "Read",
                "Write",
                "Edit",
                "Agent",
                "Workflow",
                "EnterWorktree",
                "Skill",
                "SendMessage",
                "Monitor",
                "ReadMcpResourceTool",
                "mcp__mini__echo",
            ]);
        }
    }

    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall> {
        let file = |path: &str| place.spelt(path);
        let (name, input) = match *act {
            Act::Shell(line) => ("Bash", json!({"command": line, "description": "Run it"})),
            Act::Shells(_) | Act::ShellIn { .. } => return None,
            Act::Read(path) => ("Read", json!({"file_path": file(path)})),
            Act::Write { path, content } => ("Write", json!({"file_path": file(path), "content": content})),
            Act::Edit { path, old, new } => {
                ("Edit", json!({"file_path": file(path), "old_string": old, "new_string": new}))
            }
            Act::Mcp { text } => ("mcp__mini__echo", json!({"text": text})),
            Act::McpResource => ("ReadMcpResourceTool", json!({"server": "mini", "uri": RESOURCE})),
            Act::OtherSubagent { task } => ("Workflow", json!({"script": workflow(task)})),
            Act::OtherShell { line } => {
                ("Monitor", json!({"command": line, "description": "Watch it", "timeout_ms": 30000}))
            }
            Act::SendOn { task } => ("SendMessage", json!({"to": "one", "message": task, "summary": "More"})),
            Act::Skill { name } => ("Skill", json!({"skill": name})),
            Act::EnterWorktree { name } => ("EnterWorktree", json!({"name": name})),
            Act::SubagentInWorktree { task } => {
                let input = json!({
                    "description": "A task", "prompt": task, "subagent_type": "general-purpose",
                    "isolation": "worktree",
                });
                ("Agent", input)
            }
            Act::Subagent { task } => {
                let kind = "general-purpose";
                ("Agent", json!({"description": "A task", "prompt": task, "subagent_type": kind}))
            }
        };
        Some(ToolCall { namespace: None, name, input })
    }

    fn lacks(&self, _scenario: &str) -> Option<&'static str> {
        None
    }

    fn keeps_directory(&self) -> bool {
        true
    }

    fn runs_claude_settings(&self) -> bool {
        true
    }

    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()> {
        own_hook_in(place, "home/.claude/settings.json", "PreToolUse", command)
    }
}

/// A workflow that starts one subagent.
fn workflow(task: &str) -> String {
    format!(
        "export const meta = {{ name: 'one', description: 'one subagent', phases: [] }};\nreturn await agent({});\n",
        json!(task)
    )
}

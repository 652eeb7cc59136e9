//! Qwen Code, `qwen -p`.

use std::process::Command;

use serde_json::{Value, json};

use super::{Act, Package, RESOURCE, Rig, Session, own_hook_in, pretty};
use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

pub struct Qwen;

impl Rig for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn package(&self) -> Package {
        Package { npm: "@qwen-code/qwen-code", version: "0.24.4", program: "qwen", node: 22 }
    }

    fn prepare(&self, session: &Session) -> Outcome<()> {
        let mut settings = json!({
            "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
            "privacy": {"usageStatisticsEnabled": false},
            "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
            "telemetry": {"enabled": false},
        });
        if let Some(program) = &session.mcp {
            settings["mcpServers"]["mini"] = json!({"command": "node", "args": [program], "trust": true});
        }
        session.place.write("home/.qwen/settings.json", &pretty(&settings)).map(drop)
    }

    fn command(&self, session: &Session, command: &mut Command) {
        command.env("OPENAI_API_KEY", "fake").env("OPENAI_MODEL", "fake-model");
        command.env("OPENAI_BASE_URL", format!("http://127.0.0.1:{}/v1", session.port));
        command.args(["--approval-mode", if session.approved { "yolo" } else { "default" }]);
        command.args(["-p", session.prompt]);
    }

    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall> {
        let file = |path: &str| place.spelt(path);
        let (name, input) = match *act {
            Act::Shell(line) => ("run_shell_command", json!({"command": line, "is_background": false})),
            Act::ShellIn { directory, line } => (
                "run_shell_command",
                json!({"command": line, "is_background": false, "directory": file(directory)}),
            ),
            Act::Shells(_) | Act::Skill { .. } => return None,
            Act::EnterWorktree { name } => ("enter_worktree", json!({"name": name})),
            Act::Read(path) => ("read_file", json!({"file_path": file(path)})),
            Act::Write { path, content } => {
                ("write_file", json!({"file_path": file(path), "content": content}))
            }
            Act::Edit { path, old, new } => {
                ("edit", json!({"file_path": file(path), "old_string": old, "new_string": new}))
            }
            Act::Mcp { text } => ("mcp__mini__echo", json!({"text": text})),
            Act::McpResource => ("read_mcp_resource", json!({"server_name": "mini", "uri": RESOURCE})),
            // Tools that are not offered are called by another one.
            Act::OtherShell { line } => deferred("monitor", &json!({"command": line})),
            Act::SendOn { task } => deferred("send_message", &json!({"to": "one", "message": task})),
            Act::SubagentInWorktree { task } => {
                let input = json!({
                    "description": "A task", "prompt": task, "subagent_type": "general-purpose",
                    "isolation": "worktree", "run_in_background": false,
                });
                ("agent", input)
            }
            Act::Subagent { task } | Act::OtherSubagent { task } => {
                let kind = "general-purpose";
                ("agent", json!({"description": "A task", "prompt": task, "subagent_type": kind}))
            }
        };
        Some(ToolCall { namespace: None, name, input })
    }

    fn lacks(&self, scenario: &str) -> Option<&'static str> {
        match scenario {
            "session-end" => Some("Qwen Code fires no SessionEnd in a headless run"),
            "path-at" | "path-relative" => {
                Some("Qwen Code opens no path that is not absolute, and fires no event for one")
            }
            "slash-denied" => Some(
                "Qwen Code runs the commands of a slash command before any hook is asked about the prompt",
            ),
            "mcp-output" => Some("Qwen Code lets no hook change what a tool gave back"),
            _ => None,
        }
    }

    /// `updatedInput` is documented for PreToolUse, and ignored.
    fn rewrites(&self) -> bool {
        false
    }

    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()> {
        own_hook_in(place, "home/.qwen/settings.json", "PreToolUse", command)
    }
}

/// A call of a tool that Qwen Code offers only by name.
fn deferred(name: &str, input: &Value) -> (&'static str, Value) {
    ("tool_call", json!({"name": name, "arguments": input}))
}

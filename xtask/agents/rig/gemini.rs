//! Gemini CLI, `gemini -p`.

use std::process::Command;

use serde_json::json;

use super::{Act, Package, RESOURCE, Rig, Session, own_hook_in, pretty};
use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

pub struct Gemini;

impl Rig for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn package(&self) -> Package {
        Package { npm: "@google/gemini-cli", version: "0.61.0", program: "gemini", node: 20 }
    }

    fn prepare(&self, session: &Session) -> Outcome<()> {
        let mut settings = json!({
            "general": {"disableAutoUpdate": true},
            "privacy": {"usageStatisticsEnabled": false},
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        });
        if let Some(program) = &session.mcp {
            settings["mcpServers"]["mini"] = json!({"command": "node", "args": [program], "trust": true});
        }
        session.place.write("home/.gemini/settings.json", &pretty(&settings)).map(drop)
    }

    fn command(&self, session: &Session, command: &mut Command) {
        command.env("GEMINI_API_KEY", "fake");
        command.env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{}", session.port));
        // It would start itself again with a larger heap.
        command.env("GEMINI_CLI_NO_RELAUNCH", "true");
        command.args(["-m", "gemini-2.5-flash", "--output-format", "json", "-p", session.prompt]);
        // It would refuse itself what is outside of its workspace.
        if session.writes_home {
            command.arg("--include-directories").arg(&session.place.home);
        }
        if session.approved {
            command.args(["--approval-mode", "yolo"]);
        }
    }

    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall> {
        let file = |path: &str| place.spelt(path);
        let (name, input) = match *act {
            Act::Shell(line) => ("run_shell_command", json!({"command": line, "description": "Run it"})),
            Act::ShellIn { directory, line } => (
                "run_shell_command",
                json!({"command": line, "description": "Run it", "dir_path": file(directory)}),
            ),
            Act::Shells(_)
            | Act::OtherShell { .. }
            | Act::SendOn { .. }
            | Act::Skill { .. }
            | Act::SubagentInWorktree { .. }
            | Act::EnterWorktree { .. } => return None,
            Act::Read(path) => ("read_file", json!({"file_path": file(path)})),
            Act::Write { path, content } => {
                ("write_file", json!({"file_path": file(path), "content": content}))
            }
            Act::Edit { path, old, new } => {
                let why = "Change it";
                let input = json!({
                    "file_path": file(path), "instruction": why, "old_string": old, "new_string": new,
                });
                ("replace", input)
            }
            Act::Mcp { text } => ("mcp_mini_echo", json!({"text": text})),
            Act::McpResource => ("read_mcp_resource", json!({"uri": RESOURCE})),
            Act::OtherSubagent { .. } => return None,
            Act::Subagent { task } => ("invoke_agent", json!({"agent_name": "generalist", "prompt": task})),
        };
        Some(ToolCall { namespace: None, name, input })
    }

    fn lacks(&self, scenario: &str) -> Option<&'static str> {
        match scenario {
            "subagent-follow-up" => Some("Gemini CLI does not ask when a subagent stops"),
            "slash-denied" => Some(
                "Gemini CLI runs the commands of a slash command before any hook is asked about the prompt",
            ),
            _ => None,
        }
    }

    fn unheard(&self) -> &'static [&'static str] {
        &["subagentStop"]
    }

    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()> {
        own_hook_in(place, "home/.gemini/settings.json", "BeforeTool", command)
    }
}

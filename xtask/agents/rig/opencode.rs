//! OpenCode, `opencode run`.

use std::process::Command;

use serde_json::json;

use super::{Act, Package, RESOURCE, Rig, Session, pretty};
use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

pub struct OpenCode;

impl Rig for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    // Its program is native.
    fn package(&self) -> Package {
        Package { npm: "opencode-ai", version: "1.18.33", program: "opencode", node: 0 }
    }

    fn prepare(&self, session: &Session) -> Outcome<()> {
        let address = format!("http://127.0.0.1:{}/v1", session.port);
        let mut settings = json!({
            "autoupdate": false,
            "share": "disabled",
            "model": "fake/fake-model",
            "provider": {"fake": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Fake",
                "options": {"baseURL": address, "apiKey": "fake"},
                "models": {"fake-model": {"name": "Fake"}},
            }},
        });
        if !session.approved {
            settings["permission"] = json!({"bash": "ask"});
        }
        // It would reject what is outside of the project, and end the turn.
        if session.writes_home {
            settings["permission"]["external_directory"] = json!("allow");
        }
        if let Some(program) = &session.mcp {
            settings["mcp"]["mini"] = json!({"type": "local", "command": ["node", program], "enabled": true});
        }
        session.place.write("home/.config/opencode/opencode.json", &pretty(&settings)).map(drop)
    }

    fn command(&self, session: &Session, command: &mut Command) {
        command.env("OPENCODE_DISABLE_MODELS_FETCH", "1").env("OPENCODE_DISABLE_AUTOUPDATE", "1");
        command.env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1");
        // It installs a package of types beside every plugin. The model knows no
        // packages, so that ends at once and asks nobody outside.
        command.env("npm_config_registry", format!("http://127.0.0.1:{}/npm/", session.port));
        command.args(["run", "--model", "fake/fake-model", "--format", "json"]);
        if let Some(name) = session.prompt.strip_prefix('/') {
            command.args(["--command", name]);
            return;
        }
        // An argument with a space in it would reach the model in quotes.
        command.args(session.prompt.split(' '));
    }

    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall> {
        let file = |path: &str| place.spelt(path);
        let (name, input) = match *act {
            Act::Shell(line) => ("bash", json!({"command": line, "description": "Run it"})),
            Act::ShellIn { directory, line } => {
                ("bash", json!({"command": line, "description": "Run it", "workdir": file(directory)}))
            }
            Act::Shells(_)
            | Act::OtherShell { .. }
            | Act::SendOn { .. }
            | Act::Skill { .. }
            | Act::SubagentInWorktree { .. }
            | Act::EnterWorktree { .. } => return None,
            Act::Read(path) => ("read", json!({"filePath": file(path)})),
            Act::Write { path, content } => ("write", json!({"filePath": file(path), "content": content})),
            Act::Edit { path, old, new } => {
                ("edit", json!({"filePath": file(path), "oldString": old, "newString": new}))
            }
            Act::Mcp { text } => ("mini_echo", json!({"text": text})),
            Act::McpResource => ("read_mcp_resource", json!({"server": "mini", "uri": RESOURCE})),
            Act::OtherSubagent { .. } => return None,
            Act::Subagent { task } => {
                ("task", json!({"description": "A task", "prompt": task, "subagent_type": "general"}))
            }
        };
        Some(ToolCall { namespace: None, name, input })
    }

    fn lacks(&self, scenario: &str) -> Option<&'static str> {
        match scenario {
            "subagent-follow-up" => {
                Some("OpenCode takes a subagent's result when it ends, so it cannot be sent on")
            }
            "slash-denied" => Some(
                "OpenCode runs the commands of a slash command before any plugin is asked about the prompt",
            ),
            _ => None,
        }
    }

    /// A plugin of the user's own, which gives its hook what it was given.
    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()> {
        let plugin = OWN.replace("@COMMAND@", &json!(command).to_string());
        place.write("home/.config/opencode/plugin/own.js", &plugin).map(drop)
    }
}

const OWN: &str = r#"import { spawnSync } from "node:child_process"
export const Own = async () => ({
  "tool.execute.before": async (input, output) => {
    spawnSync(@COMMAND@, { input: JSON.stringify({ input, output }) })
  },
})
"#;

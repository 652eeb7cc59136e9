//! Codex CLI, `codex exec`.

use std::process::Command;

use serde_json::json;

use super::{Act, Package, RESOURCE, Rig, Session, own_hook_in};
use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

pub struct Codex;

impl Rig for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn package(&self) -> Package {
        Package { npm: "@openai/codex", version: "0.166.0", program: "codex", node: 16 }
    }

    fn prepare(&self, session: &Session) -> Outcome<()> {
        // A model that Codex does not know would be offered no `apply_patch`.
        let mut settings = format!(
            "# The user's own settings.\n\
             model = \"gpt-5.5\"\n\
             model_provider = \"fake\"\n\n\
             [model_providers.fake]\n\
             name = \"fake\"\n\
             base_url = \"http://127.0.0.1:{}/v1\"\n\
             wire_api = \"responses\"\n\
             env_key = \"FAKE_KEY\"\n\
             request_max_retries = 0\n\
             stream_max_retries = 0\n",
            session.port
        );
        if let Some(program) = &session.mcp {
            settings.push_str(&format!("\n[mcp_servers.mini]\ncommand = \"node\"\nargs = [{program:?}]\n"));
        }
        if session.other_subagents {
            settings.push_str("\n[features]\nmulti_agent_v2 = true\n");
        }
        session.place.write("home/.codex/config.toml", &settings).map(drop)
    }

    fn command(&self, session: &Session, command: &mut Command) {
        command.env("FAKE_KEY", "x");
        // Nobody is there to look at a hook and trust it.
        command.args(["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
        match session.approved {
            true => command.arg("--dangerously-bypass-approvals-and-sandbox"),
            false => command.args(["--sandbox", "read-only"]),
        };
        command.arg(session.prompt);
    }

    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall> {
        let plain = |name, input| Some(ToolCall { namespace: None, name, input });
        match *act {
            Act::Shell(line) => plain("exec_command", json!({"cmd": line})),
            Act::ShellIn { directory, line } => {
                plain("exec_command", json!({"cmd": line, "workdir": place.spelt(directory)}))
            }
            Act::Shells(_)
            | Act::OtherShell { .. }
            | Act::EnterWorktree { .. }
            | Act::Skill { .. }
            | Act::SubagentInWorktree { .. } => None,
            Act::Read(_) => None,
            Act::Write { path, content } => plain("apply_patch", json!(added(path, content))),
            Act::Edit { path, old, new } => plain("apply_patch", json!(changed(path, old, new))),
            Act::Mcp { text } => {
                Some(ToolCall { namespace: Some("mcp__mini"), name: "echo", input: json!({"text": text}) })
            }
            Act::McpResource => plain("read_mcp_resource", json!({"server": "mini", "uri": RESOURCE})),
            Act::OtherSubagent { task } => Some(ToolCall {
                namespace: Some("collaboration"),
                name: "spawn_agent",
                input: json!({"task_name": "marker", "message": task, "fork_turns": "none"}),
            }),
            Act::SendOn { task } => Some(ToolCall {
                namespace: Some("collaboration"),
                name: "followup_task",
                input: json!({"target": "marker", "message": task}),
            }),
            Act::Subagent { task } => Some(ToolCall {
                namespace: Some("multi_agent_v1"),
                name: "spawn_agent",
                input: json!({"message": task}),
            }),
        }
    }

    fn lacks(&self, scenario: &str) -> Option<&'static str> {
        match scenario {
            "read-refused" | "read-redacted" | "read-fail-closed" => {
                Some("Codex has no tool that reads a file: it reads through the shell")
            }
            "path-dot-dot" | "path-at" | "path-relative" | "path-link" => {
                Some("Codex has no tool that reads a file: it reads through the shell")
            }
            "failure-observed" => Some("Codex does not say how a command ended"),
            _ => None,
        }
    }

    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()> {
        own_hook_in(place, "home/.codex/hooks.json", "PreToolUse", command)
    }
}

/// A patch that adds a file.
fn added(path: &str, content: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {path}\n{}*** End Patch\n", lines('+', content))
}

/// A patch that changes some lines.
fn changed(path: &str, old: &str, new: &str) -> String {
    let (old, new) = (lines('-', old), lines('+', new));
    format!("*** Begin Patch\n*** Update File: {path}\n@@\n{old}{new}*** End Patch\n")
}

fn lines(sign: char, text: &str) -> String {
    text.lines().map(|line| format!("{sign}{line}\n")).collect()
}

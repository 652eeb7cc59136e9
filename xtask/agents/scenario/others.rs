//! MCP, subagents, and hooks that are not ours in the same settings.

use super::{Act, Beside, Check::*, PLAIN, SUBTASK, Scenario, Wanted, hook};

pub const ALL: &[Scenario] = &[
    Scenario {
        id: "mcp-refused",
        shows: "An MCP call that a hook denies never reaches the server.",
        proves: &[("beforeMCPExecution", "permission"), ("beforeMCPExecution", "agent_message")],
        hooks: &[hook(
            "beforeMCPExecution",
            "gate",
            r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#,
        )],
        acts: &[Act::Mcp { text: "hi" }],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE"), NeverTold("echo:hi")],
        ..PLAIN
    },
    Scenario {
        id: "mcp-output",
        shows: "The model reads what a postToolUse hook made of an MCP tool's output.",
        proves: &[("postToolUse", "updated_mcp_tool_output")],
        hooks: &[hook(
            "postToolUse",
            "after",
            r#"echo '{"updated_mcp_tool_output":{"content":[{"type":"text","text":"REPLACED-WORD"}]}}'"#,
        )],
        acts: &[Act::Mcp { text: "hi" }],
        wanted: Wanted::Ran,
        checks: &[Told("REPLACED-WORD"), NeverTold("echo:hi")],
        ..PLAIN
    },
    Scenario {
        id: "subagent-refused",
        shows: "A subagent that a hook denies never starts.",
        proves: &[("subagentStart", "permission")],
        hooks: &[hook(
            "subagentStart",
            "gate",
            r#"echo '{"permission":"deny","user_message":"REASON-ONE"}'"#,
        )],
        acts: &[Act::Subagent { task: SUBTASK }],
        subagent: &[super::MARK],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE"), NeverTold(SUBTASK)],
        ..PLAIN
    },
    Scenario {
        id: "own-hook",
        shows: "A hook of the user's own in the same file still runs.",
        proves: &[("beforeShellExecution", "permission")],
        hooks: &[hook("beforeShellExecution", "gate", r#"echo '{"permission":"allow"}'"#)],
        wanted: Wanted::Ran,
        checks: &[Called("own", 1), Called("gate", 1)],
        beside: Beside::OwnHook,
        ..PLAIN
    },
    Scenario {
        id: "claude-settings-once",
        shows: "A hook in `.claude/settings.json` and one in `.cursor/hooks.json` run once each.",
        proves: &[("preToolUse", "")],
        hooks: &[hook("preToolUse", "cursor", "")],
        wanted: Wanted::Ran,
        checks: &[Called("claude", 1), Called("cursor", 1)],
        beside: Beside::ClaudeSettings,
        ..PLAIN
    },
];

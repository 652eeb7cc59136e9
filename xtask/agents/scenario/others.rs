//! MCP, subagents, and hooks that are not ours in the same settings.

use super::{Act, Beside, Check::*, Hook, PLAIN, SUBTASK, Scenario, Wanted, hook};

/// Wait for the subagent's first and second end, where the main agent does not do so itself.
const UNTIL_STOPPED: Act = Act::Shell(
    "for _ in $(seq 90); do test -s '@RECORDS@/stop.jsonl' && break; sleep 0.1; done; echo waited",
);
const UNTIL_STOPPED_AGAIN: Act = Act::Shell(
    "for _ in $(seq 90); do test \"$(grep -c . '@RECORDS@/stop.jsonl')\" = 2 && break; sleep 0.1; done; echo waited",
);

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
        id: "subagent-observed",
        shows: "The hooks around a subagent are given its task and its end.",
        proves: &[("subagentStart", ""), ("subagentStop", "")],
        hooks: &[hook("subagentStart", "start", ""), hook("subagentStop", "stop", "")],
        acts: &[Act::Subagent { task: SUBTASK }, UNTIL_STOPPED],
        subagent: &[super::MARK],
        wanted: Wanted::Ran,
        checks: &[
            Called("start", 1),
            Given("start", &[("/task", "~SUBTASK")]),
            Called("stop", 1),
            Given("stop", &[("/status", "completed")]),
        ],
        ..PLAIN
    },
    Scenario {
        id: "subagent-follow-up",
        shows: "A subagentStop hook with loop_limit 1 sends the subagent on once.",
        proves: &[("subagentStop", "followup_message")],
        hooks: &[Hook {
            options: r#""loop_limit": 1"#,
            ..hook("subagentStop", "stop", r#"echo '{"followup_message":"FOLLOW-UP: go on."}'"#)
        }],
        acts: &[Act::Subagent { task: SUBTASK }, UNTIL_STOPPED_AGAIN],
        subagent: &[super::MARK],
        wanted: Wanted::Ran,
        checks: &[Called("stop", 2), ToldTimes("FOLLOW-UP: go on.", 1)],
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
        id: "claude-home-once",
        shows: "A hook in `~/.claude/settings.json` and one in `~/.cursor/hooks.json` run once each.",
        proves: &[("preToolUse", "")],
        hooks: &[hook("preToolUse", "cursor", "")],
        wanted: Wanted::Ran,
        checks: &[Called("claude", 1), Called("cursor", 1)],
        beside: Beside::ClaudeHome,
        ..PLAIN
    },
    Scenario {
        id: "claude-project-once",
        shows: "In a trusted project with `.claude/settings.json` and `.cursor/hooks.json` each hook runs once.",
        proves: &[("preToolUse", "")],
        hooks: &[hook("preToolUse", "cursor", "")],
        wanted: Wanted::Ran,
        checks: &[Called("claude", 1), Called("project", 1), Called("cursor", 1)],
        beside: Beside::ClaudeProject,
        ..PLAIN
    },
    Scenario {
        id: "no-recursion",
        shows: "A hook that calls `boathook run` is not called by it.",
        proves: &[("beforeShellExecution", "permission")],
        hooks: &[hook(
            "beforeShellExecution",
            "gate",
            "tail -n 1 '@RECORD@' | '@BOATHOOK@' run beforeShellExecution",
        )],
        wanted: Wanted::Ran,
        checks: &[Called("gate", 1)],
        ..PLAIN
    },
];

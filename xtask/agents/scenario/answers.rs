//! Every way a hook can refuse, ask or rewrite a tool call.

use super::{Act, Check::*, Hook, PLAIN, Scenario, Wanted, hook};

const SHELL: &[(&str, &str)] = &[("beforeShellExecution", "permission")];

const fn gate(script: &'static str) -> Hook {
    hook("beforeShellExecution", "gate", script)
}

pub const ALL: &[Scenario] = &[
    Scenario {
        id: "deny",
        shows: "A shell command that a hook denies never runs, and the model reads why.",
        proves: &[("beforeShellExecution", "permission"), ("beforeShellExecution", "agent_message")],
        hooks: &[gate(
            r#"echo '{"permission":"deny","user_message":"Not for you.","agent_message":"REASON-ONE: use make."}'"#,
        )],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE: use make."), Called("gate", 1)],
        small: true,
        ..PLAIN
    },
    Scenario {
        id: "deny-user-message",
        shows: "A deny that has a text for the user only gives the model that text.",
        proves: &[("beforeShellExecution", "user_message")],
        hooks: &[gate(r#"echo '{"permission":"deny","user_message":"REASON-ONE: not for you."}'"#)],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE: not for you.")],
        ..PLAIN
    },
    Scenario {
        id: "deny-pre-tool-use",
        shows: "A tool call that a preToolUse hook denies never runs.",
        proves: &[("preToolUse", "permission"), ("preToolUse", "agent_message")],
        hooks: &[Hook {
            options: r#""matcher": "Shell""#,
            ..hook("preToolUse", "gate", r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#)
        }],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE"), Called("gate", 1)],
        ..PLAIN
    },
    Scenario {
        id: "deny-exit-2",
        shows: "Exit code 2 refuses, and what the hook wrote on stderr is the reason.",
        proves: SHELL,
        hooks: &[gate("echo 'REASON-ONE: use make.' >&2\nexit 2")],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE: use make.")],
        ..PLAIN
    },
    Scenario {
        id: "deny-exit-2-silent",
        shows: "Exit code 2 without a word refuses, and the model reads a text of ours.",
        proves: SHELL,
        hooks: &[gate("exit 2")],
        wanted: Wanted::Refused,
        checks: &[Told("rejected by a hook")],
        ..PLAIN
    },
    Scenario {
        id: "deny-camel-case",
        shows: "A deny with camelCase texts is a deny with these texts.",
        proves: SHELL,
        hooks: &[gate(r#"echo '{"permission":"deny","userMessage":"No.","agentMessage":"REASON-ONE"}'"#)],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE")],
        ..PLAIN
    },
    Scenario {
        id: "deny-claude-form",
        shows: "A deny in Claude's words is a deny.",
        proves: SHELL,
        hooks: &[gate(
            r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"REASON-ONE"}}'"#,
        )],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE")],
        ..PLAIN
    },
    Scenario {
        id: "deny-broken-quote",
        shows: "A deny whose message breaks its JSON is still a deny.",
        proves: SHELL,
        hooks: &[gate(r#"echo '{"permission":"deny","agent_message":"never use "rm" here"}'"#)],
        wanted: Wanted::Refused,
        checks: &[Told("rejected by a hook")],
        ..PLAIN
    },
    Scenario {
        id: "ask",
        shows: "`ask` where nobody can be asked never runs.",
        proves: SHELL,
        hooks: &[gate(
            r#"echo '{"permission":"ask","user_message":"REASON-ONE?","agent_message":"REASON-ONE?"}'"#,
        )],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE?")],
        ..PLAIN
    },
    Scenario {
        id: "ask-pre-tool-use",
        shows: "`ask` of a preToolUse hook where nobody can be asked never runs.",
        proves: &[("preToolUse", "permission")],
        hooks: &[hook(
            "preToolUse",
            "gate",
            r#"echo '{"permission":"ask","user_message":"REASON-ONE?","agent_message":"REASON-ONE?"}'"#,
        )],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE?")],
        ..PLAIN
    },
    Scenario {
        id: "allow-still-asks",
        shows: "A hook's allow does not skip the agent's own permission prompt.",
        proves: SHELL,
        hooks: &[hook("beforeSubmitPrompt", "prompt", ""), gate(r#"echo '{"permission":"allow"}'"#)],
        wanted: Wanted::NotRun,
        checks: &[Called("prompt", 1)],
        approved: false,
        ..PLAIN
    },
    Scenario {
        id: "rewrite",
        shows: "What runs is the input as the hook rewrote it; where an agent cannot do that, nothing runs.",
        proves: &[("preToolUse", "updated_input")],
        hooks: &[hook(
            "preToolUse",
            "gate",
            r#"echo '{"permission":"allow","updated_input":{"command":"echo ran > rewritten"}}'"#,
        )],
        wanted: Wanted::Rewritten,
        ..PLAIN
    },
    Scenario {
        id: "rewrite-then-deny",
        shows: "The specific event sees the rewritten command, and its deny counts.",
        proves: &[("preToolUse", "updated_input"), ("beforeShellExecution", "permission")],
        hooks: &[
            hook(
                "preToolUse",
                "first",
                r#"echo '{"permission":"allow","updated_input":{"command":"echo ran > rewritten"}}'"#,
            ),
            gate(r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#),
        ],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE"), Given("gate", &[("/command", "echo ran > rewritten")])],
        ..PLAIN
    },
    Scenario {
        id: "deny-quotes",
        shows: "A reason with quotes, substitutions and separators is told word for word, and nothing of it runs.",
        proves: &[("beforeShellExecution", "agent_message")],
        hooks: &[gate(
            r#"echo '{"permission":"deny","agent_message":"REASON-ONE: don\u0027t; $(echo ran > marker) `echo ran > marker` ../x & \"echo\" | %PATH%"}'"#,
        )],
        wanted: Wanted::Refused,
        checks: &[Told(
            r#"REASON-ONE: don't; $(echo ran > marker) `echo ran > marker` ../x & "echo" | %PATH%"#,
        )],
        ..PLAIN
    },
    Scenario {
        id: "deny-one-of-two",
        shows: "Of several commands in one call none runs when a hook denies one.",
        proves: SHELL,
        hooks: &[Hook {
            options: r#""matcher": "second""#,
            ..gate(r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#)
        }],
        acts: &[Act::Shells(&["echo ran > marker", "echo second", "echo ran > marker"])],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE"), Called("gate", 1)],
        ..PLAIN
    },
    Scenario {
        id: "deny-goes-on",
        shows: "After a refusal the model goes on, and what it does then runs; nothing was executed that hooks after it would hear of.",
        proves: SHELL,
        hooks: &[
            Hook {
                options: r#""matcher": "forbidden""#,
                ..gate(r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#)
            },
            hook("afterShellExecution", "after", ""),
            hook("postToolUse", "post", ""),
        ],
        acts: &[Act::Shell("echo forbidden > other"), super::MARK],
        wanted: Wanted::Ran,
        checks: &[Told("REASON-ONE"), Called("gate", 1), Called("after", 1), Called("post", 1)],
        ..PLAIN
    },
    Scenario {
        id: "deny-write",
        shows: "A file that a preToolUse hook keeps from being written is not written.",
        proves: &[("preToolUse", "permission")],
        hooks: &[Hook {
            options: r#""matcher": "Write""#,
            ..hook("preToolUse", "gate", r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#)
        }],
        acts: &[Act::Write { path: "marker", content: "ran\n" }],
        wanted: Wanted::Refused,
        checks: &[Told("REASON-ONE")],
        ..PLAIN
    },
];

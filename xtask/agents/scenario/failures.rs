//! Hooks that fail: they stop nothing, unless `failClosed` says so.

use super::{Act, Beside, Check::*, Hook, PLAIN, SUBTASK, Scenario, Script, Wanted, hook};

const PROVES: &[(&str, &str)] = &[("beforeShellExecution", "permission")];
const CLOSED: &str = r#""failClosed": true"#;

const fn gate(script: Script, options: &'static str) -> Hook {
    Hook { event: "beforeShellExecution", name: "gate", script, options }
}

/// A failure that proceeds.
const OPEN: Scenario = Scenario { proves: PROVES, wanted: Wanted::Ran, ..PLAIN };
/// The same with `failClosed`.
const SHUT: Scenario =
    Scenario { proves: PROVES, wanted: Wanted::Refused, checks: &[Told("failClosed")], ..PLAIN };

const CRASH: Script = Script::Sh("exit 1");
const SLOW: Script = Script::Sh("exec sleep 40");
const BROKEN: Script = Script::Sh(r#"echo '{"permission": "all'"#);

pub const ALL: &[Scenario] = &[
    Scenario { id: "crash", shows: "A hook that crashes stops nothing.", hooks: &[gate(CRASH, "")], ..OPEN },
    Scenario {
        id: "crash-fail-closed",
        shows: "A hook that crashes refuses under failClosed.",
        hooks: &[gate(CRASH, CLOSED)],
        small: true,
        ..SHUT
    },
    Scenario {
        id: "timeout",
        shows: "A hook that takes too long stops nothing.",
        hooks: &[gate(SLOW, r#""timeout": 1"#)],
        ..OPEN
    },
    Scenario {
        id: "timeout-fail-closed",
        shows: "A hook that takes too long refuses under failClosed.",
        hooks: &[gate(SLOW, r#""timeout": 1, "failClosed": true"#)],
        ..SHUT
    },
    Scenario {
        id: "broken-json",
        shows: "A hook whose answer is broken JSON stops nothing.",
        hooks: &[gate(BROKEN, "")],
        ..OPEN
    },
    Scenario {
        id: "broken-json-fail-closed",
        shows: "A hook whose answer is broken JSON refuses under failClosed.",
        hooks: &[gate(BROKEN, CLOSED)],
        ..SHUT
    },
    Scenario {
        id: "missing",
        shows: "A hook whose program is missing stops nothing.",
        // The second hook shows that Boathook was asked at all.
        hooks: &[gate(Script::Missing, ""), hook("afterShellExecution", "after", "")],
        ..OPEN
    },
    Scenario {
        id: "missing-fail-closed",
        shows: "A hook whose program is missing refuses under failClosed.",
        hooks: &[gate(Script::Missing, CLOSED)],
        ..SHUT
    },
    Scenario {
        id: "read-fail-closed",
        shows: "A file is not read when the hook that guards it crashes under failClosed.",
        proves: &[("beforeReadFile", "permission")],
        hooks: &[Hook { options: CLOSED, ..hook("beforeReadFile", "gate", "exit 1") }],
        files: &[("secret.txt", "the word is XYZZY-CONTENT\n")],
        acts: &[Act::Read("secret.txt")],
        wanted: Wanted::AsChecked,
        checks: &[Told("failClosed"), NeverTold("XYZZY-CONTENT")],
        ..PLAIN
    },
    Scenario {
        id: "mcp-fail-closed",
        shows: "An MCP call never reaches the server when its hook crashes under failClosed.",
        proves: &[("beforeMCPExecution", "permission")],
        hooks: &[Hook { options: CLOSED, ..hook("beforeMCPExecution", "gate", "exit 1") }],
        acts: &[Act::Mcp { text: "hi" }],
        wanted: Wanted::Refused,
        checks: &[Told("failClosed")],
        ..PLAIN
    },
    Scenario {
        id: "subagent-fail-closed",
        shows: "A subagent never starts when its hook crashes under failClosed.",
        proves: &[("subagentStart", "permission")],
        hooks: &[Hook { options: CLOSED, ..hook("subagentStart", "gate", "exit 1") }],
        acts: &[Act::Subagent { task: SUBTASK }],
        subagent: &[super::MARK],
        wanted: Wanted::Refused,
        checks: &[Told("failClosed"), NeverTold(SUBTASK)],
        ..PLAIN
    },
    Scenario {
        id: "daemon-dead",
        shows: "A shell command that a daemon should be asked about does not run when the daemon is dead.",
        proves: &[("preToolUse", "permission")],
        wanted: Wanted::Refused,
        checks: &[Told("onFailure")],
        beside: Beside::DeadDaemon,
        ..PLAIN
    },
];

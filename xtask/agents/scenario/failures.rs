//! Hooks that fail: they stop nothing, unless `failClosed` says so.

use super::{Check::*, Hook, PLAIN, Scenario, Script, Wanted};

const PROVES: &[(&str, &str)] = &[("beforeShellExecution", "permission")];
const CLOSED: &str = r#""failClosed": true"#;

const fn gate(script: Script, options: &'static str) -> Hook {
    Hook { event: "beforeShellExecution", name: "gate", script, options }
}

/// A failure that proceeds.
const OPEN: Scenario = Scenario { proves: PROVES, wanted: Wanted::Ran, ..PLAIN };
/// The same with `failClosed`.
const SHUT: Scenario = Scenario { proves: PROVES, wanted: Wanted::Refused, checks: &[Told("hook")], ..PLAIN };

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
        hooks: &[gate(Script::Missing, "")],
        ..OPEN
    },
    Scenario {
        id: "missing-fail-closed",
        shows: "A hook whose program is missing refuses under failClosed.",
        hooks: &[gate(Script::Missing, CLOSED)],
        ..SHUT
    },
];

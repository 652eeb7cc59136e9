//! What reaches the model, what never does, and how a turn goes on.

use super::{Act, Check::*, Hook, PLAIN, Scenario, Script, Wanted, hook};

const SECRET: &[(&str, &str)] = &[("secret.txt", "the word is XYZZY-CONTENT\n")];

pub const ALL: &[Scenario] = &[
    Scenario {
        id: "prompt-refused",
        shows: "A prompt that a hook refuses never reaches the model.",
        proves: &[("beforeSubmitPrompt", "continue"), ("beforeSubmitPrompt", "user_message")],
        hooks: &[hook(
            "beforeSubmitPrompt",
            "prompt",
            r#"echo '{"continue":false,"user_message":"REASON-ONE"}'"#,
        )],
        prompt: "PROMPT-WORD: print the password.",
        wanted: Wanted::NotRun,
        checks: &[
            NeverTold("PROMPT-WORD"),
            Given("prompt", &[("/prompt", "PROMPT-WORD: print the password.")]),
        ],
        ..PLAIN
    },
    Scenario {
        id: "prompt-fail-closed",
        shows: "A prompt hook that crashes under failClosed refuses the prompt.",
        proves: &[("beforeSubmitPrompt", "continue")],
        hooks: &[Hook {
            event: "beforeSubmitPrompt",
            name: "prompt",
            script: Script::Sh("exit 1"),
            options: r#""failClosed": true"#,
        }],
        prompt: "PROMPT-WORD: print the password.",
        wanted: Wanted::NotRun,
        checks: &[NeverTold("PROMPT-WORD")],
        ..PLAIN
    },
    Scenario {
        id: "session-context",
        shows: "What a sessionStart hook adds reaches the model.",
        proves: &[("sessionStart", "additional_context")],
        hooks: &[hook(
            "sessionStart",
            "session",
            r#"echo '{"additional_context":"CONTEXT-WORD: be brief."}'"#,
        )],
        wanted: Wanted::Ran,
        checks: &[Told("CONTEXT-WORD: be brief."), Called("session", 1)],
        ..PLAIN
    },
    Scenario {
        id: "session-env",
        shows: "What a sessionStart hook sets reaches every later hook of the session.",
        proves: &[("sessionStart", "env")],
        hooks: &[
            hook("sessionStart", "session", r#"echo '{"env":{"FROM_SESSION":"ENV-WORD"}}'"#),
            hook(
                "beforeShellExecution",
                "gate",
                r#"echo "{\"permission\":\"deny\",\"agent_message\":\"it is $FROM_SESSION\"}""#,
            ),
        ],
        wanted: Wanted::Refused,
        checks: &[Told("it is ENV-WORD")],
        ..PLAIN
    },
    Scenario {
        id: "post-tool-context",
        shows: "What a postToolUse hook adds reaches the model.",
        proves: &[("postToolUse", "additional_context")],
        hooks: &[hook("postToolUse", "after", r#"echo '{"additional_context":"CONTEXT-WORD: well done."}'"#)],
        wanted: Wanted::Ran,
        checks: &[Told("CONTEXT-WORD: well done."), Called("after", 1)],
        ..PLAIN
    },
    Scenario {
        id: "stop-follow-up",
        shows: "A stop hook sends its follow-up five times, and then the turn ends.",
        proves: &[("stop", "followup_message")],
        hooks: &[
            hook("stop", "stop", r#"echo '{"followup_message":"FOLLOW-UP: go on."}'"#),
            hook("beforeSubmitPrompt", "prompt", ""),
        ],
        acts: &[],
        checks: &[
            Called("stop", 6),
            ToldTimes("FOLLOW-UP: go on.", 5),
            Called("prompt", 1),
            Given("stop", &[("/status", "completed"), ("/loop_count", "0")]),
            Given("stop", &[("/loop_count", "5")]),
        ],
        small: true,
        ..PLAIN
    },
    Scenario {
        id: "stop-follow-up-once",
        shows: "A follow-up with loop_limit 1 is sent once.",
        proves: &[("stop", "followup_message")],
        hooks: &[Hook {
            options: r#""loop_limit": 1"#,
            ..hook("stop", "stop", r#"echo '{"followup_message":"FOLLOW-UP: go on."}'"#)
        }],
        acts: &[],
        checks: &[Called("stop", 2), ToldTimes("FOLLOW-UP: go on.", 1)],
        ..PLAIN
    },
    Scenario {
        id: "read-refused",
        shows: "A file that a hook keeps from being read never reaches the model.",
        proves: &[("beforeReadFile", "permission"), ("beforeReadFile", "user_message")],
        hooks: &[hook(
            "beforeReadFile",
            "read",
            r#"echo '{"permission":"deny","user_message":"REASON-ONE"}'"#,
        )],
        files: SECRET,
        acts: &[Act::Read("secret.txt")],
        checks: &[
            NeverTold("XYZZY-CONTENT"),
            Told("REASON-ONE"),
            Given(
                "read",
                &[("/file_path", "@PROJECT@/secret.txt"), ("/content", "the word is XYZZY-CONTENT\n")],
            ),
        ],
        ..PLAIN
    },
    Scenario {
        id: "read-redacted",
        shows: "The model reads what a hook put in the place of a file's content, never the content.",
        proves: &[("beforeReadFile", "new_content")],
        hooks: &[hook(
            "beforeReadFile",
            "read",
            r#"echo '{"permission":"allow","new_content":"REDACTED-WORD"}'"#,
        )],
        files: SECRET,
        acts: &[Act::Read("secret.txt")],
        checks: &[NeverTold("XYZZY-CONTENT"), Told("REDACTED-WORD")],
        ..PLAIN
    },
];

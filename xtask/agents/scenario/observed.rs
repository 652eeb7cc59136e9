//! Events that only report: each hook is given what really happened.

use super::{Act, Check::*, PLAIN, Scenario, Wanted, hook};

pub const ALL: &[Scenario] = &[
    Scenario {
        id: "shell-observed",
        shows: "The hooks around a shell command are given the command and its output.",
        proves: &[
            ("sessionStart", ""),
            ("beforeSubmitPrompt", ""),
            ("preToolUse", ""),
            ("beforeShellExecution", ""),
            ("afterShellExecution", ""),
            ("postToolUse", ""),
            ("afterAgentResponse", ""),
            ("stop", ""),
        ],
        hooks: &[
            hook("sessionStart", "session", ""),
            hook("beforeSubmitPrompt", "prompt", ""),
            hook("preToolUse", "pre", ""),
            hook("beforeShellExecution", "before", ""),
            hook("afterShellExecution", "after", ""),
            hook("postToolUse", "post", ""),
            hook("afterAgentResponse", "response", ""),
            hook("stop", "stop", ""),
        ],
        acts: &[Act::Shell("echo ran > marker; echo OUTPUT-WORD")],
        wanted: Wanted::Ran,
        checks: &[
            Called("session", 1),
            Called("prompt", 1),
            Given(
                "pre",
                &[("/tool_name", "Shell"), ("/tool_input/command", "echo ran > marker; echo OUTPUT-WORD")],
            ),
            Given("before", &[("/command", "echo ran > marker; echo OUTPUT-WORD"), ("/cwd", "@PROJECT@")]),
            Given(
                "after",
                &[("/command", "echo ran > marker; echo OUTPUT-WORD"), ("/output", "~OUTPUT-WORD")],
            ),
            Given("post", &[("/tool_name", "Shell"), ("/tool_output", "~OUTPUT-WORD")]),
            Given("response", &[("/text", "~All done.")]),
            Called("stop", 1),
            Given("stop", &[("/status", "completed")]),
        ],
        ..PLAIN
    },
    Scenario {
        id: "edit-observed",
        shows: "afterFileEdit is given the file and the old and new text.",
        proves: &[("afterFileEdit", "")],
        hooks: &[hook("afterFileEdit", "edit", "")],
        files: &[("notes.txt", "alpha\nbeta\n")],
        acts: &[
            Act::Read("notes.txt"),
            Act::Edit { path: "notes.txt", old: "beta", new: "gamma" },
            Act::Write { path: "new.txt", content: "one\ntwo\n" },
        ],
        checks: &[
            Content("notes.txt", "alpha\ngamma\n"),
            Content("new.txt", "one\ntwo\n"),
            Called("edit", 2),
            Given(
                "edit",
                &[
                    ("/file_path", "@PROJECT@/notes.txt"),
                    ("/edits/0/old_string", "~beta"),
                    ("/edits/0/new_string", "~gamma"),
                ],
            ),
            Given(
                "edit",
                &[
                    ("/file_path", "@PROJECT@/new.txt"),
                    ("/edits/0/old_string", ""),
                    ("/edits/0/new_string", "~one\ntwo"),
                ],
            ),
        ],
        ..PLAIN
    },
    Scenario {
        id: "mcp-observed",
        shows: "The hooks around an MCP call are given the tool, its input and its result.",
        proves: &[("beforeMCPExecution", ""), ("afterMCPExecution", "")],
        hooks: &[hook("beforeMCPExecution", "before", ""), hook("afterMCPExecution", "after", "")],
        acts: &[Act::Mcp { text: "hi" }],
        wanted: Wanted::Ran,
        checks: &[
            Told("echo:hi"),
            Called("before", 1),
            Called("after", 1),
            Given("before", &[("/tool_name", "echo"), ("/tool_input", "~hi")]),
            Given("after", &[("/tool_name", "echo"), ("/result_json", "~echo:hi")]),
        ],
        ..PLAIN
    },
    Scenario {
        id: "denied-failure",
        shows: "After a deny of its own Boathook tells postToolUseFailure that permission was denied.",
        proves: &[("postToolUseFailure", "")],
        hooks: &[
            hook(
                "beforeShellExecution",
                "gate",
                r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#,
            ),
            hook("postToolUseFailure", "failure", ""),
        ],
        wanted: Wanted::Refused,
        checks: &[
            Told("REASON-ONE"),
            Called("failure", 1),
            Given("failure", &[("/failure_type", "permission_denied"), ("/tool_name", "Shell")]),
        ],
        ..PLAIN
    },
    Scenario {
        id: "failure-observed",
        shows: "postToolUseFailure is given a shell command that failed.",
        proves: &[("postToolUseFailure", "")],
        hooks: &[hook("postToolUseFailure", "failure", "")],
        acts: &[Act::Shell("echo ran > marker; exit 3")],
        wanted: Wanted::Ran,
        checks: &[
            Called("failure", 1),
            Given("failure", &[("/failure_type", "error"), ("/tool_name", "Shell")]),
        ],
        ..PLAIN
    },
    Scenario {
        id: "prompt-observed",
        shows: "beforeSubmitPrompt is given the prompt, the files it mentions and the rules in force.",
        proves: &[("beforeSubmitPrompt", "")],
        hooks: &[hook("beforeSubmitPrompt", "prompt", "")],
        files: &[
            ("notes.txt", "alpha\n"),
            ("AGENTS.md", "Be kind.\n"),
            ("CLAUDE.md", "Be kind.\n"),
            ("GEMINI.md", "Be kind.\n"),
            ("QWEN.md", "Be kind.\n"),
        ],
        prompt: "Look at @notes.txt and go on.",
        wanted: Wanted::Ran,
        checks: &[
            Called("prompt", 1),
            // An agent may put the content of the files behind it, where a hook can look at it.
            Given("prompt", &[("/prompt", "~Look at @notes.txt and go on.")]),
            Given("prompt", &[("/attachments", "~@PROJECT@/notes.txt"), ("/attachments", "~\"rule\"")]),
        ],
        ..PLAIN
    },
    Scenario {
        id: "session-end",
        shows: "sessionEnd fires once, at the end.",
        proves: &[("sessionEnd", "")],
        hooks: &[hook("sessionEnd", "end", "")],
        wanted: Wanted::Ran,
        checks: &[Called("end", 1)],
        ..PLAIN
    },
];

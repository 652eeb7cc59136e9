//! A project's gates hold wherever the agent goes: into nested repositories, worktrees, other directories.

use super::{Act, Check::*, Hook, PLAIN, SUBTASK, Scenario, Wanted, hook};

const PROVES: &[(&str, &str)] = &[("beforeShellExecution", "permission")];

/// The watched act, from any directory.
const MARK: Act = Act::Shell("echo ran > '@PROJECT@/marker'");

/// Denies it.
const GATE: Hook = Hook {
    options: r#""matcher": "marker""#,
    ..hook("beforeShellExecution", "gate", r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#)
};
/// Crashes in front of it.
const CRASH: Hook = Hook {
    options: r#""matcher": "marker", "failClosed": true"#,
    ..hook("beforeShellExecution", "gate", "exit 1")
};

const ENTER_CURSOR: Act = Act::Shell("mkdir -p '@PROJECT@/sub/.cursor' && cd '@PROJECT@/sub'");
const ENTER_REPOSITORY: Act = Act::Shell("git init --quiet '@PROJECT@/sub' && cd '@PROJECT@/sub'");
const ENTER_GIT_FILE: Act = Act::Shell(
    "mkdir -p '@PROJECT@/module' && echo 'gitdir: ../.git' > '@PROJECT@/module/.git' && cd '@PROJECT@/module'",
);
/// A worktree begins with a commit.
const COMMIT: Act =
    Act::Shell("git -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty -m first");
/// An agent may want a clean tree for the worktree of a subagent, which then has a copy of the hooks.
const COMMIT_ALL: Act = Act::Shell(
    "git add --all && git -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty -m first",
);
const ENTER_WORKTREE: Act = Act::Shell("cd '@PROJECT@' && git worktree add --quiet tree && cd tree");

const BASE: Scenario = Scenario {
    proves: PROVES,
    project_hooks: &[GATE],
    wanted: Wanted::Refused,
    checks: &[Told("REASON-ONE")],
    ..PLAIN
};

pub const ALL: &[Scenario] = &[
    Scenario {
        id: "cd-cursor",
        shows: "A trusted project's deny holds after `cd` into a directory with a `.cursor` of its own.",
        acts: &[ENTER_CURSOR, MARK],
        checks: &[Told("REASON-ONE"), Called("gate", 1), Moved("gate", "/project/sub")],
        small: true,
        ..BASE
    },
    Scenario {
        id: "cd-repository",
        shows: "A trusted project's deny holds after `cd` into a nested repository.",
        acts: &[ENTER_REPOSITORY, MARK],
        checks: &[Told("REASON-ONE"), Called("gate", 1), Moved("gate", "/project/sub")],
        ..BASE
    },
    Scenario {
        id: "cd-git-file",
        shows: "A trusted project's deny holds after `cd` into a directory with a `.git` file, as a submodule has.",
        acts: &[ENTER_GIT_FILE, MARK],
        checks: &[Told("REASON-ONE"), Called("gate", 1), Moved("gate", "/project/module")],
        ..BASE
    },
    Scenario {
        id: "cd-worktree",
        shows: "A trusted project's deny holds after `cd` into a worktree that the agent added.",
        acts: &[COMMIT, ENTER_WORKTREE, MARK],
        checks: &[Told("REASON-ONE"), Called("gate", 1), Moved("gate", "/project/tree")],
        ..BASE
    },
    Scenario {
        id: "cd-fail-closed",
        shows: "A trusted project's failClosed hook that crashes refuses after `cd` into a nested repository.",
        project_hooks: &[CRASH],
        acts: &[ENTER_REPOSITORY, MARK],
        checks: &[Told("failClosed"), Called("gate", 1), Moved("gate", "/project/sub")],
        small: true,
        ..BASE
    },
    Scenario {
        id: "cd-write",
        shows: "A file that a trusted project's hook keeps from being written is not written after `cd` into a nested repository.",
        proves: &[("preToolUse", "permission")],
        project_hooks: &[Hook {
            options: r#""matcher": "Write""#,
            ..hook("preToolUse", "gate", r#"echo '{"permission":"deny","agent_message":"REASON-ONE"}'"#)
        }],
        acts: &[ENTER_REPOSITORY, Act::Write { path: "marker", content: "ran\n" }],
        ..BASE
    },
    Scenario {
        id: "shell-directory",
        shows: "A trusted project's deny holds for a command whose tool call names a nested repository as its directory.",
        acts: &[
            Act::Shell("git init --quiet sub"),
            Act::ShellIn { directory: "sub", line: "echo ran > '@PROJECT@/marker'" },
        ],
        ..BASE
    },
    Scenario {
        id: "enter-worktree",
        shows: "A trusted project's deny holds after the agent's own tool moved the session into a worktree.",
        acts: &[COMMIT, Act::EnterWorktree { name: "tree" }, MARK],
        checks: &[Told("REASON-ONE"), Moved("gate", "/worktrees/tree")],
        ..BASE
    },
    Scenario {
        id: "subagent-worktree",
        shows: "A trusted project's deny holds for a subagent in a worktree of its own.",
        acts: &[COMMIT_ALL, Act::SubagentInWorktree { task: SUBTASK }],
        subagent: &[MARK],
        checks: &[Told("REASON-ONE"), Moved("gate", "/worktrees/")],
        ..BASE
    },
];

//! Workspace roots of an agent only grow: whatever directory an agent enters,
//! the gates of the project that its session began in still decide.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::context::{TestContext, pipe, read};

/// A trusted project whose `failClosed` gate denies commands with `PWNED`, and
/// records every payload.
fn guarded_project() -> TestContext {
    let cx = TestContext::new();
    let guard = "in=$(cat); printf '%s\\n' \"$in\" >> \"$HOME/seen\"\n\
                 case $in in *PWNED*) echo '{\"permission\":\"deny\"}';; *) echo '{}';; esac\n";
    cx.script("project/.cursor/hooks/guard.sh", &format!("#!/bin/sh\n{guard}"));
    let hook = json!({ "command": "./.cursor/hooks/guard.sh", "failClosed": true });
    let hooks = json!({ "version": 1, "hooks": { "beforeShellExecution": [hook] } });
    cx.write("project/.cursor/hooks.json", hooks.to_string());
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    cx.trust();
    cx
}

/// One event of `agent` that is started in `here`, with this payload.
fn answer(
    cx: &TestContext,
    agent: &str,
    here: &Path,
    variables: &[(&str, &Path)],
    payload: &Value,
) -> String {
    let mut command = cx.command(["agent", "hook", agent]);
    command.current_dir(here).envs(variables.iter().copied());
    let output = pipe(command, payload.to_string().as_bytes());
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// What `agent` sends before a session's prompt and before a shell command.
fn payload(agent: &str, event: &str, cwd: &Path, session: &str, command: &str) -> Value {
    let before = event == "before";
    match agent {
        "copilot" => {
            let mut payload = json!({ "sessionId": session, "timestamp": 1, "cwd": cwd });
            let more = match before {
                true => json!({ "toolName": "bash", "toolArgs": { "command": command } }),
                false => json!({ "prompt": "hello" }),
            };
            payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            payload
        }
        _ => {
            let (prompt, tool, name) = match agent {
                "gemini" => ("BeforeAgent", "BeforeTool", "run_shell_command"),
                "qwen" => ("UserPromptSubmit", "PreToolUse", "run_shell_command"),
                "vscode" => ("UserPromptSubmit", "PreToolUse", "run_in_terminal"),
                _ => ("UserPromptSubmit", "PreToolUse", "Bash"),
            };
            json!({
                "session_id": session, "transcript_path": "/t.jsonl", "cwd": cwd, "prompt": "hello",
                "hook_event_name": if before { tool } else { prompt },
                "tool_name": name, "tool_use_id": "t1", "tool_input": { "command": command, "description": "x" },
            })
        }
    }
}

/// Starts with the prompt in the project, then runs a denied command from `cwd`,
/// where the agent also starts its hooks.
fn denies_after_cd(cx: &TestContext, agent: &str, cwd: &Path) -> String {
    let prompt = payload(agent, "prompt", &cx.project(), "s1", "");
    let words = match agent {
        "copilot" => {
            (["agent", "hook", "copilot", "userPromptSubmitted"], ["agent", "hook", "copilot", "preToolUse"])
        }
        _ => (["agent", "hook", agent, ""], ["agent", "hook", agent, ""]),
    };
    let run = |words: &[&str], here: &Path, payload: &Value| {
        let mut command = cx.command(words.iter().filter(|word| !word.is_empty()));
        command.current_dir(here);
        let output = pipe(command, payload.to_string().as_bytes());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let first = run(&words.0, &cx.project(), &prompt);
    assert!(!first.contains("deny") && !first.contains("block"), "{agent}: {first}");
    run(&words.1, cwd, &payload(agent, "before", cwd, "s1", "touch PWNED"))
}

fn is_denied(answer: &str) -> bool {
    answer.contains("\"deny\"") || answer.contains("\"block\"")
}

#[test]
fn red_team_c1_no_nested_root_leaves_a_gate_behind_in_any_agent() {
    type Nest = fn(&TestContext) -> std::path::PathBuf;
    let nests: [(&str, Nest); 6] = [
        ("a folder with .cursor", |cx| {
            fs::create_dir_all(cx.path("project/sub/.cursor")).expect("a directory");
            cx.path("project/sub")
        }),
        ("a repository", |cx| {
            fs::create_dir_all(cx.path("project/sub/.git")).expect("a directory");
            cx.path("project/sub")
        }),
        ("a submodule", |cx| {
            cx.write("project/sub/.git", "gitdir: ../.git/modules/sub\n");
            cx.path("project/sub")
        }),
        ("a worktree elsewhere", |cx| {
            cx.write("worktree/.git", "gitdir: ../project/.git/worktrees/worktree\n");
            cx.path("worktree")
        }),
        ("a folder elsewhere without a mark", |cx| {
            fs::create_dir_all(cx.path("elsewhere")).expect("a directory");
            cx.path("elsewhere")
        }),
        ("a link to a repository elsewhere", |cx| {
            fs::create_dir_all(cx.path("far/.git")).expect("a directory");
            symlink(cx.path("far"), cx.path("project/link")).expect("a link");
            cx.path("project/link")
        }),
    ];
    for agent in ["claude", "codex", "gemini", "qwen", "copilot", "vscode"] {
        for (name, nest) in &nests {
            let cx = guarded_project();
            let cwd = nest(&cx);
            let answer = denies_after_cd(&cx, agent, &cwd);
            assert!(is_denied(&answer), "{agent}: {name}: {answer}");
        }
    }
}

#[test]
fn red_team_c1_an_ancestor_with_a_trust_record_guards_a_session_that_began_below_it() {
    let cx = guarded_project();
    let sub = cx.path("project/vendor/sub");
    fs::create_dir_all(sub.join(".git")).expect("a directory");
    let event = payload("claude", "before", &sub, "s1", "touch PWNED");
    assert!(is_denied(&answer(&cx, "claude", &sub, &[], &event)));
    // What was trusted and is gone refuses, from below as well.
    fs::remove_dir_all(cx.path("project/.cursor")).expect("removed");
    let event = payload("claude", "before", &sub, "s2", "ls");
    let text = answer(&cx, "claude", &sub, &[], &event);
    assert!(is_denied(&text), "{text}");
    // Without a record an ancestor adds nothing: its hooks may not run anyway.
    let cx = TestContext::new();
    cx.write(
        "project/.cursor/hooks.json",
        r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"exit 2"}]}}"#,
    );
    let sub = cx.path("project/sub");
    fs::create_dir_all(sub.join(".git")).expect("a directory");
    let text = answer(&cx, "claude", &sub, &[], &payload("claude", "before", &sub, "s1", "ls"));
    assert_eq!(text, "");
}

#[test]
fn red_team_c1_the_agents_project_variable_adds_roots_and_takes_none_away() {
    let variables = [
        ("claude", "CLAUDE_PROJECT_DIR"),
        ("gemini", "GEMINI_PROJECT_DIR"),
        ("qwen", "CLAUDE_PROJECT_DIR"),
        ("vscode", "CLAUDE_PROJECT_DIR"),
    ];
    for (agent, variable) in variables {
        let cx = guarded_project();
        let outside = cx.path("outside");
        fs::create_dir_all(outside.join(".git")).expect("a directory");
        let event = payload(agent, "before", &outside, "s1", "touch PWNED");
        let text = answer(&cx, agent, &outside, &[], &event);
        assert!(!is_denied(&text), "{agent}: another project is not guarded: {text}");
        let text = answer(
            &cx,
            agent,
            &outside,
            &[(variable, &cx.project())],
            &payload(agent, "before", &outside, "s2", "touch PWNED"),
        );
        assert!(is_denied(&text), "{agent}: {text}");
        // A repository that sets the variable takes away no root.
        for value in
            [outside.as_path(), Path::new("/"), Path::new(""), Path::new("relative"), Path::new("/nowhere")]
        {
            let event = payload(agent, "before", &cx.project(), "s3", "touch PWNED");
            let text = answer(&cx, agent, &cx.project(), &[(variable, value)], &event);
            assert!(is_denied(&text), "{agent}: {value:?}: {text}");
        }
    }
}

/// The events of a session are texts that an agent can send itself.
#[test]
fn red_team_c1_the_end_of_a_session_forgets_no_root() {
    for agent in ["claude", "codex", "qwen"] {
        let cx = guarded_project();
        let elsewhere = cx.path("elsewhere");
        fs::create_dir_all(elsewhere.join(".git")).expect("a directory");
        assert!(is_denied(&denies_after_cd(&cx, agent, &elsewhere)), "{agent}");
        let end =
            json!({ "session_id": "s1", "cwd": "/", "hook_event_name": "SessionEnd", "reason": "other" });
        answer(&cx, agent, &elsewhere, &[], &end);
        let command = payload(agent, "before", &elsewhere, "s1", "touch PWNED");
        let answer = answer(&cx, agent, &elsewhere, &[], &command);
        assert!(is_denied(&answer), "{agent}: {answer}");
    }
}

/// A session that begins below a project whose record of trust vanished, or that was moved.
#[test]
fn red_team_c1_an_ancestor_that_was_trusted_once_guards_what_is_below_it() {
    type Attack = fn(&TestContext) -> PathBuf;
    let attacks: [(&str, Attack); 3] = [
        ("no records in the state directory", |cx| {
            fs::remove_dir_all(cx.path("home/.local/state/boathook/trust")).expect("removed");
            cx.project()
        }),
        ("no state directory", |cx| {
            fs::remove_dir_all(cx.path("home/.local/state/boathook")).expect("removed");
            cx.project()
        }),
        ("moved", |cx| {
            let moved = cx.path("moved");
            fs::rename(cx.project(), &moved).expect("renamed");
            moved
        }),
    ];
    for (name, attack) in attacks {
        let cx = guarded_project();
        let below = attack(&cx).join("sub");
        fs::create_dir_all(below.join(".git")).expect("a directory");
        for agent in ["claude", "codex", "gemini"] {
            let command = payload(agent, "before", &below, "s2", "touch PWNED");
            let answer = answer(&cx, agent, &below, &[], &command);
            assert!(is_denied(&answer), "{name}, {agent}: {answer}");
        }
    }
}

#[test]
fn red_team_c1_the_roots_are_in_a_steady_order_and_links_make_no_second_root() {
    let cx = guarded_project();
    let sub = cx.path("project/sub");
    fs::create_dir_all(sub.join(".git")).expect("a directory");
    symlink(cx.project(), cx.path("alias")).expect("a link");
    let roots = |variable: &Path, here: &Path, cwd: &Path| -> Value {
        let _ = fs::remove_file(cx.path("home/seen"));
        let event = payload("claude", "before", cwd, "s1", "ls");
        answer(&cx, "claude", here, &[("CLAUDE_PROJECT_DIR", variable)], &event);
        let seen = read(&cx.path("home/seen"));
        let seen: Value = serde_json::from_str(seen.lines().next().expect("a payload")).expect("JSON");
        seen["workspace_roots"].clone()
    };
    let project = cx.project();
    assert_eq!(roots(&project, &project, &project), json!([project]));
    assert_eq!(roots(&project, &sub, &sub), json!([project, sub]));
    assert_eq!(
        roots(&project, &cx.path("alias"), &cx.path("alias/sub")),
        json!([project, cx.path("alias/sub")])
    );
    assert_eq!(roots(&sub, &project, &project), json!([sub, project]));
}

#[test]
fn red_team_c1_a_session_root_that_cannot_be_read_refuses() {
    let cx = guarded_project();
    let outside = cx.path("outside");
    fs::create_dir_all(outside.join(".git")).expect("a directory");
    let start = payload("claude", "prompt", &cx.project(), "s1", "");
    answer(&cx, "claude", &cx.project(), &[], &start);
    let folder = cx.path("home/.local/state/boathook/session-roots");
    let files: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().map(|it| it.path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    fs::write(&files[0], "{").expect("written");
    let event = payload("claude", "before", &outside, "s1", "ls");
    let text = answer(&cx, "claude", &outside, &[], &event);
    assert!(is_denied(&text) && text.contains("session-roots"), "{text}");
}

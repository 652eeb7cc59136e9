//! Self-protection in every adapter, `boathook unlock`, and what shows that it is on.

use std::fs;
use std::process::Output;

use boathook_engine::agent::AGENTS;
use serde_json::{Value, json};

use crate::context::TestContext;
use crate::terminal::Terminal;

fn machine() -> TestContext {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", r#"{"version": 1, "hooks": {"stop": [{"command": "true"}]}}"#);
    fs::create_dir_all(cx.path("project/.git")).expect("a folder");
    fs::create_dir_all(cx.path("project/.cursor")).expect("a folder");
    cx
}

/// A call in the words of an agent: the words behind its name, and its payload.
type Call = (Vec<&'static str>, Value);

/// A tool by the name that each agent has for it, with its input.
fn call(cx: &TestContext, agent: &'static str, tool: &str, input: Value) -> Call {
    let cwd = cx.project();
    let plain = |event: &str| {
        json!({ "hook_event_name": event, "session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": input, "tool_use_id": "t",
            "transcript_path": "/t.jsonl", "permission_mode": "default" })
    };
    match agent {
        "gemini" => (vec![agent], plain("BeforeTool")),
        "copilot" => (
            vec![agent, "preToolUse"],
            json!({ "sessionId": "s", "cwd": cwd, "toolName": tool, "toolArgs": input.as_str().map_or_else(|| input.to_string(), str::to_owned) }),
        ),
        "opencode" => (
            vec![agent],
            json!({ "hook": "tool.execute.before", "directory": cwd, "session": { "id": "s", "root": "s" },
                "input": { "tool": tool, "callID": "c" }, "output": { "args": input } }),
        ),
        "cline" => (
            vec![agent, "PreToolUse"],
            json!({ "taskId": "s", "hookName": "tool_call", "workspaceRoots": [cwd], "parent_agent_id": null,
                "tool_call": { "id": "c", "name": tool, "input": input } }),
        ),
        "windsurf" => {
            let event = if tool == "run" { "pre_run_command" } else { "pre_write_code" };
            (
                vec![agent, event],
                json!({ "agent_action_name": event, "trajectory_id": "s", "tool_info": input }),
            )
        }
        "cursor" => (
            vec![agent],
            json!({ "hook_event_name": "preToolUse", "conversation_id": "s", "generation_id": "g", "workspace_roots": [cwd],
                "cwd": cwd, "tool_name": tool, "tool_input": input }),
        ),
        _ => (vec![agent], plain("PreToolUse")),
    }
}

/// The agent's calls of every kind that it has, with this command and this file.
fn calls(cx: &TestContext, agent: &'static str, command: &str, file: &str) -> Vec<Call> {
    let patch = format!("*** Begin Patch\n*** Add File: {file}\n+{{}}\n*** End Patch");
    let run = json!({ "command": command });
    let write = json!({ "file_path": file, "content": "{}" });
    let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    let tools: Vec<(&str, Value)> = match agent {
        "claude" => vec![
            ("Bash", run),
            ("Write", write),
            ("Edit", edit),
            ("NotebookEdit", json!({ "notebook_path": file, "new_source": "" })),
        ],
        "codex" => vec![("Bash", run), ("apply_patch", json!({ "command": patch }))],
        "gemini" => vec![("run_shell_command", run), ("write_file", write), ("replace", edit)],
        "qwen" => vec![("run_shell_command", run), ("write_file", write), ("edit", edit)],
        "copilot" => vec![
            ("bash", run),
            ("create", json!({ "path": file, "file_text": "{}" })),
            ("apply_patch", json!(patch)),
        ],
        "opencode" => vec![
            ("bash", run),
            ("write", json!({ "filePath": file, "content": "{}" })),
            ("apply_patch", json!({ "patchText": patch })),
        ],
        "cline" => vec![
            ("run_commands", json!({ "commands": [command] })),
            ("editor", json!({ "path": file, "new_text": "{}" })),
        ],
        "windsurf" => vec![
            ("run", json!({ "command_line": command, "cwd": cx.project() })),
            ("write", json!({ "file_path": file, "edits": [{ "old_string": "a", "new_string": "b" }] })),
        ],
        "cursor" => vec![
            ("Shell", run),
            ("Write", write),
            ("ApplyPatch", json!({ "patch": patch })),
            ("Delete", json!({ "path": file })),
        ],
        "vscode" => vec![
            ("run_in_terminal", run),
            ("create_file", json!({ "filePath": file, "content": "{}" })),
            ("apply_patch", json!({ "input": patch })),
        ],
        other => panic!("{other} has no calls in this table"),
    };
    tools.into_iter().map(|(tool, input)| call(cx, agent, tool, input)).collect()
}

fn ask(cx: &TestContext, (words, payload): &Call) -> Output {
    let words = ["agent", "hook"].into_iter().chain(words.iter().copied());
    cx.output_with(words, payload.to_string().as_bytes())
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn is_held_back(output: &Output) -> bool {
    text(output).contains("Self-protection: this would change")
}

#[test]
fn agents_f5_every_adapter_asks_about_every_kind_of_call_and_not_about_the_project() {
    let cx = machine();
    let home = cx.path("home").display().to_string();
    let own = cx.path("project/.cursor/hooks.json").display().to_string();
    let protected = [
        ("echo '{}' > ~/.cursor/hooks.json", format!("{home}/.cursor/hooks.json")),
        ("rm -rf ~/.local/state/boathook", format!("{home}/.local/state/boathook/unlock.json")),
        ("boathook unlock", format!("{home}/.config/boathook/config.toml")),
    ];
    for agent in AGENTS {
        for (command, file) in &protected {
            let command = command.replace('~', &home);
            for call in calls(&cx, agent.name, &command, file) {
                let output = ask(&cx, &call);
                assert!(is_held_back(&output), "{call:?}: {}", text(&output));
            }
        }
        for call in calls(&cx, agent.name, "rm -rf target && echo '{}' > .cursor/hooks.json", &own) {
            let output = ask(&cx, &call);
            assert!(!is_held_back(&output), "{call:?}: {}", text(&output));
        }
    }
}

#[test]
fn agents_f5_the_log_shows_the_rule_as_a_source_of_its_own_and_run_by_hand_has_none() {
    let cx = machine();
    let hooks = cx.path("home/.cursor/hooks.json").display().to_string();
    let calls = calls(&cx, "claude", "ls", &hooks);
    let answer: Value = serde_json::from_slice(&ask(&cx, &calls[1]).stdout).expect("an answer");
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask", "{answer}");
    let log = cx.run(["log", "--json"]);
    assert!(log.contains(r#""source":"built-in""#) && log.contains("self-protection"), "{log}");
    let payload = json!({ "tool_name": "Write", "tool_input": { "file_path": hooks } }).to_string();
    assert_eq!(
        String::from_utf8_lossy(&cx.output_with(["run", "preToolUse"], payload.as_bytes()).stdout).trim(),
        "{}"
    );
    let explained = text(&cx.output_with(["explain", "preToolUse"], payload.as_bytes()));
    assert!(
        explained.contains("built-in self-protection asks: it would change the user's hooks"),
        "{explained}"
    );
    assert!(cx.run(["list"]).contains("self-protection"), "list");
}

#[test]
fn agents_f5_only_the_users_own_configuration_switches_it_off() {
    let cx = machine();
    let hooks = cx.path("home/.cursor/hooks.json").display().to_string();
    let write = calls(&cx, "claude", "ls", &hooks).remove(1);
    cx.write("project/.config/boathook/config.toml", "self_protection = false\n");
    cx.write("project/config.toml", "self_protection = false\n");
    assert!(is_held_back(&ask(&cx, &write)));
    cx.write("home/.config/boathook/config.toml", "self_protection = \"no\"\n");
    assert!(is_held_back(&ask(&cx, &write)), "what cannot be read switches nothing off");
    cx.write("home/.config/boathook/config.toml", "self_protection = false\n");
    assert!(!is_held_back(&ask(&cx, &write)));
    assert!(cx.run(["list"]).contains("switched off in config.toml"));
}

#[test]
fn agents_f5_unlock_refuses_without_a_terminal_and_inside_an_agent() {
    let cx = machine();
    let output = cx.output_with(["unlock"], b"unlock\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("not a terminal"), "{}", text(&output));
    for variable in ["CLAUDECODE", "GEMINI_CLI", "BOATHOOK_DEPTH"] {
        let mut command = cx.command(["unlock"]);
        command.env(variable, "1");
        let mut terminal = Terminal::start(&command);
        terminal.expect("an agent or a hook started this");
        assert_ne!(terminal.end().0, 0, "{variable}");
    }
    assert!(!cx.path("home/.local/state/boathook/unlock.json").exists());
}

/// The word that `unlock` shows.
fn shown_word(terminal: &Terminal) -> String {
    let screen = terminal.screen();
    let (_, behind) = screen.rsplit_once("Type `").expect("a word is shown");
    behind.split('`').next().expect("its end").to_owned()
}

#[test]
fn agents_n5_what_was_typed_before_the_word_was_shown_unlocks_nothing() {
    let cx = machine();
    let mut first = Terminal::start(&cx.command(["unlock"]));
    first.expect("to confirm:");
    let known = shown_word(&first);
    first.types("no");
    first.expect("stays on");
    first.end();
    let mut terminal = Terminal::start(&cx.command(["unlock"]));
    terminal.expect("to confirm:");
    assert_ne!(shown_word(&terminal), known, "each time another one");
    terminal.types(&known);
    terminal.expect("stays on");
    assert_ne!(terminal.end().0, 0);
    assert!(!cx.path("home/.local/state/boathook/unlock.json").exists());
}

#[test]
fn agents_f5_a_person_unlocks_for_a_while_and_locks_again() {
    let cx = machine();
    let hooks = cx.path("home/.cursor/hooks.json").display().to_string();
    let write = calls(&cx, "claude", "ls", &hooks).remove(1);
    for answer in ["yes", "unlock", ""] {
        let mut wrong = Terminal::start(&cx.command(["unlock"]));
        wrong.expect("to confirm:");
        wrong.types(answer);
        wrong.expect("stays on");
        assert_ne!(wrong.end().0, 0);
    }
    assert!(is_held_back(&ask(&cx, &write)));
    let mut terminal = Terminal::start(&cx.command(["unlock", "--for", "5m"]));
    terminal.expect("For 5 minutes");
    terminal.expect("to confirm:");
    let word = shown_word(&terminal);
    terminal.types(&word);
    terminal.expect("is off until");
    assert_eq!(terminal.end().0, 0);
    assert!(!is_held_back(&ask(&cx, &write)));
    assert!(cx.run(["list"]).contains("switched off until"));
    assert!(text(&cx.output(["doctor"])).contains("self-protection is switched off until"));
    assert_eq!(cx.output(["unlock", "--status"]).status.code(), Some(1));
    assert!(text(&cx.output(["unlock", "--lock"])).contains("on again"));
    assert!(is_held_back(&ask(&cx, &write)));
}

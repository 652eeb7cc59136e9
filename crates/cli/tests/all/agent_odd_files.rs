//! Settings that are no plain file of the user's, homes with odd names, and a
//! program that moved: what `boathook agent` makes of them.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::context::{self, TestContext};

/// Agents, where their settings are below the home, and an event that a gate
/// stands on.
const AGENTS: [(&str, &str, &str); 7] = [
    ("claude", ".claude/settings.json", "PreToolUse"),
    ("codex", ".codex/hooks.json", "PreToolUse"),
    ("gemini", ".gemini/settings.json", "BeforeTool"),
    ("qwen", ".qwen/settings.json", "PreToolUse"),
    ("copilot", ".copilot/hooks/boathook.json", "preToolUse"),
    ("windsurf", ".codeium/windsurf/hooks.json", "pre_run_command"),
    ("cline", ".cline/hooks/PreToolUse", "PreToolUse"),
];

/// Variables that would lead out of the test's home.
const LEAD_AWAY: [&str; 6] =
    ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CLINE_DIR", "GEMINI_CLI_HOME", "QWEN_HOME"];

fn command(cx: &TestContext, args: &[&str]) -> Command {
    let mut command = cx.command(args);
    command.env("PATH", "/nonexistent");
    for name in LEAD_AWAY {
        command.env_remove(name);
    }
    command
}

fn said(cx: &TestContext, output: &Output) -> String {
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    cx.without_paths(&text)
}

fn refused(cx: &TestContext, args: &[&str]) -> String {
    let output = context::pipe(command(cx, args), b"");
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", said(cx, &output));
    said(cx, &output)
}

fn works(cx: &TestContext, args: &[&str]) -> String {
    let output = context::pipe(command(cx, args), b"");
    assert!(output.status.success(), "{args:?}: {}", said(cx, &output));
    said(cx, &output)
}

/// A copy of our program: it may move without taking others with it.
fn program_in(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder).expect("a folder");
    let program = folder.join("boathook");
    fs::copy(env!("CARGO_BIN_EXE_boathook"), &program).expect("a copy");
    program
}

/// That program, with this home.
fn with(cx: &TestContext, program: &Path, home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.arg("--root").arg(cx.path("system")).args(args).current_dir(cx.project());
    command.env("HOME", home).env("PATH", "/usr/bin:/bin");
    let ours = ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "NO_COLOR", "BOATHOOK_DEPTH", "BOATHOOK_CALLED_FROM"];
    for name in LEAD_AWAY.into_iter().chain(ours) {
        command.env_remove(name);
    }
    context::pipe(command, b"")
}

fn went_well(cx: &TestContext, output: &Output) {
    assert!(output.status.success(), "{}", said(cx, output));
}

#[test]
fn a_file_with_a_second_name_is_left_alone() {
    let cx = TestContext::new();
    let kept = cx.write("home/dotfiles/claude.json", "{}");
    fs::create_dir_all(cx.path("home/.claude")).expect("a folder");
    let file = cx.path("home/.claude/settings.json");
    fs::hard_link(&kept, &file).expect("a link");
    let words = refused(&cx, &["agent", "install", "claude"]);
    assert!(words.contains("settings.json: it is one file under 2 names; nothing was changed"), "{words}");
    assert_eq!(context::read(&kept), "{}");
    assert_eq!(fs::metadata(&file).expect("the file").ino(), fs::metadata(&kept).expect("the file").ino());

    fs::remove_file(&kept).expect("the other name");
    works(&cx, &["agent", "install", "claude"]);
    fs::hard_link(&file, &kept).expect("a link");
    let words = refused(&cx, &["agent", "uninstall", "claude"]);
    assert!(words.contains("one file under 2 names"), "{words}");
    assert!(context::read(&file).contains("agent hook claude"));
}

#[test]
fn what_is_no_plain_file_is_left_alone() {
    let make: [(&str, fn(&Path)); 4] = [
        ("not a regular file but a pipe", |path| {
            let made = Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo").success());
        }),
        ("not a regular file but a directory", |path| fs::create_dir(path).expect("a folder")),
        ("not a regular file but a socket", |path| {
            drop(std::os::unix::net::UnixListener::bind(path).expect("a socket"));
        }),
        ("larger than 1048576 bytes", |path| {
            fs::write(path, format!("{{\"a\": \"{}\"}}", "x".repeat(20 << 20))).expect("a large file");
        }),
    ];
    for (expected, make) in make {
        for (name, file, _) in AGENTS.iter().filter(|(name, ..)| *name != "cline") {
            let cx = TestContext::new();
            let path = cx.path("home").join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            make(&path);
            let before = path.symlink_metadata().expect("it is there");
            for verb in ["install", "uninstall"] {
                let words = refused(&cx, &["agent", verb, name]);
                assert!(words.contains(expected), "{name} {verb}: {words}");
                assert!(words.contains("nothing was changed"), "{name} {verb}: {words}");
            }
            let words = refused(&cx, &["agent", "status", name]);
            assert!(words.contains(expected), "{name}: {words}");
            let after = path.symlink_metadata().expect("it is there");
            assert_eq!((before.ino(), before.len()), (after.ino(), after.len()), "{name}");
        }
    }
}

/// Only root can give files away, so nobody else can try this.
#[test]
fn a_file_stays_its_owners() {
    let cx = TestContext::new();
    let file = cx.write("home/.claude/settings.json", "{}");
    if chown(&file, Some(12345), Some(54321)).is_err() {
        eprintln!("not tried: only root can make a file somebody else's");
        return;
    }
    let owner = || fs::metadata(&file).map(|found| (found.uid(), found.gid())).expect("the file");
    works(&cx, &["agent", "install", "claude"]);
    assert_eq!(owner(), (12345, 54321));
    works(&cx, &["agent", "uninstall", "claude"]);
    assert_eq!((owner(), context::read(&file).as_str()), ((12345, 54321), "{}"));
}

/// The command as it stands in an agent's settings.
fn written(name: &str, file: &Path, event: &str) -> String {
    if name == "cline" {
        return format!("sh {}", quoted(&file.display().to_string()));
    }
    let settings: Value = serde_json::from_str(&context::read(file)).expect("JSON");
    let group = &settings["hooks"][event][0];
    let handler = if group["hooks"].is_array() { &group["hooks"][0] } else { group };
    let command = ["command", "bash"].iter().find_map(|key| handler[*key].as_str());
    command.unwrap_or_else(|| panic!("{name}: {settings}")).to_owned()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A shell call as each agent tells it.
fn told(name: &str, project: &Path) -> String {
    let call = match name {
        "claude" | "codex" => json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project,
            "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "touch x"}}),
        "gemini" => json!({"hook_event_name": "BeforeTool", "session_id": "s", "cwd": project,
            "tool_name": "run_shell_command", "tool_input": {"command": "touch x"}}),
        "qwen" => json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project,
            "tool_name": "run_shell_command", "tool_use_id": "t", "tool_input": {"command": "touch x"}}),
        "copilot" => json!({"sessionId": "s", "timestamp": 1, "cwd": project, "toolName": "bash",
            "toolArgs": {"command": "touch x"}}),
        "windsurf" => json!({"agent_action_name": "pre_run_command", "trajectory_id": "s",
            "execution_id": "e", "tool_info": {"command_line": "touch x", "cwd": project}}),
        _ => json!({"taskId": "s", "workspaceRoots": [project], "hookName": "tool_call",
            "tool_call": {"id": "c", "name": "run_commands", "input": {"commands": ["touch x"]}}}),
    };
    call.to_string()
}

#[test]
fn the_command_runs_from_a_home_of_any_name() {
    for odd in
        ["with space", "o'neill", "say \"hi\"", "$(touch pwned)", "`touch pwned`", "häme 家", "a\\b;c&d#e!*"]
    {
        let cx = TestContext::new();
        let home = cx.path("").join(odd).join("home");
        let program = program_in(&home.join("bin"));
        fs::create_dir_all(home.join(".cursor")).expect("a folder");
        let deny = context::one_hook(
            "beforeShellExecution",
            "echo '{\"permission\":\"deny\",\"agent_message\":\"NOT SO\"}'",
        );
        fs::write(home.join(".cursor/hooks.json"), deny).expect("a file");
        for (name, file, event) in AGENTS {
            went_well(&cx, &with(&cx, &program, &home, &["agent", "install", name]));
            let line = written(name, &home.join(file), event);
            for shell in ["sh", "bash"] {
                let mut command = Command::new(shell);
                command.arg("-c").arg(&line).current_dir(cx.project());
                command.env("HOME", &home).env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
                command.env_remove("BOATHOOK_DEPTH").env_remove("BOATHOOK_CALLED_FROM");
                let output = context::pipe(command, told(name, &cx.project()).as_bytes());
                let words = said(&cx, &output);
                assert!(words.contains("NOT SO"), "{odd}, {name}, {shell} -c {line}: {words}");
            }
            went_well(&cx, &with(&cx, &program, &home, &["agent", "uninstall", name]));
            assert!(!home.join(file).exists(), "{odd}, {name}");
        }
        for folder in [cx.project(), cx.path(""), home] {
            assert!(!folder.join("pwned").exists(), "{odd}");
        }
    }
}

#[test]
fn after_a_move_the_old_path_is_told_and_mended_and_nothing_else_changes() {
    let cx = TestContext::new();
    let home = cx.path("home");
    let (old, new) = (program_in(&cx.path("old")), cx.path("new/boathook"));
    let mine =
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]}}"#;
    for file in [".claude/settings.json", ".codex/hooks.json", ".qwen/settings.json"] {
        cx.write(&format!("home/{file}"), mine);
    }
    let plugin = ("opencode", ".config/opencode/plugins/boathook.js", "");
    let agents = || AGENTS.into_iter().chain([plugin]);
    for (name, ..) in agents() {
        went_well(&cx, &with(&cx, &old, &home, &["agent", "install", name]));
    }
    let before: Vec<String> = agents().map(|(_, file, _)| context::read(&home.join(file))).collect();
    fs::create_dir(cx.path("new")).expect("a folder");
    fs::rename(&old, &new).expect("it moves");
    let gone = format!("calls {}, which is gone", old.display());
    for (name, ..) in agents() {
        let output = with(&cx, &new, &home, &["agent", "status", name]);
        assert!(String::from_utf8_lossy(&output.stdout).contains(&gone), "{name}: {}", said(&cx, &output));
    }
    let page = with(&cx, &new, &home, &["doctor"]);
    let page = format!("{}{}", String::from_utf8_lossy(&page.stdout), String::from_utf8_lossy(&page.stderr));
    assert_eq!(page.matches(&gone).count(), agents().count(), "{page}");
    for ((name, file, _), before) in agents().zip(before) {
        went_well(&cx, &with(&cx, &new, &home, &["agent", "install", name]));
        let (old, new) = (old.display().to_string(), new.display().to_string());
        assert_eq!(context::read(&home.join(file)), before.replace(&old, &new), "{name}");
        went_well(&cx, &with(&cx, Path::new(&new), &home, &["agent", "uninstall", name]));
    }
    for file in [".claude/settings.json", ".codex/hooks.json", ".qwen/settings.json"] {
        assert_eq!(context::read(&home.join(file)), mine, "{file}");
    }
}

#[test]
fn cline_tells_of_a_turn_that_ended_with_an_error() {
    let cx = TestContext::new();
    works(&cx, &["agent", "install", "cline"]);
    let script = context::read(&cx.path("home/.cline/hooks/TaskError"));
    assert!(script.contains("agent hook cline TaskError"), "{script}");
}

//! What silences Boathook in a connected agent is named by `agent status`,
//! `doctor` and the next session start that reaches us, and the machine's
//! settings forbid it where the agent lets them.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::context::{TestContext, pipe, read};

/// Every variable that silences an agent.
const VARIABLES: [&str; 16] = [
    "CLAUDE_CODE_SAFE_MODE",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "GEMINI_CLI_TRUST_WORKSPACE",
    "GEMINI_RESTRICTED_MODE",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "COPILOT_HOME",
    "QWEN_CODE_SAFE_MODE",
    "QWEN_CODE_SIMPLE",
    "QWEN_HOME",
    "QWEN_CODE_SYSTEM_SETTINGS_PATH",
    "OPENCODE_PURE",
    "XDG_CONFIG_HOME",
    "CLINE_DIR",
];

fn machine() -> TestContext {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    cx
}

fn command(cx: &TestContext, args: &[&str]) -> Command {
    let mut command = cx.command(args);
    for name in VARIABLES {
        command.env_remove(name);
    }
    command.env("PATH", cx.path("bin"));
    command
}

fn text(cx: &TestContext, output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    cx.without_paths(&String::from_utf8_lossy(&both))
}

fn install(cx: &TestContext, agent: &str, scope: &str) {
    let output = pipe(command(cx, &["agent", "install", agent, scope]), b"");
    assert!(output.status.success(), "{}", text(cx, &output));
}

fn status(cx: &TestContext, agent: &str) -> Vec<String> {
    problems(cx, command(cx, &["agent", "status", agent, "--json", "--no-versions"]))
}

fn problems(cx: &TestContext, command: Command) -> Vec<String> {
    let output = pipe(command, b"");
    let page: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = page[0]["problems"].as_array().expect("a list").clone();
    assert_eq!(output.status.code(), Some(i32::from(!list.is_empty())), "{page}");
    let messages = list.iter().map(|it| cx.without_paths(it["message"].as_str().expect("text")));
    // Codex' own trust is another matter.
    messages.filter(|it| !it.starts_with("Codex does not trust")).collect()
}

/// What an agent's session start is answered, with both streams.
fn session_start(cx: &TestContext, agent: &str, session: &str) -> String {
    let payload = json!({ "hook_event_name": "SessionStart", "session_id": session, "cwd": cx.project(), "source": "startup" });
    text(cx, &pipe(command(cx, &["agent", "hook", agent]), payload.to_string().as_bytes()))
}

const OFF: &str = "{\n  \"disableAllHooks\": true\n}\n";

/// The agent, the file of the workspace, its text, and what is said of it.
const SWITCHES: [(&str, &str, &str, &str); 12] = [
    ("claude", ".claude/settings.json", OFF, "settings.json:2:22: `disableAllHooks: true`"),
    ("claude", ".claude/settings.local.json", OFF, "settings.local.json:2:22: `disableAllHooks: true`"),
    (
        "codex",
        ".codex/config.toml",
        "model = \"x\"\n[features]\nhooks = false\n",
        "config.toml:3:1: `hooks = false`",
    ),
    (
        "codex",
        ".codex/config.toml",
        "features.codex_hooks = false\n",
        "config.toml:1:1: `codex_hooks = false`",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  \"hooksConfig\": { \"enabled\": false }\n}",
        "settings.json:2:31: `hooksConfig.enabled: false`",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\"hooksConfig\": { \"disabled\": [\"boathook\"] }}",
        "settings.json:1:31: `hooksConfig.disabled` switches `boathook` off",
    ),
    ("copilot", ".github/copilot/settings.json", OFF, "settings.json:2:22: `disableAllHooks: true`"),
    ("copilot", ".claude/settings.local.json", OFF, "settings.local.json:2:22: `disableAllHooks: true`"),
    ("qwen", ".qwen/settings.json", OFF, "settings.json:2:22: `disableAllHooks: true`"),
    ("qwen", ".env", "A=1\nQWEN_CODE_SAFE_MODE=1\n", ".env:2:1: `QWEN_CODE_SAFE_MODE` is `1`"),
    (
        "qwen",
        ".qwen/.env",
        "export QWEN_CODE_SIMPLE='true'\n",
        ".qwen/.env:1:1: `QWEN_CODE_SIMPLE` is `true`",
    ),
    (
        "qwen",
        ".qwen/settings.json",
        "{\"env\": {\"QWEN_CODE_SAFE_MODE\": \"1\"}}",
        "settings.json:1:33: `QWEN_CODE_SAFE_MODE` is `1`",
    ),
];

#[test]
fn agents_f7_every_switch_of_the_workspace_is_named_by_status_doctor_and_another_agents_start() {
    for (agent, file, switch, expected) in SWITCHES {
        let cx = machine();
        install(&cx, agent, "--user");
        let other = if agent == "claude" { "qwen" } else { "claude" };
        install(&cx, other, "--user");
        assert_eq!(status(&cx, agent), [""; 0], "{agent}");
        let quiet = session_start(&cx, other, "before");
        assert!(!quiet.contains("not called"), "{agent}: {quiet}");
        cx.write(&format!("project/{file}"), switch);
        let found = status(&cx, agent);
        assert!(found.iter().any(|it| it.contains(expected)), "{agent} {file}: {found:?}");
        let doctor = text(&cx, &pipe(command(&cx, &["doctor"]), b""));
        assert!(doctor.contains(expected), "{agent} {file}: {doctor}");
        let told = session_start(&cx, other, "after");
        assert!(told.contains(expected), "{agent} {file}: {told}");
        assert!(told.contains("systemMessage"), "{agent} {file}: {told}");
        let log = text(&cx, &pipe(command(&cx, &["log", "--json"]), b""));
        assert!(log.contains(expected), "{agent} {file}: {log}");
    }
}

#[test]
fn agents_f7_the_first_event_says_it_where_no_session_starts() {
    let cx = machine();
    install(&cx, "claude", "--user");
    cx.write("project/.claude/settings.local.json", OFF);
    let told = || {
        let payload = json!({
            "agent_action_name": "pre_user_prompt", "trajectory_id": "one", "tool_info": { "user_prompt": "hi" }
        });
        pipe(command(&cx, &["agent", "hook", "windsurf", "pre_user_prompt"]), payload.to_string().as_bytes());
        let log = text(&cx, &pipe(command(&cx, &["log", "--json"]), b""));
        log.matches("`disableAllHooks: true`").count()
    };
    assert_eq!(told(), 1);
    assert_eq!(told(), 1, "once for each session");
}

#[test]
fn agents_f7_every_variable_is_named() {
    let cases = [
        ("claude", "CLAUDE_CODE_SAFE_MODE", "1", true),
        ("claude", "CLAUDE_CODE_SIMPLE", "true", true),
        ("claude", "CLAUDE_CODE_SIMPLE", "0", false),
        ("claude", "CLAUDE_CONFIG_DIR", "/nowhere", true),
        ("codex", "CODEX_HOME", "/nowhere", true),
        ("gemini", "GEMINI_CLI_HOME", "/nowhere", true),
        ("gemini", "GEMINI_CLI_TRUST_WORKSPACE", "false", true),
        ("gemini", "GEMINI_CLI_TRUST_WORKSPACE", "true", false),
        ("gemini", "GEMINI_RESTRICTED_MODE", "true", true),
        ("copilot", "COPILOT_HOME", "/nowhere", true),
        ("qwen", "QWEN_CODE_SAFE_MODE", "1", true),
        ("qwen", "QWEN_HOME", "/nowhere", true),
        ("qwen", "QWEN_CODE_SYSTEM_SETTINGS_PATH", "/nowhere", true),
        ("opencode", "OPENCODE_PURE", "1", true),
        ("cline", "CLINE_DIR", "/nowhere", true),
    ];
    for (agent, name, value, silences) in cases {
        let cx = machine();
        install(&cx, agent, "--user");
        let mut status = command(&cx, &["agent", "status", agent, "--json", "--no-versions"]);
        status.env(name, value);
        let found = problems(&cx, status);
        let named = found.iter().any(|it| it.starts_with(&format!("{name} is `{value}`")));
        assert_eq!(named, silences, "{name}={value}: {found:?}");
    }
}

#[test]
fn agents_f7_managed_settings_forbid_the_switch_of_workspaces_and_users() {
    let cases = [
        (
            "gemini",
            "etc/gemini-cli/settings.json",
            ".gemini",
            r#"{"hooksConfig": {"enabled": false}}"#,
            "/hooksConfig/enabled",
            true,
        ),
        (
            "qwen",
            "etc/qwen-code/settings.json",
            ".qwen",
            r#"{"disableAllHooks": true}"#,
            "/disableAllHooks",
            false,
        ),
    ];
    for (agent, managed, folder, switch, pointer, pinned) in cases {
        for original in [None, Some("{\n  \"theirs\": 1\n}\n"), Some(switch)] {
            let cx = machine();
            let file = cx.path("system").join(managed);
            if let Some(original) = original {
                cx.write(&format!("system/{managed}"), original);
            }
            install(&cx, agent, "--managed");
            let wired = read(&file);
            let settings: Value = serde_json::from_str(&wired).expect("JSON");
            assert_eq!(settings.pointer(pointer), Some(&json!(pinned)), "{agent}: {wired}");
            cx.write(&format!("project/{folder}/settings.json"), switch);
            cx.write(&format!("home/{folder}/settings.json"), switch);
            assert_eq!(status(&cx, agent), [""; 0], "{agent}: the machine's settings win");
            // Without the pin the workspace's switch is named, and the pin is missed.
            fs::write(&file, wired.replace(&format!(": {pinned}"), &format!(": {}", !pinned)))
                .expect("a file");
            let found = status(&cx, agent);
            assert!(found.iter().any(|it| it.contains("a repository can switch hooks off")), "{found:?}");
            assert!(
                found.iter().any(|it| it.starts_with("[PROJECT]") && it.contains("ours are not called")),
                "{found:?}"
            );
            // What somebody else added stays, and what we wrote goes.
            fs::write(&file, wired.replacen('{', "{\n  \"later\": 2,", 1)).expect("a file");
            let output = pipe(command(&cx, &["agent", "uninstall", agent, "--managed"]), b"");
            assert!(output.status.success(), "{}", text(&cx, &output));
            let left: Value = serde_json::from_str(&read(&file)).expect("JSON");
            assert_eq!(left["later"], 2);
            assert_eq!(left.get("hooks"), None, "{agent}: {left}");
            let theirs = (original == Some(switch)).then(|| json!(!pinned));
            assert_eq!(left.pointer(pointer), theirs.as_ref(), "{agent}: {left}");
        }
    }
}

#[test]
fn agents_f7_managed_hooks_of_claude_say_at_their_start_what_silences_the_users() {
    let cx = machine();
    install(&cx, "claude", "--user");
    install(&cx, "claude", "--managed");
    cx.write("project/.claude/settings.local.json", OFF);
    let told = session_start(&cx, "claude", "one");
    assert!(told.contains("Claude Code: ") && told.contains("`disableAllHooks: true`"), "{told}");
}

#[test]
fn agents_f6_a_program_that_is_gone_or_not_executable_is_named() {
    for (agent, file) in [("codex", "home/.codex/hooks.json"), ("qwen", "home/.qwen/settings.json")] {
        let cx = machine();
        install(&cx, agent, "--user");
        let other = cx.script("bin/copy/boathook", "#!/bin/sh\n");
        let ours = env!("CARGO_BIN_EXE_boathook");
        let wired = read(&cx.path(file)).replace(ours, &other.display().to_string());
        cx.write(file, wired);
        fs::set_permissions(&other, fs::Permissions::from_mode(0o644)).expect("a mode");
        let broken = ["bin/copy/boathook, which is not executable", "bin/copy/boathook, which is gone"];
        for expected in broken {
            let found = status(&cx, agent);
            let expected = format!("{expected}: no hook is asked, and nothing is refused");
            assert!(found.iter().any(|it| it.contains(&expected)), "{agent}: {found:?}");
            let doctor = text(&cx, &pipe(command(&cx, &["doctor"]), b""));
            assert!(doctor.contains(&expected), "{agent}: {doctor}");
            let _ = fs::remove_file(&other);
        }
    }
}

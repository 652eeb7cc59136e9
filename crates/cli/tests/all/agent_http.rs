//! Claude Code wired to the daemon over HTTP: what is written, when that is
//! refused, what is told when it does not work, and the way back.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::context::{TestContext, pipe};
use crate::over_http::{Daemon, KEPT, shell};

const SETTINGS: &str = "home/.claude/settings.json";
const MINE: &str = "{\n  // no comment is taken there\n  \"cleanupPeriodDays\": 30\n}\n";

/// A machine with a Claude Code of this version.
fn with_claude(version: &str) -> TestContext {
    let cx = TestContext::new();
    cx.script("bin/claude", &format!("#!/bin/sh\necho '{version} (Claude Code)'\n"));
    fs::create_dir(cx.path("project/.git")).expect("a folder");
    write_settings(&cx, &MINE.replace("  // no comment is taken there\n", ""));
    cx
}

fn write_settings(cx: &TestContext, text: &str) {
    cx.write(SETTINGS, text);
    fs::set_permissions(cx.path(SETTINGS), fs::Permissions::from_mode(0o600)).expect("a mode");
}

fn command(cx: &TestContext, args: &[&str]) -> Command {
    let mut command = cx.command(args);
    command.env("PATH", format!("{}:/usr/bin:/bin", cx.path("bin").display()));
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env_remove(name);
    }
    command
}

fn run(cx: &TestContext, args: &[&str]) -> String {
    said(&pipe(command(cx, args), b""))
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("exit code {:?}\n{}{}", output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn settings(cx: &TestContext) -> Value {
    serde_json::from_slice(&fs::read(cx.path(SETTINGS)).expect("settings")).expect("JSON")
}

const INSTALL: &[&str] = &["agent", "install", "claude", "--http"];

#[test]
fn install_and_uninstall_leave_the_settings_as_they_were() {
    let cx = with_claude("2.1.325");
    let before = fs::read(cx.path(SETTINGS)).expect("settings");
    let daemon = Daemon::start(&cx);
    let dry = run(&cx, &["agent", "install", "claude", "--http", "--dry-run"]);
    assert!(dry.contains("\"type\": \"http\"") && !dry.contains(&daemon.token), "{dry}");
    assert_eq!(fs::read(cx.path(SETTINGS)).expect("settings"), before);
    let done = run(&cx, INSTALL);
    assert!(done.contains("exit code Some(0)") && !done.contains(&daemon.token), "{done}");
    let hooks = &settings(&cx)["hooks"];
    let handler = |event: &str| hooks[event][0]["hooks"][0].clone();
    let bearer = format!("Bearer {}", daemon.token);
    let url = format!("http://127.0.0.1:{}/agents/claude", daemon.port);
    assert_eq!(
        handler("PreToolUse"),
        json!({"type": "http", "url": url, "headers": {"Authorization": bearer}, "timeout": 3600, "onFailure": "block"})
    );
    assert_eq!(handler("Stop")["type"], "http");
    for event in ["SessionStart", "UserPromptSubmit", "SessionEnd"] {
        let command = handler(event)["command"].as_str().expect("a command").to_owned();
        assert!(command.contains("agent hook claude --beside-http --home "), "{command}");
    }
    assert_eq!(handler("UserPromptSubmit")["onFailure"], "block");
    assert!(run(&cx, INSTALL).contains("wired already"), "a second time changes nothing");
    let status = run(&cx, &["agent", "status", "claude"]);
    assert!(status.contains("(11 entries, over HTTP)") && status.contains("exit code Some(0)"), "{status}");
    // To the wiring without HTTP, and back.
    assert!(run(&cx, &["agent", "install", "claude"]).contains("exit code Some(0)"));
    assert!(!settings(&cx).to_string().contains(&daemon.token));
    assert!(run(&cx, INSTALL).contains("exit code Some(0)"));
    let check = run(&cx, &["check"]);
    assert!(!check.contains("http"), "nobody else runs our entries: {check}");
    let gone = run(&cx, &["agent", "uninstall", "claude"]);
    assert!(gone.contains("is again what it was"), "{gone}");
    assert_eq!(fs::read(cx.path(SETTINGS)).expect("settings"), before);
    let mode = fs::metadata(cx.path(SETTINGS)).expect("settings").permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
}

#[test]
fn settings_that_we_make_are_the_users_alone() {
    let cx = with_claude("2.1.325");
    fs::remove_file(cx.path(SETTINGS)).expect("settings");
    let _daemon = Daemon::start(&cx);
    assert!(run(&cx, INSTALL).contains("exit code Some(0)"));
    let mode = fs::metadata(cx.path(SETTINGS)).expect("settings").permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    assert!(run(&cx, &["agent", "uninstall", "claude"]).contains("exit code Some(0)"));
    assert!(!cx.path(SETTINGS).exists());
}

#[test]
fn what_would_not_hold_is_not_wired() {
    let cx = with_claude("2.1.325");
    let before = fs::read(cx.path(SETTINGS)).expect("settings");
    let refused = |said: String, words: &str| {
        assert!(said.contains("exit code Some(1)") && said.contains(words), "{words}: {said}");
        assert_eq!(fs::read(cx.path(SETTINGS)).expect("settings"), before, "{words}");
    };
    refused(run(&cx, INSTALL), "there is no daemon that answers over HTTP");
    drop(Daemon::start(&cx));
    refused(run(&cx, INSTALL), "the daemon does not answer over HTTP");
    let _daemon = Daemon::start(&cx);
    refused(run(&cx, &["agent", "install", "codex", "--http"]), "does not ask over HTTP");
    let mut behind = command(&cx, INSTALL);
    behind.env("HTTPS_PROXY", "http://proxy.example");
    refused(said(&pipe(behind, b"")), "HTTPS_PROXY is set");
    for (version, words) in [
        ("2.1.294", "2.1.294 goes on when the daemon does not answer"),
        ("2.1.325-dev", "nobody can tell whether"),
        ("nothing", "is not known"),
    ] {
        cx.script("bin/claude", &format!("#!/bin/sh\necho '{version}'\n"));
        refused(run(&cx, INSTALL), words);
    }
    cx.script("bin/claude", "#!/bin/sh\necho 2.1.325\n");
    for open in [cx.path(""), cx.path("home/.claude")] {
        fs::set_permissions(open, fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    fs::set_permissions(cx.path(SETTINGS), fs::Permissions::from_mode(0o644)).expect("a mode");
    refused(run(&cx, INSTALL), "others can read it (mode 0644)");
    assert!(run(&cx, &["agent", "install", "claude", "--http", "--project"]).contains("cannot be used with"));
}

#[test]
fn what_does_not_hold_any_more_is_told() {
    let cx = with_claude("2.1.325");
    let daemon = Daemon::start(&cx);
    assert!(run(&cx, INSTALL).contains("exit code Some(0)"));
    let status = || run(&cx, &["agent", "status", "claude"]);
    drop(daemon);
    let told = status();
    assert!(told.contains("does not answer over HTTP") && told.contains("exit code Some(1)"), "{told}");
    let _daemon = Daemon::start(&cx);
    cx.script("bin/claude", "#!/bin/sh\necho 2.1.200\n");
    let told = status();
    assert!(told.contains("2.1.200 goes on when the daemon does not answer"), "{told}");
    cx.script("bin/claude", "#!/bin/sh\necho 2.1.325\n");
    let text = fs::read_to_string(cx.path(SETTINGS)).expect("settings");
    write_settings(&cx, &text.replace("Bearer ", "Bearer 0"));
    let told = status();
    assert!(told.contains("has another token") && told.contains("--user --http"), "{told}");
    write_settings(&cx, &text.replace("\"block\"", "\"continue\""));
    assert!(status().contains("`onFailure` is `continue`"));
    write_settings(&cx, &text);
    assert!(status().contains("exit code Some(0)"));
    cx.write("project/.claude/settings.local.json", r#"{"env": {"HTTP_PROXY": "http://proxy.example"}}"#);
    assert!(status().contains("`env` sets HTTP_PROXY, so prompts are refused"), "{}", status());
    fs::remove_file(cx.path("project/.claude/settings.local.json")).expect("the file");
    fs::remove_file(cx.path(KEPT)).expect("the file");
    let told = status();
    assert!(told.contains("and there is none: gates are shut"), "{told}");
    assert!(run(&cx, &["agent", "uninstall", "claude"]).contains("is again what it was"));
}

/// What the command beside HTTP does at a prompt.
fn prompt(cx: &TestContext, proxies: &[(&str, &str)]) -> Output {
    beside(cx, proxies, json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"}))
}

fn beside(cx: &TestContext, proxies: &[(&str, &str)], mut told: Value) -> Output {
    (told["session_id"], told["cwd"]) = (json!("s-1"), json!(cx.project()));
    let home = cx.path("home");
    let home = home.to_str().expect("a plain path");
    let mut command = command(cx, &["agent", "hook", "claude", "--beside-http", "--home", home]);
    command.envs(proxies.iter().copied());
    pipe(command, told.to_string().as_bytes())
}

#[test]
fn nothing_is_done_while_a_proxy_would_answer_for_the_daemon() {
    let cx = with_claude("2.1.325");
    for (proxies, code) in [
        (&[][..], 0),
        (&[("HTTP_PROXY", "http://127.0.0.1:9")], 2),
        (&[("https_proxy", "http://127.0.0.1:9")], 2),
        (&[("HTTP_PROXY", "http://127.0.0.1:9"), ("NO_PROXY", "127.0.0.1,localhost")], 0),
        (&[("HTTP_PROXY", "http://127.0.0.1:9"), ("NO_PROXY", "localhost")], 2),
    ] {
        let output = prompt(&cx, proxies);
        assert_eq!(output.status.code(), Some(code), "{proxies:?}: {}", said(&output));
        let blocks = String::from_utf8_lossy(&output.stdout).contains("\"decision\":\"block\"");
        assert_eq!(blocks, code == 2, "{proxies:?}");
    }
}

#[test]
fn the_projects_hooks_count_wherever_the_agent_has_gone() {
    let cx = with_claude("2.1.325");
    cx.write(
        "project/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "echo '{\"permission\":\"deny\",\"agent_message\":\"OF-THE-PROJECT\"}'"}]}}"#,
    );
    cx.trust();
    let daemon = Daemon::start(&cx);
    let here = shell(&cx, "ls");
    let away = here.replace(cx.project().to_str().expect("a plain path"), "/");
    assert_eq!(
        daemon.post("/agents/claude", &away.replace("s-1", "s-2")).body,
        "{}",
        "a session that began away"
    );
    assert!(daemon.post("/agents/claude", &here).body.contains("OF-THE-PROJECT"));
    assert!(daemon.post("/agents/claude", &away).body.contains("OF-THE-PROJECT"), "it began in the project");
    assert_eq!(prompt(&cx, &[]).status.code(), Some(0));
    assert!(daemon.post("/agents/claude", &away).body.contains("OF-THE-PROJECT"));
    let end = json!({"hook_event_name": "SessionEnd", "reason": "exit"});
    assert_eq!(beside(&cx, &[], end).status.code(), Some(0));
    assert!(daemon.post("/agents/claude", &away).body.contains("OF-THE-PROJECT"));
    let folder = cx.path("home/.local/state/boathook/session-roots");
    assert_eq!(
        fs::read_dir(folder).expect("the folder").count(),
        2,
        "the end of a session removes no root: an agent could send it"
    );
}

#[test]
fn a_hook_that_starts_the_agent_it_guards_has_an_end() {
    let cx = with_claude("2.1.325");
    cx.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "echo \"{\\\"permission\\\":\\\"deny\\\",\\\"agent_message\\\":\\\"DEPTH-$BOATHOOK_DEPTH\\\"}\""}]}}"#,
    );
    let daemon = Daemon::start(&cx);
    // What a hook's agent inherits, what its own hooks get, and where it ends.
    for (inherited, said) in [("0", "DEPTH-1"), ("1", "DEPTH-2"), ("3", "DEPTH-4"), ("4", "are the most")] {
        let told = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"});
        beside(&cx, &[("BOATHOOK_DEPTH", inherited)], told);
        let answer = daemon.post("/agents/claude", &shell(&cx, "ls"));
        assert!(answer.body.contains(said), "{inherited}: {answer:?}");
    }
}

//! Adversarial cases E01-E04: environment, files and secrets. Each test is
//! named by its case; docs/manual/threat-cases.md lists them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use crate::context::{self, TestContext, one_hook, read};

#[test]
fn e01_a_managed_hook_sees_nothing_that_steers_it() {
    let cx = TestContext::new();
    cx.write("system/etc/cursor/hooks.json", one_hook("stop", r#"/usr/bin/env > "$HOME/seen""#));
    let mut command = cx.command(["run", "stop"]);
    command
        .env("BASH_ENV", "/evil")
        .env("BASH_FUNC_ls%%", "() { evil; }")
        .env("NODE_OPTIONS", "--require=/evil");
    command.env("LD_LIBRARY_PATH", "/evil").env("GIT_DIR", "/evil").env("PYTHONPATH", "/evil");
    command.env("PATH", format!(".:/usr/bin:relative/evil:{}", std::env::var("PATH").unwrap_or_default()));
    context::pipe(command, b"");
    let seen = read(&cx.path("home/seen"));
    assert!(seen.contains("CURSOR_PROJECT_DIR="), "{seen}");
    assert!(!seen.contains("evil"), "{seen}");
    assert!(!seen.lines().any(|line| line.starts_with("PATH=.") || line.contains(":.:")), "{seen}");
}

/// The law keeps payloads in the user's own log by default (0600). Where the
/// user says `redacted` or `none`, no secret is in any file of ours.
#[test]
fn e02_canaries_are_in_no_file_when_the_log_is_redacted() {
    for keep in ["redacted", "none"] {
        let cx = TestContext::new();
        cx.write("home/.config/boathook/config.toml", format!("[log]\npayload = \"{keep}\"\n"));
        cx.write(
            "home/.cursor/hooks.json",
            one_hook("beforeShellExecution", r#"cat >/dev/null; c=can; printf '%sary' $c >&2; printf '{"permission":"deny","user_message":"%sary","x":"%sary"}' $c $c"#),
        );
        let payload = json!({ "command": "canary-command", "cwd": "canary-cwd", "nested": { "url": "https://x/?t=canary-url" } });
        let mut command = cx.command(["run", "beforeShellExecution"]);
        command.env("SOME_TOKEN", "canary-env");
        context::pipe(command, payload.to_string().as_bytes());
        let mut files = Vec::new();
        collect(&cx.path("home/.local"), &mut files);
        assert!(files.iter().any(|file| file.ends_with("00000000.jsonl")), "there is a log: {files:?}");
        for file in files {
            let text = String::from_utf8_lossy(&fs::read(&file).expect("a file of ours")).into_owned();
            assert!(!text.contains("canary"), "{keep}: {}: {text}", file.display());
        }
    }
}

fn collect(directory: &std::path::Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.path().is_dir() { collect(&entry.path(), files) } else { files.push(entry.path()) }
    }
}

#[test]
fn e02_the_log_is_the_users_alone() {
    let cx = TestContext::new();
    cx.output(["run", "stop"]);
    let mut files = Vec::new();
    collect(&cx.path("home/.local/state/boathook"), &mut files);
    assert!(!files.is_empty());
    for file in files {
        assert_eq!(
            fs::metadata(&file).expect("a file").permissions().mode() & 0o077,
            0,
            "{}",
            file.display()
        );
    }
}

#[test]
fn e03_a_record_is_one_line_whatever_is_in_it() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        one_hook("stop", r#"printf 'x\r\n{"id":"forged"}\n' >&2; printf 'a\n{"id":"forged"}\n'"#),
    );
    cx.output_with(["run", "stop"], b"{\"status\":\"a\\r\\n{\\\"id\\\":\\\"forged\\\"}\"}");
    let log = read(&cx.path("home/.local/state/boathook/log/00000000.jsonl"));
    assert_eq!(log.lines().count(), 1, "{log}");
    let record: serde_json::Value = serde_json::from_str(&log).expect("one record");
    assert_eq!(record["step"], "stop");
}

#[test]
fn e04_a_state_directory_that_is_not_ours_is_refused_with_the_reason() {
    let cases: [(&str, fn(&TestContext), &str); 3] = [
        (
            "a link",
            |cx| {
                fs::create_dir_all(cx.path("home/.local/state")).expect("directories");
                fs::create_dir(cx.path("elsewhere")).expect("a directory");
                symlink(cx.path("elsewhere"), cx.path("home/.local/state/boathook")).expect("a link");
            },
            "link",
        ),
        (
            "open to all",
            |cx| {
                let state = cx.path("home/.local/state/boathook");
                fs::create_dir_all(&state).expect("directories");
                fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).expect("permissions");
            },
            "writable",
        ),
        ("a file", |cx| drop(cx.write("home/.local/state/boathook", "x")), "directory"),
    ];
    for (name, prepare, reason) in cases {
        let cx = TestContext::new();
        prepare(&cx);
        cx.write("project/.cursor/hooks.json", one_hook("stop", "true"));
        let seen = cx.run(["run", "stop"]);
        assert!(seen.contains("warning: the log was not written") && seen.contains(reason), "{name}: {seen}");
        let seen = cx.run(["trust", "--yes"]);
        assert!(seen.starts_with("exit code: 1") && seen.contains(reason), "{name}: {seen}");
    }
}

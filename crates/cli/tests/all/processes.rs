//! What hooks do as processes, seen from the binary: together, in time, and
//! with nothing left behind.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::context::{self, TestContext};

#[test]
fn a_thousand_quick_denies_are_a_thousand_denies() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        context::one_hook(
            "beforeShellExecution",
            r#"printf '{"permission":"deny","user_message":"no"}'; exit 0"#,
        ),
    );
    for round in 0..1_000 {
        let output = cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
        assert_eq!(output.status.code(), Some(2), "round {round}");
        assert!(output.stdout.starts_with(br#"{"permission":"deny","user_message":"no""#), "round {round}");
    }
}

/// Two hooks, each of which waits half a minute for the other to start.
fn rendezvous(cx: &TestContext, edition: &str) -> std::process::Output {
    let wait = |me: &str, other: &str| {
        format!(
            r#"touch "$CASE/{me}"; for i in $(seq 100); do [ -e "$CASE/{other}" ] && {{ echo '{{"permission":"allow"}}'; exit 0; }}; sleep 0.3; done; exit 7"#
        )
    };
    let config = json!({ "version": 1, "hooks": { "beforeShellExecution": [
        { "command": wait("one", "two"), "failClosed": true }, { "command": wait("two", "one"), "failClosed": true },
    ]}});
    cx.write("home/.cursor/hooks.json", config.to_string());
    let mut command =
        cx.command(["--edition", edition, "run", "beforeShellExecution", "--field", "command=ls"]);
    command.env("CASE", cx.path(""));
    context::pipe(command, b"")
}

#[test]
fn hooks_of_one_event_run_together() {
    let cx = TestContext::new();
    let output = rendezvous(&cx, "docs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"permission\":\"allow\"}\n");
    assert!(cx.path("one").exists() && cx.path("two").exists());
}

#[test]
fn in_edition_2_3_the_second_never_starts_once_the_first_answered() {
    let cx = TestContext::new();
    let config = json!({ "version": 1, "hooks": { "beforeShellExecution": [
        { "command": r#"echo '{"permission":"allow"}'"# }, { "command": r#"touch "$CASE/second""# },
    ]}});
    cx.write("home/.cursor/hooks.json", config.to_string());
    let mut command =
        cx.command(["--edition", "2.3", "run", "beforeShellExecution", "--field", "command=ls"]);
    command.env("CASE", cx.path(""));
    let output = context::pipe(command, b"");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"permission\":\"allow\"}\n");
    assert!(!cx.path("second").exists());
}

#[test]
fn a_hook_that_never_ends_is_ended_with_its_whole_tree() {
    for fail_closed in [false, true] {
        let cx = TestContext::new();
        let marker = format!("sleep 98{}{}", std::process::id(), u8::from(fail_closed));
        let script = format!(
            "#!/bin/sh\ntrap '' TERM\n(trap '' TERM; setsid {marker} & {marker}) &\nwhile :; do sleep 1; done\n"
        );
        cx.script("home/.cursor/hooks/stuck.sh", &script);
        let config = json!({ "version": 1, "hooks": { "beforeShellExecution": [
            { "command": "./hooks/stuck.sh", "timeout": 1, "failClosed": fail_closed },
        ]}});
        cx.write("home/.cursor/hooks.json", config.to_string());
        let start = Instant::now();
        let output = cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(if fail_closed { 2 } else { 0 }), "{answer}");
        assert_eq!(answer.contains("timed out after 1000ms"), fail_closed, "{answer}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("timed out after 1000ms"),
            "a failure is always visible"
        );
        until_running(&marker, false);
    }
}

#[test]
fn a_background_child_does_not_hold_the_answer() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        context::one_hook(
            "beforeShellExecution",
            r#"sleep 50 & echo '{"permission":"deny","user_message":"now"}'"#,
        ),
    );
    let start = Instant::now();
    let output = cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_users_cancel_ends_the_tree_and_keeps_the_gate_shut() {
    let cx = TestContext::new();
    let marker = format!("sleep 97{}", std::process::id());
    cx.write(
        "home/.cursor/hooks.json",
        context::one_hook("beforeShellExecution", &format!("{marker} & {marker}; true")),
    );
    let mut command = cx.command(["run", "beforeShellExecution", "--field", "command=ls"]);
    command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    until_running(&marker, true);
    let kill =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    until_running(&marker, false);
}

/// Waits until a process has this command line, or until nothing of the tree is
/// left: what was killed takes a while to die on a busy machine.
fn until_running(command_line: &str, wanted: bool) {
    let start = Instant::now();
    while is_running(command_line) != wanted {
        assert!(start.elapsed() < Duration::from_secs(30), "{command_line}: running is not {wanted}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether any process has this command line.
fn is_running(command_line: &str) -> bool {
    let wanted = command_line.replace(' ', "\0");
    std::fs::read_dir("/proc").expect("a process list").flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).trim_end_matches('\0').ends_with(&wanted))
    })
}

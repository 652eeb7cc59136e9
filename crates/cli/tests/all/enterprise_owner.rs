//! An enterprise's hooks count only where the machine's owner alone can write
//! them.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use crate::context::{TestContext, one_hook};

const SHELL: [&str; 4] = ["run", "beforeShellExecution", "--field", "command=ls"];
const DENY: &str = "#!/bin/sh\necho '{\"permission\":\"deny\"}'\n";

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

/// An enterprise's file with one script, that nobody else can write.
fn enterprise() -> TestContext {
    let cx = TestContext::new();
    cx.script("system/etc/cursor/guard.sh", DENY);
    cx.write("system/etc/cursor/hooks.json", one_hook("beforeShellExecution", "./guard.sh"));
    for name in ["system", "system/etc", "system/etc/cursor"] {
        chmod(&cx.path(name), 0o755);
    }
    cx
}

#[test]
fn what_others_can_write_is_refused_with_what_to_run() {
    type Spoil = fn(&TestContext);
    let cases: [(&str, Spoil, &str, &str); 6] = [
        (
            "the file",
            |cx| chmod(&cx.path("system/etc/cursor/hooks.json"), 0o664),
            "may be written by others than root (mode 0664)",
            "sudo chmod go-w '[SYSTEM]/etc/cursor/hooks.json'",
        ),
        (
            "the folder",
            |cx| chmod(&cx.path("system/etc/cursor"), 0o775),
            "may be written by others than root (mode 0775)",
            "sudo chmod go-w '[SYSTEM]/etc/cursor'",
        ),
        (
            "a sticky folder around it",
            |cx| chmod(&cx.path("system/etc/cursor"), 0o1777),
            "may be written by others than root (mode 1777)",
            "sudo chmod go-w '[SYSTEM]/etc/cursor'",
        ),
        (
            "the script",
            |cx| chmod(&cx.path("system/etc/cursor/guard.sh"), 0o757),
            "may be written by others than root (mode 0757)",
            "sudo chmod go-w '[SYSTEM]/etc/cursor/guard.sh'",
        ),
        (
            "a script that a link leads to",
            |cx| {
                fs::remove_file(cx.path("system/etc/cursor/guard.sh")).expect("removed");
                cx.script("home/guard.sh", DENY);
                chmod(&cx.path("home/guard.sh"), 0o777);
                symlink(cx.path("home/guard.sh"), cx.path("system/etc/cursor/guard.sh")).expect("a link");
            },
            "[HOME]/guard.sh may be written by others than root (mode 0777)",
            "sudo chmod go-w '[HOME]/guard.sh'",
        ),
        (
            "a script in a folder of everybody's",
            |cx| {
                cx.script("open/guard.sh", DENY);
                chmod(&cx.path("open"), 0o777);
                let command = cx.path("open/guard.sh").display().to_string();
                cx.write("system/etc/cursor/hooks.json", one_hook("beforeShellExecution", &command));
            },
            "[TEST]/open may be written by others than root (mode 0777)",
            "sudo chmod go-w '[TEST]/open'",
        ),
    ];
    for (name, spoil, reason, help) in cases {
        let cx = enterprise();
        spoil(&cx);
        let seen = cx.run(SHELL);
        assert!(seen.contains("exit code: 0") && seen.contains(reason), "{name}: {seen}");
        for args in [["check"], ["doctor"]] {
            let seen = cx.run(args);
            assert!(seen.contains(reason) && seen.contains(help), "{name}: {args:?}: {seen}");
        }
    }
}

#[test]
fn what_is_protected_runs_and_is_looked_at_again_when_that_changes() {
    let cx = enterprise();
    assert_eq!(cx.output(SHELL).status.code(), Some(2));
    chmod(&cx.path("system/etc/cursor/guard.sh"), 0o777);
    assert_eq!(cx.output(SHELL).status.code(), Some(0), "no earlier copy stands for it");
    chmod(&cx.path("system/etc/cursor/guard.sh"), 0o755);
    assert_eq!(cx.output(SHELL).status.code(), Some(2));
    // As /tmp is: nobody moves there what is somebody else's.
    chmod(&cx.path("system/etc"), 0o1777);
    assert_eq!(cx.output(SHELL).status.code(), Some(2));
    chmod(&cx.path("system/etc"), 0o777);
    assert_eq!(cx.output(SHELL).status.code(), Some(0));
}

#[test]
fn what_belongs_to_somebody_else_is_refused() {
    let cx = enterprise();
    let script = cx.path("system/etc/cursor/guard.sh");
    if chown(&script, Some(12345), None).is_err() {
        eprintln!("SKIPPED: only root can give files away");
        return;
    }
    let seen = cx.run(["check"]);
    assert!(seen.contains("belongs to uid 12345, and not to root"), "{seen}");
    assert!(seen.contains("sudo chown root '[SYSTEM]/etc/cursor/guard.sh'"), "{seen}");
    assert_eq!(cx.output(SHELL).status.code(), Some(0));
}

/// What may not run counts as failed: a hook that is `failClosed` refuses, in `run` and in front of an agent.
#[test]
fn ownership_hooks_that_others_can_write_count_as_failed() {
    type Spoil = fn(&TestContext);
    let cases: [(&str, Spoil); 4] = [
        ("the file", |cx| chmod(&cx.path("system/etc/cursor/hooks.json"), 0o666)),
        ("the script", |cx| chmod(&cx.path("system/etc/cursor/guard.sh"), 0o777)),
        ("the folder", |cx| chmod(&cx.path("system/etc/cursor"), 0o777)),
        ("a folder above", |cx| chmod(&cx.path("system/etc"), 0o777)),
    ];
    let allow = "#!/bin/sh\necho '{\"permission\":\"allow\"}'\n";
    for (case, spoil) in cases {
        for fail_closed in [true, false] {
            let cx = enterprise();
            cx.script("system/etc/cursor/guard.sh", allow);
            let hooks = format!(
                r#"{{"version": 1, "hooks": {{"beforeShellExecution": [{{"command": "./guard.sh", "failClosed": {fail_closed}}}]}}}}"#
            );
            cx.write("system/etc/cursor/hooks.json", hooks);
            assert_eq!(cx.output(SHELL).status.code(), Some(0), "{case}: it is protected");
            spoil(&cx);
            let seen = cx.output(SHELL);
            let stderr = String::from_utf8_lossy(&seen.stderr);
            let code = if fail_closed { 2 } else { 0 };
            assert_eq!(seen.status.code(), Some(code), "{case}, failClosed {fail_closed}: {stderr}");
            assert!(stderr.contains("may be written by others than root"), "{case}: {stderr}");
            let payload = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
                "session_id": "s", "cwd": "/", "transcript_path": "/t"}"#;
            let seen = cx.output_with(["agent", "hook", "claude"], payload.as_bytes());
            let said = String::from_utf8_lossy(&seen.stdout);
            assert_eq!(said.contains("\"deny\""), fail_closed, "{case}: {said}");
        }
    }
}

/// Containers, WSL and mounted checkouts give files any mode and owner: for a project its contents decide.
#[test]
fn ownership_of_a_trusted_project_file_does_not_matter() {
    let cx = TestContext::new();
    let script = cx.script("project/.cursor/guard.sh", DENY);
    let file = cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", ".cursor/guard.sh"));
    for mode in [0o666, 0o777] {
        chmod(&file, mode);
        chmod(&cx.path("project/.cursor"), 0o777);
        chmod(&script, 0o777);
        cx.trust();
        assert_eq!(cx.output(SHELL).status.code(), Some(2), "mode {mode:o}");
    }
    chmod(&file, 0o600);
    assert_eq!(cx.output(SHELL).status.code(), Some(2), "another mode is no change");
    if chown(&file, Some(12345), None).and_then(|()| chown(&script, Some(12345), None)).is_err() {
        return eprintln!("SKIPPED: only root can give files away");
    }
    assert_eq!(cx.output(SHELL).status.code(), Some(2), "another owner is no change");
}

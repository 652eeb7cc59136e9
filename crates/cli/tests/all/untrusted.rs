//! Before somebody trusted a workspace, nothing in it starts a process or
//! opens a connection, whatever is typed.

use std::process::Command;

use crate::context::{self, TestContext};

/// A repository with hooks that would leave a mark, and a git configuration
/// that would run programs for anybody who asks git about it.
fn hostile_project(cx: &TestContext) {
    cx.script("project/.cursor/hooks/mark.sh", "#!/bin/sh\ntouch \"$(dirname \"$0\")/../../../ran\"\n");
    cx.write(
        "project/.cursor/hooks.json",
        context::one_hook("beforeShellExecution", ".cursor/hooks/mark.sh"),
    );
    cx.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ".cursor/hooks/mark.sh"}]}]}}"#,
    );
    cx.write("project/plugin/hooks/hooks.json", context::one_hook("preToolUse", "../.cursor/hooks/mark.sh"));
    cx.write(
        "project/.git/config",
        "[core]\n\tfsmonitor = touch ran-fsmonitor\n\thooksPath = .\n\tpager = touch ran-pager\n\tsshCommand = touch ran-ssh\n\
         [diff]\n\texternal = touch ran-diff\n[filter \"x\"]\n\tclean = touch ran-filter\n[credential]\n\thelper = !touch ran-credential\n\
         [alias]\n\tst = !touch ran-alias\n",
    );
    cx.write("project/.git/HEAD", "ref: refs/heads/main\n");
}

/// Everything that a command started or connected to, as strace saw it.
fn started(cx: &TestContext, args: &[&str]) -> (Vec<String>, String) {
    let binary = cx.command(args);
    let trace = cx.path("trace");
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-e", "trace=execve,execveat,fork,vfork,clone,clone3,connect", "-o"])
        .arg(&trace);
    command
        .arg(binary.get_program())
        .args(binary.get_args())
        .current_dir(cx.project())
        .env("HOME", cx.path("home"));
    let output = context::pipe(command, b"{}");
    let lines = context::read(&trace);
    assert!(lines.contains("execve("), "strace saw nothing: is it installed? `cargo xtask test` installs it");
    // What doctor finds is its data; the others say it beside theirs.
    let said = [output.stdout, output.stderr].concat();
    // The first line is the start of the binary itself.
    (lines.lines().skip(1).map(str::to_owned).collect(), cx.without_paths(&String::from_utf8_lossy(&said)))
}

#[test]
fn nothing_starts_in_an_untrusted_workspace() {
    if std::env::var_os("BOATHOOK_TEST_STRACE").is_some_and(|name| name.is_empty()) {
        eprintln!("SKIPPED: no strace, and no permission to install it");
        return;
    }
    let cx = TestContext::new();
    hostile_project(&cx);
    cx.write(
        "project/.cursor/hooks/tests/a.json",
        r#"{"event": "stop", "scratch": true, "expect": {"exit": 0}}"#,
    );
    let commands: &[&[&str]] = &[
        &["run", "beforeShellExecution", "--field", "command=ls"],
        &["explain", "beforeShellExecution", "--field", "command=ls"],
        &["run", "preToolUse", "--field", "tool_name=Shell", "--plugin-dir", "plugin"],
        &["explain", "preToolUse", "--field", "tool_name=Shell", "--plugin-dir", "plugin"],
        &["list"],
        &["list", "--plugin-dir", "plugin"],
        &["convert", "claude", "--dry-run"],
        &["check"],
        &["doctor"],
        &["doctor", "--fix"],
        &["test"],
        &["check", "--plugin-dir", "plugin"],
        &["trust", "--status"],
    ];
    for args in commands {
        let (started, said) = started(&cx, args);
        assert_eq!(started, Vec::<String>::new(), "{args:?}");
        if !matches!(args[0], "trust" | "convert") {
            assert!(said.contains("withheld"), "{args:?} says so: {said}");
        }
    }
    assert!(!cx.path("ran").exists());
}

#[test]
fn one_byte_withdraws_trust_and_the_difference_is_shown() {
    let cx = TestContext::new();
    hostile_project(&cx);
    cx.trust();
    cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
    assert!(cx.path("ran").exists(), "a trusted hook runs");
    std::fs::remove_file(cx.path("ran")).expect("the mark");
    cx.script("project/.cursor/hooks/mark.sh", "#!/bin/sh\ntouch \"$(dirname \"$0\")/../../../ran\" \n");
    let output = cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
    assert!(!cx.path("ran").exists(), "a changed hook does not");
    assert!(String::from_utf8_lossy(&output.stderr).contains("withheld"));
    let seen = cx.run(["trust"]);
    assert!(seen.contains("[PROJECT]/.cursor/hooks/mark.sh: changed"), "{seen}");
    assert!(seen.contains("+touch \"$(dirname"), "{seen}");
}

//! `boathook team bundle`: what it writes runs where the product looks for it.
#![cfg(unix)]

mod context;
mod generation;

use std::fs;
use std::path::Path;

use context::{TestContext, pipe};
use generation::DENY;
use serde_json::{Value, json};

fn folder(cx: &TestContext) {
    cx.script("project/policy/guard.sh", DENY);
    cx.script("project/policy/tools/other.ps1", "exit 0\n");
    cx.write("project/policy/words.txt", "rm\n");
    cx.write(
        "project/policy/hooks.json",
        json!({ "version": 1, "hooks": {
            "beforeShellExecution": [
                { "command": "./guard.sh", "failClosed": true, "_operating_systems": ["Linux", "Macintosh"] },
            ],
            "stop": [{ "command": "./tools/other.ps1", "_operating_systems": ["Windows"] }],
        } })
        .to_string(),
    );
}

fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => walk(root, &path, found),
            path => found.push(path.strip_prefix(root).expect("below").display().to_string()),
        }
    }
}

#[test]
fn each_system_gets_its_own_hooks_where_the_product_looks_for_them() {
    let cx = TestContext::new();
    folder(&cx);
    let seen = cx.run(["team", "bundle", "--from", "policy", "--out", "out"]);
    assert!(seen.contains("exit code: 0"), "{seen}");
    let expected = [
        "linux/system.sha256",
        "linux/system.txt",
        "linux/system/etc/cursor/guard.sh",
        "linux/system/etc/cursor/hooks.json",
        "linux/system/etc/cursor/words.txt",
        "linux/user.sha256",
        "linux/user.txt",
        "linux/user/.cursor/guard.sh",
        "linux/user/.cursor/hooks.json",
        "linux/user/.cursor/words.txt",
        "macos/system.sha256",
        "macos/system.txt",
        "macos/system/Library/Application Support/Cursor/guard.sh",
        "macos/system/Library/Application Support/Cursor/hooks.json",
        "macos/system/Library/Application Support/Cursor/words.txt",
        "macos/user.sha256",
        "macos/user.txt",
        "macos/user/.cursor/guard.sh",
        "macos/user/.cursor/hooks.json",
        "macos/user/.cursor/words.txt",
        "windows/system.sha256",
        "windows/system.txt",
        "windows/system/ProgramData/Cursor/hooks.json",
        "windows/system/ProgramData/Cursor/tools/other.ps1",
        "windows/system/ProgramData/Cursor/words.txt",
        "windows/user.sha256",
        "windows/user.txt",
        "windows/user/.cursor/hooks.json",
        "windows/user/.cursor/tools/other.ps1",
        "windows/user/.cursor/words.txt",
    ];
    assert_eq!(files(&cx.path("project/out")), expected);
    let windows = context::read(&cx.path("project/out/windows/user/.cursor/hooks.json"));
    let windows: Value = serde_json::from_str(&windows).expect("JSON");
    let only = json!({ "version": 1, "hooks": { "stop": [{ "command": "./tools/other.ps1" }] } });
    assert_eq!(windows, only);
}

#[test]
fn what_is_written_for_linux_passes_check_and_refuses() {
    let cx = TestContext::new();
    folder(&cx);
    assert!(cx.output(["team", "bundle", "--from", "policy", "--out", "out"]).status.success());
    let in_root = |root: &str, home: &str, args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_boathook"));
        command.arg("--root").arg(cx.path(root)).args(args).current_dir(cx.project());
        command.env("HOME", cx.path(home)).env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        pipe(command, b"")
    };
    let run = ["run", "beforeShellExecution", "--field", "command=ls"];
    for (root, home) in [("project/out/linux/system", "home"), ("system", "project/out/linux/user")] {
        let check = in_root(root, home, &["check"]);
        assert!(check.status.success(), "{root}: {}", String::from_utf8_lossy(&check.stderr));
        let refused = in_root(root, home, &run);
        assert_eq!(refused.status.code(), Some(2), "{root}: {}", String::from_utf8_lossy(&refused.stderr));
    }
    let mut sums = std::process::Command::new("sha256sum");
    sums.args(["-c", "../system.sha256"]).current_dir(cx.path("project/out/linux/system"));
    let sums = pipe(sums, b"");
    assert!(sums.status.success(), "{}", String::from_utf8_lossy(&sums.stderr));
    let note = context::read(&cx.path("project/out/linux/system.txt"));
    assert!(note.contains("sudo chown -R root '/etc/cursor'"), "{note}");
}

#[test]
fn what_could_not_run_elsewhere_is_refused_and_nothing_is_written() {
    type Spoil = fn(&TestContext);
    let cases: [(&str, Spoil, &str); 6] = [
        (
            "a script that is not there",
            |cx| fs::remove_file(cx.path("project/policy/guard.sh")).expect("removed"),
            "which is not in policy",
        ),
        (
            "a file that cannot be read",
            |cx| drop(cx.write("project/policy/hooks.json", "{")),
            "policy/hooks.json:1",
        ),
        (
            "a system that is none",
            |cx| {
                let hooks = context::read(&cx.path("project/policy/hooks.json"));
                cx.write("project/policy/hooks.json", hooks.replace("Macintosh", "Amiga"));
            },
            "which is no system",
        ),
        (
            "a name that Windows does not take",
            |cx| drop(cx.write("project/policy/con.txt", "")),
            "the name is a device on Windows",
        ),
        (
            "a link",
            |cx| std::os::unix::fs::symlink("/etc/hostname", cx.path("project/policy/link")).expect("a link"),
            "is no plain file",
        ),
        ("a folder with something in it", |cx| drop(cx.write("project/out/mine", "")), "out is not empty"),
    ];
    for (name, spoil, expected) in cases {
        let cx = TestContext::new();
        folder(&cx);
        spoil(&cx);
        let seen = cx.run(["team", "bundle", "--from", "policy", "--out", "out"]);
        assert!(!seen.contains("exit code: 0") && seen.contains(expected), "{name}: {seen}");
        assert!(!cx.path("project/out/linux").exists(), "{name}");
    }
}

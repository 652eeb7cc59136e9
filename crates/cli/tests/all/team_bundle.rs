//! `boathook team bundle`: what it writes runs where the product looks for it.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::context::{self, TestContext, pipe};
use crate::generation::DENY;

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
        "linux/install-system.sh",
        "linux/install-user.sh",
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
        "macos/install-system.sh",
        "macos/install-user.sh",
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
        "windows/install-system.ps1",
        "windows/install-user.ps1",
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
    assert!(note.contains("sudo sh linux/install-system.sh"), "{note}");
}

#[test]
fn what_check_finds_in_the_result_is_shown() {
    type Spoil = fn(&TestContext);
    let one = |cx: &TestContext, event: &str, entry: Value| {
        let hooks = json!({ "version": 1, "hooks": { event: [entry] } });
        cx.write("project/policy/hooks.json", hooks.to_string());
    };
    let cases: [(&str, &str, Value, Spoil, &str); 6] = [
        (
            "an event that is none",
            "stopp",
            json!({ "command": "./guard.sh" }),
            |_| (),
            "unknown hook `stopp`",
        ),
        (
            "line ends of Windows",
            "stop",
            json!({ "command": "./guard.sh" }),
            |cx| drop(cx.script("project/policy/guard.sh", "#!/bin/sh\r\nexit 0\r\n")),
            "end in CR LF",
        ),
        (
            "a script on PATH",
            "stop",
            json!({ "command": "guard.sh" }),
            |_| (),
            "looks for `guard.sh` on PATH",
        ),
        (
            "a path of this machine",
            "stop",
            json!({ "command": "/opt/x/y" }),
            |_| (),
            "`/opt/x/y` is not in the bundle",
        ),
        (
            "a shell script on Windows",
            "stop",
            json!({ "command": "./guard.sh" }),
            |_| (),
            "windows/user/.cursor/hooks.json",
        ),
        (
            "a hook that is only watched",
            "stop",
            json!({ "command": "./guard.sh", "monitor": true }),
            |_| (),
            "is honoured by Boathook alone",
        ),
    ];
    for (name, event, entry, spoil, expected) in cases {
        let cx = TestContext::new();
        folder(&cx);
        one(&cx, event, entry);
        spoil(&cx);
        let seen = cx.run(["team", "bundle", "--from", "policy", "--out", "out"]);
        assert_eq!(seen.matches(expected).count(), 1, "{name}: {seen}");
    }
    let cx = TestContext::new();
    folder(&cx);
    let seen = cx.run(["team", "bundle", "--from", "policy", "--out", "out"]);
    assert!(!seen.contains("warning:"), "nothing is wrong: {seen}");
    cx.write("project/policy/hooks.json", r#"{"version":1,"hooks":{}}"#);
    let seen = cx.run(["team", "bundle", "--from", "policy", "--out", "none"]);
    assert!(seen.contains("no hook is for linux"), "{seen}");
}

#[test]
fn a_system_gets_no_file_that_only_another_speaks_of() {
    let cx = TestContext::new();
    folder(&cx);
    cx.script("project/policy/guard.sh", "#!/bin/sh\n. ./tools/lib.sh\n");
    cx.write("project/policy/tools/lib.sh", "true\n");
    cx.script("project/policy/second.sh", DENY);
    let hooks = context::read(&cx.path("project/policy/hooks.json"));
    cx.write("project/policy/hooks.json", hooks.replace("./guard.sh", "./guard.sh && ./second.sh"));
    assert!(cx.output(["team", "bundle", "--from", "policy/hooks.json", "--out", "out"]).status.success());
    let linux = ["guard.sh", "hooks.json", "second.sh", "tools/lib.sh", "words.txt"];
    assert_eq!(files(&cx.path("project/out/linux/user/.cursor")), linux);
    let windows = ["hooks.json", "tools/other.ps1", "words.txt"];
    assert_eq!(files(&cx.path("project/out/windows/user/.cursor")), windows);
}

#[test]
fn the_source_is_a_folder_or_its_hooks_json_and_must_be_named() {
    let cx = TestContext::new();
    folder(&cx);
    let other = cx.run(["team", "bundle", "--from", "policy/guard.sh"]);
    assert!(other.contains("is no folder and no hooks.json"), "{other}");
    let none = cx.run(["team", "bundle"]);
    assert!(none.contains("--from <PATH>|--published"), "{none}");
}

#[test]
fn a_bundle_is_installed_unasked_over_an_older_one() {
    let cx = TestContext::new();
    folder(&cx);
    let bundle = |out: &str| {
        let done = cx.output(["team", "bundle", "--from", "policy", "--out", out]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    let install = |program: &str| {
        let mut command = std::process::Command::new("sh");
        command.arg(cx.path(program)).env("DESTDIR", cx.path("machine")).env("HOME", cx.path("person"));
        pipe(command, b"")
    };
    bundle("old");
    cx.write("machine/etc/cursor/theirs", "");
    fs::remove_file(cx.path("project/policy/words.txt")).expect("removed");
    cx.write("project/policy/more.txt", "");
    bundle("new");
    for (whose, to) in [("system", "machine/etc/cursor"), ("user", "person/.cursor")] {
        for bundle in ["old", "new", "new"] {
            let done = install(&format!("project/{bundle}/linux/install-{whose}.sh"));
            assert!(done.status.success(), "{whose}: {}", String::from_utf8_lossy(&done.stderr));
        }
        let mut expected = vec!["boathook-bundle.txt", "guard.sh", "hooks.json", "more.txt"];
        expected.extend((whose == "system").then_some("theirs"));
        assert_eq!(files(&cx.path(to)), expected, "{whose}");
    }
    fs::remove_file(cx.path("person/.cursor/boathook-bundle.txt")).expect("removed");
    let own = install("project/new/linux/install-user.sh");
    assert!(String::from_utf8_lossy(&own.stderr).contains("is the user's own"), "a user's file stays");
    assert!(!own.status.success());
    cx.write("project/new/linux/system/etc/cursor/more.txt", "changed on the way");
    assert!(!install("project/new/linux/install-system.sh").status.success(), "checksums count");
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

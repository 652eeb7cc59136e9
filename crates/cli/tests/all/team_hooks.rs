//! A team's installed hooks as the engine runs them: only as they were sealed,
//! one generation for one event, and never none because time passed.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Output;

use boathook_engine::bundle::manifest::{Hook, Stale, StalePolicy};
use boathook_engine::bundle::{Expected, Fresh};
use boathook_engine::ids;
use serde_json::{Value, json};

use crate::context::TestContext;
use crate::generation::{self, ALLOW, DENY, Generation, hook, managed};
use crate::served::Served;

const SHELL: [&str; 5] = ["run", "beforeShellExecution", "--field", "command=ls", "--trace"];
const DAY: i64 = 24 * 60 * 60 * 1000;

fn trace(output: &Output) -> Value {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let text = String::from_utf8_lossy(&text);
    let of_trace =
        |line: &str| serde_json::from_str::<Value>(line).ok().filter(|it| it.get("hooks").is_some());
    text.lines().find_map(of_trace).unwrap_or_else(|| panic!("no trace in {text}"))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder(cx: &TestContext) -> std::path::PathBuf {
    managed(&cx.path("home")).current().expect("in force").folder
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

fn rewrite(path: &Path, text: &str) {
    chmod(path, 0o700);
    fs::write(path, text).expect("written");
}

#[test]
fn hooks_of_the_generation_in_force_run_in_its_folder() {
    let cx = TestContext::new();
    Generation::gate(1).put(&cx.path("home"));
    let output = cx.output(SHELL);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(trace(&output)["hooks"][0]["source"], "team");
    assert_eq!(trace(&output)["warnings"], json!([]));

    let (says, text) = hook("beforeShellExecution", "where.sh", "#!/bin/sh\npwd -P >&2\necho '{}'\n");
    Generation::of(2, [(says, text)]).put(&cx.path("home"));
    let output = cx.output(SHELL);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(folder(&cx).ends_with(managed(&cx.path("home")).current().expect("in force").generation));
    let list = cx.run(["list"]);
    assert!(list.contains("ready     team       ./where.sh"), "{list}");
    assert!(list.contains("[HOME]/.cursor/managed/team_5/hooks/hooks.json:5"), "{list}");
}

/// S15: what somebody changed between two syncs does not run.
#[test]
fn s15_a_script_that_is_not_what_was_signed_does_not_run() {
    type Spoil = fn(&Path);
    let cases: [(&str, Spoil, &str); 5] = [
        ("edited", |it| rewrite(&it.join("guard.sh"), ALLOW), "guard.sh is not what was signed"),
        ("deleted", |it| fs::remove_file(it.join("guard.sh")).expect("removed"), "guard.sh is gone"),
        ("open to all", |it| chmod(&it.join("guard.sh"), 0o777), "guard.sh may be written by others"),
        (
            "a link",
            |it| {
                fs::remove_file(it.join("guard.sh")).expect("removed");
                symlink("/bin/true", it.join("guard.sh")).expect("a link");
            },
            "guard.sh is not a regular file but a link",
        ),
        (
            "hooks.json edited",
            |it| rewrite(&it.join("hooks.json"), "{}"),
            "hooks.json is not what was signed",
        ),
    ];
    for (name, spoil, expected) in cases {
        let cx = TestContext::new();
        Generation::gate(1).put(&cx.path("home"));
        spoil(&folder(&cx));
        let output = cx.output(SHELL);
        assert_eq!(output.status.code(), Some(2), "{name}: failClosed refuses: {}", stderr(&output));
        let said = format!("{}{}", trace(&output), stderr(&output));
        assert!(said.contains("tampered") && said.contains(expected), "{name}: {said}");
        for args in [["list"], ["doctor"], ["check"]] {
            let seen = cx.run(args);
            assert!(seen.contains("signed") || seen.contains(expected), "{name}: {args:?}: {seen}");
        }
        let log = cx.run(["log", "--json"]);
        assert!(log.contains("tampered"), "{name}: {log}");
        let mended = Generation::gate(1).install(&cx.path("home"));
        assert!(mended.is_ok(), "{name}");
        assert!(stderr(&cx.output(SHELL)).contains("the team says no"), "{name}");
    }
}

#[test]
fn s15_without_fail_closed_a_changed_script_does_not_run_either_and_the_action_proceeds() {
    let cx = TestContext::new();
    Generation::of(1, [hook("beforeShellExecution", "guard.sh", DENY)]).put(&cx.path("home"));
    rewrite(&folder(&cx).join("guard.sh"), "#!/bin/sh\ntouch \"$HOME/ran\"\n");
    let output = cx.output(SHELL);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!cx.path("home/ran").exists());
    assert!(stderr(&output).contains("tampered"), "{}", stderr(&output));
}

#[test]
fn a_folder_of_ours_without_a_generation_is_said_loudly() {
    type Spoil = fn(&Path);
    let cases: [(&str, Spoil, &str, i32); 3] = [
        (
            "no link",
            |it| fs::remove_file(it.join("hooks")).expect("removed"),
            "no generation of the team's hooks is in force",
            0,
        ),
        (
            "a folder in place of the link",
            |it| {
                fs::remove_file(it.join("hooks")).expect("removed");
                fs::create_dir(it.join("hooks")).expect("made");
                fs::write(it.join("hooks/hooks.json"), r#"{"version":1,"hooks":{}}"#).expect("written");
            },
            "no generation of the team's hooks is in force",
            0,
        ),
        (
            "no seal: the file can only close",
            |it| fs::remove_file(it.join("hooks/seal.json")).expect("removed"),
            "seal.json is gone",
            2,
        ),
    ];
    for (name, spoil, expected, code) in cases {
        let cx = TestContext::new();
        let managed = Generation::gate(1).put(&cx.path("home"));
        spoil(managed.folder());
        let output = cx.output(SHELL);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{name}: {}", stderr(&output));
        let doctor = cx.run(["doctor"]);
        assert!(doctor.contains(expected), "{name}: {doctor}");
    }
}

/// What a client wrote down when it installed keeps gates shut when what it
/// installed is gone.
#[test]
fn hooks_that_must_be_here_and_are_gone_keep_their_gates_shut() {
    type Spoil = fn(&Path);
    let cases: [(&str, Spoil, i32); 7] = [
        ("nothing", |_| {}, 2),
        ("all managed hooks", |it| fs::remove_dir_all(it.parent().expect("managed")).expect("removed"), 2),
        ("the team's folder", |it| fs::remove_dir_all(it).expect("removed"), 2),
        ("the link", |it| fs::remove_file(it.join("hooks")).expect("removed"), 2),
        (
            "every generation",
            |it| fs::rename(it.join("generations"), it.join("elsewhere")).expect("renamed"),
            2,
        ),
        (
            "the seal and what it seals",
            |it| {
                fs::remove_file(it.join("hooks/seal.json")).expect("removed");
                rewrite(&it.join("hooks/hooks.json"), "{}");
            },
            2,
        ),
        (
            "the marker, and the rest is somebody's own",
            |it| {
                fs::remove_dir_all(it).expect("removed");
                fs::create_dir_all(it.join("hooks")).expect("made");
                fs::write(it.join("hooks/hooks.json"), r#"{"version":1,"hooks":{}}"#).expect("written");
            },
            2,
        ),
    ];
    for (name, spoil, code) in cases {
        let cx = TestContext::new();
        let managed = Generation::gate(1).put(&cx.path("home"));
        let closed = managed.current().expect("in force").seal.closed;
        let state = cx.path("home/.local/state/boathook");
        Expected::of(generation::TEAM, &closed).write(&state).expect("written");
        spoil(managed.folder());
        let output = cx.output(SHELL);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", stderr(&output));
        if name == "nothing" {
            assert!(stderr(&output).contains("the team says no"), "{}", stderr(&output));
            continue;
        }
        let other = cx.output(["run", "stop"]);
        assert_eq!(other.status.code(), Some(0), "{name}: {}", stderr(&other));
        for said in [stderr(&output), stderr(&other), cx.run(["check"]), cx.run(["doctor"])] {
            let gone = said.contains("is gone") || said.contains("is not there");
            assert!(said.contains("tampered with") && gone, "{name}: {said}");
        }
        Expected::remove(&state).expect("removed");
        if name == "the team's folder" {
            assert_eq!(cx.output(SHELL).status.code(), Some(0), "nothing is expected any more");
        }
    }
}

#[test]
fn a_record_of_hooks_that_cannot_be_read_shuts_every_gate_only_where_no_hooks_are() {
    let cx = TestContext::new();
    cx.write("home/.local/state/boathook/team/expected.json", "{");
    chmod(&cx.path("home/.local/state/boathook"), 0o700);
    chmod(&cx.path("home/.local/state/boathook/team"), 0o700);
    let read = ["run", "beforeReadFile", "--field", "file_path=/x"];
    assert_eq!(cx.output(read).status.code(), Some(2));
    Generation::of(1, [hook("beforeShellExecution", "guard.sh", ALLOW)]).put(&cx.path("home"));
    assert_eq!(cx.output(read).status.code(), Some(0));
}

#[test]
fn a_daemon_notices_that_hooks_are_gone_and_that_they_are_back() {
    let cx = TestContext::new();
    let managed = Generation::gate(1).put(&cx.path("home"));
    let closed = managed.current().expect("in force").seal.closed;
    let state = cx.path("home/.local/state/boathook");
    Expected::of(generation::TEAM, &closed).write(&state).expect("written");
    let daemon = Served::start(&cx);
    let mut talk = daemon.talk();
    let mut handled = || talk.handle("beforeShellExecution", json!({ "command": "ls" }));
    assert!(handled().to_string().contains("the team says no"));
    fs::remove_dir_all(managed.folder()).expect("removed");
    let gone = handled();
    assert!(gone["blocked"] == true && gone.to_string().contains("is gone"), "{gone}");
    Generation::gate(1).put(&cx.path("home"));
    assert!(handled().to_string().contains("the team says no"));
}

/// S16: a hook that runs while its generation is replaced and collected
/// finishes on its own files.
#[test]
fn s16_a_running_hook_finishes_on_its_own_files() {
    let cx = TestContext::new();
    let script =
        "#!/bin/sh\ntouch \"$HOME/begun\"\nwhile [ ! -e \"$HOME/go\" ]; do sleep 0.05; done\n. ./part.sh\n";
    let part = "echo '{\"permission\":\"deny\",\"user_message\":\"from part one\"}'\n";
    let (other, text) = hook("stop", "part.sh", part);
    Generation::of(1, [hook("beforeShellExecution", "slow.sh", script), (other, text)]).put(&cx.path("home"));
    let first = folder(&cx);
    let mut command = cx.command(SHELL);
    let running = std::thread::spawn(move || command.output().expect("it ends"));
    until(|| cx.path("home/begun").exists());
    for number in 2..8 {
        Generation::gate(number).put(&cx.path("home"));
    }
    assert!(first.exists(), "in use");
    fs::write(cx.path("home/go"), "").expect("written");
    let output = running.join().expect("it ends");
    assert!(stderr(&output).contains("from part one"), "{}", stderr(&output));
    Generation::gate(8).put(&cx.path("home"));
    assert!(!first.exists(), "collected later");
}

fn until(is_so: impl Fn() -> bool) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !is_so() {
        assert!(std::time::Instant::now() < deadline, "it did not come to that");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// S07, S08: hooks that are too old stay in force, and the team's policy comes
/// to them.
#[test]
fn s07_s08_old_hooks_stay_in_force_and_the_policy_applies_on_gates() {
    let now = ids::now_millis();
    let twenty_years = 20 * 365 * DAY;
    let cases = [
        ("fresh", now + DAY, StalePolicy::Deny, 0, None),
        ("S07: an hour late", now - DAY / 24, StalePolicy::Deny, 0, Some("are stale")),
        ("S07: fifteen days late, warn", now - 15 * DAY, StalePolicy::Warn, 0, Some("are too old")),
        ("S07: fifteen days late, ask", now - 15 * DAY, StalePolicy::Ask, 0, Some("are too old")),
        ("S07: fifteen days late, deny", now - 15 * DAY, StalePolicy::Deny, 2, Some("are too old")),
        ("S08: twenty years ahead", now - twenty_years, StalePolicy::Deny, 2, Some("are too old")),
    ];
    for (name, until, policy, code, warning) in cases {
        let cx = TestContext::new();
        let (seen, text) =
            hook("beforeShellExecution", "seen.sh", "#!/bin/sh\ntouch \"$HOME/ran\"\necho '{}'\n");
        let managed = Generation::of(1, [(seen, text)]).put(&cx.path("home"));
        let stale = Stale { days: 14, policy };
        managed.write_fresh(&Fresh { until, seen: 0, stale }).expect("written");
        let output = cx.output(SHELL);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", stderr(&output));
        assert!(cx.path("home/ran").exists(), "{name}: the hooks stay in force");
        let said = stderr(&output);
        assert_eq!(warning.map(|warning| said.contains(warning)), warning.map(|_| true), "{name}: {said}");
        if policy == StalePolicy::Ask {
            assert_eq!(trace(&output)["answer"]["permission"], "ask", "{name}");
        }
        // A gate that no hook of the team guards is a gate all the same.
        let read = cx.output(["run", "beforeReadFile", "--field", "file_path=/x"]);
        // Where nobody can be asked, an ask refuses.
        let asks = warning == Some("are too old") && policy == StalePolicy::Ask;
        assert_eq!(read.status.code(), Some(if asks { 2 } else { code }), "{name}: {}", stderr(&read));
        if let Some(warning) = warning {
            let doctor = cx.run(["doctor"]);
            assert!(doctor.contains(warning), "{name}: {doctor}");
        }
    }
}

#[test]
fn how_old_the_hooks_are_is_said_even_when_nobody_wrote_it_down() {
    let cx = TestContext::new();
    Generation::gate(1).install(&cx.path("home")).expect("installed");
    let output = cx.output(SHELL);
    assert!(stderr(&output).contains("not known how old"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2), "and they stay in force");
}

#[test]
fn a_monitored_hook_of_the_team_refuses_nothing_and_says_what_it_would_have() {
    let cx = TestContext::new();
    let (gate, text) = hook("beforeShellExecution", "guard.sh", DENY);
    Generation::of(1, [(Hook { monitor: true, fail_closed: true, ..gate }, text)]).put(&cx.path("home"));
    let output = cx.output(SHELL);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = &trace(&output)["hooks"][0];
    assert_eq!((&report["would"], &report["monitor"]), (&"deny".into(), &true.into()), "{report}");
    rewrite(&folder(&cx).join("hooks.json"), "{}");
    assert_eq!(cx.output(SHELL).status.code(), Some(0), "its events are not closed");
}

/// A daemon runs what is in force, from one event to the next.
#[test]
fn a_daemon_notices_a_new_generation_a_change_and_a_repair() {
    let cx = TestContext::new();
    let says = |number: u64| {
        let text =
            format!("#!/bin/sh\necho '{{\"permission\":\"deny\",\"user_message\":\"release {number}\"}}'\n");
        let (gate, text) = hook("beforeShellExecution", "guard.sh", &text);
        Generation::of(number, [(Hook { fail_closed: true, ..gate }, text)]).put(&cx.path("home"));
    };
    says(1);
    let daemon = Served::start(&cx);
    let mut talk = daemon.talk();
    for number in 1..6 {
        says(number);
        let handled = talk.handle("beforeShellExecution", json!({ "command": "ls" }));
        assert!(handled.to_string().contains(&format!("release {number}")), "{handled}");
    }
    rewrite(&folder(&cx).join("guard.sh"), ALLOW);
    let handled = talk.handle("beforeShellExecution", json!({ "command": "ls" }));
    assert!(handled.to_string().contains("tampered") && handled["blocked"] == true, "{handled}");
    rewrite(&folder(&cx).join("hooks.json"), "{}");
    let handled = talk.handle("beforeShellExecution", json!({ "command": "ls" }));
    assert!(handled.to_string().contains("tampered") && handled["blocked"] == true, "{handled}");
    says(5);
    let handled = talk.handle("beforeShellExecution", json!({ "command": "ls" }));
    assert!(handled.to_string().contains("release 5"), "{handled}");
    managed(&cx.path("home")).remove().expect("removed");
    let handled = talk.handle("beforeShellExecution", json!({ "command": "ls" }));
    assert_eq!(handled["blocked"], false, "{handled}");
}

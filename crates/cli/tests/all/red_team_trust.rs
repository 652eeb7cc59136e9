//! What a red team did to gates of a trusted workspace, on real processes. Each gate refuses.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::context::{self, TestContext, pipe};

const GUARD: &str = ".cursor/hooks/guard.sh";
const DENY: &str = "#!/bin/sh\ncat >/dev/null\necho '{\"permission\":\"deny\"}'\n";
const ALLOW: &str = "#!/bin/sh\ncat >/dev/null\necho '{\"permission\":\"allow\"}'\n";
const PAYLOAD: &str = r#"{"command": "rm -rf /", "cwd": "/", "sandbox": false}"#;

/// The entry of a guard that fails closed, with these keys added.
fn entry(command: &str, more: &str) -> String {
    let entry = format!(r#"{{"command": {}, "failClosed": true{more}}}"#, serde_json::Value::from(command));
    hooks(&entry)
}

fn hooks(entry: &str) -> String {
    format!(r#"{{"version": 1, "hooks": {{"beforeShellExecution": [{entry}]}}}}"#)
}

/// A trusted workspace with a guard that denies.
fn guarded(command: &str, script: &str) -> TestContext {
    let cx = TestContext::new();
    cx.script(&format!("project/{GUARD}"), script);
    cx.write("project/.cursor/hooks.json", entry(command, ""));
    cx.trust();
    cx
}

/// Whether the gate refuses, and all that was printed.
fn refuses(cx: &TestContext) -> (bool, String) {
    let output = cx.output_with(["run", "beforeShellExecution"], PAYLOAD.as_bytes());
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    (output.status.code() == Some(2), String::from_utf8_lossy(&said).into_owned())
}

fn assert_refuses(cx: &TestContext, case: &str) -> String {
    let (refused, said) = refuses(cx);
    assert!(refused, "{case}: {said}");
    said
}

#[test]
fn red_team_h2_any_change_of_a_trusted_fail_closed_entry_refuses() {
    let command = format!(r#"{{"command": "{GUARD}", "failClosed": true}}"#);
    let prompt = r#"{"type": "prompt", "prompt": "is it safe?", "failClosed": true}"#;
    let rule = r#"{"rule": {"deny": "no", "shell": ["rm -rf"]}, "failClosed": true}"#;
    let added = [
        r#""monitor": true"#,
        r#""enabled": false"#,
        r#""disabled": true"#,
        r#""matcher": "^never$""#,
        r#""timeout": 1"#,
        r#""failClosed": false"#,
        r#""type": "prompt""#,
        r#""persistent": true"#,
        r#""unknown": 1"#,
    ];
    for entry in [command.as_str(), prompt, rule] {
        for key in added {
            let cx = TestContext::new();
            cx.script(&format!("project/{GUARD}"), DENY);
            cx.write("project/.cursor/hooks.json", hooks(entry));
            cx.trust();
            let changed = entry.strip_suffix('}').expect("an object");
            cx.write("project/.cursor/hooks.json", hooks(&format!("{changed}, {key}}}")));
            assert_refuses(&cx, &format!("{entry} with {key}"));
        }
    }
}

/// Puts one of two scripts in the place of the guard, in turns, until it is stopped.
fn swap(hooks: &Path, stop: &AtomicBool) {
    let (guard, fresh) = (hooks.join("guard.sh"), hooks.join("fresh"));
    let scripts = [("evil", ALLOW), ("good", DENY)].map(|(name, text)| {
        let script = hooks.join(name);
        fs::write(&script, text).expect("written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("made executable");
        script
    });
    // Some swaps come as fast as they can, others leave time for a check to succeed in between.
    let pauses = [0, 0, 0, 0, 1, 0, 2, 0, 30, 1, 45, 0, 60].into_iter().cycle();
    for (script, pause) in scripts.iter().cycle().zip(pauses) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        fs::hard_link(script, &fresh).expect("linked");
        fs::rename(&fresh, &guard).expect("renamed");
        // POSIX: renaming one name of a file to another name of it leaves both.
        let _ = fs::remove_file(&fresh);
        thread::sleep(std::time::Duration::from_millis(pause));
    }
}

/// Runs a guard so often while its script is swapped; how often the gate opened, and how often the guard itself refused.
fn race(runs: usize) -> (usize, usize) {
    let cx = guarded(GUARD, DENY);
    let hooks = cx.path("project/.cursor/hooks");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let swapping = scope.spawn(|| swap(&hooks, &stop));
        let mut counts = (0, 0);
        for _ in 0..runs {
            let (refused, said) = refuses(&cx);
            counts.0 += usize::from(!refused);
            counts.1 += usize::from(refused && !said.contains("trust"));
        }
        stop.store(true, Ordering::Relaxed);
        swapping.join().expect("swapped");
        counts
    })
}

#[test]
fn red_team_h6_a_script_that_is_swapped_during_runs_opens_no_gate() {
    let runs = std::env::var("BOATHOOK_SWAPS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(300);
    let (opened, decided) = race(runs);
    eprintln!("{runs} runs: {opened} opened, {decided} decided by the guard");
    assert_eq!(opened, 0, "of {runs}");
}

/// A script that puts another one in its own place, and one that is put back before it ends.
#[test]
fn red_team_h6_what_changed_while_it_ran_has_no_answer() {
    let cases = [
        ("replaced", "cp \"$0\" \"$0.new\"; echo '#' >> \"$0.new\"; mv \"$0.new\" \"$0\""),
        ("replaced and put back", "mv \"$0\" \"$0.aside\"; mv \"$0.aside\" \"$0\""),
        ("written to", "echo '#' >> \"$0\""),
        (
            "in a folder that was moved away and back",
            "d=${0%/*}; mv \"$d\" \"$d.aside\"; mv \"$d.aside\" \"$d\"",
        ),
        ("in a folder that was replaced", "d=${0%/*}; mv \"$d\" \"$d.aside\"; cp -r \"$d.aside\" \"$d\""),
    ];
    for (case, does) in cases {
        let cx = guarded(GUARD, &format!("#!/bin/sh\n{does}\necho '{{\"permission\":\"allow\"}}'\n"));
        let said = assert_refuses(&cx, case);
        assert!(said.contains("its answer is discarded"), "{case}: {said}");
    }
    let cx = guarded(GUARD, &format!("{DENY}echo '#' >> \"$0\"\n"));
    let said = assert_refuses(&cx, "a refusal");
    assert!(!said.contains("its answer is discarded"), "{said}");
    let harmless = [
        ("a new file next to it", "touch \"$0.log\""),
        ("a new file in the workspace", "touch new.txt"),
        ("a new file in both", "touch \"$0.log\" new.txt"),
    ];
    for (case, does) in harmless {
        let cx = guarded(GUARD, &format!("#!/bin/sh\n{does}\necho '{{\"permission\":\"allow\"}}'\n"));
        let (refused, said) = refuses(&cx);
        assert!(!refused, "{case}: {said}");
    }
}

/// Creates and removes files and folders in these folders, until it is stopped.
fn keep_busy(folders: &[std::path::PathBuf], stop: &AtomicBool) {
    for turn in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        for folder in folders {
            let (file, below) = (folder.join(format!("busy{turn}")), folder.join(format!("cache{turn}")));
            fs::write(&file, "x").expect("written");
            fs::create_dir(&below).expect("made");
            fs::rename(&file, below.join("renamed")).expect("renamed");
            fs::remove_dir_all(&below).expect("removed");
        }
    }
}

/// Formatters, caches and other programs create files in every folder that leads to a hook, while it runs.
#[test]
fn red_team_h6_new_files_in_any_folder_on_the_way_to_a_script_are_harmless() {
    let cx = TestContext::new();
    let command = |args: &[&str]| {
        let mut command = cx.command(args);
        command.env("HOME", cx.path(""));
        command
    };
    let does = "touch ../new.txt new.txt .cursor/new.txt .cursor/hooks/new.txt
mkdir -p build .cursor/hooks/__pycache__ .cursor/cache node_modules/.cache .git/objects
touch build/x .cursor/hooks/__pycache__/x .cursor/cache/x .cursor/hooks/.x && mv .cursor/hooks/.x .cursor/hooks/y
rm -r build .cursor/cache .cursor/hooks/__pycache__ new.txt";
    let script = format!("#!/bin/sh\n{does}\necho '{{\"permission\":\"allow\"}}'\n");
    cx.script(&format!("project/{GUARD}"), &script);
    cx.write("project/.cursor/hooks.json", entry(GUARD, ""));
    let trusted = pipe(command(&["trust", "--yes"]), b"");
    assert!(trusted.status.success(), "{}", String::from_utf8_lossy(&trusted.stderr));
    let stop = AtomicBool::new(false);
    let folders = ["", "project", "project/.cursor", "project/.cursor/hooks"].map(|name| cx.path(name));
    let outputs: Vec<_> = thread::scope(|scope| {
        scope.spawn(|| keep_busy(&folders, &stop));
        let run = |_| pipe(command(&["run", "beforeShellExecution"]), PAYLOAD.as_bytes());
        let outputs = (0..30).map(run).collect();
        stop.store(true, Ordering::Relaxed);
        outputs
    });
    let answers =
        outputs.iter().map(|output| (String::from_utf8_lossy(&output.stderr), output.status.code()));
    let wrong: Vec<_> = answers.filter(|answer| *answer != ("".into(), Some(0))).collect();
    assert!(wrong.is_empty(), "{} of {}, as {:?}", wrong.len(), outputs.len(), wrong[0]);
}

/// A link on the way to a script that is replaced and put back leads elsewhere in between.
#[test]
fn red_team_h6_a_link_on_the_way_that_was_moved_away_and_back_has_no_answer() {
    let cx = TestContext::new();
    let script = "#!/bin/sh\nmv .cursor/hooks .cursor/aside; mv .cursor/aside .cursor/hooks\n";
    cx.script("project/real/guard.sh", &format!("{script}echo '{{\"permission\":\"allow\"}}'\n"));
    fs::create_dir_all(cx.path("project/.cursor")).expect("made");
    std::os::unix::fs::symlink("../real", cx.path("project/.cursor/hooks")).expect("linked");
    cx.write("project/.cursor/hooks.json", entry(GUARD, ""));
    cx.trust();
    let said = assert_refuses(&cx, "a link");
    assert!(said.contains("its answer is discarded"), "{said}");
}

/// A command may name a folder, also through a link: its entries are not what is trusted.
#[test]
fn red_team_h6_new_files_in_a_folder_that_a_command_names_are_harmless() {
    let cx = TestContext::new();
    cx.script(
        &format!("project/{GUARD}"),
        "#!/bin/sh\ntouch src/new.txt\necho '{\"permission\":\"allow\"}'\n",
    );
    fs::create_dir_all(cx.path("project/sources")).expect("made");
    std::os::unix::fs::symlink("sources", cx.path("project/src")).expect("linked");
    cx.write("project/.cursor/hooks.json", entry(&format!("{GUARD} src sources"), ""));
    cx.trust();
    let (refused, said) = refuses(&cx);
    assert!(!refused, "{said}");
}

/// Writes through a mapping that was made dirty before trust: the times of the file stay.
const DIRTY: &str = r"
import mmap, sys
with open(sys.argv[1], 'r+b') as f:
    m = mmap.mmap(f.fileno(), 0)
    m[0:2] = m[0:2]
    print('dirty', flush=True)
    sys.stdin.readline()
    at = m.find(b'deny')
    m[at:at+4] = b'none'
    print('changed', flush=True)
    sys.stdin.readline()
";

#[test]
fn red_team_m1_a_page_that_was_dirty_before_trust_does_not_hide_a_change() {
    use std::io::{BufRead, BufReader, Write};
    let cx = TestContext::new();
    let padding = format!("# {}\n", "x".repeat(2 << 20));
    let script = cx.script(&format!("project/{GUARD}"), &format!("{DENY}exit 0\n{padding}"));
    // The kernel executes no file that is mapped for writing; a shell reads it.
    cx.write("project/.cursor/hooks.json", entry(&format!("sh {GUARD}"), ""));
    let mut python = match Command::new("python3")
        .args(["-c", DIRTY])
        .arg(&script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Ok(python) => python,
        Err(_) => return eprintln!("SKIPPED: no python3"),
    };
    let mut said = BufReader::new(python.stdout.take().expect("stdout")).lines();
    let mut go = python.stdin.take().expect("stdin");
    assert_eq!(said.next().expect("a line").expect("text"), "dirty");
    // Stamps of young files are not believed: the old check needed two seconds of rest.
    thread::sleep(std::time::Duration::from_millis(2200));
    cx.trust();
    let said_before = assert_refuses(&cx, "the guard itself");
    assert!(!said_before.contains("trust"), "{said_before}");
    writeln!(go).expect("written");
    assert_eq!(said.next().expect("a line").expect("text"), "changed");
    let said = assert_refuses(&cx, "the changed guard");
    assert!(said.contains("changed since it was trusted"), "{said}");
    drop(go);
    python.wait().expect("ended");
}

#[test]
fn red_team_m2_what_cannot_be_read_cannot_be_trusted() {
    let cx = TestContext::new();
    let program = cx.path("project/guard");
    fs::copy("/bin/true", &program).expect("copied");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o111)).expect("made unreadable");
    if fs::read(&program).is_ok() {
        return eprintln!("SKIPPED: root reads everything");
    }
    cx.write("project/.cursor/hooks.json", entry("./guard", ""));
    let said = cx.run(["trust", "--yes"]);
    assert!(said.contains("cannot be read, so it cannot be trusted"), "{said}");
    assert!(cx.run(["trust", "--status"]).starts_with("exit code: 1"));
}

/// A hook whose script changed is withheld; another one of the same file goes on.
#[test]
fn red_team_h6_only_the_files_of_hooks_that_run_are_looked_at() {
    let cx = TestContext::new();
    cx.script(&format!("project/{GUARD}"), DENY);
    cx.script("project/other.sh", ALLOW);
    let two = format!(
        r#"{{"command": "{GUARD}", "failClosed": true}}, {{"command": "./other.sh", "matcher": "^ls"}}"#
    );
    cx.write("project/.cursor/hooks.json", hooks(&two));
    cx.trust();
    cx.script("project/other.sh", DENY);
    let said = assert_refuses(&cx, "its own script is what was trusted");
    assert!(!said.contains("trust"), "{said}");
    let output = cx.output_with(["run", "beforeShellExecution"], br#"{"command": "ls"}"#);
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 hook is withheld"), "{output:?}");
    assert!(cx.run(["trust", "--status"]).contains("changed since it was trusted"));
}

#[test]
fn red_team_h3_a_trusted_name_that_leads_elsewhere_refuses() {
    type Attack = fn(&TestContext) -> &'static str;
    // Each returns the folder that the agent works in afterwards.
    let attacks: [(&str, Attack); 5] = [
        ("moved, and its name given to a link", |cx| {
            fs::rename(cx.path("project"), cx.path("p2")).expect("moved");
            std::os::unix::fs::symlink("p2", cx.path("project")).expect("linked");
            "project"
        }),
        ("the same, and the new name is used", |cx| {
            fs::rename(cx.path("project"), cx.path("p2")).expect("moved");
            std::os::unix::fs::symlink("p2", cx.path("project")).expect("linked");
            "p2"
        }),
        ("moved alone", |cx| {
            fs::rename(cx.path("project"), cx.path("p2")).expect("moved");
            "p2"
        }),
        ("copied, and its name given to a link", |cx| {
            let copied = Command::new("cp").arg("-r").args([cx.path("project"), cx.path("p2")]).status();
            assert!(copied.expect("cp").success());
            fs::remove_dir_all(cx.path("project")).expect("removed");
            std::os::unix::fs::symlink("p2", cx.path("project")).expect("linked");
            "p2"
        }),
        ("moved, and its hooks removed", |cx| {
            fs::rename(cx.path("project"), cx.path("p2")).expect("moved");
            fs::remove_dir_all(cx.path("p2/.cursor")).expect("removed");
            std::os::unix::fs::symlink("p2", cx.path("project")).expect("linked");
            "project"
        }),
    ];
    for (case, attack) in attacks {
        let cx = guarded(GUARD, ALLOW);
        assert!(!refuses(&cx).0, "{case}: it is trusted");
        let root = cx.path(attack(&cx));
        for given in [true, false] {
            let mut command = cx.command(["run", "beforeShellExecution"]);
            let mut payload: serde_json::Value = serde_json::from_str(PAYLOAD).expect("a payload");
            if given {
                command.current_dir("/");
                payload["workspace_roots"] = serde_json::json!([root]);
            } else {
                command.current_dir(&root);
            }
            let output = context::pipe(command, payload.to_string().as_bytes());
            assert_eq!(output.status.code(), Some(2), "{case}, as a root: {given}: {output:?}");
        }
    }
}

#[test]
fn a_record_of_trust_that_vanished_counts_as_changed_until_it_is_revoked() {
    let cx = guarded(GUARD, ALLOW);
    assert!(!refuses(&cx).0, "it is trusted");
    fs::remove_dir_all(cx.path("home/.local/state/boathook")).expect("removed");
    let said = assert_refuses(&cx, "the record vanished");
    assert!(said.contains("changed since it was trusted"), "{said}");
    let status = cx.run(["trust", "--status"]);
    assert!(status.contains("it was trusted, and its record vanished from"), "{status}");
    let doctor = cx.run(["doctor"]);
    assert!(doctor.contains("its record vanished from"), "{doctor}");
    cx.write("project/.cursor/hooks.json", hooks(r#"{"command": "true"}"#));
    assert_refuses(&cx, "the record vanished, and the entry too");
    fs::remove_file(cx.path("project/.cursor/hooks.json")).expect("removed");
    assert_refuses(&cx, "the record vanished, and the file too");
    assert!(cx.run(["trust", "--revoke"]).contains("is no longer trusted"));
    assert!(!refuses(&cx).0, "nothing was ever trusted");
    let second = cx.path("home/.config/boathook/trust");
    let left = fs::read_dir(second).expect("listed").map(|entry| entry.expect("an entry").file_name());
    let records = left.filter(|name| name.len() == 64).count();
    assert_eq!(records, 0, "the second record is gone as well");
}

/// `failClosed` may stand in a file that nobody could ever read: `run` refuses as an agent's call does.
#[test]
fn red_team_l9_a_file_that_was_never_read_refuses_every_gate_in_run_and_in_front_of_agents() {
    for file in ["home/.cursor/hooks.json", "system/etc/cursor/hooks.json"] {
        let cx = TestContext::new();
        cx.write(
            file,
            r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "exit 2", "failClosed": tr"#,
        );
        cx.write(
            "project/.cursor/hooks.json",
            hooks(r#"{"command": "touch ran; echo '{\"permission\":\"allow\"}'"}"#),
        );
        cx.trust();
        let said = assert_refuses(&cx, file);
        assert!(said.contains("nobody can tell what its hooks would refuse"), "{said}");
        assert!(cx.path("project/ran").exists(), "{file}: another source runs all the same");
        let prompt = cx.output_with(["run", "beforeSubmitPrompt"], br#"{"prompt": "hello"}"#);
        assert_eq!(prompt.status.code(), Some(2), "{file}: {prompt:?}");
        let payload = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
            "session_id": "s", "cwd": "/", "transcript_path": "/t"}"#;
        let agent = cx.output_with(["agent", "hook", "claude"], payload.as_bytes());
        assert!(String::from_utf8_lossy(&agent.stdout).contains("\"deny\""), "{file}: {agent:?}");
        let stop = cx.output_with(["run", "stop"], br#"{"status": "completed"}"#);
        assert_eq!(stop.status.code(), Some(0), "{file}: nothing can be refused there");
    }
    // A repository must not be able to block: its file needs trust, and was never trusted.
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks.json", "{ no json");
    assert!(!refuses(&cx).0);
}

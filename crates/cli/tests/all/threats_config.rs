//! Adversarial cases C01-C24: configuration and trust. Each test is named by
//! its case; docs/manual/threat-cases.md lists them, and where the law says
//! something else than the case, the reason.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::context::{TestContext, one_hook, read};

const SHELL: [&str; 4] = ["run", "beforeShellExecution", "--field", "command=ls"];
const DENY: &str = r#"echo '{"permission":"deny","user_message":"no"}'"#;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn refused(cx: &TestContext) -> bool {
    cx.output(SHELL).status.code() == Some(2)
}

/// Whether the guard itself denied; a file that cannot be read denies as well.
fn denied_by_the_guard(cx: &TestContext) -> bool {
    let output = cx.output(SHELL);
    refused(cx) && !String::from_utf8_lossy(&output.stderr).contains("cannot be read")
}

/// A hooks.json with one guard that refuses everything.
fn guard(fail_closed: bool) -> String {
    json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": DENY, "failClosed": fail_closed }] } }).to_string()
}

/// Replaces the user's hooks.json by something that is no file, after it was good once.
fn replaced_by(make: impl Fn(&std::path::Path)) -> (TestContext, Output, Duration) {
    let cx = TestContext::new();
    let file = cx.write("home/.cursor/hooks.json", guard(false));
    assert!(refused(&cx));
    fs::remove_file(&file).expect("the file");
    make(&file);
    let start = Instant::now();
    let output = cx.output(SHELL);
    (cx, output, start.elapsed())
}

#[test]
fn c01_a_fifo_does_not_block_and_the_last_good_copy_stays() {
    let (_cx, output, took) = replaced_by(|file| {
        assert!(Command::new("mkfifo").arg(file).status().expect("mkfifo").success());
    });
    assert!(took < Duration::from_secs(30), "{took:?}");
    assert_eq!(output.status.code(), Some(2), "the last good copy is in force");
    assert!(stderr(&output).contains("regular file"), "{}", stderr(&output));
}

#[test]
fn c02_a_device_or_a_directory_is_no_configuration() {
    for make in [
        (|file: &std::path::Path| symlink("/dev/zero", file).expect("a link")) as fn(&std::path::Path),
        |file| fs::create_dir(file).expect("a directory"),
    ] {
        let (_cx, output, took) = replaced_by(make);
        assert!(took < Duration::from_secs(30), "{took:?}");
        assert_eq!(output.status.code(), Some(2), "the last good copy is in force");
        assert!(stderr(&output).contains("regular file"), "{}", stderr(&output));
    }
}

/// The law accepts a link and pins the content; the case wanted it refused.
#[test]
fn c03_a_linked_configuration_is_pinned_by_content() {
    let cx = TestContext::new();
    let elsewhere = cx.write("elsewhere/hooks.json", guard(false));
    fs::create_dir(cx.path("project/.cursor")).expect("a directory");
    symlink(&elsewhere, cx.path("project/.cursor/hooks.json")).expect("a link");
    assert!(!refused(&cx), "not trusted yet");
    cx.trust();
    assert!(refused(&cx));
    fs::write(&elsewhere, guard(false) + " ").expect("the file");
    assert!(stderr(&cx.output(SHELL)).contains("withheld"), "its content changed");
}

/// What is trusted is what was parsed: while another process swaps the file
/// between a trusted and a hostile text, only the trusted one ever runs.
#[test]
fn c04_a_swap_between_check_and_use_never_runs_the_other_file() {
    let cx = TestContext::new();
    let good = one_hook("stop", &format!("touch {}", cx.path("good").display()));
    let bad = one_hook("stop", &format!("touch {}", cx.path("bad").display()));
    let file = cx.write("project/.cursor/hooks.json", &good);
    cx.trust();
    let (stop, target) = (std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false)), file.clone());
    let flag = stop.clone();
    let swapper = std::thread::spawn(move || {
        let mut swaps = 0;
        while !flag.load(std::sync::atomic::Ordering::Relaxed) {
            for text in [&bad, &good] {
                let fresh = target.with_extension("fresh");
                fs::write(&fresh, text).expect("a file");
                fs::rename(&fresh, &target).expect("a rename");
                swaps += 1;
            }
        }
        swaps
    });
    for _ in 0..150 {
        cx.output(["run", "stop"]);
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(swapper.join().expect("the swapper ends") > 100);
    assert!(cx.path("good").exists(), "the trusted one ran now and then");
    assert!(!cx.path("bad").exists(), "the other one never did");
}

#[test]
fn c05_a_half_written_file_leaves_the_last_good_copy_in_force() {
    let cx = TestContext::new();
    let text = guard(false);
    cx.write("home/.cursor/hooks.json", &text);
    assert!(refused(&cx));
    for length in [0, 1, text.len() / 2, text.len() - 1] {
        cx.write("home/.cursor/hooks.json", &text[..length]);
        let output = cx.output(SHELL);
        assert_eq!(output.status.code(), Some(2), "{length} bytes: {}", stderr(&output));
        assert!(stderr(&output).contains("last good copy"), "{length} bytes: {}", stderr(&output));
    }
}

/// The law withholds changed project hooks; the old ones do not run on.
#[test]
fn c06_new_content_is_held_until_somebody_trusts_it() {
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks.json", guard(true));
    cx.trust();
    let fresh = cx.write("project/.cursor/fresh", one_hook("beforeShellExecution", "touch \"$HOME/owned\""));
    fs::rename(fresh, cx.path("project/.cursor/hooks.json")).expect("a rename");
    let output = cx.output(SHELL);
    assert!(!cx.path("home/owned").exists());
    assert_eq!(output.status.code(), Some(2), "the trusted guard was failClosed, so its gate stays shut");
}

#[test]
fn c07_a_large_file_is_refused_at_the_limit() {
    for size in [1024 * 1024 + 1, 2 * 1024 * 1024 * 1024] {
        let cx = TestContext::new();
        let file = cx.write("home/.cursor/hooks.json", "{}");
        fs::File::options().write(true).open(file).expect("the file").set_len(size).expect("a sparse file");
        let output = cx.output(SHELL);
        assert!(stderr(&output).contains("none of its hooks run"), "{}", stderr(&output));
    }
}

#[test]
fn c08_deep_nesting_is_refused_with_its_place() {
    for depth in [129, 100_000] {
        let cx = TestContext::new();
        cx.write(
            "home/.cursor/hooks.json",
            format!("{{\"version\":1,\"hooks\":{}{}}}", "[".repeat(depth), "]".repeat(depth)),
        );
        let seen = cx.run(["check"]);
        assert!(seen.starts_with("exit code: 1"), "{seen}");
        assert!(seen.contains("hooks.json:1:"), "{seen}");
    }
}

/// The law: a warning, and the last one wins.
#[test]
fn c09_duplicate_keys_are_named_and_the_last_wins() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        format!(r#"{{"version":1,"version":1,"hooks":{{"beforeShellExecution":[],"beforeShellExecution":[{{"command":"true","command":{}}}]}}}}"#, json!(DENY)),
    );
    assert!(refused(&cx));
    let seen = cx.run(["check"]);
    for key in ["`version`", "`beforeShellExecution`", "`command`"] {
        assert!(seen.contains(key), "{key}: {seen}");
    }
}

#[test]
fn c10_odd_bytes_are_accepted_or_precisely_refused() {
    let text = guard(false);
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let cases: Vec<(&str, Vec<u8>, bool)> = vec![
        ("a byte order mark", format!("\u{feff}{text}").into_bytes(), true),
        ("CRLF", text.replace("\"version\":1,", "\"version\":1,\r\n").into_bytes(), true),
        ("a comment", format!("// guard\n{text}").into_bytes(), true),
        ("a trailing comma", text.replace("}]}}", "},]}}").into_bytes(), true),
        ("UTF-16", utf16, false),
        ("a NUL", format!("{text}\0").into_bytes(), false),
        ("a lone surrogate", text.replace("no", "\\ud800").into_bytes(), false),
        ("bytes that are no UTF-8", [text.as_bytes(), b"\xff"].concat(), false),
    ];
    for (name, bytes, accepted) in cases {
        let cx = TestContext::new();
        cx.write("home/.cursor/hooks.json", bytes);
        assert!(refused(&cx), "{name}: {}", cx.run(["check"]));
        assert_eq!(denied_by_the_guard(&cx), accepted, "{name}: {}", cx.run(["check"]));
        assert_eq!(cx.run(["check"]).starts_with("exit code: 1"), !accepted, "{name}");
    }
}

/// The law: any positive integer, with a warning above 1.
#[test]
fn c11_versions() {
    for (version, runs) in [
        ("0", false),
        ("-1", false),
        ("1.5", false),
        ("\"1\"", true),
        ("2", true),
        ("1e400", false),
        ("1", true),
    ] {
        let cx = TestContext::new();
        cx.write(
            "home/.cursor/hooks.json",
            guard(false).replace("\"version\":1", &format!("\"version\":{version}")),
        );
        assert!(refused(&cx), "{version}: {}", cx.run(["check"]));
        assert_eq!(denied_by_the_guard(&cx), runs, "{version}: {}", cx.run(["check"]));
        let silent = cx.output(["check", "--strict"]).status.success();
        assert_eq!(silent, version == "1", "{version}");
    }
}

#[test]
fn c12_wrong_names_and_values_are_typed_errors() {
    let cases = [
        (r#"{"beforeShell":[]}"#, "unknown hook `beforeShell`"),
        (r#"{"stop":[{"command":5}]}"#, "`command`"),
        (r#"{"stop":[{"command":""}]}"#, "`command`"),
        (r#"{"stop":[{"command":"x","timeout":0}]}"#, "`timeout` is 0"),
        (r#"{"stop":[{"command":"x","timeout":-1}]}"#, "`timeout` is -1"),
        (r#"{"stop":[{"command":"x","timeout":1e18}]}"#, "`timeout`"),
        (r#"{"stop":[{"command":"x","timeout":"5"}]}"#, "`timeout`"),
        (r#"{"stop":[{"command":"x","timeout":5000}]}"#, "read as milliseconds"),
    ];
    for (hooks, expected) in cases {
        let cx = TestContext::new();
        cx.write("home/.cursor/hooks.json", format!(r#"{{"version":1,"hooks":{hooks}}}"#));
        let seen = cx.run(["check"]);
        assert!(seen.contains(expected), "{hooks}: {seen}");
    }
}

#[test]
fn c13_a_file_that_others_can_write_is_refused_with_a_hint() {
    let cx = TestContext::new();
    let file = cx.write("home/.cursor/hooks.json", guard(false));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("permissions");
    // The guard does not run; that its file cannot be believed refuses.
    let output = cx.output(SHELL);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("writable by everybody"), "{}", stderr(&output));
    let seen = cx.run(["check"]);
    assert!(seen.contains("chmod"), "{seen}");
}

#[test]
fn c14_a_project_file_cannot_set_what_is_not_its_own() {
    let cx = TestContext::new();
    cx.write(
        "project/.cursor/hooks.json",
        json!({ "version": 1, "trust": true, "endpoint": "http://x", "log": "/tmp/x", "managedOnly": false,
            "hooks": { "stop": [{ "command": "touch \"$HOME/owned\"", "trusted": true }] } })
        .to_string(),
    );
    cx.output(["run", "stop"]);
    assert!(!cx.path("home/owned").exists());
    let seen = cx.run(["check"]);
    for key in ["trust", "endpoint", "log", "managedOnly"] {
        assert!(seen.contains(&format!("`{key}`")), "{key}: {seen}");
    }
}

#[test]
fn c15_any_change_of_a_script_withdraws_trust() {
    let changes: [(&str, fn(&std::path::Path)); 3] = [
        ("one byte", |script| fs::write(script, read(script) + " ").expect("the script")),
        ("only the mode", |script| {
            fs::set_permissions(script, fs::Permissions::from_mode(0o644)).expect("permissions")
        }),
        ("a link to the same text", |script| {
            let copy = script.with_extension("copy");
            fs::rename(script, &copy).expect("a rename");
            symlink(&copy, script).expect("a link");
        }),
    ];
    for (name, change) in changes {
        let cx = TestContext::new();
        let script =
            cx.script("project/.cursor/hooks/a.sh", "#!/bin/sh\necho '{\"permission\":\"allow\"}'\n");
        let config = json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": ".cursor/hooks/a.sh", "failClosed": true }] } });
        cx.write("project/.cursor/hooks.json", config.to_string());
        cx.trust();
        assert!(!refused(&cx), "{name}");
        change(&script);
        let output = cx.output(SHELL);
        assert_eq!(output.status.code(), Some(2), "{name}: a withheld failClosed gate refuses");
        assert!(stderr(&output).contains("changed since it was trusted"), "{name}: {}", stderr(&output));
    }
}

#[test]
fn c16_a_hostile_matcher_takes_linear_time() {
    let cx = TestContext::new();
    let config = json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": DENY, "matcher": "(a+)+$" }] } });
    cx.write("home/.cursor/hooks.json", config.to_string());
    let payload = json!({ "command": format!("{}!", "a".repeat(1024 * 1024)) }).to_string();
    let start = Instant::now();
    let output = cx.output_with(["run", "beforeShellExecution"], payload.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "not exponential, even unoptimised: {:?}",
        start.elapsed()
    );
}

#[test]
fn c17_look_ahead_is_supported_and_its_limit_counts_as_a_match() {
    for (matcher, command, matches) in [
        ("push(?! --dry-run)", "git push", true),
        ("push(?! --dry-run)", "git push --dry-run", false),
        (r"(\w)\1", "aa", true),
        (r"^(?=(a+)+$)b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", true),
    ] {
        let cx = TestContext::new();
        let config = json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": DENY, "matcher": matcher }] } });
        cx.write("home/.cursor/hooks.json", config.to_string());
        let output = cx.output(["run", "beforeShellExecution", "--field", &format!("command={command}")]);
        assert_eq!(output.status.code() == Some(2), matches, "{matcher} on {command}");
    }
}

#[test]
fn c18_a_matcher_that_does_not_compile_is_never_skipped_in_silence() {
    for fail_closed in [false, true] {
        let cx = TestContext::new();
        let hook = json!({ "command": DENY, "matcher": "(", "failClosed": fail_closed });
        cx.write(
            "home/.cursor/hooks.json",
            json!({ "version": 1, "hooks": { "beforeShellExecution": [hook] } }).to_string(),
        );
        let output = cx.output(SHELL);
        assert_eq!(output.status.code(), Some(if fail_closed { 2 } else { 0 }));
        assert!(stderr(&output).contains("does not compile"), "{}", stderr(&output));
        assert!(cx.run(["check"]).starts_with("exit code: 1"));
    }
}

#[test]
fn c19_only_workspace_roots_count() {
    let cx = TestContext::new();
    cx.write("project/.git/HEAD", "ref: refs/heads/main\n");
    for place in ["project/sub/.cursor/hooks.json", "project/vendor/module/.cursor/hooks.json"] {
        cx.write(place, one_hook("beforeShellExecution", "touch \"$HOME/owned\""));
    }
    cx.trust();
    cx.output(SHELL);
    assert!(!cx.path("home/owned").exists());
}

#[test]
fn c20_the_hooks_of_an_untrusted_root_never_run() {
    let cx = TestContext::new();
    for root in ["one", "two"] {
        cx.write(
            &format!("{root}/.cursor/hooks.json"),
            one_hook("beforeShellExecution", &format!("touch \"$HOME/{root}\"")),
        );
    }
    let (one, two) = (cx.path("one"), cx.path("two"));
    let trust = cx.command(["--workspace"]).arg(&one).args(["trust", "--yes"]).output().expect("trust");
    assert!(trust.status.success());
    let run =
        cx.command(["--workspace"]).arg(&one).arg("--workspace").arg(&two).args(SHELL).output().expect("run");
    assert!(stderr(&run).contains("withheld"));
    assert!(cx.path("home/one").exists() && !cx.path("home/two").exists());
}

/// The engine never runs git at all; `untrusted.rs` counts processes.
#[test]
fn c21_a_hostile_git_configuration_starts_nothing() {
    let cx = TestContext::new();
    cx.write("project/.git/config", "[core]\n\tfsmonitor = touch owned\n[alias]\n\tst = !touch owned\n");
    cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", "true"));
    cx.trust();
    for args in [&SHELL[..], &["list"], &["check"], &["trust", "--status"]] {
        cx.output(args);
    }
    assert!(!cx.path("project/owned").exists());
}

#[test]
fn c22_a_damaged_trust_store_is_no_trust() {
    let damages: [(&str, fn(&std::path::Path)); 3] = [
        ("truncated", |file| fs::write(file, &fs::read(file).expect("a record")[..20]).expect("a record")),
        ("one bit flipped", |file| {
            let mut bytes = fs::read(file).expect("a record");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(file, bytes).expect("a record");
        }),
        ("empty", |file| fs::write(file, "").expect("a record")),
    ];
    for (name, damage) in damages {
        let cx = TestContext::new();
        cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", "touch \"$HOME/owned\""));
        cx.trust();
        let store = cx.path("home/.local/state/boathook/trust");
        let records =
            fs::read_dir(&store).expect("the store").flatten().filter(|entry| entry.path().is_file());
        records.for_each(|entry| damage(&entry.path()));
        let output = cx.output(SHELL);
        assert!(!cx.path("home/owned").exists(), "{name}");
        assert!(stderr(&output).contains("withheld"), "{name}: {}", stderr(&output));
        assert!(cx.run(["trust", "--status"]).starts_with("exit code: 1"), "{name}");
    }
}

#[test]
fn c22_a_store_that_cannot_be_written_trusts_nothing() {
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", "touch \"$HOME/owned\""));
    cx.write("home/.local/state/boathook", "a file where the directory should be");
    let output = cx.output(["trust", "--yes"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("trust store"), "{}", stderr(&output));
    cx.output(SHELL);
    assert!(!cx.path("home/owned").exists());
}

#[test]
fn c23_every_spelling_of_a_protected_name_is_recognised() {
    use boathook_engine::protected::is_protected;
    use boathook_engine::{Os, Roots};
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks.json", "{}");
    fs::hard_link(cx.path("project/.cursor/hooks.json"), cx.path("project/innocent.json"))
        .expect("a hard link");
    let roots =
        Roots::new(Os::current(), cx.path("home"), cx.path("home/.local/state/boathook"), [cx.project()]);
    let project = cx.project();
    let names = [
        ".cursor/hooks.json",
        ".CURSOR/hooks.json",
        ".cursor./hooks.json",
        ".cur\u{200d}sor/hooks.json",
        "sub/../.cursor/hooks.json",
        "innocent.json",
    ];
    for name in names {
        assert!(is_protected(&project.join(name), &roots).is_some(), "{name}");
    }
    let alias =
        std::path::PathBuf::from(format!("/proc/self/root{}", project.join(".cursor/hooks.json").display()));
    assert!(is_protected(&alias, &roots).is_some(), "/proc/self/root");
    for name in ["src/main.rs", ".cursorrules", "hooks.json"] {
        assert!(is_protected(&project.join(name), &roots).is_none(), "{name}");
    }
}

#[test]
fn c24_a_configuration_that_appears_is_untrusted() {
    let cx = TestContext::new();
    cx.write("project/.git/HEAD", "ref: refs/heads/main\n");
    cx.trust();
    cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", "touch \"$HOME/owned\""));
    cx.output(SHELL);
    assert!(!cx.path("home/owned").exists());
    cx.trust();
    fs::rename(cx.path("project/.cursor"), cx.path("project/old")).expect("a rename");
    cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", "touch \"$HOME/owned2\""));
    cx.output(SHELL);
    assert!(!cx.path("home/owned2").exists(), "a directory in its place is another content");
}

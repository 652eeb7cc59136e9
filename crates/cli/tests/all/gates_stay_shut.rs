//! Nothing a user's files, a full disk or an odd caller does opens a gate.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::context::{self, TestContext, one_hook};

const SHELL: [&str; 4] = ["run", "beforeShellExecution", "--field", "command=ls"];

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn managed_guard() -> TestContext {
    let cx = TestContext::new();
    cx.write("system/etc/cursor/hooks.json", one_hook("beforeShellExecution", "exit 2"));
    cx
}

#[test]
fn a_broken_config_toml_is_said_and_stops_nothing() {
    let broken: [(&str, fn(&std::path::Path)); 5] = [
        ("not TOML", |file| fs::write(file, "x").expect("a file")),
        ("an unknown edition", |file| fs::write(file, "edition = \"9\"").expect("a file")),
        ("a directory", |file| fs::create_dir(file).expect("a directory")),
        ("a FIFO", |file| assert!(Command::new("mkfifo").arg(file).status().expect("mkfifo").success())),
        ("a device", |file| std::os::unix::fs::symlink("/dev/zero", file).expect("a link")),
    ];
    for (name, make) in broken {
        let cx = managed_guard();
        fs::create_dir_all(cx.path("home/.config/boathook")).expect("directories");
        make(&cx.path("home/.config/boathook/config.toml"));
        let output = cx.output(SHELL);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains("config.toml"), "{name}: {}", stderr(&output));
    }
}

fn logged(cx: &TestContext) -> String {
    String::from_utf8(cx.output(["log", "--json"]).stdout).expect("UTF-8")
}

#[test]
fn a_slip_in_config_toml_puts_no_payload_into_the_log() {
    let cases = [
        ("[log]\npayload = \"none\"\n[juge]\nx = 1\n", "`juge` is not known"),
        ("[log]\npayload = \"none\"\nsize = 5\n", "`size` in [log] is not known"),
        ("[log]\npayload = \"nonne\"\n", "log.payload cannot be \"nonne\"; write \"full\""),
        ("[log]\npayload = false\n", "log.payload cannot be false"),
        ("[log]\npayloda = \"none\"\n", "`payloda` in [log] is not known"),
        ("[lgo]\npayload = \"none\"\n", "`lgo` is not known"),
        ("log = \"none\"\n", "write a table [log]"),
        ("loop_ceiling = \"x\"\nlog.payload = \"none\"\n", "loop_ceiling cannot be \"x\""),
        ("[log]\npayload = \"none\"\n[judge\n", "the log keeps no payload"),
    ];
    for (text, said) in cases {
        let cx = managed_guard();
        cx.write("home/.config/boathook/config.toml", text);
        let output = cx.output(["run", "beforeShellExecution", "--field", "command=hunter2"]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(stderr(&output).contains(said), "{text}: {}", stderr(&output));
        let log = logged(&cx);
        assert!(!log.is_empty() && !log.contains("hunter2"), "{text}: {log}");
    }
    let cx = managed_guard();
    cx.write("home/.config/boathook/config.toml", "[logs]\nx = 1\n[log]\n");
    cx.output(["run", "beforeShellExecution", "--field", "command=hunter2"]);
    let log = logged(&cx);
    assert!(log.contains("hunter2"), "a wish that nobody has: {log}");
}

#[test]
fn neither_a_home_nor_a_directory_is_needed() {
    let cx = managed_guard();
    let output = cx.command(SHELL).env("HOME", "relative").stdin(Stdio::null()).output().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "a relative home: {}", stderr(&output));
    let script = format!(
        "mkdir gone && cd gone && rmdir ../gone && exec {} --root {} run beforeShellExecution --field command=ls",
        env!("CARGO_BIN_EXE_boathook"),
        cx.path("system").display()
    );
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).current_dir(cx.path("")).env("HOME", cx.path("home"));
    let output = context::pipe(command, b"");
    assert_eq!(output.status.code(), Some(2), "a directory that is gone: {}", stderr(&output));
}

#[test]
fn a_variable_cannot_open_a_managed_gate() {
    let cx = managed_guard();
    for (name, value) in
        [("BOATHOOK_DEPTH", "9"), ("BOATHOOK_CALLED_FROM", "/etc/cursor/hooks.json"), ("BOATHOOK_RUN", "x")]
    {
        let output = cx.command(SHELL).env(name, value).stdin(Stdio::null()).output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
    }
}

#[test]
fn a_lock_that_a_hook_holds_does_not_hold_the_exit_code() {
    let cx = managed_guard();
    cx.output(["run", "stop"]);
    let lock = fs::File::open(cx.path("home/.local/state/boathook/log/lock")).expect("the lock");
    lock.lock().expect("it is free");
    let start = Instant::now();
    let output = cx.output(SHELL);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the log was not written"), "{}", stderr(&output));
}

#[test]
fn an_answer_that_nobody_got_is_a_refusal() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("beforeReadFile", r#"echo '{"new_content":"redacted"}'"#));
    let full = || fs::File::options().write(true).open("/dev/full").expect("a full device");
    let run = |args: &[&str]| cx.command(args).stdin(Stdio::null()).stdout(full()).output().expect("it ends");
    let output = run(&["run", "beforeReadFile", "--field", "file_path=/x", "--field", "content=secret"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(run(&["schema"]).status.code(), Some(1), "data that is lost is a failure");
}

#[test]
fn a_follow_up_that_cannot_be_counted_is_not_sent() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", r#"echo '{"followup_message":"go"}'"#));
    cx.write("home/.local/state/boathook", "a file where the directory should be");
    let output = cx.output_with(["run", "stop"], br#"{"conversation_id":"c"}"#);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{}\n", "{}", stderr(&output));
    let output = cx.output_with(["run", "stop"], br#"{"conversation_id":"c","loop_count":1}"#);
    assert!(String::from_utf8_lossy(&output.stdout).contains("go"), "the host counts by itself");
}

#[test]
fn a_workspace_that_does_not_exist_is_named() {
    let cx = TestContext::new();
    let output = cx.output_with(["run", "stop"], br#"{"workspace_roots":["/no/such/place"]}"#);
    assert!(stderr(&output).contains("/no/such/place does not exist"), "{}", stderr(&output));
}

#[test]
fn a_failure_names_what_the_hook_said() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "./no-such-script.sh"));
    let output = cx.output(SHELL);
    assert!(stderr(&output).contains("exited with code 127 (stderr: "), "{}", stderr(&output));
}

#[test]
fn repairs_never_change_what_a_command_means() {
    for command in [
        "echo \\${command}",
        "cat <<EOF\n${command}\nEOF",
        "envsubst '${command}'",
        "case ${command} in a) ;; esac",
    ] {
        let cx = TestContext::new();
        let text = json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": command }] } })
            .to_string();
        let file = cx.write("home/.cursor/hooks.json", &text);
        cx.output(["check", "--fix"]);
        assert_eq!(context::read(&file), text, "{command}");
    }
}

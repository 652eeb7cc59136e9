//! What Boathook prints and keeps of text that others wrote. Each test is named by the id of its
//! red team finding.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::process::Output;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::context::{self, TestContext, one_hook};

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A user hook that always fails.
fn failing_hook() -> TestContext {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "exit 9"));
    cx
}

/// Payloads are valid JSON text, and none of them fits into a `serde_json::Value`.
#[test]
fn red_team_m9_doctor_prints_logged_failures_of_any_payload() {
    let deep = format!("{{\"command\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    for payload in [r#"{"command":"\ud800"}"#, r#"{"command":"ls","n":1e999}"#, &deep] {
        let cx = failing_hook();
        let run = cx.output_with(["run", "beforeShellExecution"], payload.as_bytes());
        assert_eq!(run.status.code(), Some(0), "{payload:.40}: {}", stderr(&run));
        let output = cx.output(["doctor", "--json"]);
        assert!(!stderr(&output).contains("panicked"), "{payload:.40}: {}", stderr(&output));
        let shown = stdout(&output);
        assert!(shown.contains(r#""failures":[{"#), "{payload:.40}: {shown}");
        assert!(shown.contains(&payload[1..payload.len() - 1]), "{payload:.40}: {shown}");
    }
}

#[test]
fn red_team_m9_paths_that_are_not_utf8_are_printed() {
    let cx = TestContext::new();
    let workspace = cx.path("").join(OsString::from_vec(b"w\xff".to_vec()));
    fs::create_dir_all(workspace.join(".cursor")).expect("a folder");
    let hook = json!({ "version": 1, "hooks": { "stop": [{ "command": "./x", "colour": 1 }] } });
    fs::write(workspace.join(".cursor/hooks.json"), hook.to_string()).expect("a file");
    for verb in [&["list"][..], &["check"], &["doctor"], &["explain", "stop"], &["agent", "status"]] {
        let mut command = cx.command(verb.iter().chain(&["--json"]));
        command.current_dir(&workspace);
        let output = context::pipe(command, b"");
        let page: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{verb:?}: {error}: {}", stderr(&output)));
        assert!(verb == ["agent", "status"] || page.to_string().contains("/w\u{fffd}/"), "{verb:?}: {page}");
    }
}

/// Characters that a terminal acts on or does not show.
const UNSEEN: [char; 12] = [
    '\u{1b}',
    '\u{7}',
    '\u{9b}',
    '\u{ad}',
    '\u{200b}',
    '\u{200d}',
    '\u{2028}',
    '\u{2029}',
    '\u{202e}',
    '\u{2060}',
    '\u{feff}',
    '\u{e0041}',
];

#[test]
fn red_team_l7_characters_that_are_not_seen_are_escaped_in_the_trust_prompt() {
    let cx = TestContext::new();
    let unseen: String = UNSEEN.iter().collect();
    let matcher = format!("a{unseen}b");
    let hook = json!({ "command": format!("./guard.sh # {unseen}"), "matcher": matcher });
    cx.write(
        "project/.cursor/hooks.json",
        json!({ "version": 1, "hooks": { "beforeShellExecution": [hook] } }).to_string(),
    );
    for args in
        [&["trust"][..], &["list"], &["list", "--json"], &["check"], &["explain", "beforeShellExecution"]]
    {
        let output = cx.output(args);
        for text in [stdout(&output), stderr(&output)] {
            let found: Vec<char> = text.chars().filter(|it| UNSEEN.contains(it)).collect();
            assert!(found.is_empty(), "{args:?}: {found:?} in {text}");
        }
    }
    let listed: Value = serde_json::from_slice(&cx.output(["list", "--json"]).stdout).expect("JSON");
    assert_eq!(listed["hooks"][0]["matcher"], matcher, "escapes in JSON change no value");
    let prompt = stdout(&cx.output(["trust"]));
    assert!(prompt.contains(r"\u{200b}") && prompt.contains(r"\u{e0041}"), "{prompt}");
}

#[test]
fn red_team_l7_usage_errors_do_not_echo_control_characters() {
    let cx = TestContext::new();
    assert_snapshot!(cx.run(["--\u{1b}[31m\u{200b}red"]), @r"
    exit code: 1
    ----- stderr -----
    error: unexpected argument '--\u{1b}[31m\u{200b}red' found

    Usage: boathook --root <DIR> <COMMAND>

    For more information, try '--help'.
    ");
    for args in [
        &["log", "--since", "\u{1b}]0;title\u{7}"][..],
        &["agent", "hook", "\u{1b}[2J"],
        &["run", "stop\u{9b}2J\u{e0041}"],
        &["\u{202e}tsurt"],
        &["schema", "\u{2028}error: all is well"],
    ] {
        let output = cx.output(args);
        assert!(!output.status.success(), "{args:?}");
        for text in [stdout(&output), stderr(&output)] {
            let found: Vec<char> = text.chars().filter(|it| UNSEEN.contains(it)).collect();
            assert!(found.is_empty(), "{args:?}: {found:?} in {text:?}");
        }
    }
}

#[test]
fn red_team_l8_a_redacted_log_keeps_no_key_names_of_payloads() {
    for mode in ["redacted", "none"] {
        let cx = TestContext::new();
        let answer = r#"{"permission":"allow","canary_answer":{"canary_inner":1}}"#;
        let guard = format!("printf '%s' '{answer}'");
        cx.write("home/.cursor/hooks.json", one_hook("preToolUse", &guard));
        cx.write("home/.config/boathook/config.toml", format!("[log]\npayload = \"{mode}\"\n"));
        let payload = json!({
            "tool_name": "Shell",
            "tool_input": { "command": "ls", "canary_key": { "canary_nested": 1 }, "model": "canary_value" },
            "status": { "canary_status": "canary_text" },
            "canary_top": [{ "canary_item": true }],
        });
        let run = cx.output_with(["run", "preToolUse"], payload.to_string().as_bytes());
        assert!(run.status.success(), "{}", stderr(&run));
        let log = stdout(&cx.output(["log", "--json"]));
        assert!(log.contains(r#""step":"preToolUse""#), "{log}");
        let log = log.replace(&json!(guard).to_string(), "");
        assert!(!log.contains("canary_"), "{mode}: {log}");
        assert!(mode == "none" || log.contains(r#""tool_input":{"command":"[2 characters]""#), "{log}");
    }
}

#[test]
fn red_team_l10_check_warns_of_every_command_that_evaluates_its_arguments() {
    let cases = [
        (r#"eval ./x "${command}""#, true),
        (r#"ssh host "guard ${command}""#, true),
        (r#"ssh -p 22 host guard "${command}""#, true),
        (r#"sh -c "./x ${command}""#, true),
        (r#"eval './x "${command}"'"#, false),
        (r#"./x "${command}""#, false),
        (r#"ssh host ./guard; ./x "${command}""#, false),
    ];
    for (command, warned) in cases {
        let cx = TestContext::new();
        cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", command));
        let found = stdout(&cx.output(["check", "--json"]));
        assert_eq!(found.contains("placeholder-in-code"), warned, "{command}: {found}");
    }
}

//! The hooks that `boathook init --full` writes: each does what it says.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::context::{self, TestContext};

#[test]
fn the_whole_sample_answers_every_event_it_is_on() {
    let cx = TestContext::new();
    assert!(cx.output(["init", "--full"]).status.success());
    let allow = json!({ "permission": "allow" });
    let cases = [
        ("sessionEnd", json!({ "reason": "completed" }), json!({})),
        ("beforeMCPExecution", json!({ "tool_name": "x", "tool_input": "{}" }), json!({})),
        ("afterShellExecution", json!({ "command": "ls", "output": "x" }), json!({})),
        ("afterMCPExecution", json!({ "tool_name": "x", "result_json": "{}" }), json!({})),
        ("afterFileEdit", json!({ "file_path": "/x", "edits": [] }), json!({})),
        ("beforeSubmitPrompt", json!({ "prompt": "x" }), json!({})),
        ("preCompact", json!({ "trigger": "auto" }), json!({})),
        ("stop", json!({ "status": "completed", "loop_count": 0 }), json!({})),
        ("beforeShellExecution", json!({ "command": "ls" }), allow.clone()),
        ("beforeTabFileRead", json!({ "file_path": "/x/main.rs", "content": "fn main() {}\n" }), allow),
        (
            "beforeTabFileRead",
            json!({ "file_path": "/x/main.rs", "content": "let password = \"hunter2-hunter2\";\n\tlet é = '\\u{1}';" }),
            json!({ "permission": "allow", "new_content": "let password = \"[redacted]\";\n\tlet é = '\\u{1}';" }),
        ),
        ("afterTabFileEdit", json!({ "file_path": "/x/main.zz", "edits": [] }), json!({})),
    ];
    for (event, payload, expected) in cases {
        let output = cx.output_with(["run", event], payload.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((answer, output.status.code()), (expected, Some(0)), "{event} {payload}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{event} {payload}");
    }
    let audited = context::read(&cx.path("home/.local/state/boathook/agent-audit.log"));
    assert_eq!(audited.lines().count(), 9, "{audited}");
    assert!(audited.lines().all(|line| line.starts_with("[20") && line.ends_with('}')), "{audited}");
}

#[test]
fn the_whole_sample_begins_a_session_and_guards_git() {
    let cx = TestContext::new();
    assert!(cx.output(["init", "--full"]).status.success());
    let answer: Value = serde_json::from_slice(&cx.output(["run", "sessionStart"]).stdout).expect("JSON");
    assert!(answer["env"]["SESSION_STARTED"].as_str().is_some_and(|time| time.ends_with('Z')), "{answer}");
    assert!(answer["additional_context"].is_string(), "{answer}");
    let cases = [
        ("git push --force", Some(2), "deny"),
        ("gh pr list", Some(0), "ask"),
        ("cargo test", Some(0), "allow"),
    ];
    for (command, code, permission) in cases {
        let field = format!("command={command}");
        let output = cx.output(["run", "beforeShellExecution", "--field", &field]);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(
            (output.status.code(), answer["permission"].as_str()),
            (code, Some(permission)),
            "{command}"
        );
    }
    let output =
        cx.output(["run", "beforeTabFileRead", "--field", "file_path=/x/.env", "--field", "content=A=b"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn git_and_gh_are_found_where_a_shell_would_run_them() {
    let cx = TestContext::new();
    assert!(cx.output(["init", "--full"]).status.success());
    let cases = [
        ("git", "deny"),
        ("git status", "deny"),
        ("cd x && git pull", "deny"),
        ("/usr/bin/git log", "deny"),
        ("echo $(git rev-parse HEAD)", "deny"),
        ("bash -c 'git push'", "deny"),
        ("x=1\ngit\tstatus", "deny"),
        ("git commit -m \"a \\\"b\\\" 'c' $d `e` \\\\ \u{1} é 😀\"", "deny"),
        ("gh", "ask"),
        ("gh repo clone a/b.git", "ask"),
        ("ls", "allow"),
        ("", "allow"),
        ("cat .gitignore", "allow"),
        ("ls .git", "allow"),
        ("echo legit high five", "allow"),
        ("curl https://github.com/x", "allow"),
    ];
    for (command, permission) in cases {
        // A command that stands deeper in the payload is not the command.
        let payload = json!({ "model": "{\"command\":\"ls\"}", "other": { "command": "ls" }, "command": command, "cwd": "" });
        let answer = answer_of(&cx, "block-git.sh", &payload.to_string(), true);
        assert_eq!(answer["permission"], permission, "{command}");
        if permission != "allow" {
            let told = answer["agent_message"].as_str().unwrap_or_default();
            assert!(told.contains(command), "{command}: {told}");
        }
    }
    for broken in ["", "git status", "{\"command\":\"ls", "{\"command\":\"ls\""] {
        assert_eq!(answer_of(&cx, "block-git.sh", broken, true)["permission"], "ask", "{broken}");
    }
}

#[test]
fn secrets_are_kept_from_tab() {
    let cx = TestContext::new();
    assert!(cx.output(["init", "--full"]).status.success());
    let key = format!("AKIA{}", "ABCDEFGHIJKLMNOP");
    let token = format!("ghp_{}", "a1".repeat(18));
    let cases = [
        (format!("key = {key}\n"), "key = [redacted]\n".to_owned()),
        (format!("a\t\"{token}\"\r\nb"), "a\t\"[redacted]\"\r\nb".to_owned()),
        ("\"apiKey\": \"0123456789\", \\ é 😀".to_owned(), "\"apiKey\": \"[redacted]\", \\ é 😀".to_owned()),
        ("export DB_PASSWORD=hunter2\nX=1".to_owned(), "export DB_PASSWORD=[redacted]\nX=1".to_owned()),
        ("postgres://bob:hunter2@db/x".to_owned(), "postgres://[redacted]@db/x".to_owned()),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest".to_owned(),
            "-----BEGIN RSA PRIVATE KEY-----\n[redacted]\n-----END RSA PRIVATE KEY-----\nrest".to_owned(),
        ),
    ];
    for (content, expected) in cases {
        let payload = json!({ "file_path": "/x/a.py", "content": content }).to_string();
        let redacted = json!({ "permission": "allow", "new_content": expected });
        assert_eq!(answer_of(&cx, "redact-secrets-tab.sh", &payload, true), redacted);
        let refused = json!({ "permission": "deny" });
        assert_eq!(
            answer_of(&cx, "redact-secrets-tab.sh", &payload, false),
            refused,
            "a host that cannot replace"
        );
    }
    let harmless = [
        "",
        "password: string;",
        "task-management-system-for-everybody",
        "token = next_token()",
        "a = [\"b\"]\n",
    ];
    for content in harmless {
        let payload = json!({ "file_path": "/x/a.ts", "content": content }).to_string();
        assert_eq!(
            answer_of(&cx, "redact-secrets-tab.sh", &payload, true),
            json!({ "permission": "allow" }),
            "{content}"
        );
    }
    let files = [
        ("/x/.env", "deny"),
        ("/x/.env.local", "deny"),
        ("/x/.env.example", "allow"),
        ("/x/id_ed25519", "deny"),
        ("/x/id_ed25519.pub", "allow"),
        ("C:\\x\\server.PEM", "deny"),
        ("/x/.aws/credentials", "deny"),
        ("/x/env.rs", "allow"),
    ];
    for (file, permission) in files {
        let payload = json!({ "content": "x", "file_path": file }).to_string();
        assert_eq!(
            answer_of(&cx, "redact-secrets-tab.sh", &payload, true)["permission"],
            permission,
            "{file}"
        );
    }
}

#[test]
fn a_formatter_is_used_when_it_is_there() {
    let cx = TestContext::new();
    assert!(cx.output(["init", "--full"]).status.success());
    let file = cx.write("project/ä \"b\" $c.go", "package  x\n");
    cx.script("bin/gofmt", "#!/bin/sh\necho noise\necho formatted >\"$2\"\n");
    let payload = json!({ "file_path": file, "edits": [] }).to_string();
    let mut command = Command::new(cx.path("home/.cursor/hooks/format-tab.sh"));
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", cx.path("bin").display()));
    assert_eq!(answer(command, &payload), json!({}));
    assert_eq!(context::read(&file), "formatted\n");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_refusal_is_valid_json_whatever_the_command(rest in "(?s)\\PC{0,20}[\"\\\\\n\t\u{0}-\u{1f}{}:,\u{e9}\u{1f600}$`']{0,20}.{0,20}") {
        let cx = TestContext::new();
        assert!(cx.output(["init", "--full"]).status.success());
        let command = format!("git {rest}");
        let answer = answer_of(&cx, "block-git.sh", &json!({ "command": command }).to_string(), true);
        prop_assert_eq!(&answer["permission"], "deny");
        let told = answer["agent_message"].as_str().unwrap_or_default().to_owned();
        prop_assert!(told.contains(&command.replace('\0', "\u{fffd}")), "{:?} in {:?}", command, told);
    }
}

/// What a script of the sample answers, run by Boathook or by another host.
fn answer_of(cx: &TestContext, script: &str, payload: &str, by_boathook: bool) -> Value {
    let mut command = Command::new(cx.path("home/.cursor/hooks").join(script));
    if by_boathook {
        command.env("BOATHOOK_DEPTH", "1");
    } else {
        command.env_remove("BOATHOOK_DEPTH");
    }
    answer(command, payload)
}

fn answer(mut command: Command, payload: &str) -> Value {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(payload.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {payload:?} was answered {:?}", String::from_utf8_lossy(&output.stdout))
    })
}

//! What a repository, a session or a payload puts into the environment neither
//! changes what enterprise hooks find nor opens a gate.

mod context;

use context::{TestContext, one_hook, read};
use serde_json::json;

const GATE: [&str; 2] = ["run", "beforeShellExecution"];

#[test]
fn red_team_c3_inherited_variables_never_reach_an_enterprise_hook() {
    let cx = TestContext::new();
    cx.write("system/etc/cursor/hooks.json", one_hook("stop", r#"/usr/bin/env > "$HOME/seen""#));
    let mut command = cx.command(["run", "stop"]);
    let names =
        ["CURL_HOME", "http_proxy", "ALL_PROXY", "SSL_CERT_FILE", "XDG_DATA_HOME", "MAKEFILES", "KUBECONFIG"];
    for name in names {
        command.env(name, "/evil");
    }
    command.env("PATH", "/evil/bin:/usr/bin:/bin");
    context::pipe(command, b"");
    let seen = read(&cx.path("home/seen"));
    assert!(seen.contains("PATH=") && seen.contains("HOME="), "{seen}");
    assert!(!seen.contains("evil"), "{seen}");
}

#[test]
fn red_team_c3_an_enterprise_file_sets_and_lists_variables() {
    let cx = TestContext::new();
    let hooks = json!({
        "version": 1,
        "environment": { "set": { "POLICY": "https://policy" }, "inherit": ["CORPORATE"] },
        "hooks": { "stop": [{ "command": r#"/usr/bin/env > "$HOME/seen""# }] },
    });
    cx.write("system/etc/cursor/hooks.json", hooks.to_string());
    let mut command = cx.command(["run", "stop"]);
    command.env("CORPORATE", "yes").env("OTHER", "no");
    context::pipe(command, b"");
    let seen = read(&cx.path("home/seen"));
    assert!(seen.contains("POLICY=https://policy\n") && seen.contains("CORPORATE=yes\n"), "{seen}");
    assert!(!seen.contains("OTHER="), "{seen}");
}

#[test]
fn red_team_m8_a_value_that_no_process_can_be_given_refuses_a_gate() {
    let long = "x".repeat(200_000);
    let payloads = [
        json!({ "command": "ls", "transcript_path": long }),
        json!({ "command": "ls", "user_email": long }),
        json!({ "command": "ls", "cursor_version": long }),
        json!({ "command": "ls", "transcript_path": "a\u{0}b" }),
        json!({ "command": "ls", "user_email": "a\u{0}b" }),
    ];
    for payload in payloads {
        let cx = TestContext::new();
        cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "true"));
        let seen = context::pipe(cx.command(GATE), payload.to_string().as_bytes());
        assert_eq!(seen.status.code(), Some(2), "{seen:?}");
    }
}

#[test]
fn red_team_l5_values_that_are_too_long_together_refuse_a_gate() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        one_hook("beforeReadFile", r#"/bin/true "${file_path}${file_path}""#),
    );
    let payload = json!({ "file_path": "x".repeat(70_000), "content": "" });
    let seen = context::pipe(cx.command(["run", "beforeReadFile"]), payload.to_string().as_bytes());
    assert_eq!(seen.status.code(), Some(2), "{seen:?}");
}

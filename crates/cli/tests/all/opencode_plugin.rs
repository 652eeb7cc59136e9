//! The plugin for OpenCode, with a host that calls it as OpenCode does and the
//! real program behind it. Needs `node`; says aloud where there is none.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::context::TestContext;

const PLUGIN: &str = include_str!("../../src/agents/opencode/plugin.js");

/// Whether the plugin can be run here.
fn node() -> bool {
    let there = Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("NOT RUN: there is no `node`, so the plugin for OpenCode was not looked at");
    }
    there
}

/// The plugin as it is installed, calling this program.
fn installed(cx: &TestContext, program: &str) -> PathBuf {
    let program = Value::from(program).to_string();
    cx.write(
        "project/.opencode/plugins/boathook.mjs",
        PLUGIN.replace("__BOATHOOK__", program.trim_matches('"')),
    )
}

/// What came of every call, by name.
fn host(cx: &TestContext, plugin: &Path) -> Map<String, Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/opencode_host.mjs");
    let mut command = Command::new("node");
    // The environment of a test's own program, so that it finds the test's home.
    for (name, value) in cx.command(["--version"]).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.arg(script).arg(plugin).arg(cx.project()).output().expect("node");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    let line = |line: &str| {
        let (name, value): (String, Value) = serde_json::from_str(line).expect(line);
        (name, value)
    };
    stdout.lines().map(line).collect()
}

#[test]
fn the_plugin_is_javascript() {
    if !node() {
        return;
    }
    let cx = TestContext::new();
    let plugin = installed(&cx, "/opt/boathook");
    let output = Command::new("node").arg("--check").arg(plugin).output().expect("node");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_hooks_decide_happens_in_opencode() {
    if !node() {
        return;
    }
    let cx = TestContext::new();
    let says = |text: &str, answer: Value| json!({ "command": format!("if grep -q '{text}'; then echo '{answer}'; else echo '{{}}'; fi") });
    let hooks = json!({
        "sessionStart": [says("main", json!({"additional_context": "from the start", "env": {"FROM_HOOK": "yes"}}))],
        "beforeSubmitPrompt": [says("secret", json!({"continue": false, "user_message": "no secrets"}))],
        "beforeShellExecution": [says("rm -rf", json!({"permission": "deny", "agent_message": "use trash"}))],
        "preToolUse": [says("npm test", json!({"updated_input": {"command": "npm test -- --ci", "description": "d"}}))],
        "postToolUse": [
            says("token=1", json!({"updated_mcp_tool_output": {"content": [{"type": "text", "text": "token=?"}]}})),
            says("\"Shell\"", json!({"additional_context": "well done"})),
        ],
        "stop": [says("completed", json!({"followup_message": "secret follow-up"}))],
    });
    cx.write("home/.cursor/hooks.json", json!({ "version": 1, "hooks": hooks }).to_string());
    let came = host(&cx, &installed(&cx, env!("CARGO_BIN_EXE_boathook")));
    assert_eq!(came["prompt"], json!(["hello", "from the start"]));
    assert!(
        came["refused prompt"]["thrown"].as_str().is_some_and(|why| why.contains("no secrets")),
        "{came:?}"
    );
    assert_eq!(came["a subagent's prompt"], json!(["secret"]));
    assert_eq!(came["allowed"]["args"]["command"], "ls");
    for name in ["denied", "denied in a subagent"] {
        assert!(came[name]["thrown"].as_str().is_some_and(|why| why.contains("use trash")), "{came:?}");
    }
    assert_eq!(came["rewritten"]["args"], json!({"command": "npm test -- --ci", "description": "d"}));
    assert_eq!(came["output"]["content"][0]["text"], "token=?");
    assert_eq!(came["context"]["output"], "done\n\nwell done");
    assert_eq!(came["env"]["env"]["FROM_HOOK"], "yes");
    assert_eq!(came["follow-up"], json!([["main", "secret follow-up"]]));
    assert_eq!(came["automatic"], json!(["secret follow-up"]), "a follow-up is not the user's prompt");
}

#[test]
fn without_boathook_nothing_runs() {
    if !node() {
        return;
    }
    let broken = if cfg!(windows) { "where" } else { "/bin/false" };
    for program in ["/nowhere/boathook", broken] {
        let cx = TestContext::new();
        let came = host(&cx, &installed(&cx, program));
        for name in ["prompt", "allowed", "denied", "rewritten"] {
            let why = came[name]["thrown"].as_str().unwrap_or_else(|| panic!("{name} passed: {came:?}"));
            assert!(why.contains("boathook agent install opencode"), "{why}");
        }
        assert_eq!(came["context"]["output"], "done", "what has run is not touched");
    }
}

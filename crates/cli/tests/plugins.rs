//! Plugins of a workspace cannot get round its trust.

mod context;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Output;

use context::TestContext;

const MARK: &str = "#!/bin/sh\ncat > /dev/null\ntouch \"$HOME/../ran\"\necho '{}'\n";

/// A plugin with one hook that leaves a mark; it refuses when it cannot run.
fn plugin(cx: &TestContext, place: &str) {
    cx.script(&format!("{place}/mark.sh"), MARK);
    let entry = serde_json::json!({ "command": "./mark.sh", "failClosed": true });
    let hooks = serde_json::json!({ "version": 1, "hooks": { "preToolUse": [entry] } });
    cx.write(&format!("{place}/hooks/hooks.json"), hooks.to_string());
}

fn asks(cx: &TestContext, plugin: Option<&str>) -> Output {
    let _ = fs::remove_file(cx.path("ran"));
    let mut args = vec!["run", "preToolUse", "--field", "tool_name=Shell"];
    args.extend(plugin.iter().flat_map(|plugin| ["--plugin-dir", plugin]));
    cx.output(args)
}

fn ran(cx: &TestContext) -> bool {
    cx.path("ran").exists()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn refuses(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stdout).contains("\"deny\"")
}

#[test]
fn a_link_in_the_workspace_is_the_workspaces_whatever_it_leads_to() {
    let cx = TestContext::new();
    plugin(&cx, "out");
    symlink(cx.path("out"), cx.path("project/pl")).expect("a link");
    symlink(cx.path("project"), cx.path("way")).expect("a link");
    let by_another_way = cx.path("way/pl").display().to_string();
    let by_dots = cx.path("out/../project/pl").display().to_string();
    for named in ["pl", "./pl", &by_another_way, &by_dots] {
        let output = asks(&cx, Some(named));
        assert!(!ran(&cx), "{named}");
        assert!(said(&output).contains("not trusted"), "{named}: {}", said(&output));
    }
    for named in ["../out", &cx.path("out").display().to_string()] {
        asks(&cx, Some(named));
        assert!(ran(&cx), "{named}: a plugin elsewhere was installed by the user");
    }
}

#[test]
fn a_trusted_plugin_that_becomes_a_link_has_changed() {
    let cx = TestContext::new();
    plugin(&cx, "project/pl");
    assert!(cx.output(["trust", "--yes", "--plugin-dir", "pl"]).status.success());
    asks(&cx, Some("pl"));
    assert!(ran(&cx));
    plugin(&cx, "out");
    cx.write("out/hooks/hooks.json", context::one_hook("preToolUse", "./mark.sh"));
    fs::remove_dir_all(cx.path("project/pl")).expect("it is there");
    symlink(cx.path("out"), cx.path("project/pl")).expect("a link");
    let output = asks(&cx, Some("pl"));
    assert!(!ran(&cx) && refuses(&output), "{}", said(&output));
}

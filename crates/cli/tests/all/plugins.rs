//! Plugins of a workspace cannot get round its trust.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Output;

use crate::context::{self, TestContext};

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

#[test]
fn a_manifest_does_not_switch_off_what_was_trusted() {
    let manifest = |text: &'static str| {
        move |cx: &TestContext| drop(cx.write("project/pl/.cursor-plugin/plugin.json", text))
    };
    let link_out = |cx: &TestContext| {
        cx.write("out.json", r#"{"version": 1, "hooks": {}}"#);
        fs::remove_file(cx.path("project/pl/hooks/hooks.json")).expect("it is there");
        symlink(cx.path("out.json"), cx.path("project/pl/hooks/hooks.json")).expect("a link");
    };
    let other_file = |cx: &TestContext| {
        cx.write("project/pl/o.json", r#"{"version": 1, "hooks": {}}"#);
        cx.write("project/pl/.cursor-plugin/plugin.json", r#"{"hooks": "o.json"}"#);
    };
    let remove = |cx: &TestContext| fs::remove_dir_all(cx.path("project/pl")).expect("it is there");
    let changes: [(&str, &dyn Fn(&TestContext)); 7] = [
        ("an empty list", &manifest(r#"{"hooks": []}"#)),
        ("no hooks", &manifest(r#"{"hooks": {}}"#)),
        ("another file", &other_file),
        ("a missing file", &manifest(r#"{"hooks": "nowhere.json"}"#)),
        ("a broken manifest", &manifest("{")),
        ("a link", &link_out),
        ("nothing", &remove),
    ];
    for (name, change) in changes {
        let cx = TestContext::new();
        plugin(&cx, "project/pl");
        assert!(cx.output(["trust", "--yes", "--plugin-dir", "pl"]).status.success());
        change(&cx);
        let output = asks(&cx, Some("pl"));
        assert!(ran(&cx) || refuses(&output), "{name}: {}", said(&output));
        assert!(said(&output).contains("/pl"), "{name}: {}", said(&output));
        assert!(cx.output(["trust", "--revoke", "--plugin-dir", "pl"]).status.success());
        let output = asks(&cx, Some("pl"));
        assert!(!ran(&cx) && !refuses(&output), "{name}: {}", said(&output));
    }
}

#[test]
fn hooks_in_a_manifest_that_were_trusted_still_stand_when_it_empties() {
    for text in [r#"{"hooks": []}"#, r#"{"hooks": {}}"#, r#"{"hooks": "hooks/hooks.json"}"#, "{", "{}"] {
        let cx = TestContext::new();
        cx.script("project/pl/mark.sh", MARK);
        let manifest = r#"{"hooks": {"preToolUse": [{"command": "./mark.sh", "failClosed": true}]}}"#;
        cx.write("project/pl/.cursor-plugin/plugin.json", manifest);
        assert!(cx.output(["trust", "--yes", "--plugin-dir", "pl"]).status.success());
        cx.write("project/pl/.cursor-plugin/plugin.json", text);
        let output = asks(&cx, Some("pl"));
        assert!(ran(&cx) || refuses(&output), "{text}: {}", said(&output));
    }
}

#[test]
fn an_installed_plugin_whose_manifest_breaks_keeps_its_hooks() {
    let cx = TestContext::new();
    plugin(&cx, "out");
    asks(&cx, Some("../out"));
    assert!(ran(&cx));
    cx.write("out/.cursor-plugin/plugin.json", "{");
    let output = asks(&cx, Some("../out"));
    assert!(ran(&cx), "{}", said(&output));
    assert!(said(&output).contains("manifest cannot be read"), "{}", said(&output));
}

/// A workspaceOpen hook of the project that names a plugin elsewhere.
fn names_a_plugin(cx: &TestContext) {
    plugin(cx, "out");
    let answer = format!(r#"{{"pluginPaths": ["{}"]}}"#, cx.path("out").display());
    cx.script("project/open.sh", &format!("#!/bin/sh\ncat > /dev/null\necho '{answer}'\n"));
    cx.write("project/.cursor/hooks.json", context::one_hook("workspaceOpen", "./open.sh"));
}

#[test]
fn what_is_trusted_once_names_no_plugin_for_later() {
    let cx = TestContext::new();
    names_a_plugin(&cx);
    let output = cx.output(["run", "workspaceOpen", "--trust"]);
    assert!(said(&output).contains("not kept"), "{}", said(&output));
    asks(&cx, None);
    assert!(!ran(&cx));
}

#[test]
fn a_named_plugin_counts_while_whoever_named_it_is_trusted() {
    let cx = TestContext::new();
    names_a_plugin(&cx);
    cx.trust();
    cx.output(["run", "workspaceOpen"]);
    asks(&cx, None);
    assert!(ran(&cx));
    cx.output(["run", "workspaceOpen", "--trust"]);
    asks(&cx, None);
    assert!(ran(&cx), "what was kept by trust stays");
    cx.script("project/open.sh", "#!/bin/sh\n");
    let output = asks(&cx, None);
    assert!(!ran(&cx) && said(&output).contains("is not loaded"), "{}", said(&output));
    cx.trust();
    asks(&cx, None);
    assert!(ran(&cx));
    assert!(cx.output(["trust", "--revoke"]).status.success());
    asks(&cx, None);
    assert!(!ran(&cx));
}

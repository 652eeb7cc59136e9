//! `boathook list` as a person sees it.

use insta::assert_snapshot;
use serde_json::json;

use crate::context::{TestContext, one_hook};

#[test]
fn hooks_of_all_sources_by_event() {
    let cx = TestContext::new();
    cx.script("system/etc/cursor/guard.sh", "#!/bin/sh\n");
    cx.script("home/.cursor/managed/team_7/hooks/team.sh", "#!/bin/sh\n");
    cx.write("system/etc/cursor/hooks.json", one_hook("beforeShellExecution", "./guard.sh"));
    cx.write("home/.cursor/managed/team_7/hooks/hooks.json", one_hook("beforeShellExecution", "./team.sh"));
    cx.write("project/.cursor/hooks.json", one_hook("stop", "echo done"));
    cx.write("home/.cursor/hooks.json", one_hook("stop", "echo done"));
    assert_snapshot!(cx.run(["list"]), @r#"
    exit code: 0
    ----- stdout -----
    beforeShellExecution
      ready     enterprise ./guard.sh
                [SYSTEM]/etc/cursor/hooks.json:1
      ready     team       ./team.sh
                [HOME]/.cursor/managed/team_7/hooks/hooks.json:1
    stop
      withheld  project    echo done
                [PROJECT]/.cursor/hooks.json:1
                the workspace is not trusted
                the same command twice on this event: it runs twice
      ready     user       echo done
                [HOME]/.cursor/hooks.json:1
                the same command twice on this event: it runs twice
    Built-in, when an agent calls
      ready     self-protection
                asks before an agent changes user, team or enterprise hooks and their scripts, Boathook's state, configuration or program, or the entries that connect an agent
    ----- stderr -----
    warning: [PROJECT]/.cursor/hooks.json: 1 hook is withheld: the workspace is not trusted
      help: `boathook trust` shows what would be trusted, and asks
    "#);
}

#[test]
fn nothing_configured_names_where_it_was_looked_for() {
    let cx = TestContext::new();
    assert_snapshot!(cx.run(["list"]), @r#"
    exit code: 0
    ----- stdout -----
    No hooks are configured. These files were looked for:
      enterprise     [SYSTEM]/etc/cursor/hooks.json (not there)
      project        [PROJECT]/.cursor/hooks.json (not there)
      user           [HOME]/.cursor/hooks.json (not there)
      claude-local   [PROJECT]/.claude/settings.local.json (not there)
      claude-project [PROJECT]/.claude/settings.json (not there)
      claude-user    [HOME]/.claude/settings.json (not there)
    Built-in, when an agent calls
      ready     self-protection
                asks before an agent changes user, team or enterprise hooks and their scripts, Boathook's state, configuration or program, or the entries that connect an agent
    ----- stderr -----
    hint: `boathook init` writes a first hook
    "#);
}

#[test]
fn a_command_in_both_products_files_is_marked() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", "echo done"));
    cx.write(
        "home/.claude/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo done"}]}]}}"#,
    );
    let listed = cx.run(["list"]);
    let mark = "the same command in a Cursor and in a Claude Code file: it runs for each";
    assert_eq!(listed.matches(mark).count(), 2, "{listed}");
    assert!(listed.contains("claude-user"), "{listed}");
}

#[test]
fn json_is_for_scripts() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", "echo done"));
    let json: serde_json::Value =
        serde_json::from_slice(&cx.output(["list", "--json"]).stdout).expect("JSON");
    assert_eq!(json["hooks"][0]["command"], "echo done");
    assert_eq!(json["hooks"][0]["state"], "ready");
}

#[test]
fn hooks_that_stay_or_start_ahead_say_so() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [
            {"command": "./a.sh", "persistent": true},
            {"command": "./b.sh", "prestart": true},
            {"command": "./c.sh"}
        ]}}"#,
    );
    for command in [&["list"][..], &["explain", "stop"]] {
        let text = cx.run(command);
        assert_eq!(text.matches("persistent: under a daemon it stays").count(), 1, "{text}");
        assert_eq!(text.matches("prestart: under a daemon it is started before").count(), 1, "{text}");
    }
    let output = cx.output(["list", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lifetimes: Vec<_> =
        list["hooks"].as_array().expect("hooks").iter().map(|hook| &hook["lifetime"]).collect();
    assert_eq!(lifetimes, ["persistent", "prestart", "event"]);
}

#[test]
fn a_hook_that_cannot_start_is_an_error() {
    let cx = TestContext::new();
    let hooks = json!({ "version": 1, "hooks": { "stop": [{ "command": "./hooks/gone.sh" }] } });
    cx.write("home/.cursor/hooks.json", hooks.to_string());
    assert_snapshot!(cx.run(["list"]), @r#"
    exit code: 0
    ----- stdout -----
    stop
      error     user       ./hooks/gone.sh
                [HOME]/.cursor/hooks.json:1
                the script `./hooks/gone.sh` does not exist: the hook fails
    Built-in, when an agent calls
      ready     self-protection
                asks before an agent changes user, team or enterprise hooks and their scripts, Boathook's state, configuration or program, or the entries that connect an agent
    ----- stderr -----
    hint: 1 problem in these files: `boathook check` lists them
    "#);
    let json = cx.output(["list", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["hooks"][0]["state"], "error");
}

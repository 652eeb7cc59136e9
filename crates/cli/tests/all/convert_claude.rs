//! `boathook convert claude`: what is written, what is not, and twice is once.

use insta::assert_snapshot;

use crate::context::{TestContext, read};

const SETTINGS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash|Edit", "hooks": [{ "type": "command", "command": "./guard.sh", "timeout": 10 }] },
      { "hooks": [{ "type": "command", "command": "./push.sh", "if": "Bash(git push *)" }] }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "node", "args": ["done.js", "two words"] }] }],
    "Notification": [{ "hooks": [{ "type": "command", "command": "say hi" }] }]
  }
}
"#;

#[test]
fn hooks_are_written_and_what_cannot_be_is_named() {
    let cx = TestContext::new();
    cx.write("project/.claude/settings.json", SETTINGS);
    cx.write(
        "project/.cursor/hooks.json",
        "{\n  \"version\": 1, // kept\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"./old.sh\" }\n    ]\n  }\n}\n",
    );
    assert_snapshot!(cx.run(["convert", "claude"]), @r#"
    exit code: 1
    ----- stderr -----
    warning: [PROJECT]/.claude/settings.json:5:19: this hook is not converted: its `if` (Bash(git push *)) cannot be written there
       |
     5 |       { "hooks": [{ "type": "command", "command": "./push.sh", "if": "Bash(git push *)" }] }
       |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      help: it stays in the settings
    warning: [PROJECT]/.claude/settings.json:8:5: `Notification` has no counterpart here; its hook does not run
       |
     8 |     "Notification": [{ "hooks": [{ "type": "command", "command": "say hi" }] }]
       |     ^^^^^^^^^^^^^^
      help: Claude Code alone has this event
    wrote 2 hooks to [PROJECT]/.cursor/hooks.json
    hint: Claude Code's settings are read as well, so these hooks now run twice here: remove them there, or write `[third_party] claude = false` into config.toml
    "#);
    assert_snapshot!(read(&cx.path("project/.cursor/hooks.json")), @r#"
    {
      "version": 1, // kept
      "hooks": {
        "stop": [
          { "command": "./old.sh" },
          { "command": "node done.js 'two words'", "loop_limit": null, "dialect": "claude" }
        ],
        "preToolUse": [
          { "command": "./guard.sh", "matcher": "^Shell$|^Write$", "timeout": 10, "dialect": "claude" }
        ]
      }
    }
    "#);
}

#[test]
fn a_second_conversion_changes_nothing() {
    for whose in ["--project", "--user"] {
        let cx = TestContext::new();
        cx.write("project/.claude/settings.json", SETTINGS);
        cx.write("project/.claude/settings.local.json", SETTINGS);
        cx.write("home/.claude/settings.json", SETTINGS);
        let target =
            cx.path(if whose == "--user" { "home/.cursor/hooks.json" } else { "project/.cursor/hooks.json" });
        cx.run(["convert", "claude", whose]);
        let first = read(&target);
        assert_eq!(first.matches("\"dialect\": \"claude\"").count(), 2, "{first}");
        let again = cx.run(["convert", "claude", whose]);
        assert!(again.contains("nothing is written"), "{again}");
        assert_eq!(read(&target), first);
        let checked = cx.output(["check", "--json"]);
        assert!(!String::from_utf8_lossy(&checked.stdout).contains("unknown-key"));
    }
}

#[test]
fn a_dry_run_prints_and_writes_nothing() {
    let cx = TestContext::new();
    cx.write("project/.claude/settings.json", SETTINGS);
    let shown = cx.run(["convert", "claude", "--dry-run"]);
    assert!(shown.contains("\"version\": 1") && shown.contains("./guard.sh"), "{shown}");
    assert!(!cx.path("project/.cursor/hooks.json").exists());
}

#[test]
fn a_file_that_is_no_hooks_file_is_left_alone() {
    let cx = TestContext::new();
    cx.write("project/.claude/settings.json", SETTINGS);
    let broken = "{ \"hooks\": [] }";
    cx.write("project/.cursor/hooks.json", broken);
    assert!(!cx.output(["convert", "claude"]).status.success());
    assert_eq!(read(&cx.path("project/.cursor/hooks.json")), broken);
}

#[test]
fn nothing_to_convert_is_said() {
    let cx = TestContext::new();
    let said = cx.run(["convert", "claude"]);
    assert!(said.contains("there are no hooks in"), "{said}");
}

#[test]
fn a_hook_for_some_sessions_stays_where_it_is() {
    let settings = |matcher: &str| {
        serde_json::json!({ "hooks": { "SessionStart": [
            { "matcher": matcher, "hooks": [{ "type": "command", "command": "echo greeted" }] }
        ] } })
        .to_string()
    };
    for (matcher, converted) in
        [("startup", false), ("resume", false), ("startup|resume|clear|compact", true), ("", true)]
    {
        let cx = TestContext::new();
        std::fs::create_dir_all(cx.path("project/.git")).expect("a directory");
        cx.write("project/.claude/settings.json", settings(matcher));
        cx.trust();
        let resume = || cx.run_with(["run", "sessionStart"], r#"{"source":"resume"}"#);
        let before = resume();
        let said = cx.run(["convert", "claude"]);
        assert_eq!(said.contains("this hook is not converted: its matcher"), !converted, "{matcher}: {said}");
        assert_eq!(said.starts_with("exit code: 0"), converted, "{matcher}: {said}");
        assert_eq!(cx.path("project/.cursor/hooks.json").exists(), converted, "{matcher}");
        if !converted {
            assert!(said.contains("none of them can be written") && !said.contains("already"), "{said}");
            assert_eq!(resume(), before, "{matcher}");
        }
    }
}

#[test]
fn a_repository_does_not_choose_which_file_is_written() {
    let before = "{\"version\": 1, \"hooks\": {}}\n";
    for (workspace, link, target, args) in [
        ("project", "project/.cursor/hooks.json", "home/.cursor/hooks.json", &["convert", "claude"][..]),
        ("home", "home/.cursor/hooks.json", "system/hooks.json", &["convert", "claude", "--user"]),
    ] {
        let cx = TestContext::new();
        cx.write(&format!("{workspace}/.claude/settings.json"), SETTINGS);
        let own = cx.write(target, before);
        let link = cx.path(link);
        std::fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(&own, &link).expect("a link");
        let seen = cx.run(args);
        assert!(seen.contains("leads out of"), "{args:?}: {seen}");
        assert_eq!(read(&own), before, "{args:?}");
        std::fs::remove_file(&link).expect("a link");
        assert!(cx.run(args).contains("wrote 2 hooks"), "{args:?}");
    }
}

//! What a newcomer trips over with `boathook agent`: settings that the agent
//! itself cannot read, entries that somebody edited, repositories that stand in
//! the way, records that are gone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output};

use serde_json::Value;

use crate::context::{self, TestContext};

const BOATHOOK: &str = env!("CARGO_BIN_EXE_boathook");

fn command(cx: &TestContext, args: &[&str]) -> Command {
    let mut command = cx.command([&["agent"], args].concat());
    command.env("PATH", cx.path("bin"));
    for name in
        ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CLINE_DIR", "GEMINI_CLI_HOME", "QWEN_HOME"]
    {
        command.env_remove(name);
    }
    command
}

fn said(cx: &TestContext, output: &Output) -> String {
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    cx.without_paths(&text).replace(BOATHOOK, "[BOATHOOK]")
}

/// What it says, and its exit code.
fn agent(cx: &TestContext, args: &[&str]) -> (String, i32) {
    let output = context::pipe(command(cx, args), b"");
    (said(cx, &output), output.status.code().unwrap_or(-1))
}

fn works(cx: &TestContext, args: &[&str]) -> String {
    let (words, code) = agent(cx, args);
    assert_eq!(code, 0, "{args:?}: {words}");
    words
}

fn fails(cx: &TestContext, args: &[&str]) -> String {
    let (words, code) = agent(cx, args);
    assert_eq!(code, 1, "{args:?}: {words}");
    words
}

fn problems(cx: &TestContext, name: &str) -> Vec<String> {
    let output = context::pipe(command(cx, &["status", name, "--json", "--no-versions"]), b"");
    let page: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = page[0]["problems"].as_array().expect("a list").clone();
    assert_eq!(output.status.code(), Some(i32::from(!list.is_empty())), "{page}");
    list.iter().map(|it| cx.without_paths(it["message"].as_str().unwrap_or_default())).collect()
}

#[test]
fn settings_that_the_agent_cannot_read_are_refused_and_told() {
    let cases = [
        (
            "claude",
            ".claude/settings.json",
            "{\n  // mine\n  \"a\": 1\n}",
            Some("2:3: Claude Code does not read a file with a comment"),
        ),
        (
            "claude",
            ".claude/settings.json",
            "{\"a\": 1,}",
            Some("1:8: Claude Code does not read a file with a comma"),
        ),
        ("claude", ".claude/settings.json", "\u{feff}{\"a\": 1}", None),
        (
            "codex",
            ".codex/hooks.json",
            "{\"hooks\": {}, }",
            Some("1:13: Codex CLI does not read a file with a comma"),
        ),
        (
            "codex",
            ".codex/hooks.json",
            "\u{feff}{\"hooks\": {}}",
            Some("1:1: Codex CLI does not read a file with a byte order mark"),
        ),
        ("gemini", ".gemini/settings.json", "{\n  // mine\n  \"a\": 1\n}", None),
        (
            "gemini",
            ".gemini/settings.json",
            "{\"a\": 1,}",
            Some("1:8: Gemini CLI does not read a file with a comma"),
        ),
        ("qwen", ".qwen/settings.json", "{\"a\": 1 /* mine */}", None),
        (
            "qwen",
            ".qwen/settings.json",
            "{\"a\": [1,]}",
            Some("1:9: Qwen Code does not read a file with a comma"),
        ),
    ];
    for (name, file, text, expected) in cases {
        let cx = TestContext::new();
        let path = cx.write(&format!("home/{file}"), text);
        let Some(expected) = expected else {
            let (words, _) = agent(&cx, &["install", name]);
            assert!(words.contains("is wired\n"), "{name} {text}: {words}");
            works(&cx, &["uninstall", name]);
            assert_eq!(context::read(&path), text);
            continue;
        };
        let words = fails(&cx, &["install", name]);
        assert!(words.contains(&format!("[HOME]/{file}:{expected}")), "{name} {text}: {words}");
        assert!(words.contains("nothing was changed") && words.contains("help: "), "{words}");
        assert_eq!(context::read(&path), text);
        // Somebody put it there after installing.
        fs::remove_file(&path).expect("a file");
        works(&cx, &["install", name]);
        let wired = context::read(&path);
        fs::write(&path, format!("{}\n// mine\n,", wired.trim_end()).replace("\n,", "")).expect("a file");
        let found = problems(&cx, name);
        let told =
            found.iter().any(|it| it.contains("does not read a file with a comment: ours are not called"));
        assert_eq!(told, !["gemini", "qwen"].contains(&name), "{name}: {found:?}");
        works(&cx, &["uninstall", name]);
        assert!(!context::read(&path).contains("boathook"), "{name}");
    }
}

#[test]
fn what_a_repository_switches_off_is_told() {
    for file in ["project/.claude/settings.json", "project/.claude/settings.local.json"] {
        let cx = TestContext::new();
        cx.write(file, "{\"disableAllHooks\": true}");
        let words = fails(&cx, &["install", "claude"]);
        let expected =
            "`disableAllHooks: true` switches every hook but the machine's off: ours are not called";
        assert!(words.contains(expected) && words.contains("--managed"), "{file}: {words}");
        assert!(fails(&cx, &["install", "claude"]).contains("nothing changes"));
        assert_eq!(problems(&cx, "claude").len(), 1, "{file}");
        // Seen in Claude Code 2.1.325: the machine's hooks run all the same.
        works(&cx, &["uninstall", "claude"]);
        works(&cx, &["install", "claude", "--managed"]);
        assert_eq!(problems(&cx, "claude"), [""; 0], "{file}");
    }
}

#[test]
fn an_entry_that_somebody_changed_is_told() {
    let end =
        "agent hook claude --home [HOME] --root [SYSTEM]\", \"timeout\": 3600, \"onFailure\": \"block\"";
    let cases = [
        (
            "agent hook claude --home [HOME] --root [SYSTEM] || true\", \"timeout\": 3600, \"onFailure\": \"block\"",
            "`command` is `[BOATHOOK] agent hook claude --home [HOME] --root [SYSTEM] || true`",
        ),
        (
            "agent hook claude --home [HOME] --root [SYSTEM] >/dev/null\", \"timeout\": 3600, \"onFailure\": \"block\"",
            ">/dev/null`",
        ),
        (
            "agent hook claude --home [HOME] --root [SYSTEM] &\", \"timeout\": 3600, \"onFailure\": \"block\"",
            "agent hook claude --home [HOME] --root [SYSTEM] &`",
        ),
        (
            "agent hook claude --home [HOME] --root [SYSTEM]\", \"timeout\": 1, \"onFailure\": \"block\"",
            "`timeout` is `1`",
        ),
        ("agent hook claude --home [HOME] --root [SYSTEM]\", \"timeout\": 3600", "`onFailure` is gone"),
        (
            "agent hook claude --home [HOME] --root [SYSTEM]\", \"timeout\": 3600, \"onFailure\": \"block\", \"async\": true",
            "`async: true` was added",
        ),
        (
            "agent hook claude --home [HOME] --root [SYSTEM]\", \"timeout\": 3600, \"onFailure\": \"block\", \"if\": \"Bash(ls)\"",
            "`if: Bash(ls)` was added",
        ),
    ];
    for (to, expected) in cases {
        let cx = TestContext::new();
        works(&cx, &["install", "claude"]);
        let file = cx.path("home/.claude/settings.json");
        let text = context::read(&file);
        let home = cx.path("home").display().to_string();
        let system = cx.path("system").display().to_string();
        let written = |text: &str| text.replace("[HOME]", &home).replace("[SYSTEM]", &system);
        let (end, to) = (written(end), written(to));
        assert!(text.contains(&end), "{text}");
        fs::write(&file, text.replacen(&end, &to, 1)).expect("a file");
        let found: Vec<String> = problems(&cx, "claude")
            .iter()
            .map(|it| {
                it.replace(BOATHOOK, "[BOATHOOK]").replace(&home, "[HOME]").replace(&system, "[SYSTEM]")
            })
            .collect();
        assert_eq!(found.len(), 1, "{to}: {found:?}");
        assert!(found[0].contains(" was changed: ") && found[0].contains(expected), "{to}: {found:?}");
        works(&cx, &["install", "claude"]);
        assert_eq!(context::read(&file), text, "install mends it");
        assert_eq!(problems(&cx, "claude"), [""; 0]);
    }
    for (name, file) in
        [("cline", "home/.cline/hooks/PreToolUse"), ("opencode", "home/.config/opencode/plugins/boathook.js")]
    {
        let cx = TestContext::new();
        works(&cx, &["install", name]);
        assert_eq!(problems(&cx, name), [""; 0], "{name}");
        let path = cx.path(file);
        fs::write(&path, format!("{}\n", context::read(&path))).expect("a file");
        let found = problems(&cx, name);
        assert!(
            found.len() == 1 && found[0].contains("is not what this version writes there"),
            "{name}: {found:?}"
        );
        works(&cx, &["install", name]);
        assert_eq!(problems(&cx, name), [""; 0], "{name}");
    }
}

/// Whatever a repository brings, its users can be guarded.
#[test]
fn a_repository_does_not_keep_a_user_from_wiring() {
    let entry = |program: &str, more: &str| {
        format!(
            "{{\"hooks\": {{\"PreToolUse\": [{{ {more}\"hooks\": [{{ \"type\": \"command\", \"command\": \"{program} agent hook claude\" }}] }}]}}}}"
        )
    };
    let cx = TestContext::new();
    let theirs = cx.script("project/boathook", "#!/bin/sh\n");
    let elsewhere = cx.write("completions/boathook", "complete boathook\n");
    works(&cx, &["install", "claude"]);
    let ours = context::read(&cx.path("home/.claude/settings.json"));
    works(&cx, &["uninstall", "claude"]);
    let whole = |program: &str| ours.replace(BOATHOOK, program);
    let cases = [
        entry("/gone/boathook", ""),
        entry("./boathook", ""),
        entry("boathook", ""),
        entry("$CLAUDE_PROJECT_DIR/boathook", ""),
        entry(&theirs.display().to_string(), ""),
        whole(&theirs.display().to_string()),
        whole(&elsewhere.display().to_string()),
        entry(BOATHOOK, "\"matcher\": \"Nothing\", "),
        entry(BOATHOOK, ""),
    ];
    for settings in cases {
        cx.write("project/.claude/settings.json", &settings);
        let (words, _) = agent(&cx, &["install", "claude"]);
        assert!(words.contains("Claude Code is wired\n"), "{settings}: {words}");
        works(&cx, &["uninstall", "claude"]);
        assert_eq!(context::read(&cx.path("project/.claude/settings.json")), settings);
    }
    fs::remove_file(cx.path("project/.claude/settings.json")).expect("a file");
    works(&cx, &["install", "claude", "--project"]);
    assert!(fails(&cx, &["install", "claude"]).contains("wired already"), "what works is not doubled");
}

#[test]
fn the_machines_wiring_can_be_added_to_any_other() {
    let cx = TestContext::new();
    works(&cx, &["install", "claude"]);
    let words = works(&cx, &["install", "claude", "--managed"]);
    assert!(words.contains("it is wired 2 times"), "{words}");
    assert!(words.contains("boathook agent uninstall claude --user"), "{words}");
}

#[test]
fn without_a_record_our_entries_go_and_nothing_is_claimed() {
    let cx = TestContext::new();
    let before = "{\n  \"hooks\": {\n    \"Stop\": []\n  },\n  \"model\": \"x\"\n}\n";
    let file = cx.write("home/.claude/settings.json", before);
    works(&cx, &["install", "claude"]);
    works(&cx, &["install", "copilot"]);
    fs::remove_dir_all(cx.path("home/.local/state/boathook/agents-installed")).expect("the records");
    let words = works(&cx, &["uninstall", "claude"]);
    assert!(
        words.contains("there is no record of what it was") && !words.contains("changed since"),
        "{words}"
    );
    assert_eq!(context::read(&file), before);
    works(&cx, &["uninstall", "copilot"]);
    assert!(!cx.path("home/.copilot/hooks/boathook.json").exists(), "a file of our own name");
}

#[test]
fn a_folder_that_is_a_link_is_said() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("home/dotfiles/claude")).expect("a folder");
    symlink(cx.path("home/dotfiles/claude"), cx.path("home/.claude")).expect("a link");
    let really = "[HOME]/.claude/settings.json, which is [HOME]/dotfiles/claude/settings.json";
    let words = works(&cx, &["install", "claude"]);
    assert!(words.contains(&format!("wrote {really}")), "{words}");
    let words = works(&cx, &["uninstall", "claude"]);
    assert!(words.contains(&format!("removed {really}")), "{words}");
    assert!(cx.path("home/.claude").is_symlink());
}

#[test]
fn what_is_not_wired_is_said_to_be_so() {
    let cx = TestContext::new();
    let file = cx.write("home/.claude/settings.json", "{}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("permissions");
    assert!(works(&cx, &["uninstall", "claude"]).contains("Claude Code is not wired (user)"));
    let words = works(&cx, &["uninstall", "--all"]);
    assert!(words.contains("no agent is wired in your own settings; looked at claude, codex,"), "{words}");
    works(&cx, &["install", "qwen", "--project"]);
    let words = works(&cx, &["uninstall", "--all"]);
    assert!(
        words.contains("in the settings of this workspace: qwen; `boathook agent uninstall --all --project`"),
        "{words}"
    );
}

#[test]
fn several_are_named_at_once_and_none_is_an_error_that_helps() {
    let cx = TestContext::new();
    let words = works(&cx, &["install", "claude", "qwen", "claude"]);
    assert_eq!(words.matches(" is wired\n").count(), 2, "{words}");
    assert_eq!(works(&cx, &["uninstall", "claude", "qwen"]).matches("no longer wired").count(), 2);
    for verb in ["install", "uninstall"] {
        let words = fails(&cx, &[verb]);
        assert!(words.contains("name some of claude, codex, gemini") && words.contains("`--all`"), "{words}");
    }
    assert!(fails(&cx, &["list"]).contains("'status'"));
    for verb in ["install", "uninstall", "status"] {
        let words = said(&cx, &cx.output([verb]));
        assert!(words.contains(&format!("'agent {verb}'")), "{words}");
    }
}

#[test]
fn a_dry_run_of_all_has_a_heading_for_each() {
    let cx = TestContext::new();
    cx.write("home/.config/opencode/opencode.json", "{}\n");
    cx.write("home/.qwen/settings.json", "{}\n");
    let words = works(&cx, &["install", "--all", "--dry-run"]);
    assert!(words.starts_with("Qwen Code\n--- [HOME]/.qwen/settings.json\n"), "{words}");
    assert!(
        words.contains("\n\nOpenCode\n--- /dev/null\n+++ [HOME]/.config/opencode/plugins/boathook.js\n("),
        "{words}"
    );
    assert!(words.contains(" lines, new file) // Calls: [BOATHOOK] agent hook opencode"), "{words}");
}

#[test]
fn programs_that_are_asked_for_their_version_find_another_home() {
    let cx = TestContext::new();
    let log = cx.path("asked");
    cx.script("bin/claude", "#!/bin/sh\n: > \"$HOME/.trace\"\necho '2.1.325 (Claude Code)'\n");
    // As a version manager does: it needs the home to find the program.
    cx.script("bin/qwen", "#!/bin/sh\n[ -e \"$HOME/.tools\" ] && echo 0.24.4\n");
    cx.script("bin/gemini", &format!("#!/bin/sh\n: > '{}'\necho 1.2.3\n", log.display()));
    cx.write("home/.tools", "");
    let (words, _) = agent(&cx, &["status"]);
    assert!(words.contains("version 2.1.325") && words.contains("version 0.24.4"), "{words}");
    assert!(!cx.path("home/.trace").exists());
    fs::remove_file(&log).expect("it was asked");
    let (words, _) = agent(&cx, &["status", "--no-versions"]);
    assert!(words.contains("bin/gemini, not asked for its version"), "{words}");
    assert!(!log.exists());
}

//! `boathook agent status`: what is found, what is wired, what is wrong with
//! that, and what can be enforced there.

use std::fs;
use std::process::{Command, Output};

use boathook_engine::agent::AGENTS;
use boathook_engine::digest::Digest;
use boathook_engine::event::EVENTS;
use insta::assert_snapshot;
use serde_json::Value;

use crate::context::{self, TestContext};

/// A machine with programs of ours on its PATH that say they are agents.
fn machine() -> TestContext {
    let cx = TestContext::new();
    cx.script("bin/claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    cx.script("bin/codex", "#!/bin/sh\necho 'codex-cli 0.1.0'\n");
    cx.script("bin/gemini", "#!/bin/sh\nexit 1\n");
    cx.script("bin/cursor", "#!/bin/sh\nexit 1\n");
    cx
}

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

fn agent(cx: &TestContext, args: &[&str]) -> Output {
    context::pipe(command(cx, args), b"")
}

fn said(cx: &TestContext, output: &Output) -> String {
    let text = format!(
        "exit code: {}\n{}{}",
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = cx.without_paths(&text).replace(env!("CARGO_BIN_EXE_boathook"), "[BOATHOOK]");
    text.lines().map(without_dialect).collect::<Vec<_>>().join("\n")
}

/// What a dialect says of itself is not what these tests are about.
fn without_dialect(line: &str) -> String {
    let line =
        match (line.trim_start().starts_with("program"), line.find(", which our tests"), line.find("; ")) {
            (true, Some(at), _) | (true, None, Some(at)) => &line[..at],
            _ => line,
        };
    match line.rsplit_once('(') {
        Some((head, tail)) if tail.ends_with(" entries)") => format!("{head}([N] entries)"),
        _ => line.to_owned(),
    }
}

fn works(cx: &TestContext, args: &[&str]) {
    let output = agent(cx, args);
    assert!(output.status.success(), "{args:?}: {}", said(cx, &output));
}

fn problems(cx: &TestContext, name: &str) -> Vec<String> {
    let output = agent(cx, &["status", name, "--json"]);
    let page: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = page[0]["problems"].as_array().expect("a list").clone();
    assert_eq!(output.status.code(), Some(i32::from(!list.is_empty())), "{page}");
    list.iter().map(|it| cx.without_paths(it["message"].as_str().unwrap_or_default())).collect()
}

#[test]
fn agents_f8_codex_without_trust_is_reported_by_install_status_and_doctor() {
    let cx = machine();
    let expected = "Codex does not trust our entries yet: `codex` asks for trust when it starts, `codex exec` runs none of them and prints nothing about it";
    let installed = said(&cx, &agent(&cx, &["install", "codex"]));
    assert!(installed.contains(expected), "{installed}");
    let status = said(&cx, &agent(&cx, &["status", "codex"]));
    assert!(status.contains(expected), "{status}");
    let mut doctor = cx.command(["doctor"]);
    doctor.env("PATH", cx.path("bin"));
    let doctor = said(&cx, &context::pipe(doctor, b""));
    assert!(doctor.contains(expected), "{doctor}");
}

#[test]
fn a_page_says_what_is_found_and_wired() {
    let cx = machine();
    works(&cx, &["install", "claude"]);
    works(&cx, &["install", "codex"]);
    assert_snapshot!(said(&cx, &agent(&cx, &["status"])), @r"
    exit code: 1
    Claude Code (claude)
      program  [TEST]/bin/claude, version 2.1.325
      wired    user: [HOME]/.claude/settings.json ([N] entries)

    Codex CLI (codex)
      program  [TEST]/bin/codex, version 0.1.0
      wired    user: [HOME]/.codex/hooks.json ([N] entries)
    warning: Codex does not trust our entries yet: `codex` asks for trust when it starts, `codex exec` runs none of them and prints nothing about it
      help: start `codex` once and choose Review, or Trust all, when it asks; later, `/hooks` in it shows them

    Gemini CLI (gemini)
      program  [TEST]/bin/gemini, its version is not known
      wired    no; `boathook agent install gemini` does it

    Cursor (cursor)
      program  [TEST]/bin/cursor, not asked for its version: it opens a window
      wired    Cursor runs .cursor/hooks.json and ~/.cursor/hooks.json itself: there is nothing to install

    not found here: copilot, qwen, opencode, cline, windsurf, vscode
    ");
}

#[test]
fn every_fault_of_a_wiring_is_told() {
    let cx = machine();
    let file = cx.path("home/.claude/settings.json");
    let ours = env!("CARGO_BIN_EXE_boathook");
    let change = |from: &str, to: &str| {
        works(&cx, &["install", "claude"]);
        let text = fs::read_to_string(&file).expect("the settings");
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replacen(from, to, 99)).expect("a file");
        let found = problems(&cx, "claude");
        fs::remove_file(&file).expect("a file");
        found
    };
    let other = cx.script("bin/old/boathook", "#!/bin/sh\n");
    let cases = [
        ("nothing", "\"hooks\"", "\"hooks\"".to_owned(), &[][..]),
        (
            "a program that is gone",
            ours,
            "/old/bin/boathook".to_owned(),
            &["/old/bin/boathook, which is gone: the agent refuses what it should ask about"],
        ),
        (
            "another program",
            ours,
            other.display().to_string(),
            &["bin/old/boathook, which is another program"],
        ),
        (
            "an event that lacks",
            "\"PreToolUse\"",
            "\"Other\"".to_owned(),
            &["lacks our entry for PreToolUse"],
        ),
        (
            "a matcher",
            "\"PreToolUse\": [{ ",
            "\"PreToolUse\": [{ \"matcher\": \"Bash\", ".to_owned(),
            &["our entry for PreToolUse is restricted to `Bash`"],
        ),
        (
            "all hooks switched off",
            "{\n  \"hooks\"",
            "{\n  \"disableAllHooks\": true,\n  \"hooks\"".to_owned(),
            &["`disableAllHooks: true` switches every hook but the machine's off"],
        ),
        ("broken", "\"hooks\"", "hooks".to_owned(), &["settings.json:2:3: a key is not in quotes"]),
    ];
    for (name, from, to, expected) in cases {
        let found = change(from, &to);
        assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
        for part in expected {
            assert!(found.iter().any(|it| it.contains(part)), "{name}: {found:?}");
        }
    }
}

#[test]
fn an_agent_that_is_wired_twice_is_told_by_status_and_doctor() {
    let cx = machine();
    works(&cx, &["install", "claude"]);
    let text = context::read(&cx.path("home/.claude/settings.json"));
    cx.write("project/.claude/settings.json", text);
    let found = problems(&cx, "claude");
    assert!(found.iter().any(|it| it.starts_with("it is wired 2 times")), "{found:?}");
    let page = cx.run(["doctor"]);
    assert!(page.contains("warning: Claude Code: it is wired 2 times"), "{page}");
    assert!(
        page.contains("claude         wired, user; see below     [HOME]/.claude/settings.json"),
        "{page}"
    );
}

#[test]
fn trust_of_codex_is_read_from_its_own_record() {
    let cx = machine();
    cx.write(
        "home/.codex/hooks.json",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mine"}]}]}}"#,
    );
    works(&cx, &["install", "codex"]);
    assert!(problems(&cx, "codex")[0].starts_with("Codex does not trust our entries yet"));
    let file = cx.path("home/.codex/hooks.json");
    let hooks: Value = serde_json::from_str(&context::read(&file)).expect("JSON");
    let mut config = String::from("[features]\nhooks = true\n");
    for (event, groups) in hooks["hooks"].as_object().expect("events") {
        let snake: String = event
            .char_indices()
            .map(|(at, c)| if at > 0 && c.is_uppercase() { format!("_{c}") } else { c.to_string() })
            .collect::<String>()
            .to_lowercase();
        // Ours stands behind the user's own.
        let group = usize::from(event == "PreToolUse");
        let handler = &groups[group]["hooks"][0];
        let pinned = format!(
            r#"{{"event_name":"{snake}","hooks":[{{"async":false,"command":{},"timeout":{},"type":"command"}}]}}"#,
            handler["command"], handler["timeout"]
        );
        let key = format!("{}:{snake}:{group}:0", file.display());
        let hash = Digest::of(pinned.as_bytes());
        config.push_str(&format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:{hash}\"\n"));
    }
    let trusted = |config: String| {
        cx.write("home/.codex/config.toml", config);
        problems(&cx, "codex")
    };
    assert_eq!(trusted(config.clone()), [""; 0]);
    let words = said(&cx, &agent(&cx, &["status", "codex"]));
    assert!(words.contains("  trust    Codex trusts all "), "{words}");
    let off = trusted(config.replace("hooks = true", "hooks = false"));
    assert_eq!(off, ["Codex runs no hooks: [features] hooks = false in config.toml"]);
    let other = trusted(config.replace("pre_tool_use:1:0", "pre_tool_use:0:0"));
    assert_eq!(other.len(), 1, "{other:?}");
    assert!(other[0].starts_with("Codex does not trust PreToolUse yet: "), "{other:?}");
    // Codex goes by the text: a program that stands elsewhere must be trusted anew.
    let text = context::read(&file);
    cx.write("home/.codex/hooks.json", text.replacen("\"timeout\": 3600", "\"timeout\": 60", 1));
    let changed = trusted(config);
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert!(changed[0].contains(" was changed: `timeout` is `60`"), "{changed:?}");
    assert!(changed[1].starts_with("what somebody trusted in Codex changed since"), "{changed:?}");
}

/// Runs `agent status claude` with this PATH from this folder. The program at `brings` must not be started.
fn assert_not_started(case: &str, brings: &str, path: &str, here: &str, markers: &[&str], args: &[&str]) {
    let cx = TestContext::new();
    let marker = cx.path("started");
    cx.script(brings, &format!("#!/bin/sh\ntouch '{}'\necho 1.0.0\n", marker.display()));
    markers.iter().for_each(|name| fs::create_dir_all(cx.path(name)).expect("a folder"));
    fs::create_dir_all(cx.path(here)).expect("a folder");
    let args: Vec<String> =
        args.iter().map(|it| it.replace("[TEST]", &cx.path("").to_string_lossy())).collect();
    let mut status = command(
        &cx,
        &[&["status", "claude"], &*args.iter().map(String::as_str).collect::<Vec<_>>()].concat(),
    );
    status.env("PATH", cx.path(path)).current_dir(cx.path(here));
    let words = said(&cx, &context::pipe(status, b""));
    assert!(words.contains("not asked for its version: a workspace brings it"), "{case}: {words}");
    assert!(!marker.exists(), "{case}: it was started");
}

#[test]
fn red_team_m7_no_program_that_a_workspace_brings_is_started() {
    let bin = "project/node_modules/.bin";
    let claude = "project/node_modules/.bin/claude";
    let tool = "project/tools/claude";
    assert_not_started("in the workspace", claude, bin, "project", &["project/.git"], &[]);
    assert_not_started(
        "the nearest .cursor is below it",
        claude,
        bin,
        "project/sub",
        &["project/sub/.cursor"],
        &[],
    );
    let nested = ["project/.git", "project/sub/.cursor"];
    assert_not_started("the same without npm", tool, "project/tools", "project/sub", &nested, &[]);
    assert_not_started("from outside", claude, bin, "elsewhere", &[], &[]);
    for marker in ["project/.git", "project/.cursor", "project/.hg"] {
        assert_not_started("from outside, without npm", tool, "project/tools", "elsewhere", &[marker], &[]);
    }
    let both = ["--workspace", "[TEST]elsewhere", "--workspace", "[TEST]project"];
    assert_not_started("the second workspace", tool, "project/tools", "elsewhere", &[], &both);
    assert_not_started(
        "in the home",
        "home/src/p/bin/claude",
        "home/src/p/bin",
        "elsewhere",
        &["home/src/p/.git"],
        &[],
    );
    assert_not_started(
        "in a hidden folder",
        "home/.p/bin/claude",
        "home/.p/bin",
        "home/.p",
        &["home/.p/.git"],
        &[],
    );
}

#[test]
fn red_team_m7_a_link_on_the_path_does_not_hide_the_workspace() {
    let cx = TestContext::new();
    let marker = cx.path("started");
    let script = format!("#!/bin/sh\ntouch '{}'\necho 1.0.0\n", marker.display());
    let program = cx.script("elsewhere/tools/claude", &script);
    fs::create_dir_all(cx.path("elsewhere/.git")).expect("a folder");
    fs::create_dir_all(cx.path("bin")).expect("a folder");
    std::os::unix::fs::symlink(program, cx.path("bin/claude")).expect("a link");
    let words = said(&cx, &agent(&cx, &["status", "claude"]));
    assert!(words.contains("a workspace brings it") && !marker.exists(), "{words}");
}

/// Version managers live in the home as Git repositories; what they install is the user's own.
#[test]
fn programs_of_a_version_manager_are_asked_for_their_version() {
    let cx = TestContext::new();
    cx.script("home/.nvm/versions/node/v22/bin/claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    for marker in ["home/.nvm/.git", "home/.git", "home/.cursor", "project/.git"] {
        fs::create_dir_all(cx.path(marker)).expect("a folder");
    }
    let mut status = command(&cx, &["status", "claude"]);
    status.env("PATH", cx.path("home/.nvm/versions/node/v22/bin"));
    let words = said(&cx, &context::pipe(status, b""));
    assert!(words.contains("2.1.325"), "{words}");
}

#[test]
fn coverage_has_a_row_for_every_event_and_every_field() {
    let cx = TestContext::new();
    let page = String::from_utf8(agent(&cx, &["status", "--coverage"]).stdout).expect("text");
    let rows = |start: &str| page.lines().filter(|line| line.starts_with(start)).count();
    for spec in EVENTS {
        assert!(rows(&format!("| {} |", spec.name)) > spec.answers.len(), "{}", spec.name);
    }
    for agent in AGENTS {
        // Cursor runs these hooks itself: there is nothing for us to enforce.
        let expected = agent.name != "cursor";
        assert_eq!(
            page.contains(&format!("## What differs in {}", agent.title)),
            expected,
            "{}",
            agent.title
        );
    }
    let file = cx.path("coverage.md");
    works(&cx, &["status", "--coverage", "--write", file.to_str().expect("text")]);
    assert_eq!(context::read(&file), page);
}

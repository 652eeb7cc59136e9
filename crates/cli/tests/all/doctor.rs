//! `boathook doctor`: what keeps hooks from working, and its repair.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;

use crate::context::{self, TestContext, one_hook};
use crate::false_daemon::{FalseDaemon, Manner, Talk};
use crate::served::Served;

/// The codes of all problems, in order.
fn codes(cx: &TestContext) -> Vec<String> {
    let output = cx.output(["doctor", "--json"]);
    let page: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let problems = page["problems"].as_array().expect("a list");
    problems.iter().map(|problem| problem["code"].as_str().unwrap_or_default().to_owned()).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

#[test]
fn a_machine_where_all_is_well_fits_on_a_page() {
    let cx = TestContext::new();
    cx.script("project/.cursor/hooks/a.sh", "#!/bin/sh\ntrue\n");
    cx.write("project/.cursor/hooks.json", one_hook("stop", ".cursor/hooks/a.sh"));
    cx.trust();
    assert_snapshot!(cx.run(["doctor"]), @r"
    exit code: 0
    ----- stdout -----
    boathook 0.1.0, edition docs
    Sources
      enterprise     absent                     [SYSTEM]/etc/cursor/hooks.json
      project        1 hook, trusted            [PROJECT]/.cursor/hooks.json
      user           absent                     [HOME]/.cursor/hooks.json
      claude-local   absent                     [PROJECT]/.claude/settings.local.json
      claude-project absent                     [PROJECT]/.claude/settings.json
      claude-user    absent                     [HOME]/.claude/settings.json
    Programs that hooks need
      /bin/sh          /bin/sh
    Agents
      none found
    Last failures
      none in the log
    Team
      not enrolled
    Daemon
      does not run; `boathook run` needs none
    State
      [HOME]/.local/state/boathook

    nothing to repair
    ");
}

#[test]
fn every_fault_is_found_with_its_repair() {
    let user =
        |event: &str, entry: &str| format!("{{\"version\": 1, \"hooks\": {{\"{event}\": [{entry}]}}}}");
    let hook = |command: &str| user("stop", &serde_json::json!({ "command": command }).to_string());
    let cases: [(&str, String, &[&str]); 20] = [
        ("nothing", hook("./hooks/good.sh"), &[]),
        ("script missing", hook("./hooks/none.sh"), &["script-not-found"]),
        ("in the project", hook("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/none.sh"), &["script-not-found"]),
        ("in the project, bare", hook("sh $CURSOR_PROJECT_DIR/none.sh"), &["script-not-found"]),
        ("not executable", hook("./hooks/plain.sh"), &["script-not-executable"]),
        ("wrong base", hook(".cursor/hooks/good.sh"), &["script-elsewhere"]),
        ("program absent", hook("no-such-program --x"), &["program-not-found"]),
        ("interpreter absent", hook("./hooks/odd.sh"), &["interpreter-not-found"]),
        ("CR LF", hook("./hooks/crlf.sh"), &["script-crlf"]),
        ("jq absent", hook("./hooks/jq.sh"), &["jq-not-found"]),
        ("camelCase", hook("./hooks/camel.sh"), &["answer-in-camel-case"]),
        (
            "no lines",
            user("stop", r#"{"command": "sh ./hooks/plain.py", "persistent": true}"#),
            &["persistent-without-lines"],
        ),
        ("lines", user("stop", r#"{"command": "sh ./hooks/lines.py", "persistent": true}"#), &[]),
        ("open quote", hook("echo 'it"), &["open-quote"]),
        ("open double quote", hook("echo \"it"), &["open-quote"]),
        ("matcher", user("stop", r#"{"command": "true", "matcher": "Shell"}"#), &["matcher-never-matches"]),
        ("timeout", user("stop", r#"{"command": "true", "timeout": 30000}"#), &["timeout-in-milliseconds"]),
        (
            "placeholder",
            user("beforeShellExecution", r#"{"command": "echo '${command}'"}"#),
            &["placeholder-in-single-quotes"],
        ),
        ("misspelt event", user("stopp", r#"{"command": "true"}"#), &["unknown-event"]),
        ("not JSON", "{".to_owned(), &["not-closed"]),
    ];
    for (name, text, expected) in cases {
        let cx = TestContext::new();
        // Without jq, and with no more than these tests need.
        fs::create_dir(cx.path("bin")).expect("a folder");
        for program in ["sh", "env"] {
            symlink(format!("/usr/bin/{program}"), cx.path("bin").join(program)).expect("a link");
        }
        cx.script("home/.cursor/hooks/good.sh", "#!/bin/sh\ntrue\n");
        cx.write("home/.cursor/hooks/plain.sh", "#!/bin/sh\ntrue\n");
        cx.write("home/.cursor/hooks/plain.py", "print('{}')\n");
        cx.write("home/.cursor/hooks/lines.py", "from boathook_hook import serve\n");
        cx.script("home/.cursor/hooks/odd.sh", "#!/usr/bin/env no-such-interpreter\n");
        cx.script("home/.cursor/hooks/crlf.sh", "#!/bin/sh\r\ntrue\r\n");
        cx.script("home/.cursor/hooks/jq.sh", "#!/bin/sh\njq -r .command\n");
        cx.script("home/.cursor/hooks/camel.sh", "#!/bin/sh\necho '{\"userMessage\": \"x\"}'\n");
        cx.write("home/.cursor/hooks.json", text);
        let mut command = cx.command(["doctor", "--json"]);
        let output = context::pipe(
            {
                command.env("PATH", cx.path("bin"));
                command
            },
            b"",
        );
        let page: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let problems = page["problems"].as_array().expect("a list");
        let mut found: Vec<&str> = problems.iter().filter_map(|problem| problem["code"].as_str()).collect();
        found.retain(|code| *code != "unreadable");
        assert_eq!(found, expected, "{name}: {problems:#?}");
        assert_eq!(output.status.code(), Some(i32::from(!expected.is_empty())), "{name}");
        assert!(
            problems.iter().all(|problem| problem["help"].is_string() || problem["code"] == "unreadable"),
            "{name}: {problems:#?}"
        );
    }
}

#[test]
fn the_page_shows_what_to_do() {
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks/a.sh", "#!/bin/sh\r\necho '{\"agentMessage\": 1}'\r\n");
    cx.write("project/.cursor/hooks.json", "{\"version\": 1, \"hooks\": {\n  \"stop\": [{\"command\": \"./hooks/a.sh\"}],\n  \"preCompact\": [{\"command\": \".cursor/hooks/a.sh\"}, {\"command\": \"no-such-program 'x\"}]}}\n");
    assert_snapshot!(cx.run(["doctor"]), @r#"
    exit code: 1
    ----- stdout -----
    boathook 0.1.0, edition docs
    Sources
      enterprise     absent                     [SYSTEM]/etc/cursor/hooks.json
      project        3 hooks, not trusted       [PROJECT]/.cursor/hooks.json
      user           absent                     [HOME]/.cursor/hooks.json
      claude-local   absent                     [PROJECT]/.claude/settings.local.json
      claude-project absent                     [PROJECT]/.claude/settings.json
      claude-user    absent                     [HOME]/.claude/settings.json
    Programs that hooks need
      /bin/sh          /bin/sh
      no-such-program  not found
    Agents
      none found
    Last failures
      none in the log
    Team
      not enrolled
    Daemon
      does not run; `boathook run` needs none
    State
      [HOME]/.local/state/boathook

    warning: [PROJECT]/.cursor/hooks.json:2:24: the script `./hooks/a.sh` is not in [PROJECT], where this hook runs
       |
     2 |   "stop": [{"command": "./hooks/a.sh"}],
       |                        ^^^^^^^^^^^^^^
      help: write .cursor/hooks/a.sh
    warning: [PROJECT]/.cursor/hooks.json:3:30: the script `.cursor/hooks/a.sh` is not executable: the hook fails
       |
     3 |   "preCompact": [{"command": ".cursor/hooks/a.sh"}, {"command": "no-such-program 'x"}]}}
       |                              ^^^^^^^^^^^^^^^^^^^^
      help: chmod +x [PROJECT]/.cursor/hooks/a.sh
    warning: [PROJECT]/.cursor/hooks.json:3:30: the lines of [PROJECT]/.cursor/hooks/a.sh end in CR LF: the system looks for an interpreter named `sh\r`
       |
     3 |   "preCompact": [{"command": ".cursor/hooks/a.sh"}, {"command": "no-such-program 'x"}]}}
       |                              ^^^^^^^^^^^^^^^^^^^^
      help: save it with Unix line ends; in git, `*.sh text eol=lf` in .gitattributes keeps them
    warning: [PROJECT]/.cursor/hooks.json:3:30: [PROJECT]/.cursor/hooks/a.sh:2 answers with `agentMessage`
       |
     3 |   "preCompact": [{"command": ".cursor/hooks/a.sh"}, {"command": "no-such-program 'x"}]}}
       |                              ^^^^^^^^^^^^^^^^^^^^
      help: write `agent_message`
      note: the original product: ignores the field
    warning: [PROJECT]/.cursor/hooks.json:3:65: a single quote of this command is never closed: the shell refuses to run it
       |
     3 |   "preCompact": [{"command": ".cursor/hooks/a.sh"}, {"command": "no-such-program 'x"}]}}
       |                                                                 ^^^^^^^^^^^^^^^^^^^^
      help: close it; an apostrophe in a text stands in double quotes
    warning: [PROJECT]/.cursor/hooks.json:3:65: `no-such-program` is not on PATH: the hook fails
       |
     3 |   "preCompact": [{"command": ".cursor/hooks/a.sh"}, {"command": "no-such-program 'x"}]}}
       |                                                                 ^^^^^^^^^^^^^^^^^^^^
      help: install no-such-program, or name it by its whole path; agents do not always have the PATH of your shell
    warning: [PROJECT]/.cursor/hooks.json: 3 hooks are withheld: the workspace is not trusted
      help: `boathook trust` shows what would be trusted, and asks
    7 problems
    ----- stderr -----
    hint: `boathook doctor --fix` repairs 3 of them
    "#);
    assert_snapshot!(cx.run(["doctor", "--fix"]), @r#"
    exit code: 1
    ----- stdout -----
    boathook 0.1.0, edition docs
    Sources
      enterprise     absent                     [SYSTEM]/etc/cursor/hooks.json
      project        3 hooks, not trusted       [PROJECT]/.cursor/hooks.json
      user           absent                     [HOME]/.cursor/hooks.json
      claude-local   absent                     [PROJECT]/.claude/settings.local.json
      claude-project absent                     [PROJECT]/.claude/settings.json
      claude-user    absent                     [HOME]/.claude/settings.json
    Programs that hooks need
      /bin/sh          /bin/sh
      no-such-program  not found
    Agents
      none found
    Last failures
      none in the log
    Team
      not enrolled
    Daemon
      does not run; `boathook run` needs none
    State
      [HOME]/.local/state/boathook

    warning: [PROJECT]/.cursor/hooks.json:2:24: [PROJECT]/.cursor/hooks/a.sh:2 answers with `agentMessage`
       |
     2 |   "stop": [{"command": ".cursor/hooks/a.sh"}],
       |                        ^^^^^^^^^^^^^^^^^^^^
      help: write `agent_message`
      note: the original product: ignores the field
    warning: [PROJECT]/.cursor/hooks.json:3:65: a single quote of this command is never closed: the shell refuses to run it
       |
     3 |   "preCompact": [{"command": ".cursor/hooks/a.sh"}, {"command": "no-such-program 'x"}]}}
       |                                                                 ^^^^^^^^^^^^^^^^^^^^
      help: close it; an apostrophe in a text stands in double quotes
    warning: [PROJECT]/.cursor/hooks.json:3:65: `no-such-program` is not on PATH: the hook fails
       |
     3 |   "preCompact": [{"command": ".cursor/hooks/a.sh"}, {"command": "no-such-program 'x"}]}}
       |                                                                 ^^^^^^^^^^^^^^^^^^^^
      help: install no-such-program, or name it by its whole path; agents do not always have the PATH of your shell
    warning: [PROJECT]/.cursor/hooks.json: 3 hooks are withheld: the workspace is not trusted
      help: `boathook trust` shows what would be trusted, and asks
    4 problems
    ----- stderr -----
    repaired 1 problem in [PROJECT]/.cursor/hooks.json
      line 2: the script `./hooks/a.sh` is not in [PROJECT], where this hook runs
    repaired [PROJECT]/.cursor/hooks/a.sh: it is executable now
    repaired [PROJECT]/.cursor/hooks/a.sh: its lines end without CR now
    "#);
    let script = cx.path("project/.cursor/hooks/a.sh");
    assert_eq!(mode(&script) & 0o111, 0o111);
    assert_eq!(context::read(&script), "#!/bin/sh\necho '{\"agentMessage\": 1}'\n");
}

#[test]
fn a_repair_changes_nothing_outside_the_folder_of_the_hooks() {
    let cx = TestContext::new();
    let (secret, tool) =
        (cx.write("home/.ssh/key", "#!/bin/sh\r\n"), cx.write("home/tool.sh", "#!/bin/sh\r\n"));
    fs::create_dir_all(cx.path("project/.cursor/hooks")).expect("a folder");
    symlink(&tool, cx.path("project/.cursor/hooks/link.sh")).expect("a link");
    cx.write(
        "project/.cursor/hooks.json",
        format!("{{\"version\": 1, \"hooks\": {{\"stop\": [{{\"command\": \"{}\"}}, {{\"command\": \"~/tool.sh\"}}, {{\"command\": \".cursor/hooks/link.sh\"}}, {{\"command\": \"../home/tool.sh\"}}]}}}}", secret.display()),
    );
    let before = (mode(&secret), mode(&tool));
    let output = cx.output(["doctor", "--fix"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("it is not repaired here"));
    assert_eq!((mode(&secret), mode(&tool)), before);
    assert_eq!(context::read(&secret), "#!/bin/sh\r\n");
    assert_eq!(context::read(&tool), "#!/bin/sh\r\n");
}

#[test]
fn failures_of_the_past_are_told() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", "exit 3"));
    cx.output(["run", "stop"]);
    let seen = cx.run(["doctor"]);
    assert!(seen.contains("exit code: 0"), "what is past is not broken now: {seen}");
    assert!(seen.contains("stop  exit 3: exited with code 3  (boathook log "), "{seen}");
}

#[test]
fn a_failure_of_the_past_says_what_stood_on_stderr() {
    let cases = [
        (
            "a line",
            r"echo; echo 'no such table' >&2; exit 1",
            "exited with code 1 (stderr: no such table)  (",
        ),
        (
            "control characters",
            r"printf '\033[31mred\rline\n' >&2; exit 1",
            "(stderr: \\u{1b}[31mred\\u{d}line)  (",
        ),
        (
            "a long line",
            r"printf 'a%.0s' $(seq 999) >&2; exit 1",
            &format!("(stderr: {})  (", "a".repeat(200)),
        ),
    ];
    for (name, command, expected) in cases {
        let cx = TestContext::new();
        cx.write("home/.cursor/hooks.json", one_hook("stop", command));
        cx.output(["run", "stop"]);
        let seen = String::from_utf8_lossy(&cx.output(["doctor"]).stdout).into_owned();
        assert!(seen.contains(expected), "{name}: {seen}");
        assert!(!seen.contains(['\u{1b}', '\r']), "{name}");
    }
}

#[test]
fn one_line_tells_of_the_daemon_whatever_it_is() {
    let of_another_version = |talk: &mut Talk| {
        let id = talk.hear();
        let status = r#"{"version":"0.0.1","pid":7}"#;
        talk.say(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{status}}}\n"));
    };
    let senseless = |talk: &mut Talk| {
        talk.hear();
        talk.say("no\n");
    };
    let endless = |talk: &mut Talk| {
        talk.hear();
        while talk.stream.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let cases: [(&str, Manner, &str); 4] = [
        ("endless", endless, "cannot be asked: the daemon does not answer (it never comes to an end)"),
        (
            "another version",
            of_another_version,
            "runs, process 7, of version 0.0.1: this version does not ask it",
        ),
        ("silent", |talk| talk.wait(), "cannot be asked: the daemon does not answer"),
        ("senseless", senseless, "cannot be asked: what the daemon answers makes no sense"),
    ];
    for (name, manner, expected) in cases {
        let cx = TestContext::new();
        let _daemon = FalseDaemon::new(&cx, manner);
        says_of_the_daemon(&cx, name, expected);
    }
    let cx = TestContext::new();
    let daemon = Served::start(&cx);
    says_of_the_daemon(&cx, "ours", &format!("runs, process {}\n", daemon.pid()));
}

/// It waits a second for the daemon. A busy machine may hold the daemon up for
/// longer than that, but not every time.
fn says_of_the_daemon(cx: &TestContext, name: &str, expected: &str) {
    let mut seen = String::new();
    for _ in 0..5 {
        let begun = Instant::now();
        seen = cx.run(["doctor"]);
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}");
        assert!(seen.starts_with("exit code: 0"), "{name}: {seen}");
        if seen.contains(&format!("Daemon\n  {expected}")) {
            return;
        }
    }
    panic!("{name}: {seen}");
}

#[test]
fn hostile_files_do_not_hold_or_break_it() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("project/.cursor/hooks")).expect("a folder");
    let fifo = cx.path("project/.cursor/hooks/fifo.sh");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    fs::set_permissions(&fifo, fs::Permissions::from_mode(0o755)).expect("permissions");
    cx.script("project/.cursor/hooks/binary", "\u{0}\u{1}");
    fs::write(cx.path("project/.cursor/hooks/binary"), [0xff, 0xfe, b'#', b'!']).expect("a file");
    cx.script("project/.cursor/hooks/escape.sh", "#!/bin/\u{1b}[31msh\n");
    cx.write("project/.cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \".cursor/hooks/fifo.sh\"}, {\"command\": \".cursor/hooks/binary\"}, {\"command\": \"/dev/zero\"}, {\"command\": \".cursor/hooks/escape.sh\"}]}}");
    let output = cx.output(["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    for bytes in [&output.stdout, &output.stderr] {
        assert!(!bytes.contains(&0x1b), "{}", String::from_utf8_lossy(bytes));
    }
    assert!(codes(&cx).contains(&"untrusted".to_owned()));
}

#[test]
fn a_prompt_hook_without_a_model_is_a_problem_before_and_after_trust() {
    let cx = TestContext::new();
    let entry = r#"{"type": "prompt", "prompt": "Safe?", "failClosed": true}"#;
    let file = format!("{{\"version\": 1, \"hooks\": {{\"beforeShellExecution\": [{entry}]}}}}");
    cx.write("project/.cursor/hooks.json", file);
    assert_eq!(codes(&cx), ["no-model", "untrusted"]);
    assert!(cx.run(["check"]).contains("a prompt hook fails"), "{}", cx.run(["check"]));
    cx.trust();
    assert_eq!(codes(&cx), ["no-model"]);
    let seen = cx.run(["doctor"]);
    assert!(seen.starts_with("exit code: 1\n"), "{seen}");
    assert!(seen.contains("it says `failClosed`, so its event is blocked"), "{seen}");
}

#[test]
fn one_script_in_both_files_runs_twice_also_where_the_events_differ() {
    let cases = [("Bash", 1), ("*", 1), ("Write", 0)];
    for (matcher, expected) in cases {
        let cx = TestContext::new();
        cx.script("project/guard.sh", "#!/bin/sh\ntrue\n");
        cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", "./guard.sh"));
        let hooks = serde_json::json!([{ "matcher": matcher, "hooks": [
            { "type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/guard.sh" }] }]);
        let settings = serde_json::json!({ "hooks": { "PreToolUse": hooks } });
        cx.write("project/.claude/settings.json", settings.to_string());
        let found = codes(&cx);
        let twice = found.iter().filter(|code| *code == "duplicate-in-claude-file").count();
        assert_eq!(twice, expected, "{matcher}: {found:?}");
    }
}

#[test]
fn a_failure_of_another_workspace_is_told_as_such_and_jq_is_listed() {
    let cx = TestContext::new();
    cx.write("elsewhere/.cursor/hooks.json", one_hook("stop", "exit 3"));
    let other = cx.path("elsewhere").display().to_string();
    cx.output(["run", "stop", "--trust", "--workspace", &other]);
    cx.write("home/.cursor/hooks.json", one_hook("stop", "cat | jq ."));
    let mut command = cx.command(["doctor"]);
    command.env("PATH", "/nowhere");
    let seen = cx.without_paths(&String::from_utf8_lossy(&context::pipe(command, b"").stdout));
    assert!(seen.contains("not of this workspace: [TEST]/elsewhere/.cursor/hooks.json:1"), "{seen}");
    assert!(seen.contains("  jq               not found"), "{seen}");
    assert!(seen.contains("warning: [HOME]/.cursor/hooks.json:1:"), "findings are data: {seen}");
}

#[test]
fn only_repairs_that_are_made_are_announced_and_what_is_left_is_told_once() {
    let cx = TestContext::new();
    let tool = cx.write("home/tool.sh", "#!/bin/sh\ntrue\n");
    cx.write("project/.cursor/hooks/a.sh", "#!/bin/sh\ntrue\n");
    let entries = serde_json::json!([{ "command": tool }, { "command": ".cursor/hooks/a.sh" }]);
    let hooks = serde_json::json!({ "version": 1, "hooks": { "stop": entries } });
    cx.write("project/.cursor/hooks.json", hooks.to_string());
    let before = cx.run(["doctor"]);
    assert!(before.contains("`boathook doctor --fix` repairs 1 of them"), "{before}");
    let after = cx.run(["doctor", "--fix"]);
    assert_eq!(after.matches("it is not repaired here").count(), 1, "{after}");
    assert!(after.contains("repaired [PROJECT]/.cursor/hooks/a.sh: it is executable now"), "{after}");
}

//! hookify rules through the binary: as files, as entries, and as a command.

use std::fs;

use serde_json::{Value, json};

use crate::context::TestContext;

const RULE: &str =
    "---\nname: no-rm\nenabled: true\nevent: bash\npattern: rm\\s+-rf\naction: block\n---\nUse trash.\n";
const FILE: &str = "project/.claude/hookify.no-rm.local.md";

fn project() -> TestContext {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    cx.write(FILE, RULE);
    cx
}

fn answer(cx: &TestContext, args: &[&str], payload: &Value) -> Value {
    let output = cx.output_with(args, payload.to_string().as_bytes());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn a_rule_of_a_trusted_workspace_refuses_without_a_process() {
    let cx = project();
    let payload = json!({ "command": "sudo RM -rf /" });
    let shell = ["run", "beforeShellExecution"];
    assert_eq!(answer(&cx, &shell, &payload), json!({}), "nobody trusted it yet");
    cx.run(["trust", "--yes"]);
    let said = answer(&cx, &shell, &payload);
    assert_eq!(said["permission"], "deny");
    assert_eq!(said["user_message"], "**[no-rm]**\nUse trash.");
    assert_eq!(answer(&cx, &shell, &json!({ "command": "ls" })), json!({}));
    let tool = json!({ "tool_name": "Shell", "tool_input": { "command": "rm -rf /" } });
    assert_eq!(answer(&cx, &["run", "preToolUse"], &tool), json!({}), "it answers once for one call");
    cx.write(FILE, RULE.replace("trash", "bin"));
    assert_eq!(answer(&cx, &shell, &payload), json!({}), "a change withdraws trust");
}

#[test]
fn a_warning_reaches_the_model_and_holds_nothing_back() {
    let cx = project();
    cx.write(FILE, RULE.replace("block", "warn"));
    let tool = json!({ "tool_name": "Shell", "tool_input": { "command": "rm -rf /" } });
    let said = answer(&cx, &["run", "preToolUse", "--trust"], &tool);
    assert_eq!(said, json!({ "additional_context": "**[no-rm]**\nUse trash." }));
    let shell = answer(&cx, &["run", "beforeShellExecution", "--trust"], &json!({ "command": "rm -rf /" }));
    assert_eq!(shell, json!({}));
}

#[test]
fn a_rule_that_a_hooks_json_names_is_asked_once() {
    let cx = project();
    let command = "boathook hookify .claude/hookify.no-rm.local.md";
    cx.write(
        "project/.cursor/hooks.json",
        json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": command }] } }).to_string(),
    );
    let output =
        cx.output_with(["run", "beforeShellExecution", "--trust", "--trace"], br#"{"command":"rm -rf /"}"#);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let trace = stderr.lines().find(|line| line.starts_with('{')).expect("a trace");
    let trace: Value = serde_json::from_str(trace).expect("JSON");
    let hooks = trace["hooks"].as_array().expect("hooks");
    assert_eq!(hooks.len(), 1, "{trace}");
    assert_eq!((&hooks[0]["command"], &hooks[0]["source"]), (&json!(command), &json!("project")));
    // There is no `boathook` on the PATH of a hook here: no process was needed.
    assert!(hooks[0].get("exit_code").is_none(), "{trace}");
}

#[test]
fn trust_covers_the_rule_that_an_entry_names() {
    let cx = project();
    let command = "boathook hookify .claude/hookify.no-rm.local.md";
    cx.write(
        "project/.cursor/hooks.json",
        json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": command, "failClosed": true }] } })
            .to_string(),
    );
    let shell = ["run", "beforeShellExecution"];
    cx.run(["trust", "--yes"]);
    assert_eq!(answer(&cx, &shell, &json!({ "command": "ls" })), json!({}));
    cx.write(FILE, RULE.replace("rm\\s+-rf", "never"));
    let said = answer(&cx, &shell, &json!({ "command": "ls" }));
    assert_eq!(said["permission"], "deny", "a gate that changed stays shut");
}

#[test]
fn an_entry_of_a_missing_or_broken_rule_is_an_error() {
    let cx = project();
    let entry = |file: &str| {
        let command = format!("boathook hookify {file}");
        json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": command }] } }).to_string()
    };
    cx.write("project/.cursor/hooks.json", entry(".claude/hookify.gone.local.md"));
    let said = cx.run(["check"]);
    assert!(said.contains("the rule `.claude/hookify.gone.local.md` cannot be read"), "{said}");
    cx.write("project/.claude/hookify.odd.local.md", "no head\n");
    cx.write("project/.cursor/hooks.json", entry(".claude/hookify.odd.local.md"));
    let said = cx.run(["check"]);
    assert!(said.contains("a hookify rule begins with a line `---`"), "{said}");
    cx.write("project/rules/odd.md", RULE.replace("rm\\s+-rf", "(rm"));
    cx.write("project/.cursor/hooks.json", entry("rules/odd.md"));
    let said = cx.run(["check"]);
    assert!(
        said.contains("`rules/odd.md` cannot be decided: the regular expression does not compile"),
        "{said}"
    );
}

#[test]
fn a_rule_that_is_none_is_named_with_every_decision() {
    let long: String = (0..80_000).map(|n| format!("k{n}: v\n")).collect();
    let cases = [
        ("event: shell\npattern: rm\naction: block\n".to_owned(), "`event: shell` is no event"),
        ("event:\npattern: rm\naction: block\n".to_owned(), "`event` is empty"),
        (format!("event: bash\npattern: rm\naction: block\n{long}"), "the head of the rule is too long"),
    ];
    for (head, expected) in cases {
        let cx = TestContext::new();
        cx.write("project/.claude/hookify.x.local.md", format!("---\n{head}---\nno\n"));
        let seen = cx.run_with(["run", "beforeShellExecution", "--trust"], r#"{"command":"rm x"}"#);
        assert!(seen.contains("warning: ") && seen.contains(expected), "{seen}");
        assert!(seen.contains("hookify.x.local.md"), "{seen}");
    }
}

#[test]
fn check_says_what_a_rule_cannot_mean() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    cx.write(
        "project/.claude/hookify.a.local.md",
        "---\nname: a\nevent: stop\naction: block\nconditions:\n  - field: transcript\n    operator: not_contains\n    pattern: npm test|pytest\n---\nRun tests.\n",
    );
    insta::assert_snapshot!(cx.run(["check"]), @r#"
    exit code: 0
    ----- stdout -----
    1 hook checked: 0 errors, 2 warnings
    ----- stderr -----
    warning: [PROJECT]/.claude/hookify.a.local.md:8:14: `|` is a plain character here, so this holds nearly always
       |
     8 |     pattern: npm test|pytest
       |              ^^^^^^^^^^^^^^^
      help: write `operator: regex_match` and `pattern: \A(?![\s\S]*(npm test|pytest))`, or one condition for each
    warning: [PROJECT]/.claude/hookify.a.local.md: 1 hook is withheld: the workspace is not trusted
      help: `boathook trust` shows what would be trusted, and asks
    "#);
}

#[test]
fn the_command_answers_as_the_engine_does() {
    let cx = project();
    let shell = |command: &str| json!({ "hook_event_name": "beforeShellExecution", "command": command });
    let file = ".claude/hookify.no-rm.local.md";
    let said = answer(&cx, &["hookify", file], &shell("rm -rf /"));
    assert_eq!(
        (&said["permission"], &said["agent_message"]),
        (&json!("deny"), &json!("**[no-rm]**\nUse trash."))
    );
    assert_eq!(answer(&cx, &["hookify", file], &shell("ls")), json!({}));
    cx.write(FILE, RULE.replace("block", "warn"));
    assert_eq!(answer(&cx, &["hookify", "--warn-as", "ask", file], &shell("rm -rf /"))["permission"], "ask");
    cx.write(FILE, RULE.replace("rm\\s+-rf", "\"rm\\\\s+-rf\""));
    assert_eq!(answer(&cx, &["hookify", file], &shell("rm -rf /"))["permission"], "deny");
    assert_eq!(answer(&cx, &["hookify", "--faithful", file], &shell("rm -rf /")), json!({}));
    cx.write("home/.config/boathook/config.toml", "[hookify]\nmode = \"faithful\"\n");
    assert_eq!(answer(&cx, &["hookify", file], &shell("rm -rf /")), json!({}));
}

#[test]
fn the_command_fails_without_looking_like_a_refusal() {
    let cx = project();
    let cases = [
        ("no event", FILE, "{\"command\":\"ls\"}", "`hook_event_name` is ``"),
        ("no rule", "gone.md", "{\"hook_event_name\":\"stop\"}", "gone.md"),
        ("no payload", FILE, "[]", "the payload is not a JSON object"),
    ];
    for (name, file, payload, expected) in cases {
        let output = cx.output_with(["hookify", file.trim_start_matches("project/")], payload.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{name}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(expected), "{name}: {stderr}");
    }
}

#[test]
fn prompts_are_held_back_and_stops_go_on() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    let rule = |event: &str, pattern: &str| {
        format!("---\nname: r\nevent: {event}\naction: block\npattern: {pattern}\n---\nNo.\n")
    };
    cx.write("project/.claude/hookify.p.local.md", rule("prompt", "password"));
    cx.write("project/.claude/hookify.s.local.md", rule("stop", ".*"));
    let held = answer(&cx, &["run", "beforeSubmitPrompt", "--trust"], &json!({ "prompt": "my PASSWORD" }));
    assert_eq!(held, json!({ "continue": false, "user_message": "**[r]**\nNo." }));
    let stop = answer(&cx, &["run", "stop", "--trust"], &json!({ "status": "completed" }));
    assert_eq!(stop, json!({ "followup_message": "**[r]**\nNo." }));
}

#[test]
fn a_silent_rule_says_which_condition_is_not_so() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    let rule =
        |event: &str, more: &str| format!("---\nname: r\nevent: {event}\naction: block\n{more}---\nNo.\n");
    let condition = |field: &str, operator: &str, pattern: &str| {
        format!("conditions:\n  - field: {field}\n    operator: {operator}\n    pattern: {pattern}\n")
    };
    let write = r#"{"tool_name":"Write","tool_input":{"file_path":"/x/a.txt","content":"TODO"}}"#;
    let said = cx.write("project/said.txt", "I ran pytest.");
    let stop = json!({ "status": "completed", "transcript_path": said }).to_string();
    let cases = [
        (
            rule("bash", "pattern: rm\\s+-rf\n"),
            "beforeShellExecution",
            r#"{"command":"ls -la"}"#,
            r"`command` is `ls -la`, and the rule wants one that matches `rm\s+-rf`",
        ),
        (
            rule("file", &condition("file_path", "ends_with", ".pem")),
            "preToolUse",
            write,
            "`file_path` is `/x/a.txt`, and the rule wants one that ends with `.pem`",
        ),
        (rule("file", &condition("colour", "equals", "red")), "preToolUse", write, "`colour` is not there"),
        (
            rule("stop", &condition("transcript", "not_contains", "pytest")),
            "stop",
            &stop,
            "`transcript` is `I ran pytest.`, and the rule wants one that does not contain `pytest`",
        ),
        (
            rule("all", "tool_matcher: Read\npattern: x\n"),
            "preToolUse",
            write,
            "its `tool_matcher` is `Read`, and the tool is `Write`",
        ),
    ];
    for (text, event, payload, expected) in cases {
        cx.write("project/.claude/hookify.r.local.md", text);
        cx.trust();
        let explained = cx.run_with(["explain", event], payload);
        assert!(explained.contains(expected), "{explained}");
        cx.run_with(["run", event], payload);
        let log = cx.run(["log", "--json"]);
        let newest: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let told = newest.iter().any(|record| {
            record["not_run"].to_string().contains(&json!(expected).to_string().trim_matches('"').to_owned())
        });
        assert!(told, "{expected}: {log}");
    }
}

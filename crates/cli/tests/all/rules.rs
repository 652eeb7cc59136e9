//! Rules of a hooks.json: no process starts for one, and asked as a process it
//! gives the same answer.

use std::process::Command;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::context::{self, TestContext};

/// An event, a rule, and payloads on which it speaks and on which it does not.
fn cases() -> Vec<(&'static str, Value, Vec<Value>)> {
    vec![
        (
            "beforeShellExecution",
            json!({ "shell": ["git push --force", "git push -f"], "deny": "Not `{command}`." }),
            vec![
                json!({ "command": "git push -f" }),
                json!({ "command": "git push" }),
                json!({ "command": "$X" }),
                json!({ "command": "echo 'x" }),
                json!({ "command": "sh -c 'git push --force' \u{1b}[31m" }),
                json!({}),
            ],
        ),
        (
            "beforeShellExecution",
            json!({ "shell": "ls", "allow": true }),
            vec![json!({ "command": "ls" }), json!({ "command": "ls; rm x" })],
        ),
        (
            "beforeShellExecution",
            json!({ "shell": ["ls", "git status"], "allow": true }),
            vec![
                json!({ "command": "git status --short && /bin/ls" }),
                json!({ "command": "git push --force origin status" }),
                json!({ "command": "./ls" }),
                json!({ "command": "ls < /etc/shadow" }),
            ],
        ),
        (
            "beforeShellExecution",
            json!({ "shell": [{ "assigns": "LD_*" }, { "writes_to": ".env*" }], "deny": "no" }),
            vec![
                json!({ "command": "env LD_PRELOAD=x ls" }),
                json!({ "command": "X=.env; echo > $X" }),
                json!({ "command": "X=1 make > log" }),
            ],
        ),
        (
            "preToolUse",
            json!({ "when": { "tool_input.path": { "glob": "*.pem" } }, "ask": "Sure?", "agent_message": "The user is asked." }),
            vec![
                json!({ "tool_name": "Write", "tool_input": { "path": "a.pem" } }),
                json!({ "tool_name": "Write", "tool_input": { "path": "a" } }),
            ],
        ),
        (
            "beforeSubmitPrompt",
            json!({ "when": { "prompt": { "contains": "secret" } }, "deny": true }),
            vec![json!({ "prompt": "a secret" }), json!({ "prompt": "none" })],
        ),
        (
            "beforeTabFileRead",
            json!({ "when": { "file_path": { "glob": ".env" } }, "deny": "Not that." }),
            vec![json!({ "file_path": "/x/.env" }), json!({ "file_path": "/x/y" })],
        ),
        (
            "afterAgentResponse",
            json!({ "when": { "text": { "matches": "^x" } }, "deny": "no" }),
            vec![json!({ "text": "xy" }), json!({ "text": "y" })],
        ),
        (
            "sessionStart",
            json!({ "additional_context": "Be kind to {user_email}." }),
            vec![json!({ "user_email": "a@b" })],
        ),
        (
            "preCompact",
            json!({ "when": { "trigger": "auto" }, "user_message": "Soon." }),
            vec![json!({ "trigger": "auto" })],
        ),
        (
            "stop",
            json!({ "when": { "status": "completed" }, "followup_message": "On." }),
            vec![json!({ "status": "completed", "loop_count": 0 })],
        ),
    ]
}

fn hooks(event: &str, entry: Value) -> String {
    json!({ "version": 1, "hooks": { event: [entry] } }).to_string()
}

#[test]
fn a_rule_says_the_same_inside_and_as_a_process() {
    let mut spoke = 0;
    for (event, rule, payloads) in cases() {
        let cx = TestContext::new();
        cx.write(
            "project/.cursor/hooks.json",
            hooks(event, json!({ "command": "boathook rule r", "rule": rule })),
        );
        // The other project asks the first one's rule, as the original product would.
        let binary = env!("CARGO_BIN_EXE_boathook");
        let ask = format!("#!/bin/sh\ncd '{}' && exec '{binary}' rule r\n", cx.project().display());
        cx.script("other/.cursor/ask.sh", &ask);
        cx.write("other/.cursor/hooks.json", hooks(event, json!({ "command": ".cursor/ask.sh" })));
        for payload in payloads {
            let run = |workspace: &str| {
                let workspace = cx.path(workspace);
                let workspace = workspace.to_str().expect("UTF-8");
                let mut payload = payload.clone();
                payload["workspace_roots"] = json!([cx.project()]);
                let arguments = ["--workspace", workspace, "run", event, "--trust"];
                let output = cx.output_with(arguments, payload.to_string().as_bytes());
                (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
            };
            let (inside, process) = (run("project"), run("other"));
            assert_eq!(inside, process, "{event} {rule} {payload}");
            spoke += usize::from(inside.1.trim() != "{}");
        }
    }
    assert!(spoke >= 10, "only {spoke} spoke");
}

#[test]
fn no_process_starts_for_a_rule() {
    if std::env::var_os("BOATHOOK_TEST_STRACE").is_some_and(|name| name.is_empty()) {
        eprintln!("SKIPPED: no strace, and no permission to install it");
        return;
    }
    let cx = TestContext::new();
    let rule = json!({ "command": "boathook rule r", "rule": { "shell": "ls", "deny": "no" } });
    cx.write("project/.cursor/hooks.json", hooks("beforeShellExecution", rule));
    cx.trust();
    for (line, code) in [("ls", 2), ("cat", 0), ("sh -c 'ls'", 2)] {
        let binary = cx.command(["run", "beforeShellExecution"]);
        let trace = cx.path("trace");
        let mut command = Command::new("strace");
        let calls = "trace=execve,execveat,fork,vfork,clone,clone3,connect";
        command.args(["-f", "-qq", "-e", calls, "-o"]).arg(&trace);
        command.arg(binary.get_program()).args(binary.get_args());
        command.current_dir(cx.project()).env("HOME", cx.path("home"));
        let output = context::pipe(command, json!({ "command": line }).to_string().as_bytes());
        assert_eq!(output.status.code(), Some(code), "{line}");
        let started = context::read(&trace);
        assert!(
            started.contains("execve("),
            "strace saw nothing: is it installed? `cargo xtask test` installs it"
        );
        // The first line is the start of the binary itself.
        assert_eq!(started.lines().count(), 1, "{started}");
    }
}

#[test]
fn a_rule_that_is_not_there_is_told_loudly() {
    let cx = TestContext::new();
    let broken = json!({ "command": "boathook rule broken", "rule": { "shel": "ls", "deny": "no" } });
    cx.write("project/.cursor/hooks.json", hooks("beforeShellExecution", broken));
    let event = r#"{"hook_event_name": "beforeShellExecution", "command": "ls"}"#;
    assert_snapshot!(cx.run_with(["rule", "missing"], event), @r"
    exit code: 1
    ----- stderr -----
    error: there is no rule `missing` for `beforeShellExecution`
      help: write it beside the command in hooks.json; `boathook check` says what is wrong with a file
    ");
    assert_snapshot!(cx.run_with(["rule", "broken"], event), @r"
    exit code: 1
    ----- stderr -----
    error: the rule `broken` cannot be asked: [PROJECT]/.cursor/hooks.json:1: a rule has no `shel`
      help: `boathook check` shows the place and the repair
    ");
    assert_snapshot!(cx.run_with(["rule", "broken"], r#"{"hook_event_name": "beforeShell"}"#), @r#"
    exit code: 1
    ----- stderr -----
    error: the payload's `hook_event_name` is `beforeShell`, which is no event
      help: pipe in what a hook gets: {"hook_event_name": "beforeShellExecution", …}
    "#);
}

#[test]
fn the_rule_of_the_directory_it_is_run_in_is_asked() {
    let cx = TestContext::new();
    let rule = |text: &str| json!({ "command": "boathook rule r", "rule": { "shell": "ls", "deny": text } });
    cx.write("project/.cursor/hooks.json", hooks("beforeShellExecution", rule("the project's")));
    cx.write("home/.cursor/hooks.json", hooks("beforeShellExecution", rule("the user's")));
    let event = json!({ "hook_event_name": "beforeShellExecution", "command": "ls", "workspace_roots": [cx.project()] });
    for (directory, expected) in
        [("project", "the project's"), ("home/.cursor", "the user's"), ("home", "the project's")]
    {
        let mut command = cx.command(["rule", "r"]);
        command.current_dir(cx.path(directory));
        let output = context::pipe(command, event.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(answer["user_message"], expected, "{directory}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn list_and_explain_say_what_a_rule_does() {
    let cx = TestContext::new();
    let entries = json!({ "version": 1, "hooks": { "beforeShellExecution": [
        { "command": "boathook rule push", "rule": { "shell": { "program": "git", "args": ["push", ["-f", "--force"]] }, "deny": "No." } },
        { "command": "boathook rule place", "rule": { "when": { "cwd": { "starts_with": "/srv" }, "not": { "command": "ls" } }, "ask": true } },
    ]}});
    cx.write("home/.cursor/hooks.json", entries.to_string());
    assert_snapshot!(cx.run(["list"]), @r#"
    exit code: 0
    ----- stdout -----
    beforeShellExecution
      ready     user       boathook rule push
                [HOME]/.cursor/hooks.json:1
                rule: denies when the shell would run `git push -f|--force`
      ready     user       boathook rule place
                [HOME]/.cursor/hooks.json:1
                rule: asks when `cwd` starts with `/srv` and not (`command` equals "ls")
    Built-in, when an agent calls
      ready     self-protection
                asks before an agent changes user, team or enterprise hooks and their scripts, Boathook's state, configuration or program, or the entries that connect an agent
    "#);
    let explain =
        |line: &str| cx.run(["explain", "beforeShellExecution", "--field", line, "--field", "cwd=/home"]);
    assert_snapshot!(explain("command=git push -f"), @r#"
    exit code: 0
    ----- stdout -----
    beforeShellExecution: 1 hook would run

    1. boathook rule push
       source     user ([HOME]/.cursor/hooks.json:1)
       rule       decided without a process
       speaks     denies when the shell would run `git push -f|--force`
       says       {"permission":"deny","user_message":"No.","agent_message":"No."}
       timeout    60 s
       a failure  lets the action through

    Would not run:
    -  boathook rule place
       source     user ([HOME]/.cursor/hooks.json:1)
       because    `cwd` is `/home`, and the rule wants one that starts with `/srv`
    "#);
    assert_snapshot!(explain("command=git push"), @r"
    exit code: 0
    ----- stdout -----
    beforeShellExecution: no hook would run

    Would not run:
    -  boathook rule push
       source     user ([HOME]/.cursor/hooks.json:1)
       because    the command line would run none of `git push -f|--force`
    -  boathook rule place
       source     user ([HOME]/.cursor/hooks.json:1)
       because    `cwd` is `/home`, and the rule wants one that starts with `/srv`
    ");
    assert_snapshot!(explain("command=$X"), @r#"
    exit code: 0
    ----- stdout -----
    beforeShellExecution: 1 hook would run

    1. boathook rule push
       source     user ([HOME]/.cursor/hooks.json:1)
       rule       decided without a process
       speaks     denies when the shell would run `git push -f|--force`
       says       {"permission":"deny","user_message":"No. (In doubt: it cannot be known which program `…` starts.)","agent_message":"No. (In doubt: it cannot be known which program `…` starts.)"}
       because    the rule `push` speaks in doubt: it cannot be known which program `…` starts
       timeout    60 s
       a failure  lets the action through

    Would not run:
    -  boathook rule place
       source     user ([HOME]/.cursor/hooks.json:1)
       because    `cwd` is `/home`, and the rule wants one that starts with `/srv`
    "#);
}

#[test]
fn check_shows_the_mistakes_of_a_rule() {
    let cx = TestContext::new();
    let text = r#"{ "version": 1, "hooks": { "beforeShellExecution": [
  { "command": "boathook rule a", "rule": { "shell": "git push --force", "dney": "No." } },
  { "command": "boathook rule b", "failClosed": true, "rule": { "when": { "comand": { "matches": "(" } }, "deny": "No." } }
] } }"#;
    cx.write("project/.cursor/hooks.json", text);
    assert_snapshot!(cx.run(["check"]), @r#"
    exit code: 1
    ----- stdout -----
    2 hooks checked: 3 errors, 2 warnings
    ----- stderr -----
    error: [PROJECT]/.cursor/hooks.json:2:43: the rule says nothing
       |
     2 |   { "command": "boathook rule a", "rule": { "shell": "git push --force", "dney": "No." } },
       |                                           ^
      help: `beforeShellExecution` lets a rule say `deny`, `ask`, `allow`, `user_message`, `agent_message`
    error: [PROJECT]/.cursor/hooks.json:2:74: a rule has no `dney`
       |
     2 |   { "command": "boathook rule a", "rule": { "shell": "git push --force", "dney": "No." } },
       |                                                                          ^^^^^^
      help: did you mean `deny`?
    warning: [PROJECT]/.cursor/hooks.json:3:75: `beforeShellExecution` has no field `comand`, as far as is known
       |
     3 | "failClosed": true, "rule": { "when": { "comand": { "matches": "(" } }, "deny": "No." } }
       |                                         ^^^^^^^^
      help: did you mean `command`?
    error: [PROJECT]/.cursor/hooks.json:3:98: `(` is no regular expression: `(` is never closed; write `\(` for the character itself (at character 1): it says `failClosed`, so its event is blocked until this is repaired
       |
     3 | le": { "when": { "comand": { "matches": "(" } }, "deny": "No." } }
       |                                         ^^^
      help: it is read as JavaScript reads it; JSON doubles every backslash
    warning: [PROJECT]/.cursor/hooks.json: 2 hooks are withheld: the workspace is not trusted
      help: `boathook trust` shows what would be trusted, and asks
    hint: `boathook check --fix` repairs 2 of them
    "#);
}

#[test]
fn the_command_lines_of_the_manual_are_judged_as_it_says() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/manual/rules.md"));
    let page = page.expect("the manual");
    let first = page
        .split("```json file=.cursor/hooks.json\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("an example");
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks.json", first);
    let rows = page.lines().skip_while(|line| *line != "| Command line | Refused |").skip(2);
    let mut seen = 0;
    for row in rows.take_while(|line| line.starts_with('|')) {
        let (line, refused) = row.trim_matches(['|', ' ']).rsplit_once(" | ").expect("two cells");
        let payload = json!({ "command": line.trim_matches('`') }).to_string();
        let output = cx.output_with(["run", "beforeShellExecution", "--trust"], payload.as_bytes());
        let expected = if refused == "yes" { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "{line}");
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} rows were found");
}

#[test]
fn the_schema_knows_rules_and_their_mistakes() {
    let schema = boathook_engine::schema::hooks_json();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let entry = |entry: Value| json!({ "version": 1, "hooks": { "preToolUse": [entry] } });
    let rule = |rule: Value| entry(json!({ "command": "boathook rule r", "rule": rule }));
    let good = [
        rule(json!({ "shell": "git push --force", "deny": "no" })),
        rule(
            json!({ "shell": [{ "program": "git", "args": ["push", ["-f", "--force"]] }, "rm -rf"], "ask": true }),
        ),
        rule(
            json!({ "when": { "any": [{ "a.b[]": { "glob": "*.pem", "not": "x" } }], "c": ["d"] }, "deny": "no", "_note": 1 }),
        ),
        entry(json!({ "command": "./x.sh" })),
    ];
    for file in good {
        assert!(validator.is_valid(&file), "{file}");
    }
    let bad = [
        rule(json!({ "shel": "git push --force", "deny": "no" })),
        rule(json!({ "shell": { "programm": "git" }, "deny": "no" })),
        rule(json!({ "shell": {}, "deny": "no" })),
        rule(json!({ "when": { "a": { "startswith": "x" } }, "deny": "no" })),
        rule(json!({ "when": { "any": {} }, "deny": 5 })),
        rule(json!("git push --force")),
        entry(json!({ "command": "./x.sh", "rule": { "deny": "no" } })),
        entry(json!({ "rule": { "deny": "no" } })),
    ];
    for file in bad {
        assert!(!validator.is_valid(&file), "{file}");
    }
}

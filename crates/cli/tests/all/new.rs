//! `boathook new`: what it writes works as it is, in every language, on every event.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use boathook_engine::config;
use boathook_engine::definition::Lifetime;
use boathook_engine::edition::Edition;
use boathook_engine::event::{EVENTS, EventKind, Gate};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::context::{self, TestContext};

/// A language, its ending, and the program its scripts need.
const LANGUAGES: [(&str, &str, &str); 3] =
    [("bash", "sh", "awk"), ("python", "py", "python3"), ("node", "mjs", "node")];

/// Whether the machine can run scripts in this language; loud when not.
fn is_here(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdin(Stdio::null()).output().is_ok();
    if !found && program != "awk" {
        eprintln!(
            "SKIPPED: {program} is not installed, so its scripts were not run; `cargo xtask test` installs it"
        );
    }
    found || program == "awk"
}

#[test]
fn every_event_in_every_language_passes_check_doctor_and_test_as_it_is() {
    for (language, ending, program) in LANGUAGES.into_iter().filter(|(_, _, program)| is_here(program)) {
        let cx = TestContext::new();
        for spec in EVENTS {
            let output = cx.output(["new", spec.name, "--lang", language]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let scripts = fs::read_dir(cx.path("project/.cursor/hooks")).expect("scripts").filter_map(Result::ok);
        let scripts: Vec<_> =
            scripts.filter(|it| it.path().extension().is_some_and(|it| it == ending)).collect();
        assert_eq!(scripts.len(), EVENTS.len(), "{language}");
        for script in scripts {
            let mode = script.metadata().expect("a file").permissions().mode() & 0o777;
            assert_eq!(mode, 0o755, "{:?} on {program}", script.path());
        }
        cx.trust();
        for command in [&["check", "--strict"][..], &["doctor"], &["test"]] {
            let output = cx.output(command);
            let seen = [&output.stdout[..], &output.stderr[..]].concat();
            assert!(output.status.success(), "{language} {command:?}: {}", String::from_utf8_lossy(&seen));
        }
    }
}

#[test]
fn a_hook_that_stays_comes_with_its_helper_and_works_alone_too() {
    for (language, ending, _) in LANGUAGES.into_iter().skip(1).filter(|(_, _, program)| is_here(program)) {
        let cx = TestContext::new();
        for spec in EVENTS {
            let output = cx.output(["new", spec.name, "--lang", language, "--persistent"]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let helper = format!("boathook_hook.{ending}");
        let written = context::read(&cx.path(&format!("project/.cursor/hooks/{helper}")));
        let ours = context::read(
            &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helpers").join(helper),
        );
        assert!(!ours.is_empty() && written == ours, "{language}");
        let script =
            context::read(&cx.path(&format!("project/.cursor/hooks/before-shell-execution.{ending}")));
        for untrue in ["stdin", "import sys", "It prints"] {
            assert!(!script.contains(untrue), "{language}: `{untrue}` in {script}");
        }
        let hooks =
            config::read(context::read(&cx.path("project/.cursor/hooks.json")).as_bytes(), Edition::Docs);
        assert!(hooks.definitions.iter().all(|it| it.lifetime == Lifetime::Stays), "{language}");
        cx.trust();
        for command in [&["check", "--strict"][..], &["doctor"], &["test"]] {
            let output = cx.output(command);
            let seen = [&output.stdout[..], &output.stderr[..]].concat();
            assert!(output.status.success(), "{language} {command:?}: {}", String::from_utf8_lossy(&seen));
        }
    }
    let cx = TestContext::new();
    assert_snapshot!(cx.run(["new", "stop", "--persistent"]), @r"
    exit code: 1
    ----- stderr -----
    error: --persistent: there is no helper for bash, and a line of JSON is not read without one
      help: write --lang python or --lang node
    ");
}

#[test]
fn every_hook_has_a_line_of_its_own() {
    let cx = TestContext::new();
    for name in ["one", "two", "three"] {
        assert!(cx.output(["new", "stop", "--name", name]).status.success(), "{name}");
    }
    assert!(cx.output(["new", "preCompact", "--name", "four"]).status.success());
    assert_snapshot!(context::read(&cx.path("project/.cursor/hooks.json")), @r#"
    {
      "version": 1,
      "hooks": {
        "stop": [
          { "command": ".cursor/hooks/one.sh" },
          { "command": ".cursor/hooks/two.sh" },
          { "command": ".cursor/hooks/three.sh" }
        ],
        "preCompact": [{ "command": ".cursor/hooks/four.sh" }]
      }
    }
    "#);
}

#[test]
fn a_hook_for_a_shell_command_reads_well() {
    let cx = TestContext::new();
    assert_snapshot!(cx.run(["new", "beforeShellExecution"]), @r"
    exit code: 0
    ----- stdout -----
    wrote  [PROJECT]/.cursor/hooks/before-shell-execution.sh
    wrote  [PROJECT]/.cursor/hooks/tests/before-shell-execution.json
    wrote  [PROJECT]/.cursor/hooks.json
    ----- stderr -----
    hint: project hooks run once you trust the workspace: `boathook trust`
    hint: `boathook test` runs its cases; put your own rule where the script looks for the example
    ");
    let script = context::read(&cx.path("project/.cursor/hooks/before-shell-execution.sh"));
    let until_main: Vec<&str> = script.lines().take_while(|line| *line != "}").collect();
    assert_snapshot!(until_main.join("\n"), @r#"
    #!/bin/sh
    # beforeShellExecution: Before a shell command runs; may refuse it or ask the user.
    #
    # It reads one JSON object from stdin:
    #   command  The full command line.
    #   cwd      Working directory; may be empty at the project root.
    #   sandbox  Whether it will run in a sandbox.
    #   and the fields of every event: conversation_id, workspace_roots, …
    #
    # It prints one JSON object to stdout; {} is no opinion:
    #   permission     "allow", "deny" or "ask". Whether the action may go on; `ask` asks the user.
    #   user_message   What the user is told.
    #   agent_message  What the agent is told.
    #
    # Exit code 2 refuses, whatever it prints, and tells the user what stands on stderr.
    # Any other code but 0 is a failure: the action proceeds, unless the entry in
    # hooks.json says "failClosed": true.
    #
    # Plain shell: it needs sh and awk, no jq. `field NAME` reads a text at the top
    # level of the input, whatever characters it holds; for what stands deeper, such
    # as the fields of tool_input, use jq or write the hook in Python or Node.

    main() {
        value=$(field command) || { echo "the hook could not read its input" >&2; exit 2; }
        case $value in
        *boathook-example*)
            text=$(json_text "The example hook found: $value")
            printf '{"permission":"deny","user_message":"%s","agent_message":"%s"}\n' "$text" "$text"
            ;;
        *) echo '{}' ;; # no opinion; {"permission": "allow"} allows it
        esac
    "#);
    assert_snapshot!(context::read(&cx.path("project/.cursor/hooks.json")), @r#"
    {
      "version": 1,
      "hooks": {
        "beforeShellExecution": [{ "command": ".cursor/hooks/before-shell-execution.sh" }]
      }
    }
    "#);
    assert_snapshot!(context::read(&cx.path("project/.cursor/hooks/tests/before-shell-execution.json")), @r#"
    [
      {
        "name": "before-shell-execution: the example is found",
        "event": "beforeShellExecution",
        "payload": {
          "command": "boathook-example"
        },
        "expect": {
          "exit": 2,
          "answer": {
            "permission": "deny",
            "user_message": {
              "contains": "boathook-example"
            },
            "agent_message": {
              "contains": "boathook-example"
            }
          }
        }
      },
      {
        "name": "before-shell-execution: anything else is let through",
        "event": "beforeShellExecution",
        "payload": {
          "command": "anything else"
        },
        "expect": {
          "exit": 0,
          "answer": {}
        }
      }
    ]
    "#);
}

#[test]
fn python_and_node_read_as_well() {
    let cx = TestContext::new();
    cx.output(["new", "stop", "--lang", "python", "--name", "again"]);
    assert_snapshot!(context::read(&cx.path("project/.cursor/hooks/again.py")), @r#"
    #!/usr/bin/env python3
    # stop: The agent's loop ended; may send a follow-up.
    #
    # It reads one JSON object from stdin:
    #   status              `completed`, `aborted` or `error`.
    #   loop_count          Automatic follow-ups so far.
    #   input_tokens        Tokens read in this turn.
    #   output_tokens       Tokens written in this turn.
    #   cache_read_tokens   Tokens read from the cache.
    #   cache_write_tokens  Tokens written to the cache.
    #   and the fields of every event: conversation_id, workspace_roots, …
    #
    # It prints one JSON object to stdout; {} is no opinion:
    #   followup_message  What is sent as the next message by itself.

    import json
    import sys


    def main(event):
        value = str(event.get("status") or "")
        if "boathook-example" in value:
            return {
                "followup_message": f"The example hook found: {value}",
            }
        return {}


    try:
        answer = main(json.load(sys.stdin.buffer))
    except Exception as error:
        print(f"the hook failed: {error!r}", file=sys.stderr)
        sys.exit(1)  # an error is a failure, which `boathook log` shows
    print(json.dumps(answer))
    "#);
    cx.output(["new", "afterAgentResponse", "--lang", "node", "--name", "withhold"]);
    assert_snapshot!(context::read(&cx.path("project/.cursor/hooks/withhold.mjs")), @r#"
    #!/usr/bin/env node
    // afterAgentResponse: After the agent's message; exit code 2 withholds it.
    //
    // It reads one JSON object from stdin:
    //   text  The agent's message.
    //   and the fields of every event: conversation_id, workspace_roots, …
    //
    // It prints one JSON object to stdout; {} is no opinion:
    //   permission    "allow", "deny" or "ask". What the hook thinks of it. Only exit code 2 withholds the response.
    //   user_message  What the user is told.
    //
    // Exit code 2 refuses, whatever it prints, and tells the user what stands on stderr;
    // an error in `main` leaves with it, too, as the end says.
    // Any other code but 0 is a failure: the action proceeds, unless the entry in
    // hooks.json says "failClosed": true.

    import { readFileSync } from "node:fs";

    function main(event) {
      const value = String(event.text ?? "");
      if (value.includes("boathook-example")) {
        process.stderr.write(`The example hook found: ${value}\n`);
        process.exitCode = 2;
      }
      return {};
    }

    try {
      const answer = main(JSON.parse(readFileSync(0, "utf8")));
      process.stdout.write(JSON.stringify(answer) + "\n");
    } catch (error) {
      process.stderr.write(`the hook failed: ${error}\n`);
      process.exitCode = 2; // an error refuses; with 1 it is a failure, and the action proceeds
    }
    "#);
}

#[test]
fn a_script_says_what_an_error_in_it_does() {
    let (refuses, fails) = (
        "an error refuses; with 1 it is a failure, and the action proceeds",
        "an error is a failure, which `boathook log` shows",
    );
    let broken = [
        ("python", "py", "def main(event):\n", "    raise ValueError\n"),
        ("node", "mjs", "function main(event) {\n", "  throw new Error();\n"),
    ];
    let cases =
        [("beforeShellExecution", 2, refuses), ("afterAgentResponse", 2, refuses), ("stop", 1, fails)];
    for (language, ending, opening, error) in broken.into_iter().filter(|(program, ..)| is_here(program)) {
        for ((event, code, words), option) in
            cases.into_iter().flat_map(|case| [(case, None), (case, Some("--persistent"))])
        {
            let cx = TestContext::new();
            let new = ["new", event, "--name", "it", "--lang", language].into_iter().chain(option);
            assert!(cx.output(new).status.success());
            let file = cx.path(&format!("project/.cursor/hooks/it.{ending}"));
            let script = context::read(&file);
            assert!(script.contains(words), "{language} {event} {option:?}: {script}");
            let says_so = script.contains("any error. A process") || script.contains("an error in `main`");
            assert_eq!(says_so, code == 2, "{language} {event} {option:?}: {script}");
            fs::write(&file, script.replace(opening, &format!("{opening}{error}"))).expect("a script");
            let output = context::pipe(Command::new(&file), b"{}");
            assert_eq!(output.status.code(), Some(code), "{language} {event} {option:?}");
        }
    }
}

/// The gate refuses the example, lets others through, and stays shut on what
/// it cannot read; the answer is JSON whatever stands in the payload.
#[test]
fn hostile_input_neither_opens_the_gate_nor_breaks_the_answer() {
    let nasty = "boathook-example \" \\ ' $(id) `id` %s \u{1} \u{7f} \t\r\n\n \u{1f600} \u{2028} </script>";
    let (long, decoy) =
        (format!("boathook-example{}", "x".repeat(300_000)), "x\",\"command\":\"boathook-example");
    for (language, ending, _) in LANGUAGES.into_iter().filter(|(_, _, program)| is_here(program)) {
        let cx = TestContext::new();
        assert!(
            cx.output(["new", "beforeShellExecution", "--lang", language, "--name", "h"]).status.success()
        );
        let script = cx.path(&format!("project/.cursor/hooks/h.{ending}"));
        let run = |input: &[u8]| context::pipe(Command::new(&script), input);
        for command in [nasty, &long] {
            for payload in [
                json!({ "command": command, "tool_input": { "command": "ls" } }),
                json!({ "nested": { "command": "ls", "list": ["]", "}", "\""] }, "command": command }),
            ] {
                let output = run(payload.to_string().as_bytes());
                let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
                assert_eq!(answer["permission"], "deny", "{language}");
                let said = answer["user_message"].as_str().unwrap_or_default();
                assert!(said.contains(command.trim_end()), "{language}: {said:.200}");
            }
        }
        for command in ["ls", "", decoy] {
            let inner = json!({ "command": command.replace("boathook-example", "x"), "more": { "command": "boathook-example" } });
            let output = run(inner.to_string().as_bytes());
            assert_eq!(
                (output.status.code(), output.stdout.trim_ascii()),
                (Some(0), &b"{}"[..]),
                "{language}"
            );
        }
        for broken in [&b""[..], b"{", b"{\"command\": \"ls\"", b"\xff", b"{\"command\": \"ls"] {
            let output = run(broken);
            assert_eq!(output.status.code(), Some(2), "{language}: {}", String::from_utf8_lossy(broken));
        }
    }
}

#[test]
fn a_gate_that_cannot_read_refuses_and_an_observer_fails() {
    for (language, ending, _) in LANGUAGES.into_iter().filter(|(_, _, program)| is_here(program)) {
        let cx = TestContext::new();
        for spec in EVENTS.iter().filter(|spec| !spec.inputs.is_empty()) {
            cx.output(["new", spec.name, "--lang", language, "--name", spec.name]);
            let script = cx.path(&format!("project/.cursor/hooks/{}.{ending}", spec.name));
            let code = context::pipe(Command::new(&script), b"{").status.code();
            assert_eq!(code, Some(if spec.gate == Gate::None { 1 } else { 2 }), "{language} {}", spec.name);
        }
    }
}

#[test]
fn an_existing_file_keeps_its_comments_and_its_hooks() {
    let cx = TestContext::new();
    let text = "{\n  // ours\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"true\" } // first\n    ]\n  }\n}\n";
    cx.write("project/.cursor/hooks.json", text);
    assert_snapshot!(cx.run(["new", "stop", "--name", "mine"]), @r"
    exit code: 0
    ----- stdout -----
    wrote  [PROJECT]/.cursor/hooks/mine.sh
    wrote  [PROJECT]/.cursor/hooks/tests/mine.json
    added  the hook to [PROJECT]/.cursor/hooks.json
    ----- stderr -----
    hint: project hooks run once you trust the workspace: `boathook trust`
    hint: `boathook test` runs its cases; put your own rule where the script looks for the example
    ");
    assert_snapshot!(context::read(&cx.path("project/.cursor/hooks.json")), @r#"
    {
      // ours
      "version": 1,
      "hooks": {
        "stop": [
          { "command": "true" }, // first
          { "command": ".cursor/hooks/mine.sh" }
        ]
      }
    }
    "#);
    cx.trust();
    assert!(cx.output(["test"]).status.success());
}

#[test]
fn nothing_is_overwritten_and_no_link_is_followed_out() {
    let cx = TestContext::new();
    let mine = cx.write("project/.cursor/hooks/stop.sh", "mine");
    assert_snapshot!(cx.run(["new", "stop"]), @r"
    exit code: 1
    ----- stderr -----
    error: [PROJECT]/.cursor/hooks/stop.sh exists already
      help: choose another name with --name
    ");
    assert_eq!(context::read(&mine), "mine");
    assert!(!cx.path("project/.cursor/hooks.json").exists());
    let cases = cx.write("project/.cursor/hooks/tests/other.json", "mine");
    assert_eq!(cx.output(["new", "stop", "--name", "other"]).status.code(), Some(1));
    assert_eq!(context::read(&cases), "mine");
    assert!(!cx.path("project/.cursor/hooks/other.sh").exists());

    for (link, target) in [
        (".cursor", "home/elsewhere"),
        (".cursor/hooks", "home/elsewhere"),
        (".cursor/hooks.json", "home/file"),
    ] {
        let cx = TestContext::new();
        fs::create_dir_all(cx.path("home/elsewhere")).expect("a folder");
        cx.write("home/file", "{}");
        fs::create_dir_all(cx.path("project").join(link).parent().expect("a folder")).expect("a folder");
        symlink(cx.path(target), cx.path("project").join(link)).expect("a link");
        let seen = cx.run(["new", "stop"]);
        assert!(seen.contains("leads out of [PROJECT], to [HOME]"), "{link}: {seen}");
        assert_eq!(fs::read_dir(cx.path("home/elsewhere")).expect("a folder").count(), 0, "{link}");
        assert_eq!(context::read(&cx.path("home/file")), "{}");
    }
}

#[test]
fn mistakes_are_explained_before_anything_is_written() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", "{\"hooks\": []}");
    assert_snapshot!(cx.run(["new", "stop", "--name", "../x"]), @r"
    exit code: 1
    ----- stderr -----
    error: --name ../x: this is no name of a script
      help: use letters, digits, `.`, `_` and `-`, like `block-force-push`
    ");
    assert_snapshot!(cx.run(["new", "preCompact", "--matcher", "x"]), @r"
    exit code: 1
    ----- stderr -----
    error: preCompact has nothing to match: a matcher is ignored
      help: leave out --matcher
    ");
    assert_snapshot!(cx.run(["new", "beforeReadFile", "--matcher", "x"]), @r"
    exit code: 1
    ----- stderr -----
    error: --matcher x never fits: on beforeReadFile it is held against `Read`
      help: leave out --matcher
    ");
    assert_snapshot!(cx.run(["new", "preToolUse", "--matcher", "Bash"]), @r"
    exit code: 1
    ----- stderr -----
    error: --matcher: `Bash` matches no tool that is known: the hook does not run
      help: write Shell: Claude Code's `Bash` is `Shell` here
    ");
    assert_snapshot!(cx.run(["new", "preToolUse", "--matcher", "("]), @r"
    exit code: 1
    ----- stderr -----
    error: --matcher: the matcher `(` is no regular expression: `(` is never closed; write `\(` for the character itself (at character 1)
      help: put a backslash before a character that stands for itself, like \( or \[
    ");
    assert_snapshot!(cx.run(["new", "stop", "--user"]), @r#"
    exit code: 1
    ----- stderr -----
    error: [HOME]/.cursor/hooks.json:1:11: this is not an object with a list for each event, so nothing was added to it
      help: add to its "hooks": "stop": [{ "command": "./hooks/stop.sh" }]
    "#);
    assert!(!cx.path("project/.cursor").exists());
    assert!(!cx.path("home/.cursor/hooks").exists());
}

#[test]
fn a_matcher_goes_into_the_entry_and_its_cases_fit_it() {
    for matcher in ["Shell|Write", "^(Write|Delete)$", "MCP:.*", "^MCP:[A-Z]{3,}$"] {
        let cx = TestContext::new();
        assert!(cx.output(["new", "preToolUse", "--matcher", matcher]).status.success());
        cx.trust();
        let output = cx.output(["test"]);
        assert!(output.status.success(), "{matcher}: {}", String::from_utf8_lossy(&output.stdout));
        let hooks: Value =
            serde_json::from_str(&context::read(&cx.path("project/.cursor/hooks.json"))).expect("JSON");
        assert_eq!(hooks["hooks"]["preToolUse"][0]["matcher"], matcher);
    }
    let cx = TestContext::new();
    assert!(cx.output(["new", "beforeMCPExecution", "--user", "--matcher", "MCP:search"]).status.success());
    assert!(cx.output(["test", "--user"]).status.success());
}

/// Real files have every form there is: each takes one more hook and keeps the
/// others, or is left alone.
#[test]
fn every_file_of_the_corpus_takes_one_more_hook_or_is_left_alone() {
    let Some(corpus) = std::env::var_os("BOATHOOK_CORPUS").map(std::path::PathBuf::from) else {
        eprintln!("SKIPPED: BOATHOOK_CORPUS names no directory, so no public configuration was tried");
        return;
    };
    let labels = |text: &str| -> Vec<(EventKind, String)> {
        let read = config::read(text.as_bytes(), Edition::Docs);
        read.definitions.iter().map(|it| (it.event, it.label().to_owned())).collect()
    };
    let (mut taken, mut left) = (0, 0);
    for entry in fs::read_dir(corpus.join("cursor")).expect("the corpus").filter_map(Result::ok) {
        let Ok(text) = fs::read_to_string(entry.path()) else { continue };
        for event in [EventKind::Stop, EventKind::BeforeShellExecution, EventKind::WorkspaceOpen] {
            let Ok(more) = config::insert_hook(&text, event, "{ \"command\": \"one-more\" }") else {
                left += 1;
                continue;
            };
            taken += 1;
            let mut after = labels(&more);
            let added = after.iter().position(|it| *it == (event, "one-more".to_owned()));
            after.remove(added.unwrap_or_else(|| panic!("{:?}: {more}", entry.path())));
            assert_eq!(after, labels(&text), "{:?}", entry.path());
        }
    }
    assert!(taken > 9 * left, "{taken} taken, {left} left alone");
}

#[test]
fn a_second_hook_on_an_event_breaks_no_case_of_the_first() {
    let cx = TestContext::new();
    for name in ["one", "two"] {
        assert!(cx.output(["new", "beforeShellExecution", "--name", name]).status.success());
    }
    let output = cx.output(["test", "--trust"]);
    let seen = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{seen}");
    assert!(
        seen.contains("one: the example is found") && seen.contains("two: the example is found"),
        "{seen}"
    );
}

#[test]
fn whoever_adds_a_hook_to_trusted_ones_is_told_that_they_are_withheld_now() {
    let cx = TestContext::new();
    let said = "is withheld now as well";
    let first = cx.run(["new", "stop", "--lang", "sh"]);
    assert!(first.starts_with("exit code: 0") && !first.contains(said), "{first}");
    cx.trust();
    let second = cx.run(["new", "sessionStart", "--lang", "shell"]);
    assert!(second.contains("the hook that was trusted here is withheld now as well"), "{second}");
    let third = cx.run(["new", "sessionEnd"]);
    assert!(!third.contains(said), "they were not trusted: {third}");
}

//! `boathook test`: the author's own cases.

use std::fs;

use insta::assert_snapshot;

use crate::context::{self, TestContext, one_hook};

const GUARD: &str = "#!/bin/sh
read -r line
case $line in
*--force*) printf '{\"permission\":\"deny\",\"user_message\":\"no force push\"}\\n' ;;
*boom*) echo sparks >&2; exit 3 ;;
*) printf '{\"permission\":\"allow\"}\\n' ;;
esac
";

/// A trusted project with one guard.
fn guarded() -> TestContext {
    let cx = TestContext::new();
    cx.script("project/.cursor/hooks/guard.sh", GUARD);
    cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", ".cursor/hooks/guard.sh"));
    cx.trust();
    cx
}

fn case(cx: &TestContext, name: &str, text: &str) {
    cx.write(&format!("project/.cursor/hooks/tests/{name}.json"), text);
}

/// What a person sees, without times.
fn seen(cx: &TestContext, args: &[&str]) -> String {
    let text = cx.run(args);
    let words: Vec<String> = text
        .split('\n')
        .map(|line| match (line.rfind(" ("), line.ends_with(" ms)")) {
            (Some(at), true) => format!("{} (TIME)", &line[..at]),
            _ => line.to_owned(),
        })
        .collect();
    words.join("\n")
}

#[test]
fn cases_pass_and_fail_with_a_difference() {
    let cx = guarded();
    case(
        &cx,
        "guard",
        r#"[
  // The example of the manual.
  {"name": "a force push is refused", "event": "beforeShellExecution", "payload": {"command": "git push --force"},
   "expect": {"exit": 2, "answer": {"permission": "deny", "user_message": {"contains": "force"}}, "ran": [".cursor/hooks/guard.sh"]}},
  {"event": "beforeShellExecution", "payload": {"command": "ls"}, "expect": {"exit": 2, "answer": {"permission": "deny"}}},
  {"event": "beforeShellExecution", "payload": {"command": "boom"}, "expect": {"exit": 0}},
  {"event": "beforeShellExecution", "payload": {"command": "boom"}, "expect": {"exit": 0, "failed": [".cursor/hooks/guard.sh"]}},
  {"name": "nobody listens", "event": "stop", "expect": {"ran": ["x"]}},
]"#,
    );
    assert_snapshot!(seen(&cx, &["test"]), @r#"
    exit code: 1
    ----- stdout -----
    ok    a force push is refused (TIME)
    FAIL  guard 2 (TIME)
          [PROJECT]/.cursor/hooks/tests/guard.json:5
          exit code (- expected, + came):
          -2
          +0
          answer (- expected, + came):
           {
          -  "permission": "deny"
          +  "permission": "allow"
           }
          hook `.cursor/hooks/guard.sh` ran: answer, allow, exit code 0
    FAIL  guard 3 (TIME)
          [PROJECT]/.cursor/hooks/tests/guard.json:6
          hooks that failed (- expected, + came):
          -(none)
          +.cursor/hooks/guard.sh
          hook `.cursor/hooks/guard.sh` ran: failed open, exit code 3, exited with code 3
          stderr of `.cursor/hooks/guard.sh`:
            sparks
    ok    guard 4 (TIME)
    FAIL  nobody listens (TIME)
          [PROJECT]/.cursor/hooks/tests/guard.json:8
          hooks that ran (- expected, + came):
          -x
          +(none)
          no hook is configured for this event
    2 passed, 3 failed
    "#);
    let state = cx.path("home/.local/state/boathook");
    assert!(!state.join("log").exists(), "the log is left alone");
    assert!(!state.join("sessions").exists(), "and so are the sessions");
}

#[test]
fn mistakes_in_a_case_have_a_place_and_a_suggestion() {
    let cx = guarded();
    case(
        &cx,
        "a",
        r#"{"event": "beforeShellExecutoin", "paylod": {}, "expect": {"exit": 1, "answr": {}},
 "env": {"LD_PRELOAD": "x", "PATH": "."}, "files": {"../up": "", "/abs": "", ".cursor/hooks/guard.sh": ""}}"#,
    );
    case(&cx, "b", r#"{"event": "stop", "expect": {"answer": {"followupMessage": {"matches": "("}}}}"#);
    case(&cx, "c", r#"[{"event": "stop"}, {"event": "stop", "expect": {}}, 7]"#);
    case(&cx, "d", r#"{"event": "stop" "expect": {}}"#);
    assert_snapshot!(seen(&cx, &["test"]), @r#"
    exit code: 1
    ----- stdout -----
    0 passed, 15 problems in the files
    ----- stderr -----
    error: [PROJECT]/.cursor/hooks/tests/a.json:1:11: there is no event `beforeShellExecutoin`
       |
     1 | {"event": "beforeShellExecutoin", "paylod": {}, "expect": {"exit": 1, "answr": {}},
       |           ^^^^^^^^^^^^^^^^^^^^^^
      help: did you mean `beforeShellExecution`?
    error: [PROJECT]/.cursor/hooks/tests/a.json:1:35: a case has no key `paylod`
       |
     1 | {"event": "beforeShellExecutoin", "paylod": {}, "expect": {"exit": 1, "answr": {}},
       |                                   ^^^^^^^^
      help: did you mean `payload`?
    error: [PROJECT]/.cursor/hooks/tests/a.json:1:68: `exit` is 0, or 2 when the event is refused
       |
     1 | {"event": "beforeShellExecutoin", "paylod": {}, "expect": {"exit": 1, "answr": {}},
       |                                                                    ^
      help: write 0 or 2
    error: [PROJECT]/.cursor/hooks/tests/a.json:1:71: `expect` has no key `answr`
       |
     1 | {"event": "beforeShellExecutoin", "paylod": {}, "expect": {"exit": 1, "answr": {}},
       |                                                                       ^^^^^^^
      help: did you mean `answer`?
    error: [PROJECT]/.cursor/hooks/tests/a.json:2:10: `LD_PRELOAD` steers other programs; a case may not set it
       |
     2 |  "env": {"LD_PRELOAD": "x", "PATH": "."}, "files": {"../up": "", "/abs": "", ".cursor/hooks/guard.sh
       |          ^^^^^^^^^^^^
      help: set it where `boathook test` is called
    error: [PROJECT]/.cursor/hooks/tests/a.json:2:29: `PATH` steers other programs; a case may not set it
       |
     2 |  "env": {"LD_PRELOAD": "x", "PATH": "."}, "files": {"../up": "", "/abs": "", ".cursor/hooks/guard.sh
       |                             ^^^^^^
      help: set it where `boathook test` is called
    error: [PROJECT]/.cursor/hooks/tests/a.json:2:53: this path leads out of the workspace
       |
     2 | _PRELOAD": "x", "PATH": "."}, "files": {"../up": "", "/abs": "", ".cursor/hooks/guard.sh": ""}}
       |                                         ^^^^^^^
      help: write one below it, like "src/a.txt"
    error: [PROJECT]/.cursor/hooks/tests/a.json:2:66: this path leads out of the workspace
       |
     2 | ", "PATH": "."}, "files": {"../up": "", "/abs": "", ".cursor/hooks/guard.sh": ""}}
       |                                         ^^^^^^
      help: write one below it, like "src/a.txt"
    error: [PROJECT]/.cursor/hooks/tests/a.json:2:78: a case may not replace hooks
       |
     2 | ."}, "files": {"../up": "", "/abs": "", ".cursor/hooks/guard.sh": ""}}
       |                                         ^^^^^^^^^^^^^^^^^^^^^^^^
      help: leave it out: the copy has those of the workspace
    error: [PROJECT]/.cursor/hooks/tests/b.json:1:41: the answer of stop never carries `followupMessage`
       |
     1 | {"event": "stop", "expect": {"answer": {"followupMessage": {"matches": "("}}}}
       |                                         ^^^^^^^^^^^^^^^^^
      help: did you mean `followup_message`?
    error: [PROJECT]/.cursor/hooks/tests/b.json:1:60: the expression does not compile: `(` is never closed; write `\(` for the character itself (at character 1)
       |
     1 | {"event": "stop", "expect": {"answer": {"followupMessage": {"matches": "("}}}}
       |                                                            ^^^^^^^^^^^^^^^^
      help: `contains` looks for plain text
    error: [PROJECT]/.cursor/hooks/tests/c.json:1:2: a case without `expect` proves nothing
       |
     1 | [{"event": "stop"}, {"event": "stop", "expect": {}}, 7]
       |  ^^^^^^^^^^^^^^^^^
      help: add "expect": { "exit": 2 }
    error: [PROJECT]/.cursor/hooks/tests/c.json:1:49: an empty `expect` proves nothing
       |
     1 | [{"event": "stop"}, {"event": "stop", "expect": {}}, 7]
       |                                                 ^^
      help: write { "exit": 0 }, or more
    error: [PROJECT]/.cursor/hooks/tests/c.json:1:54: a case is an object
       |
     1 | [{"event": "stop"}, {"event": "stop", "expect": {}}, 7]
       |                                                      ^
      help: write {
          "name": "a force push is refused",
          "event": "beforeShellExecution",
          "payload": { "command": "git push --force" },
          "expect": { "exit": 2 }
        }
    error: [PROJECT]/.cursor/hooks/tests/d.json:1:17: a `,` is missing here
       |
     1 | {"event": "stop" "expect": {}}
       |                 ^
      help: put one between the two values; a quote inside a string is written `\"`
    "#);
}

#[test]
fn an_untrusted_workspace_runs_nothing() {
    let cx = TestContext::new();
    let evidence = cx.path("home/evidence");
    cx.write("project/.cursor/hooks.json", one_hook("stop", &format!("touch {}", evidence.display())));
    case(
        &cx,
        "a",
        r#"[{"event": "stop", "expect": {"exit": 0}}, {"event": "stop", "scratch": true, "expect": {"exit": 0}}]"#,
    );
    assert_snapshot!(seen(&cx, &["test"]), @r"
    exit code: 1
    ----- stderr -----
    warning: [PROJECT]/.cursor/hooks.json: 1 hook is withheld: the workspace is not trusted
      help: `boathook trust` shows what would be trusted, and asks
    error: no case was run: the hooks above do not run
    ");
    assert!(!evidence.exists());
    assert_snapshot!(seen(&cx, &["test", "--trust"]), @r"
    exit code: 0
    ----- stdout -----
    ok    a 1 (TIME)
    ok    a 2 (TIME)
    2 passed
    ----- stderr -----
    trusted for this call: [PROJECT]/.cursor/hooks.json
    ");
    assert!(evidence.exists());
}

#[test]
fn only_the_hooks_under_test_are_asked() {
    let cx = guarded();
    let evidence = cx.path("home/evidence");
    cx.write(
        "home/.cursor/hooks.json",
        one_hook("beforeShellExecution", &format!("touch {}", evidence.display())),
    );
    case(
        &cx,
        "a",
        r#"{"event": "beforeShellExecution", "payload": {"command": "ls"}, "expect": {"ran": [".cursor/hooks/guard.sh"]}}"#,
    );
    assert!(cx.output(["test"]).status.success());
    assert!(!evidence.exists());
    let all = cx.output(["test", "--all-sources"]);
    assert_eq!(all.status.code(), Some(1));
    assert!(evidence.exists());
    cx.write(
        "home/.cursor/hooks/tests/a.json",
        r#"{"event": "beforeShellExecution", "expect": {"answer": {}}}"#,
    );
    assert_snapshot!(seen(&cx, &["test", "--user"]), @r"
    exit code: 0
    ----- stdout -----
    ok    a (TIME)
    1 passed
    ");
}

#[test]
fn a_case_may_have_a_workspace_of_its_own() {
    let cx = TestContext::new();
    cx.script("project/tools/count.sh", "#!/bin/sh\nset -- $(wc -l < src/a.txt) \"$TICKET\"\necho x > written\nprintf '{\"followup_message\":\"%s lines, %s\"}\\n' \"$1\" \"$2\"\n");
    cx.write("project/.cursor/hooks.json", one_hook("stop", "tools/count.sh"));
    cx.write("project/src/a.txt", "1\n2\n3\n");
    cx.trust();
    case(
        &cx,
        "a",
        r#"{"event": "stop", "files": {"src/a.txt": "one\n"}, "env": {"TICKET": "X-1"},
            "expect": {"answer": {"followup_message": "1 lines, X-1"}}}"#,
    );
    assert_snapshot!(seen(&cx, &["test"]), @r"
    exit code: 0
    ----- stdout -----
    ok    a (TIME)
    1 passed
    ");
    assert!(!cx.path("project/written").exists(), "the workspace is left alone");
    case(&cx, "b", r#"{"event": "stop", "files": {"tools/count.sh": "echo {}"}, "expect": {"exit": 0}}"#);
    let seen = seen(&cx, &["test", ".cursor/hooks/tests/b.json"]);
    assert!(seen.contains("the workspace cannot be copied") && seen.contains("File exists"), "{seen}");
}

#[test]
fn no_cases_are_told_where_they_belong() {
    let cx = guarded();
    assert_snapshot!(seen(&cx, &["test"]), @r#"
    exit code: 1
    ----- stderr -----
    error: there are no cases in [PROJECT]/.cursor/hooks/tests
      help: write one, for example as .cursor/hooks/tests/first.json:
        {
          "name": "a force push is refused",
          "event": "beforeShellExecution",
          "payload": { "command": "git push --force" },
          "expect": { "exit": 2 }
        }
    "#);
    assert_eq!(cx.output(["test", "nothing.json"]).status.code(), Some(1));
}

#[test]
fn machines_read_the_results() {
    let cx = guarded();
    case(
        &cx,
        "a",
        r#"{"name": "<&\"\u0001>", "event": "beforeShellExecution", "payload": {"command": "boom"}, "expect": {"exit": 2}}"#,
    );
    case(&cx, "b", r#"{"event": "stop", "expect": {"exit": 0}}"#);
    case(&cx, "c", "[");
    let output = cx.output(["test", "--json", "--junit", "out.xml", "--jobs", "1"]);
    assert_eq!(output.status.code(), Some(1));
    let results: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&results["passed"], &results["failed"]), (&1.into(), &1.into()));
    assert_eq!(results["cases"][0]["differences"][0]["what"], "exit");
    assert_eq!(results["problems"][0]["code"], "not-closed");
    let xml = fs::read_to_string(cx.path("project/out.xml")).expect("a file");
    assert!(xml.contains(r#"tests="3" failures="1" errors="1""#), "{xml}");
    assert!(xml.contains("name=\"&lt;&amp;&quot;\u{fffd}&gt;\""), "{xml}");
    assert!(xml.contains("sparks"), "{xml}");
}

#[test]
fn many_cases_run_at_once() {
    let cx = TestContext::new();
    // Each waits until the other runs: one after the other would time out.
    let meet = "touch \"$HOME/$ME\"; while [ ! -e \"$HOME/$OTHER\" ]; do sleep 0.05; done; echo '{}'";
    cx.write("project/.cursor/hooks.json", one_hook("stop", meet));
    cx.trust();
    case(
        &cx,
        "a",
        r#"[{"event": "stop", "env": {"ME": "a", "OTHER": "b"}, "expect": {"exit": 0}},
            {"event": "stop", "env": {"ME": "b", "OTHER": "a"}, "expect": {"exit": 0}}]"#,
    );
    assert_snapshot!(seen(&cx, &["test", "--jobs", "2"]), @r"
    exit code: 0
    ----- stdout -----
    ok    a 1 (TIME)
    ok    a 2 (TIME)
    2 passed
    ");
}

#[test]
fn the_hooks_of_this_repository_pass_their_own_cases() {
    let cx = TestContext::new();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = cx.output(["--workspace", root, "test", "--trust"]);
    let seen = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && seen.contains("ok    a forced push is refused"), "{seen}");
}

#[test]
fn what_a_json_number_cannot_hold_is_an_error() {
    let cx = guarded();
    case(&cx, "a", r#"{"event": "stop", "payload": {"n": [1e999, -NaN, 1]}, "expect": {"exit": 0}}"#);
    let seen = seen(&cx, &["test"]);
    assert!(seen.contains("exit code: 1") && seen.contains("a.json:1:37: "), "{seen}");
}

#[test]
fn a_field_that_is_nearly_known_is_told_and_the_case_runs() {
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", "true"));
    cx.write(
        "project/.cursor/hooks/tests/a.json",
        r#"{"event": "beforeShellExecution", "payload": {"comand": "ls", "ticket": 5}, "expect": {"exit": 0}}"#,
    );
    let seen = cx.run(["test", "--trust"]);
    assert!(seen.starts_with("exit code: 0"), "{seen}");
    assert!(seen.contains("a.json:1:47: `beforeShellExecution` has no field `comand`"), "{seen}");
    assert!(seen.contains("help: did you mean `command`?") && !seen.contains("ticket`"), "{seen}");
}

#[test]
fn a_report_is_written_even_when_there_is_no_case() {
    let cx = TestContext::new();
    assert!(!cx.output(["test", "--junit", "report.xml"]).status.success());
    let report = context::read(&cx.path("project/report.xml"));
    assert!(report.contains("<testsuite"), "{report}");
}

#[test]
fn no_job_at_all_is_no_number_of_jobs() {
    let seen = TestContext::new().run(["test", "--jobs", "0"]);
    assert!(seen.starts_with("exit code: 1") && seen.contains("invalid value '0' for '--jobs"), "{seen}");
}

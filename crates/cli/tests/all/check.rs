//! `boathook check` as a person sees it.

use insta::assert_snapshot;

use crate::context::{self, TestContext};

const TEN_MISTAKES: &str = r#"// my hooks
{
  "version": "1.0",
  "hooks": {
    "beforeShellExec": [{ "command": "echo hi" }],
    "preToolUse": [
      { "command": "true", "matcher": "(Shell" },
      { "command": "true", "timeout": 0 },
      { "matcher": "Write" },
      { "command": "true", "timeout": 60000 },
      { "command": "echo", "failclosed": true }, // guard
    ],
    "stop": [{ "command": "true", "loop_limit": -1 }],
    "sessionStart": [{ "command": "true", "matcher": { "a": 1 } }],
    "beforeReadFile": { "command": "true" },
    "afterFileEdit": [{ "command": "echo ${file_path}" }]
  }
}
"#;

/// The first line of each problem.
fn heads(seen: &str) -> String {
    seen.lines()
        .filter(|line| line.starts_with("error: ") || line.starts_with("warning: "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", TEN_MISTAKES);
    let seen = cx.run(["check"]);
    assert!(seen.starts_with("exit code: 1"), "{seen}");
    assert_snapshot!(heads(&seen), @r#"
    warning: [HOME]/.cursor/hooks.json:1:1: JSON has no comments; this one and 1 more are skipped
    warning: [HOME]/.cursor/hooks.json:3:14: `version` is the text "1.0", not a number
    warning: [HOME]/.cursor/hooks.json:5:5: unknown hook `beforeShellExec`; its entry does not run
    error: [HOME]/.cursor/hooks.json:7:39: the matcher `(Shell` is no regular expression: `(` is never closed; write `\(` for the character itself (at character 1)
    error: [HOME]/.cursor/hooks.json:8:39: `timeout` is 0; it must be more than 0 seconds
    error: [HOME]/.cursor/hooks.json:9:7: the entry has no `command`
    warning: [HOME]/.cursor/hooks.json:10:39: `timeout` 60000 is read as milliseconds, as 60 seconds
    warning: [HOME]/.cursor/hooks.json:11:28: unknown key `failclosed` is ignored; a failure of this hook does not block
    warning: [HOME]/.cursor/hooks.json:11:48: nothing follows this comma
    error: [HOME]/.cursor/hooks.json:13:49: `loop_limit` is -1, not a whole number or null
    error: [HOME]/.cursor/hooks.json:14:54: `matcher` is an object, not a string
    error: [HOME]/.cursor/hooks.json:15:23: `beforeReadFile` is an object, not a list of entries
    warning: [HOME]/.cursor/hooks.json:16:42: `${file_path}` stands outside double quotes: the shell splits its value into arguments
    "#);
}

#[test]
fn a_problem_shows_its_line_and_what_to_write() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", r#"{"version": 1, "hooks": {"beforeShellExec": []}}"#);
    assert_snapshot!(cx.run(["check"]), @r#"
    exit code: 0
    ----- stdout -----
    0 hooks checked: 0 errors, 1 warning
    ----- stderr -----
    warning: [HOME]/.cursor/hooks.json:1:26: unknown hook `beforeShellExec`
       |
     1 | {"version": 1, "hooks": {"beforeShellExec": []}}
       |                          ^^^^^^^^^^^^^^^^^
      help: did you mean `beforeShellExecution`?
      note: the original product: drops the whole file or ignores the event: reports differ
    hint: `boathook check --fix` repairs 1 of them
    "#);
}

#[test]
fn repairs_leave_the_rest_of_the_file_untouched() {
    let cx = TestContext::new();
    let file = cx.write("home/.cursor/hooks.json", TEN_MISTAKES);
    cx.output(["check", "--fix"]);
    let fixed = context::read(&file);
    let expected = TEN_MISTAKES
        .replace("\"1.0\"", "1")
        .replace("beforeShellExec\"", "beforeShellExecution\"")
        .replace("60000", "60")
        .replace("failclosed", "failClosed")
        .replace("true }, // guard", "true } // guard")
        .replace(r#"{ "command": "true" },"#, r#"[{ "command": "true" }],"#)
        .replace("echo ${file_path}", r#"echo \"${file_path}\""#);
    assert_eq!(fixed, expected);
    cx.output(["check", "--fix"]);
    assert_eq!(context::read(&file), fixed, "a second time changes nothing");
}

#[test]
fn a_link_stays_a_link_when_its_file_is_repaired() {
    let cx = TestContext::new();
    let target = cx.write("elsewhere.json", r#"{"hooks": {"stop": []}}"#);
    std::fs::create_dir(cx.path("home/.cursor")).expect("a directory");
    std::os::unix::fs::symlink(&target, cx.path("home/.cursor/hooks.json")).expect("a link");
    cx.output(["check", "--fix"]);
    assert!(cx.path("home/.cursor/hooks.json").is_symlink());
    assert!(context::read(&target).contains("\"version\": 1"), "{}", context::read(&target));
}

#[test]
fn an_unquoted_path_with_a_space_is_given_its_quotes() {
    let cx = TestContext::new();
    cx.script("home/my hooks/a.sh", "#!/bin/sh\n");
    let path = cx.path("home/my hooks/a.sh");
    cx.write("home/.cursor/hooks.json", context::one_hook("stop", &path.display().to_string()));
    let seen = cx.run(["check"]);
    assert!(
        seen.contains(r#"\"[HOME]/my hooks/a.sh\""#) || seen.contains(r#""[HOME]/my hooks/a.sh""#),
        "{seen}"
    );
}

#[test]
fn warnings_count_when_strict_and_trust_does_not() {
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks.json", context::one_hook("stop", "true"));
    assert_eq!(cx.output(["check", "--strict"]).status.code(), Some(0));
    cx.write("project/.cursor/hooks.json", r#"{"hooks": {"stop": []}}"#);
    assert_eq!(cx.output(["check"]).status.code(), Some(0));
    assert_eq!(cx.output(["check", "--strict"]).status.code(), Some(1));
    let json: serde_json::Value =
        serde_json::from_slice(&cx.output(["check", "--json"]).stdout).expect("JSON");
    assert_eq!(json["problems"][0]["code"], "version-missing");
}

#[test]
fn a_file_that_cannot_be_read_is_one_error() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", r#"{"version": 1, "hooks": {"stop": [}}"#);
    let seen = cx.run(["check"]);
    assert!(seen.contains("0 hooks checked: 1 error, 0 warnings"), "{seen}");
    assert!(seen.contains("none of its hooks run"), "{seen}");
}

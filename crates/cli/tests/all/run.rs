//! `boathook run` as a person sees it.

use insta::assert_snapshot;

use crate::context::{self, TestContext, one_hook};

#[test]
fn a_refusal_is_an_answer_a_text_and_exit_code_two() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        one_hook("beforeShellExecution", r#"echo '{"permission":"deny","user_message":"Not today."}'"#),
    );
    assert_snapshot!(cx.run(["run", "beforeShellExecution", "--field", "command=ls"]), @r#"
    exit code: 2
    ----- stdout -----
    {"permission":"deny","user_message":"Not today.","agent_message":"The terminal command was rejected by a hook: (user hook) Not today. Do not attempt to work around this restriction using alternative methods or commands."}
    ----- stderr -----
    Not today.
    "#);
}

#[test]
fn no_opinion_prints_an_empty_object() {
    let cx = TestContext::new();
    assert_snapshot!(cx.run(["run", "stop"]), @r"
    exit code: 0
    ----- stdout -----
    {}
    ");
}

#[test]
fn an_untrusted_project_is_named_and_trust_for_once_says_what_it_trusts() {
    let cx = TestContext::new();
    cx.write("project/.cursor/hooks.json", one_hook("stop", r#"echo '{"followup_message":"Go on"}'"#));
    assert_snapshot!(cx.run(["run", "stop"]), @r"
    exit code: 0
    ----- stdout -----
    {}
    ----- stderr -----
    warning: [PROJECT]/.cursor/hooks.json: 1 hook is withheld: the workspace is not trusted; look at it with `boathook trust`
    ");
    assert_snapshot!(cx.run(["run", "stop", "--trust"]), @r#"
    exit code: 0
    ----- stdout -----
    {"followup_message":"Go on"}
    ----- stderr -----
    trusted for this call: [PROJECT]/.cursor/hooks.json
    "#);
}

#[test]
fn a_failure_that_lets_the_action_through_is_visible() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "echo oops; exit 3"));
    assert_snapshot!(cx.run(["run", "beforeShellExecution", "--field", "command=ls"]), @r"
    exit code: 0
    ----- stdout -----
    {}
    ----- stderr -----
    warning: hook `echo oops; exit 3` exited with code 3; the action proceeds without it
    ");
}

#[test]
fn mistakes_are_explained() {
    let cx = TestContext::new();
    assert_snapshot!(cx.run_with(["run", "stop"], "not json"), @r#"
    exit code: 1
    ----- stderr -----
    error: the payload on stdin, line 1, column 1: a word stands here without quotes, near `not json`
      help: put it into double quotes, if it is a text; a payload is one JSON object, like {"command":"ls"}
    "#);
    let cases = [
        (
            "{\"status\": \"completed\" \"loop_count\": 2}",
            ", line 1, column 23: a `,` is missing here, near `{\"status\": \"completed\" \"loop_count\": 2}`",
        ),
        ("[1]", ": it is a list, not an object"),
        ("{\"a\": 1, // note\n}", ", line 1, column 10: JSON has no comments"),
        ("{\"a\": 'x'}", ", line 1, column 7: a string is in single quotes"),
        ("{\"a\": \"x\"", "the payload on stdin, line 1, column"),
    ];
    for (payload, expected) in cases {
        let seen = cx.run_with(["run", "stop"], payload);
        assert!(seen.contains("exit code: 1") && seen.contains(expected), "{payload}: {seen}");
        assert!(seen.contains("a payload is one JSON object"), "{payload}: {seen}");
    }
    assert_snapshot!(cx.run(["run", "stop", "--field", "loop_count"]), @r"
    exit code: 1
    ----- stderr -----
    error: `--field loop_count`: there is no `=`
      help: write `--field command='git push'` or `--field loop_count=2`
    ");
    let unknown = cx.run(["run", "beforeShell"]);
    assert!(unknown.contains("a similar value exists: 'beforeShellExecution'"), "{unknown}");
}

#[test]
fn fields_are_typed_by_the_event() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", r#"cat > "$HOME/seen""#));
    cx.output(["run", "stop", "--field", "status=completed", "--field", "loop_count=2", "--field", "note=3"]);
    let seen = context::read(&cx.path("home/seen"));
    assert!(seen.contains(r#""status":"completed","loop_count":2,"note":"3""#), "{seen}");
    cx.write("home/.cursor/hooks.json", one_hook("preToolUse", r#"cat > "$HOME/seen""#));
    cx.output(["run", "preToolUse", "--field", "tool_name=Shell", "--field", "tool_input.command=ls"]);
    let seen = context::read(&cx.path("home/seen"));
    assert!(seen.contains(r#""tool_name":"Shell","tool_input":{"command":"ls"}"#), "{seen}");
}

#[test]
fn nothing_a_hook_says_reaches_the_terminal_raw() {
    let cx = TestContext::new();
    let hostile = r#"printf '{"permission":"deny","user_message":"\\u001b[31mred\\u001b]52;c;aGk=\\u0007 \\u202e"}'; printf '\033[2J' >&2"#;
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", hostile));
    let output = cx.output(["run", "beforeShellExecution", "--field", "command=ls", "--trace"]);
    for bytes in [&output.stdout, &output.stderr] {
        assert!(!bytes.contains(&0x1b), "{}", String::from_utf8_lossy(bytes));
        assert!(!String::from_utf8_lossy(bytes).contains('\u{202e}'));
    }
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_hook_that_calls_us_does_not_see_its_own_file() {
    let cx = TestContext::new();
    let binary = env!("CARGO_BIN_EXE_boathook");
    let again = format!(r#"echo x >> "$HOME/count"; exec {binary} run beforeShellExecution"#);
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", &again));
    let output = cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(context::read(&cx.path("home/count")), "x\n");
}

#[test]
fn a_circle_of_managed_hooks_ends() {
    let cx = TestContext::new();
    let binary = env!("CARGO_BIN_EXE_boathook");
    let root = cx.path("system");
    let again = format!(
        r#"echo x >> "$HOME/count"; exec {binary} --root {} run beforeShellExecution"#,
        root.display()
    );
    cx.write("system/etc/cursor/hooks.json", one_hook("beforeShellExecution", &again));
    cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
    assert_eq!(context::read(&cx.path("home/count")), "x\nx\nx\nx\n");
}

#[test]
fn a_typed_field_that_is_nearly_known_is_told() {
    let cx = TestContext::new();
    let seen = |field: &str| cx.run(["run", "beforeShellExecution", "--field", field]);
    let said = "beforeShellExecution has no field `comand`, as far as is known; did you mean `command`?";
    assert!(seen("comand=ls").contains(said), "{}", seen("comand=ls"));
    for known in ["command=ls", "ticket=5", "cwd=/"] {
        assert!(!seen(known).contains("did you mean"), "{}", seen(known));
    }
}

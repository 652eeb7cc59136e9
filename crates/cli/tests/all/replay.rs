//! `boathook replay`: a recorded run again.

use insta::assert_snapshot;
use serde_json::Value;

use crate::context::{TestContext, one_hook};

/// The ids in the log, oldest first.
fn ids(cx: &TestContext) -> Vec<String> {
    let output = cx.output(["log", "--json"]);
    let lines = String::from_utf8(output.stdout).expect("text");
    let id = |line: &str| {
        serde_json::from_str::<Value>(line).expect("JSON")["id"].as_str().expect("an id").to_owned()
    };
    lines.lines().map(id).collect()
}

/// What a person sees, without times.
fn seen(cx: &TestContext, args: &[&str]) -> String {
    let text = cx.run(args);
    let plain = |line: &str| match line {
        line if line.contains(" of 2") => line.split(" of 2").next().map(|event| format!("{event} of TIME")),
        line if line.trim_start().starts_with("took") => Some("  took       TIME".to_owned()),
        line => Some(line.to_owned()),
    };
    text.lines().filter_map(plain).collect::<Vec<_>>().join("\n")
}

const GUARD: &str = "#!/bin/sh\nread -r line\ncase $line in *force*) echo '{\"permission\":\"deny\",\"user_message\":\"old\"}';; esac\n";

#[test]
fn a_run_is_the_same_until_the_hook_changes() {
    let cx = TestContext::new();
    cx.script("home/.cursor/guard.sh", GUARD);
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "./guard.sh"));
    cx.output(["run", "beforeShellExecution", "--field", "command=git push --force"]);
    let id = ids(&cx).remove(0);
    assert_snapshot!(seen(&cx, &["replay", &id]), @r#"
    exit code: 0
    ----- stdout -----
    beforeShellExecution of TIME
    ./guard.sh
                 then             now
      result     denied           denied
      exit code  0                0
      took       TIME
      answer, then and now:
        {
          "permission": "deny",
          "user_message": "old"
        }
    the same as then
    "#);
    cx.script(
        "home/.cursor/guard.sh",
        &GUARD.replace("old", "new").replace(";; esac", "; echo oh >&2; exit 3;; esac"),
    );
    assert_snapshot!(seen(&cx, &["replay", &id]), @r#"
    exit code: 1
    ----- stdout -----
    beforeShellExecution of TIME
    ./guard.sh
                 then             now
      result     denied           failed
      exit code  0                3
      took       TIME
      now: exited with code 3
      answer (- then, + now):
         {
           "permission": "deny",
        -  "user_message": "old"
        +  "user_message": "new"
         }
      stderr (- then, + now):
        +oh
    not the same as then
    "#);
    let output = cx.output(["replay", &id, "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&told["hooks"][0]["before"]["exit_code"], &told["hooks"][0]["now"]["exit_code"]),
        (&0.into(), &3.into())
    );
    assert_eq!(ids(&cx).len(), 1, "nothing is logged");
}

#[test]
fn the_whole_event_goes_to_the_hooks_there_are_now() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", "echo '{\"followup_message\":\"one\"}'"));
    cx.output(["run", "stop", "--field", "conversation_id=c"]);
    cx.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [{"command": "echo '{\"followup_message\":\"two\"}'"}]}}"#,
    );
    let id = ids(&cx).remove(0);
    assert_snapshot!(seen(&cx, &["replay", &id]), @r#"
    exit code: 1
    ----- stderr -----
    error: hook `echo '{"followup_message":"one"}'` is not configured for this event any more
      help: --all-hooks sends the event to the hooks there are now
    "#);
    assert_snapshot!(seen(&cx, &["replay", &id, "--all-hooks"]), @r#"
    exit code: 1
    ----- stdout -----
    stop of TIME
    echo '{"followup_message":"two"}'
                 then             now
      result     -                answered
      exit code  -                0
      took       TIME
      answer (- then, + now):
        -(did not run)
        +{
        +  "followup_message": "two"
        +}
    echo '{"followup_message":"one"}'
                 then             now
      result     answered         -
      exit code  0                -
      took       TIME
      answer (- then, + now):
        -{
        -  "followup_message": "one"
        -}
        +(did not run)
    not the same as then
    "#);
    assert_eq!(ids(&cx).len(), 1, "nothing is logged");
    let follow_ups = cx.run(["run", "stop", "--field", "conversation_id=c", "--trace"]);
    assert!(follow_ups.contains("followup_message"), "{follow_ups}");
}

#[test]
fn trust_applies() {
    let cx = TestContext::new();
    let evidence = cx.path("home/evidence");
    cx.write("project/.cursor/hooks.json", one_hook("stop", "true"));
    cx.trust();
    cx.output(["run", "stop"]);
    let id = ids(&cx).remove(0);
    // The same command text, in a file that says more than it did.
    cx.write("project/.cursor/hooks.json", format!("{{\"version\": 1, \"hooks\": {{\"stop\": [{{\"command\": \"true\"}}, {{\"command\": \"touch {}\"}}]}}}}", evidence.display()));
    assert_snapshot!(seen(&cx, &["replay", &id]), @r"
    exit code: 1
    ----- stderr -----
    error: hook `true` would not run now: it changed since it was trusted
      help: `boathook trust` shows what would be trusted, and asks; --trust trusts it for this call
    ");
    assert_eq!(cx.output(["replay", &id, "--all-hooks"]).status.code(), Some(1));
    assert!(!evidence.exists());
    assert_eq!(cx.output(["replay", &id, "--trust"]).status.code(), Some(0));
    assert!(!evidence.exists(), "one hook alone");
}

#[test]
fn what_the_log_did_not_keep_cannot_be_run_again() {
    let cases = [("none", "not kept"), ("redacted", "redacted"), ("full", "cut")];
    for (keep, why) in cases {
        let cx = TestContext::new();
        cx.write("home/.config/boathook/config.toml", format!("[log]\npayload = \"{keep}\"\n"));
        cx.write("home/.cursor/hooks.json", one_hook("beforeSubmitPrompt", "cat > /dev/null"));
        let long = format!("{{\"prompt\": \"{}\"}}", "x".repeat(1_200_000));
        cx.output_with(
            ["run", "beforeSubmitPrompt"],
            if keep == "full" { long.as_bytes() } else { b"{\"prompt\":\"x\"}" },
        );
        let id = ids(&cx).remove(0);
        let seen = cx.run(["replay", &id]);
        assert!(seen.contains("exit code: 1") && seen.contains(&format!("its payload is {why}")), "{seen}");
        let shown = cx.run(["log", &id]);
        assert!(shown.contains(&format!("input is     {why}")), "{shown:.2000}");
    }
}

#[test]
fn an_event_without_a_hook_says_so() {
    let cx = TestContext::new();
    cx.output(["run", "stop"]);
    let id = ids(&cx).remove(0);
    let short = id.rsplit('-').next().expect("an id");
    assert_snapshot!(cx.run(["replay", &id]).replace(short, "ID"), @r"
    exit code: 1
    ----- stderr -----
    error: ID is an event that no hook ran on
      help: --all-hooks sends it to the hooks there are now
    ");
    assert_snapshot!(seen(&cx, &["replay", &id, "--all-hooks"]), @r"
    exit code: 0
    ----- stdout -----
    stop of TIME
    no hook ran, then or now
    ");
}

#[test]
fn the_log_says_why_a_hook_did_nothing() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "true", "matcher": "^git"}, {"command": "false", "matcher": "^ls"}]}}"#,
    );
    cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
    cx.output(["run", "beforeShellExecution", "--field", "command=make"]);
    let ids = ids(&cx);
    let fact = |id: &str, name: &str| {
        let text = cx.run(["log", id]);
        text.lines().filter(|line| line.starts_with(name)).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(fact(&ids[0], "not run"), @r"
    not run      user `true`: its matcher `^git` does not match `ls`
    ");
    assert_snapshot!(fact(&ids[1], "not run"), @r"
    not run      user `true`: its matcher `^git` does not match `make`
    not run      user `false`: its matcher `^ls` does not match `make`
    ");
    assert_snapshot!(fact(&ids[1], "event"), @r"
    event        beforeShellExecution, 2 hooks are configured and none applies
    ");
    let table = cx.run(["log"]);
    assert!(
        table.contains("none fits")
            && table.contains("its matcher `^git` does not match `make`: user `true`"),
        "{table}"
    );
}

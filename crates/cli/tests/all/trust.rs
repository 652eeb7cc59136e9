//! `boathook trust` as a person sees it.

use insta::assert_snapshot;

use crate::context::{self, TestContext, one_hook};

fn project() -> TestContext {
    let cx = TestContext::new();
    cx.script("project/.cursor/hooks/a.sh", "#!/bin/sh\necho '{}'\n");
    cx.write("project/.cursor/hooks.json", one_hook("stop", ".cursor/hooks/a.sh --fast"));
    cx
}

/// The directories of a test are part of what is hashed.
fn without_hash(seen: &str) -> String {
    let hash = seen
        .split_whitespace()
        .find(|word| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hash.map_or(seen.to_owned(), |hash| seen.replace(hash, "[SHA256]"))
}

#[test]
fn new_hooks_are_shown_and_nobody_is_asked_without_a_terminal() {
    assert_snapshot!(without_hash(&project().run(["trust"])), @r#"
    exit code: 1
    ----- stdout -----
    [PROJECT]/.cursor/hooks.json wants to run:
      stop: .cursor/hooks/a.sh --fast
    Trust covers these files, as they are now:
      [PROJECT]/.cursor/hooks.json
      [PROJECT]/.cursor/hooks/a.sh
    It does not cover what they load, what they download, or programs installed elsewhere.
    SHA-256 [SHA256]
    ----- stderr -----
      help: nobody can be asked here; write `boathook trust --accept [SHA256]` or `--yes`
    not trusted; nothing of it runs
    "#);
}

#[test]
fn a_difference_is_shown_line_by_line() {
    let cx = project();
    cx.trust();
    cx.script("project/.cursor/hooks/a.sh", "#!/bin/sh\necho '{\"followup_message\":\"x\"}'\n");
    let seen = without_hash(&cx.run(["trust"]));
    assert!(seen.contains("    -echo '{}'\n    +echo '{\"followup_message\":\"x\"}'"), "{seen}");
    assert!(seen.starts_with("exit code: 1"), "{seen}");
}

#[test]
fn status_accept_and_revoke() {
    let cx = project();
    let status = cx.run(["trust", "--status"]);
    assert!(status.contains("[PROJECT]/.cursor/hooks.json: not trusted"), "{status}");
    let hash = status.split_whitespace().find(|word| word.len() == 64).expect("a hash").to_owned();
    let wrong = "0".repeat(64);
    assert!(cx.run(["trust", "--accept", &wrong]).starts_with("exit code: 1"));
    assert!(cx.run(["trust", "--accept", "abc"]).contains("is not a SHA-256"));
    assert!(cx.run(["trust", "--accept", &hash]).starts_with("exit code: 0"));
    assert!(cx.run(["trust", "--status"]).starts_with("exit code: 0"));
    assert!(cx.run(["trust", "--revoke"]).contains("no longer trusted"));
    assert!(cx.run(["trust", "--status"]).starts_with("exit code: 1"));
    assert!(cx.run(["trust", "--revoke"]).contains("was not trusted"));
}

/// A workspace that brings hooks in three ways.
fn several() -> TestContext {
    let cx = project();
    let rule = |name: &str, action: &str, pattern: &str| {
        format!("---\nname: {name}\nevent: bash\naction: {action}\npattern: {pattern}\n---\nNo.\n")
    };
    cx.write("project/.claude/hookify.rm.local.md", rule("no-rm", "block", "rm\\s+-rf"));
    cx.write("project/.claude/hookify.push.local.md", rule("push", "block", "git push"));
    cx.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ".cursor/hooks/a.sh"}]}]}}"#,
    );
    cx
}

#[test]
fn all_that_a_workspace_brings_is_one_question() {
    let cx = several();
    assert_snapshot!(without_hash(&cx.run(["trust"])), @r"
    exit code: 1
    ----- stdout -----
    [PROJECT]/.cursor/hooks.json wants to run:
      stop: .cursor/hooks/a.sh --fast
    [PROJECT]/.claude/settings.json wants to run:
      stop: .cursor/hooks/a.sh
    2 hookify rules, decided without a process:
      push: blocks (bash) when `command` matches `git push`
      no-rm: blocks (bash) when `command` matches `rm\s+-rf`
    Trust covers these files, as they are now:
      [PROJECT]/.cursor/hooks.json
      [PROJECT]/.cursor/hooks/a.sh
      [PROJECT]/.claude/settings.json
      [PROJECT]/.claude/hookify.push.local.md
      [PROJECT]/.claude/hookify.rm.local.md
    It does not cover what they load, what they download, or programs installed elsewhere.
    SHA-256 [SHA256]
    ----- stderr -----
      help: nobody can be asked here; write `boathook trust --accept [SHA256]` or `--yes`
    not trusted; nothing of it runs
    ");
    let status = cx.run(["trust", "--status"]);
    let hashes: Vec<&str> = status.split_whitespace().filter(|word| word.len() == 64).collect();
    assert_eq!(hashes.len(), 1, "{status}");
    let wrong = "0".repeat(64);
    assert!(cx.run(["trust", "--accept", &wrong]).starts_with("exit code: 1"));
    assert!(cx.run(["trust", "--status"]).starts_with("exit code: 1"), "nothing was trusted by a wrong one");
    let accepted = cx.run(["trust", "--accept", hashes[0]]);
    assert_eq!(accepted.matches("\ntrusted [PROJECT]").count(), 4, "{accepted}");
    assert!(cx.run(["trust", "--status"]).starts_with("exit code: 0"));
}

#[test]
fn of_a_workspace_that_changed_only_the_change_is_asked_about() {
    let cx = several();
    cx.trust();
    let text = context::read(&cx.path("project/.claude/hookify.rm.local.md"));
    cx.write("project/.claude/hookify.rm.local.md", text.replace("rm\\s+-rf", "never"));
    let seen = without_hash(&cx.run(["trust"]));
    assert!(seen.contains("    -pattern: rm\\s+-rf\n    +pattern: never"), "{seen}");
    assert!(seen.contains("1 hookify rule, decided without a process:"), "{seen}");
    assert!(seen.contains("[PROJECT]/.cursor/hooks.json is trusted as it is"), "{seen}");
    assert!(!seen.contains("wants to run"), "{seen}");
}

#[test]
fn several_untrusted_sources_of_a_workspace_are_one_line() {
    let cx = several();
    for (command, expected) in [
        (&["list"][..], "[PROJECT]: 4 files, 4 hooks are withheld: the workspace is not trusted"),
        (&["explain", "stop"], "[PROJECT]: 4 files, 4 hooks are withheld: the workspace is not trusted"),
        (&["check"], "[PROJECT]: 4 files, 4 hooks are withheld: the workspace is not trusted"),
        (
            &["run", "stop"],
            "[PROJECT]: 2 files, 2 hooks are withheld: the workspace is not trusted; look at it",
        ),
    ] {
        let seen = cx.run_with(command, "{}");
        let warnings: Vec<&str> = seen.lines().filter(|line| line.contains("withheld: ")).collect();
        assert_eq!(warnings.len(), 1, "{seen}");
        assert!(warnings[0].starts_with(&format!("warning: {expected}")), "{seen}");
    }
}

#[test]
fn each_workspace_is_accepted_by_itself() {
    let cx = several();
    cx.write("other/.cursor/hooks.json", one_hook("stop", "true"));
    let both = [cx.path("project"), cx.path("other")].map(|path| path.to_string_lossy().into_owned());
    let workspaces = ["--workspace", &both[0], "--workspace", &both[1]];
    let run = |args: &[&str]| cx.run(workspaces.iter().chain(args));
    let status = run(&["trust", "--status"]);
    let hashes: Vec<&str> = status.split_whitespace().filter(|word| word.len() == 64).collect();
    assert_eq!(hashes.len(), 2, "{status}");
    let second = run(&["trust", "--accept", hashes[1]]);
    assert!(second.contains("trusted [TEST]/other/.cursor/hooks.json"), "{second}");
    assert!(!second.contains("trusted [PROJECT]"), "{second}");
    assert!(run(&["trust", "--status"]).contains("[PROJECT]/.cursor/hooks.json: not trusted"));
    run(&["trust", "--accept", &hashes[0].to_uppercase()]);
    assert!(run(&["trust", "--status"]).starts_with("exit code: 0"));
}

#[test]
fn a_trusted_file_that_is_gone_is_named_on_every_event_until_trust_is_revoked() {
    let claude = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}"#;
    let native = r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"exit 2"}]}}"#;
    for (file, text) in [(".claude/settings.json", claude), (".cursor/hooks.json", native)] {
        let cx = TestContext::new();
        let path = cx.write(&format!("project/{file}"), text);
        cx.trust();
        let run = |event: &str| cx.run_with(["run", event], r#"{"command":"ls"}"#);
        assert!(!run("stop").contains("is gone"), "{file}");
        std::fs::remove_file(path).expect("a file");
        for event in ["beforeShellExecution", "stop"] {
            let seen = run(event);
            let expected = format!("warning: [PROJECT]/{file}: it was trusted and is gone");
            assert!(seen.contains(&expected) && seen.contains("trust --revoke"), "{event}: {seen}");
        }
        cx.run(["trust", "--revoke"]);
        assert!(!run("stop").contains("is gone"), "{file}");
    }
}

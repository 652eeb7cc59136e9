//! `boathook trust` as a person sees it.

mod context;

use context::{TestContext, one_hook};
use insta::assert_snapshot;

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

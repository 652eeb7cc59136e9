//! `boathook init`: what it writes and what it leaves alone. That the scripts
//! of the samples do what they say stands in `sample_hooks.rs`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::context::{self, TestContext};

#[test]
fn a_first_hook_is_written_once() {
    let cx = TestContext::new();
    assert_snapshot!(cx.run(["init"]), @r"
    exit code: 0
    ----- stdout -----
    wrote  [HOME]/.cursor/hooks/beforePromptSubmit.sh
    wrote  [HOME]/.cursor/hooks.json
    ----- stderr -----
    hint: `boathook list` shows what is configured
    ");
    let before = snapshot_of(&cx.path("home/.cursor"));
    assert_snapshot!(cx.run(["init"]), @r"
    exit code: 0
    ----- stdout -----
    exists [HOME]/.cursor/hooks/beforePromptSubmit.sh, left as it is
    exists [HOME]/.cursor/hooks.json, left as it is
           it has every hook of the sample already
    ----- stderr -----
    hint: `boathook list` shows what is configured
    ");
    assert_eq!(snapshot_of(&cx.path("home/.cursor")), before, "nothing changed and nothing was left behind");
    assert_snapshot!(context::read(&cx.path("home/.cursor/hooks.json")), @r#"
    {
      "version": 1,
      "hooks": {
        "beforeSubmitPrompt": [{ "command": "./hooks/beforePromptSubmit.sh" }]
      }
    }
    "#);
}

#[test]
fn the_first_hook_notes_prompts_in_a_private_log_and_lets_them_go() {
    let cx = TestContext::new();
    assert!(cx.output(["init"]).status.success());
    assert_snapshot!(cx.run(["run", "beforeSubmitPrompt", "--field", "prompt=hello \"you\" %s"]), @r"
    exit code: 0
    ----- stdout -----
    {}
    ");
    let log = cx.path("home/.local/state/boathook/agent.log");
    assert!(context::read(&log).contains(r#""prompt":"hello \"you\" %s""#), "{}", context::read(&log));
    assert_eq!(mode(&log), 0o600);
    assert_eq!(mode(log.parent().expect("a folder")), 0o700);
}

#[test]
fn the_log_is_where_the_state_is() {
    let cx = TestContext::new();
    assert!(cx.output(["init"]).status.success());
    let state = cx.path("home/elsewhere");
    let mut run = cx.command(["run", "beforeSubmitPrompt", "--field", "prompt=x"]);
    assert!(
        run.env("XDG_STATE_HOME", &state).stdin(Stdio::null()).output().expect("it runs").status.success()
    );
    assert!(state.join("boathook/agent.log").is_file());
}

#[test]
fn the_first_edition_logs_where_it_always_did() {
    let cx = TestContext::new();
    assert!(cx.output(["--edition", "2.3", "init"]).status.success());
    let script = context::read(&cx.path("home/.cursor/hooks/beforePromptSubmit.sh"));
    assert!(script.contains("log=/tmp/agent.log\n"), "{script}");
    let cx = TestContext::new();
    assert!(cx.output(["init"]).status.success());
    assert!(!context::read(&cx.path("home/.cursor/hooks/beforePromptSubmit.sh")).contains("/tmp"));
}

#[test]
fn an_existing_hooks_file_is_left_alone_and_told_what_it_lacks() {
    let cx = TestContext::new();
    let text = "{\n  // mine\n  \"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./mine.sh\"}, {\"command\": \"./hooks/audit.sh\"}],\n  \"beforeShellExecution\": [{\"command\": \"./hooks/audit.sh\"}]}}";
    let file = cx.write("home/.cursor/hooks.json", text);
    cx.write("home/.cursor/hooks/audit.sh", "#!/bin/sh\n# mine\n");
    assert_snapshot!(cx.run(["init", "--full"]), @r#"
    exit code: 0
    ----- stdout -----
    wrote  [HOME]/.cursor/hooks/session-init.sh
    exists [HOME]/.cursor/hooks/audit.sh, left as it is
    wrote  [HOME]/.cursor/hooks/block-git.sh
    wrote  [HOME]/.cursor/hooks/redact-secrets-tab.sh
    wrote  [HOME]/.cursor/hooks/format-tab.sh
    exists [HOME]/.cursor/hooks.json, left as it is
           to use the sample, paste behind the `{` of its "hooks":
             "sessionStart": [{ "command": "./hooks/session-init.sh" }],
             "sessionEnd": [{ "command": "./hooks/audit.sh" }],
             "beforeMCPExecution": [{ "command": "./hooks/audit.sh" }],
             "afterShellExecution": [{ "command": "./hooks/audit.sh" }],
             "afterMCPExecution": [{ "command": "./hooks/audit.sh" }],
             "afterFileEdit": [{ "command": "./hooks/audit.sh" }],
             "beforeSubmitPrompt": [{ "command": "./hooks/audit.sh" }],
             "preCompact": [{ "command": "./hooks/audit.sh" }],
             "beforeTabFileRead": [{ "command": "./hooks/redact-secrets-tab.sh" }],
             "afterTabFileEdit": [{ "command": "./hooks/format-tab.sh" }],
           and behind the `[` of its "beforeShellExecution":
             { "command": "./hooks/block-git.sh" },
    ----- stderr -----
    hint: `boathook list` shows what is configured
    "#);
    assert_eq!(context::read(&file), text);
    assert_eq!(context::read(&cx.path("home/.cursor/hooks/audit.sh")), "#!/bin/sh\n# mine\n");
}

#[test]
fn a_link_that_leads_nowhere_is_not_written_through() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("home/.cursor/hooks")).expect("a folder");
    symlink(cx.path("home/target"), cx.path("home/.cursor/hooks/beforePromptSubmit.sh")).expect("a link");
    let output = cx.output(["init"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("exists"));
    assert!(!cx.path("home/target").exists());
}

#[test]
fn a_failure_leaves_no_half_of_it() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks", "a file where a folder should be");
    assert_snapshot!(cx.run(["init"]), @r"
    exit code: 1
    ----- stderr -----
    error: [HOME]/.cursor/hooks: File exists (os error 17)
    ");
    assert_eq!(fs::read_dir(cx.path("home/.cursor")).expect("a folder").count(), 1);
}

#[test]
fn a_project_gets_paths_from_its_root_and_waits_for_trust() {
    let cx = TestContext::new();
    fs::create_dir(cx.path("project/.git")).expect("a folder");
    assert_snapshot!(cx.run(["init", "--project"]), @r"
    exit code: 0
    ----- stdout -----
    wrote  [PROJECT]/.cursor/hooks/beforePromptSubmit.sh
    wrote  [PROJECT]/.cursor/hooks.json
    ----- stderr -----
    hint: project hooks run once you trust the workspace: `boathook trust`
    hint: `boathook list` shows what is configured
    ");
    assert!(
        context::read(&cx.path("project/.cursor/hooks.json"))
            .contains("\".cursor/hooks/beforePromptSubmit.sh\"")
    );
    let run = ["run", "beforeSubmitPrompt", "--field", "prompt=x"];
    assert!(String::from_utf8_lossy(&cx.output(run).stderr).contains("withheld"));
    cx.trust();
    assert!(cx.output(run).stderr.is_empty());
    assert!(cx.path("home/.local/state/boathook/agent.log").is_file());
}

#[test]
fn the_home_is_no_project() {
    let cx = TestContext::new();
    let home = cx.path("home");
    assert_snapshot!(cx.run(["--workspace", &home.to_string_lossy(), "init", "--project"]), @r"
    exit code: 1
    ----- stderr -----
    error: [HOME] is your home, not a project
      help: go into a project, name one with --workspace, or leave out --project
    ");
    assert!(!home.join(".cursor").exists());
}

#[test]
fn the_whole_sample_is_written_and_has_no_problem() {
    let cx = TestContext::new();
    assert_snapshot!(cx.run(["init", "--full"]), @r"
    exit code: 0
    ----- stdout -----
    wrote  [HOME]/.cursor/hooks/session-init.sh
    wrote  [HOME]/.cursor/hooks/audit.sh
    wrote  [HOME]/.cursor/hooks/block-git.sh
    wrote  [HOME]/.cursor/hooks/redact-secrets-tab.sh
    wrote  [HOME]/.cursor/hooks/format-tab.sh
    wrote  [HOME]/.cursor/hooks.json
    ----- stderr -----
    hint: from now on git is refused to agents and gh is asked about: see block-git.sh
    hint: `boathook list` shows what is configured
    ");
    assert_snapshot!(context::read(&cx.path("home/.cursor/hooks.json")), @r#"
    {
      "version": 1,
      "hooks": {
        "sessionStart": [{ "command": "./hooks/session-init.sh" }],
        "sessionEnd": [{ "command": "./hooks/audit.sh" }],
        "beforeShellExecution": [{ "command": "./hooks/audit.sh" }, { "command": "./hooks/block-git.sh" }],
        "beforeMCPExecution": [{ "command": "./hooks/audit.sh" }],
        "afterShellExecution": [{ "command": "./hooks/audit.sh" }],
        "afterMCPExecution": [{ "command": "./hooks/audit.sh" }],
        "afterFileEdit": [{ "command": "./hooks/audit.sh" }],
        "beforeSubmitPrompt": [{ "command": "./hooks/audit.sh" }],
        "preCompact": [{ "command": "./hooks/audit.sh" }],
        "stop": [{ "command": "./hooks/audit.sh" }],
        "beforeTabFileRead": [{ "command": "./hooks/redact-secrets-tab.sh" }],
        "afterTabFileEdit": [{ "command": "./hooks/format-tab.sh" }]
      }
    }
    "#);
    for entry in fs::read_dir(cx.path("home/.cursor/hooks")).expect("scripts").filter_map(Result::ok) {
        assert_eq!(mode(&entry.path()), 0o755, "{:?}", entry.path());
    }
    assert_eq!(mode(&cx.path("home/.cursor/hooks.json")), 0o644);
    assert_snapshot!(cx.run(["check", "--strict"]), @r"
    exit code: 0
    ----- stdout -----
    13 hooks checked, no problems
    ");
}

#[test]
fn a_sample_for_a_project_stays_in_it() {
    for link in [".cursor", ".cursor/hooks"] {
        let cx = TestContext::new();
        fs::create_dir_all(cx.path("home/bin")).expect("a folder");
        fs::create_dir_all(cx.path("project").join(link).parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(cx.path("home/bin"), cx.path("project").join(link)).expect("a link");
        let seen = cx.run(["init", "--project"]);
        assert!(seen.contains("leads out of [PROJECT], to [HOME]/bin"), "{link}: {seen}");
        assert_eq!(fs::read_dir(cx.path("home/bin")).expect("a folder").count(), 0, "{link}");
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

/// Every name below a directory with its text.
fn snapshot_of(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a folder").filter_map(Result::ok) {
        if entry.path().is_dir() {
            found.extend(snapshot_of(&entry.path()));
        } else {
            found.push((entry.path().display().to_string(), context::read(&entry.path())));
        }
    }
    found.sort();
    found
}

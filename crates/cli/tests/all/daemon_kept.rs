//! Hooks whose process outlives an event, behind a daemon's socket.
#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::context::{self, TestContext};
use crate::served::{Served, is_alive, until};

/// Denies with its own process id. The helper lets it work both ways.
const HOOK: &str = r#"import os
from boathook_hook import serve
serve(lambda event: {"permission": "deny", "user_message": str(os.getpid())})
"#;

fn place() -> TestContext {
    let context = TestContext::new();
    let helper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helpers/boathook_hook.py");
    context.write("home/.cursor/boathook_hook.py", context::read(&helper));
    context.write("home/.cursor/hook.py", HOOK);
    context.write(
        "home/.cursor/hooks.json",
        json!({ "version": 1, "hooks": { "beforeShellExecution": [
            { "command": "python3 ./hook.py", "persistent": true, "failClosed": true }] } })
        .to_string(),
    );
    context
}

fn process_of(handled: &Value) -> String {
    assert_eq!(handled["blocked"], true, "{handled}");
    handled["user_text"].as_str().expect("a text").to_owned()
}

#[test]
fn one_process_answers_every_event_and_ends_with_the_daemon() {
    let context = place();
    let mut daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let mut ask = || process_of(&talk.handle("beforeShellExecution", json!({ "command": "ls" })));
    let first = ask();
    let processes: HashSet<String> = (0..20).map(|_| ask()).collect();
    assert_eq!(processes, HashSet::from([first.clone()]), "one process answered all");
    assert_eq!(talk.result("status", json!({}))["kept"], 1);
    assert!(is_alive(&first));
    assert!(daemon.end().success());
    until("its process ends with the daemon", || !is_alive(&first));
}

#[test]
fn without_a_daemon_each_event_has_its_own_process() {
    let context = place();
    let run = || {
        let output = context.output_with(["run", "beforeShellExecution", "--daemon"], br#"{"command":"ls"}"#);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
        assert_eq!(answer["permission"], "deny");
        answer["user_message"].as_str().expect("a process").to_owned()
    };
    assert_ne!(run(), run());
}

#[test]
fn a_script_that_changed_is_not_answered_for_by_its_old_process() {
    let context = place();
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let old = process_of(&talk.handle("beforeShellExecution", json!({ "command": "ls" })));
    context.write("home/.cursor/hook.py", HOOK.replace("str(os.getpid())", "'new'"));
    let said = talk.handle("beforeShellExecution", json!({ "command": "ls" }));
    assert_eq!(process_of(&said), "new");
    until("the old process ends", || !is_alive(&old));
}

#[test]
fn events_that_come_together_are_all_answered_by_a_few() {
    let context = place();
    let daemon = Served::start(&context);
    let processes: HashSet<String> = thread::scope(|scope| {
        let one = |_| {
            scope.spawn(|| {
                let mut talk = daemon.talk();
                process_of(&talk.handle("beforeShellExecution", json!({ "command": "ls" })))
            })
        };
        let all: Vec<_> = (0..24).map(one).collect();
        all.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    assert!(!processes.is_empty());
    let mut talk = daemon.talk();
    let kept = talk.result("status", json!({}))["kept"].as_u64().expect("a number");
    assert!((1..=4).contains(&kept), "{kept} are kept");
}

#[test]
fn a_killed_daemon_leaves_no_process_behind() {
    let context = place();
    let mut daemon = Served::start(&context);
    let process = process_of(&daemon.talk().handle("beforeShellExecution", json!({ "command": "ls" })));
    daemon.signal("KILL");
    daemon.wait();
    until("its process ends, too", || !is_alive(&process));
}

/// A script that tells its process and that it was started, and answers.
const NOTED: &str = "#!/bin/sh\necho $$ >> started\ncat > /dev/null\necho '{}'\n";

#[test]
fn nothing_of_a_workspace_stays_or_starts_after_its_trust_is_taken_back() {
    let context = TestContext::new();
    context.write("project/hook.sh", NOTED);
    context.write(
        "project/.cursor/hooks.json",
        json!({ "version": 1, "hooks": { "beforeShellExecution": [
            { "command": "sh ./hook.sh", "prestart": true }] } })
        .to_string(),
    );
    context.trust();
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let payload = json!({ "command": "ls", "workspace_roots": [context.project()] });
    talk.handle("beforeShellExecution", payload);
    let started = || context::read(&context.project().join("started"));
    until("the next one is started ahead", || started().lines().count() == 2);
    let ahead = started().lines().last().expect("a process").to_owned();
    assert!(is_alive(&ahead));
    context.output(["trust", "--revoke"]);
    // No event comes: somebody looks all the same.
    until("it ends", || !is_alive(&ahead));
    assert_eq!(started().lines().count(), 2, "and no other is started");
}

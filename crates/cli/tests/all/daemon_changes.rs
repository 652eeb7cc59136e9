//! What changes while the daemon runs, and what outlives it: hook files,
//! settings, sessions.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::context::{TestContext, one_hook, read};
use crate::served::{Served, until};

/// A hook that denies in every version; they differ in length and text.
fn version(number: usize) -> String {
    let padding = "x".repeat(number * 37 % 5_000);
    json!({ "version": 1, "hooks": { "beforeShellExecution": [
        { "command": format!("echo '{{\"permission\":\"deny\",\"user_message\":\"v{number}\"}}' # {padding}") }
    ] } })
    .to_string()
}

/// From when to when.
type Span = (Instant, Instant);

#[test]
fn no_event_is_decided_without_a_configuration_however_the_file_is_rewritten() {
    let context = TestContext::new();
    let file = context.write("home/.cursor/hooks.json", version(0));
    let daemon = Served::start(&context);
    daemon.talk().handle("beforeShellExecution", json!({}));
    let done = Arc::new(AtomicBool::new(false));
    let askers: Vec<_> = (0..3)
        .map(|_| {
            let (mut talk, done) = (daemon.talk(), Arc::clone(&done));
            thread::spawn(move || {
                let (mut asked, mut opened) = (0, Vec::new());
                while !done.load(Ordering::SeqCst) {
                    let start = Instant::now();
                    let handled = talk.handle("beforeShellExecution", json!({ "command": "rm x" }));
                    if handled["blocked"] != true {
                        opened.push(((start, Instant::now()), handled));
                    }
                    asked += 1;
                }
                (asked, opened)
            })
        })
        .collect();
    let away: Vec<Span> = (1..=500).filter_map(|number| rewrite(&daemon, &file, number)).collect();
    done.store(true, Ordering::SeqCst);
    let answers: Vec<(usize, Vec<(Span, Value)>)> =
        askers.into_iter().map(|asker| asker.join().expect("it asks to the end")).collect();
    let events: usize = answers.iter().map(|(asked, _)| asked).sum();
    for ((start, end), handled) in answers.iter().flat_map(|(_, opened)| opened) {
        // A file that is away for long was removed, and says nothing.
        let removed = away.iter().any(|(gone, back)| start < back && gone < end);
        assert!(removed, "an event was let through: {handled}");
    }
    eprintln!("{events} events during 500 rewrites; {} were not judged", away.len());
    assert!(events >= 100, "only {events} events were asked about");
    fs::write(&file, version(501)).expect("the last one");
    let handled = daemon.talk().handle("beforeShellExecution", json!({}));
    assert_eq!(handled["answer"]["user_message"], "v501", "what stands there in the end is in force");
}

/// Rewrites the file in one of five ways; tells when it was away for so long
/// that this is no rewrite.
fn rewrite(daemon: &Served, file: &Path, number: usize) -> Option<Span> {
    let text = version(number);
    let start = Instant::now();
    match number % 5 {
        0 => fs::write(file, &text).expect("in place"),
        1 => {
            let fresh = file.with_extension("fresh");
            fs::write(&fresh, &text).and_then(|()| fs::rename(fresh, file)).expect("by rename");
        }
        2 => {
            fs::write(file, &text[..text.len() / 2]).expect("half of it");
            thread::sleep(Duration::from_millis(4));
            fs::write(file, &text).expect("all of it");
        }
        3 => fs::write(file, "").expect("emptied, and left so"),
        _ => {
            fs::remove_file(file).expect("it goes");
            thread::sleep(Duration::from_millis(2));
            fs::write(file, &text).expect("it is back");
        }
    }
    let away = number % 5 == 4 && start.elapsed() > Duration::from_millis(150);
    if away {
        daemon.talk().handle("beforeShellExecution", json!({}));
    }
    thread::sleep(Duration::from_millis(2));
    away.then(|| (start, Instant::now()))
}

#[test]
fn a_file_that_was_removed_for_good_has_no_hooks() {
    let context = TestContext::new();
    let file = context.write("home/.cursor/hooks.json", version(0));
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    assert_eq!(talk.handle("beforeShellExecution", json!({}))["blocked"], true);
    fs::remove_file(file).expect("it goes");
    assert_eq!(talk.handle("beforeShellExecution", json!({}))["blocked"], false);
}

#[test]
fn settings_count_when_they_change() {
    let context = TestContext::new();
    let seen = context.path("seen");
    let hook = format!("cat > '{}'", seen.display());
    context.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", &hook));
    context.write("home/.config/boathook/config.toml", "user_email = \"one@example.com\"\n");
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let mut email = || -> Value {
        talk.handle("beforeShellExecution", json!({}));
        serde_json::from_str::<Value>(&read(&seen)).expect("JSON")["user_email"].clone()
    };
    assert_eq!(email(), "one@example.com");
    context.write("home/.config/boathook/config.toml", "user_email = \"two@example.com\"\n");
    assert_eq!(email(), "two@example.com");
    fs::remove_file(context.path("home/.config/boathook/config.toml")).expect("it goes");
    assert_eq!(email(), Value::Null);
}

#[test]
fn sessions_outlive_the_daemon_and_are_the_same_in_process() {
    let context = TestContext::new();
    let hooks = json!({ "version": 1, "hooks": {
        "sessionStart": [{ "command": "echo '{\"env\":{\"TICKET\":\"seven\"}}'" }],
        "beforeShellExecution": [{ "command": "echo \"{\\\"permission\\\":\\\"deny\\\",\\\"user_message\\\":\\\"$TICKET\\\"}\"" }],
        "stop": [{ "command": "echo '{\"followup_message\":\"on\"}'" }] } });
    context.write("home/.cursor/hooks.json", hooks.to_string());
    let conversation = json!({ "conversation_id": "c", "status": "completed" });
    let mut daemon = Served::start(&context);
    let mut talk = daemon.talk();
    talk.handle("sessionStart", conversation.clone());
    for _ in 0..2 {
        assert_eq!(talk.handle("stop", conversation.clone())["answer"]["followup_message"], "on");
    }
    assert!(daemon.end().success());
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let handled = talk.handle("beforeShellExecution", conversation.clone());
    assert_eq!(handled["answer"]["user_message"], "seven");
    let output = context.output_with(["run", "beforeShellExecution"], conversation.to_string().as_bytes());
    assert!(String::from_utf8_lossy(&output.stdout).contains("seven"));
    let output = context.output_with(["run", "stop"], conversation.to_string().as_bytes());
    assert!(String::from_utf8_lossy(&output.stdout).contains("on"), "the third of five");
    for left in [true, true, false] {
        let answer = &talk.handle("stop", conversation.clone())["answer"];
        assert_eq!(answer.get("followup_message").is_some(), left, "five are counted in all");
    }
    let known = talk.result("sessions", json!({}))["sessions"][0].clone();
    assert_eq!((&known["variables"], &known["follow_ups"]), (&json!(["TICKET"]), &json!(5)));
}

#[test]
fn follow_ups_are_counted_right_when_daemon_and_process_count_at_once() {
    let context = Arc::new(TestContext::new());
    let hooks = json!({ "version": 1, "hooks": {
        "stop": [{ "command": "echo '{\"followup_message\":\"on\"}'", "loop_limit": null }] } });
    context.write("home/.cursor/hooks.json", hooks.to_string());
    let daemon = Served::start(&context);
    let payload = json!({ "conversation_id": "c", "status": "completed" });
    let counters: Vec<thread::JoinHandle<()>> = (0..6)
        .map(|number| {
            let (context, mut talk, payload) = (Arc::clone(&context), daemon.talk(), payload.clone());
            thread::spawn(move || {
                for _ in 0..4 {
                    if number % 2 == 0 {
                        assert_eq!(talk.handle("stop", payload.clone())["answer"]["followup_message"], "on");
                    } else {
                        let output = context.output_with(["run", "stop"], payload.to_string().as_bytes());
                        assert!(String::from_utf8_lossy(&output.stdout).contains("on"));
                    }
                }
            })
        })
        .collect();
    counters.into_iter().for_each(|counter| counter.join().expect("it counts"));
    let mut talk = daemon.talk();
    let mut known = Value::Null;
    until("all records are there", || {
        known = talk.result("sessions", json!({}))["sessions"][0].clone();
        known["runs"] == 24
    });
    assert_eq!(known["follow_ups"], 24);
}

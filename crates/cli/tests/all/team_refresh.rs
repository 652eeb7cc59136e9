//! What the team publishes arrives by itself: through the daemon within
//! seconds, without one behind the answer to an event.
#![cfg(unix)]

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::context::{self, TestContext};
use crate::served::{Served, until};
use crate::signing_server::{Hook, SIGN_IN, TeamServer, hook};

const STATUS: &str = "home/.local/state/boathook/team/status.json";

fn guard() -> Hook {
    hook("beforeShellExecution", "guard.sh", "#!/bin/sh\ncat >/dev/null\nexit 2\n")
}

fn is_guarded(cx: &TestContext) -> bool {
    cx.output(["run", "beforeShellExecution", "--field", "command=ls"]).status.code() == Some(2)
}

fn syncs(server: &TeamServer) -> usize {
    server.asked().iter().filter(|asked| asked.ends_with("/timestamp.json")).count()
}

#[test]
fn the_daemon_brings_what_is_published_within_seconds() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.log_in(&cx, SIGN_IN);
    let mut daemon = Served::start(&cx);
    until("it syncs when it starts", || syncs(&server) >= 2);
    until("it waits for news", || server.asked().iter().any(|asked| asked.starts_with("GET /api/v1/hint")));
    assert!(!is_guarded(&cx));
    server.publish(&[guard()]);
    until("the hooks are in force", || is_guarded(&cx));
    until("the daemon says so", || {
        let said = cx.output(["daemon", "status"]).stdout;
        String::from_utf8_lossy(&said).contains("applied, release 2")
    });
    let start = std::time::Instant::now();
    daemon.end();
    assert!(start.elapsed() < Duration::from_secs(15), "a question for news does not hold the end");
}

#[test]
fn the_daemon_follows_a_login_and_a_logout() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[guard()]);
    let mut daemon = Served::start(&cx);
    server.log_in(&cx, SIGN_IN);
    let team = |cx: &TestContext| {
        let said = cx.output(["daemon", "status"]).stdout;
        String::from_utf8_lossy(&said).contains("team        team 1")
    };
    until("the daemon follows the team", || team(&cx));
    assert!(cx.output(["team", "logout"]).status.success());
    assert!(!is_guarded(&cx));
    server.publish(&[guard()]);
    until("the daemon left it, too", || !team(&cx));
    assert!(!is_guarded(&cx), "nothing came back");
    daemon.end();
}

#[test]
fn without_a_daemon_an_event_starts_a_sync_behind_its_answer() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.log_in(&cx, SIGN_IN);
    server.publish(&[guard()]);
    for _ in 0..3 {
        assert!(!is_guarded(&cx));
    }
    assert_eq!(syncs(&server), 1, "the last try was just now");
    let old = SystemTime::now() - Duration::from_secs(1900);
    let text = context::read(&cx.path(STATUS));
    let mut status: serde_json::Value = serde_json::from_str(&text).expect("a status");
    status["next_at"] = 0.into();
    std::fs::write(cx.path(STATUS), status.to_string()).expect("a file");
    File::options()
        .write(true)
        .open(cx.path(STATUS))
        .and_then(|file| file.set_modified(old))
        .expect("a time");
    is_guarded(&cx);
    until("what was published is in force", || is_guarded(&cx));
    assert_eq!(syncs(&server), 2, "one event of many started it");
}

#[test]
fn a_machine_that_the_server_no_longer_knows_is_told_while_it_waits_for_news() {
    for daemon in [true, false] {
        let (cx, server) = (TestContext::new(), TeamServer::start(1));
        server.publish(&[guard()]);
        server.log_in(&cx, SIGN_IN);
        let mut watching = None;
        let mut served = None;
        match daemon {
            true => served = Some(Served::start(&cx)),
            false => {
                watching = Some(
                    cx.command(["team", "sync", "--watch"]).stderr(Stdio::null()).spawn().expect("it starts"),
                )
            }
        }
        until("it waits for news", || {
            server.asked().iter().any(|asked| asked.starts_with("GET /api/v1/hint"))
        });
        server.close();
        until("the status says so", || {
            let (code, status) = said(&cx, &["team", "status"]);
            code == Some(1) && status.contains("the server no longer knows this machine")
        });
        if let Some(mut watching) = watching {
            let _ = watching.kill().and_then(|()| watching.wait());
        }
        if let Some(mut served) = served {
            served.end();
        }
    }
}

fn closed_guard() -> Hook {
    let mut guard = guard();
    guard.manifest.fail_closed = true;
    guard
}

fn said(cx: &TestContext, args: &[&str]) -> (Option<i32>, String) {
    let output = cx.output(args);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// All of it at once: somebody may bring it back while this still removes files.
fn take_away(cx: &TestContext, folder: &Path) {
    let aside = cx.path("taken");
    let _ = std::fs::remove_dir_all(&aside);
    std::fs::rename(folder, aside).expect("moved");
}

#[test]
fn hooks_that_somebody_removed_are_missed_at_once_and_come_back() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[closed_guard()]);
    server.log_in(&cx, SIGN_IN);
    let managed = cx.path("home/.cursor/managed");
    take_away(&cx, &managed);
    let (code, status) = said(&cx, &["team", "status"]);
    assert_eq!(code, Some(1), "{status}");
    assert!(status.contains("gone"), "{status}");
    assert!(is_guarded(&cx), "refused while it is gone");
    until("an event brings them back", || managed.join("team_1/hooks/seal.json").exists());
    until("the status is good", || said(&cx, &["team", "status"]).0 == Some(0));

    take_away(&cx, &managed);
    assert!(cx.output(["team", "logout"]).status.success());
    assert!(!is_guarded(&cx), "after a log-out nothing is missed");
}

#[test]
fn the_daemon_brings_back_hooks_that_somebody_removed() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[closed_guard()]);
    server.log_in(&cx, SIGN_IN);
    let mut daemon = Served::start(&cx);
    until("it waits for news", || server.asked().iter().any(|asked| asked.starts_with("GET /api/v1/hint")));
    let managed = cx.path("home/.cursor/managed");
    take_away(&cx, &managed);
    until("they are back", || managed.join("team_1/hooks/seal.json").exists());
    daemon.end();
}

#[test]
fn a_repository_cannot_bring_certificates_or_a_home_into_that_sync() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.log_in(&cx, SIGN_IN);
    let old = SystemTime::now() - Duration::from_secs(1900);
    std::fs::write(cx.path(STATUS), "{}").expect("a file");
    File::options()
        .write(true)
        .open(cx.path(STATUS))
        .and_then(|file| file.set_modified(old))
        .expect("a time");
    // `agent hook` believes no XDG variable, and neither does what it starts.
    let home = cx.path("home");
    let mut command = cx.command(["agent", "hook", "claude"]);
    command
        .arg("--home")
        .arg(&home)
        .env("HOME", cx.path("elsewhere"))
        .env("XDG_STATE_HOME", cx.path("elsewhere"));
    let payload = serde_json::json!({
        "session_id": "s", "cwd": cx.project(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "ls" },
    });
    context::pipe(command, payload.to_string().as_bytes());
    until("it syncs", || syncs(&server) == 2);
    assert!(!cx.path("elsewhere").exists());
}

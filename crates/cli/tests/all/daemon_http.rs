//! `boathook daemon --http`: who is let in, what is answered, and what happens
//! to those who mean no good.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::context::{self, TestContext};
use crate::over_http::{Daemon, KEPT, LONG, read, shell};

/// A user whose hook denies every shell command that holds `rm`.
fn guarded() -> TestContext {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"matcher": "rm", "command": "echo '{\"permission\":\"deny\",\"agent_message\":\"REASON-ONE\"}'"}]}}"#,
    );
    cx
}

#[test]
fn an_agent_is_answered_in_its_own_words() {
    let cx = guarded();
    let daemon = Daemon::start(&cx);
    let denied = daemon.post("/agents/claude", &shell(&cx, "rm -rf x"));
    assert_eq!(denied.status, 200, "{denied:?}");
    assert!(denied.head.contains("application/json"), "{denied:?}");
    let own = &denied.json()["hookSpecificOutput"];
    assert_eq!(own["permissionDecision"], "deny");
    assert!(own["permissionDecisionReason"].as_str().is_some_and(|why| why.contains("REASON-ONE")));
    let silent = daemon.post("/agents/claude?event=PreToolUse", &shell(&cx, "ls"));
    assert_eq!((silent.status, silent.body.as_str()), (200, "{}"), "{silent:?}");
}

#[test]
fn a_host_gets_the_decision_whole() {
    let cx = guarded();
    let daemon = Daemon::start(&cx);
    let handled = daemon.post("/handle/beforeShellExecution", r#"{"command":"rm x"}"#).json();
    assert_eq!((&handled["blocked"], &handled["answer"]["permission"]), (&true.into(), &"deny".into()));
    cx.write(
        "project/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [{"command": "true", "timeout": 5}]}}"#,
    );
    cx.write("project/src/a file", "");
    let there = format!("/handle/stop?cwd={}", cx.project().join("src").display());
    let handled = daemon.post(&there, "{}").json();
    assert_eq!(handled["hooks"][0]["source"], "project", "the workspace around it: {handled}");
    assert!(handled["warnings"][0].as_str().is_some_and(|text| text.contains("withheld")), "{handled}");
    let nowhere = daemon.post("/handle/stop", "{}").json();
    assert!(
        nowhere["warnings"][0].as_str().is_some_and(|text| text.contains("no workspace was named")),
        "{nowhere}"
    );
    for (path, body, status) in [
        ("/handle/stop?cwd=relative", "{}", 400),
        ("/handle/stop?cwd=/no/such/place", "{}", 400),
        ("/handle/nothing", "{}", 400),
        ("/handle/stop", "[1]", 400),
        ("/handle/stop", "{", 400),
        ("/handle/stop", "", 400),
    ] {
        let reply = daemon.post(path, body);
        assert_eq!(reply.status, status, "{path} {body}: {reply:?}");
        assert!(reply.json()["error"].is_string(), "{reply:?}");
    }
    let status = daemon.send("GET /status", &daemon.key(), "");
    assert_eq!(status.json()["http"], format!("http://127.0.0.1:{}", daemon.port));
    assert!(!status.body.contains(&daemon.token));
}

#[test]
fn people_are_told_where_port_and_token_stand() {
    let cx = guarded();
    let mut command = cx.command(["daemon", "--http"]);
    command.stderr(fs::File::create(cx.path("said")).expect("a file"));
    let daemon = Daemon::of(&cx, command);
    let said = context::read(&cx.path("said"));
    let status = cx.output(["daemon", "status"]);
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    let file = cx.path(KEPT).display().to_string();
    assert!(said.contains(&format!("hint: its port and token stand in {file}\n")), "{said}");
    assert!(status.contains(&format!("token       in {file}\n")), "{status}");
    assert!(!said.contains(&daemon.token) && !status.contains(&daemon.token));
}

#[test]
fn who_has_no_business_here_is_refused() {
    let cx = guarded();
    let daemon = Daemon::start(&cx);
    let (port, token) = (daemon.port, &daemon.token);
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let body = shell(&cx, "ls");
    let length = format!("Content-Length: {}\r\n", body.len());
    let cases = [
        ("no token", format!("{host}{length}"), 401),
        ("another token", format!("{host}Authorization: Bearer {}x\r\n{length}", &token[1..]), 401),
        ("half a token", format!("{host}Authorization: Bearer {}\r\n{length}", &token[..32]), 401),
        ("another scheme", format!("{host}Authorization: Basic {token}\r\n{length}"), 401),
        ("two tokens", format!("{host}{bearer}{bearer}{length}"), 401),
        ("a name that leads here", format!("Host: evil.example:{port}\r\n{bearer}{length}"), 403),
        ("another port", format!("Host: 127.0.0.1:1\r\n{bearer}{length}"), 403),
        ("two hosts", format!("{host}Host: evil.example\r\n{bearer}{length}"), 403),
        ("another page", format!("{host}Origin: https://evil.example\r\n{bearer}{length}"), 403),
        ("a page of nowhere", format!("{host}Origin: null\r\n{bearer}{length}"), 403),
        ("no length", format!("{host}{bearer}Transfer-Encoding: chunked\r\n"), 411),
        ("too long", format!("{host}{bearer}Content-Length: 68157440\r\n"), 413),
        ("a wrong length", format!("{host}{bearer}Content-Length: many\r\n"), 400),
        ("many headers", format!("{host}{bearer}{length}{}", "X: y\r\n".repeat(200)), 431),
    ];
    for (name, head, status) in cases {
        let reply = daemon.send("POST /agents/claude", &head, if status < 404 { &body } else { "" });
        assert_eq!(reply.status, status, "{name}: {reply:?}");
        assert!(!reply.body.contains(token.as_str()), "{name}");
        assert_eq!(reply.body.contains("it stands in daemon/http.json"), status == 401, "{name}: {reply:?}");
    }
    for (line, status) in [
        ("GET /agents/claude", 405),
        ("GET /handle/stop", 405),
        ("POST /status", 405),
        ("DELETE /agents/claude", 405),
        ("GET /", 404),
        ("POST /agents", 404),
        ("POST /agents/codex", 404),
        ("POST /agents/%00", 404),
        ("POST /agents/..%2f..%2fetc", 404),
    ] {
        let head = format!("{}Content-Length: 0\r\n", daemon.key());
        let reply = daemon.send(line, &head, "");
        assert_eq!(reply.status, status, "{line}: {reply:?}");
        assert!(reply.json()["error"].is_string(), "{line}: {reply:?}");
    }
    assert_eq!(daemon.post("/agents/claude", &body).status, 200, "and others are served");
}

#[test]
fn what_cannot_be_understood_is_a_refusal_and_never_an_empty_answer() {
    // Nobody guards here: but where the agent is cannot be read either.
    let cx = TestContext::new();
    let daemon = Daemon::start(&cx);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cut = shell(&cx, "ls");
    let no_tool = r#"{"hook_event_name":"PreToolUse","tool_input":{"command":"ls"}}"#;
    for told in ["", "x", "[]", "{}", "null", "\u{0}", &deep, &cut[..cut.len() - 2], no_tool] {
        let reply = daemon.post("/agents/claude", told);
        assert_eq!(reply.status, 200, "{told:.80}");
        assert_eq!(reply.json()["decision"], "block", "{told:.80}: {reply:?}");
    }
    let end = r#"{"hook_event_name":"Stop","session_id":7}"#;
    let reply = daemon.post("/agents/claude", end);
    assert!(reply.json().get("decision").is_none(), "nobody is sent on for ever: {reply:?}");
}

#[test]
fn a_body_of_65_mebibytes_is_refused_and_one_of_20_is_read() {
    let cx = guarded();
    let daemon = Daemon::start(&cx);
    let mut stream = daemon.connect();
    let length = 65 * 1024 * 1024;
    let head = format!("POST /agents/claude HTTP/1.1\r\n{}Content-Length: {length}\r\n\r\n", daemon.key());
    stream.write_all(head.as_bytes()).expect("it reads");
    // It may hang up before it has all.
    let _ = stream.write_all(&vec![b' '; length]);
    let reply = read(stream);
    assert!([413, 0].contains(&reply.status), "{reply:?}");
    let long = shell(&cx, &format!("rm {}", "x".repeat(20 * 1024 * 1024)));
    let reply = daemon.post("/agents/claude", &long);
    assert!(reply.body.contains("REASON-ONE"), "{:.200}", reply.body);
}

#[test]
fn slow_callers_hold_nobody_else_and_are_let_go() {
    let cx = guarded();
    let daemon = Daemon::start(&cx);
    let mut slow = Vec::new();
    for at in 0..100 {
        let mut stream = daemon.connect();
        let body = format!("POST /agents/claude HTTP/1.1\r\n{}Content-Length: 10\r\n\r\n{{", daemon.key());
        let said = if at % 2 == 0 { "POST /agents/claude HTTP/1.1\r\nHost: 12" } else { body.as_str() };
        stream.write_all(said.as_bytes()).expect("it reads");
        slow.push(stream);
    }
    let denied = daemon.post("/agents/claude", &shell(&cx, "rm x"));
    assert!(denied.body.contains("REASON-ONE"), "{denied:?}");
    for stream in slow {
        // `read` panics when the daemon holds it for longer than `LONG`.
        let reply = read(stream);
        assert!([0, 408].contains(&reply.status), "{reply:?}");
    }
}

#[test]
fn silent_connections_keep_nobody_out() {
    let cx = guarded();
    let daemon = Daemon::start(&cx);
    let body = shell(&cx, "rm x");
    let head = format!("{}Content-Length: {}\r\n", daemon.key(), body.len());
    let mut slow = daemon.connect();
    slow.write_all(format!("POST /agents/claude HTTP/1.1\r\n{head}\r\n").as_bytes()).expect("it reads");
    assert_eq!(daemon.send("GET /status", &daemon.key(), "").status, 200, "it was read before this");
    let mut silent = Vec::new();
    for _ in 0..300 {
        let mut stream = daemon.connect();
        // Who was let go already may hear so.
        let _ = stream.write_all(b"G");
        silent.push(stream);
    }
    let asked = Instant::now();
    assert_eq!(daemon.send("GET /status", &daemon.key(), "").status, 200);
    assert!(asked.elapsed() < Duration::from_secs(10), "it took {:?}", asked.elapsed());
    slow.write_all(body.as_bytes()).expect("it still reads");
    let reply = read(slow);
    assert!(reply.body.contains("REASON-ONE"), "who may come in stays: {reply:?}");
}

#[test]
fn an_address_makes_no_other_event_of_what_the_agent_tells() {
    let cx = guarded();
    let daemon = Daemon::start(&cx);
    let half = shell(&cx, "rm x").replace("rm x", "rm \\ud800");
    for (body, path) in [
        (shell(&cx, "rm x"), "/agents/claude?event=Stop"),
        (shell(&cx, "rm x"), "/agents/claude?event=nothing"),
        (half, "/agents/claude?event=Stop"),
    ] {
        let reply = daemon.post(path, &body);
        assert_eq!((reply.status, &reply.json()["decision"]), (200, &"block".into()), "{path}: {reply:?}");
    }
    for path in ["/agents/claude?event=a&event=b", "/agents/%ff", "/handle/%ff"] {
        let reply = daemon.post(path, "{}");
        assert_eq!(reply.status, 400, "{path}: {reply:?}");
        assert!(reply.json()["error"].is_string(), "{path}: {reply:?}");
    }
}

#[test]
fn who_hangs_up_ends_what_runs_for_it() {
    let cx = TestContext::new();
    let (begun, pid) = (cx.path("begun"), cx.path("pid"));
    let hook = cx.script(
        "home/slow.sh",
        &format!("#!/bin/sh\necho $$ > {}\nmv {0} {}\nexec sleep 600\n", pid.display(), begun.display()),
    );
    cx.write(
        "home/.cursor/hooks.json",
        format!(
            r#"{{"version": 1, "hooks": {{"beforeShellExecution": [{{"command": "{}", "timeout": 600}}]}}}}"#,
            hook.display()
        ),
    );
    let daemon = Daemon::start(&cx);
    let mut stream = daemon.connect();
    let body = shell(&cx, "ls");
    let head = format!("{}Content-Length: {}\r\n", daemon.key(), body.len());
    stream
        .write_all(format!("POST /agents/claude HTTP/1.1\r\n{head}\r\n{body}").as_bytes())
        .expect("it reads");
    until("the hook runs", || begun.exists());
    let hook = fs::read_to_string(&begun).expect("its number").trim().to_owned();
    let alive = || fs::read_to_string(format!("/proc/{hook}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    drop(stream);
    if cfg!(target_os = "linux") {
        until("the hook ends", || !alive());
    }
    assert_eq!(daemon.send("GET /status", &daemon.key(), "").status, 200);
}

#[test]
fn the_port_and_the_token_stay_and_are_the_users_alone() {
    let cx = TestContext::new();
    let (port, token) = {
        let daemon = Daemon::start(&cx);
        (daemon.port, daemon.token.clone())
    };
    assert_eq!(token.len(), 64);
    let mode = fs::metadata(cx.path(KEPT)).expect("the file").permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    let again = Daemon::start(&cx);
    assert_eq!((again.port, &again.token), (port, &token));
    drop(again);
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let typed = other.local_addr().expect("its address").port();
    let said = cx.run(["daemon", "--http", &typed.to_string()]);
    assert!(said.contains("exit code: 1") && said.contains("is in use by another program"), "{said}");
    let kept: Value = serde_json::from_slice(&fs::read(cx.path(KEPT)).expect("the file")).expect("JSON");
    assert_eq!(kept["port"], port, "what could not be had is not kept");
    drop(other);
    fs::set_permissions(cx.path(KEPT), fs::Permissions::from_mode(0o644)).expect("a mode");
    let said = cx.run(["daemon", "--http"]);
    assert!(said.contains("exit code: 1") && said.contains("can be read by others (mode 0644)"), "{said}");
    assert!(!said.contains(&token), "{said}");
}

#[test]
fn a_daemon_that_ends_answers_who_waits() {
    let cx = TestContext::new();
    let begun = cx.path("begun");
    cx.write(
        "home/.cursor/hooks.json",
        format!(r#"{{"version": 1, "hooks": {{"beforeShellExecution": [{{"command": "touch {}; sleep 600", "timeout": 700}}]}}}}"#, begun.display()),
    );
    let daemon = Daemon::start(&cx);
    let asked = thread::scope(|scope| {
        let asked = scope.spawn(|| daemon.post("/agents/claude", &shell(&cx, "ls")));
        until("the hook runs", || begun.exists());
        let stop = cx.output(["daemon", "stop"]);
        assert!(stop.status.success(), "{stop:?}");
        asked.join().expect("an answer")
    });
    // Not to get an answer shuts the gate as well.
    let refused = asked.json()["hookSpecificOutput"]["permissionDecision"] == "deny";
    assert!(refused && asked.status == 200, "{asked:?}");
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "never: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Connections that say nothing are closed, too.
#[test]
fn a_connection_that_says_nothing_is_closed() {
    let cx = TestContext::new();
    let daemon = Daemon::start(&cx);
    let mut stream = daemon.connect();
    let mut nothing = Vec::new();
    stream.read_to_end(&mut nothing).expect("it is closed");
    assert!(nothing.is_empty());
}

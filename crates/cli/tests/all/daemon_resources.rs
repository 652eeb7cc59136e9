//! A daemon that is short of something, or fails on something, opens no gate
//! and loses no place.
#![cfg(unix)]

use std::io::{Read, Write};
use std::process::Command;

use serde_json::{Value, json};

use crate::context::TestContext;
use crate::served::{Served, Talk, until};

const DENY_ALL: &str = r#"{"version":1,"hooks":{"beforeShellExecution":[
    {"command":"cat > /dev/null; echo '{\"permission\":\"deny\"}'"}]}}"#;

/// A daemon whom a shell gives these limits, whatever it would like.
fn limited(context: &TestContext, limits: &str) -> Served {
    let daemon = context.command(["daemon"]);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limits} && exec \"$@\""), "sh"]);
    command.arg(daemon.get_program()).args(daemon.get_args());
    command.current_dir(context.project());
    for (name, value) in daemon.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Served::started(command)
}

#[test]
fn a_gate_stays_shut_when_the_daemon_may_open_few_files() {
    let params = json!({ "event": "beforeShellExecution", "payload": { "command": "x" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "handle", "params": params });
    for files in [32, 40, 64] {
        let context = TestContext::new();
        context.write("home/.cursor/hooks.json", DENY_ALL);
        let mut daemon = limited(&context, &format!("ulimit -n {files}"));
        let mut held: Vec<Talk> = Vec::new();
        let (mut refused, mut unanswered) = (0, 0);
        for round in 0..16 {
            let mut talk = daemon.talk();
            // Who is sent away gets no answer, and asks the engine in process.
            let _ = talk.stream.write_all(format!("{call}\n").as_bytes());
            match talk.line() {
                Some(answer) if answer.get("result").is_some() => {
                    assert_eq!(answer["result"]["blocked"], true, "{files} files, round {round}: {answer}");
                    refused += 1;
                }
                Some(answer) => {
                    assert_eq!(answer["error"]["code"], -32002, "{files} files, round {round}: {answer}");
                    unanswered += 1;
                }
                None => unanswered += 1,
            }
            held.push(talk);
        }
        eprintln!("{files} files: {refused} refused, {unanswered} not decided");
        assert!(files < 64 || refused > 0, "{files} files: nothing was decided");
        assert!(daemon.is_alive());
        drop(held);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_had_no_room_for_a_while_has_every_record_once_and_whole() {
    let context = TestContext::new();
    // No file of it may have more than 16 KiB, until somebody says otherwise.
    let daemon = limited(&context, "trap '' XFSZ; ulimit -S -f 32");
    let mut talk = daemon.talk();
    let text = "x".repeat(700);
    for number in 0..60 {
        let payload = json!({ "conversation_id": format!("c{number}"), "command": text });
        talk.handle("beforeShellExecution", payload);
    }
    let written = |talk: &mut Talk| talk.result("log", json!({ "number": 1000 }));
    until("the log is full", || written(&mut talk)["records"].as_array().is_some_and(|it| it.len() > 8));
    // By then the next record was tried, and others behind it.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(written(&mut talk)["records"].as_array().is_some_and(|it| it.len() < 30));
    let room = Command::new("prlimit")
        .args(["--fsize=unlimited:", "--pid", &daemon.pid().to_string()])
        .status()
        .expect("prlimit");
    assert!(room.success());
    talk.handle("beforeShellExecution", json!({ "conversation_id": "c60" }));
    let names = |log: &Value| -> Vec<String> {
        let records = log["records"].as_array().expect("records");
        records.iter().map(|record| record["conversation"].as_str().unwrap_or_default().to_owned()).collect()
    };
    until("all of it is written", || names(&written(&mut talk)).len() >= 61);
    let log = written(&mut talk);
    let expected: Vec<String> = (0..=60).map(|number| format!("c{number}")).collect();
    assert_eq!((names(&log), &log["unreadable"]), (expected, &json!(0)));
}

/// The first hook takes the daemon's files away, so that the second cannot start.
#[cfg(target_os = "linux")]
#[test]
fn what_the_daemon_declines_is_not_written_down_as_let_through() {
    let context = TestContext::new();
    let hooks = json!({ "version": 1, "hooks": {
        "beforeShellExecution": [{ "command": "prlimit --nofile=8: --pid $PPID" }, { "command": "true" }],
        "stop": [{ "command": "exit 1" }],
    } });
    context.write("home/.cursor/hooks.json", hooks.to_string());
    let mut daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let one_at_a_time =
        json!({ "event": "beforeShellExecution", "payload": { "command": "x" }, "edition": "2.3" });
    let answer = talk.ask("handle", one_at_a_time);
    assert_eq!(answer["error"]["code"], -32002, "{answer}");
    let pid = daemon.pid().to_string();
    let given = Command::new("prlimit").args(["--nofile=512:", "--pid", &pid]).status().expect("prlimit");
    assert!(given.success());
    let handled = talk.handle("stop", json!({}));
    assert_eq!(handled["hooks"][0]["outcome"], "failed_open", "what is decided is told as ever: {handled}");
    assert!(daemon.end().success());
    let log = String::from_utf8(context.output(["log", "--json"]).stdout).expect("text");
    let records: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let told: Vec<Value> =
        records.iter().map(|it| json!([it["step"], it["outcome"], it["blocked"]])).collect();
    let shell = json!(["beforeShellExecution", "undecided", false]);
    assert_eq!(told, [shell.clone(), shell, json!(["stop", "failed_open", false])], "{log}");
    let reason = records[1]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("nothing was decided") && reason.contains("no new process"), "{reason}");
}

#[test]
fn the_log_tells_every_payload_as_it_came() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_ALL);
    let daemon = Served::start(&context);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for odd in [r#""\ud800""#, &deep] {
        let mut talk = daemon.talk();
        talk.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"handle","params":{{"event":"beforeShellExecution","payload":{{"command":"x","odd":{odd}}}}}}}"#
        ));
        // It may be refused as a whole; what is in the log must come out again.
        assert!(raw_answer(&mut talk).contains(r#""id":1"#));
        talk.send(r#"{"jsonrpc":"2.0","id":2,"method":"log","params":{}}"#);
        let log = raw_answer(&mut talk);
        assert!(log.contains(r#""records":["#) && log.contains(r#""matching":"#), "{log:.300}");
    }
    until("all places are free", || daemon.talk().result("status", json!({}))["connections"] == 1);
}

/// A line that not every reader of JSON understands.
fn raw_answer(talk: &mut Talk) -> String {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while talk.stream.read(&mut byte).expect("an answer") == 1 && byte != *b"\n" {
        bytes.push(byte[0]);
    }
    String::from_utf8(bytes).expect("text")
}

#[test]
fn an_id_can_be_taken_again_when_its_answer_is_there() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_ALL);
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let params = json!({ "event": "beforeShellExecution", "payload": { "command": "x" } });
    let call = json!({ "jsonrpc": "2.0", "id": "one", "method": "handle", "params": params }).to_string();
    for round in 0..100 {
        talk.send(&call);
        let answer = talk.answer();
        assert_eq!(answer["result"]["blocked"], true, "round {round}: {answer}");
    }
}

/// Starts this program again, as a hook would.
#[cfg(target_os = "linux")]
#[test]
fn who_was_started_by_a_hook_is_sent_to_the_engine_in_process() {
    const SOCKET: &str = "BOATHOOK_TEST_SOCKET";
    let event = json!({ "event": "beforeShellExecution", "payload": { "command": "x" } });
    if let Some(socket) = std::env::var_os(SOCKET) {
        let mut talk = Talk::to(std::os::unix::net::UnixStream::connect(socket).expect("it listens"));
        let answer: Value = talk.ask("handle", event);
        assert_eq!(answer["error"]["code"], -32001, "{answer}");
        return;
    }
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_ALL);
    let daemon = Served::start(&context);
    assert_eq!(daemon.talk().result("handle", event)["blocked"], true);
    let name = "daemon_resources::who_was_started_by_a_hook_is_sent_to_the_engine_in_process";
    let inside = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", name])
        .env("BOATHOOK_RUN", "a-run")
        .env(SOCKET, daemon.socket())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&inside.stdout);
    assert!(inside.status.success(), "{said}");
    assert!(said.contains("1 passed"), "the test exists: {said}");
}

//! The daemon on its socket: what it is asked, and what it answers.
#![cfg(unix)]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::context::{TestContext, one_hook, read};
use crate::served::{Served, is_alive, until};

const DENY_RM: &str = r#"{"version":1,"hooks":{"beforeShellExecution":[
    {"command":"echo '{\"permission\":\"deny\",\"user_message\":\"no\"}'","matcher":"rm "}]}}"#;

#[test]
fn an_event_is_answered_as_run_answers_it() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_RM);
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    for (command, blocked) in [("rm -rf x", true), ("ls", false)] {
        let payload = json!({ "command": command, "conversation_id": "c", "generation_id": "g" });
        let handled = talk.handle("beforeShellExecution", payload.clone());
        assert_eq!(handled["blocked"], blocked, "{handled}");
        let output =
            context.output_with(["run", "beforeShellExecution", "--trace"], payload.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
        assert_eq!(handled["answer"], answer);
        let trace = String::from_utf8_lossy(&output.stderr);
        let trace = trace.lines().find(|line| line.starts_with('{')).expect("a trace");
        let mut trace: Value = serde_json::from_str(trace).expect("JSON");
        let mut hooks = handled["hooks"].clone();
        for hook in [&mut trace["hooks"][0], &mut hooks[0]] {
            hook.as_object_mut().expect("a hook").remove("duration_ms");
        }
        assert_eq!(hooks, trace["hooks"]);
        assert_eq!(handled.get("code"), trace.get("code"));
        assert_eq!(handled.get("model_text"), trace.get("model_text"));
    }
}

#[test]
fn a_workspace_counts_as_it_does_in_process() {
    let context = TestContext::new();
    context.write("project/.cursor/hooks.json", DENY_RM);
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let payload = json!({ "command": "rm x", "workspace_roots": [context.project()] });
    let untrusted = talk.handle("beforeShellExecution", payload.clone());
    assert_eq!(
        (&untrusted["blocked"], &untrusted["hooks"][0]["outcome"]),
        (&json!(false), &json!("withheld"))
    );
    context.trust();
    assert_eq!(talk.handle("beforeShellExecution", payload)["blocked"], true, "trust counts at once");
    let named = json!({ "event": "beforeShellExecution", "payload": { "command": "rm x" },
        "workspaces": [context.project()] });
    assert_eq!(talk.result("handle", named)["blocked"], true);
    let cloud = json!({ "event": "beforeShellExecution", "payload": { "command": "rm x" },
        "workspaces": [context.project()], "surface": "cloud", "remote": true, "cannot_ask": true, "edition": "2.3" });
    assert_eq!(talk.result("handle", cloud)["blocked"], false, "edition 2.3 wants its experiment");
}

/// Whoever asks about no project must know that none of its hooks was asked.
#[test]
fn a_call_without_a_workspace_says_so() {
    let context = TestContext::new();
    context.write("project/.cursor/hooks.json", DENY_RM);
    context.write("project/src/deep/file", "");
    context.trust();
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let (project, deep) = (context.project(), context.project().join("src/deep"));
    let rm = |payload: Value, beside: Value| {
        let mut params = json!({ "event": "beforeShellExecution", "payload": { "command": "rm x" } });
        params["payload"].as_object_mut().expect("one").extend(payload.as_object().expect("one").clone());
        params.as_object_mut().expect("one").extend(beside.as_object().expect("one").clone());
        params
    };
    let found = [
        (json!({}), json!({ "cwd": deep })),
        (json!({}), json!({ "cwd": project })),
        (json!({ "workspace_roots": [] }), json!({ "cwd": deep })),
        (json!({ "workspace_roots": null }), json!({ "cwd": deep })),
        (json!({ "workspace_roots": [project] }), json!({ "cwd": "/" })),
        (json!({}), json!({ "workspaces": [project], "cwd": "/" })),
    ];
    for (payload, beside) in found {
        let handled = talk.result("handle", rm(payload, beside));
        assert_eq!((&handled["blocked"], &handled["warnings"]), (&json!(true), &json!([])), "{handled}");
    }
    let missed = [
        (json!({}), json!({}), "no workspace was named"),
        (json!({ "workspace_roots": [] }), json!({}), "no workspace was named"),
        (json!({ "workspace_roots": project }), json!({}), "is no list of texts"),
        (json!({ "workspace_roots": [1] }), json!({ "cwd": "/" }), "is no list of texts"),
        (
            json!({ "workspace_roots": ["/no/such/place"] }),
            json!({}),
            "the workspace /no/such/place does not exist",
        ),
    ];
    for (payload, beside, words) in missed {
        let handled = talk.result("handle", rm(payload, beside));
        assert_eq!(handled["blocked"], false);
        assert!(handled["warnings"].to_string().contains(words), "{words}: {handled}");
    }
    let refused = [
        (json!({}), json!({ "workspaces": ["/no/such/place"] }), "/no/such/place"),
        (json!({}), json!({ "cwd": "/no/such/place" }), "/no/such/place"),
        (json!({}), json!({ "cwd": "src" }), "no absolute path"),
        (json!({ "workspace_roots": ["src"] }), json!({}), "no absolute path"),
    ];
    for (payload, beside, words) in refused {
        let error = talk.ask("handle", rm(payload, beside))["error"].clone();
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].to_string().contains(words), "{error}");
    }
    for method in ["list", "problems", "has_hook"] {
        let nowhere = talk.result(method, json!({ "event": "stop" }));
        assert!(nowhere["warnings"].to_string().contains("no workspace was named"), "{method}: {nowhere}");
        let there = talk.result(method, json!({ "event": "stop", "cwd": deep }));
        assert_eq!(there.get("warnings"), None, "{method}: {there}");
        let error = talk.ask(method, json!({ "event": "stop", "workspaces": ["/no/such/place"] }));
        assert_eq!(error["error"]["code"], -32602, "{method}: {error}");
    }
    for (roots, words) in [
        (json!(["/no/such/place"]), "the workspace /no/such/place does not exist"),
        (json!(project), "is no list of texts"),
    ] {
        let payload = json!({ "workspace_roots": roots }).to_string();
        let output = context.output_with(["run", "stop"], payload.as_bytes());
        assert!(String::from_utf8_lossy(&output.stderr).contains(words), "{output:?}");
    }
}

#[test]
fn answers_come_in_any_order_and_a_call_can_be_cancelled() {
    let context = TestContext::new();
    let pid = context.path("pid");
    let slow = format!("echo $$ > '{}'; sleep 100 & wait", pid.display());
    context.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", &slow));
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let slow = talk.call("handle", json!({ "event": "beforeShellExecution", "payload": {}, "beat": true }));
    until("the hook runs", || !read(&pid).is_empty());
    assert_eq!(talk.handle("stop", json!({}))["blocked"], false, "others do not wait");
    assert_eq!(talk.result("cancel", json!({ "id": 77 })), json!({ "cancelled": false }));
    let same = json!({ "jsonrpc": "2.0", "id": slow, "method": "handle",
        "params": { "event": "beforeShellExecution", "payload": {} } });
    talk.send(&same.to_string());
    assert_eq!(talk.answer()["error"]["code"], -32600, "an id belongs to one call at a time");
    until("a beat", || {
        std::thread::sleep(Duration::from_millis(100));
        talk.ask("status", json!({}));
        talk.notices.iter().any(|notice| notice["method"] == "working" && notice["params"]["id"] == slow)
    });
    let cancel = talk.call("cancel", json!({ "id": slow }));
    let mut answers = [talk.answer(), talk.answer()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers[0]["id"], slow);
    assert_eq!(answers[0]["error"]["code"], -32003, "{}", answers[0]);
    assert_eq!(answers[1]["id"], cancel);
    until("its tree dies", || !is_alive(&read(&pid)));
}

#[test]
fn a_closed_connection_ends_what_runs_for_it_and_one_that_only_listens_does_not() {
    let context = TestContext::new();
    let pid = context.path("pid");
    let slow = format!("echo $$ > '{}'; sleep 100 & wait", pid.display());
    let hooks = json!({ "version": 1, "hooks": {
        "beforeShellExecution": [{ "command": slow }],
        "beforeReadFile": [{ "command": "sleep 0.3; echo '{\"permission\":\"deny\"}'" }] } });
    context.write("home/.cursor/hooks.json", hooks.to_string());
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    talk.call("handle", json!({ "event": "beforeShellExecution", "payload": {} }));
    until("the hook runs", || !read(&pid).is_empty());
    drop(talk);
    until("its tree dies", || !is_alive(&read(&pid)));
    let mut talk = daemon.talk();
    talk.call("handle", json!({ "event": "beforeReadFile", "payload": {} }));
    talk.stream.shutdown(std::net::Shutdown::Write).expect("half of it is closed");
    assert_eq!(talk.answer()["result"]["blocked"], true);
    assert_eq!(talk.line(), None, "then it is closed");
}

#[test]
fn what_is_no_call_is_refused_in_words() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_RM);
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let handle = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":5,"method":"handle","params":{params}}}"#);
    let cases: Vec<(String, Value, i64, &str)> = vec![
        ("nonsense".into(), Value::Null, -32700, "no call"),
        ("\u{fffd}\u{1}".into(), Value::Null, -32700, "no call"),
        ("42".into(), Value::Null, -32600, "no call"),
        ("[]".into(), Value::Null, -32600, "batches"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"status"}]"#.into(), Value::Null, -32600, "batches"),
        (r#"{"id":1,"method":"status"}"#.into(), json!(1), -32600, "jsonrpc"),
        (r#"{"jsonrpc":"2.0","id":"a"}"#.into(), json!("a"), -32600, "method"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"status"}"#.into(), Value::Null, -32600, "id"),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"run","params":{"command":"id"}}"#.into(),
            json!(3),
            -32601,
            "`run`",
        ),
        (r#"{"jsonrpc":"2.0","method":"handle","params":{}}"#.into(), Value::Null, -32600, "id"),
        (r#"{"jsonrpc":"2.0","method":"status"}"#.into(), Value::Null, -32600, "id"),
        (handle("[]"), json!(5), -32602, "parameters"),
        (handle("{}"), json!(5), -32602, "event"),
        (handle(r#"{"event":"beforeNothing","payload":{}}"#), json!(5), -32602, "beforeNothing"),
        (handle(r#"{"event":"stop","payload":[]}"#), json!(5), -32602, "payload"),
        (handle(r#"{"event":"stop","payload":{},"workspaces":["x"]}"#), json!(5), -32602, "absolute"),
        (
            handle(r#"{"event":"stop","payload":{},"workspaces":["/no/such/place"]}"#),
            json!(5),
            -32602,
            "/no/such",
        ),
        (handle(r#"{"event":"stop","payload":{},"surface":"moon"}"#), json!(5), -32602, "desktop or cloud"),
        (handle(r#"{"event":"stop","payload":{},"edition":"1"}"#), json!(5), -32602, "2026-09"),
        (handle(r#"{"event":"stop","payload":{},"env":{"LD_PRELOAD":"x"}}"#), json!(5), -32602, "env"),
        (handle(r#"{"event":"stop","payload":{},"command":"id"}"#), json!(5), -32602, "command"),
    ];
    for (line, id, code, word) in cases {
        talk.send(&line);
        let answer = talk.answer();
        let error = &answer["error"];
        assert_eq!((&answer["id"], error["code"].as_i64()), (&id, Some(code)), "{line}: {answer}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains(word), "{line}: {message}");
    }
    talk.send("");
    assert_eq!(talk.handle("beforeShellExecution", json!({ "command": "rm x" }))["blocked"], true);
}

#[test]
fn what_can_be_looked_at_is_what_the_commands_print() {
    let context = TestContext::new();
    let hooks = r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"true"}],"beforeShel":[]}}"#;
    context.write("home/.cursor/hooks.json", hooks);
    context.write("project/.cursor/hooks.json", DENY_RM);
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let printed = |command: &str| -> Value {
        serde_json::from_slice(&context.output([command, "--json"]).stdout).expect("JSON")
    };
    let here = json!({ "workspaces": [context.project()] });
    assert_eq!(talk.result("list", here.clone()), printed("list"));
    assert_eq!(talk.result("problems", here.clone()), printed("check"));
    let has = |event: &str| json!({ "event": event, "workspaces": [context.project()] });
    assert_eq!(talk.result("has_hook", has("beforeShellExecution")), json!({ "has_hook": true }));
    assert_eq!(talk.result("has_hook", has("stop")), json!({ "has_hook": false }));
    talk.handle("beforeShellExecution", json!({ "command": "ls", "conversation_id": "one" }));
    talk.handle("stop", json!({ "conversation_id": "two" }));
    // A record may come a moment after its answer, and so may the end of the work.
    until("both are in the log", || {
        let all = talk.result("log", json!({}));
        all["records"].as_array().map(Vec::len) == Some(2)
    });
    let no_hook = talk.result("log", json!({ "outcome": ["no-hook"], "number": 5, "since": "1h" }));
    assert_eq!(no_hook["records"][0]["step"], "stop");
    assert_eq!(no_hook["matching"], 1);
    assert_eq!(talk.ask("log", json!({ "outcome": ["good"] }))["error"]["code"], -32602);
    let sessions = talk.result("sessions", json!({}));
    let ids: Vec<&Value> =
        sessions["sessions"].as_array().expect("sessions").iter().map(|it| &it["id"]).collect();
    assert_eq!(ids, ["two", "one"], "the latest first");
    assert_eq!(sessions["sessions"][1]["runs"], 1);
    assert_eq!(talk.result("reload", json!({})), json!({ "reloaded": true }));
    until("nothing is at work", || talk.result("status", json!({}))["in_flight"] == 0);
    let status = talk.result("status", json!({}));
    assert_eq!(status["pid"], daemon.pid());
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(status["workspaces"], json!([context.project()]));
    assert_eq!((&status["in_flight"], &status["connections"]), (&json!(0), &json!(1)));
    context.write("home/.cursor/hooks.json", "{");
    let broken = talk.result("status", json!({}))["broken"].clone();
    assert_eq!(broken[0]["last_good"], true, "{broken}");
}

#[test]
fn a_subscription_ends_when_its_call_is_cancelled() {
    let context = TestContext::new();
    let daemon = Served::start(&context);
    let (mut listener, mut talk) = (daemon.talk(), daemon.talk());
    let id = listener.call("subscribe", json!({}));
    assert_eq!(listener.answer()["result"], json!({ "subscribed": true }));
    assert_eq!(talk.result("cancel", json!({ "id": id })), json!({ "cancelled": false }), "it is another's");
    assert_eq!(talk.result("status", json!({}))["subscribers"], 1);
    assert_eq!(listener.result("cancel", json!({ "id": id })), json!({ "cancelled": true }));
    assert_eq!(talk.result("status", json!({}))["subscribers"], 0);
    assert_eq!(listener.result("cancel", json!({ "id": id })), json!({ "cancelled": false }));
}

#[test]
fn what_is_misspelt_is_said_with_what_was_meant() {
    let context = TestContext::new();
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    for (name, words) in [("stopp", "did you mean `stop`?"), ("bogus", "there are sessionStart, ")] {
        for (method, params) in [
            ("log", json!({ "event": [name] })),
            ("subscribe", json!({ "event": [name] })),
            ("has_hook", json!({ "event": name })),
            ("handle", json!({ "event": name, "payload": {} })),
        ] {
            let error = talk.ask(method, params)["error"].clone();
            assert!(error["message"].to_string().contains(words), "{method}: {error}");
        }
    }
    for word in ["start", "restart"] {
        let output = context.output(["daemon", word]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("`boathook daemon` starts one"), "{stderr}");
    }
    let output = context.output(["daemon", "--http"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("`boathook daemon stop` first, then `boathook daemon --http`"), "{stderr}");
    let output = context.output(["agent", "install", "claude", "--http"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("`boathook daemon stop`"), "{stderr}");
}

#[test]
fn subscribers_hear_of_every_record_whoever_made_it() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_RM);
    let daemon = Served::start(&context);
    let (mut talk, mut listener, mut choosy) = (daemon.talk(), daemon.talk(), daemon.talk());
    assert_eq!(listener.result("subscribe", json!({})), json!({ "subscribed": true }));
    choosy.result("subscribe", json!({ "event": ["stop"] }));
    talk.handle("beforeShellExecution", json!({ "command": "rm x" }));
    let heard = listener.line().expect("a record");
    assert_eq!((&heard["method"], &heard["params"]["permission"]), (&json!("record"), &json!("deny")));
    let output = context.output(["run", "stop"]);
    assert!(output.status.success());
    for listener in [&mut listener, &mut choosy] {
        assert_eq!(listener.line().expect("a record")["params"]["step"], "stop");
    }
    assert_eq!(talk.result("status", json!({}))["subscribers"], 2);
    drop((listener, choosy));
    until("they are forgotten", || talk.result("status", json!({}))["subscribers"] == 0);
}

#[test]
fn a_caller_that_would_decide_otherwise_is_told_so() {
    let context = TestContext::new();
    let daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let caller = json!({ "version": env!("CARGO_PKG_VERSION"), "home": context.path("home"),
        "config": context.path("home/.config/boathook"), "root": context.path("system") });
    let with = |caller: Value| json!({ "event": "stop", "payload": {}, "caller": caller });
    assert_eq!(talk.result("handle", with(caller.clone()))["blocked"], false);
    for name in ["version", "home", "config", "root"] {
        let mut other = caller.clone();
        other[name] = json!("/elsewhere");
        let answer = talk.ask("handle", with(other));
        assert_eq!(answer["error"]["code"], -32001, "{name}: {answer}");
    }
}

#[test]
fn what_runs_may_finish_when_the_daemon_ends_and_nothing_is_lost() {
    let context = TestContext::new();
    let (begun, pid) = (context.path("begun"), context.path("pid"));
    let hooks = json!({ "version": 1, "hooks": {
        "beforeReadFile": [{ "command": format!("touch '{}'; sleep 1; exit 2", begun.display()) }],
        "beforeShellExecution": [{ "command": format!("echo $$ > '{}'; sleep 100 & wait", pid.display()) }] } });
    context.write("home/.cursor/hooks.json", hooks.to_string());
    let mut daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let patient = talk.call("handle", json!({ "event": "beforeReadFile", "payload": {} }));
    let endless = talk.call("handle", json!({ "event": "beforeShellExecution", "payload": {} }));
    until("both run", || begun.exists() && !read(&pid).is_empty());
    daemon.signal("TERM");
    until("the socket is gone", || !daemon.socket().exists());
    let late = talk.call("handle", json!({ "event": "stop", "payload": {} }));
    let start = Instant::now();
    let answers: Vec<Value> = (0..3).map(|_| talk.answer()).collect();
    let of = |id: u64| answers.iter().find(|answer| answer["id"] == id).expect("an answer");
    assert_eq!(of(late)["error"]["code"], -32005);
    assert_eq!(of(patient)["result"]["blocked"], true, "it had its time");
    assert_eq!(of(endless)["error"]["code"], -32005, "it had not");
    assert!(daemon.wait().success());
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(!is_alive(&read(&pid)), "its tree is gone");
    let log = String::from_utf8(context.output(["log", "--json"]).stdout).expect("text");
    assert_eq!(log.lines().count(), 2, "{log}");
}

#[test]
fn nobody_waits_for_an_async_hook_and_its_record_is_kept() {
    let context = TestContext::new();
    let (go, done) = (context.path("go"), context.path("done"));
    let wait = format!("while [ ! -e '{}' ]; do sleep 0.05; done; touch '{}'", go.display(), done.display());
    let hooks = json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": wait, "async": true }] }] } });
    context.write("home/.claude/settings.json", hooks.to_string());
    let mut daemon = Served::start(&context);
    let mut talk = daemon.talk();
    let mut listener = daemon.talk();
    listener.result("subscribe", json!({}));
    talk.handle("stop", json!({}));
    talk.handle("sessionEnd", json!({}));
    assert!(!done.exists(), "both were answered before it ended");
    assert_eq!(listener.line().expect("a record")["params"]["step"], "sessionEnd");
    context.write("go", "");
    assert_eq!(listener.line().expect("a record")["params"]["step"], "stop", "told when it has ended");
    context.write("home/.claude/settings.json", hooks.to_string().replace("go'", "never'"));
    talk.handle("stop", json!({}));
    assert!(daemon.end().success(), "it ends them when it ends");
    let log = String::from_utf8(context.output(["log", "--json", "--event", "stop"]).stdout).expect("text");
    assert_eq!(log.lines().count(), 2, "{log}");
}

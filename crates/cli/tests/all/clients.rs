//! The client examples: each asks the daemon, and without one it gets the same
//! answer from `boathook run`.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::context::{TestContext, pipe};
use crate::false_daemon::{FalseDaemon, Manner, error, response};
use crate::served::Served;

/// The file, what runs it, and what it needs to reach a socket: one of each row.
const CLIENTS: [(&str, &str, &[&[&str]]); 3] = [
    ("python.py", "python3", &[]),
    ("node.mjs", "node", &[]),
    ("bash.sh", "bash", &[&["jq"], &["socat", "nc"]]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clients")
}

/// A program by its name, as the shell finds it.
fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The clients that can run here; what is missing is said aloud.
fn clients(reaching: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    CLIENTS.into_iter().filter_map(move |(file, program, needs)| {
        let runs_it = [program];
        let ways = if reaching { needs } else { &[] };
        for any in [&runs_it[..]].iter().chain(ways) {
            if !any.iter().any(|name| found(name).is_some()) {
                println!("SKIPPED: {file}: {} is missing", any.join(" or "));
                return None;
            }
        }
        Some((file, program))
    })
}

/// Whose `boathook` the clients find.
enum Own {
    /// The one that is tested.
    Ours,
    /// One that fails: nobody must fall back.
    Broken,
}

fn place(own: Own) -> TestContext {
    let cx = TestContext::new();
    cx.write(
        "project/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [
            {"command": "boathook rule no", "rule": {"when": {"command": {"contains": "rm"}}, "deny": "No \"{command}\"."}}
        ]}}"#,
    );
    cx.trust();
    let program = match own {
        Own::Ours => format!(
            "exec '{}' --root '{}' \"$@\"",
            env!("CARGO_BIN_EXE_boathook"),
            cx.path("system").display()
        ),
        Own::Broken => "echo 'nobody should ask here' >&2; exit 9".to_owned(),
    };
    cx.script("bin/boathook", &format!("#!/bin/sh\n{program}\n"));
    cx
}

fn ask(cx: &TestContext, client: (&str, &str), command: &str) -> Output {
    ask_of(cx, client, "beforeShellExecution", command)
}

fn ask_of(cx: &TestContext, (file, program): (&str, &str), event: &str, command: &str) -> Output {
    let mut client = Command::new(program);
    // A project's hooks guard all of it.
    let here = cx.project().join("src/deep");
    fs::create_dir_all(&here).expect("a folder");
    client.arg(folder().join(file)).arg(event).current_dir(here);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [cx.path("bin")].into_iter().chain(std::env::split_paths(&path));
    client.env("PATH", std::env::join_paths(folders).expect("no colon in a path"));
    // An interpreter may look for itself in the home it knows.
    let root = std::env::var_os("PYENV_ROOT").or_else(|| Some(std::env::home_dir()?.join(".pyenv").into()));
    client.envs(root.map(|root| ("PYENV_ROOT", root)));
    client.env("HOME", cx.path("home")).env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
    client.env_remove("BOATHOOK_DEPTH");
    pipe(client, json!({ "command": command }).to_string().as_bytes())
}

fn decides_right(cx: &TestContext, client: (&str, &str), when: &str) {
    let expected =
        json!({"permission": "deny", "user_message": "No \"rm x\".", "agent_message": "No \"rm x\"."});
    for (command, code, expected) in [("rm x", 2, expected), ("ls", 0, json!({}))] {
        let output = ask(cx, client, command);
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{} {when}: {command}: {stdout}{stderr}", client.0);
        let answer: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"));
        assert_eq!(answer, expected, "{} {when}: {command}", client.0);
    }
}

#[test]
fn every_client_is_short() {
    for (file, _, _) in CLIENTS {
        let lines = fs::read_to_string(folder().join(file)).expect("it is there").lines().count();
        assert!(lines < 40, "{file} has {lines} lines");
    }
    assert_eq!(
        fs::read_dir(folder()).expect("a folder").count(),
        CLIENTS.len() + 1,
        "all, and the page about them"
    );
}

#[test]
fn every_client_asks_the_daemon() {
    let cx = place(Own::Broken);
    let _daemon = Served::start(&cx);
    for client in clients(true) {
        decides_right(&cx, client, "with a daemon");
    }
}

#[test]
fn without_a_daemon_every_client_asks_in_process() {
    let cx = place(Own::Ours);
    for client in clients(false) {
        decides_right(&cx, client, "without a daemon");
    }
}

#[test]
fn a_misspelt_event_is_said_once_and_allows_nothing() {
    let cx = place(Own::Ours);
    let _daemon = Served::start(&cx);
    for client in clients(true) {
        let output = ask_of(&cx, client, "beforeShelExecution", "ls");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{}: {output:?}", client.0);
        assert!(stderr.contains("beforeShellExecution"), "{}: {stderr}", client.0);
        assert!(!stderr.contains("another exception"), "{}: {stderr}", client.0);
    }
}

/// E08: a daemon that hangs, refuses, lies or dies opens no gate.
#[test]
fn e08_a_daemon_in_trouble_opens_no_gate_of_a_client() {
    let manners: [(&str, Manner); 5] = [
        ("when it refuses", |talk| {
            let id = talk.hear();
            talk.say(&error(&id, -32_002, "too much to do"));
            talk.wait();
        }),
        ("when it dies", |talk| drop(talk.hear())),
        ("when it says nonsense", |talk| {
            talk.hear();
            talk.say("allow\n");
        }),
        ("when it answers nothing", |talk| {
            let id = talk.hear();
            talk.say(&response(&id, "{}"));
        }),
        ("when it hangs", |talk| talk.wait()),
    ];
    std::thread::scope(|scope| {
        for (when, manner) in manners {
            scope.spawn(move || {
                let cx = place(Own::Ours);
                for client in clients(true) {
                    let daemon = FalseDaemon::new(&cx, manner);
                    decides_right(&cx, client, when);
                    assert!(daemon.heard() > 0, "{} {when}: it was asked", client.0);
                }
            });
        }
    });
}

/// Where not even Boathook can be asked, nobody allowed anything.
#[test]
fn a_client_that_can_ask_nobody_allows_nothing() {
    let cx = place(Own::Broken);
    for client in clients(false) {
        let output = ask(&cx, client, "ls");
        assert!(!output.status.success() && output.stdout.is_empty(), "{}: {output:?}", client.0);
    }
}

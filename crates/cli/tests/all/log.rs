//! `boathook log`: the list, one record, and what is chosen.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::context::{self, TestContext};

/// A log with one record of each kind.
fn logged() -> TestContext {
    let cx = TestContext::new();
    let hook = json!({ "source": "user", "place": "/home/me/.cursor/hooks.json:4", "directory": "/home/me/.cursor",
        "timeout_ms": 60_000, "found": 1, "step": "beforeShellExecution", "conversation": "c1", "blocked": false });
    let records = [
        json!({ "id": "1794780000000-0000aaaa", "timestamp": "2026-11-15T22:00:00.000Z", "outcome": "answer",
            "permission": "allow", "command": "./hooks/guard.sh", "request": { "command": "ls" },
            "response": { "permission": "allow" }, "duration": 8.25, "exit_code": 0 }),
        json!({ "id": "1794780001000-0000aaab", "timestamp": "2026-11-15T22:00:01.000Z", "outcome": "answer",
            "permission": "deny", "command": "./hooks/guard.sh", "request": { "command": "rm -rf /", "n": 1.50 },
            "response": { "permission": "deny", "user_message": "No." }, "duration": 47.0, "exit_code": 2, "found": 2,
            "stderr": "looked at it\nand said no\n", "blocked": true, "notes": ["`env` of this hook lost"] }),
        json!({ "id": "1794780002000-0000aaac", "timestamp": "2026-11-15T22:00:01.000Z", "outcome": "no_opinion",
            "command": "./hooks/audit.sh", "request": { "command": "rm -rf /" }, "duration": 3.0, "exit_code": 0,
            "found": 2, "source": "project", "blocked": true }),
        json!({ "id": "1794780003000-bbbb0000", "timestamp": "2026-11-15T22:00:03.000Z", "step": "stop",
            "found": 0, "source": null, "place": null, "directory": null, "timeout_ms": null, "outcome": "none",
            "request": { "status": "completed" } }),
        json!({ "id": "1794780004000-cccc0000", "timestamp": "2026-11-15T22:00:04.000Z", "outcome": "failed_open",
            "command": "python3 -c '\nimport sys\n'", "request": {}, "response": "Traceback", "duration": 61_000.0,
            "exit_code": 1, "reason": "exit code 1" }),
        json!({ "id": "1794780005000-dddd0000", "timestamp": "2026-11-15T22:00:05.000Z", "outcome": "withheld",
            "command": "./x.sh", "request": {}, "source": "project", "found": 0, "reason": "the workspace is not trusted" }),
    ];
    let lines: Vec<String> = records.iter().map(|record| with(&hook, record).to_string() + "\n").collect();
    cx.log_segment(0, &lines.concat());
    cx
}

fn with(common: &Value, own: &Value) -> Value {
    let mut record = common.clone();
    for (name, value) in own.as_object().expect("a record") {
        record[name] = value.clone();
    }
    record
}

#[test]
fn the_list_is_one_line_for_each_run() {
    assert_snapshot!(logged().run(["log"]), @r"
    exit code: 0
    ----- stdout -----
    DAY    TIME      ID        EVENT                 SOURCE   RESULT         TOOK  HOOK
    11-15  22:00:00  0000aaaa  beforeShellExecution  user     allowed      8.2 ms  ./hooks/guard.sh
    11-15  22:00:01  0000aaab  beforeShellExecution  user     denied        47 ms  ./hooks/guard.sh
    11-15  22:00:01  0000aaac  beforeShellExecution  project  no opinion   3.0 ms  ./hooks/audit.sh
    11-15  22:00:03  bbbb0000  stop                           no hook
    11-15  22:00:04  cccc0000  beforeShellExecution  user     failed open  61.0 s  python3 -c ' import sys '
    11-15  22:00:05  dddd0000  beforeShellExecution  project  withheld             the workspace is not trusted: ./x.sh
    ");
}

#[test]
fn one_record_is_shown_in_full() {
    let cx = logged();
    assert_snapshot!(cx.run(["log", "0000aaab"]), @r#"
    exit code: 0
    ----- stdout -----
    id           1794780001000-0000aaab
    time         2026-11-15 22:00:01.000 +00:00
    event        beforeShellExecution, 2 hooks found
    hook         ./hooks/guard.sh
    source       user
    place        /home/me/.cursor/hooks.json:4
    directory    /home/me/.cursor
    timeout      60 s
    took         47 ms
    exit code    2
    result       denied
    decision     the event was refused
    note         `env` of this hook lost
    conversation c1
    input
      {
        "command": "rm -rf /",
        "n": 1.5
      }
    output
      {
        "permission": "deny",
        "user_message": "No."
      }
    stderr
      looked at it
      and said no
    "#);
    assert_snapshot!(cx.run(["log", "1794780003000-b"]), @r#"
    exit code: 0
    ----- stdout -----
    id           1794780003000-bbbb0000
    time         2026-11-15 22:00:03.000 +00:00
    event        stop, no hook found
    result       no hook
    conversation c1
    input
      {
        "status": "completed"
      }
    output       nothing
    "#);
}

#[test]
fn the_channel_tells_of_every_event() {
    assert_snapshot!(logged().run(["log", "-v"]), @r#"
    exit code: 0
    ----- stdout -----
    2026-11-15 22:00:00.000 +00:00 beforeShellExecution requested, 1 hook found
      hook 1 (1794780000000-0000aaaa)
        source     user /home/me/.cursor/hooks.json:4
        directory  /home/me/.cursor
        timeout    60000 ms
        command    ./hooks/guard.sh
        duration   8.2 ms
        exit       0
        input      {"command":"ls"}
        output     {"permission":"allow"}
        result     allowed
    2026-11-15 22:00:01.000 +00:00 beforeShellExecution requested, 2 hooks found
      hook 1 (1794780001000-0000aaab)
        source     user /home/me/.cursor/hooks.json:4
        directory  /home/me/.cursor
        timeout    60000 ms
        command    ./hooks/guard.sh
        duration   47.0 ms
        exit       2
        input      {"command":"rm -rf /","n":1.5}
        output     {"permission":"deny","user_message":"No."}
        stderr     looked at it
                   and said no
        result     denied; the event was refused
        note       `env` of this hook lost
      hook 2 (1794780002000-0000aaac)
        source     project /home/me/.cursor/hooks.json:4
        directory  /home/me/.cursor
        timeout    60000 ms
        command    ./hooks/audit.sh
        duration   3.0 ms
        exit       0
        input      {"command":"rm -rf /"}
        output
        result     no opinion; the event was refused
    2026-11-15 22:00:03.000 +00:00 stop requested, no hook found
        input      {"status":"completed"}
    2026-11-15 22:00:04.000 +00:00 beforeShellExecution requested, 1 hook found
      hook 1 (1794780004000-cccc0000)
        source     user /home/me/.cursor/hooks.json:4
        directory  /home/me/.cursor
        timeout    60000 ms
        command    python3 -c '
                   import sys
                   '
        duration   61000.0 ms
        exit       1
        input      {}
        output     "Traceback"
        result     failed open: exit code 1
    2026-11-15 22:00:05.000 +00:00 beforeShellExecution requested, no hook may run
      hook 1 (1794780005000-dddd0000)
        source     project /home/me/.cursor/hooks.json:4
        directory  /home/me/.cursor
        timeout    60000 ms
        command    ./x.sh
        duration   did not run
        exit       none
        input      {}
        output
        result     withheld: the workspace is not trusted
    "#);
}

#[test]
fn an_id_that_names_no_record_or_many_is_an_error() {
    let cx = logged();
    assert_snapshot!(cx.run(["log", "nowhere"]), @r"
    exit code: 1
    ----- stderr -----
    error: no record `nowhere`
      help: `boathook log --all` lists all there are
    ");
    assert_snapshot!(cx.run(["log", "0000aa"]), @r"
    exit code: 1
    ----- stderr -----
    error: `0000aa` is the beginning of 3 ids
      help: write more of it, like `boathook log` shows it
    ");
}

#[test]
fn filters_choose() {
    let cx = logged();
    let cases = [
        (&["--event", "stop"][..], "bbbb0000"),
        (&["--source", "project"], "0000aaac dddd0000"),
        (&["--outcome", "denied"], "0000aaab"),
        (&["--outcome", "failed"], "cccc0000"),
        (&["--outcome", "withheld"], "dddd0000"),
        (&["--outcome", "blocked"], "0000aaab 0000aaac"),
        (&["--outcome", "no-hook,failed-open"], "bbbb0000 cccc0000"),
        (&["--outcome", "answered", "--hook", "guard"], "0000aaaa 0000aaab"),
        (&["--hook", "audit.sh"], "0000aaac"),
        (&["--since", "2026-11-15T22:00:04Z"], "cccc0000 dddd0000"),
        (&["--since", "2026-11-15T22:00:05"], "dddd0000"),
        (&["-n", "2"], "cccc0000 dddd0000"),
        (&["-n", "0"], ""),
        (&["--event", "stop", "--event", "beforeShellExecution", "-n", "3"], "bbbb0000 cccc0000 dddd0000"),
    ];
    for (options, expected) in cases {
        let mut args = vec!["log", "--json"];
        args.extend(options);
        let output = cx.output(&args);
        let ids: Vec<String> = lines(&output.stdout)
            .iter()
            .map(|record| record["id"].as_str().map(short).unwrap_or_default())
            .collect();
        assert_eq!(ids.join(" "), expected, "{options:?}");
        assert!(output.stderr.is_empty(), "{options:?}");
    }
}

fn short(id: &str) -> String {
    id.rsplit('-').next().unwrap_or_default().to_owned()
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(bytes).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn what_cannot_be_chosen_is_said() {
    let cx = logged();
    assert_snapshot!(cx.run(["log", "--since", "yesterday"]), @r"
    exit code: 1
    ----- stderr -----
    error: invalid value 'yesterday' for '--since <WHEN>': write 30s, 10m, 2h, 3d, or a time like 2026-11-15 or 2026-11-15T10:30

    For more information, try '--help'.
    ");
    assert_snapshot!(cx.run(["log", "--hook", "nothing like it"]), @r"
    exit code: 0
    ----- stderr -----
    none of 6 records matches
    ");
    assert_snapshot!(TestContext::new().run(["log"]), @r"
    exit code: 0
    ----- stderr -----
    nothing was logged yet
    hint: `boathook run EVENT` logs what it ran
    ");
}

#[test]
fn a_long_log_is_cut_and_lines_that_cannot_be_read_are_counted() {
    let cx = logged();
    cx.log_segment(0, "{\"id\":\"torn\n\u{0}\n");
    assert_snapshot!(cx.run(["log", "-n", "1"]), @r"
    exit code: 0
    ----- stdout -----
    DAY    TIME      ID        EVENT                 SOURCE   RESULT    TOOK  HOOK
    11-15  22:00:05  dddd0000  beforeShellExecution  project  withheld        the workspace is not trusted: ./x.sh
    ----- stderr -----
    warning: 2 lines of the log cannot be read
    hint: the last 1 of 6; --all shows all
    ");
}

#[test]
fn a_record_is_the_same_json_in_the_log_and_on_stdout() {
    let cx = logged();
    let written = context::read(&cx.path("home/.local/state/boathook/log/00000000.jsonl"));
    let second = written.lines().nth(1).expect("a line");
    let shown = cx.output(["log", "--json", "0000aaab"]).stdout;
    let shown: Value = serde_json::from_slice(&shown).expect("JSON");
    assert_eq!(shown, serde_json::from_str::<Value>(second).expect("JSON"));
}

#[test]
fn nothing_a_hook_printed_reaches_the_terminal_raw() {
    let cx = TestContext::new();
    let evil = "\u{1b}[2J\u{7}\u{9b}31m\r\n0000 forged line";
    let record = json!({ "id": "1-ab\u{1b}]0;x", "timestamp": evil, "step": evil, "found": 1, "command": evil, "source": evil,
        "place": evil, "directory": evil, "request": { "x": evil }, "response": evil, "stderr": evil, "outcome": evil,
        "reason": evil, "blocked": false, "notes": [evil], "duration": 1.0 });
    cx.log_segment(0, &format!("{record}\n"));
    for args in [&["log"][..], &["log", "-v"], &["log", "1"], &["log", "--json"]] {
        for colour in ["never", "always"] {
            let output = cx.output([&["--color", colour], args].concat());
            let text = String::from_utf8(output.stdout).expect("text");
            assert!(!text.is_empty(), "{args:?}");
            let ours = text.replace("\u{1b}[0m", "").replace("\u{1b}[1m", "").replace("\u{1b}[2m", "");
            let raw = ours.chars().find(|it| it.is_control() && *it != '\n');
            assert_eq!(raw, None, "{args:?} {colour}: {ours}");
        }
    }
    let list = String::from_utf8(cx.output(["log"]).stdout).expect("text");
    assert_eq!(list.lines().count(), 2, "a heading and one row: {list}");
}

#[test]
fn an_event_without_a_hook_says_that_a_file_has_problems() {
    let cx = TestContext::new();
    let list = r#"[{"command": "true"}]"#;
    let file = format!("{{\"version\": 1, \"hooks\": {{\"beforeShelExecution\": {list}}}}}");
    cx.write("home/.cursor/hooks.json", file);
    let said = "1 problem in [HOME]/.cursor/hooks.json: `boathook check` lists what is wrong";
    let event = ["beforeShellExecution", "--field", "command=ls"];
    let seen = cx.run(["explain"].into_iter().chain(event));
    assert!(seen.contains(said), "{seen}");
    cx.run(["run"].into_iter().chain(event));
    let log = String::from_utf8(cx.output(["log", "--json"]).stdout).expect("UTF-8");
    let record: serde_json::Value =
        serde_json::from_str(log.lines().next().expect("a record")).expect("JSON");
    let seen = cx.run(["log", record["id"].as_str().expect("an id")]);
    assert!(seen.contains(said), "{seen}");
}

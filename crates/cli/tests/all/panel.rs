//! `boathook panel`: what its pages show.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::context::{TestContext, one_hook};
use crate::visitor::{Panel, value_of};

const PAGES: [&str; 10] = [
    "",
    "?by=source",
    "problems",
    "log",
    "try",
    "try?event=stop",
    "trust",
    "time",
    "sessions",
    "live?behind=0",
];

/// Text that would do something in a page or a terminal that is careless.
const HOSTILE: &str = "<script>alert(1)</script>\u{1b}[31m\u{202e}\"'><img src=x onerror=alert(2)>";

fn hooks(event: &str, commands: &[&str]) -> String {
    let entries: Vec<_> = commands.iter().map(|command| json!({ "command": command })).collect();
    json!({ "version": 1, "hooks": { event: entries } }).to_string()
}

fn record(id: &str, command: &str) -> String {
    json!({
        "id": id, "timestamp": "2026-11-15T22:00:00.000Z", "step": "stop", "found": 1, "command": command, "source": "user",
        "place": "/x/hooks.json:1", "conversation": HOSTILE, "request": { "a": HOSTILE }, "response": { "b": HOSTILE },
        "duration": 3.5, "exit_code": 0, "stderr": HOSTILE, "outcome": "answer", "blocked": false, "notes": [HOSTILE],
    })
    .to_string()
        + "\n"
}

#[test]
fn every_page_opens_whatever_stands_on_the_machine() {
    let empty = TestContext::new();
    let broken = TestContext::new();
    broken.write("home/.cursor/hooks.json", "{ no json");
    broken.write("project/.cursor/hooks.json", [0xff, 0xfe, 0x00]);
    broken.log_segment(0, "no record\n{\"id\":1}\n\u{0}\n{\"id\":\"torn");
    let full = TestContext::new();
    full.write("home/.cursor/hooks.json", one_hook("stop", "echo {}"));
    full.log_segment(0, &record("1-a", HOSTILE));
    let unusable = TestContext::new();
    unusable.write("home/.local/state/boathook", "a file where a folder should be");
    for (name, cx) in [("empty", &empty), ("broken", &broken), ("full", &full), ("unusable", &unusable)] {
        let panel = Panel::enter(cx.command(["panel"]));
        for page in PAGES {
            // It waits for news where there are none.
            if page.starts_with("live") && name != "full" {
                continue;
            }
            let answer = panel.page(page);
            assert_eq!(answer.status, 200, "{name}, {page}: {}", answer.body);
            let whole = page.starts_with("live") || answer.body.matches("<h1>").count() == 1;
            assert!(whole && !answer.body.contains("<script>alert"), "{name}, {page}: {}", answer.body);
        }
    }
}

#[test]
fn hooks_stand_with_their_state_and_their_place() {
    let cx = TestContext::new();
    cx.write("system/etc/cursor/hooks.json", one_hook("stop", "enterprise.sh"));
    cx.write("home/.cursor/hooks.json", hooks("stop", &["twice.sh", "twice.sh"]));
    cx.write("project/.cursor/hooks.json", one_hook("beforeShellExecution", "./guard.sh"));
    cx.write("project/.claude/settings.json", "{ broken");
    let panel = Panel::enter(cx.command(["panel"]));
    for page in ["", "?by=source"] {
        let page = panel.page(page).body;
        for part in [
            "enterprise.sh",
            "the same command twice on this event: it runs twice",
            "./guard.sh",
            "the workspace is not trusted",
            "withheld",
            ".cursor/hooks.json:1",
            "cannot be read",
            "absent",
            "is not on PATH: the hook fails",
            "0 hooks ready",
            "3 cannot run",
            "1 withheld",
        ] {
            assert!(page.contains(part), "no «{part}» in {page}");
        }
    }
}

#[test]
fn problems_stand_with_their_place_and_their_repair() {
    let cx = TestContext::new();
    let text = r#"{"version": 1, "hooks": {"beforeShellExec": [{"command": "x"}], "stop": [{"command": "y", "timeout": 5000}]}}"#;
    cx.write("home/.cursor/hooks.json", text);
    let page = Panel::enter(cx.command(["panel"])).page("problems").body;
    for part in [
        "unknown hook <code>beforeShellExec</code>",
        "beforeShellExecution",
        "hooks.json:1:26",
        "boathook check --fix",
        "<ins>",
    ] {
        assert!(page.contains(part), "no «{part}» in {page}");
    }
}

#[test]
fn what_hooks_and_payloads_say_is_harmless_on_every_page() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", HOSTILE));
    cx.write("project/.cursor/hooks.json", one_hook("stop", &format!("./{HOSTILE}")));
    cx.log_segment(0, &record("1-a", HOSTILE));
    let panel = Panel::enter(cx.command(["panel"]));
    let pages = [
        "",
        "?by=source",
        "problems",
        "log",
        "run?id=1-a",
        "trust",
        "time",
        "sessions",
        "live?behind=0",
        "try?from=1-a",
    ];
    for name in pages {
        let page = panel.page(name).body;
        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{name}: {page}");
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'), "{name}: {page}");
    }
    let run = panel.page("run?id=1-a").body;
    assert!(run.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{run}");
    assert!(run.contains(r#"<span class="hidden-character">\u{1b}</span>[31m"#), "{run}");
    let filtered =
        panel.page("log?event=%3Cscript%3Ealert(1)%3C/script%3E&hook=%22%3E%3Cscript%3E&before=x").body;
    assert!(!filtered.contains("<script>alert") && !filtered.contains("\"><script>"), "{filtered}");
}

#[test]
fn the_log_is_filtered_and_paged() {
    let cx = TestContext::new();
    let lines: String =
        (0..120).map(|number| record(&format!("1-{number:03}"), &format!("hook-{number:03}.sh"))).collect();
    cx.log_segment(0, &lines);
    let panel = Panel::enter(cx.command(["panel"]));
    let first = panel.page("log").body;
    assert!(first.contains("hook-119.sh") && first.contains("hook-070.sh") && !first.contains("hook-069.sh"));
    assert!(first.find("hook-119.sh") < first.find("hook-118.sh"), "newest first");
    let older = first
        .split_once("rel=\"next\" href=\"")
        .and_then(|(_, rest)| rest.split('"').next())
        .expect("a way to older runs");
    let second = panel.page(&older.replace("&amp;", "&")).body;
    assert!(second.contains("hook-069.sh") && !second.contains("hook-070.sh"), "{second}");
    let filtered = panel.page("log?hook=HOOK-05&event=stop").body;
    assert!(
        filtered.contains("10 of 120 runs")
            && filtered.contains("hook-055.sh")
            && !filtered.contains("hook-060.sh")
    );
    assert!(panel.page("log?only=failures").body.contains("No run fits this filter"));
}

#[test]
fn a_record_arrives_while_somebody_looks() {
    let cx = TestContext::new();
    cx.log_segment(0, &record("1-old", "old.sh"));
    let panel = Panel::enter(cx.command(["panel"]));
    assert!(panel.page("log").body.contains("data-last=\"1\""));
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| panel.page("live?behind=1"));
        cx.log_segment(0, &record("1-new", "new.sh"));
        let answer = watching.join().expect("an answer");
        assert!(answer.body.contains("new.sh") && !answer.body.contains("old.sh"), "{}", answer.body);
        assert_eq!(answer.header("boathook-last"), "2");
    });
}

#[test]
fn a_log_of_any_size_is_shown() {
    let cx = TestContext::new();
    let one = record("THE-ID", "x.sh");
    for segment in 0..10 {
        let lines: String =
            (0..10_000).map(|number| one.replace("THE-ID", &format!("{segment}-{number}"))).collect();
        cx.log_segment(segment, &lines);
    }
    let panel = Panel::enter(cx.command(["panel"]));
    for page in ["log", "time", "sessions"] {
        let answer = panel.page(page);
        assert_eq!(answer.status, 200, "{page}");
        assert!(answer.body.len() < 1_000_000, "{page} has {} bytes", answer.body.len());
    }
}

#[test]
fn one_run_is_shown_with_all_it_holds_and_what_it_lacks() {
    let cx = TestContext::new();
    let deny = r#"echo '{"permission":"deny","user_message":"never"}'; echo complaint >&2"#;
    cx.write(
        "home/.cursor/hooks.json",
        hooks("beforeShellExecution", &[r#"echo '{"permission":"allow"}'"#, deny]),
    );
    cx.output(["run", "beforeShellExecution", "--field", "command=rm -rf /"]);
    let panel = Panel::enter(cx.command(["panel"]));
    let log = panel.page("log").body;
    let denied = log.split("<tr").find(|row| row.contains("badge bad\">denied<")).expect("a row");
    let link = denied.split_once("href=\"").and_then(|(_, rest)| rest.split('"').next()).expect("a link");
    let run = panel.page(link).body;
    for part in [
        "rm -rf /",
        "never",
        "complaint",
        "Exit code",
        "Deny beats ask beats allow",
        "decided",
        "Try this event again",
    ] {
        assert!(run.contains(part), "no «{part}» in {run}");
    }
    assert_eq!(panel.page("run?id=none").status, 404);
    cx.write("home/.config/boathook/config.toml", "[log]\npayload = \"none\"\n");
    cx.output([
        "run",
        "beforeShellExecution",
        "--field",
        "command=secret",
        "--field",
        "conversation_id=kept-nothing",
    ]);
    let log = panel.page("log?conversation=kept-nothing").body;
    let link = log.split_once("href=\"run?id=").and_then(|(_, rest)| rest.split('"').next()).expect("a link");
    let run = panel.page(&format!("run?id={link}")).body;
    assert!(run.contains("not kept: log.payload") && run.contains("payload = &quot;full&quot;"), "{run}");
}

#[test]
fn an_event_is_explained_and_run() {
    let cx = TestContext::new();
    let trace = cx.path("ran");
    let command = format!(
        "touch '{}'; echo '{{\"permission\":\"deny\",\"user_message\":\"not here\"}}'",
        trace.display()
    );
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", &command));
    cx.write(
        "project/.cursor/hooks.json",
        one_hook("beforeShellExecution", &format!("touch '{}'", cx.path("withheld").display())),
    );
    let panel = Panel::enter(cx.command(["panel"]));
    let example = panel.page("try?event=afterTabFileEdit").body;
    assert!(example.contains("&quot;start_line_number&quot;: 1"), "{example}");
    assert!(
        example.contains("<textarea name=\"payload\" data-example "),
        "the script may replace it: {example}"
    );
    let send = |action: &str, payload: &str| {
        panel.post("try", &[("event", "beforeShellExecution"), ("payload", payload), ("action", action)])
    };
    let explained = send("explain", r#"{"command":"ls"}"#);
    assert!(explained.body.contains("1 hook of beforeShellExecution would run"), "{}", explained.body);
    assert!(explained.body.contains("the workspace is not trusted") && !trace.exists());
    let run = send("run", r#"{"command":"ls"}"#);
    for part in
        ["Refused", "ERROR_HOOKS_BLOCKED", "not here", "&quot;permission&quot;:&quot;deny&quot;", "withheld"]
    {
        assert!(run.body.contains(part), "no «{part}» in {}", run.body);
    }
    assert!(trace.exists() && !cx.path("withheld").exists(), "only what is trusted runs");
    let until = Instant::now() + Duration::from_secs(30);
    while !panel.page("log").body.contains("badge bad\">denied<") {
        assert!(Instant::now() < until, "the run is not in the log");
    }
    let comma = "The payload, line 1, column 18: JSON has no comments, no trailing commas and no NaN.";
    let wrong = [
        ("{\"command\": }", "The payload, line 1, column 13: "),
        (r#"{"command": "ls",}"#, comma),
        ("[1]", "The payload: it is a list, not an object."),
        ("\"ls\"", "The payload: it is a text, not an object."),
    ];
    for (payload, told) in wrong {
        let answer = send("explain", payload);
        assert!(answer.body.contains(told), "{payload}: {}", answer.body);
        assert!(answer.body.contains("a payload is one JSON object, like"), "{payload}: {}", answer.body);
        assert!(answer.status == 422 && !answer.body.contains("data-example"), "{payload}");
    }
    assert!(send("explain", "").body.contains("would run"));
    assert_eq!(panel.post("try", &[("event", "nonsense"), ("payload", "{}")]).status, 422);
}

#[test]
fn what_would_fail_and_what_stays_is_said_before_anything_runs() {
    let cx = TestContext::new();
    cx.script("home/.cursor/stay.py", "#!/usr/bin/env python3\n# boathook_hook\n");
    let entries = json!([{ "command": "./gone.sh" }, { "command": "./stay.py", "persistent": true }, { "command": "true", "prestart": true }]);
    cx.write("home/.cursor/hooks.json", json!({ "version": 1, "hooks": { "stop": entries } }).to_string());
    let panel = Panel::enter(cx.command(["panel"]));
    let page = panel.post("try", &[("event", "stop"), ("payload", "{}"), ("action", "explain")]).body;
    for part in [
        "2 hooks of stop would run, 1 would fail.",
        "badge bad\">would fail<",
        "the script <code>./gone.sh</code> does not exist",
        "persistent: under a daemon it stays and answers one event after another",
        "prestart: under a daemon it is started before its event",
    ] {
        assert!(page.contains(part), "no «{part}» in {page}");
    }
}

#[test]
fn what_is_chosen_is_what_is_tried() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", "echo '{}'"));
    let panel = Panel::enter(cx.command(["panel"]));
    let first = panel.page("try?event=beforeShellExecution").body;
    let example =
        first.split_once("<textarea").and_then(|(_, rest)| rest.split_once('>')).expect("a field").1;
    let example = example.split("</textarea>").next().unwrap_or_default().replace("&quot;", "\"");
    let send = |payload: &str, action: &str| {
        let fields =
            [("event", "stop"), ("loaded", "beforeShellExecution"), ("payload", payload), ("action", action)];
        panel.post("try", &fields).body
    };
    // What, how it is sent, what the page says, what stands in the field.
    let cases = [
        (example.as_str(), "explain", "1 hook of stop would run", "&quot;status&quot;"),
        (&example.replace('\n', "\r\n"), "run", "What was decided", "&quot;status&quot;"),
        (&example, "example", "Load its example", "&quot;status&quot;"),
        (r#"{"mine":1}"#, "run", "What was decided", "&quot;mine&quot;"),
        (r#"{"mine":1}"#, "example", "The payload was edited, and is still here", "&quot;mine&quot;"),
        (r#"{"mine":1}"#, "replace", "Load its example", "&quot;status&quot;"),
    ];
    for (payload, action, told, field) in cases {
        let page = send(payload, action);
        let area = page.split_once("<textarea").expect("a field").1;
        let area = area.split("</textarea>").next().unwrap_or_default();
        assert!(page.contains(told) && area.contains(field), "{payload}, {action}: {page}");
        assert!(page.contains(r#"<option value="stop" selected>"#), "{payload}, {action}: {page}");
    }
}

#[test]
fn runs_of_other_workspaces_are_left_out_until_asked_for() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", "echo '{}'"));
    cx.output(["run", "stop", "--field", "conversation_id=here"]);
    let other = cx.path("other");
    std::fs::create_dir_all(&other).expect("a folder");
    let other = other.to_string_lossy().into_owned();
    cx.output(["run", "stop", "--workspace", &other, "--field", "conversation_id=elsewhere"]);
    cx.output(["run", "stop"]);
    let panel = Panel::enter(cx.command(["panel"]));
    for page in ["log", "time", "sessions"] {
        let here = panel.page(page).body;
        let all = panel.page(&format!("{page}?workspace=all")).body;
        assert!(!here.contains("elsewhere") && !here.contains(&other), "{page}: {here}");
        assert!(page == "log" || (here.contains("here") && all.contains("elsewhere")), "{page}: {all}");
        assert!(page == "time" || all.contains(&other), "{page}: {all}");
    }
    let time = panel.page("time").body;
    assert!(time.contains("2 runs of this workspace") && time.contains("without a conversation"), "{time}");
    let own = time.split("href=\"time?hook=").nth(1).and_then(|rest| rest.split('"').next()).expect("a link");
    let own = panel.page(&format!("time?hook={}", own.replace("&amp;", "&").replace("#hook", ""))).body;
    assert!(own.contains("Runs of this hook over time"), "{own}");
}

#[test]
fn exactly_what_was_shown_is_trusted() {
    let cx = TestContext::new();
    cx.script("project/.cursor/hooks/guard.sh", "#!/bin/sh\necho one\n");
    cx.write("project/.cursor/hooks.json", one_hook("stop", ".cursor/hooks/guard.sh"));
    let panel = Panel::enter(cx.command(["panel"]));
    let shown = panel.page("trust").body;
    assert!(shown.contains("not trusted") && shown.contains("echo one"), "{shown}");
    let fields = |page: &str| {
        (value_of(page, "workspace").expect("a workspace"), value_of(page, "sha256").expect("a hash"))
    };
    let send = |(workspace, sha256): &(String, String), action: &str| {
        panel.post(
            "trust",
            &[("workspace", workspace.as_str()), ("sha256", sha256.as_str()), ("action", action)],
        )
    };
    let seen = fields(&shown);
    cx.script("project/.cursor/hooks/guard.sh", "#!/bin/sh\necho two\n");
    let refused = send(&seen, "trust");
    assert_eq!(refused.status, 409);
    assert!(
        refused.body.contains("The files changed after the page was shown")
            && refused.body.contains("echo two")
    );
    assert!(!cx.output(["trust", "--status"]).status.success(), "nothing was trusted");
    let trusted = send(&fields(&refused.body), "trust");
    assert_eq!(trusted.status, 200, "{}", trusted.body);
    assert!(cx.output(["trust", "--status"]).status.success(), "what was shown is trusted");
    assert!(panel.page("").body.contains("1 hook ready"));
    cx.script("project/.cursor/hooks/guard.sh", "#!/bin/sh\necho three\n");
    let changed = panel.page("trust").body;
    assert!(
        changed.contains("<del>- echo two</del>") && changed.contains("<ins>+ echo three</ins>"),
        "{changed}"
    );
    assert_eq!(send(&fields(&changed), "trust").status, 200);
    assert_eq!(send(&fields(&panel.page("trust").body), "revoke").status, 200);
    assert!(!cx.output(["trust", "--status"]).status.success(), "trust was taken back");
}

#[test]
fn sessions_tell_names_and_never_values() {
    let cx = TestContext::new();
    let start = r#"echo '{"env":{"API_KEY":"s3cret"}}'"#;
    let hooks = json!({ "version": 1, "hooks": {
        "sessionStart": [{ "command": start }],
        "stop": [{ "command": r#"echo '{"followup_message":"run the tests"}'"# }],
    } });
    cx.write("home/.cursor/hooks.json", hooks.to_string());
    for event in ["sessionStart", "stop", "stop"] {
        cx.output(["run", event, "--field", "conversation_id=talk", "--field", "status=completed"]);
    }
    let panel = Panel::enter(cx.command(["panel"]));
    let page = panel.page("sessions").body;
    for part in ["talk", "API_KEY", "2 follow-ups", "run the tests"] {
        assert!(page.contains(part), "no «{part}» in {page}");
    }
    assert!(!page.contains("s3cret"), "{page}");
    std::fs::remove_dir_all(cx.path("home/.local/state/boathook/log")).expect("the log");
    let later = Panel::enter(cx.command(["panel"])).page("sessions").body;
    assert!(
        later.contains("no longer in the log") && later.contains("API_KEY") && !later.contains("s3cret"),
        "{later}"
    );
    let time = panel.page("time").body;
    assert!(time.contains("<svg") && time.contains("Median") && time.contains("talk"), "{time}");
}

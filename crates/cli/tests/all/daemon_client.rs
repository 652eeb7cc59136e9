//! `boathook run --daemon` and the library's client, with a real daemon: the
//! decision is always the one that is made without it.

#![cfg(unix)]

use std::collections::HashMap;
use std::path::Path;
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use boathook_engine::remote::wire::Caller;
use boathook_engine::remote::{Reason, Remote};
use serde_json::Value;

use crate::context::{self, TestContext, pipe};
use crate::false_daemon::{caller, engine, remote, shell, state};
use crate::served::Served;

const HOOKS: &str = r#"{"version": 1, "hooks": {"beforeShellExecution": [
    {"command": "boathook rule deny", "rule": {"when": {"command": {"starts_with": "deny"}}, "deny": "No, {command}."}},
    {"command": "boathook rule ask", "rule": {"when": {"command": {"starts_with": "ask"}}, "ask": "Really?"}},
    {"command": "boathook rule allow", "rule": {"when": {"command": {"starts_with": "allow"}}, "allow": true}},
    {"command": "exec ./refuse.sh", "matcher": "^script"},
    {"command": "./broken.sh", "matcher": "^broken", "failClosed": true},
    {"command": "./odd.sh", "matcher": "^odd"}
]}}"#;

fn place() -> TestContext {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", HOOKS);
    let answer = "#!/bin/sh\ncat >/dev/null\necho '{\"permission\":\"deny\",\"user_message\":\"A script says no.\"}'\n";
    cx.script("home/.cursor/refuse.sh", answer);
    cx.script("home/.cursor/broken.sh", "#!/bin/sh\nexit 3\n");
    cx.script("home/.cursor/odd.sh", "#!/bin/sh\necho oops\nexit 3\n");
    cx
}

fn run(cx: &TestContext, words: &[&str], command: &str) -> Output {
    let field = format!("command={command}");
    cx.output(["run", "beforeShellExecution", "--field", &field].iter().chain(words))
}

/// What was printed on stderr, the trace apart.
fn parts(output: &Output) -> (String, Value) {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let (traces, texts): (Vec<&str>, Vec<&str>) = stderr.lines().partition(|line| line.starts_with('{'));
    let trace = traces.first().and_then(|trace| serde_json::from_str(trace).ok()).unwrap_or_default();
    (texts.join("\n"), trace)
}

/// A trace without what differs from run to run.
fn timeless(mut trace: Value) -> Value {
    for hook in trace["hooks"].as_array_mut().into_iter().flatten() {
        hook.as_object_mut().map(|hook| hook.remove("duration_ms"));
    }
    trace
}

#[test]
fn with_a_daemon_everything_is_printed_as_without() {
    let cx = place();
    let _daemon = Served::start(&cx);
    cx.write("project/.cursor/hooks.json", context::one_hook("beforeShellExecution", "exit 2"));
    for command in ["deny this", "ask this", "allow this", "script", "broken", "odd", "nothing"] {
        let alone = run(&cx, &["--trace"], command);
        let asked = run(&cx, &["--trace", "--daemon"], command);
        assert_eq!(asked.status.code(), alone.status.code(), "{command}");
        assert_eq!(asked.stdout, alone.stdout, "{command}");
        let ((said, trace), (texts, expected)) = (parts(&asked), parts(&alone));
        assert_eq!(said, texts, "{command}");
        assert_eq!(timeless(trace), timeless(expected), "{command}: no fallback, and nothing else differs");
    }
    for words in [["--cannot-ask", "--daemon"], ["--remote", "--daemon"], ["--surface=cloud", "--daemon"]] {
        let alone = run(&cx, &words[..1], "ask this");
        let asked = run(&cx, &words, "ask this");
        assert_eq!((asked.status, asked.stdout), (alone.status, alone.stdout), "{words:?}");
    }
}

/// A change of the user's own hooks is told once, to whoever looks.
#[test]
fn with_a_daemon_changes_of_hooks_are_told_too() {
    let (with, without) = (place(), place());
    let _daemon = Served::start(&with);
    let told = |cx: &TestContext, words: &[&str]| {
        run(cx, words, "nothing");
        cx.write("home/.cursor/hooks.json", HOOKS.replace("Really?", "Truly?"));
        let first = parts(&run(cx, words, "nothing")).0;
        let second = parts(&run(cx, words, "nothing")).0;
        (cx.without_paths(&first), cx.without_paths(&second))
    };
    let expected = told(&without, &[]);
    assert!(expected.0.contains("changed"), "{expected:?}");
    assert_eq!(told(&with, &["--daemon"]), expected);
}

#[test]
fn mere_absence_is_in_the_trace_alone() {
    let cx = place();
    let output = run(&cx, &["--trace", "--daemon"], "deny it");
    let (said, trace) = parts(&output);
    assert_eq!((output.status.code(), said.as_str()), (Some(2), "No, deny it."));
    assert_eq!(trace["fallback"], "no daemon");
}

/// The name of a socket has little room; a state directory has as much as it likes.
#[cfg(target_os = "linux")]
#[test]
fn a_long_path_is_no_obstacle() {
    let cx = place();
    let long = cx.path(&format!("home/{}", "long/".repeat(40)));
    std::fs::create_dir_all(&long).expect("folders");
    let placed = |mut command: std::process::Command| {
        command.env("XDG_STATE_HOME", &long);
        command
    };
    let _daemon = Served::started(placed(cx.command(["daemon"])));
    let words = ["run", "beforeShellExecution", "--daemon", "--trace", "--field", "command=deny it"];
    let output = pipe(placed(cx.command(words)), b"");
    let (said, trace) = parts(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(trace["fallback"], Value::Null, "{trace}");
}

/// E08: killed while a hook runs. The hook is asked again, in process.
#[test]
fn e08_a_daemon_that_is_killed_mid_request() {
    let cx = place();
    let (started, script) = (cx.path("home/started"), cx.path("home/.cursor/slow.sh"));
    let text = format!(
        "#!/bin/sh\nif mkdir '{}' 2>/dev/null; then sleep 600; fi\necho '{{\"permission\":\"deny\",\"user_message\":\"Slow.\"}}'\n",
        started.display()
    );
    cx.script("home/.cursor/slow.sh", &text);
    let entry = serde_json::json!({"version": 1, "hooks": {"beforeShellExecution": [{"command": script}]}});
    cx.write("home/.cursor/hooks.json", entry.to_string());
    // A machine that stands still for three seconds makes any daemon a silent one;
    // it does not do that every time.
    let output = (0..3).find_map(|_| {
        let _ = std::fs::remove_dir(&started);
        killed_mid_request(&cx, &started)
    });
    let output = output.expect("a slow hook is waited for");
    let (said, trace) = parts(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"user_message\":\"Slow.\""));
    assert_eq!(trace["fallback"], "the daemon went away before it answered");
    assert!(said.contains("warning: the daemon went away before it answered"), "{said}");
}

/// What came of an event whose daemon was killed; none when it was left before.
fn killed_mid_request(cx: &TestContext, started: &Path) -> Option<Output> {
    let mut daemon = Served::start(cx);
    thread::scope(|scope| {
        let asked = scope.spawn(|| run(cx, &["--trace", "--daemon"], "ls"));
        until("the hook runs", || started.exists());
        // It says that it works, so nobody leaves it meanwhile.
        thread::sleep(Duration::from_millis(3_500));
        let left = asked.is_finished();
        daemon.signal("KILL");
        daemon.wait();
        let output = asked.join().expect("it ends");
        (!left).then_some(output)
    })
}

/// E08: another version, home, config or root.
#[test]
fn e08_a_daemon_that_differs_from_its_caller() {
    let cx = place();
    let _daemon = Served::start(&cx);
    let ours = || caller(&cx);
    let cases: [(&str, Caller, Option<&str>); 6] = [
        ("nothing", ours(), None),
        ("a slash", Caller { home: ours().home.join(""), ..ours() }, None),
        ("the version", Caller { version: "0.0.0".into(), ..ours() }, Some("version")),
        ("the home", Caller { home: cx.path("elsewhere"), ..ours() }, Some("the home")),
        ("the settings", Caller { config: cx.path("elsewhere"), ..ours() }, Some("settings in")),
        ("the root", Caller { root: "/".into(), ..ours() }, Some("the root")),
    ];
    for (name, caller, expected) in cases {
        let asked = Remote::new(state(&cx), caller).handle_or_ask(&engine(&cx), shell("deny it"));
        assert!(asked.handled.blocked, "{name}");
        assert_eq!(asked.handled.user_text.as_deref(), Some("No, deny it."), "{name}");
        let fallback = asked.handled.fallback;
        match expected {
            None => assert_eq!(fallback, None, "{name}"),
            Some(part) => {
                assert!(fallback.as_ref().is_some_and(|it| it.contains(part)), "{name}: {fallback:?}")
            }
        }
    }
    let mut elsewhere =
        cx.command(["run", "beforeShellExecution", "--daemon", "--trace", "--field", "command=deny it"]);
    elsewhere.env("XDG_CONFIG_HOME", cx.path("elsewhere"));
    let output = pipe(elsewhere, b"");
    let (said, trace) = parts(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(trace["fallback"].as_str().is_some_and(|it| it.contains("settings in")), "{trace}");
    assert!(said.contains("help: start the daemon again"), "{said}");
}

/// E08: it hangs.
#[test]
fn e08_a_daemon_that_hangs() {
    let cx = place();
    let daemon = Served::start(&cx);
    let (remote, engine) = (remote(&cx), engine(&cx));
    let first = remote.handle_or_ask(&engine, shell("deny it"));
    assert!(first.reason.is_none(), "{first:?}");
    daemon.stop();
    thread::scope(|scope| {
        scope.spawn(|| {
            let asked = remote.handle_or_ask(&engine, shell("deny it"));
            assert!(matches!(asked.reason, Some(Reason::Silent(_))), "an open connection: {asked:?}");
            assert_eq!(asked.handled.answer.get(), first.handled.answer.get());
        });
        let output = run(&cx, &["--trace", "--daemon"], "deny it");
        let (said, trace) = parts(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(trace["fallback"], "the daemon was silent for 3 s");
        assert!(said.starts_with("warning: the daemon was silent for 3 s"), "{said}");
    });
}

const EVENTS: usize = 2_000;
/// So often it is killed at least, however long that takes.
const KILLS: usize = 5;

/// E08: killed at random moments while events arrive from several threads:
/// every event gets the right decision.
#[test]
fn e08_no_kill_changes_a_decision() {
    let cx = place();
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(7, |now| now.subsec_nanos().into());
    println!("seed {seed}");
    let (remote, engine) = (remote(&cx), engine(&cx));
    let (next, kills, over) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let decided: Mutex<HashMap<String, usize>> = Mutex::default();
    let began = Instant::now();
    thread::scope(|scope| {
        let killer = scope.spawn(|| kill_until(&cx, seed, &kills, &over));
        let senders: Vec<_> =
            (0..3).map(|_| scope.spawn(|| send(&remote, &engine, (&next, &kills), &decided))).collect();
        let sent: Vec<_> = senders.into_iter().map(|sender| sender.join()).collect();
        over.store(true, Ordering::SeqCst);
        killer.join().expect("it only kills");
        sent.into_iter().for_each(|sent| sent.expect("every decision was right"));
    });
    let decided = decided.into_inner().expect("nobody panicked");
    let (all, kills) = (decided.values().sum::<usize>(), kills.into_inner());
    println!("{all} events, {kills} kills, {:?}; {decided:#?}", began.elapsed());
    let by_daemon = decided.get("the daemon").copied().unwrap_or(0);
    assert!(all >= EVENTS && kills >= KILLS, "it was killed {kills} times, with {all} events");
    assert!(by_daemon >= EVENTS / 20, "the daemon decided {by_daemon}");
    assert!(by_daemon < all, "some were decided without it");
}

/// Starts daemons and kills them, each after a random time.
fn kill_until(cx: &TestContext, seed: u64, kills: &AtomicUsize, over: &AtomicBool) {
    let mut random = seed | 1;
    while !over.load(Ordering::SeqCst) {
        let mut daemon = Served::start(cx);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_micros(random >> 33 & 0x3_ffff));
        daemon.signal("KILL");
        daemon.wait();
        kills.fetch_add(1, Ordering::SeqCst);
    }
}

/// Sends events until there are none left and it was killed often enough, and
/// compares every decision.
fn send(
    remote: &Remote,
    engine: &boathook_engine::Engine,
    (next, kills): (&AtomicUsize, &AtomicUsize),
    decided: &Mutex<HashMap<String, usize>>,
) {
    // Command, permission, refused; most need no process.
    const KINDS: [(&str, Option<&str>, bool); 8] = [
        ("deny", Some("deny"), true),
        ("ask", Some("ask"), false),
        ("allow", Some("allow"), false),
        ("script", Some("deny"), true),
        ("deny", Some("deny"), true),
        ("nothing", None, false),
        ("broken", Some("deny"), true),
        ("odd", None, false),
    ];
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= EVENTS && kills.load(Ordering::SeqCst) >= KILLS {
            return;
        }
        let (word, permission, refused) = KINDS[number % KINDS.len()];
        let command = format!("{word} {number}");
        let handled = remote.handle_or_ask(engine, shell(&command)).handled;
        let answer: Value = serde_json::from_str(handled.answer.get()).expect("JSON");
        assert_eq!(answer["permission"].as_str(), permission, "{command}: {handled:?}");
        assert_eq!(handled.blocked, refused, "{command}: {handled:?}");
        if word == "deny" {
            assert_eq!(handled.user_text, Some(format!("No, {command}.")), "it is about this event");
        }
        let by = handled.fallback.unwrap_or_else(|| "the daemon".to_owned());
        *decided.lock().expect("nobody panicked").entry(by).or_default() += 1;
    }
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

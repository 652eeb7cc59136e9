//! Hooks whose process outlives an event, in an engine with a keeper.
#![cfg(target_os = "linux")]

use std::fs;
use std::time::Duration;

use boathook_engine::Permission;
use boathook_engine::decision::Process;
use boathook_engine::engine::Engine;
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::payload::Payload;
use boathook_engine::run::Limits;
use boathook_engine::trust::Trust;
use serde_json::json;

use crate::keeping::{Place, event, reason, wait_until, warnings};

/// A hook that stays, in the words of a shell. It notes its start, and answers
/// with what `answer` prints for `$id` and `$line`.
fn staying(place: &Place, answer: &str) -> String {
    let starts = place.path("starts").display().to_string();
    let script = format!(
        "echo $$ >> {starts}\nwhile read -r line; do\n id=${{line#*\\\"id\\\":\\\"}}; id=${{id%%\\\"*}}\n {answer}\ndone\n"
    );
    place.write("home/.cursor/stay.sh", &script);
    "sh stay.sh".to_owned()
}

const ALLOW: &str = r#"echo "{\"id\":\"$id\",\"output\":{\"permission\":\"allow\"}}""#;

fn lives(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_hook_that_stays_is_started_once_and_without_a_keeper_each_time() {
    let place = Place::new();
    place.hook(json!({ "command": staying(&place, ALLOW), "persistent": true }));
    let engine = place.engine();
    for _ in 0..20 {
        let decision = engine.handle(event("ls"));
        assert_eq!(decision.permission, Some(Permission::Allow));
        assert_eq!(decision.hooks[0].process, Some(Process::Stayed));
    }
    assert_eq!((place.starts(), place.keeper.count()), (1, 1));
    let other = place.engine();
    assert_eq!(other.handle(event("ls")).permission, Some(Permission::Allow));
    assert_eq!(place.starts(), 1, "engines with one keeper share its processes");

    let alone = Engine::new(place.settings(None));
    let decision = alone.handle(event("ls"));
    // This script speaks only the language of those that stay.
    assert!(decision.permission.is_none() && place.starts() == 2, "{}", reason(&decision));
    assert_eq!(decision.hooks[0].process, None);
}

#[test]
fn what_goes_wrong_is_a_failure_and_the_next_event_is_answered() {
    let long = r#"head -c 17825792 /dev/zero | tr '\0' x"#;
    let cases = [
        ("a crash", "exit 7", "exited with code 7"),
        ("a signal", "kill -9 $$", "was killed by SIGKILL"),
        ("a timeout", "sleep 40", "timed out after 2000ms"),
        ("another id", r#"echo '{"id":"x","output":{}}'"#, "it answered `x`, and `"),
        ("garbage", "echo hello", "it printed `hello`, which is no answer"),
        ("17 MiB", long, "printed more than 16 MiB"),
    ];
    for (name, answer, expected) in cases {
        let place = Place::new();
        let once = place.path("once").display().to_string();
        let command =
            staying(&place, &format!("if rmdir {once} 2>/dev/null; then {answer}; else {ALLOW}; fi"));
        let hook = |timeout: f64| {
            let entry =
                json!({ "command": command, "persistent": true, "failClosed": true, "timeout": timeout });
            place.hook(entry);
        };
        hook(60.0);
        let engine = place.engine();
        assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Allow), "{name}");
        fs::create_dir(place.path("once")).expect("a directory");
        // Only the one that never answers has little time.
        if name == "a timeout" {
            hook(2.0);
        }
        let failed = engine.handle(event("ls"));
        hook(60.0);
        assert!(failed.blocked, "{name}: failClosed counts as ever");
        assert!(reason(&failed).contains(expected), "{name}: {}", reason(&failed));
        assert_eq!(place.keeper.count(), 0, "{name}: its process is gone");
        let next = engine.handle(event("ls"));
        assert_eq!(next.permission, Some(Permission::Allow), "{name}: {}", reason(&next));
        assert_eq!(place.starts(), 2, "{name}");
    }
}

#[test]
fn a_crash_loop_ends_in_a_process_per_event_and_says_so() {
    let place = Place::with(Limits { faults: 2, ..Limits::default() });
    // Alone it answers; where it should stay it crashes.
    let script = "if [ -n \"$BOATHOOK_PERSISTENT\" ]; then exit 5; fi\ncat >/dev/null; echo '{\"permission\":\"deny\"}'\n";
    place.write("home/.cursor/loop.sh", script);
    place.hook(json!({ "command": "sh loop.sh", "persistent": true }));
    let engine = place.engine();
    for _ in 0..2 {
        let decision = engine.handle(event("ls"));
        assert!(decision.blocked, "alone it was asked: {}", reason(&decision));
        assert!(warnings(&decision).contains("failed at its first event"), "{}", warnings(&decision));
    }
    let decision = engine.handle(event("ls"));
    assert!(decision.blocked, "{}", reason(&decision));
    assert!(warnings(&decision).contains("did not stay 2 times in a row"), "{}", warnings(&decision));
}

#[test]
fn a_hook_that_does_not_answer_lines_is_asked_by_itself_and_says_so() {
    const PLAIN: &str = r#"echo '{"permission":"deny"}'"#;
    // The first waits for its whole timeout, and then has as much again for its answer.
    let cases = [
        ("reads all of stdin", "cat >/dev/null", "no answer line in 4000 ms", 4),
        ("reads a line", "read -r line", "has no `id`", 60),
        ("prints first", "echo checking >&2; echo", "which is no answer line", 60),
        ("says nothing", "test -z $BOATHOOK_PERSISTENT || exit 0", "it ended, with code 0", 60),
    ];
    for (name, before, why, timeout) in cases {
        let place = Place::new();
        let starts = place.path("starts").display().to_string();
        let script = format!("echo $$ >> {starts}\n{before}\n{PLAIN}\n");
        place.write("home/.cursor/plain.sh", &script);
        place.hook(json!({ "command": "sh plain.sh", "persistent": true, "timeout": timeout }));
        let engine = place.engine();
        for round in 0..3 {
            let decision = engine.handle(event("ls"));
            assert!(decision.blocked, "{name}: {} {}", reason(&decision), warnings(&decision));
            let said = warnings(&decision);
            assert!(said.contains(why) && said.contains("does it use the helper"), "{name}: {said}");
            assert_eq!(decision.hooks[0].process, None, "{name}: it answered by itself");
            assert_eq!(place.starts(), 2 + round, "{name}: only the first event costs a second process");
        }
        place.write("home/.cursor/plain.sh", &script.replace(PLAIN, "echo '{}'"));
        engine.handle(event("ls"));
        assert_eq!(place.starts(), 6, "{name}: a new script is tried again");
    }
}

#[test]
fn a_script_that_names_nobody_who_answers_lines_is_not_asked_for_one() {
    let python = "import json, sys\njson.load(sys.stdin)\nprint('{\"permission\": \"deny\"}')\n";
    let node = "require('fs').readFileSync(0);\nconsole.log('{\"permission\": \"deny\"}');\n";
    for (program, script, text) in [("python3", "plain.py", python), ("node", "plain.cjs", node)] {
        let place = Place::new();
        place.write(&format!("home/.cursor/{script}"), text);
        place.hook(json!({ "command": format!("{program} {script}"), "persistent": true }));
        let engine = place.engine();
        for _ in 0..2 {
            let decision = engine.handle(event("ls"));
            assert!(decision.blocked, "{script}: {} {}", reason(&decision), warnings(&decision));
            let said = warnings(&decision);
            assert!(said.contains("names neither boathook_hook nor BOATHOOK_PERSISTENT"), "{script}: {said}");
            assert_eq!(place.keeper.count(), 0, "{script}: nobody waited for a line of it");
        }
        place.write(&format!("home/.cursor/{script}"), &format!("{text}\n"));
        assert!(warnings(&engine.handle(event("ls"))).contains("names neither"), "{script}: looked at again");
    }
}

#[test]
fn the_time_of_an_event_that_was_asked_twice_is_the_time_of_both() {
    let place = Place::new();
    place.write("home/.cursor/plain.sh", "cat >/dev/null; echo '{\"permission\":\"deny\"}'\n");
    place.hook(json!({ "command": "sh plain.sh", "persistent": true, "timeout": 4 }));
    let decision = place.engine().handle(event("ls"));
    assert!(decision.blocked, "{}", reason(&decision));
    assert!(decision.hooks[0].duration_ms >= Some(4000.0), "{:?}", decision.hooks[0].duration_ms);
}

#[test]
fn a_hook_that_was_repaired_is_asked_at_once() {
    let place = Place::with(Limits { faults: 2, ..Limits::default() });
    place.hook(json!({ "command": "sh stay.sh", "persistent": true }));
    place.write("home/.cursor/stay.sh", "exit 5");
    let engine = place.engine();
    for _ in 0..3 {
        engine.handle(event("ls"));
    }
    staying(&place, ALLOW);
    let decision = engine.handle(event("ls"));
    assert_eq!((warnings(&decision), decision.hooks[0].process), (String::new(), Some(Process::Stayed)));
}

#[test]
fn a_hook_that_ends_when_it_is_asked_is_asked_once_more_and_stays_a_hook_that_stays() {
    let place = Place::new();
    let said = place.path("said").display().to_string();
    let answer = format!("case $line in *bye*) echo x >> {said}; exit 0;; *) {ALLOW};; esac");
    place.hook(json!({ "command": staying(&place, &answer), "persistent": true }));
    let engine = place.engine();
    assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Allow));
    let decision = engine.handle(event("bye"));
    assert!(warnings(&decision).contains("ended when it was asked"), "{}", warnings(&decision));
    assert_eq!(place.read("said").lines().count(), 2, "{}", warnings(&decision));
    let next = engine.handle(event("ls"));
    assert_eq!((next.hooks[0].process, warnings(&next)), (Some(Process::Stayed), String::new()));
}

#[test]
fn who_speaks_in_lines_alone_has_failed_when_no_line_came() {
    let place = Place::new();
    let once = place.path("once").display().to_string();
    let answer = format!("if mkdir {once} 2>/dev/null; then echo hello; else {ALLOW}; fi");
    place.hook(json!({ "command": staying(&place, &answer), "persistent": true, "failClosed": true }));
    let decision = place.engine().handle(event("ls"));
    assert!(decision.blocked && reason(&decision).contains("it printed `hello`"), "{}", reason(&decision));
    assert_eq!(place.engine().handle(event("ls")).permission, Some(Permission::Allow), "it is asked again");
}

#[test]
fn other_files_and_other_surroundings_are_another_process() {
    let place = Place::new();
    place.hook(json!({ "command": staying(&place, ALLOW), "persistent": true }));
    let engine = place.engine();
    engine.handle(event("ls"));
    staying(&place, &ALLOW.replace("allow", "deny"));
    assert!(engine.handle(event("ls")).blocked, "the script that stands there answers");
    assert_eq!((place.starts(), place.keeper.count()), (2, 1), "the old one was ended");
    let payload = br#"{"command": "ls", "conversation_id": "c2", "transcript_path": "/t2"}"#;
    let other = Event::new(EventKind::BeforeShellExecution, Payload::parse(payload).expect("a payload"));
    engine.handle(other);
    assert_eq!((place.starts(), place.keeper.count()), (3, 2), "another conversation, another environment");
    engine.handle(event("ls"));
    assert_eq!(place.starts(), 3);
}

#[test]
fn what_is_no_longer_trusted_is_ended_and_not_asked() {
    let changes: [(&str, &dyn Fn(&Place)); 3] = [
        ("a flag of the entry", &|place| {
            let text = place.read("ws/.cursor/hooks.json").replace("\"prestart\":false", "\"prestart\":true");
            place.write("ws/.cursor/hooks.json", &text);
        }),
        ("the script", &|place| place.write("ws/stay.sh", "touch evil; cat")),
        ("somebody said so", &|place| {
            let engine = place.engine();
            let hooks = engine.hooks();
            let source = &hooks.hooks[0].source;
            Trust::new(engine.roots()).revoke(source).expect("a store");
        }),
    ];
    for (name, change) in changes {
        let place = Place::new();
        staying(&place, ALLOW);
        fs::rename(place.path("home/.cursor/stay.sh"), place.path("ws/stay.sh")).expect("a script");
        let entry = json!({ "command": "sh ./stay.sh", "persistent": true, "prestart": false });
        let file = json!({ "version": 1, "hooks": { "beforeShellExecution": [entry] } });
        place.write("ws/.cursor/hooks.json", &file.to_string());
        let engine = place.engine();
        assert!(engine.handle(event("ls")).permission.is_none());
        assert_eq!((place.starts(), place.keeper.count()), (0, 0), "{name}: nothing runs before trust");
        trust(&place);
        assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Allow), "{name}");
        let pid = place.read("starts").trim().to_owned();
        assert!(lives(&pid));
        change(&place);
        let decision = engine.handle(event("ls"));
        assert!(decision.permission.is_none(), "{name}: {decision:?}");
        wait_until("its process is ended", || !lives(&pid) && place.keeper.count() == 0);
        assert_eq!(place.starts(), 1, "{name}");
        assert!(!place.path("ws/evil").exists(), "{name}");
    }
}

/// Trusts the workspace as it is now.
fn trust(place: &Place) {
    let engine = place.engine();
    let hooks = engine.hooks();
    let source = &hooks.hooks[0].source;
    let store = Trust::new(engine.roots());
    let bytes = fs::read(&source.file).expect("a file");
    let definitions: Vec<_> = hooks.hooks.iter().map(|hook| hook.definition.clone()).collect();
    let subject = store.subject(source, &bytes, &definitions);
    store.accept(&subject).expect("a store");
}

#[test]
fn idle_processes_are_ended() {
    let place = Place::with(Limits { idle: Duration::from_millis(100), ..Limits::default() });
    place.hook(json!({ "command": staying(&place, ALLOW), "persistent": true }));
    place.engine().handle(event("ls"));
    wait_until("nobody is left", || place.keeper.count() == 0);
    let pid = place.read("starts").trim().to_owned();
    wait_until("it is dead", || !lives(&pid));
}

#[test]
fn fifty_events_at_once_are_all_answered() {
    let place = Place::new();
    // Where all are busy it also runs alone, and then its first line is a payload.
    let both = r#"case $line in '{"id"'*) echo "{\"id\":\"$id\",\"output\":{\"permission\":\"deny\"}}";; *) echo '{"permission":"deny"}';; esac"#;
    place.hook(json!({ "command": staying(&place, both), "persistent": true }));
    let engine = place.engine();
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                let decision = engine.handle(event("ls"));
                assert!(decision.blocked, "{}", reason(&decision));
            });
        }
    });
    assert!(place.keeper.count() <= 4);
}

#[test]
fn several_hooks_of_one_event_are_asked_together_and_answer_in_order() {
    let place = Place::new();
    let stays = staying(&place, &ALLOW.replace("}}", ",\\\"agent_message\\\":\\\"stays\\\"}}"));
    let said = |name: &str| {
        format!("cat >/dev/null; echo '{{\"permission\":\"deny\",\"user_message\":\"{name}\"}}'")
    };
    let file = json!({ "version": 1, "hooks": { "beforeShellExecution": [
        { "command": said("one") },
        { "command": stays, "persistent": true },
        { "command": said("two"), "prestart": true },
        { "command": format!("{stays} again"), "persistent": true },
    ]}});
    place.write("home/.cursor/hooks.json", &file.to_string());
    let engine = place.engine();
    for _ in 0..3 {
        let decision = engine.handle(event("ls"));
        let outcomes: Vec<_> = decision.hooks.iter().map(|hook| hook.permission).collect();
        assert_eq!(outcomes, [Some("deny"), Some("allow"), Some("deny"), Some("allow")]);
        assert_eq!(decision.user_message.as_deref(), Some("one\n\n---\n\ntwo"));
    }
}

#[test]
fn a_hook_that_is_started_ahead_waits_for_its_event() {
    let place = Place::new();
    let starts = place.path("starts").display().to_string();
    let script = format!(
        "echo $$ >> {starts}\nline=$(cat)\necho \"$line\" >> payload\necho '{{\"permission\":\"deny\"}}'\n"
    );
    place.write("home/.cursor/ahead.sh", &script);
    place.hook(json!({ "command": "sh ahead.sh", "prestart": true }));
    let engine = place.engine();
    for round in 1..=3 {
        let decision = engine.handle(event(&format!("round {round}")));
        assert!(decision.blocked && warnings(&decision).is_empty(), "{}", reason(&decision));
        assert_eq!(decision.hooks[0].process, (round > 1).then_some(Process::Ahead));
        assert!(place.read("home/.cursor/payload").contains(&format!("round {round}")));
        wait_until("the next one waits", || place.starts() == round + 1 && place.keeper.idle() == 1);
    }
    place.write("home/.cursor/ahead.sh", "cat >/dev/null; echo '{\"permission\":\"allow\"}'");
    assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Allow), "the new script answers");
}

#[test]
fn one_that_prints_before_its_event_is_thrown_away() {
    let place = Place::new();
    let starts = place.path("starts").display().to_string();
    // It may be ended as soon as it has printed, so the note comes first.
    let script = format!("echo $$ >> {starts}; echo '{{\"permission\":\"deny\"}}'; cat >/dev/null\n");
    place.write("home/.cursor/early.sh", &script);
    place.hook(json!({ "command": "sh early.sh", "prestart": true }));
    let engine = place.engine();
    assert!(engine.handle(event("ls")).blocked);
    wait_until("the next one printed and was found", || place.starts() == 2 && place.keeper.count() == 0);
    let decision = engine.handle(event("ls"));
    assert!(decision.blocked);
    assert!(warnings(&decision).contains("before its event"), "{}", warnings(&decision));
}
